"""The OpenAPI document: every address is in it, and every answer is what it says."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
from litestar import Litestar
from litestar.params import QueryParameter
from litestar.routes import HTTPRoute

from palmares.web.api.description import PROBLEMS, description
from palmares.web.http.parameters import declared
from palmares.web.http.routing import Right
from palmares.web.routes import ROUTES
from tests.web.api.addresses import ADDRESSES, P
from tests.web.conftest import Client
from tests.web.seasons import json
from tests.web.ways import API_ROUTES, RIGHTS

DOCUMENT: Any = description(ROUTES)
OPERATIONS: dict[str, Any] = {
    one["operationId"]: one for ways in DOCUMENT["paths"].values() for one in ways.values()
}


def validator(schema: Any) -> jsonschema_rs.Draft202012Validator:
    """What finds everything in an answer that its schema does not allow."""
    found = {**schema, "components": DOCUMENT["components"]}
    return jsonschema_rs.Draft202012Validator(found, validate_formats=True)


def test_it_is_served(client: Client) -> None:
    answer = client.get("/api/v1/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == DOCUMENT
    assert DOCUMENT["openapi"].startswith("3.1.")
    tag = {"if-none-match": answer.headers["etag"]}
    assert client.get("/api/v1/openapi.json", headers=tag).status_code == 304


def test_every_route_is_in_it() -> None:
    assert OPERATIONS.keys() == {str(one.name).removeprefix("api_") for one in API_ROUTES}
    reading = [name for name, one in OPERATIONS.items() if "304" in one["responses"]]
    assert ADDRESSES.keys() == {one for one in reading if RIGHTS[f"api_{one}"] is Right.ANYONE}


@pytest.mark.parametrize("name", OPERATIONS)
def test_it_says_everything(name: str) -> None:
    """What an operation does, who may, each parameter, each problem, each type of answer."""
    one = OPERATIONS[name]
    assert one["summary"]
    assert one["tags"]
    assert one["security"] == (
        [{}, {"token": []}] if RIGHTS[f"api_{name}"] is Right.ANYONE else [{"token": []}]
    )
    assert [part["name"] for part in one.get("parameters", ()) if not part["description"]] == []
    assert {"400", "401", "404", "406", "422", "429", "500", "503"} <= one["responses"].keys()
    assert one["responses"].keys() - {"200", "201", "204", "304"} <= PROBLEMS.keys()


def test_whatever_is_sent_may_take_too_long() -> None:
    late = {name for name, one in OPERATIONS.items() if "408" in one["responses"]}
    assert late == {str(one.name).removeprefix("api_") for one in API_ROUTES if one.method != "GET"}


def test_a_default_may_be_sent(reader: Client) -> None:
    """``cursor=`` is refused, so that an empty text is no default and no choice."""
    parts = {
        (one["name"], name): one["schema"]
        for name, operation in OPERATIONS.items()
        for one in operation.get("parameters", ())
        if one["in"] == "query" and operation["tags"] != ["Calculators"]
    }
    assert [key for key, schema in parts.items() if schema.get("default") == ""] == []
    assert [key for key, schema in parts.items() if "" in schema.get("enum", ())] == []
    assert parts["cursor", "players"]["minLength"] == 1
    assert reader.get(f"{P}/players", params={"cursor": ""}).status_code == 400


@pytest.mark.parametrize("name", ["performance", "master-points", "percentile", "victory-points"])
def test_what_is_not_given_is_what_it_says(reader: Client, name: str) -> None:
    """ "Entrants; 49." in the document is the 49 that an empty form is filled in with."""
    filled = {one["name"]: one["value"] for one in json(reader, f"/calculators/{name}")["fields"]}
    parts = DOCUMENT["paths"][f"{P}/calculators/{name}"]["get"]["parameters"]
    found = {part["name"]: re.search(r"; (\w+)\.", part["description"]) for part in parts}
    told = {one: said[1] for one, said in found.items() if said}
    assert told
    assert {one: filled[one] for one in told} == told


def test_what_is_checked_is_what_it_says(app: Litestar) -> None:
    """The parameters of a query that a request may have are those of the document."""
    handlers = {
        str(handler.name).removeprefix("api_"): handler
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        if str(handler.name).startswith("api_")
    }
    for name, one in OPERATIONS.items():
        told = one.get("parameters", ())
        asked = {part["name"] for part in told if part["in"] == "query"}
        declared_names = {
            field.kwarg_definition.name or key
            for key, field in declared(handlers[name]).items()
            if isinstance(field.kwarg_definition, QueryParameter)
            and field.kwarg_definition.include_in_schema
        }
        assert declared_names == asked, name


def test_it_says_what_each_thing_is() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    ours = {"RankingRow", "ResultRow", "PlacingRow", "CalculatedPoints", "RankingList"}
    ours |= {"TournamentPage", "ProblemDocument"}
    assert [name for name in ours if not schemas[name].get("description")] == []
    assert schemas["RankingRow"]["properties"]["moved"]["description"] == (
        "ranks up since the earlier list; none: was not on it"
    )


def test_points_are_there_in_both_forms() -> None:
    """Except in a manifest, which is a file of its own."""
    schemas = DOCUMENT["components"]["schemas"]
    for name in schemas.keys() - {"PublishedRows"}:
        fields = schemas[name].get("properties", {}).keys()
        for counted, text in (
            ("nanopoints", "points"), ("worth", "worth_points"),
            ("to_defend", "to_defend_points"), ("live_match", "live_match_points"),
        ):  # fmt: skip
            assert counted not in fields or text in fields, name


@pytest.mark.parametrize("name", ADDRESSES)
def test_every_answer_is_what_it_says(reader: Client, name: str) -> None:
    schema = OPERATIONS[name]["responses"]["200"]["content"]["application/json"]["schema"]
    for address in ADDRESSES[name]:
        told = json(reader, P + address)
        wrong = [str(one) for one in validator(schema).iter_errors(told)]
        assert wrong == [], address


@pytest.mark.parametrize("name", ADDRESSES)
def test_every_answer_has_an_example(name: str) -> None:
    """If it is no longer true: python -m tests.web.api.examples."""
    content = OPERATIONS[name]["responses"]["200"]["content"]["application/json"]
    wrong = [str(one) for one in validator(content["schema"]).iter_errors(content["example"])]
    assert wrong == []


def test_an_answer_that_is_something_else_is_noticed(reader: Client) -> None:
    told = json(reader, f"{P}/rankings/wbgf?as_of=2019-12-31")
    check = validator({"$ref": "#/components/schemas/RankingList"})
    assert check.is_valid(told)
    told["items"][0]["points"] = 12.5
    assert not check.is_valid(told)
    told["items"][0] = {"rank": 1}
    assert not check.is_valid(told)


def test_problems_are_what_it_says(client: Client) -> None:
    check = validator({"$ref": "#/components/schemas/ProblemDocument"})
    for address in (
        "/rankings/wbgf?limit=0",
        "/rankings/x",
        "/calculators/performance?entry_fee=x",
    ):
        assert check.is_valid(client.get(P + address).json()), address
