"""
The result line of the Chicago Point, as backgammon clubs have printed results for decades.

    OPEN (48): 1-Phil Simborg (IL), 2-Carter Mattig (IL); 1C-Mark Rozans (LA),
    3/4C-Gregg Cattanach (GA) / Rory Pascar (MD); 1LC-Joe Freedman (VA). DOUBLES ...

A division is words in capitals, the number of entrants in brackets, a colon. ``C`` is Consolation,
``LC`` Last Chance; ``3/4`` is a rank two share; a pair of doubles is one entrant.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palmares.core.messages import msg, plural
from palmares.facts.decoding import ReportTables, event_id_of
from palmares.facts.names import PARTICLES, STATES, PrintedName, parse_name
from palmares.facts.text import squeezed
from palmares.formats.people import People
from palmares.formats.sheets import headers

CLAUSE = "report result line"
FLIGHTS = {"": "main", "C": "consolation", "LC": "last_chance"}
AROUND = 30
MOST_QUOTED = 120
KEYS = tuple(key for key in headers.WITH_DAY if key != "event")
"""What lines above may say; the heading of a division is the event's name."""

# What follows a word is in no word, so nothing is gained by giving letters or words back ("++"):
# a text of capitals alone would take a second.
_FIRST = r"[A-Z0-9#$'\u2019&+]"
_WORD = rf"{_FIRST}[A-Z0-9#$'\u2019&/+-]{{0,40}}+"
_DASH = r"[-\u2010-\u2015]"
_VALUE = r"(?<![:=])(?<![:=] )"  # what stands before a number that is not the value of a key
_DIVISION = re.compile(
    rf"(?<![\w(&'-])(?P<name>(?:(?![0-9#$])|{_VALUE})(?={_FIRST})(?=[^a-z:(]{{0,80}}[A-Z]{{2}}){_WORD}(?:\s++{_WORD}){{0,9}}+)\s*+"
    r"(?:\(\s*(?P<count>\d{1,9})\s*(?P<unit>[a-z]+)?\s*\)\s*:"
    rf"|:(?=\s*\d{{1,4}}(?:/\d{{1,4}})?[A-Z]{{0,3}}{_DASH}))"
)
_ENTRY = re.compile(
    r"(?<![\w(])(?P<first>[1-9][0-9]{0,5})(?:/(?P<last>[1-9][0-9]{0,5}))?(?P<flight>[A-Z]{0,3})\s?"
    rf"{_DASH}\s*(?P<split>split\b[\s:-]*)?"
)
SOFT_HYPHEN = "\u00ad"
MOST_OF_A_WORD = 60
_BROKEN = re.compile(r"[^\W\d_]-$")
_RANK_BEFORE = re.compile(r"\d[A-Z]{0,3}-$")
_CUT = re.compile(r"\.\.|\u2026")
_KEY = re.compile(r"[#\s]*[a-z][a-z_ ]*[:=].*")
"""A line that says something as those above a report do, whether we know its key or not."""
_NO_NAME = re.compile(
    r"[\d:;!?*=<>{}()\[\]|$\u20ac\u00a3#@%+~^_\\]"  # signs that no name has
    rf"|\s{_DASH}\s"
    r"|\band\b"
    r"|,(?!\s+(?:Jr|Sr|Esq|I{1,3}|IV|V)\.?$)"  # the comma of a suffix alone
    r"|(?<!\b\w)(?<!\b[DMJS]r)(?<!\bMrs)(?<!\bMs)(?<!\bSt)(?<!\bSte)(?<!\bEsq)(?<!\bProf)"
    r"(?<!\bRev)\.(?=.)"  # a full stop, but those of initials and titles
    r"|\b(?:[JS]r|Esq)\.(?=.)"
)
"""Where text begins that is no part of a name."""
MOST_WORDS = 6  # of a name; what has more is a sentence
_SPLIT_AFTER = re.compile(r"[\s,(]+split\)?$", re.IGNORECASE)


def is_line(text: str) -> bool:
    """Whether a text has at least one division with a first place."""
    return any(_ENTRY.match(text, key.end()) or _ENTRY.match(text, key.end() + 1)
               for key in _DIVISION.finditer(text))  # fmt: skip


def read(text: str, file: str, *, tournament: Mapping[str, str] | None = None) -> ReportTables:
    """Read the results of one tournament.

    Args:
        text: the lines.
        file: its name as the user knows it.
        tournament: columns of the tournament, which the line does not print: name, end_date, ...
    """
    findings = ReportTables(file)
    lines = text.split("\n")
    above = headers.preamble(lines, keys=KEYS)
    settings = [(at + 1, key, value) for at, key, value in above.settings]
    of_tournament, event = headers.parted(headers.values_of(settings, findings))
    given = {"discipline": "backgammon", **(tournament or {}), **of_tournament}
    line = next((line for line, name, _ in settings if name == headers.DAY), 1)
    key = headers.tournament(findings, given, msg("a result line"), line)
    below = _without_keys(findings, [""] * above.length + lines[above.length :])
    page = _joined(findings, below)
    _Reader(findings, page, People(findings), key, event).read()
    return findings


def _without_keys(findings: ReportTables, lines: list[str]) -> list[str]:
    """The lines without those, before the first division, that say something we do not know."""
    remaining = list(lines)
    for at, line in enumerate(lines):
        if _DIVISION.search(line):
            break
        if _KEY.fullmatch(line):
            remaining[at] = ""
            findings.problem(
                at + 1,
                msg("this line is not understood: '%(text)s'", text=squeezed(line)),
                CLAUSE,
                msg(
                    "Take it away, or write one of these keys, above everything else: %(keys)s.",
                    keys=", ".join(KEYS),
                ),
            )
    return remaining


@dataclass(frozen=True, slots=True)
class _Page:
    """Lines joined to one text, and the line each part of it came from."""

    text: str
    starts: tuple[int, ...]

    def line(self, at: int) -> int:
        return max(bisect(self.starts, at), 1)

    def around(self, start: int, end: int) -> str:
        return squeezed(self.text[max(start - AROUND, 0) : end + AROUND])


def _joined(findings: ReportTables, lines: Sequence[str]) -> _Page:
    """The lines as one text; a word broken over two lines is put together, with a notice."""
    parts: list[str] = []
    starts = []
    length, tail = 0, ""
    for number, line in enumerate(lines, 1):
        part = " ".join(line.split())
        if tail.endswith(SOFT_HYPHEN):
            joint = ""
        elif part and _BROKEN.search(tail) and not _RANK_BEFORE.search(tail):
            joint = ""
            left, right = re.split(r"[\s/,;]", tail)[-1], re.split(r"[\s/,;]", part)[0]
            if right[:1].islower() or (left[:-1].isupper() and right.isupper()):
                parts[-1] = parts[-1][:-1]
                length -= 1
                left = left[:-1]
            findings.notice(
                number,
                msg(
                    "a word broken at the end of a line was put together as '%(word)s'",
                    word=left + right,
                ),
                CLAUSE,
                msg("Correct the text if the hyphen belongs, or does not belong, to the word."),
            )
        else:
            joint = " " if tail else ""
        starts.append(length + len(joint))
        parts.append(joint + part)
        length += len(parts[-1])
        tail = parts[-1][-MOST_OF_A_WORD:] if part else tail
    return _Page("".join(parts), tuple(starts))


def _spans(parts: Sequence[re.Match[str]], end: int) -> list[tuple[re.Match[str], int]]:
    """Each part of a text, and where the next one begins."""
    return list(zip(parts, [*(part.start() for part in parts[1:]), end], strict=False))


@dataclass(slots=True)
class _Reader:
    findings: ReportTables
    page: _Page
    people: People
    tournament: str
    event: Mapping[str, str]  # what lines above say of the only one
    used: dict[str, int] = field(default_factory=dict)

    def read(self) -> None:
        """Every division; text before the first is reported."""
        headings = list(_DIVISION.finditer(self.page.text))
        begin = headings[0].start() if headings else len(self.page.text)
        if self.event and len(headings) > 1:
            self.findings.problem(
                1,
                msg("%(keys)s cannot apply to several divisions", keys=", ".join(self.event)),
                CLAUSE,
                msg("Write a TOML report, where each event has its own."),
            )
        before = _ENTRY.search(self.page.text, 0, begin)
        if before and headings:
            self.findings.problem(
                self.page.line(before.start()),
                msg(
                    "no division begins before these placings: '%(text)s'",
                    text=squeezed(self.page.text[:begin])[-MOST_QUOTED:],
                ),
                CLAUSE,
                msg("Write the heading in capitals: %(example)s.", example="'NOVICE (8):'"),
            )
        else:
            self.report_unread(0, begin, msg("no division begins here"))
        for heading, end in _spans(headings, len(self.page.text)):
            self.read_division(heading, end)
        if not headings:
            self.findings.problem(
                1,
                msg("no division was found"),
                CLAUSE,
                msg("A division reads %(example)s.", example="OPEN (48): 1-Ada Novak (IL)"),
            )
        self.people.write()

    def read_division(self, heading: re.Match[str], end: int) -> None:
        """One division: its event, its field, its placings."""
        name = squeezed(heading["name"])
        key = event_id_of(self.tournament, name)
        self.used[key] = self.used.get(key, 0) + 1
        if self.used[key] > 1:
            key = f"{key}-{self.used[key]}"
        before = len(self.findings.table("placings"))
        entries = list(_ENTRY.finditer(self.page.text, heading.end(), end))
        first = entries[0].start() if entries else heading.end()
        self.report_unread(heading.end(), first, msg("this belongs to no rank"))
        spans = _spans(entries, end)
        self.check_order(name, entries)
        pairs = [self.read_entry(key, *span) for span in spans]
        self.add_event(key, name, heading, team=any(pairs))
        if len(self.findings.table("placings")) == before:
            self.report_unread(
                heading.start(), end, msg("no placing of %(name)s could be read", name=name)
            )

    def add_event(self, key: str, name: str, heading: re.Match[str], *, team: bool) -> None:
        """The event of a division, and its field, if it is certain what was counted."""
        line = self.page.line(heading.start())
        count, unit = heading["count"], heading["unit"]
        certain = count if not team or unit else None
        if count and not certain and "entrants" not in self.event:
            self.findings.notice(
                line,
                msg(
                    "%(name)s (%(count)s): %(count)s pairs or %(count)s players?"
                    " The number is left out",
                    name=name,
                    count=count,
                ),
                CLAUSE,
                msg("Fill in entrants: how many pairs took part."),
            )
        row = {
            "event_id": key,
            "tournament_id": self.tournament,
            "name": name,
            "entrants": certain,
            "team": "true" if team else None,
            "printed_entrants": f"{count} {unit or ''}".strip() if count else None,
        }
        row |= self.event
        self.findings.add("events", row, line)
        field = certain or row["entrants"]
        if field:
            self.findings.add(
                "flights", {"event_id": key, "flight": "main", "entrants": field}, line
            )

    def check_order(self, name: str, entries: Sequence[re.Match[str]]) -> None:
        """Ranks of a flight rise; one that begins anew belongs to a division without a heading."""
        last: dict[str, int] = {}
        for entry in entries:
            rank, before = int(entry["first"]), last.get(entry["flight"], 0)
            if rank < before or rank == before == 1:
                self.findings.problem(
                    self.page.line(entry.start()),
                    msg(
                        "rank %(rank)s follows rank %(before)s in %(name)s, in '%(around)s'",
                        rank=rank,
                        before=before,
                        name=name,
                        around=self.page.around(entry.start(), entry.end()),
                    ),
                    CLAUSE,
                    msg(
                        "If a division begins here, give it a heading in capitals, such as"
                        " %(example)s; else put the ranks in order.",
                        example="'NOVICE (8):'",
                    ),
                )
                return
            last[entry["flight"]] = rank

    def read_entry(self, event_id: str, entry: re.Match[str], end: int) -> bool:
        """The players of one rank; whether they are pairs."""
        first, last = int(entry["first"]), int(entry["last"] or entry["first"])
        flight = FLIGHTS.get(entry["flight"])
        printed = squeezed(self.page.text[entry.end() : end].replace(SOFT_HYPHEN, ""))
        if not printed.rstrip(" ,;").endswith(("..", "\u2026")):
            printed = printed.rstrip(" ,;.")
        printed = _SPLIT_AFTER.sub("", printed)
        names = [key.strip() for key in printed.split("/")]
        share = last - first + 1
        why = (
            msg("the flight %(flight)s is unknown", flight=entry["flight"]) if flight is None
            else msg("the ranks run backwards") if share < 1
            else plural("%(names)s names share %(many)s place",
                         "%(names)s names share %(many)s places", share, names=len(names))
            if len(names) > share
            else ""
        )  # fmt: skip
        if why:
            self.report_unread(entry.start(), end, why)
            return False
        if len(names) < share:
            self.report_doubt(
                entry.start(),
                end,
                msg(
                    "%(share)s share the rank and %(names)s are printed",
                    share=share,
                    names=len(names),
                ),
            )
        people = [(self.parse_entrant(entry.start(), end, name), name) for name in names]
        rank = {"rank": str(first), "tied": str(share) if share > 1 else None}
        line = self.page.line(entry.start())
        for who, _ in people:
            player = who and self.people.enter(who, line)
            if who and player:
                place = {"event_id": event_id, "flight": flight, "player_id": player}
                self.findings.add("placings", {**place, **rank, "nation": who.nation}, line)
        return any(who and "&" in name for who, name in people)

    def parse_entrant(self, start: int, end: int, text: str) -> PrintedName | None:
        """One entrant, if it is certain how they are named."""
        if _CUT.search(text) or not any(char.isalpha() for char in text):
            self.report_unread(
                start,
                end,
                msg("'%(text)s' is cut off", text=text) if text else msg("no name follows"),
            )
            return None
        opened, closed = text.count("("), text.count(")")
        if opened == closed + 1 and text.rsplit("(", 1)[1].strip() in STATES:
            text += ")"
            self.report_doubt(start, end, msg("a bracket is not closed; the state in it is known"))
        elif opened != closed or text.find(")") < text.find("("):
            self.report_unread(
                start, end, msg("the brackets of '%(text)s' do not match", text=text)
            )
            return None
        if not self.is_name(start, text):
            return None
        for half in text.split("&"):
            *before, last = half.split() or [""]
            if len(before) > 1 and last in STATES:
                why = msg(
                    "'%(state)s' without brackets is taken for a part of the name", state=last
                )
                self.report_doubt(start, end, why)
        return self.people.parse(text, self.page.line(start))

    def is_name(self, start: int, text: str) -> bool:
        """Whether all of a text is understood as a name, or as two; else a problem."""
        wrong = next((rest for half in text.split("&") if (rest := self.text_after_name(half))), "")
        if wrong:
            self.findings.problem(
                self.page.line(start),
                msg(
                    "'%(text)s' is not a name: '%(wrong)s' is not understood",
                    text=text,
                    wrong=wrong,
                ),
                CLAUSE,
                msg(
                    "Remove what is not a name, or separate it: a placing reads %(placing)s, a"
                    " pair %(pair)s, and the heading of a division %(division)s.",
                    placing="'1-Ada Novak (IL),'",
                    pair="'1-Ada Novak (IL) & Ben Olsen (NJ),'",
                    division="'NOVICE (8):'",
                ),
            )
        return not wrong

    def text_after_name(self, half: str) -> str:
        """What in a printed name is no part of it; empty if it is a name."""
        who = parse_name(half)
        if who.unclear:
            return who.name[who.name.index(",") :].strip(" ,") or ","
        if who.origin and any(map(str.isdigit, who.origin)):
            return f"({who.origin})"
        sign = _NO_NAME.search(who.name)
        if sign:
            return who.name[sign.start() :].strip(" ,.") or sign[0]
        words = who.name.split()
        small = [
            word for word in words if word[0].islower() and word.strip("'\u2019.") not in PARTICLES
        ]
        if small and len(small) < len(words):
            return small[0]
        return " ".join(words[MOST_WORDS:])

    def report_unread(self, start: int, end: int, why: str) -> None:
        text = squeezed(self.page.text[start:end].replace(SOFT_HYPHEN, ""))
        if text.strip(" ,;.:"):
            self.findings.notice(
                self.page.line(start),
                msg(
                    "%(why)s; not read: '%(text)s', in '%(around)s'",
                    why=(why,),
                    text=text,
                    around=self.page.around(start, end),
                ),
                CLAUSE,
                msg("If it is a result, add it to the report by hand."),
            )

    def report_doubt(self, start: int, end: int, why: str) -> None:
        self.findings.notice(
            self.page.line(start),
            msg("%(why)s, in '%(around)s'", why=(why,), around=self.page.around(start, end)),
            CLAUSE,
            msg("Compare what was read with the original."),
        )
