"""A streaming fund: an officer's sums, the books, refusals in words, donors who are forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import FactsRejected, Refused, RuleError
from palmares.fund import actions
from palmares.fund.books import FUND, Books, beancount, members_to_write_to, streamed_players
from palmares.fund.policy import policy
from palmares.fund.statement import FundStatement, fund_statement, plan
from palmares.journal.commands import decisions
from palmares.journal.commands.decisions import undo
from palmares.journal.commands.transaction import Action, record_entries
from palmares.journal.projection.project import State, apply_to_state
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import (
    START,
    Actor,
    Draft,
    Entry,
    SupportDecision,
    SupportRequest,
    Transfer,
    chain,
    draft,
)
from palmares.journal.store.journal import Journal, create_journal, now
from palmares.journal.store.verify import verify
from palmares.regulations.editions import rules_directory
from tests.journal import statements as say

OFFICER = Actor("Rita Officer", "officer")
ASKED, START_DAY, END = date(2019, 11, 1), date(2019, 11, 15), date(2019, 11, 17)
DAYS = ("2019-11-15", "2019-11-16")
LATER = date(2019, 12, 31)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = create_journal(str(tmp_path / "federation.db"))
    yield opened
    opened.close()


def record(journal: Journal, *all_actions: Action) -> None:
    for action in all_actions:
        record_entries(journal, OFFICER, action)


def asked(tournament: str = "open") -> Action:
    return actions.ask(
        tournament, DAYS, ASKED, contributions=["internet"], name="Open", start=START_DAY, end=END
    )


def granted(tournament: str = "open", **amounts: str) -> Action:
    return actions.decide(tournament, "grant", "Executive Director", "Prime", ASKED, **amounts)


def statement_of(journal: Journal, as_of: date = LATER) -> FundStatement:
    return fund_statement(policy(), Books(load_projection(journal).state, as_of))


def refused(journal: Journal, action: Action) -> tuple[str, str]:
    """The code and the words of a refusal; nothing was recorded."""
    head = journal.head()
    with pytest.raises(FactsRejected) as caught:
        record(journal, action)
    assert journal.head() == head
    (problem,) = caught.value.problems
    return problem.code, problem.what


@pytest.fixture
def supported(journal: Journal) -> Journal:
    record(
        journal,
        asked(),
        granted(),
        actions.donate("100", "letter-before", ASKED, tournament="open", donor="Jane Doe",
                       named="yes"),
        actions.donate("50", "tip-jar", END, tournament="open"),
        actions.donate("30", "letter-after", date(2019, 11, 20), tournament="open"),
        actions.pay("open", "streamer", "100", END),
        actions.pay("open", "baggage", "50", END),
        actions.contribute("open", "internet", "75.50", END),
    )  # fmt: skip
    return journal


# ── statements ───────────────────────────────────────────────────────────────────────────────────


def test_an_officer_sums_two_days(supported: Journal) -> None:
    """Two days at 50 are 100, and 50 for baggage; of 180 raised, 30 carry over."""
    (of_open,) = statement_of(supported).tournaments
    assert of_open.cents("raised") == 100_00 + 50_00 + 30_00
    assert (of_open.cents("guarantee"), of_open.cents("baggage")) == (2 * 50_00, 50_00)
    assert of_open.cents("expenses") == 100_00 + 50_00
    assert (of_open.cents("paid"), of_open.cents("owed")) == (150_00, 0)
    assert of_open.cents("contributed") == 75_50
    assert of_open.cents("carried_over") == 180_00 - 150_00
    parts = {each.part: each.cents for each in of_open.figures if each.name == "raised"}
    assert parts == {"": 180_00, "letter-after": 30_00, "letter-before": 100_00, "tip-jar": 50_00}


def test_every_figure_has_its_clause_in_the_texts_words(supported: Journal) -> None:
    (of_open,) = statement_of(supported).tournaments
    by_name = {each.name: each for each in of_open.figures if not each.part}
    assert by_name["guarantee"].clause == "usbgf-streaming guarantee"
    assert by_name["guarantee"].working == "2 × 50 = 100.00"
    assert "guarantee a minimum payment to Streamer" in by_name["guarantee"].says
    assert by_name["carried_over"].working == "180 − 150 = 30.00"
    assert by_name["carried_over"].readings == ("S6", "S7")
    assert all(each.says for each in of_open.figures)


def test_a_statement_is_as_of_a_day(supported: Journal) -> None:
    before = statement_of(supported, ASKED)
    (of_open,) = before.tournaments
    assert of_open.cents("carried_over") == 100_00 - 150_00
    assert (before.cash, before.owed, before.available) == (100_00, 150_00, -50_00)
    assert statement_of(supported, date(2019, 10, 31)).tournaments == ()


def test_the_fund_is_the_sum_of_what_was_given_and_carried_over(supported: Journal) -> None:
    record(supported, asked("club"), granted("club"), actions.donate("500", "other", ASKED))
    fund = statement_of(supported)
    assert [one.cents("carried_over") for one in fund.tournaments] == [30_00, -150_00]
    assert (fund.general, fund.available) == (500_00, 500_00 + 30_00 - 150_00)
    assert (fund.cash, fund.owed) == (530_00, 150_00)


def test_a_plan_says_what_is_missing(supported: Journal) -> None:
    books = Books(load_projection(supported).state, LATER)
    made = plan(policy(), books, 3)
    assert (made.cost, made.available, made.borne, made.missing) == (200_00, 30_00, False, 170_00)
    record(supported, actions.donate("170", "other", ASKED))
    made = plan(policy(), Books(load_projection(supported).state, LATER), 3)
    assert (made.borne, made.missing) == (True, 0)


def test_a_decision_may_name_amounts_and_is_made_again(supported: Journal) -> None:
    """Readings S1 and S4: 'e.g.' and 'estimated'."""
    record(supported, granted(guarantee="120", baggage="65.25"))
    (of_open,) = statement_of(supported).tournaments
    assert of_open.cents("expenses") == 120_00 + 65_25
    assert of_open.cents("owed") == 20_00 + 15_25
    assert of_open.cents("carried_over") == 180_00 - 185_25


def test_a_correction_is_an_entry(supported: Journal) -> None:
    record(supported, undo(4, "counted twice"))
    (of_open,) = statement_of(supported).tournaments
    assert of_open.cents("raised") == 130_00
    with supported.reading() as reader:
        assert reader.entry(4).kind == "transfer"


def test_money_of_another_currency_is_converted_once(journal: Journal) -> None:
    """1 EUR was 1.1139 USD on 1 November 2019, says the European Central Bank."""
    record(journal, actions.donate("92", "other", ASKED, currency="eur"))
    (row,) = Books(load_projection(journal).state, LATER).transfers(FUND)
    assert row[1].cents == 102_48  # 92 × 1.1139 = 102.4788
    assert row[1].given == "92.00 EUR (euro / European Central Bank, 2019-11-01)"


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "code", "words"),
    [
        (actions.pay("open", "baggage", "0.01", END), "fund-approved",
         "0.01 would be paid for baggage, and 0.00 is approved and not paid yet"),
        (actions.donate("-5", "tip-jar", END), "fund-amount", "-5 is no amount above 0"),
        (actions.donate("0.00", "tip-jar", END), "fund-amount", "0.00 is no amount above 0"),
        (actions.donate("1.005", "tip-jar", END), "fund-amount", "1.005 is no amount above 0"),
        (actions.decide("open", "grant", "President", "Prime", ASKED, baggage="-1"), "fund-amount",
         "-1 is no amount with at most two decimals"),
        (actions.decide("open", "Grant", "President", "Prime", ASKED), "fund-outcome",
         "Grant is none of these: grant, refuse"),
        (actions.pay("open", "travel", "1", END), "fund-use",
         "travel is none of these: streamer, baggage"),
        (actions.donate("5", "jar", END), "fund-source", "jar is none of these: letter-before"),
        (actions.donate("5", "tip-jar", END, currency="XAF"), "fund-currency",
         "no exchange rate of XAF is known on 2019-11-17"),
        (actions.donate("5", "tip-jar", END, tournament="opne"), "fund-tournament",
         "there is no tournament opne. Did you mean open?"),
        (actions.streamed("open", date(2019, 11, 18), []), "fund-day",
         "2019-11-18 is no day of this tournament, which is from 2019-11-15 to 2019-11-17"),
        (actions.ask("open", ["2019-11-14"], ASKED, name="Open", start=START_DAY, end=END),
         "fund-day", "2019-11-14 is no day of this tournament"),
        (actions.ask("open", ["soon"], ASKED, name="Open", end=END), "fund-day", "soon is no day"),
        (actions.ask("open", DAYS, ASKED, name="Open", end=END, start=START_DAY,
                     contributions=["cake"]), "fund-contribution", "cake is none of these"),
        (actions.ask("new", DAYS, ASKED), "fund-tournament", "there is no tournament new"),
        (actions.contribute("open", "per-entrant", "5", END), "fund-contribution",
         "per-entrant is none of these"),
        (actions.decide("open", "refuse", "President", "no staff", ASKED), "fund-paid",
         "0.00 would be approved for streamer, and 100.00 is paid already"),
        (actions.decide("open", "grant", "President", "Prime", date(2015, 4, 6)), "fund-edition",
         "the policy is not in force on 2015-04-06"),
        (actions.forget_donor("John Roe", "asked"), "fund-donor", "no donation has the name"),
    ],
)  # fmt: skip
def test_what_cannot_be_recorded_is_refused_in_words(
    supported: Journal, action: Action, code: str, words: str
) -> None:
    given_code, what = refused(supported, action)
    assert given_code == code
    assert words in what


def test_nothing_is_decided_that_nobody_asked_for(journal: Journal) -> None:
    record_entries(journal, OFFICER, asked())
    assert refused(journal, granted("club"))[0] == "fund-request"


@pytest.mark.parametrize(("tournament", "name"), [("club", "\u202eOpen"), ("\u202eclub", "Open")])
def test_an_unreported_tournament_has_a_visible_name_and_id(
    journal: Journal, tournament: str, name: str
) -> None:
    ask = actions.ask(tournament, DAYS, ASKED, name=name, start=START_DAY, end=END)
    with pytest.raises(Refused, match="contains the invisible character U\\+202E"):
        record(journal, ask)


def test_nothing_is_paid_before_a_decision(journal: Journal) -> None:
    record(journal, asked())
    assert refused(journal, actions.pay("open", "streamer", "1", END))[0] == "fund-approved"


def test_nothing_is_paid_on_a_day_before_the_decision(journal: Journal) -> None:
    record(journal, asked(), granted())
    early = actions.pay("open", "streamer", "1", ASKED - timedelta(days=1))
    assert refused(journal, early)[0] == "fund-approved"


def test_an_earlier_payment_leaves_enough_for_later_ones(journal: Journal) -> None:
    record(journal, asked(), granted(), actions.pay("open", "streamer", "60", END))
    assert refused(journal, actions.pay("open", "streamer", "41", START_DAY))[0] == "fund-approved"
    record(journal, actions.pay("open", "streamer", "40", START_DAY))


def test_a_decision_may_grant_nothing_for_baggage(journal: Journal) -> None:
    record(journal, asked(), granted(baggage="0"))
    (of_open,) = statement_of(journal).tournaments
    assert (of_open.cents("guarantee"), of_open.cents("baggage")) == (100_00, 0)


def test_amounts_of_a_refused_support_are_refused(journal: Journal) -> None:
    record(journal, asked())
    no = actions.decide("open", "refuse", "President", "no staff", ASKED, guarantee="100")
    with pytest.raises(Refused, match="granted only with support"):
        record(journal, no)


def test_a_donor_who_may_be_named_has_a_name(journal: Journal) -> None:
    with pytest.raises(Refused, match="donor who may be named"):
        record(journal, actions.donate("5", "tip-jar", END, named="yes"))


@pytest.mark.parametrize("year", [1, 201])
def test_money_of_a_mistyped_year_is_refused(supported: Journal, year: int) -> None:
    long_ago = date(year, 11, 15)
    for action in (
        actions.donate("5", "tip-jar", long_ago, tournament="open", currency="EUR"),
        actions.pay("open", "streamer", "1", long_ago),
    ):
        code, what = refused(supported, action)
        assert (code, f"{long_ago} is before the year 1900" in what) == ("fund-when", True)


def test_money_of_a_day_to_come_is_refused(supported: Journal) -> None:
    """'Future-dated donation is accepted and missing from today's statement'"""
    tomorrow = now().date() + timedelta(days=1)
    for action in (
        actions.donate("5", "tip-jar", tomorrow, tournament="open"),
        actions.pay("open", "streamer", "1", tomorrow),
        actions.contribute("open", "internet", "5", tomorrow),
    ):
        code, what = refused(supported, action)
        assert (code, f"{tomorrow} is in the future" in what) == ("fund-when", True)
    record(supported, actions.donate("5", "tip-jar", now().date(), tournament="open"))


def test_a_decision_of_a_day_to_come_is_refused(supported: Journal) -> None:
    tomorrow = now().date() + timedelta(days=1)
    for action in (
        actions.ask("open", DAYS, tomorrow, name="Open", start=START_DAY, end=END),
        actions.decide("open", "grant", "President", "Prime", tomorrow),
    ):
        code, what = refused(supported, action)
        assert (code, f"{tomorrow} is in the future" in what) == ("fund-decided", True)


def test_a_reported_tournament_is_not_renamed_by_a_request(journal: Journal) -> None:
    journal.record([say.player("P1"), say.report("cup", {"P1": 1}, day="2019-11-17")], OFFICER)
    own = actions.ask("cup", ["2019-11-17"], ASKED, name="cup Open", end=END)
    record(journal, own, actions.ask("cup", ["2019-11-17"], ASKED))
    for other in ({"name": "Autumn Cup"}, {"end": date(2019, 11, 18)}, {"start": ASKED}):
        code, what = refused(journal, actions.ask("cup", ["2019-11-17"], ASKED, **other))
        assert code == "fund-reported"
        assert "the report of this tournament says cup Open, from 2019-11-17 to" in what


def test_a_tournament_that_ends_before_it_begins_is_refused(journal: Journal) -> None:
    backward = actions.ask("open", DAYS, ASKED, name="Open", start=END, end=START_DAY)
    assert refused(journal, backward) == ("fund-day", "its first day is after its last")


def test_the_same_donation_again_is_recorded_with_a_notice(supported: Journal) -> None:
    again = actions.donate("50", "tip-jar", END, tournament="open")
    (notice,) = record_entries(supported, OFFICER, again).notices
    assert (notice.code, str(notice.at)) == ("fund-twice", "entry 4")
    other = actions.donate("50.01", "tip-jar", END, tournament="open")
    assert record_entries(supported, OFFICER, other).notices == ()


def test_a_grant_whose_money_is_paid_is_not_undone(supported: Journal) -> None:
    """Entry 2 grants, entry 3 pays: without the grant, money would be paid that nobody granted."""
    with supported.reading() as reader:
        paid = [entry.sequence for entry in reader.of_kinds(["transfer"])
                if entry.read()["flow"] == "payment"]  # fmt: skip
    with pytest.raises(Refused, match="Undo the payment first"):
        record(supported, undo(2, "by mistake"))
    record(supported, *(undo(entry, "by mistake") for entry in paid))
    record(supported, undo(2, "by mistake"))
    with supported.reading() as reader:
        undone = [entry.sequence for entry in reader.of_kinds(["undo"])]
    with pytest.raises(Refused, match="Record it again"):
        record(supported, undo(undone[0], "it was paid"))
    record(
        supported, undo(undone[-1], "it was granted"), actions.pay("open", "streamer", "1", LATER)
    )
    assert Books(load_projection(supported).state, LATER).paid("open") == 1_00


def test_a_lower_grant_that_was_undone_does_not_come_back_below_what_is_paid(
    journal: Journal,
) -> None:
    record(journal, asked(), granted(guarantee="120"), granted(guarantee="20"), undo(3, "a typo"))
    record(journal, actions.pay("open", "streamer", "100", LATER))
    with pytest.raises(Refused, match="Money of this grant is paid, by entry 5"):
        record(journal, undo(4, "no typo"))


def test_what_was_overpaid_is_neither_available_nor_set_against_other_debts(
    supported: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """180 raised and 150 paid leave 30; 150 are owed for the club, and an undone decision's 150
    are not. An earlier palmares recorded it so."""
    monkeypatch.setattr(decisions, "refuse_unpaid", lambda *_: None)
    record(supported, asked("club"), granted("club"), undo(2, "by mistake"))
    fund = statement_of(supported)
    assert (fund.cash, fund.owed, fund.available) == (30_00, 150_00, 30_00 - 150_00)
    assert [each.tournament for each in fund.tournaments if each.is_overpaid] == ["open"]


# ── people ───────────────────────────────────────────────────────────────────────────────────────


def test_a_donor_is_forgotten_and_never_becomes_a_player(supported: Journal) -> None:
    projection = load_projection(supported)
    assert projection.tables["players"].is_empty()
    with supported.reading() as reader:
        assert [*reader.records().values()] == ['{"name":"Jane Doe"}']
        assert b"Jane" not in b"".join(entry.line() for entry in reader.entries())
    with pytest.raises(Refused, match="The reason is kept, and has the name"):
        record(supported, actions.forget_donor("Jane Doe", "Jane Doe asked"))
    record(supported, actions.forget_donor(" jane  DOE", "asked"))
    with supported.reading() as reader:
        assert reader.records() == {}
        assert verify(reader).erased == 1
    assert statement_of(supported).tournaments[0].cents("raised") == 180_00


def test_letters_go_to_members_of_the_day_and_to_players_who_were_streamed(
    journal: Journal,
) -> None:
    people = [say.player("P1", "Ada Novak"), say.player("P2", "Bo Silent", withheld=True)]
    membership = {"federation": "usbgf", "level": None, "start": "2019-01-01", "end": "2019-12-31"}
    members = [
        Draft(kind="membership", subject=one.subject, body={"player_id": one.subject, **membership})
        for one in people
    ]
    journal.record([*people, *members], OFFICER)
    record(journal, asked(), actions.streamed("open", START_DAY, ["Ada Novak", "P2"]))
    record(journal, actions.streamed("open", END, ["P1"]))
    projection = load_projection(journal)
    for federation in ("usbgf", "USBGF"):  # as who is eligible is looked up
        to = members_to_write_to(projection, END, federation)
        assert to["player"].to_list() == ["Ada Novak"]
    assert members_to_write_to(projection, date(2020, 1, 1)).is_empty()
    before = Books(projection.state, START_DAY)
    assert list(before.streamed("open")) == [START_DAY]
    assert streamed_players(projection, "open").rows() == [
        ("P1", "Ada Novak", None, "2019-11-15, 2019-11-17")
    ]


# ── the books ────────────────────────────────────────────────────────────────────────────────────


def test_beancount_reads_the_books(supported: Journal) -> None:
    postings = Books(load_projection(supported).state, LATER).all_postings()
    lines = list(beancount(postings, "USD"))
    at = lines.index('2019-11-17 * "payment: streamer"')
    assert lines[at : at + 5] == [
        '2019-11-17 * "payment: streamer"',
        "  entry: 6",
        '  tournament: "open"',
        "  Liabilities:Streamer  100.00 USD",
        "  Assets:Fund  -100.00 USD",
    ]
    assert "2019-11-01 open Assets:Fund USD" in lines


TOURNAMENTS = ("open", "club", FUND)
DAY = st.integers(0, 60).map(lambda later: ASKED + timedelta(days=later))
CENTS = st.integers(1, 10**7)
FLOWS: list[tuple[Any, str]] = [
    ("donation", "tip-jar"),
    ("donation", "other"),
    ("payment", "streamer"),
    ("payment", "baggage"),
    ("contribution", "internet"),
]


@st.composite
def bodies(draw: st.DrawFn) -> list[tuple[str, Any]]:
    """Requests and decisions, one a tournament, and any money."""
    found: list[tuple[str, Any]] = []
    for tournament in TOURNAMENTS[:2]:
        if draw(st.booleans()):
            found.append((tournament, SupportRequest(
                day=draw(DAY), name=tournament, start=START_DAY, end=END, streaming=[END],
                contributions=[],
            )))  # fmt: skip
            found.append((tournament, SupportDecision(
                day=draw(DAY), granted=True, by="Director", reason="r", edition="e",
                guarantee=draw(CENTS), baggage=draw(CENTS),
            )))  # fmt: skip
    for _ in range(draw(st.integers(0, 12))):
        flow, what = draw(st.sampled_from(FLOWS))
        tournament = draw(st.sampled_from(TOURNAMENTS if flow == "donation" else TOURNAMENTS[:2]))
        found.append((tournament, Transfer(
            flow=flow, day=draw(DAY), what=what, cents=draw(CENTS), currency="USD",
        )))  # fmt: skip
    return found


def state_of(stated: Sequence[tuple[str, Any]]) -> State:
    head, entries = START, list[Entry]()
    for subject, body in stated:
        entries.append(chain(draft(subject, body), OFFICER, head, now()))
        head = entries[-1].head
    return apply_to_state(State(), entries)[0] if entries else State()


def figures(fund: FundStatement) -> dict[str, Any]:
    """All amounts of a statement, without the numbers of entries."""
    of_tournaments = {
        one.tournament: sorted((each.name, each.part, each.cents) for each in one.figures)
        for one in fund.tournaments
    }
    return {"fund": (fund.cash, fund.owed, fund.general, fund.available), **of_tournaments}


@given(bodies(), st.randoms(use_true_random=False), DAY)
def test_any_order_of_entries_gives_the_same_statement(
    stated: list[tuple[str, Any]], random: Any, as_of: date
) -> None:
    shuffled = list(stated)
    random.shuffle(shuffled)
    one, other = (fund_statement(policy(), Books(state_of(s), as_of)) for s in (stated, shuffled))
    assert figures(one) == figures(other)


@given(bodies(), DAY)
def test_every_entry_sums_to_zero_and_what_is_carried_over_adds_up(
    stated: list[tuple[str, Any]], as_of: date
) -> None:
    books = Books(state_of(stated), as_of)
    by_entry: dict[int, int] = {}
    for posting in books.all_postings():
        by_entry[posting.entry] = by_entry.get(posting.entry, 0) + posting.cents
    assert set(by_entry.values()) <= {0}
    fund = fund_statement(policy(), books)
    carried = sum(one.cents("carried_over") for one in fund.tournaments)
    overpaid = sum(max(0, -each.cents("owed")) for each in fund.tournaments)
    assert fund.general + carried - overpaid == fund.available == fund.cash - fund.owed
    cash = sum(each.cents for each in books.all_postings() if each.account == "Assets:Fund")
    assert cash == fund.cash


# ── another federation ───────────────────────────────────────────────────────────────────────────


def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *changes: tuple[str, str]) -> Path:
    """An edition file that is not the USBGF's, some of its words changed."""
    folder = tmp_path / "our-fund"
    folder.mkdir()
    file = folder / "2015-04.toml"
    text = (rules_directory() / "usbgf-streaming" / file.name).read_text("utf-8")
    for old, new in (
        ("usbgf-streaming", "our-fund"), ("USD", "GBP"), ("is = 50", "is = 40"), *changes,
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, "utf-8")
    monkeypatch.setenv("PALMARES_FUND", str(folder))
    return file


def test_another_federation_has_its_own_amounts(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(tmp_path, monkeypatch)
    record(journal, asked(), granted(), actions.donate("100", "tip-jar", END, tournament="open"))
    fund = statement_of(journal)
    assert fund.currency == "GBP"
    assert fund.tournaments[0].cents("carried_over") == 100_00 - 2 * 40_00 - 40_00
    assert fund.tournaments[0].figures[0].clause == "our-fund fund-raising"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("GBP for a tournament", "EUR for a tournament", "constant baggage is in EUR"),
        ("GBP for a day", "pounds for a day", "its unit begins with pounds, and no currency"),
        ("is = 40", 'is = "1/3"', "is no amount in whole cents"),
        ("carried-over", "carried", "there is no clause carried-over"),
        ("source-", "from-", "there is no clause source-"),
    ],
)
def test_an_edition_file_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, fault: str
) -> None:
    own(tmp_path, monkeypatch, (old, new))
    with pytest.raises(RuleError, match=fault):
        policy()


def test_an_unknown_key_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = own(tmp_path, monkeypatch, ("author ", "autor "))
    lines = file.read_text("utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "autor" in text)
    with pytest.raises(RuleError, match=rf"2015-04.toml:{line}: there is no key edition.autor"):
        policy()
