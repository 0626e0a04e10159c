"""
Header rows of sheets of placings, in the words people use in five languages, and what stands above.

A word is looked up, never guessed. *Nom*, *nombre*, *nome*, *Name* mean the whole name, unless
another column holds the other half. Lines such as ``name: 26th Chicago Open`` above a sheet, or a
pasted text, say which tournament it belongs to.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from palmares.core.messages import joined, msg
from palmares.facts.cells import serial_day
from palmares.facts.decoding import ReportTables, letters, tournament_id_of
from palmares.facts.problems import NO_TITLE, Cell
from palmares.facts.schema import cell_columns
from palmares.facts.text import squeezed
from palmares.formats.days import Span, spans_of
from palmares.formats.lines import COUNTED, count_of, flight_of
from palmares.formats.sheets.workbook import COMPUTE, NOT_COMPUTED

WORDS = {
    "rank": (
        "rank|rk|ranking|place|placing|placement|position|pos|#|finish|standing|final rank|"
        "final place|final position|final standing|place finished|finish position|"
        "platz|platzierung|pl|plz|rang|rg|endplatz|endrang|"
        "classement|clt|cl|rang final|place finale|"
        "puesto|posicion|clasificacion|lugar|puesto final|"
        "posizione|classifica|posto|piazzamento|posizione finale"
    ),
    "name": (
        "full name|player|player name|participant|competitor|name of player|entrant|"
        "names|players|pairs|pair names|"
        "spieler|spielerin|spielername|teilnehmer|vor- und nachname|name vorname|vorname name|"
        "joueur|joueuse|participant e|nom et prenom|nom prenom|prenom nom|nom complet|"
        "jugador|jugadora|nombre y apellido|nombre y apellidos|nombre completo|participante|"
        "giocatore|giocatrice|nome e cognome|cognome e nome|nome completo|partecipante"
    ),
    "first": (
        "first|first name|firstname|given name|given names|forename|"
        "vorname|vornamen|prenom|prenoms|nombre de pila"
    ),
    "last": (
        "last|last name|lastname|surname|family name|nachname|familienname|zuname|"
        "nom de famille|apellido|apellidos|cognome"
    ),
    "nation": (
        "nation|nationality|country|country code|ctry|nat|flag|noc|"
        "land|nationalitat|staat|pays|nationalite|pais|nacionalidad|bandera|"
        "nazione|nazionalita|paese|fed|federation|verband|federacion|federazione"
    ),
    "origin": "state|city|town|club|home|ort|wohnort|verein|stadt|ville|ciudad|citta|residence",
    "id": (
        "id|player id|member id|member no|member number|membership no|membership number|"
        "usbgf id|usbgf no|usbgf number|licence|license|licence no|license no|"
        "mitgliedsnummer|mitgliedsnr|mitglied nr|spieler id|lizenz|lizenznummer|"
        "no licence|numero de licence|id joueur|licencia|numero de licencia|numero de socio|"
        "tessera|numero tessera|id giocatore"
    ),
    "designated": "designated|designated finisher|ranked finisher",
    "rounds_behind": "rounds behind",
    "flight": "flight|bracket|draw|tableau|turnierbaum|cuadro|tabellone|section",
    "event": (
        "event|division|div|category|cat|tournament|competition|turnier|kategorie|klasse|"
        "epreuve|categorie|tournoi|evento|categoria|torneo|gara"
    ),
}  # fmt: skip
"""What each column may be called: words between bars, in lower case without accents."""

WHOLE_OR_HALF = {"nom": "last", "nombre": "first", "nome": "first", "name": "last"}
"""Words for a whole name, or for one half of it where the other half has its own column."""

LAST_NAME_FIRST = frozenset({"name vorname", "nom et prenom", "nom prenom", "cognome e nome"})
"""Words for a whole name whose last name stands first."""

SECOND = frozenset({
    "partner", "teammate", "player 2", "name 2", "second player", "partnerin", "spieler 2",
    "partenaire", "joueur 2", "companero", "companera", "jugador 2", "compagno", "compagna",
    "giocatore 2",
})  # fmt: skip
"""Words that head the other player of a pair."""

UNCLEAR = {"no", "nr", "num", "number", "nummer", "numero", "n"}
"""Words that may be a rank or a player's number; ignored."""
IGNORED = frozenset({
    "points", "pts", "score", "rating", "elo", "total", "wins", "losses", "prize", "money",
    "punkte", "pkt", "siege", "preis", "puntos", "puntuacion", "punti", "punteggio",
})  # fmt: skip
"""Other words that head columns, which are not read."""

TITLES = {"first": "first name", "last": "last name", "id": "id of the player",
          "rounds_behind": "number of rounds behind"}  # fmt: skip
"""What columns are called in a message, where that is not their key."""
_OTHER_HALF = {"first": "last", "last": "first"}
COLUMNS = {word: column for column, words in WORDS.items() for word in words.split("|")}


@dataclass(frozen=True, slots=True)
class HeaderMap:
    """What each cell of a header row was taken for."""

    header: tuple[str, ...]
    taken: dict[str, int]  # column -> where
    ignored: tuple[str, ...]
    unclear: tuple[str, ...]  # what must be settled before anything is read


def bare(text: str) -> str:
    """A header cell as it is looked up: lower case, no accents, stops or commas, single spaces."""
    letters = unicodedata.normalize("NFKD", text.replace("°", "").replace("º", ""))
    plain = "".join(char for char in letters if not unicodedata.combining(char))
    return squeezed(re.sub("[.,:_]", " ", plain)).casefold()


def assigned(header: Sequence[str], columns: Mapping[str, str] = COLUMNS) -> HeaderMap:
    """What the words of a header row say; unclear if two cells would be the same column.

    Args:
        header: the cells, as text.
        columns: what each word is taken for.
    """
    words = [bare(cell) for cell in header]
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        if word in columns:
            places.setdefault(columns[word], []).append(at)
    for at, word in enumerate(words):
        if word in WHOLE_OR_HALF:
            half = WHOLE_OR_HALF[word]
            places.setdefault(half if _OTHER_HALF[half] in places else "name", []).append(at)
    unclear = tuple(
        msg(
            "%(cells)s both look like the %(column)s",
            cells=joined(_quoted(header, several)),
            column=TITLES.get(column, column),
        )
        for column, several in places.items()
        if len(several) > 1
    )
    used = {at for several in places.values() for at in several}
    ignored = tuple(cell for at, cell in enumerate(header) if at not in used and cell.strip())
    taken = {column: several[0] for column, several in places.items()}
    return HeaderMap(tuple(header), taken, ignored, unclear)


def map_header(header: Sequence[str]) -> HeaderMap:
    """What each cell of a header row of placings is taken for.

    Args:
        header: the cells, as text.

    Returns:
        The mapping. It is unclear, and nothing may be read, if there is no rank or no name, or if
        two cells would be the same column; each unclear point names the cells.
    """
    mapping = assigned(header)
    unclear = [*mapping.unclear]
    if "rank" not in mapping.taken:
        maybe = [at for at, cell in enumerate(header) if bare(cell) in UNCLEAR]
        unclear.append(_missing(header, "rank", maybe))
    if "name" not in mapping.taken and not {"first", "last"} <= mapping.taken.keys():
        unclear.append(_missing(header, "name", []))
    if "name" in mapping.taken and mapping.taken.keys() & {"first", "last"}:
        names = [mapping.taken[half] for half in ("name", "first", "last") if half in mapping.taken]
        cells = joined(_quoted(header, names))
        unclear.append(msg("%(cells)s are more than one name", cells=cells))
    unclear += [
        msg("'%(cell)s' holds the other player of a pair, who would be lost", cell=cell)
        for cell in mapping.ignored
        if bare(cell) in SECOND and "name" in mapping.taken
    ]
    return replace(mapping, unclear=tuple(unclear))


_FORMULA_ERROR = re.compile(r"#(?:N/A|N/D|NV|[\u00a1\u00bf]?[\w/]+\s?[!?])|[^\W\d]+\s?:\d{3}")
"""What spreadsheet programs show for a formula that they cannot compute, in any language."""


def cells_of(
    row: Sequence[str],
    mapping: HeaderMap,
    findings: ReportTables,
    line: int,
    clause: str,
) -> dict[str, str] | None:
    """The cells of a row by their columns; none and a problem if they cannot be right.

    Args:
        row: the cells.
        mapping: the header row.
        findings: where a problem goes.
        line: of the row.
        clause: of a problem.
    """
    if any(map(str.strip, row[len(mapping.header) :])):
        what = msg("more cells than the header row has")
        remedy = msg("A cell with a comma needs quotes: %(example)s", example='1,Ada Novak,"12,5"')
        findings.problem(line, what, clause, remedy)
        return None
    cells = {name: row[at].strip() if at < len(row) else "" for name, at in mapping.taken.items()}
    wrong = [
        _report_error(findings, line, cell, clause, mapping.taken[name])
        for name, cell in cells.items()
    ]
    return None if any(wrong) else cells


def _report_error(
    findings: ReportTables, line: int, text: str, clause: str, at: int | None = None
) -> bool:
    """Add a problem if a cell shows the error of a formula, or has no result; whether it does."""
    if not _FORMULA_ERROR.fullmatch(text):
        return False
    source = findings.seen.get(findings.file)
    column = letters(source.left + at) if source and source.rows and at is not None else ""
    what = msg("'%(text)s' is the error of a formula", text=text)
    remedy = msg("Correct the formula, or write the value in its place.")
    if text == NOT_COMPUTED:
        what, remedy = msg("a formula has no result in the file"), COMPUTE
    findings.problem(line, what, clause, remedy, column=column)
    return True


def _quoted(header: Sequence[str], places: Sequence[int]) -> list[str]:
    return [f"'{header[at]}'" for at in places]


def _missing(header: Sequence[str], column: str, maybe: Sequence[int]) -> str:
    if maybe:
        return msg(
            "no column is surely the %(column)s: %(cells)s may be it, or a number of the player",
            column=column,
            cells=", ".join(_quoted(header, maybe)),
        )
    cells = ", ".join(_quoted(header, range(min(len(header), 20))))
    return msg("none of %(cells)s is the %(column)s", cells=cells, column=column)


_SETTING = re.compile(r"[#\s]*([A-Za-z_ ]+?)\s*[:=][\s,;:]*(.*?)[\s,;]*")
_CELLS = re.compile(
    r"[#\s]*([A-Za-z_ ]+?) *[,;|\t][\s,;]*(\"[^\"]*\"|(?<=\t)[^\t]*[^\s,;]|[^,;|\t\"]+?)[\s,;|]*"
)
"""Keys in cells: ``discipline,backgammon``; behind a tab, commas and quotes are the value's."""
_QUOTED_KEY = re.compile(r"""^(?:"([^"]*)"|')""")
"""A key in quotes, as programs export cells of text, or behind an apostrophe that marks text."""
ABOVE = 20
"""Lines above the results that may be no keys, such as a title."""
STAND_INS = {"name": "unnamed", "end_date": "2000-01-01"}
"""In place of what is missing, so that there is one problem of it."""
KEYS = ("id", *cell_columns("tournaments"))
OF_EVENT = tuple(key for key in cell_columns("events") if key != "name")
ALL = tuple(dict.fromkeys((*KEYS, "event", *OF_EVENT)))
"""Every key of a text with one event; ``event`` is the event's name."""
DAY = "date"
WITH_DAY = (*ALL, DAY)
"""Those keys, and the days of the tournament as people write them: ``Date: 6-8 December 2019``."""
_OTHER_NAMES = {
    **dict.fromkeys(("dates", "datum", "fecha", "data"), DAY),
    **dict.fromkeys(
        ("tournament", "turnier", "tournoi", "torneo", "tournament_name", "turniername"), "name"
    ),
    "event_name": "event",
    **dict.fromkeys(COUNTED, "entrants"),
}
_SEPARATOR_OF_EXCEL = re.compile(r"\W*sep=.?\W*", re.IGNORECASE)


class Preamble(NamedTuple):
    """What stands above the results."""

    settings: Sequence[tuple[int, str, str]]  # place of the line, key, value
    length: int  # lines
    titles: Sequence[tuple[int, str]] = ()  # places and texts of lines that are no keys
    flights: Sequence[tuple[int, str]] = ()  # the same of lines that name a flight


def preamble(
    lines: Sequence[str],
    begins: Callable[[int], bool] = lambda _: True,
    keys: Collection[str] = ALL,
) -> Preamble:
    """The lines of keys above the results, and up to `ABOVE` others, such as a title.

    Where no results begin, what was no key is not taken for a title.

    Args:
        lines: of the whole text.
        begins: whether the results begin at a place; without it, where a line is no key.
        keys: that may stand there.
    """
    settings: list[tuple[int, str, str]] = []
    titles: list[tuple[int, str]] = []
    flights: list[tuple[int, str]] = []
    for at, line in enumerate(lines):
        if setting := _setting(line.strip(), keys):
            settings += [(at, *setting)] if setting[1] else []
        elif line.strip(" \t#,;") and not _SEPARATOR_OF_EXCEL.fullmatch(line):
            if begins(at):
                return Preamble(settings, at, titles, flights)
            text = re.sub('^"(.*)"$', r"\1", line.strip(" \t,;"))
            (flights if flight_of(text) else titles).append((at, text))
            if len(titles) > ABOVE:
                break
    return preamble(lines, keys=keys) if titles or flights else Preamble(settings, len(lines))


def values_of(settings: Iterable[tuple[int, str, str]], findings: ReportTables) -> dict[str, str]:
    """The values of keys, each with its line; a key with two values is a problem."""
    values: dict[str, str] = {}
    for line, key, value in settings:
        _report_error(findings, line, value, "report")
        if values.setdefault(key, value) != value:
            findings.problem(
                line,
                msg("%(key)s is here twice: %(first)s and %(second)s",
                    key=key, first=values[key], second=value),
                "report",
                msg("Keep one of them."),
            )  # fmt: skip
    return values


def _setting(line: str, keys: Collection[str]) -> tuple[str, str] | None:
    """The key and the value of a line; none of a header row such as ``name,nation``."""
    if DAY in keys and spans_of(day := line.strip(" \t,;")):  # and empty cells behind it
        return DAY, squeezed(day)
    line = _QUOTED_KEY.sub(r"\1", line)
    in_cells = _CELLS.fullmatch(line)
    written = in_cells or _SETTING.fullmatch(line)
    if written is None:
        return None
    key = written[1].strip().lower().replace(" ", "_")
    key = _OTHER_NAMES.get(key, key)
    value = squeezed(written[2]).strip('"')
    if key == "entrants":
        value = count_of(value) or value
    if key not in keys or (in_cells and is_column_word(value)):
        return None
    return key, value


def begins_with_key(text: str) -> bool:
    """Whether a line begins with a key of several words: ``Entry fee 100 EUR``."""
    line = bare(text)
    return any(line.startswith(f"{key.replace('_', ' ')} ") for key in WITH_DAY if "_" in key)


def is_column_word(cell: str) -> bool:
    """Whether a cell has a word that heads a column."""
    word = bare(cell)
    return word in COLUMNS or word in WHOLE_OR_HALF or word in UNCLEAR or word in IGNORED


def parted(values: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """What is said of the tournament, its event's name among it, and of the event."""
    event = {key: values[key] for key in OF_EVENT if key in values}
    return {key: value for key, value in values.items() if key not in event}, event


def tournament(findings: ReportTables, given: Mapping[str, str], what: str, line: int = 1) -> str:
    """Enter the tournament; its id, made from name and last day if none is given.

    Args:
        findings: where problems go.
        given: the columns of the tournament, and its days as `DAY`.
        what: the file, in a word.
        line: of the days.
    """
    row = {key: value for key, value in given.items() if value}
    written = row.pop(DAY, "")
    spans = spans_of(written)
    if len(spans) == 1 and "end_date" not in row:
        first, last = (day.isoformat() for day in spans[0])
        row = {"end_date": last, **({} if first == last else {"start_date": first}), **row}
    missing = [column for column in STAND_INS if column not in row]
    if written and "end_date" in missing:
        missing.remove("end_date")
        what_wrong, remedy = _unclear_day(written, spans)
        cell = Cell("tournaments", "end_date")
        findings.problem(line, what_wrong, cell, remedy, code=NO_TITLE)
    elif written and row["end_date"] not in [last.isoformat() for _, last in spans]:
        contradiction = msg("'%(text)s' is not read: end_date says %(day)s",
                        text=written, day=row["end_date"])  # fmt: skip
        findings.notice(line, contradiction, "report", msg("Remove the one that is wrong."))
    if missing:
        findings.problem(
            1,
            msg(
                "%(what)s does not give the tournament's %(columns)s",
                what=(what,),
                columns=joined(missing),
            ),
            "report",
            msg(
                "Put lines above it: %(name)s and %(day)s.",
                name="'name: 26th Chicago Open'",
                day="'end_date: 2005-05-30'",
            ),
            code=NO_TITLE,
        )
    row = {**STAND_INS, **row}
    name, day = row["name"], row["end_date"]
    key = row.pop("id", None) or row.pop("tournament_id", None)
    key = key or tournament_id_of(name, day)
    findings.add("tournaments", {"tournament_id": key, **row}, 1)
    return key


def _unclear_day(written: str, spans: Sequence[Span]) -> tuple[str, str]:
    """What is wrong with days that cannot be read, and what to do."""
    if spans:
        first, second = (last.isoformat() for _, last in spans)
        what = msg("'%(text)s' may be %(one)s or %(other)s", text=written, one=first, other=second)
        remedy = msg("Write year, month and day: %(one)s or %(other)s.",
                     one=f"'end_date: {first}'", other=f"'end_date: {second}'")  # fmt: skip
    else:
        what = msg("'%(text)s' is not understood as a date", text=written)
        day = serial_day(written) or "2005-05-30"
        remedy = msg("Write year, month and day: %(day)s.", day=f"'end_date: {day}'")
    return what, remedy
