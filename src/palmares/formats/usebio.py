"""
USEBIO: the XML of bridge scoring programs, for events of teams; 1.1 and 1.2 in, 1.2 out.

The IMPs of a match come from its boards; without boards from its scores, if those are IMPs. VPs do
not give IMPs. A match without an opposing team is a bye. Entities and other document types are
refused, and none is loaded. The format has no byes, adjustments, carried IMPs or split scores:
what is left out when writing is listed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree as ET

from msgspec import Struct

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts.decoding import ReportTables, event_id_of, tournament_id_of
from palmares.facts.text import squeezed
from palmares.formats.sheets import headers
from palmares.formats.toml.write import value_text

MOST_BYTES = 32 * 2**20
VERSIONS = ("1.1", "1.2")
CLAUSE = "report USEBIO"

CLUB = "CLUB/CLUB_NAME"
EVENT = {"scoring": "MATCH_SCORING_METHOD", "name": "EVENT_DESCRIPTION", "day": "DATE",
         "boards": "BOARDS_PER_ROUND"}  # fmt: skip
MATCH = {
    "round": "ROUND_NUMBER", "home": "TEAM", "away": "OPPOSING_TEAM",
    "first_board": "START_BOARD_NUMBER", "last_board": "END_BOARD_NUMBER",
    "home_imps": "TEAM_SCORE", "away_imps": "OPPOSING_TEAM_SCORE",
}  # fmt: skip
"""Where the text of each value stands in its element, when reading and when writing."""
VALUES = {"CLUB": ("CLUB_NAME",), "EVENT": tuple(EVENT.values()), "MATCH": tuple(MATCH.values()),
          "BOARD": ("BOARD_NUMBER", "IMPS")}  # fmt: skip
"""The elements of one text each that are read, by those around them."""

_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
_DOCTYPE = re.compile(
    rb"""<!DOCTYPE\s+USEBIO(?:\s+SYSTEM\s+["'](?:[^"']*/)?usebio[\w.-]*\.dtd["'])?\s*>""",
    re.IGNORECASE,
)
_SCORE = re.compile(r"[+-]?\d{1,6}(\.\d{1,6})?", re.ASCII)
_COUNT = re.compile(r"\d{1,6}", re.ASCII)
_EXPORT_AGAIN = msg("Export the event again.")


def read(content: bytes, file: str, *, encoding: str | None = None) -> ReportTables:
    """Read one file.

    Args:
        content: the bytes of the file, which say their encoding themselves.
        file: its name as the user knows it.
        encoding: if they say a wrong one.
    """
    findings = ReportTables(file)
    if len(content) > MOST_BYTES:
        has, most = len(content) // 2**20, MOST_BYTES // 2**20
        what = msg("the file has %(has)s MiB, and %(most)s are read", has=has, most=most)
        findings.problem(0, what, CLAUSE, msg("Export one event."))
    elif reader := _parsed(content, findings, encoding):
        reader.document()
    return findings


def _parsed(content: bytes, findings: ReportTables, encoding: str | None) -> _Reader | None:
    """The document; what is dangerous or broken is a problem."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    class Builder(ET.TreeBuilder):
        """Notes the line of each element."""

        def start(self, tag: Any, attrs: Any, /) -> ET.Element:
            element = super().start(tag, attrs)
            lines[element] = parser.parser.CurrentLineNumber
            return element

    lines: dict[ET.Element, int] = {}
    parser = DefusedXMLParser(target=Builder(), encoding=encoding, forbid_dtd=True)
    try:
        # its own document type is left out, unread; line breaks in it stay
        parser.feed(_DOCTYPE.sub(lambda doctype: b"\n" * doctype[0].count(b"\n"), content, 1))
        return _Reader(parser.close(), lines, findings)
    except DefusedXmlException:
        line = parser.parser.CurrentLineNumber
        what = msg("the file declares entities, or a document type that is not USEBIO's")
        remedy = msg(
            "Results need neither. Do not open it elsewhere; ask its sender for a plain export."
        )
    except (ET.ParseError, ValueError, LookupError) as error:
        line, words = getattr(error, "position", (0, 0))[0], str(error).split(": line")[0]
        what, remedy = msg("this is not XML: %(words)s", words=words), msg("Export the file again.")
    findings.problem(line, what, CLAUSE, remedy)
    return None


class _Reader(Struct, frozen=True):
    """A document, the line on which each element begins, and where problems go."""

    root: ET.Element
    lines: Mapping[ET.Element, int]
    findings: ReportTables

    def report(self, element: ET.Element, what: str, remedy: str) -> None:
        self.findings.problem(self.lines[element], what, CLAUSE, remedy)

    def document(self) -> None:
        """The tournament, from the first and the last day of its events."""
        root, events = self.root, self.root.findall("EVENT")
        version = root.get("Version") or root.get("VERSION") or ""
        if root.tag != "USEBIO" or version not in VERSIONS or not events:
            what = msg("this is not USEBIO 1.1 or 1.2: it begins with %(begin)s",
                       begin=f'<{root.tag} Version="{version}">')  # fmt: skip
            if root.tag == "USEBIO" and version in VERSIONS:
                what = msg("there is no EVENT in it")
            self.report(root, what, msg("Export one event as USEBIO 1.1 or 1.2."))
            return
        if self.has_unclear_values():
            return
        texts = [_texts(event, EVENT) for event in events]
        days = [
            day
            for event, text in zip(events, texts, strict=True)
            if (day := self.day(event, text["day"]))
        ]
        first = min(days, default=headers.STAND_INS["end_date"])
        last = max(days, default=first)
        title = squeezed(root.findtext(CLUB) or "") or texts[0]["name"]
        key = tournament_id_of(title, last)
        row = {"tournament_id": key, "name": title, "discipline": "bridge", "end_date": last}
        self.findings.add("tournaments", row | {"start_date": None if first == last else first}, 1)
        for event, text in zip(events, texts, strict=True):
            self.event(event, text, key)

    def has_unclear_values(self) -> bool:
        """Whether a value is there twice, or has elements in it, and would be cut; a problem."""
        unclear = [
            values[-1]
            for around in self.root.iter()
            for tag in VALUES.get(around.tag, ())
            if len(values := around.findall(tag)) > 1 or any(map(len, values))
        ]
        for value in unclear:
            what = (
                msg("%(tag)s is no plain text: there is <%(inside)s> in it",
                    tag=value.tag, inside=value[0].tag)
                if len(value)
                else msg("%(tag)s is there twice", tag=value.tag)
            )  # fmt: skip
            self.report(value, what, _EXPORT_AGAIN)
        return bool(unclear)

    def day(self, event: ET.Element, text: str) -> str | None:
        """The day of an event, from 05/03/2024."""
        if written := _DAY.fullmatch(text):
            day, month, year = written.groups()
            return f"{year}-{int(month):02d}-{int(day):02d}"
        what = msg("the DATE of the event is '%(text)s'", text=text)
        self.report(event, what, msg("Write day, month and year: 05/03/2024."))
        return None

    def event(self, event: ET.Element, texts: Mapping[str, str], tournament: str) -> None:
        """One event of teams."""
        kind = event.get("EVENT_TYPE", "")
        if "TEAMS" not in kind:
            remedy = msg("Matches are read from events of teams: EVENT_TYPE TEAMS or SWISS_TEAMS.")
            self.report(event, msg("an event of type '%(kind)s'", kind=kind), remedy)
            return
        event_id = event_id_of(tournament, texts["name"])
        ids = {"event_id": event_id, "tournament_id": tournament}
        row = {**ids, "name": texts["name"], "team": "true"}
        self.findings.add("events", row, self.lines[event])
        teams = self.teams(event, event_id)
        matches = list(_matches(event))
        if not matches:
            self.report(event, msg("there is no match in this event"), _EXPORT_AGAIN)
        for number, (match, session) in enumerate(matches, start=1):
            cells = None if self.has_board_twice(match) else self.match(texts, match, teams)
            if cells is not None:
                cells["round"] = cells["round"] and session + cells["round"]
                ids = {"match_id": f"{event_id}/t{number}", "event_id": event_id}
                self.findings.add("team_matches", ids | cells, self.lines[match])

    def teams(self, event: ET.Element, event_id: str) -> dict[str, str]:
        """The name of each team by its id; the id itself where names are alike."""
        elements = event.findall(".//PARTICIPANTS/TEAM")
        names = Counter(squeezed(element.get("TEAM_NAME", "")) for element in elements)
        teams: dict[str, str] = {}
        for element in elements:
            name = squeezed(element.get("TEAM_NAME", ""))
            key = squeezed(element.get("TEAM_ID", "")) or name
            if key in teams:
                self.report(element, msg("two teams have the id %(key)s", key=key), _EXPORT_AGAIN)
            teams[key] = name if name and names[name] == 1 else key
            row = {"event_id": event_id, "team": teams[key]}
            self.findings.add("teams", row, self.lines[element])
        return teams

    def has_board_twice(self, match: ET.Element) -> bool:
        """Whether a match has a board more than once, whose IMPs would count twice; a problem."""
        numbers = Counter(board.findtext("BOARD_NUMBER") for board in match.findall("BOARD"))
        number, many = max(numbers.items(), key=lambda each: each[1], default=("", 0))
        if many > 1 and number:
            what = msg("board %(number)s is there twice in a match", number=(number,))
            self.report(match, what, _EXPORT_AGAIN)
        return bool(many > 1 and number)

    def has_unlisted_team(
        self, match: ET.Element, sides: tuple[str, str], teams: Mapping[str, str]
    ) -> bool:
        """Whether a side of a match is not among the teams, or the first is empty; a problem."""
        unlisted = [side for side in sides if side and teams and side not in teams]
        if sides[0] and not unlisted:
            return False
        what = msg("a match of team '%(team)s'", team=unlisted[0] if sides[0] else "")
        remedy = msg("PARTICIPANTS must list the team by this TEAM_ID. Export the event again.")
        self.report(match, what, remedy)
        return True

    def match(
        self, event: Mapping[str, str], match: ET.Element, teams: Mapping[str, str]
    ) -> dict[str, str] | None:
        """The cells of one match, or None and a problem."""
        texts = _texts(match, MATCH)
        sides = (texts["home"], texts["away"])
        if self.has_unlisted_team(match, sides, teams):
            return None
        home, away = (teams.get(side, side) for side in sides)
        stated, results = _boards_stated(event, texts), len(match.findall("BOARD"))
        boards = stated or results or ""
        cells = {"home": home, "away": away, "boards": f"{boards}", "round": texts["round"]}
        if not away:
            return cells | {"status": "bye"}
        by_boards, by_scores = _by_boards(match), _by_scores(event, texts)
        if by_boards and by_scores and by_boards[0] - by_boards[1] != by_scores[0] - by_scores[1]:
            what = msg(
                "by its boards %(home)s against %(away)s is %(boards)s, by its scores %(scores)s",
                home=home, away=away, boards="{:f}-{:f}".format(*by_boards),
                scores="{:f}-{:f}".format(*by_scores),
            )  # fmt: skip
            remedy = msg("Correct the one that is wrong, or export the event again.")
        elif by_scores is None and stated and 0 < results != stated:
            what = msg(
                "%(home)s against %(away)s has %(stated)s boards, and the file has %(results)s of"
                " them",
                home=home, away=away, stated=stated, results=results,
            )  # fmt: skip
            remedy = msg("Export all boards, or IMPs as the scores of the match.")
        elif imps := by_boards or by_scores:
            return cells | {"home_imps": f"{imps[0]:f}", "away_imps": f"{imps[1]:f}"}
        else:
            what = msg("the file does not give the IMPs of %(home)s against %(away)s",
                       home=home, away=away)  # fmt: skip
            remedy = msg(
                "Export with the IMPs of each board, or with MATCH_SCORING_METHOD IMPS. VPs"
                " do not show by how many IMPs a match was won."
            )
        self.report(match, what, remedy)
        return None


def _texts(element: ET.Element, paths: Mapping[str, str]) -> dict[str, str]:
    """The texts inside an element, by the names of a table of paths; empty where there is none."""
    return {name: squeezed(element.findtext(path) or "") for name, path in paths.items()}


def _matches(event: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    """Every match, and what stands before its round: with several sessions ``2.``."""
    sessions = event.findall("SESSION")
    for at, session in enumerate(sessions if len(sessions) > 1 else [event], start=1):
        before = f"{session.get('SESSION_ID') or at}." if len(sessions) > 1 else ""
        yield from ((match, before) for match in session.iter("MATCH"))


def _boards_stated(event: Mapping[str, str], match: Mapping[str, str]) -> int | None:
    """How many boards a match has, by the numbers of its first and last or by its event."""
    ends = (match["first_board"], match["last_board"])
    if all(map(_COUNT.fullmatch, ends)):
        return int(ends[1]) - int(ends[0]) + 1
    return int(event["boards"]) if _COUNT.fullmatch(event["boards"]) else None


_Imps = tuple[Decimal, Decimal]


def _by_boards(match: ET.Element) -> _Imps | None:
    """Both sides' IMPs by the boards, if there are any and all have a result."""
    texts = [squeezed(board.findtext("IMPS") or "") for board in match.findall("BOARD")]
    if not texts or not all(map(_SCORE.fullmatch, texts)):
        return None
    imps = [Decimal(text) for text in texts]
    own = Decimal(sum(score for score in imps if score > 0))
    return own, own - sum(imps)


def _by_scores(event: Mapping[str, str], match: Mapping[str, str]) -> _Imps | None:
    """Both sides' IMPs by the scores of the match, if those are IMPs."""
    texts = (match["home_imps"], match["away_imps"])
    if event["scoring"].upper() != "IMPS" or not all(map(_SCORE.fullmatch, texts)):
        return None
    own, other = map(Decimal, texts)
    is_margin = own == -other  # as each side sees it
    return (max(own, Decimal(0)), max(other, Decimal(0))) if is_margin else (own, other)


Row = Mapping[str, Any]

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE USEBIO SYSTEM "usebio_v1_2.dtd">\n'
VERSION = "1.2"
_LEFT_OUT: Mapping[str, Callable[[Row], object]] = {
    "byes": lambda row: row.get("status") == "bye",
    "void matches": lambda row: row.get("status") == "void",
    "withdrawals": lambda row: row.get("withdrawn"),
    "adjustments in VPs": lambda row: row.get("home_adjust_vp") or row.get("away_adjust_vp"),
    "carried IMPs": lambda row: row.get("home_carry_imps") or row.get("away_carry_imps"),
    "split scores": lambda row: row.get("split_home_imps"),
    "VPs carried forward": lambda row: row.get("carried_vp"),
}
"""What the format has no place for, by the rows of matches and teams that have it."""


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
    matches = [row | (imps or {}).get(row["match_id"], {}) for row in rows["team_matches"]]
    entered = [row for row in rows["teams"] if row["event_id"] == event["event_id"]]
    tournament = next(
        row for row in rows["tournaments"] if row["tournament_id"] == event["tournament_id"]
    )
    root = _document_of(tournament, event, matches, entered)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode", short_empty_elements=False)
    left_out = (
        words for words, is_lost in _LEFT_OUT.items() if any(map(is_lost, (*matches, *entered)))
    )
    return f"{HEAD}{text}\n", tuple(left_out)


def _document_of(
    tournament: Row, event: Row, matches: Sequence[Row], entered: Sequence[Row]
) -> ET.Element:
    root = ET.Element("USEBIO", Version=VERSION)
    if tournament["name"] != event["name"]:
        club, name = CLUB.split("/")
        _add(root, club, {name: name}, {name: tournament["name"]})
    day = f"{tournament['end_date']:%d/%m/%Y}"
    texts = {"scoring": "IMPS", "name": event["name"], "day": day}
    session = ET.SubElement(_add(root, "EVENT", EVENT, texts, EVENT_TYPE="TEAMS"), "SESSION")
    section = ET.SubElement(session, "SECTION", SECTION_ID="A")
    ids = _participants(section, matches, entered)
    for row in matches:
        if row["status"] in (None, "played"):
            sides = {side: ids[row[side]] for side in ("home", "away")}
            boards = {"first_board": 1, "last_board": row["boards"]}
            imps = {side: value_text(row[side]) for side in ("home_imps", "away_imps")}
            _add(section, "MATCH", MATCH, {"round": row["round"], **sides, **boards, **imps})
    return root


def _participants(
    section: ET.Element, matches: Sequence[Row], entered: Sequence[Row]
) -> dict[str, str]:
    """Every team with a number and its name in full; the number of each by its short name."""
    sides = ((row["home"], None if row["status"] == "bye" else row["away"]) for row in matches)
    full = {team: team for pair in sides for team in pair if team}
    full |= {row["team"]: row["name"] or row["team"] for row in entered}
    times = Counter(full.values())
    ids = {team: str(number) for number, team in enumerate(sorted(full), start=1)}
    participants = ET.SubElement(section, "PARTICIPANTS")
    for team, number in ids.items():
        name = full[team] if times[full[team]] == 1 else team
        ET.SubElement(participants, "TEAM", TEAM_ID=number, TEAM_NAME=name)
    return ids


def _add(
    parent: ET.Element,
    tag: str,
    paths: Mapping[str, str],
    texts: Mapping[str, object],
    **attributes: str,
) -> ET.Element:
    """An element, and in it one for each text that there is, by a table of paths."""
    element = ET.SubElement(parent, tag, attributes)
    for name, path in paths.items():
        if texts.get(name):
            ET.SubElement(element, path).text = str(texts[name])
    return element
