"""What is said of a request repeats no more than the beginning of what was sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from palmares.web.http.state import AppState
from palmares.web.officer.decisions import DECISIONS
from tests.web.api.programs import program
from tests.web.conftest import AsRole, Client

LONG, LONGER = "x" * 5000, "y" * 20_000
MOST = 300
JSON = {"accept": "application/json"}
IDS = {"regulation": "wbgf", "player_id": "P1", "event_id": "york%2Fteams",
       "tournament_id": "Winter", "code": "CZE", "number": "1", "entry": "1"}  # fmt: skip


def texts(told: Any) -> Iterator[str]:
    """Every text of an answer, its keys, too."""
    if isinstance(told, dict):
        for key, value in told.items():
            yield key
            yield from texts(value)
    elif isinstance(told, list):
        for one in told:
            yield from texts(one)
    elif isinstance(told, str):
        yield told


def judged(answer: Any) -> None:
    """An answer that refuses is short."""
    if answer.status_code >= 400:
        assert max(map(len, texts(answer.json()))) <= MOST, answer.request.url


def test_of_parameters_of_the_api(reader: Client) -> None:
    paths = reader.get("/api/v1/openapi.json").json()["paths"]
    asked = 0
    for path, ways in paths.items():
        for one in ways.get("get", {}).get("parameters", ()):
            given = {**IDS, one["name"]: LONG} if one["in"] == "path" else IDS
            address = path.format_map(defaultdict(lambda: "x", given))
            if one["in"] == "query":
                address += f"?{one['name']}={LONG}"
            judged(reader.get(address))
            asked += 1
    assert asked > 60


@pytest.mark.parametrize(
    "address",
    ["/rankings/wbgf?setting=", "/rankings/wbgf?kind=", "/rankings/wbgf?nation=", "/?language=",
     "/rankings/wbgf?known_at=", "/rankings/wbgf?as_of=", "/rankings/wbgf?format=",
     "/rankings/wbgf?",
     "/events/york%2Fteams?team=", "/events/york%2Fteams?match=", "/events/york%2Fteams?until=",
     "/events/york%2Fteams?scale=", "/players/P1/",
     "/regulations/", "/regulations/usbgf/", "/regulations/usbgf/compare?a=", "/nations/",
     "/players/", "/tournaments/", "/welcome/", "/published/", "/calculators/", "/?as="],
)  # fmt: skip
def test_of_parameters_of_pages(reader: Client, address: str) -> None:
    answer = reader.get(address + LONG, headers=JSON)
    assert answer.status_code >= 400
    judged(answer)


def test_of_what_officers_send(reader: Client, app_state: AppState) -> None:
    robot = program(reader, app_state, "officer", "Robot")
    headers = {"authorization": f"Bearer {robot.token}"}
    for name, decision in DECISIONS.items():
        path = f"/api/v1/decisions/{name}/preview"
        names = [one.name for one in decision.fields]
        for one in names:
            fields = {**dict.fromkeys(names, "x"), one: LONGER}
            judged(reader.post(path, json={"fields": fields}, headers=headers))
        judged(reader.post(path, json={"fields": {LONGER: "x"}}, headers=headers))
        judged(reader.post(path, json={"fields": {}, LONGER: "x"}, headers=headers))


def test_of_what_administrators_send(as_role: AsRole) -> None:
    ada = as_role("administrator")
    for form in ({"name": LONGER, "role": "officer"}, {"name": "x", "role": LONGER}):
        answer = ada.post("/administrator/invitations", data=form, headers=JSON)
        assert answer.status_code == 422
        judged(answer)


@pytest.mark.parametrize(
    "report",
    [LONGER, f"[tournament]\n{LONGER} = 1\n", f'[tournament]\nname = "{LONGER}"\n',
     f'[tournament]\nname = "A"\nend_date = {LONGER}\n', f"rank,name\n1,{LONGER}\n{LONGER},B\n",
     f'[tournament]\nname = "A"\nend_date = 2019-11-15\n[[event]]\nkind = "{LONGER}"\n',
     f"name: A\nevent: {LONGER}\n\n1 {LONGER}\n", f"<a>{LONGER}"],
    ids=range(8),
)  # fmt: skip
def test_of_a_report(as_role: AsRole, app_state: AppState, client: Client, report: str) -> None:
    robot = program(client, app_state, "director", "Robot")
    for kind in ("application/toml", "text/csv", "text/plain", "application/xml"):
        headers = {"authorization": f"Bearer {robot.token}", "content-type": kind}
        answer = client.post("/api/v1/reports", content=report.encode(), headers=headers)
        told = answer.json()
        found = told.get("problems", []) if answer.status_code >= 400 else told["reading"]
        assert max(map(len, texts(found)), default=0) <= MOST
