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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts.decoding import Findings, ReportTables, event_id_of, tournament_id_of
from palmares.facts.text import squeezed
from palmares.formats.toml.write import value_text

MOST_BYTES = 32 * 2**20
VERSIONS = ("1.1", "1.2")
CLAUSE = "report USEBIO"
_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
_DTD = re.compile(r"(?:.*/)?usebio[\w.-]*\.dtd", re.IGNORECASE | re.ASCII)
_SCORE = re.compile(r"[+-]?\d{1,6}(\.\d{1,6})?", re.ASCII)
_COUNT = re.compile(r"\d{1,6}", re.ASCII)


def read(content: bytes, file: str, *, encoding: str | None = None) -> ReportTables:
    """Read one file.

    Args:
        content: the bytes of the file, which say their encoding themselves.
        file: its name as the user knows it.
        encoding: if they say a wrong one.
    """
    findings = Findings(file)
    if len(content) > MOST_BYTES:
        findings.problem(
            0,
            msg(
                "the file has %(has)s MiB, and %(most)s are read",
                has=len(content) // 2**20,
                most=MOST_BYTES // 2**20,
            ),
            CLAUSE,
            msg("Export one event."),
        )
        return findings.raw
    if reader := _parsed(content, findings, encoding):
        reader.document()
    return findings.raw


def _parsed(content: bytes, findings: Findings, encoding: str | None) -> _Reader | None:
    """The document; what is dangerous or broken is a problem."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    class Parser(DefusedXMLParser):  # type: ignore[misc]
        """Lets a USEBIO document type pass by its name, unread."""

        def defused_start_doctype_decl(
            self, name: str, sysid: str | None, pubid: str | None, has_internal_subset: int
        ) -> None:
            is_usebio = name == "USEBIO" and (sysid is None or _DTD.fullmatch(sysid))
            if has_internal_subset or not is_usebio:
                super().defused_start_doctype_decl(name, sysid, pubid, has_internal_subset)

    class Builder(ET.TreeBuilder):
        """Notes the line of each element."""

        def start(self, tag: Any, attrs: Any, /) -> ET.Element:
            element = super().start(tag, attrs)
            lines[element] = parser.parser.CurrentLineNumber
            return element

    lines: dict[ET.Element, int] = {}
    parser = Parser(target=Builder(), encoding=encoding, forbid_dtd=True)
    try:
        parser.feed(content)
        return _Reader(parser.close(), lines, findings)
    except DefusedXmlException:
        findings.problem(
            parser.parser.CurrentLineNumber,
            msg("the file declares entities, or a document type that is not USEBIO's"),
            CLAUSE,
            msg(
                "Results need neither. Do not open it elsewhere; ask its sender for a plain export."
            ),
        )
    except (ET.ParseError, ValueError, LookupError) as error:
        line, words = getattr(error, "position", (0, 0))[0], str(error).split(": line")[0]
        findings.problem(
            line,
            msg("this is not XML: %(words)s", words=words),
            CLAUSE,
            msg("Export the file again."),
        )
    return None


@dataclass(frozen=True, slots=True)
class _Reader:
    """A document, the line on which each element begins, and where problems go."""

    root: ET.Element
    lines: Mapping[ET.Element, int]
    findings: Findings

    def report(self, element: ET.Element, what: str, remedy: str) -> None:
        self.findings.problem(self.lines[element], what, CLAUSE, remedy)

    def document(self) -> None:
        root = self.root
        version = root.get("Version") or root.get("VERSION") or ""
        events = root.findall("EVENT")
        if root.tag != "USEBIO":
            self.report(
                root,
                msg("this is a file of <%(tag)s>, not USEBIO", tag=root.tag),
                msg("Export the event as USEBIO 1.2."),
            )
        elif version not in VERSIONS:
            what = (
                msg("USEBIO %(version)s is not read", version=version)
                if version
                else msg("USEBIO without a version is not read")
            )
            self.report(root, what, msg("Export the event as USEBIO 1.1 or 1.2."))
        elif not events:
            self.report(root, msg("there is no EVENT in it"), msg("Export one event."))
        else:
            self.tournament(events)

    def tournament(self, events: Sequence[ET.Element]) -> None:
        """The tournament, from the first and the last day of its events."""
        days = [day for event in events if (day := self.day(event))]
        first, last = min(days, default=None), max(days, default=None)
        title = _text(self.root, "CLUB/CLUB_NAME") or _text(events[0], "EVENT_DESCRIPTION")
        key = tournament_id_of(title, last)
        row = {"tournament_id": key, "name": title, "discipline": "bridge", "end_date": last}
        self.findings.add("tournaments", row | {"start_date": None if first == last else first}, 1)
        for event in events:
            self.event(event, key)

    def day(self, event: ET.Element) -> str | None:
        """The day of an event, from 05/03/2024."""
        text = _text(event, "DATE")
        if written := _DAY.fullmatch(text or ""):
            day, month, year = written.groups()
            return f"{year}-{int(month):02d}-{int(day):02d}"
        what = (
            msg("the DATE of the event is %(text)s", text=text)
            if text
            else msg("the DATE of the event is missing")
        )
        self.report(event, what, msg("Write day, month and year: 05/03/2024."))
        return None

    def event(self, event: ET.Element, tournament: str) -> None:
        """One event of teams."""
        kind = event.get("EVENT_TYPE", "")
        if "TEAMS" not in kind:
            what = (
                msg("an event of type %(kind)s", kind=kind)
                if kind
                else msg("an event of unknown type")
            )
            self.report(
                event,
                what,
                msg("Matches are read from events of teams: EVENT_TYPE TEAMS or SWISS_TEAMS."),
            )
            return
        name = _text(event, "EVENT_DESCRIPTION")
        event_id = event_id_of(tournament, name)
        row = {"event_id": event_id, "tournament_id": tournament, "name": name, "team": "true"}
        self.findings.add("events", row, self.lines[event])
        teams = self.teams(event, event_id)
        for number, (match, round_) in enumerate(_matches(event), start=1):
            cells = self.match(event, match, teams)
            if cells is not None:
                ids = {"match_id": f"{event_id}/t{number}", "event_id": event_id, "round": round_}
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
                self.report(
                    element,
                    msg("two teams have the id %(key)s", key=key),
                    msg("Export the event again."),
                )
            teams[key] = name if name and names[name] == 1 else key
            self.findings.add(
                "teams", {"event_id": event_id, "team": teams[key]}, self.lines[element]
            )
        return teams

    def match(
        self, event: ET.Element, match: ET.Element, teams: Mapping[str, str]
    ) -> dict[str, str | None] | None:
        """The cells of one match, or None and a problem."""
        sides = [_text(match, "TEAM"), _text(match, "OPPOSING_TEAM")]
        unknown = [side for side in sides if side and teams and side not in teams]
        if unknown or sides[0] is None:
            what = (
                msg("a match of team %(team)s", team=unknown[0])
                if unknown
                else msg("a match without a TEAM")
            )
            self.report(
                match,
                what,
                msg("PARTICIPANTS must list the team by this TEAM_ID. Export the event again."),
            )
            return None
        home, away = (teams.get(side, side) if side else None for side in sides)
        stated, results = _boards_stated(event, match), len(match.findall("BOARD"))
        boards = stated or (str(results) if results else None)
        cells = {"home": home, "away": away, "boards": boards}
        if away is None:
            return cells | {"status": "bye"}
        by_boards, by_scores = _by_boards(match), _by_scores(event, match)
        if by_boards and by_scores and by_boards.margin != by_scores.margin:
            what = msg(
                "by its boards %(home)s against %(away)s is %(boards)s, by its scores %(scores)s",
                home=home, away=away, boards=str(by_boards), scores=str(by_scores),
            )  # fmt: skip
            remedy = msg("Correct the one that is wrong, or export the event again.")
        elif by_scores is None and stated and 0 < results != int(stated):
            what = msg(
                "%(home)s against %(away)s has %(stated)s boards, and the file has %(results)s of"
                " them",
                home=home, away=away, stated=int(stated), results=results,
            )  # fmt: skip
            remedy = msg("Export all boards, or IMPs as the scores of the match.")
        elif imps := by_boards or by_scores:
            return cells | {"home_imps": f"{imps.home:f}", "away_imps": f"{imps.away:f}"}
        else:
            what = msg("the file does not give the IMPs of %(home)s against %(away)s",
                       home=home, away=away)  # fmt: skip
            remedy = msg(
                "Export with the IMPs of each board, or with MATCH_SCORING_METHOD IMPS. VPs"
                " do not show by how many IMPs a match was won."
            )
        self.report(match, what, remedy)
        return None


class _Imps(NamedTuple):
    home: Decimal
    away: Decimal

    @property
    def margin(self) -> Decimal:
        return self.home - self.away

    def __str__(self) -> str:
        return f"{self.home:f}-{self.away:f}"


def _matches(event: ET.Element) -> Iterator[tuple[ET.Element, str | None]]:
    """Every match with its round; with several sessions, ``2.1`` is round 1 of session 2."""
    sessions = event.findall("SESSION")
    for at, session in enumerate(sessions if len(sessions) > 1 else [event], start=1):
        before = f"{session.get('SESSION_ID') or at}." if len(sessions) > 1 else ""
        for match in session.iter("MATCH"):
            round_ = _text(match, "ROUND_NUMBER")
            yield match, f"{before}{round_}" if round_ else None


def _boards_stated(event: ET.Element, match: ET.Element) -> str | None:
    """How many boards a match has, by the numbers of its first and last or by its event."""
    first, last = (_text(match, f"{which}_BOARD_NUMBER") for which in ("START", "END"))
    if first and last and _COUNT.fullmatch(first) and _COUNT.fullmatch(last):
        return str(int(last) - int(first) + 1)
    per_round = _text(event, "BOARDS_PER_ROUND")
    return per_round if per_round and _COUNT.fullmatch(per_round) else None


def _by_boards(match: ET.Element) -> _Imps | None:
    """Both sides' IMPs by the boards, if there are any and all have a result."""
    zero = Decimal(0)
    imps = [_score(board, "IMPS") for board in match.findall("BOARD")]
    given = [score for score in imps if score is not None]
    if not given or len(given) < len(imps):
        return None
    own = sum((max(score, zero) for score in given), zero)
    return _Imps(own, own - sum(given, zero))


def _by_scores(event: ET.Element, match: ET.Element) -> _Imps | None:
    """Both sides' IMPs by the scores of the match, if those are IMPs."""
    own, other = (_score(match, tag) for tag in ("TEAM_SCORE", "OPPOSING_TEAM_SCORE"))
    in_imps = (_text(event, "MATCH_SCORING_METHOD") or "").upper() == "IMPS"
    if not in_imps or own is None or other is None:
        return None
    is_margin = own == -other  # as each side sees it
    return _Imps(max(own, Decimal(0)), max(other, Decimal(0))) if is_margin else _Imps(own, other)


def _score(element: ET.Element, tag: str) -> Decimal | None:
    text = _text(element, tag)
    return Decimal(text) if text and _SCORE.fullmatch(text) else None


def _text(element: ET.Element, path: str) -> str | None:
    return squeezed(element.findtext(path) or "") or None


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
    root = _document_of(tournament, event, matches, entered)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode", short_empty_elements=False)
    return f"{HEAD}{text}\n", tuple(_left_out(matches, entered))


def _document_of(
    tournament: Row, event: Row, matches: Sequence[Row], entered: Sequence[Row]
) -> ET.Element:
    root = ET.Element("USEBIO", Version=VERSION)
    if tournament["name"] != event["name"]:
        _add(ET.SubElement(root, "CLUB"), {"CLUB_NAME": tournament["name"]})
    element = ET.SubElement(root, "EVENT", EVENT_TYPE="TEAMS")
    texts = {
        "MATCH_SCORING_METHOD": "IMPS",
        "EVENT_DESCRIPTION": event["name"],
        "DATE": f"{tournament['end_date']:%d/%m/%Y}",
        "SESSION_COUNT": 1,
        "SECTION_COUNT": 1,
    }
    _add(element, texts)
    section = ET.SubElement(ET.SubElement(element, "SESSION"), "SECTION", SECTION_ID="A")
    ids = _participants(section, matches, entered)
    for row in matches:
        if row["status"] in (None, "played"):
            texts = {
                "ROUND_NUMBER": row["round"] or None,
                "TEAM": ids[row["home"]],
                "OPPOSING_TEAM": ids[row["away"]],
                "START_BOARD_NUMBER": 1,
                "END_BOARD_NUMBER": row["boards"],
                "TEAM_SCORE": value_text(row["home_imps"]),
                "OPPOSING_TEAM_SCORE": value_text(row["away_imps"]),
            }
            _add(ET.SubElement(section, "MATCH"), texts)
    return root


def _participants(
    section: ET.Element, matches: Sequence[Row], entered: Sequence[Row]
) -> dict[str, str]:
    """Every team with a number and its name in full; the number of each by its short name."""
    full = {row["team"]: row["name"] or row["team"] for row in entered}
    for row in matches:
        full.setdefault(row["home"], row["home"])
        if row["status"] != "bye":
            full.setdefault(row["away"], row["away"])
    times = Counter(full.values())
    ids = {team: str(number) for number, team in enumerate(sorted(full), start=1)}
    participants = ET.SubElement(section, "PARTICIPANTS")
    for team, number in ids.items():
        name = full[team] if times[full[team]] == 1 else team
        ET.SubElement(participants, "TEAM", TEAM_ID=number, TEAM_NAME=name)
    return ids


def _add(parent: ET.Element, texts: Mapping[str, object]) -> None:
    """An element inside another for each text that there is."""
    for tag, text in texts.items():
        if text is not None:
            ET.SubElement(parent, tag).text = str(text)


def _left_out(matches: Sequence[Row], entered: Sequence[Row]) -> Iterator[str]:
    """What the file could not take along."""
    statuses = Counter(row["status"] for row in matches)
    for status, single, many in (
        ("bye", "a bye", "byes"),
        ("void", "a void match", "void matches"),
    ):
        if statuses[status]:
            yield single if statuses[status] == 1 else f"{statuses[status]} {many}"
    for row in entered:
        if row["withdrawn"]:
            yield f"that {row['team']} withdrew"
    lost = (
        words
        for column, words in _LEFT_OUT.items()
        for row in (*matches, *entered)
        if row.get(column)
    )
    yield from dict.fromkeys(lost)
