"""
The API about itself: its document in OpenAPI 3.1, that document as a page, and the journal now.

Litestar writes the document. What it leaves out is added from where it stands already: summaries
from docstrings, the meaning of a field from the comment behind it, rights from the table of routes.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, get_args, get_type_hints

import msgspec
from anyio import to_thread
from litestar import Litestar, Response
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme, Server, Tag

from palmares.formats import BOOK
from palmares.web.http.errors import PROBLEM_JSON, ProblemDocument, problem_document
from palmares.web.http.replies import JSON, OPEN, text_fields, with_etag
from palmares.web.http.routing import Right, Route, handler, to
from palmares.web.http.state import Request, Snapshot
from palmares.web.shared.parameters import requested_rows
from palmares.web.submissions.parse import MEDIA_TYPES

ABOUT = """\
The data of the pages, for programs. Everything public is read without a token; whoever writes, or
reads what is not public, sends the token of an account: `Authorization: Bearer palmares_...`.

Every public answer has an `ETag`; ask again with `If-None-Match`, and an answer of 304 says that
nothing has changed. Long lists come in pages: follow `next` until it is null, and all pages show
the journal as it was when the first was asked for.

Points are given twice: counted exactly, as whole billionths of a point (`nanopoints`), and as text
rounded to hundredths, as lists show them (`points`). Add and compare the first, print the second.

Errors are problem documents (RFC 9457)."""
TAGS = {
    "About": "The journal and this description.",
    "Rankings": "Lists as of any day, as known at any moment.",
    "Players": "Players, their results and why they have the points of each.",
    "Nations": "Nations and their players.",
    "Tournaments": "Tournaments, their flights and the points each place gave.",
    "Publications": "Lists that were announced, their manifests and verifications.",
    "Recognition": "Races with their standings, levels and who reached them.",
    "Draws": "Public draws: their announcements, each step, and the places.",
    "Fund": "The streaming fund: statements and donors.",
    "Live events": "Events that are run here: what is next, results, places and prizes.",
    "Notices": "What an event is about before entry opens, and the points at stake.",
    "Regulations": "Editions, their clauses, numbers and readings.",
    "Calculators": "Points of a place or match that nobody has played yet.",
    "Bridge": "Events of teams, their standings and crosstables.",
    "Reports": "Reports on their way to the journal.",
    "Journal": "Entries, and the decisions of officers.",
    "Federation": "What pages show of the federation.",
    "Notes": "Mistakes that readers report.",
}
PROBLEMS = {
    "400": "A parameter, the address or what was sent cannot be read.",
    "401": "No token, or one that is no longer good.",
    "403": "This is not for the role of the token's account.",
    "404": "There is nothing at this address.",
    "406": "The request accepts none of the types that there are.",
    "408": "What was sent took too long to come.",
    "409": "What was seen is no longer so; nothing was recorded.",
    "410": "The list that a cursor belongs to is no longer to be had: begin again.",
    "413": "What was sent is too large.",
    "415": "What was sent is of a type that is not read here.",
    "422": "The data do not fit the rules; every problem is named.",
    "429": "That was too often. Wait as long as `Retry-After` says.",
    "431": "The address, the cookies or the headers are too long.",
    "500": "Something went wrong here. It was written down under the number in `instance`.",
    "503": "This cannot be answered at the moment. Try again as `Retry-After` says.",
}
ALWAYS = ("400", "401", "404", "406", "422", "429", "431", "500", "503")
WRITING = ("403", "408", "409", "413", "415")
SCHEMAS = "#/components/schemas/{name}"
_REPORT = {
    "type": "string",
    "description": "The contents of a report; in UTF-8, or as `charset` says.",
}
_SECTIONS = re.compile(r"^(?:Args|Raises):", re.MULTILINE)
_COMMENT = re.compile(r"^    (\w+): .*?\s#:? (.+)$", re.MULTILINE)


@cache
def description(routes: tuple[Route, ...]) -> Mapping[str, Any]:
    """The document of the table of routes, in plain values."""
    rows = [row for row in routes if row.tag]
    app = Litestar(
        [handler(row) for row in rows],
        dependencies={"rows": Provide(requested_rows)},
        request_class=Request,
        openapi_config=_config(),
        logging_config=None,
    )
    document: dict[str, Any] = app.openapi_schema.to_schema()
    used = {tag for operation in _operations(document) for tag in operation.get("tags", ())}
    document["tags"] = [item for item in document["tags"] if item["name"] in used]
    examples = msgspec.json.decode((files("palmares.web.api") / "examples.json").read_bytes())
    for row in rows:
        _operation(document, row, examples)
    schemas = document["components"]["schemas"]
    _, problems = msgspec.json.schema_components([ProblemDocument], ref_template=SCHEMAS)
    schemas.update(problems)
    for item in _classes(rows):
        _schema(schemas, item)
    document["components"]["responses"] = {
        f"Problem{status}": _problem(status, says) for status, says in PROBLEMS.items()
    }
    # JSON Schema has the patterns of JavaScript, in which the end of a text is $, not \Z.
    plain: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(document).replace(rb'\\Z"', b'$"')
    )
    return plain


def _config() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Palmares",
        version="1",
        summary="Competition points: rankings, results and why.",
        description=ABOUT,
        servers=[Server(url="/")],
        tags=[Tag(name=name, description=says) for name, says in TAGS.items()],
        components=Components(
            security_schemes={
                "token": SecurityScheme(
                    type="http",
                    scheme="bearer",
                    description="A token of an account, from its page on the site.",
                )
            }
        ),
        operation_id_creator=lambda handler, *_: str(handler.name).removeprefix("api_"),
    )


# ── operations ───────────────────────────────────────────────────────────────────────────────────


def _operations(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()


def _operation(document: Mapping[str, Any], row: Route, examples: Mapping[str, Any]) -> None:
    """What a route does, who may, what it answers, and what can go wrong."""
    name = row.name.removeprefix("api_")
    operation = next(
        candidate for candidate in _operations(document) if candidate["operationId"] == name
    )
    says = _SECTIONS.split(inspect.cleandoc(row.handler.__doc__ or ""))[0]
    summary, _, more = says.partition("\n")
    operation["summary"] = summary.rstrip(".")
    if more.strip():
        operation["description"] = " ".join(more.split())
    for parameter in operation.get("parameters", []):
        _always_given(parameter["schema"])
        if parameter["in"] == "query" and not row.blanks:
            _never_empty(parameter["schema"])
    anyone = row.right is Right.ANYONE
    operation["security"] = [{}, {"token": []}] if anyone else [{"token": []}]
    if (body := _body(document["components"]["schemas"], row)) is not None:
        operation["requestBody"] = body
    _answers(operation, row, anyone=anyone, example=examples.get(name))


def _never_empty(schema: dict[str, Any]) -> None:
    """Leave out the empty text, which is refused: what is not meant is not sent."""
    if schema.get("default") == "":
        del schema["default"]
    if "enum" in schema:
        schema["enum"] = [choice for choice in schema["enum"] if choice != ""]
    elif schema.get("type") == "string" and "format" not in schema:
        schema["minLength"] = 1


def _answers(operation: dict[str, Any], row: Route, *, anyone: bool, example: Any) -> None:
    """What an operation answers, and what can go wrong."""
    reading, answers = row.method == "GET", operation["responses"]
    answers.pop("400", None)
    for answer in answers.values():
        answer["description"] = operation["summary"]
        for content in answer.get("content", {}).values():
            content.update({} if example is None else {"example": example})
        answer["headers"] = {"ETag": _header("Changes with the answer.")} if reading else {}
    if "201" in answers:
        answers["201"]["headers"] = {"Location": _header("The address of what was made.")}
    if row.again:
        content = answers["201"]["content"]
        answers[str(row.again)] = {
            "description": "It was made before: nothing was done.",
            "content": content,
        }
    if reading:
        answers["304"] = {"description": "It is still what the tag in `If-None-Match` stands for."}
    is_list = any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ()))
    wrong = [*ALWAYS, *(() if reading else WRITING), *(() if anyone else ("403",))]
    for status in sorted({*wrong, *(("410",) if is_list else ())}):
        answers[status] = {"$ref": f"#/components/responses/Problem{status}"}


def _body(schemas: dict[str, Any], row: Route) -> dict[str, Any] | None:
    """What is sent: JSON of a shape, or the contents of a report."""
    if row.sends is not None:
        (top,), more = msgspec.json.schema_components([row.sends], ref_template=SCHEMAS)
        schemas.update(more)
        return {"required": True, "content": {JSON: {"schema": top}}}
    if row.takes == (JSON,):
        return None
    content = {
        media_type: {} if MEDIA_TYPES[media_type] == BOOK else {"schema": _REPORT}
        for media_type in row.takes
    }
    return {"required": True, "content": content}


def _always_given(schema: dict[str, Any]) -> None:
    """A parameter that may be left out is never sent as nothing."""
    values = [kind for kind in schema.get("oneOf", ()) if kind != {"type": "null"}]
    if len(values) == 1:
        del schema["oneOf"]
        schema.update(values[0])


def _header(says: str) -> dict[str, Any]:
    return {"description": says, "schema": {"type": "string"}}


def _problem(status: str, says: str) -> dict[str, Any]:
    example = problem_document(int(status), says, "6d3f1a5e0c9b7284")
    return {
        "description": says,
        "content": {
            PROBLEM_JSON: {
                "schema": {"$ref": "#/components/schemas/ProblemDocument"},
                "example": msgspec.to_builtins(example),
            }
        },
    }


# ── schemas ──────────────────────────────────────────────────────────────────────────────────────


def _classes(rows: list[Route]) -> list[type]:
    """Every dataclass and struct of an answer, and those that are in it."""
    hints: list[Any] = [ProblemDocument, *(get_type_hints(row.handler)["return"] for row in rows)]
    classes: dict[type, None] = {}
    for hint in hints:  # they grow
        if not (
            isinstance(hint, type) and (is_dataclass(hint) or issubclass(hint, msgspec.Struct))
        ):
            hints += get_args(hint)
        elif hint not in classes:
            classes[hint] = None
            hints += get_type_hints(hint).values()
    return list(classes)


def _schema(schemas: dict[str, Any], cls: type) -> None:
    """What a class is, what its fields mean, and points as text."""
    schema = schemas[cls.__name__]
    schema["description"] = (cls.__doc__ or "").split("\n\n")[0]
    comments = {
        name: says
        for base in reversed(cls.__mro__)
        if base.__module__.startswith("palmares.")
        for name, says in _COMMENT.findall(_sources(base.__module__).get(base.__name__, ""))
    }
    texts = text_fields(cls) if is_dataclass(cls) else {}
    required = schema.get("required", [])
    properties: dict[str, Any] = {}
    for name, value in schema["properties"].items():
        properties[name] = value | ({"description": comments[name]} if name in comments else {})
        if name in texts:
            properties[texts[name]] = _text(value, f"`{name}` as lists show it: in hundredths.")
            if name in required:
                required.append(texts[name])
    schema["properties"] = properties
    schema["required"] = sorted(required)
    schema["additionalProperties"] = False


@cache
def _sources(module: str) -> Mapping[str, str]:
    """The source of each class of a module; `inspect` would read the whole module for each."""
    source = inspect.getsource(sys.modules[module])
    lines = source.splitlines()
    return {
        node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
    }


def _text(value: Mapping[str, Any], says: str) -> dict[str, Any]:
    """The schema of points as text beside nanopoints: one, or several, or none."""

    def textual(part: Any) -> Any:
        if isinstance(part, Mapping):
            number = part.get("type") == "integer"
            return {name: textual(inner) for name, inner in part.items()} | (
                {"type": "string"} if number else {}
            )
        return [textual(inner) for inner in part] if isinstance(part, list) else part

    return {**textual(value), "description": says}


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The journal as it is now."""

    as_of: date  # today
    entry: int  # the last of the journal; all that is shown rests on the entries up to it
    hash: str  # of the last entry, which seals all before it
    description: str  # the address of the OpenAPI document


def about(snapshot: Snapshot, today: date) -> About:
    """The journal as it is now.

    Its tag changes with every entry: a program that asks with `If-None-Match` learns cheaply
    whether anything is new.
    """
    return About(
        as_of=today,
        entry=snapshot.head.sequence,
        hash=snapshot.head.hash,
        description=to.api_document(),
    )


@dataclass(frozen=True, slots=True)
class GuidePage:
    """Every address of the API."""

    document: Mapping[str, Any]  # in OpenAPI 3.1


def guide(request: Request) -> GuidePage:
    """Every address of the API, as a page."""
    return GuidePage(description(request.app.state.routes))


async def document(request: Request) -> Response[Any]:
    """The description of the API, in OpenAPI 3.1."""
    text = msgspec.json.encode(await to_thread.run_sync(description, request.app.state.routes))
    return with_etag(text, JSON, OPEN)
