"""
The result line of the Chicago Point, as backgammon clubs have printed results for decades.

    OPEN (48): 1-Phil Simborg (IL), 2-Carter Mattig (IL); 1C-Mark Rozans (LA),
    3/4C-Gregg Cattanach (GA) / Rory Pascar (MD); 1LC-Joe Freedman (VA). DOUBLES
    (20 teams): 1-Ray Fogerlund (CA) & James Roston (NY). BLITZ (12): 1/3-split-...

    read        the lines  ->  Raw; what is certain is read, what is not is listed in the notices
    is_line     whether a text looks like such lines

A division is words in capitals, the number of entrants in brackets, a colon. ``C`` is Consolation,
``LC`` Last Chance; ``3/4`` is a rank two share; a pair of doubles is one entrant, named as printed.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from palmares.facts.raw import Raw
from palmares.reports import heads
from palmares.reports.names import STATES, Named, Nations, nation_table
from palmares.reports.people import People
from palmares.reports.texts import Found, decoded, slug, squeezed
from palmares.sentences import counted, said

CLAUSE = "report result line"
FLIGHTS = {"": "main", "C": "consolation", "LC": "last_chance"}
AROUND = 30

# What follows a word is in no word, so nothing is gained by giving letters or words back ("++"):
# a text of capitals alone would take a second.
_FIRST = r"[A-Z0-9#$'\u2019&+]"
_WORD = rf"{_FIRST}[A-Z0-9#$'\u2019&/+-]{{0,40}}+"
_DIVISION = re.compile(
    rf"(?<![\w(&'-])(?P<name>(?={_FIRST})(?=[^a-z:(]{{0,80}}[A-Z]{{2}}){_WORD}(?:\s++{_WORD}){{0,9}}+)\s*+"
    r"(?:\(\s*(?P<count>\d{1,9})\s*(?P<unit>[a-z]+)?\s*\)\s*:|:(?=\s*\d{1,4}(?:/\d{1,4})?[A-Z]{0,3}-))"
)
_ENTRY = re.compile(
    r"(?<![\w(])(?P<first>[1-9][0-9]{0,5})(?:/(?P<last>[1-9][0-9]{0,5}))?(?P<flight>[A-Z]{0,3})\s?-\s*"
    r"(?P<split>split\b[\s:-]*)?"
)
SOFT_HYPHEN = "\u00ad"
MOST_OF_A_WORD = 60
_BROKEN = re.compile(r"[^\W\d_]-$")
_RANK_BEFORE = re.compile(r"\d[A-Z]{0,3}-$")
_CUT = re.compile(r"\.\.|\u2026")
_SPLIT_AFTER = re.compile(r"[\s,(]+split\)?$", re.IGNORECASE)


def is_line(text: str) -> bool:
    """Whether a text has at least one division with a first place."""
    return any(_ENTRY.match(text, one.end()) or _ENTRY.match(text, one.end() + 1)
               for one in _DIVISION.finditer(text))  # fmt: skip


def read(
    content: str | bytes,
    file: str,
    *,
    tournament: Mapping[str, str] | None = None,
    events: Mapping[str, Mapping[str, str]] | None = None,
    nations: Nations | None = None,
    encoding: str | None = None,
) -> Raw:
    """Read the results of one tournament.

    Args:
        content: the lines, as text or as the bytes of their file.
        file: its name as the user knows it.
        tournament: columns of the tournament, which the line does not print: name, end_date, ...
        events: by a division's name as printed, columns of its event: division_rank, kind, ...
        nations: exact look-up of codes and countries' names; without it, the project's table.
        encoding: of the bytes; without it UTF-8.
    """
    found = Found(file)
    text = decoded(content, found, encoding) if isinstance(content, bytes) else content
    if text is None:
        return found.raw
    lines = text.split("\n")
    head, above = heads.above(lines)
    given = {"discipline": "backgammon", **(tournament or {}), **head}
    key = heads.tournament(found, given, said("a result line"))
    page = _joined(found, [""] * above + lines[above:])
    _Reader(found, page, People(found, nations or nation_table()), key, events or {}).read()
    return found.raw


@dataclass(frozen=True, slots=True)
class _Page:
    """Lines joined to one text, and the line each part of it came from."""

    text: str
    starts: tuple[int, ...]

    def line(self, at: int) -> int:
        return max(bisect(self.starts, at), 1)

    def around(self, start: int, end: int) -> str:
        return squeezed(self.text[max(start - AROUND, 0) : end + AROUND])


def _joined(found: Found, lines: Sequence[str]) -> _Page:
    """The lines as one text; a word broken over two lines is put together, and that is told."""
    parts: list[str] = []
    starts = []
    length, tail = 0, ""
    for number, line in enumerate(lines, 1):
        part = line.strip()
        if tail.endswith(SOFT_HYPHEN):
            joint = ""
        elif part and _BROKEN.search(tail) and not _RANK_BEFORE.search(tail):
            joint = ""
            left, right = re.split(r"[\s/,;]", tail)[-1], re.split(r"[\s/,;]", part)[0]
            if right[:1].islower() or (left[:-1].isupper() and right.isupper()):
                parts[-1] = parts[-1][:-1]
                length -= 1
                left = left[:-1]
            found.notice(
                number,
                said(
                    "a word broken at the end of a line was put together as '%(word)s'",
                    word=left + right,
                ),
                CLAUSE,
                said("Correct the text if the hyphen belongs, or does not belong, to the word."),
            )
        else:
            joint = " " if tail else ""
        starts.append(length + len(joint))
        parts.append(joint + part)
        length += len(parts[-1])
        tail = parts[-1][-MOST_OF_A_WORD:] if part else tail
    return _Page("".join(parts), tuple(starts))


@dataclass(slots=True)
class _Reader:
    """Reads division after division."""

    found: Found
    page: _Page
    people: People
    tournament: str
    more: Mapping[str, Mapping[str, str]]
    used: dict[str, int] = field(default_factory=dict)

    def read(self) -> None:
        """Every division; what stands before the first is listed."""
        headings = list(_DIVISION.finditer(self.page.text))
        begin = headings[0].start() if headings else len(self.page.text)
        self.unread(0, begin, said("no division begins here"))
        for heading, following in pairwise([*headings, None]):
            end = following.start() if following else len(self.page.text)
            if heading:
                self.division(heading, end)
        if not headings:
            self.found.problem(
                1,
                said("no division was found"),
                CLAUSE,
                said("A division reads %(example)s.", example="OPEN (48): 1-Ada Novak (IL)"),
            )
        self.people.write()

    def division(self, heading: re.Match[str], end: int) -> None:
        """One division: its event, its field, its placings."""
        name = squeezed(heading["name"])
        key = f"{self.tournament}/{slug(name)}"
        self.used[key] = self.used.get(key, 0) + 1
        if self.used[key] > 1:
            key = f"{key}-{self.used[key]}"
        line = self.page.line(heading.start())
        before = len(self.found.raw.table("placings"))
        pairs = [self.entry(key, *span) for span in self.spans(heading.end(), end)]
        team = any(pairs)
        count, unit = heading["count"], heading["unit"]
        certain = count if not team or unit else None
        if count and not certain:
            self.found.notice(
                line,
                said(
                    "%(name)s (%(count)s): %(count)s pairs or %(count)s players?"
                    " The number is left out",
                    name=name,
                    count=count,
                ),
                CLAUSE,
                said("Fill in entrants: how many pairs took part."),
            )
        row = {
            "event_id": key,
            "tournament_id": self.tournament,
            "name": name,
            "entrants": certain,
            "team": "true" if team else None,
            "printed_entrants": f"{count} {unit or ''}".strip() if count else None,
        }
        self.found.add("events", {**row, **self.more.get(name, {})}, line)
        if certain:
            self.found.add(
                "flights", {"event_id": key, "flight": "main", "entrants": certain}, line
            )
        if len(self.found.raw.table("placings")) == before:
            self.unread(
                heading.start(), end, said("no placing of %(name)s could be read", name=name)
            )

    def spans(self, start: int, end: int) -> Iterator[tuple[re.Match[str], int]]:
        """Each placing of a division: where it begins, where the next one does."""
        entries = list(_ENTRY.finditer(self.page.text, start, end))
        self.unread(
            start, entries[0].start() if entries else start, said("this belongs to no rank")
        )
        for one, following in pairwise([*entries, None]):
            if one is not None:
                yield one, following.start() if following else end

    def entry(self, event_id: str, entry: re.Match[str], end: int) -> bool:
        """The players of one rank; whether they are pairs."""
        first, last = int(entry["first"]), int(entry["last"] or entry["first"])
        flight = FLIGHTS.get(entry["flight"])
        printed = squeezed(self.page.text[entry.end() : end].replace(SOFT_HYPHEN, ""))
        if not printed.rstrip(" ,;").endswith(("..", "\u2026")):
            printed = printed.rstrip(" ,;.")
        printed = _SPLIT_AFTER.sub("", printed)
        names = [one.strip() for one in printed.split("/")]
        share = last - first + 1
        why = (
            said("nobody knows the flight %(flight)s", flight=entry["flight"]) if flight is None
            else said("the ranks run backwards") if share < 1
            else counted("%(names)s names share %(many)s place",
                         "%(names)s names share %(many)s places", share, names=len(names))
            if len(names) > share
            else ""
        )  # fmt: skip
        if why:
            self.unread(entry.start(), end, why)
            return False
        if len(names) < share:
            what = said(
                "%(share)s share the rank and %(names)s are printed", share=share, names=len(names)
            )
            self.list(entry.start(), end, what)
        people = [(self.person(entry.start(), end, name), name) for name in names]
        for who, _ in people:
            player = who and self.people.enter(who, self.page.line(entry.start()))
            if who and player:
                self.found.add(
                    "placings",
                    {
                        "event_id": event_id,
                        "flight": flight,
                        "player_id": player,
                        "rank": str(first),
                        "tied": str(share) if share > 1 else None,
                        "nation": who.nation,
                    },
                    self.page.line(entry.start()),
                )
        return any(who and "&" in name for who, name in people)

    def person(self, start: int, end: int, text: str) -> Named | None:
        """One entrant, if it is certain how he is named."""
        if _CUT.search(text) or not any(char.isalpha() for char in text):
            what = said("'%(text)s' is cut off", text=text)
            self.unread(start, end, what if text else said("no name follows"))
            return None
        opened, closed = text.count("("), text.count(")")
        if opened == closed + 1 and text.rsplit("(", 1)[1].strip() in STATES:
            text += ")"
            self.list(start, end, said("a bracket is not closed; the state in it is known"))
        elif opened != closed or text.find(")") < text.find("("):
            what = said("the brackets of '%(text)s' do not match", text=text)
            self.unread(start, end, what)
            return None
        if "&" in text:
            return Named(name=text, written=text)
        return self.people.parse(text, self.page.line(start))

    def unread(self, start: int, end: int, why: str) -> None:
        """List a stretch of text that was not read, with what stands around it."""
        text = squeezed(self.page.text[start:end].replace(SOFT_HYPHEN, ""))
        if text.strip(" ,;.:"):
            self.found.notice(
                self.page.line(start),
                said(
                    "%(why)s; not read: '%(text)s', in '%(around)s'",
                    why=(why,),
                    text=text,
                    around=self.page.around(start, end),
                ),
                CLAUSE,
                said("If it is a result, add it to the report by hand."),
            )

    def list(self, start: int, end: int, why: str) -> None:
        """List a stretch of text that was read, though it is odd."""
        self.found.notice(
            self.page.line(start),
            said("%(why)s, in '%(around)s'", why=(why,), around=self.page.around(start, end)),
            CLAUSE,
            said("Compare what was read with the original."),
        )
