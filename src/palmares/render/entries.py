"""Journal entries in words, a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from palmares.core.messages import LocalNumber, begun, chained, msg
from palmares.core.rounding import money_text
from palmares.facts.schema import FLIGHTS, TABLES
from palmares.facts.text import printable
from palmares.journal.projection.bodies import row_count
from palmares.journal.projection.project import Delta, Projection, canonical_ids
from palmares.journal.store.entries import (
    KINDS,
    Apart,
    DrawAnnouncement,
    DrawReveal,
    Entry,
    Erasure,
    EventNotice,
    Levels,
    Membership,
    Merge,
    Override,
    Player,
    PublicationHead,
    Race,
    Rate,
    Report,
    Streamed,
    SupportDecision,
    SupportRequest,
    Transfer,
    Undo,
    Withdrawal,
    body_of,
)

Names = Mapping[str, str]
"""Names of players, tournaments and events, by id."""


def describe_entry(  # noqa: C901, PLR0911, PLR0912  one case a kind
    entry: Entry, names: Names, undone: Mapping[int, Entry] | None = None
) -> str:
    """An entry in one line.

    Args:
        entry: of any kind.
        names: by id.
        undone: entries by number: an undo of one of them says what it undid.

    Raises:
        Refused: it has a shape that we do not know.
    """
    subject, body = entry.subject, body_of(entry, Report if entry.kind == "report" else None)
    player = name_and_id(subject, names)
    match body:
        case Report():
            return _report(body)
        case Withdrawal():
            return f"withdrew {player}: {printable(body.reason)}"
        case Player():  # by the name in this entry, if its seal is among the names
            name = names.get(body.person or "", names.get(subject, subject))
            nation = f" ({body.nation})" if body.nation else ""
            return f"{name_and_id(subject, {subject: name})}{nation}{', withheld' * body.withheld}"
        case Membership():
            return f"{player}: {_membership(body)}"
        case Merge():
            return f"merged {player} into {name_and_id(body.into, names)}: {printable(body.reason)}"
        case Apart():
            players = " and ".join(name_and_id(each, names) for each in body.players)
            return f"kept {players} apart: {printable(body.reason)}"
        case Rate():
            return _rate(subject, body)
        case Override():
            return f"{words_of_override(subject, body, names)}; {printable(body.reason)}"
        case Undo():
            return _undo(body, names, undone or {})
        case Erasure():
            return f"erased a name, {player}: {printable(body.reason)}"
        case Race():
            return f"{printable(subject)}: {printable(body.name)}"
        case Levels():
            levels = ", ".join(printable(level.name) for level in body.levels)
            return f"{printable(subject)}: {levels}"
        case DrawAnnouncement() | DrawReveal() | EventNotice():
            return f"{printable(subject)}: {_announced(body)}"
        case SupportRequest() | SupportDecision() | Streamed() | Transfer():
            return _fund(subject, body, names)
        case _:
            return _publication(subject, body)


def _membership(body: Membership) -> str:
    until = f" to {body.end}" if body.end else ""
    level = f", {printable(body.level)}" if body.level else ""
    return f"{printable(body.federation)} from {body.start}{until}{level}"


def _undo(body: Undo, names: Names, undone: Mapping[int, Entry]) -> str:
    """An undo, with what it undid where that entry is at hand."""
    words = f"undid entry {body.undoes}: {printable(body.reason)}"
    if body.undoes not in undone:
        return words
    return f"{words} ({describe_entry(undone[body.undoes], names)})"


def _announced(body: DrawAnnouncement | DrawReveal | EventNotice) -> str:
    """What was announced of an event, and what it replaces."""
    if isinstance(body, DrawReveal):
        return f"randomness of announcement {body.announcement[:12]}"
    again = f"; replaces {body.replaces[:12]}" if body.replaces else ""
    if isinstance(body, DrawAnnouncement):
        return f"announcement {body.sha256[:12]}{again}"
    return f"notice {body.sha256[:12]}{again}{again and f': {printable(body.reason)}'}"


def count_by_kind(entries: Iterable[Entry]) -> str:
    """The number of entries of each kind."""
    counts = Counter(entry.kind for entry in entries)
    return ", ".join(
        f"{counts[kind]:,} {_PLURALS.get(kind, f'{kind}s') if counts[kind] != 1 else kind}"
        for kind in KINDS
        if counts[kind]
    )


_PLURALS = {"apart": "apart", "levels": "levels", "override": "overrides", "streamed": "streamed"}


def name_and_id(player: str, names: Names) -> str:
    """A player by name and id, or by id alone if there is no name."""
    name = names.get(player, player)
    return printable(player) if name == player else f"{printable(name)} [{player}]"


def player_names(projection: Projection) -> dict[str, str]:
    """The names of all players by id; without a name, the id.

    A record that was merged has the name of the player it is part of, unless that is erased.
    """
    players = projection.tables["players"]
    names = dict(zip(players["player_id"].to_list(), players["name"].to_list(), strict=True))
    merged = canonical_ids(projection.state.merges())
    of_merged = {
        record: names[into] for record, into in merged.items() if names.get(into, into) != into
    }
    return of_merged | names


def all_names(projection: Projection) -> dict[str, str]:
    """The names of all players, tournaments and events by id."""
    columns = {"tournaments": "tournament_id", "events": "event_id"}
    frames = [projection.tables[table].select(key, "name") for table, key in columns.items()]
    return {
        **dict(row for frame in frames for row in frame.iter_rows()),
        **player_names(projection),
    }


def names_around(delta: Delta) -> dict[str, str]:
    """The names by id before and after a change; where one changed, the name before.

    So an entry that changes a name says what it was, and an erased player has their name.
    """
    return {**all_names(delta.after), **all_names(delta.before)}


def _report(body: Report) -> str:
    tournament = body.tables["tournaments"]
    rows = ", ".join(
        count_rows(row_count(table), name)
        for name, table in body.tables.items()
        if name not in ("tournaments", "flights")
    )
    again = f"; replaces entry {body.replaces}" if body.replaces else ""
    name, day = printable(tournament["name"][0]), tournament["end_date"][0]
    return f"reported {name}, {day}: {rows}{again}"


def count_rows(rows: int, table: str) -> str:
    """``1 event``, ``2 team matches``."""
    words = table.replace("_", " ")
    singular = words.removesuffix("es") if words.endswith("matches") else words.removesuffix("s")
    return f"{rows:,} {singular if rows == 1 else words}"


def _rate(currency: str, body: Rate) -> str:
    rate = (
        f"1 {currency} = {body.eur_per_unit} EUR"
        if body.eur_per_unit
        else f"1 EUR = {body.units_per_eur} {currency}"
    )
    source = f", {printable(body.source)}" if body.source else ""
    published = f", {body.published_on}" if body.published_on else ""
    return f"{rate} on {body.date}{source}{published}"


def _fund(
    subject: str, body: SupportRequest | SupportDecision | Streamed | Transfer, names: Names
) -> str:
    """An entry of a streaming fund; what is about no tournament is about the fund."""
    match body:
        case SupportRequest():
            offers = f"; offers {', '.join(body.contributions)}" if body.contributions else ""
            days = ", ".join(day.isoformat() for day in body.streaming)
            return f"{printable(body.name)}: support for streaming on {days}{offers}"
        case SupportDecision():
            by = f"by {printable(body.by)}: {printable(body.reason)}"
            if not body.granted:
                return f"{printable(subject)} refused {by}"
            streamer, baggage = money_text(body.guarantee), money_text(body.baggage)
            to = f"{streamer} to the streamer, {baggage} for baggage"
            return f"{printable(subject)} granted {by}; {to}"
        case Streamed():
            players = ", ".join(name_and_id(each, names) for each in body.players)
            return f"{printable(subject)}, {body.day}: {players or 'nobody'}"
        case _:
            given = f", given as {body.given}" if body.given else ""
            donor = names.get(body.person or body.player_id or "")
            of = (
                f", {printable(donor)}{'' if body.named else ' (not named in public)'}"
                if donor
                else ""
            )
            money = f"{money_text(body.cents)} {body.currency}"
            return f"{printable(subject)}: {body.flow} {money}, {body.what}, {body.day}{given}{of}"


def words_of_override(tournament: str, body: Override, names: Names) -> str:
    """What an officer set, without the reason: ``Entry fee of Main event, Prague Open: 375``.

    Args:
        tournament: the id of the tournament in which it was set.
        body: what was set.
        names: by id.
    """
    if body.player is None:
        return words_of_row(tournament, body.table, body.row, body.cells, names)
    return msg(
        "%(player)s in the place of %(other)s in %(tournament)s",
        player=name_and_id(body.player.after, names),
        other=name_and_id(body.player.before, names),
        tournament=printable(names.get(tournament, tournament)),
    )


def words_of_row(
    tournament: str,
    table: str,
    row: Mapping[str, Any],
    cells: Mapping[str, Any],
    names: Names,
    before: Mapping[str, Any] | None = None,
) -> str:
    """The cells of a row of a report in words.

    Args:
        tournament: the id of the tournament.
        table: of the report.
        row: the cells by which the row is found.
        cells: of the row, by column; nothing: the row was removed.
        names: by id.
        before: what these cells held: ``250 → 375``; nothing: the row was added; none: it is not
            said.
    """
    ids = [each for each in [*row.values()][::-1] if each not in (tournament, FLIGHTS[0])]
    where = chained(
        [
            (each.replace("_", " "),) if each in FLIGHTS else printable(names.get(str(each), each))
            for each in (*ids, tournament)
        ],
        _COMMA,
    )
    if not cells or before == {}:
        return msg("%(row)s: %(value)s", row=where, value=("added",) if cells else ("removed",))
    values = []
    for key, cell in cells.items():
        kind = TABLES[table][key].kind
        words = _cell_words(kind, cell)
        if before is not None:
            earlier = _cell_words(kind, before.get(key))
            words = msg("%(before)s → %(after)s", before=earlier, after=words)
        values.append(((key.replace("_", " "),), words))
    if len(values) > 1:
        every = [msg("%(column)s %(value)s", column=word, value=value) for word, value in values]
        return msg("%(row)s: %(value)s", row=where, value=chained(every, _COMMA))
    ((column, value),) = values
    return begun(msg("%(column)s of %(row)s: %(value)s", column=column, row=where, value=value))


_COMMA = msg("%(first)s, %(then)s")


def _cell_words(kind: str, value: Any) -> Any:
    """A cell in words; words are translated, numbers and days are written as the reader does."""
    if value is None:
        return ("empty",)
    if isinstance(value, bool):
        return ("yes",) if value else ("no",)
    if kind == "choice":
        return (printable(value).replace("_", " "),)
    text = f"{value.normalize():f}" if isinstance(value, Decimal) else printable(value)
    return LocalNumber(text) if kind in ("whole", "decimal", "date") else text


def _publication(name: str, body: PublicationHead) -> str:
    rows = len(body.rows["rank"])
    parts = [
        f"{printable(name)}: {rows:,} {'place' if rows == 1 else 'places'}",
        f"as of {body.selection.as_of}",
        f"result {body.list_sha256[:12]}",
        f"made at entry {body.head.sequence}" if body.head else "made of files",
    ]
    note = f"; {printable(body.note)}" if body.note else ""
    return ", ".join(parts) + note
