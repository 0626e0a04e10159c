"""The administrator's desk: inviting, roles, closing accounts, codes; tokens of programs."""

from __future__ import annotations

from typing import Any

import pytest
from litestar import Litestar

from palmares.core.errors import Refused
from palmares.web.accounts import administration, sessions, store
from palmares.web.http.state import AppState
from tests.web.conftest import GOOD, NOW, AsRole, Client, Clock
from tests.web.visits import JSON, enter, send, who


def desk(client: Client) -> dict[str, dict[str, Any]]:
    """The accounts that an administrator sees, by name."""
    found = client.get("/administrator", headers=JSON).json()["accounts"]
    return {one["name"]: one for one in found}


def test_whoever_is_invited_chooses_a_password(app: Litestar, as_role: AsRole) -> None:
    ada = as_role("administrator")
    form = {"name": "  Dita   Ředitelka ", "role": "director"}
    answer = ada.post("/administrator/invitations", data=form, headers=JSON)
    link = answer.json()["link"]
    assert link.startswith("http://testserver.local/welcome/")
    assert desk(ada)["Dita Ředitelka"]["state"] == "invited"
    dita: Client = Client(app)
    answer = send(dita, link.removeprefix("http://testserver.local"), password=GOOD, again=GOOD)
    assert answer.headers["location"] == "/director"
    assert who(dita) == "Dita Ředitelka"
    assert desk(ada)["Dita Ředitelka"]["state"] == "active"


@pytest.mark.parametrize(
    ("name", "role", "words"),
    [
        ("Test Administrator", "officer", "Somebody is called Test Administrator already."),
        ("TEST ADMINISTRATOR", "officer", "Somebody is called TEST ADMINISTRATOR already."),
        ("", "officer", "A name has 1 to 100 characters that can be seen."),
        ("x" * 101, "officer", "A name has 1 to 100 characters that can be seen."),
        ("a\u202eb", "officer", "A name has 1 to 100 characters that can be seen."),
        ("a\x01b", "officer", "A name has 1 to 100 characters that can be seen."),
        ("Eve", "king", "A role is administrator, officer, director, not king."),
    ],
)
def test_what_cannot_be_invited(as_role: AsRole, name: str, role: str, words: str) -> None:
    ada = as_role("administrator")
    form = {"name": name, "role": role}
    answer = ada.post("/administrator/invitations", data=form, headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["problem"] == words


def test_another_role_signs_out(
    client: Client, the_site: AppState, director: store.AccountRecord, as_role: AsRole
) -> None:
    enter(client, director.name)
    token = sessions.issue_token(the_site.database, director.id, "x", NOW, writes=True)
    ada = as_role("administrator")
    ada.post(f"/administrator/accounts/{director.id}/role", data={"role": "officer"})
    assert desk(ada)[director.name]["role"] == "officer"
    assert who(client) is None
    assert enter(client, director.name).headers["location"] == "/sign-in/codes"
    assert sessions.authenticate_token(the_site.database, token, NOW) is None  # it never saw a code


def test_a_closed_account_is_closed_at_once(
    client: Client, the_site: AppState, director: store.AccountRecord, as_role: AsRole
) -> None:
    enter(client, director.name)
    token = sessions.issue_token(the_site.database, director.id, "x", NOW)
    ada = as_role("administrator")
    ada.post(f"/administrator/accounts/{director.id}/disable")
    assert who(client) is None
    assert sessions.authenticate_token(the_site.database, token, NOW) is None
    assert enter(client, director.name).status_code == 422
    ada.post(f"/administrator/accounts/{director.id}/enable")
    assert enter(client, director.name).status_code == 303
    assert sessions.authenticate_token(the_site.database, token, NOW) is None


def test_codes_are_set_up_anew(
    client: Client, officer: store.AccountRecord, as_role: AsRole
) -> None:
    ada = as_role("administrator")
    assert desk(ada)[officer.name]["has_codes"] is True
    ada.post(f"/administrator/accounts/{officer.id}/codes")
    assert desk(ada)[officer.name]["has_codes"] is False
    assert enter(client, officer.name).headers["location"] == "/sign-in/codes"


def test_another_link_for_whoever_forgot(
    app: Litestar, client: Client, director: store.AccountRecord, as_role: AsRole
) -> None:
    ada = as_role("administrator")
    link = ada.post(f"/administrator/accounts/{director.id}/link", headers=JSON).json()["link"]
    other = "eleven quiet ferries at dusk"
    path = link.removeprefix("http://testserver.local")
    assert send(client, path, password=other, again=other).status_code == 303
    assert enter(Client(app), director.name).status_code == 422
    assert enter(Client(app), director.name, other).status_code == 303


@pytest.mark.parametrize("what", ["role", "disable", "codes", "link"])
def test_not_ones_own_account(as_role: AsRole, what: str) -> None:
    ada = as_role("administrator")
    own = desk(ada)["Test Administrator"]["id"]
    form = {"role": "director"}
    answer = ada.post(f"/administrator/accounts/{own}/{what}", data=form, headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["problem"].startswith("Another administrator has to do that")
    assert desk(ada)["Test Administrator"]["role"] == "administrator"


def test_of_two_who_close_each_others_account_one_remains(the_site: AppState) -> None:
    """Both were let in before either change: the second one is refused in its transaction."""
    with the_site.database.writing() as connection:
        ada, ben = (store.add(connection, name, "administrator", NOW) for name in ("Ada", "Ben"))
    administration.act(the_site, "disable", ben, ada, "")
    for change in ("disable", "role", "link", "codes", "enable"):
        with pytest.raises(Refused, match="You are no administrator any more"):
            administration.act(the_site, change, ada, ben, "director")
    administration.act(the_site, "enable", ben, ada, "")
    administration.act(the_site, "role", ben, ada, "officer")
    with pytest.raises(Refused, match="You are no administrator any more"):
        administration.act(the_site, "role", ada, ben, "director")


def test_whoever_runs_the_site_can_let_somebody_in(
    client: Client, the_site: AppState, officer: store.AccountRecord, as_role: AsRole
) -> None:
    """A known name gets the role, and new codes with a new password; an unknown one an account."""
    other = "eleven quiet ferries at dusk"
    path = f"/welcome/{administration.link_of(the_site, officer.name, 'administrator')}"
    assert enter(client, officer.name).status_code == 422  # GOOD, without a code
    answer = send(client, path, password=other, again=other)
    assert answer.headers["location"] == "/sign-in/codes"
    administration.link_of(the_site, "Ada Admin", "administrator")
    found = desk(as_role("administrator"))
    assert found[officer.name]["role"] == found["Ada Admin"]["role"] == "administrator"
    assert found["Ada Admin"]["state"] == "invited"


def test_there_is_no_such_change(as_role: AsRole, director: store.AccountRecord) -> None:
    assert (
        as_role("administrator").post(f"/administrator/accounts/{director.id}/delete").status_code
        == 404
    )


def test_there_is_no_such_account(as_role: AsRole) -> None:
    ada = as_role("administrator")
    for number in ("0", "999", "-1", "9" * 30):
        answer = ada.post(f"/administrator/accounts/{number}/disable", headers=JSON)
        assert (answer.status_code, answer.json()["problem"]) == (422, "There is no such account.")
        answer = ada.post(f"/account/tokens/{number}/revoke", headers=JSON)
        assert answer.status_code == 404


def test_a_token_is_good_until_it_ends(
    the_site: AppState, director: store.AccountRecord, clock: Clock
) -> None:
    token = sessions.issue_token(the_site.database, director.id, "nightly", clock.now, days=2)
    found = sessions.authenticate_token(the_site.database, token, NOW + 2 * 86_400 - 1)
    assert found == (director.account, False)
    assert sessions.authenticate_token(the_site.database, token, NOW + 2 * 86_400) is None
    assert sessions.authenticate_token(the_site.database, token[:-1] + "!", NOW) is None


def test_a_token_can_be_revoked_by_its_owner_alone(
    the_site: AppState, director: store.AccountRecord, officer: store.AccountRecord
) -> None:
    token = sessions.issue_token(the_site.database, director.id, "nightly", NOW)
    with the_site.database.reading() as connection:
        (listed,) = sessions.list_tokens(connection, director.id)
    with the_site.database.writing() as connection:
        assert not sessions.revoke_token(connection, officer.id, listed.id)
    assert sessions.authenticate_token(the_site.database, token, NOW) is not None
    with the_site.database.writing() as connection:
        assert sessions.revoke_token(connection, director.id, listed.id)
    assert sessions.authenticate_token(the_site.database, token, NOW) is None


@pytest.mark.parametrize(("label", "days"), [("", 1), ("x" * 61, 1), ("a\nb\x07", 1), ("x", 366)])
def test_tokens_have_a_name_and_an_end(
    the_site: AppState, director: store.AccountRecord, label: str, days: int
) -> None:
    with pytest.raises(Refused):
        sessions.issue_token(the_site.database, director.id, label, NOW, days=days)


def test_twenty_tokens_are_enough(the_site: AppState, director: store.AccountRecord) -> None:
    for number in range(20):
        sessions.issue_token(the_site.database, director.id, f"token {number}", NOW)
    with pytest.raises(Refused, match="at most 20"):
        sessions.issue_token(the_site.database, director.id, "one more", NOW)
