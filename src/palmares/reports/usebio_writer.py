"""
From the facts of one bridge event to USEBIO 1.2.

    write       tables  ->  the text of a file, and what it could not take along

The matches are written in IMPs. USEBIO has no place for byes, void matches, adjustments in VPs,
carried IMPs and split scores: those are told, not hidden.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from palmares.errors import Refused
from palmares.reports.toml_values import value_text

Row = Mapping[str, Any]

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE USEBIO SYSTEM "usebio_v1_2.dtd">\n'
VERSION = "1.2"
_LEFT_OUT = {
    "home_adjust_vp": "adjustments in VPs",
    "away_adjust_vp": "adjustments in VPs",
    "home_carry_imps": "carried IMPs",
    "away_carry_imps": "carried IMPs",
    "split_home_imps": "split scores",
    "carried_vp": "VPs carried forward",
}


def write(
    tables: Mapping[str, Any], imps: Mapping[str, Mapping[str, int]] | None = None
) -> tuple[str, tuple[str, ...]]:
    """The file of one event with matches of teams, and what is not in it.

    Args:
        tables: frames by the names of the tables of facts.
        imps: ``home_imps`` and ``away_imps`` of matches that were entered board by board, by the
            match's id.

    Raises:
        Refused: there is not exactly one event with matches of teams.
    """
    rows = {name: list(frame.iter_rows(named=True)) for name, frame in tables.items()}
    with_matches = {row["event_id"] for row in rows["team_matches"]}
    events = [row for row in rows["events"] if row["event_id"] in with_matches]
    if len(events) != 1:
        raise Refused(
            f"A USEBIO file holds one event of teams, and these facts hold {len(events)}.\n"
            "    Convert one event at a time."
        )
    event = events[0]
    matches = [
        row | (imps or {}).get(row["match_id"], {})
        for row in rows["team_matches"]
        if row["event_id"] == event["event_id"]
    ]
    entered = [row for row in rows["teams"] if row["event_id"] == event["event_id"]]
    tournament = next(
        row for row in rows["tournaments"] if row["tournament_id"] == event["tournament_id"]
    )
    root = _document(tournament, event, matches, entered)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode", short_empty_elements=False)
    return f"{HEAD}{text}\n", tuple(_left_out(matches, entered))


def _document(
    tournament: Row, event: Row, matches: Sequence[Row], entered: Sequence[Row]
) -> ET.Element:
    root = ET.Element("USEBIO", Version=VERSION)
    if tournament["name"] != event["name"]:
        _add(_add(root, "CLUB"), "CLUB_NAME", tournament["name"])
    element = _add(root, "EVENT")
    element.set("EVENT_TYPE", "TEAMS")
    _add(element, "MATCH_SCORING_METHOD", "IMPS")
    _add(element, "EVENT_DESCRIPTION", event["name"])
    _add(element, "DATE", f"{tournament['end_date']:%d/%m/%Y}")
    _add(element, "SESSION_COUNT", 1)
    _add(element, "SECTION_COUNT", 1)
    section = _add(_add(element, "SESSION"), "SECTION")
    section.set("SECTION_ID", "A")
    ids = _participants(section, matches, entered)
    for row in matches:
        if row["status"] in (None, "played"):
            _match(section, row, ids)
    return root


def _participants(
    section: ET.Element, matches: Sequence[Row], entered: Sequence[Row]
) -> dict[str, str]:
    """Every team with a number and its name in full; the number of each by its short name."""
    full = {row["team"]: row["name"] or row["team"] for row in entered}
    for row in matches:
        met = [row["home"], *([row["away"]] if row["status"] != "bye" else [])]
        full |= {team: team for team in met if team not in full}
    times = Counter(full.values())
    participants = _add(section, "PARTICIPANTS")
    ids = {}
    for number, team in enumerate(sorted(full), start=1):
        ids[team] = str(number)
        name = full[team] if times[full[team]] == 1 else team
        _add(participants, "TEAM").attrib |= {"TEAM_ID": str(number), "TEAM_NAME": name}
    return ids


def _match(section: ET.Element, row: Row, ids: Mapping[str, str]) -> None:
    match = _add(section, "MATCH")
    if row["round"]:
        _add(match, "ROUND_NUMBER", row["round"])
    _add(match, "TEAM", ids[row["home"]])
    _add(match, "OPPOSING_TEAM", ids[row["away"]])
    _add(match, "START_BOARD_NUMBER", 1)
    _add(match, "END_BOARD_NUMBER", row["boards"])
    _add(match, "TEAM_SCORE", value_text(row["home_imps"]))
    _add(match, "OPPOSING_TEAM_SCORE", value_text(row["away_imps"]))


def _add(parent: ET.Element, tag: str, text: object = None) -> ET.Element:
    """An element inside another."""
    element = ET.SubElement(parent, tag)
    if text is not None:
        element.text = str(text)
    return element


def _left_out(matches: Sequence[Row], entered: Sequence[Row]) -> Iterator[str]:
    """What the file could not take along."""
    statuses = Counter(row["status"] for row in matches)
    for status, one, many in (("bye", "a bye", "byes"), ("void", "a void match", "void matches")):
        if statuses[status]:
            yield one if statuses[status] == 1 else f"{statuses[status]} {many}"
    for row in entered:
        if row["withdrawn"]:
            yield f"that {row['team']} withdrew"
    found = (
        words
        for column, words in _LEFT_OUT.items()
        for row in (*matches, *entered)
        if row.get(column)
    )
    yield from dict.fromkeys(found)
