"""Journal entries in words, a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from palmares.core.messages import LocalNumber, begun, chained, joined, msg, plural, term
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
            return msg("withdrew %(what)s: %(reason)s", what=player, reason=printable(body.reason))
        case Player():
            return _player(subject, body, names)
        case Membership():
            return _membership(player, body)
        case Merge() | Apart() | Erasure():
            return _identity(player, body, names)
        case Rate():
            return _rate(subject, body)
        case Override():
            return chained([words_of_override(subject, body, names), printable(body.reason)])
        case Undo():
            return _undo(body, names, undone or {})
        case Race():
            return _about(subject, printable(body.name))
        case Levels():
            return _about(subject, ", ".join(printable(level.name) for level in body.levels))
        case DrawAnnouncement() | DrawReveal() | EventNotice():
            return _about(subject, _announced(body))
        case SupportRequest() | SupportDecision() | Streamed() | Transfer():
            return _fund(subject, body, names)
        case _:
            return _publication(subject, body)


def _player(player: str, body: Player, names: Names) -> str:
    """A player by the name in this entry, if its seal is among the names."""
    name = names.get(body.person or "", names.get(player, player))
    nation = f" ({body.nation})" if body.nation else ""
    withheld = [("withheld",)] if body.withheld else []
    return chained([f"{name_and_id(player, {player: name})}{nation}", *withheld], _COMMA)


def _identity(player: str, body: Merge | Apart | Erasure, names: Names) -> str:
    """What was decided on who a player is."""
    reason = printable(body.reason)
    if isinstance(body, Merge):
        into = name_and_id(body.into, names)
        return msg("merged %(player)s into %(into)s: %(reason)s",
                   player=player, into=into, reason=reason)  # fmt: skip
    if isinstance(body, Apart):
        players = joined([name_and_id(each, names) for each in body.players])
        return msg("kept %(players)s apart: %(reason)s", players=players, reason=reason)
    return msg("erased a name, %(player)s: %(reason)s", player=player, reason=reason)


def _about(subject: str, what: str) -> str:
    return msg("%(row)s: %(value)s", row=printable(subject), value=what)


def _day(day: Any) -> LocalNumber:
    """A day that each language writes in its own way."""
    return LocalNumber(day)


def _membership(player: str, body: Membership) -> str:
    federation, start = printable(body.federation), _day(body.start)
    held = (
        msg("%(federation)s from %(start)s to %(end)s",
            federation=federation, start=start, end=_day(body.end))
        if body.end
        else msg("%(federation)s from %(start)s", federation=federation, start=start)
    )  # fmt: skip
    level = [printable(body.level)] if body.level else []
    return msg("%(row)s: %(value)s", row=player, value=chained([held, *level], _COMMA))


def _undo(body: Undo, names: Names, undone: Mapping[int, Entry]) -> str:
    """An undo, with what it undid where that entry is at hand."""
    words = msg("undid entry %(entry)s: %(reason)s",
                entry=str(body.undoes), reason=printable(body.reason))  # fmt: skip
    if body.undoes not in undone:
        return words
    return msg("%(words)s (%(more)s)", words=words, more=describe_entry(undone[body.undoes], names))


def _announced(body: DrawAnnouncement | DrawReveal | EventNotice) -> str:
    """What was announced of an event, and what it replaces."""
    if isinstance(body, DrawReveal):
        return msg("randomness of announcement %(hash)s", hash=body.announcement[:12])
    words = (
        msg("announcement %(hash)s", hash=body.sha256[:12])
        if isinstance(body, DrawAnnouncement)
        else msg("notice %(hash)s", hash=body.sha256[:12])
    )
    if not body.replaces:
        return words
    again = msg("replaces %(hash)s", hash=body.replaces[:12])
    if isinstance(body, EventNotice):
        again = msg("%(row)s: %(value)s", row=again, value=printable(body.reason))
    return chained([words, again])


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
    rows = [
        _COUNTS[name](row_count(table)) for name, table in body.tables.items() if name in _COUNTS
    ]
    words = msg(
        "reported %(tournament)s, %(day)s: %(rows)s",
        tournament=printable(tournament["name"][0]),
        day=_day(tournament["end_date"][0]),
        rows=chained(rows, _COMMA) if rows else "",
    )
    if not body.replaces:
        return words
    return chained([words, msg("replaces entry %(entry)s", entry=str(body.replaces))])


_COUNTS: Mapping[str, Callable[[int], str]] = {
    "events": lambda many: plural("%(many)s event", "%(many)s events", many),
    "placings": lambda many: plural("%(many)s placing", "%(many)s placings", many),
    "matches": lambda many: plural("%(many)s match", "%(many)s matches", many),
    "team_matches": lambda many: plural("%(many)s team match", "%(many)s team matches", many),
    "boards": lambda many: plural("%(many)s board", "%(many)s boards", many),
    "teams": lambda many: plural("%(many)s team", "%(many)s teams", many),
}
"""The rows of a report, by table."""


def _rate(currency: str, body: Rate) -> str:
    one, other = (currency, "EUR") if body.eur_per_unit else ("EUR", currency)
    number = LocalNumber(body.eur_per_unit or body.units_per_eur)
    rate = msg("1 %(one)s = %(rate)s %(other)s on %(day)s",
               one=one, other=other, rate=number, day=_day(body.date))  # fmt: skip
    source = [printable(body.source)] if body.source else []
    published = [_day(body.published_on)] if body.published_on else []
    return chained([rate, *source, *published], _COMMA)


def _fund(
    subject: str, body: SupportRequest | SupportDecision | Streamed | Transfer, names: Names
) -> str:
    """An entry of a streaming fund; what is about no tournament is about the fund."""
    match body:
        case SupportRequest():
            days = chained([*map(_day, body.streaming)], _COMMA)
            asked = msg("support for streaming on %(days)s", days=days)
            offers = ", ".join(body.contributions)
            also = [msg("offers %(contributions)s", contributions=offers)] if offers else []
            return _about(body.name, chained([asked, *also]))
        case SupportDecision():
            return _support_decision(subject, body)
        case Streamed():
            players: Any = ", ".join(name_and_id(each, names) for each in body.players)
            return msg("%(subject)s, %(day)s: %(players)s", subject=printable(subject),
                       day=_day(body.day), players=players or ("nobody",))  # fmt: skip
        case _:
            return _about(subject, _transfer(body, names))


def _support_decision(subject: str, body: SupportDecision) -> str:
    what = {"subject": printable(subject), "by": printable(body.by),
            "reason": printable(body.reason)}  # fmt: skip
    if not body.granted:
        return msg("%(subject)s refused by %(by)s: %(reason)s", **what)
    money = msg("%(streamer)s to the streamer, %(baggage)s for baggage",
                streamer=LocalNumber(money_text(body.guarantee)),
                baggage=LocalNumber(money_text(body.baggage)))  # fmt: skip
    return chained([msg("%(subject)s granted by %(by)s: %(reason)s", **what), money])


def _transfer(body: Transfer, names: Names) -> str:
    money = msg("%(flow)s %(money)s %(currency)s", flow=(body.flow,),
                money=LocalNumber(money_text(body.cents)), currency=body.currency)  # fmt: skip
    parts = [money, body.what, _day(body.day)]
    if body.given:
        parts.append(msg("given as %(what)s", what=body.given))
    if donor := names.get(body.person or body.player_id or ""):
        name = printable(donor)
        parts.append(name if body.named else msg("%(donor)s (not named in public)", donor=name))
    return chained(parts, _COMMA)


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
            term(each) if each in FLIGHTS else printable(names.get(str(each), each))
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
        values.append((term(key), words))
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
    parts = [
        plural("%(many)s place", "%(many)s places", len(body.rows["rank"])),
        msg("as of %(day)s", day=_day(body.selection.as_of)),
        msg("result %(hash)s", hash=body.list_sha256[:12]),
        msg("made at entry %(entry)s", entry=str(body.head.sequence))
        if body.head
        else msg("made of files"),
    ]
    words = _about(name, chained(parts, _COMMA))
    return chained([words, printable(body.note)]) if body.note else words
