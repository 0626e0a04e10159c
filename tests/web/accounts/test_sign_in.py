"""Signing in: the first administrator, invitations, codes, sessions, and whoever guesses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pyotp
import pytest
from litestar import Litestar

from palmares.core.errors import Refused
from palmares.web.accounts import credentials, login, store
from palmares.web.database import ACCOUNTS, LINKS, SESSIONS, TOKENS
from palmares.web.http.parameters import inside
from palmares.web.http.state import AppState
from palmares.web.settings import Settings
from tests.web.conftest import GOOD, NOW, Client, Clock
from tests.web.visits import JSON, enter, send, who

BETTER = "eleven quiet ferries at dusk"


def test_the_first_administrator_comes_by_a_link(
    the_site: AppState, client: Client, clock: Clock
) -> None:
    token = login.first_link(the_site)
    assert token is not None
    path = f"/welcome/{token}"
    answer = send(client, path, name="Ada Admin", password=GOOD, again=GOOD)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in/codes")
    assert who(client) is None  # half signed in
    secret = client.get("/sign-in/codes", headers=JSON).json()["secret"].replace(" ", "")
    answer = send(client, "/sign-in/codes", code=pyotp.TOTP(secret).at(clock.now))
    assert (answer.status_code, answer.headers["location"]) == (303, "/administrator")
    assert who(client) == "Ada Admin"
    assert login.first_link(the_site) is None
    used = client.get(path)
    assert used.status_code == 410
    assert "ask whoever sent the link for a new one" in used.text


def test_the_link_is_good_for_an_hour(the_site: AppState, client: Client, clock: Clock) -> None:
    token = login.first_link(the_site)
    clock.now += 3599
    assert client.get(f"/welcome/{token}").status_code == 200
    clock.now += 1
    old = client.get(f"/welcome/{token}")
    assert old.status_code == 410
    assert "<h1>This link no longer works</h1>" in old.text
    assert "Whoever runs the site starts it again: each start shows a new link" in old.text
    assert '<p><a href="/sign-in">Sign in</a></p>' in old.text


def test_a_second_start_makes_the_first_link_void(the_site: AppState, client: Client) -> None:
    first, second = login.first_link(the_site), login.first_link(the_site)
    assert client.get(f"/welcome/{first}").status_code == 410
    assert client.get(f"/welcome/{second}").status_code == 200


def test_a_director_signs_in_and_out(client: Client, director: store.AccountRecord) -> None:
    answer = enter(client, "dita ŘEDITELKA")
    assert (answer.status_code, answer.headers["location"]) == (303, "/director")
    assert who(client) == director.name
    page = client.get("/").text
    assert "Dita Ředitelka" in page
    assert "/sign-out" in page
    number = client.cookies["palmares"]
    answer = send(client, "/sign-out")
    assert answer.headers["location"] == "/"
    assert 'palmares=""' in answer.headers["set-cookie"]
    assert who(client) is None
    client.cookies.set("palmares", number)  # whoever has kept it
    assert who(client) is None


@pytest.mark.parametrize(
    "typed",
    ["  Dita Ředitelka", "Dita   Ředitelka ", "Dita\u00a0Ředitelka", "dita\t ředitelka"],
)
def test_spaces_are_squeezed_as_in_an_invitation(
    client: Client, director: store.AccountRecord, typed: str
) -> None:
    assert enter(client, typed).status_code == 303
    assert who(client) == director.name


def test_and_are_no_way_to_more_guesses(client: Client, director: store.AccountRecord) -> None:
    for spaces in range(1, 6):
        refused = enter(client, f"Dita{' ' * spaces}Ředitelka", "wrong")
        assert refused.status_code == 422
    assert enter(client, director.name).status_code == 429


def test_the_number_of_a_session_changes_and_the_old_one_is_dead(
    app: Litestar, client: Client, officer: store.AccountRecord, clock: Clock
) -> None:
    enter(client, officer.name)
    half = client.cookies["palmares"]
    clock.now += 30
    code = pyotp.TOTP(str(officer.secret)).at(clock.now)
    send(client, "/sign-in/code", code=code)
    assert client.cookies["palmares"] != half
    assert who(client) == officer.name
    other: Client = Client(app, cookies={"palmares": half})
    assert who(other) is None


def test_a_planted_number_is_not_taken_up(client: Client, director: store.AccountRecord) -> None:
    client.cookies.set("palmares", "f" * 64, domain="testserver.local")
    answer = enter(client, director.name)
    assert "palmares=" + "f" * 64 not in answer.headers["set-cookie"]


def test_a_session_cookie_is_for_this_site_alone(
    client: Client, director: store.AccountRecord
) -> None:
    (session,) = enter(client, director.name).headers.get_list("set-cookie")
    assert re.fullmatch(
        r"palmares=[0-9a-f]{64}; HttpOnly; Max-Age=43200; Path=/; SameSite=lax", session
    )


def test_over_https_cookies_are_secure(settings: Settings) -> None:
    from palmares.web.app import site
    from tests.web.http.test_errors import changed

    app = site(changed(settings, public_url="https://testserver.local"))
    the_site = app.state.app_state
    with the_site.database.writing() as connection:
        number = store.add(connection, "Dita", "director", NOW)
        token = store.create_link(connection, number, NOW)
    login.accept_link(the_site, token, "", GOOD)
    with Client(app, base_url="https://testserver.local") as client:
        client.get("/sign-in")
        form = {"name": "Dita", "password": GOOD}
        answer = client.post("/sign-in", data=form, follow_redirects=False)
        cookies = answer.headers.get_list("set-cookie")
        assert [one.partition("=")[0] for one in cookies] == ["__Host-palmares"]
        assert all("; Secure" in one for one in cookies)
        assert who(client) == "Dita"


def test_a_session_ends_after_an_hour_of_nothing(
    client: Client, director: store.AccountRecord, clock: Clock
) -> None:
    enter(client, director.name)
    clock.now += 3599
    assert who(client) == director.name
    clock.now += 3599
    assert who(client) == director.name
    clock.now += 3600
    assert who(client) is None


def test_and_after_twelve_hours_anyway(
    client: Client, director: store.AccountRecord, clock: Clock
) -> None:
    enter(client, director.name)
    for _ in range(23):
        clock.now += 1800
        assert who(client) == director.name
    clock.now += 1800
    assert who(client) is None


def test_wrong_names_and_wrong_passwords_read_alike(
    client: Client, director: store.AccountRecord
) -> None:
    unknown, wrong = enter(client, "Nobody"), enter(client, director.name, "wrong" * 4)
    words = "The name or the password is wrong."
    assert unknown.status_code == wrong.status_code == 422
    assert words in unknown.text
    assert words in wrong.text


def test_five_wrong_tries_have_to_wait(
    client: Client, director: store.AccountRecord, clock: Clock
) -> None:
    for _ in range(5):
        assert enter(client, director.name, "wrong" * 4).status_code == 422
    answer = enter(client, director.name)
    assert answer.status_code == 429
    assert "Wait 15 minutes." in answer.text
    clock.now += 900
    assert enter(client, director.name).status_code == 303


def test_nor_do_many_tries_at_the_same_time_count_as_one(
    the_site: AppState, director: store.AccountRecord
) -> None:
    together = Barrier(12)

    def guess(step: Callable[[], Any]) -> str:
        together.wait()
        try:
            step()
        except (Refused, login.TooManyAttempts) as error:
            return type(error).__name__
        return "in"

    there = (
        lambda: login.check_password(the_site, director.name, "wrong" * 4, "192.0.2.1"),
        lambda: login.confirm_password(the_site, director.id, "wrong" * 4, "192.0.2.2"),
    )
    with ThreadPoolExecutor(12) as pool:
        for step in there:
            found = Counter(pool.map(guess, [step] * 12))
            assert found == {"Refused": 5, "TooManyAttempts": 12 - 5}


def test_others_are_not_locked_out_by_that(
    the_site: AppState, director: store.AccountRecord
) -> None:
    for _ in range(5):
        with pytest.raises(Refused):
            login.check_password(the_site, director.name, "wrong" * 4, "192.0.2.1")
    assert login.check_password(the_site, director.name, GOOD, "192.0.2.2").id == director.id
    with pytest.raises(login.TooManyAttempts):
        login.check_password(the_site, director.name, GOOD, "192.0.2.1")


def test_one_address_may_fail_thirty_times(
    the_site: AppState, director: store.AccountRecord
) -> None:
    for number in range(30):
        with pytest.raises(Refused):
            login.check_password(the_site, f"name {number}", "wrong" * 4, "192.0.2.1")
    with pytest.raises(login.TooManyAttempts):
        login.check_password(the_site, director.name, GOOD, "192.0.2.1")


def test_a_code_is_good_once(
    the_site: AppState, officer: store.AccountRecord, clock: Clock
) -> None:
    clock.now += 30
    code = pyotp.TOTP(str(officer.secret)).at(clock.now)
    assert login.check_code(the_site, officer.id, code, "").id == officer.id
    with pytest.raises(Refused):
        login.check_code(the_site, officer.id, code, "")


def test_a_code_of_half_a_minute_ago_is_good_and_an_older_one_is_not(
    the_site: AppState, officer: store.AccountRecord, clock: Clock
) -> None:
    clock.now += 300
    made = pyotp.TOTP(str(officer.secret))
    with pytest.raises(Refused):
        login.check_code(the_site, officer.id, made.at(clock.now - 60), "")
    assert login.check_code(the_site, officer.id, made.at(clock.now - 30), "").id == officer.id


def test_five_wrong_codes_have_to_wait(the_site: AppState, officer: store.AccountRecord) -> None:
    for _ in range(5):
        with pytest.raises(Refused):
            login.check_code(the_site, officer.id, "12345", "")
    with pytest.raises(login.TooManyAttempts):
        login.check_code(the_site, officer.id, pyotp.TOTP(str(officer.secret)).at(NOW + 30), "")


def test_the_code_has_to_come_within_ten_minutes(
    client: Client, officer: store.AccountRecord, clock: Clock
) -> None:
    enter(client, officer.name)
    clock.now += 600
    code = pyotp.TOTP(str(officer.secret)).at(clock.now)
    assert send(client, "/sign-in/code", code=code).headers["location"] == "/sign-in"
    assert who(client) is None


def test_a_password_that_was_changed_meanwhile_leads_to_no_code(
    client: Client, the_site: AppState, officer: store.AccountRecord, clock: Clock
) -> None:
    enter(client, officer.name)  # somebody who found out the old one
    login.change_password(the_site, officer, BETTER, revoke=False)
    clock.now += 60
    code = pyotp.TOTP(str(officer.secret)).at(clock.now)
    assert send(client, "/sign-in/code", code=code).headers["location"] == "/sign-in"
    assert who(client) is None


def test_where_to_go_then(client: Client, director: store.AccountRecord) -> None:
    answer = client.get("/account?x=1", follow_redirects=False)
    assert answer.headers["location"] == "/sign-in?next=%2Faccount%3Fx%3D1"
    answer = enter(client, director.name, next="/account?x=1")
    assert answer.headers["location"] == "/account?x=1"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil",
        "javascript:alert(1)",
        "/\t/evil.example",
        "/a\r\nX: y",
        "evil",
        "",
        "/" + "a" * 3000,
        " /x",
    ],
)
def test_nowhere_else(address: str) -> None:
    assert not inside(address)


@pytest.mark.parametrize(
    ("password", "words"),
    [
        ("short but good", "A password has at least 15 characters"),
        ("x" * 129, "A password has at most 128 characters"),
        ("passwordpassword", "easily guessed"),
        ("aaaaaaaaaaaaaaaaaaaa", "easily guessed"),
        ("123456789012345678", "easily guessed"),
        ("abcdefghijklmnopqrstuvwxyz", "easily guessed"),
        ("Dita Ředitelka 2020", "easily guessed"),
        ("Palmares Administrator", "easily guessed"),
        ("P@ssw0rd12345678", "easily guessed"),
        ("michaeljackson1", "easily guessed"),
        ("zaq12wsxcde34rfv", "easily guessed"),
    ],
)
def test_bad_passwords_are_refused(
    the_site: AppState, client: Client, password: str, words: str
) -> None:
    with the_site.database.writing() as connection:
        number = store.add(connection, "Dita Ředitelka", "director", NOW)
        token = store.create_link(connection, number, NOW)
    answer = send(client, f"/welcome/{token}", password=password, again=password)
    assert answer.status_code == 422
    assert words in answer.text
    assert client.get(f"/welcome/{token}").status_code == 200  # still good


def test_another_password_signs_out_everywhere_else(
    app: Litestar, client: Client, director: store.AccountRecord
) -> None:
    enter(client, director.name)
    other: Client = Client(app)
    enter(other, director.name)
    fields = {"old": GOOD, "password": BETTER, "again": BETTER}
    assert send(client, "/account/password", **fields).status_code == 303
    assert who(other) is None
    assert who(client) == director.name
    assert enter(other, director.name).status_code == 422
    assert enter(other, director.name, BETTER).status_code == 303


def test_a_password_of_older_parameters_is_stored_anew(
    the_site: AppState, director: store.AccountRecord
) -> None:
    from argon2 import PasswordHasher

    weak = PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1).hash(GOOD)
    with the_site.database.writing() as connection:
        store.update(connection, director.id, password=weak)
    login.check_password(the_site, director.name, GOOD, "")
    with the_site.database.reading() as connection:
        found = store.find(connection, director.id)
    assert found is not None
    assert str(found.password).startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def asked(client: Client, typed: str = GOOD, **more: str) -> Any:
    """Ask for a token."""
    given = {"label": "nightly", "days": "1", "password": typed, **more}
    return client.post("/account/tokens", data=given, headers=JSON)


def test_a_token_is_asked_for_with_the_password(
    client: Client, director: store.AccountRecord
) -> None:
    enter(client, director.name)
    answer = asked(client, typed="a guess")
    assert (answer.status_code, answer.json()["problem"]) == (422, "That is not your password.")
    assert answer.json()["tokens"] == []
    told = [asked(client).json(), asked(client, writes="yes").json()]
    assert all(one["issued"].startswith("palmares_") for one in told)
    assert [one["writes"] for one in told[1]["tokens"]] == [False, True]
    assert [asked(client, typed="no").status_code for _ in range(5)][-1] == 429


@pytest.mark.parametrize("days", ["0", "366", "30 days", "9" * 5000, "٣"])
def test_days_of_a_token_are_not_guessed(
    client: Client, director: store.AccountRecord, days: str
) -> None:
    enter(client, director.name)
    answer = asked(client, days=days)
    assert (answer.status_code, answer.json()["tokens"]) == (422, [])
    assert answer.json()["problem"] == "A token is good for 1 to 365 days."


def test_nothing_at_rest_lets_anybody_in(
    the_site: AppState, client: Client, director: store.AccountRecord, officer: store.AccountRecord
) -> None:
    enter(client, director.name)
    token = asked(client)
    client.post("/sign-out")
    enter(client, officer.name)
    link = login.first_link(the_site)
    secrets = [token.json()["issued"], client.cookies["palmares"], GOOD, link, officer.secret]
    with the_site.database.reading() as connection:
        rows = [
            str(tuple(row))
            for table in (ACCOUNTS, SESSIONS, TOKENS, LINKS)
            for row in connection.execute(table.select())
        ]
    assert len(rows) > 4
    assert not [one for one in rows for secret in secrets if secret and secret in one]


def test_a_secret_of_codes_is_sealed_with_the_sites_own() -> None:
    secret = credentials.new_secret()
    one, other = credentials.seal("0" * 64, secret), credentials.seal("0" * 64, secret)
    assert one != other
    assert credentials.unseal("0" * 64, one) == credentials.unseal("0" * 64, other) == secret
    assert credentials.unseal("1" * 64, one) != secret
