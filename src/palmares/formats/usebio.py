"""
USEBIO 1.1 and 1.2: the XML of bridge scoring programs, for events of teams.

    read        a file  ->  Raw: the event, its teams and matches, and every problem

    <EVENT EVENT_TYPE="SWISS_TEAMS">
      <EVENT_DESCRIPTION>  <DATE>05/03/2024</DATE>  <MATCH_SCORING_METHOD>IMPS</...>
      <PARTICIPANTS>  <TEAM TEAM_ID="1" TEAM_NAME="Heron">
      <MATCH>  <ROUND_NUMBER>  <TEAM>1</TEAM>  <OPPOSING_TEAM>2</OPPOSING_TEAM>
               <START_BOARD_NUMBER>  <END_BOARD_NUMBER>
               <TEAM_SCORE>  <OPPOSING_TEAM_SCORE>  <BOARD>  <IMPS>

The IMPs of a match are those of its boards, as its team sees them; where boards do not tell, its
scores, if the matches are scored in IMPs. From VPs no IMPs can be had. A match without an opposing
team is a bye. Entities and document types other than USEBIO's are refused, and none is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree as ET

from palmares.facts.raw import Raw
from palmares.reports.texts import Found, slug, squeezed
from palmares.sentences import said

MOST_BYTES = 32 * 2**20
MOST_DEEP = 50
VERSIONS = ("1.1", "1.2")
CLAUSE = "report USEBIO"
_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
_DTD = re.compile(r"(?:.*/)?usebio[\w.-]*\.dtd", re.IGNORECASE | re.ASCII)
_SCORE = re.compile(r"[+-]?\d{1,6}(\.\d{1,6})?", re.ASCII)
_COUNT = re.compile(r"\d{1,6}", re.ASCII)


def read(content: bytes, file: str, *, encoding: str | None = None) -> Raw:
    """Read one file.

    Args:
        content: the bytes of the file, which say their encoding themselves.
        file: its name as the user knows it.
        encoding: if they say a wrong one.
    """
    found = Found(file)
    if len(content) > MOST_BYTES:
        found.problem(
            0,
            said(
                "the file has %(has)s MiB, and %(most)s are read",
                has=len(content) // 2**20,
                most=MOST_BYTES // 2**20,
            ),
            CLAUSE,
            said("Export one event."),
        )
        return found.raw
    tree = _parsed(content, found, encoding)
    if tree is not None:
        _document(tree, found)
    return found.raw


@dataclass(frozen=True, slots=True)
class _Tree:
    """A document and the line on which each element begins."""

    root: ET.Element
    lines: Mapping[ET.Element, int]

    def line(self, element: ET.Element) -> int:
        """The line of an element."""
        return self.lines[element]


class _TooDeep(ValueError):
    """Elements within elements without end."""


def _parsed(content: bytes, found: Found, encoding: str | None) -> _Tree | None:
    """The document; what is dangerous or broken is a problem."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    class Parser(DefusedXMLParser):  # type: ignore[misc]
        """Lets a USEBIO document type pass by its name, unread."""

        def defused_start_doctype_decl(
            self, name: str, sysid: str | None, pubid: str | None, has_internal_subset: int
        ) -> None:
            known = name == "USEBIO" and (sysid is None or _DTD.fullmatch(sysid))
            if has_internal_subset or not known:
                super().defused_start_doctype_decl(name, sysid, pubid, has_internal_subset)

    class Builder(ET.TreeBuilder):
        """Notes the line of each element."""

        def start(self, tag: Any, attrs: Any, /) -> ET.Element:
            element = super().start(tag, attrs)
            lines[element] = parser.parser.CurrentLineNumber
            self.depth = getattr(self, "depth", 0) + 1
            if self.depth > MOST_DEEP:
                raise _TooDeep
            return element

        def end(self, tag: str, /) -> ET.Element:
            self.depth -= 1
            return super().end(tag)

    lines: dict[ET.Element, int] = {}
    parser = Parser(target=Builder(), encoding=encoding, forbid_dtd=True)
    try:
        parser.feed(content)
        return _Tree(parser.close(), lines)
    except DefusedXmlException:
        found.problem(
            parser.parser.CurrentLineNumber,
            said("the file declares entities, or a document type that is not USEBIO's"),
            CLAUSE,
            said(
                "Results need neither. Do not open it elsewhere; ask its sender for a plain export."
            ),
        )
    except _TooDeep:
        found.problem(
            parser.parser.CurrentLineNumber,
            said("elements stand within elements, more than %(most)s deep", most=MOST_DEEP),
            CLAUSE,
            said("This is no file of results. Ask its sender for a plain export."),
        )
    except (ET.ParseError, ValueError, LookupError) as error:
        line, words = getattr(error, "position", (0, 0))[0], str(error).split(": line")[0]
        what = said("this is not XML: %(words)s", words=words)
        found.problem(line, what, CLAUSE, said("Export the file again."))
    return None


# ── The document ─────────────────────────────────────────────────────────────────────────────────


def _document(tree: _Tree, found: Found) -> None:
    """The tournament and its events."""
    root = tree.root
    if root.tag != "USEBIO":
        found.problem(
            tree.line(root),
            said("this is a file of <%(tag)s>, not USEBIO", tag=root.tag), CLAUSE,
            said("Export the event as USEBIO 1.2."),
        )  # fmt: skip
        return
    version = root.get("Version") or root.get("VERSION") or ""
    if version not in VERSIONS:
        found.problem(
            tree.line(root),
            said("USEBIO %(version)s is not read", version=version)
            if version
            else said("USEBIO without a version is not read"),
            CLAUSE,
            said("Export the event as USEBIO 1.1 or 1.2."),
        )  # fmt: skip
        return
    events = root.findall("EVENT")
    if not events:
        what = said("there is no EVENT in it")
        found.problem(tree.line(root), what, CLAUSE, said("Export one event."))
        return
    club, name = _text(root, "CLUB/CLUB_NAME"), _text(events[0], "EVENT_DESCRIPTION")
    days = [day for event in events if (day := _day(tree, found, event))]
    first, last = min(days, default=None), max(days, default=None)
    title = club or name
    key = "-".join(slug(one) for one in (title, last) if one)
    row = {"tournament_id": key, "name": title, "discipline": "bridge", "end_date": last}
    found.add("tournaments", row | {"start_date": None if first == last else first}, 1)
    for event in events:
        _event(tree, found, event, key)


def _event(tree: _Tree, found: Found, event: ET.Element, tournament: str) -> None:
    """One event of teams."""
    kind = event.get("EVENT_TYPE", "")
    if "TEAMS" not in kind:
        found.problem(
            tree.line(event),
            said("an event of type %(kind)s", kind=kind)
            if kind
            else said("an event of unknown type"),
            CLAUSE,
            said("Matches are read from events of teams: EVENT_TYPE TEAMS or SWISS_TEAMS."),
        )  # fmt: skip
        return
    name = _text(event, "EVENT_DESCRIPTION")
    event_id = f"{tournament}/{slug(name or '')}"
    row = {"event_id": event_id, "tournament_id": tournament, "name": name, "team": "true"}
    found.add("events", row, tree.line(event))
    teams = _teams(tree, found, event)
    for team, line in teams.values():
        found.add("teams", {"event_id": event_id, "team": team}, line)
    for number, (match, round_) in enumerate(_matches(event), start=1):
        cells = _match(tree, found, event, match, {key: team for key, (team, _) in teams.items()})
        if cells is not None:
            ids = {"match_id": f"{event_id}/t{number}", "event_id": event_id, "round": round_}
            found.add("team_matches", ids | cells, tree.line(match))


def _teams(tree: _Tree, found: Found, event: ET.Element) -> dict[str, tuple[str, int]]:
    """The name of each team and its line, by its id; the id itself where names are alike."""
    elements = event.findall(".//PARTICIPANTS/TEAM")
    names = [squeezed(one.get("TEAM_NAME", "")) for one in elements]
    teams: dict[str, tuple[str, int]] = {}
    for element, name in zip(elements, names, strict=True):
        key = squeezed(element.get("TEAM_ID", "")) or name
        line = tree.line(element)
        if key in teams:
            what = said("two teams have the id %(key)s", key=key)
            found.problem(line, what, CLAUSE, said("Export the event again."))
        teams[key] = (name if name and names.count(name) == 1 else key, line)
    return teams


def _matches(event: ET.Element) -> Iterator[tuple[ET.Element, str | None]]:
    """Every match with its round; with several sessions, ``2.1`` is round 1 of session 2."""
    sessions = event.findall("SESSION")
    for at, session in enumerate(sessions if len(sessions) > 1 else [event], start=1):
        before = f"{session.get('SESSION_ID') or at}." if len(sessions) > 1 else ""
        for match in session.iter("MATCH"):
            round_ = _text(match, "ROUND_NUMBER")
            yield match, f"{before}{round_}" if round_ else None


def _match(
    tree: _Tree,
    found: Found,
    event: ET.Element,
    match: ET.Element,
    teams: Mapping[str, str],
) -> dict[str, str | None] | None:
    """The cells of one match, or None and a problem."""
    sides = [_text(match, "TEAM"), _text(match, "OPPOSING_TEAM")]
    unknown = [one for one in sides if one and teams and one not in teams]
    if unknown or sides[0] is None:
        what = (
            said("a match of team %(team)s", team=unknown[0])
            if unknown
            else said("a match without a TEAM")
        )
        remedy = said("PARTICIPANTS must list the team by this TEAM_ID. Export the event again.")
        found.problem(tree.line(match), what, CLAUSE, remedy)
        return None
    home, away = (teams.get(one, one) if one else None for one in sides)
    cells = {"home": home, "away": away, "boards": _boards(event, match)}
    if away is None:
        return cells | {"status": "bye"}
    imps = _imps(event, match)
    if imps is None:
        found.problem(
            tree.line(match),
            said("the IMPs of %(home)s against %(away)s are not told", home=home, away=away),
            CLAUSE,
            said(
                "Export with the IMPs of each board, or with MATCH_SCORING_METHOD IMPS. VPs do not"
                " tell by how many IMPs a match was won."
            ),
        )
        return None
    return cells | {"home_imps": f"{imps[0]:f}", "away_imps": f"{imps[1]:f}"}


def _boards(event: ET.Element, match: ET.Element) -> str | None:
    """How many boards a match has."""
    first, last = (_text(match, f"{which}_BOARD_NUMBER") for which in ("START", "END"))
    if first and last and _COUNT.fullmatch(first) and _COUNT.fullmatch(last):
        return str(int(last) - int(first) + 1)
    played = len(match.findall("BOARD"))
    return str(played) if played else _text(event, "BOARDS_PER_ROUND")


def _imps(event: ET.Element, match: ET.Element) -> tuple[Decimal, Decimal] | None:
    """Both sides' IMPs, or None where nothing tells them."""
    by_board = [_score(board, "IMPS") for board in match.findall("BOARD")]
    told = [one for one in by_board if one is not None]
    if told and len(told) == len(by_board):
        zero = Decimal(0)
        return sum(filter(_won, told), zero), -sum((one for one in told if one < 0), zero)
    scores = [_score(match, one) for one in ("TEAM_SCORE", "OPPOSING_TEAM_SCORE")]
    in_imps = (_text(event, "MATCH_SCORING_METHOD") or "").upper() == "IMPS"
    if not in_imps or None in scores:
        return None
    own, other = (one or Decimal(0) for one in scores)
    if own == -other:  # the margin, as each side sees it
        return max(own, Decimal(0)), max(other, Decimal(0))
    return own, other


def _won(imps: Decimal) -> bool:
    return imps > 0


def _score(element: ET.Element, tag: str) -> Decimal | None:
    text = _text(element, tag)
    return Decimal(text) if text and _SCORE.fullmatch(text) else None


def _text(element: ET.Element, path: str) -> str | None:
    """The text of an element inside, or None."""
    return squeezed(element.findtext(path) or "") or None


def _day(tree: _Tree, found: Found, event: ET.Element) -> str | None:
    """The day of an event, from 05/03/2024."""
    text = _text(event, "DATE")
    written = _DAY.fullmatch(text or "")
    if written is None:
        found.problem(
            tree.line(event),
            said("the DATE of the event is %(text)s", text=text)
            if text
            else said("the DATE of the event is missing"),
            CLAUSE,
            said("Write day, month and year: 05/03/2024."),
        )  # fmt: skip
        return None
    day, month, year = written.groups()
    return f"{year}-{int(month):02d}-{int(day):02d}"
