"""The streaming fund as anyone sees it, and as officers record it."""

from __future__ import annotations

from datetime import date

import pytest

from palmares.fund import actions
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.journal import Journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import AsRole, Client

ASKED, END = date(2019, 11, 1), date(2019, 11, 17)


def supported(journal: Journal, tournament: str = "open/2019", name: str = "Open 2019") -> int:
    """Record a tournament with two days of streaming; the entry of the first donation."""
    journal.record([say.player("P90", "Ada Donor"), say.player("P91", "Bo Silent")], OFFICER)
    donation = 0
    for action in (
        actions.ask(
            tournament, ["2019-11-15", "2019-11-16"], ASKED, contributions=["internet"], name=name,
            start=date(2019, 11, 15), end=END,
        ),
        actions.decide(tournament, "grant", "Executive Director", "Prime", ASKED),
        actions.donate("100", "letter-before", ASKED, tournament=tournament, donor="Jane Doe",
                       named="yes"),
        actions.donate("50", "tip-jar", END, tournament=tournament, player="P90", named="yes"),
        actions.donate("30", "tip-jar", END, tournament=tournament, player="P91"),
        actions.pay(tournament, "streamer", "100", END),
    ):  # fmt: skip
        entry = record_entries(journal, OFFICER, action).entries[0]
        donation = donation or entry.sequence * (entry.kind == "transfer")
    return donation


def test_a_statement_names_donors_who_agreed(journal: Journal, client: Client) -> None:
    donation = supported(journal)
    page = client.get("/fund/open/2019").text
    assert "Jane Doe" in page
    assert "Ada Donor" in page
    assert "Bo Silent" not in page
    assert "1 donation of someone who is not named." in page
    data = client.get("/api/v1/fund/open%2F2019").json()
    assert [donor["name"] for donor in data["donors"]] == ["Jane Doe", "Ada Donor"]
    carried = data["figures"][-1]
    assert (carried["name"], carried["cents"]) == ("carried_over", 180_00 - 150_00)
    assert (carried["clause"], carried["working"]) == (
        "usbgf-streaming carried-over", "180 − 150 = 30.00",
    )  # fmt: skip

    record_entries(journal, OFFICER, actions.forget_donor(str(donation), "asked"))
    assert "Jane Doe" not in client.get("/fund/open/2019").text
    assert client.get("/api/v1/fund/open%2F2019").json()["unnamed"] == 2


def test_a_player_whose_name_is_withheld_is_no_named_donor(
    journal: Journal, client: Client
) -> None:
    supported(journal)
    journal.record([say.player("P90", "Ada Donor", withheld=True)], OFFICER)
    assert "Ada Donor" not in client.get("/fund/open/2019").text


def test_the_fund_names_its_own_donors_who_agreed(journal: Journal, client: Client) -> None:
    """Donations for a tournament are on its own page."""
    supported(journal)
    assert "Donors" not in client.get("/fund").text
    for donor, named in (("Kim Roe", "yes"), ("Max Mum", "")):
        given = actions.donate("20", "tip-jar", END, donor=donor, named=named)
        record_entries(journal, OFFICER, given)
    page = client.get("/fund").text
    assert "Donors to the fund itself" in page
    assert "Kim Roe" in page
    assert "Max Mum" not in page
    assert "Jane Doe" not in page
    assert "1 donation of someone who is not named." in page
    data = client.get("/api/v1/fund").json()
    assert ([donor["name"] for donor in data["donors"]], data["unnamed"]) == (["Kim Roe"], 1)


def test_the_fund_lists_tournaments_and_plans_one(journal: Journal, client: Client) -> None:
    assert "Nothing is recorded yet." in client.get("/fund").text
    supported(journal)
    data = client.get("/api/v1/fund", params={"days": 1}).json()
    assert (data["cash"], data["owed"], data["available"]) == (80_00, 50_00, 30_00)
    assert (data["plan"]["cost"], data["plan"]["missing"]) == (100_00, 70_00)
    page = client.get("/fund", params={"days": 1}).text
    assert "It may cost 100.00 USD. 70.00 USD must be raised first." in page
    assert "Open 2019" in page
    assert client.get("/api/v1/fund", params={"as_of": "2019-10-31"}).json()["tournaments"] == []


def test_a_day_that_was_asked_for_stays_in_links(journal: Journal, client: Client) -> None:
    supported(journal)
    page = client.get("/fund?as_of=2019-11-05").text
    assert 'href="/fund/open%2F2019?as_of=2019-11-05"' in page
    assert 'name="as_of" value="2019-11-05"' in page
    assert 'href="/fund?as_of=2019-11-05"' in client.get("/fund/open/2019?as_of=2019-11-05").text
    assert 'href="/fund/open%2F2019"' in client.get("/fund").text


def test_a_plan_before_the_policy_says_why_there_is_none(client: Client) -> None:
    """The policy is of April 2015."""
    page = client.get("/fund?days=2&as_of=2015-03-31")
    assert page.status_code == 200
    assert "No edition of usbgf-streaming is in force on 2015-03-31." in page.text
    data = client.get("/api/v1/fund?days=2&as_of=2015-03-31").json()
    assert (data["plan"], data["plan_problem"] != "") == (None, True)


def test_an_unknown_statement_is_not_found(client: Client) -> None:
    assert client.get("/fund/nowhere").status_code == 404


@pytest.mark.parametrize("role", ["officer"])
def test_an_officer_records_a_donation_at_the_desk(
    journal: Journal, as_role: AsRole, role: str
) -> None:
    supported(journal)
    officer = as_role(role)
    assert "Record a donation" in officer.get("/officer").text
    form = {"value": "12.50", "source": "tip-jar", "day": "2019-11-17", "tournament": "open/2019"}
    preview = officer.post("/officer/decisions/fund-donate", data=form).text
    assert "donation 12.50 USD, tip-jar, 17 November 2019" in preview
    digest = preview.split('name="digest" value="')[1].split('"')[0]
    done = officer.post("/officer/decisions/fund-donate", data={**form, "digest": digest})
    assert done.status_code in (200, 303)
    assert officer.get("/api/v1/fund").json()["cash"] == 80_00 + 12_50


def test_a_wrong_amount_is_refused_at_the_desk(journal: Journal, as_role: AsRole) -> None:
    supported(journal)
    form = {"value": "60", "use": "baggage", "day": "2019-11-17", "tournament": "open/2019"}
    page = as_role("officer").post("/officer/decisions/fund-pay", data=form).text
    assert "60.00 would be paid for baggage, and 50.00 is approved and not paid yet" in page


def test_directors_may_not_record_money(as_role: AsRole) -> None:
    assert as_role("director").get("/officer/decisions/fund-pay").status_code == 403
