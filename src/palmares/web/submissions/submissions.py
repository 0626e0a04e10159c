"""
Reports on their way to the journal, as directors and officers change them.

Nothing of a submission is in the journal until it is approved; then the entry and the approval are
one transaction. Each change names the version that it is based on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import msgspec
import polars as pl
import sqlalchemy as sa

from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import msg
from palmares.facts.text import plain, visible
from palmares.formats import BOOK
from palmares.journal.commands.transaction import Action, Transaction
from palmares.journal.projection.bodies import player_ids
from palmares.journal.store.entries import PersonalData, tables_of
from palmares.web.accounts.store import LARGEST_ID
from palmares.web.database import ACCOUNTS, NOTES, SUBMISSIONS, day_of
from palmares.web.http.errors import Conflict
from palmares.web.submissions.parse import GONE, LONGEST, ParsedReport, headline, read, titled

OPEN = ("draft", "returned")
"""States in which its director changes it."""
MOVES: Mapping[str, tuple[str, ...]] = {
    "draft": ("submitted", "withdrawn"),
    "submitted": ("draft", "returned", "rejected", "approved", "withdrawn"),
    "returned": ("submitted", "withdrawn"),
    "rejected": (),
    "approved": (),
    "withdrawn": (),
}
"""From each state to those that may follow it."""
MOST_UNSETTLED = 200
"""Submissions that an account may have and are not approved, rejected or withdrawn."""


AGAIN = 300
"""Seconds in which the same contents, sent once more, are not another report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """Who its names are, and the entries that it replaces."""

    names: Mapping[str, str] = field(default_factory=dict)  # as written -> an id, or "new"
    replaces: tuple[int, ...] = ()
    tournament: Mapping[str, str] = field(
        default_factory=dict
    )  # what contents do not say; empty: it was asked


NOTHING = Matches()
_RECENT = 10
"""Reports in which the game of the next one is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A report on its way, as it is now."""

    id: int
    account: int
    author: str  # the name of the account
    created: int
    updated: int
    state: str
    version: int
    filename: str
    format: str  # of palmares.formats.KINDS
    content: bytes  # of palmares.web.submissions.parse.GONE: the number of the entry that erased it
    matches: Matches
    reason: str | None  # why it was returned or rejected
    entry: int | None  # of the journal, once approved


class Stale(Conflict):
    """It was changed meanwhile."""

    def __init__(self, now: Submission) -> None:
        super().__init__(
            "The report was changed meanwhile; nothing was done."
            f" It is {now.state} now, at version {now.version}."
        )
        self.now = now


_ALL = sa.select(SUBMISSIONS, ACCOUNTS.c.name.label("author")).select_from(
    SUBMISSIONS.join(ACCOUNTS, SUBMISSIONS.c.account == ACCOUNTS.c.id)
)


def create(
    connection: sa.Connection,
    account: int,
    filename: str,
    kind: str,
    content: bytes,
    now: int,
    matches: Matches = NOTHING,
) -> int:
    """A new draft; its number. What was sent a moment ago, as by a second click, is the same draft.

    Raises:
        Refused: the account has too many that are not settled.
    """
    mine = sa.select(sa.func.count()).where(
        SUBMISSIONS.c.account == account, SUBMISSIONS.c.state.in_(("submitted", *OPEN))
    )
    if (connection.execute(mine).scalar() or 0) >= MOST_UNSETTLED:
        raise Refused(
            msg(
                "You have %(kept)s reports that are not settled. Withdraw some first.",
                kept=MOST_UNSETTLED,
            )
        )
    again = sa.select(SUBMISSIONS.c.id).where(
        SUBMISSIONS.c.account == account,
        SUBMISSIONS.c.state == "draft",
        SUBMISSIONS.c.version == 1,
        SUBMISSIONS.c.created > now - AGAIN,
        SUBMISSIONS.c.filename == filename,
        SUBMISSIONS.c.format == kind,
        SUBMISSIONS.c.content == content,
        SUBMISSIONS.c.matches == _written(matches),
    )
    if (existing := connection.execute(again.limit(1)).scalar()) is not None:
        return int(existing)
    inserted = connection.execute(
        sa.insert(SUBMISSIONS).values(
            account=account, created=now, updated=now, state="draft", version=1,
            filename=filename, format=kind, content=content, matches=_written(matches),
        )
    )  # fmt: skip
    return int(inserted.inserted_primary_key[0])  # type: ignore[index]


def find(connection: sa.Connection, number: int) -> Submission | None:
    """One by its number."""
    if not 0 < number <= LARGEST_ID:
        return None
    row = connection.execute(_ALL.where(SUBMISSIONS.c.id == number)).mappings().one_or_none()
    return None if row is None else _read(row)


def read_submission(submission: Submission) -> ParsedReport:
    """A submission as it is read, or its problems."""
    return read(submission.format, submission.content, submission.matches.tournament)


def title_of(submission: Submission) -> str:
    """The name of its tournament, found without reading all of it; else its file or first line.

    What the text says of itself goes before what is said beside it, as when it is read.
    """
    answer = visible(submission.matches.tournament.get("name", "")[:LONGEST].strip())
    contents = submission.format, submission.content
    return titled(*contents) or answer or submission.filename or headline(*contents)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """A report in a list."""

    id: int
    title: str
    author: str
    state: str
    updated: date
    reason: str | None  # why it was returned or rejected
    entry: int | None  # of the journal, once it is approved


def report_row(submission: Submission) -> ReportRow:
    """A report in a list."""
    return ReportRow(
        id=submission.id,
        title=title_of(submission) or msg("Report without a name"),
        author=submission.author,
        state=submission.state,
        updated=day_of(submission.updated),
        reason=submission.reason,
        entry=submission.entry,
    )


def reports_of(
    connection: sa.Connection,
    account: int,
    most: int = 500,
    before: int = LARGEST_ID,
) -> list[Submission]:
    """Those of an account, the latest first.

    Args:
        connection: to the database.
        account: whose they are.
        most: so many.
        before: with lower numbers than this.
    """
    query = _ALL.where(SUBMISSIONS.c.account == account, SUBMISSIONS.c.id < before)
    query = query.order_by(SUBMISSIONS.c.id.desc())
    return [_read(row) for row in connection.execute(query.limit(most)).mappings()]


def usual_game(connection: sa.Connection, account: int) -> str:
    """The game of the latest report that an account submitted; empty if none was chosen for it."""
    mine = sa.select(SUBMISSIONS.c.matches).where(
        SUBMISSIONS.c.account == account,
        SUBMISSIONS.c.state.in_(("submitted", "returned", "approved")),
    )
    rows = connection.execute(mine.order_by(SUBMISSIONS.c.id.desc()).limit(_RECENT)).scalars()
    answers = (msgspec.json.decode(row, type=Matches).tournament for row in rows)
    return next((game for each in answers if (game := each.get("discipline"))), "")


def waiting_reports(connection: sa.Connection) -> list[Submission]:
    """Those that wait for an officer, the oldest first."""
    wanted = _ALL.where(SUBMISSIONS.c.state == "submitted")
    rows = connection.execute(wanted.order_by(SUBMISSIONS.c.updated, SUBMISSIONS.c.id))
    return [_read(row) for row in rows.mappings()]


def save(connection: sa.Connection, changed: Submission, version: int, now: int) -> None:
    """Save other contents or matches of a report that is open; nothing where they are the same.

    Raises:
        Stale: it has another version.
        Refused: there is none, or it was handed in.
    """
    seen = _seen(connection, changed.id, version)
    if seen.state not in OPEN:
        raise Refused(msg("This report is %(state)s and cannot be changed.", state=(seen.state,)))
    values = {name: getattr(changed, name) for name in ("filename", "format", "content", "matches")
              if getattr(changed, name) != getattr(seen, name)}  # fmt: skip
    if values:
        _change(connection, seen, now, **values | {"matches": _written(changed.matches)})


def settle_names(
    connection: sa.Connection, number: int, version: int, names: Mapping[str, str], now: int
) -> None:
    """Choose the players of some names of a waiting report; other choices stay as they are.

    Raises:
        Stale: it has another version.
        Refused: there is none, or it does not wait.
    """
    seen = _seen(connection, number, version)
    _refuse_settled(seen)
    matches = replace(seen.matches, names={**seen.matches.names, **names})
    _change(connection, seen, now, matches=_written(matches))


def _refuse_settled(seen: Submission) -> None:
    if seen.state != "submitted":
        raise Refused(
            msg("This report is %(state)s and does not wait for an officer.", state=(seen.state,))
        )


def move(
    connection: sa.Connection,
    number: int,
    version: int,
    now: int,
    to: str,
    reason: str | None = None,
) -> None:
    """Another state; one that is approved becomes so by `approving` alone.

    Of one that is withdrawn the title stays; its contents are thrown away.

    Raises:
        Stale: it has another version.
        Refused: there is none, or this state does not follow its own.
    """
    seen = _seen(connection, number, version)
    if to not in MOVES[seen.state] or to == "approved":
        raise Refused(
            msg("This report is %(state)s; it cannot become %(to)s.", state=(seen.state,), to=(to,))
        )
    if to == "withdrawn":  # for good: its text is not needed again
        left = {"content": b"", "format": GONE, "matches": _written(NOTHING)}
        _change(connection, seen, now, state=to, reason=reason, filename=title_of(seen), **left)
    else:
        _change(connection, seen, now, state=to, reason=reason)


def approving(action: Action, number: int, version: int, now: int) -> Action:
    """The action, after which the submission is approved by the entry of its report.

    Raises, when it is done:
        Stale: it has another version.
        Refused: it does not wait for an officer.
    """

    def settle(transaction: Transaction) -> None:
        connection = transaction.writer.connection
        seen = _seen(connection, number, version)
        _refuse_settled(seen)
        before = len(transaction.drafts)
        start = transaction.projection.state.sequence + before + 1
        action(transaction)
        entries = [
            start + at
            for at, draft in enumerate(transaction.drafts[before:])
            if draft.kind == "report"
        ]
        _change(connection, seen, now, state="approved", entry=entries[-1] if entries else None)

    return settle


def _seen(connection: sa.Connection, number: int, version: int) -> Submission:
    now = _existing(connection, number)
    if now.version != version:
        raise Stale(now)
    return now


def _existing(connection: sa.Connection, number: int) -> Submission:
    submission = find(connection, number)
    if submission is None:
        raise Refused(msg("There is no such report."))
    return submission


def _change(connection: sa.Connection, seen: Submission, now: int, **values: Any) -> None:
    """Change a report, unless it was changed since it was read."""
    done = connection.execute(
        sa.update(SUBMISSIONS)
        .where(SUBMISSIONS.c.id == seen.id, SUBMISSIONS.c.version == seen.version)
        .values(updated=now, version=seen.version + 1, **values)
    )
    if done.rowcount != 1:
        raise Stale(_existing(connection, seen.id))


def _written(matches: Matches) -> str:
    return msgspec.json.encode(matches).decode()


def _read(row: Mapping[Any, Any]) -> Submission:
    matches = msgspec.json.decode(row["matches"], type=Matches)
    return Submission(**{**row, "matches": matches})


# ── texts in which an erased name stands ─────────────────────────────────────────────────────────

DECIDED = frozenset({"approved", "returned", "rejected", "withdrawn"})
_MARKS = ("\\", "&")
"""What a letter may be written with, in TOML and XML."""


def forget(
    transaction: Transaction, records: Sequence[str], persons: Sequence[PersonalData]
) -> None:
    """Delete decided texts and notes that name an erased person; warn of texts still open.

    Args:
        transaction: of the erasure, which was put down.
        records: ids of the player.
        persons: what was known of them.
    """
    connection = transaction.writer.connection
    if not sa.inspect(connection).has_table(SUBMISSIONS.name):
        return  # there is no site on this journal
    entry = transaction.projection.state.sequence + len(transaction.drafts)
    spelt = plain(pl.Series([person.name for person in persons], dtype=pl.String))
    names = sorted({tuple(words.split()) for words in spelt if words})
    ids = connection.execute(sa.select(SUBMISSIONS.c.id).order_by(SUBMISSIONS.c.id)).scalars()
    for number in ids.all():  # one after another, because each brings its contents
        submission = _existing(connection, number)
        if not (_names_player(transaction, submission, records) or holds(submission, names)):
            continue
        if submission.state in DECIDED:
            _throw_away(connection, submission, names, entry)
            what = msg("its text is thrown away with the name: the report is decided")
            remedy = msg("What it reported stays in the journal.")
        else:
            what = msg("the name stands in its text, which is still on its way")
            remedy = msg("Ask its director to withdraw it, or return it before the name is erased.")
        transaction.notices.append(
            Problem(
                at=Location(f"report {submission.id}"),
                what=what,
                clause="journal erasure",
                remedy=remedy,
            )
        )
    texts = connection.execute(sa.select(NOTES.c.id, NOTES.c.text)).all()
    note_ids = [number for number, text in texts if _have(text.splitlines(), names)]
    connection.execute(sa.delete(NOTES).where(NOTES.c.id.in_(note_ids)))


def holds(submission: Submission, names: Collection[tuple[str, ...]]) -> bool:
    """Whether a line of a submission has all the words of one of some names, as `plain` has them.

    What cannot be read, as a broken workbook, counts as having them.
    """
    answers = submission.matches.tournament.values()
    more_texts = [
        submission.filename,
        submission.reason or "",
        *submission.matches.names,
        *answers,
    ]
    if submission.format == GONE:
        return _have(more_texts, names)
    text = "" if submission.format == BOOK else submission.content.decode("utf-8", "replace")
    if _have([*more_texts, *text.splitlines()], names):
        return True
    if submission.format != BOOK and not any(mark in text for mark in _MARKS):
        return False
    facts = read(submission.format, submission.content, submission.matches.tournament).facts
    return facts is None or _have(facts["players"]["name"].to_list(), names)


def _have(lines: Sequence[str | None], names: Collection[tuple[str, ...]]) -> bool:
    """Whether a line has all the words of a name."""
    texts = pl.Series([line or "" for line in lines], dtype=pl.String)
    there = [frozenset(text.split()) for text in plain(texts)]
    return any(words.issuperset(name) for name in names for words in there)


def _names_player(transaction: Transaction, submission: Submission, records: Sequence[str]) -> bool:
    """Whether its matches, or the entry that it became, name one of some players."""
    if set(submission.matches.names.values()) & set(records):
        return True
    if submission.entry is None:
        return False
    return not player_ids(tables_of(transaction.writer.entry(submission.entry))).isdisjoint(records)


def _throw_away(
    connection: sa.Connection,
    submission: Submission,
    names: Collection[tuple[str, ...]],
    entry: int,
) -> None:
    """Leave of a submission only its title and the entry that erased it."""
    title = title_of(submission)
    reason = submission.reason
    connection.execute(
        sa.update(SUBMISSIONS)
        .where(SUBMISSIONS.c.id == submission.id)
        .values(
            content=str(entry).encode(),
            format=GONE,
            filename="" if _have([title], names) else title,
            matches="{}",
            reason=None if reason is None else "–" if _have([reason], names) else reason,
            version=submission.version + 1,
        )
    )
