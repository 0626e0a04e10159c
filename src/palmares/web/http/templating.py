"""
Templates of pages, what they draw with (flags, icons, sparklines), and the static files.

Compiling all templates takes most of a second, so the compiled code is cached in the user's
cache folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

import jinja2
from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from markupsafe import Markup, escape

from palmares.core.files import cache_folder, read_cached, write_cached
from palmares.web.http.i18n import LANGUAGES, two_letters
from palmares.web.http.routing import home_page, to

WEB = Path(str(files("palmares.web")))
KINDS: Mapping[str, str] = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
"""The files that are served, by suffix."""
SLICES = (
    "shared",
    "accounts",
    "api",
    "bridge",
    "calculators",
    "director",
    "federation",
    "fund",
    "officer",
    "players",
    "publications",
    "rankings",
    "recognition",
    "regulations",
    "tournaments",
)
"""The folders with templates; a template has a name of its own, whatever folder it lies in."""
FOR_GOOD, FOR_AN_HOUR = "public, max-age=31536000, immutable", "public, max-age=3600"
"""How long a browser may cache a file: with its version in the address, or without."""


@cache
def contents() -> Mapping[str, bytes]:
    """Every file by its name, read once, so that no request can open another file."""
    place = WEB / "assets"
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.suffix in KINDS
    }


@cache
def _digest(name: str) -> str:
    return sha256(contents()[name]).hexdigest()[:32]


async def assets(file_path: FromPath[str], v: FromQuery[str] = "") -> Response[bytes]:
    """A file of the site: its styles, its scripts."""
    content = contents().get(file_path)
    if content is None:
        raise NotFoundException
    caching = FOR_GOOD if v == _digest(file_path)[:12] else FOR_AN_HOUR
    headers = {"ETag": f'"{_digest(file_path)}"', "Cache-Control": caching}
    return Response(content, media_type=KINDS[Path(file_path).suffix], headers=headers)


async def favicon() -> Response[bytes]:
    """The icon at the address where browsers look without reading a page."""
    return await assets("favicon.ico")


class Compiled(BytecodeCache):
    """Compiled templates in the user's cache folder, a file each.

    The checksum covers the template, the version of Jinja, and this module, which has the settings.
    """

    def __init__(self) -> None:
        self._versions = jinja2.__version__ + sha256(Path(__file__).read_bytes()).hexdigest()

    def get_source_checksum(self, source: str) -> str:
        """The checksum of a template, Jinja and this module."""
        return sha256((self._versions + source).encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load stored code; Jinja checks that it is of this text."""
        code = read_cached(_file(bucket))
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store code."""
        write_cached(_file(bucket), bucket.bytecode_to_string())


def _file(bucket: Bucket) -> Path:
    return cache_folder() / "templates" / bucket.key  # of the template's name and place


_RIGHT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_NAMES = re.compile(rf"[{_RIGHT}](?:[\s\d.'’-]*[{_RIGHT}])*")

_QUOTED = re.compile("(“[^“”„]*”)")


def isolated(text: object) -> str:
    """A sentence in which names written from right to left are isolated from the text around them.

    In cells and links the stylesheet does this.
    """
    return _NAMES.sub("\u2068\\g<0>\u2069", str(text))


def quoted(text: object) -> Markup:
    """Our words in a reader's language; what they quote of a regulation, “ours”, is English."""
    english = Markup('<span lang="en">%s</span>')
    parts = enumerate(_QUOTED.split(str(text)))  # what is quoted stands at 1, 3, 5 …
    return Markup("").join(english % part if place % 2 else part for place, part in parts)


def indented(text: str) -> str:
    """JSON, a line for each value."""
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1)


@cache
def flag(nation: str | None) -> Markup:
    """A nation's flag beside its code or name; nothing where there is no picture of it."""
    code = SPORT_FLAGS.get(nation or "") or two_letters().get(nation or "")
    name = f"{FLAGS}/{code}.svg"
    if name not in contents():
        return Markup()
    return Markup(
        '<img class="flag" src="{}" width="20" height="15" alt="" loading="lazy">'
    ).format(asset(name))


@cache
def icon(name: str) -> Markup:
    """A picture of our own beside words."""
    return Markup('<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>').format(
        asset("icons.svg"), name
    )


def asset(name: str) -> str:
    """A file of our own, in the version that is there now."""
    return f"/assets/{name}?v={_digest(name)[:12]}"


def clause(reference: str, edition: str | None = None) -> str:
    """The address of a clause by its reference: "wbgf grade"."""
    name, _, which = reference.partition(" ")
    return f"{to.regulation(name, edition)}#{quote(which, safe='')}"


FLAGS = "vendor/flags"
"""The folder of flags among the assets: a file each, named by ISO's codes of two letters."""
SPORT_FLAGS: Mapping[str, str] = {
    "ENG": "GB-ENG",
    "SCO": "GB-SCT",
    "WAL": "GB-WLS",
    "NIR": "GB-NIR",
    "XKX": "XK",
}
"""Flags of nations that have no code in ISO 3166-1."""
_WIDTH, _TOP, _BOTTOM = 88, 2, 18


@cache
def _steps(values: int) -> tuple[str, ...]:
    """How far right each of so many values is drawn."""
    return tuple(f"{round(i * _WIDTH / (values - 1), 1):g}" for i in range(values))


_HEIGHTS = tuple(f"{tenth / 10:g}" for tenth in range(10 * _BOTTOM + 1))


def sparkline(values: Sequence[int | None]) -> Markup:
    """The curve of some values in a box of 88 by 20, the oldest first; higher is further up.

    It begins where there is a value; nothing for one alone.
    """
    if not values[1:]:
        return Markup()
    present = [value for value in values if value is not None]
    low, high = min(present), max(present)
    scale = 10 * (_BOTTOM - _TOP) / (high - low) if high > low else 0
    tenths = [round(10 * _BOTTOM - (value - low) * scale) for value in present]
    steps = _steps(len(values))[len(values) - len(present) :]
    points = " ".join([f"{x},{_HEIGHTS[tenth]}" for x, tenth in zip(steps, tenths, strict=True)])
    return Markup(  # noqa: S704  numbers alone
        '<svg class="spark" viewBox="0 0 88 20" aria-hidden="true">'
        f'<polyline points="{points}"/><circle cx="88" cy="{_HEIGHTS[tenths[-1]]}" r="2"/></svg>'
    )


_SIGNS = re.compile("[&<>'\"]")


def escaped(value: object) -> str:
    """Text of a page; most has nothing to escape, and there are a thousand pieces on one."""
    if type(value) is Markup or (type(value) is str and not _SIGNS.search(value)):
        return value
    return escape(value)


class QuickCode(CodeGenerator):
    """The code of templates, which calls our functions and macros as they are.

    Jinja asks of each what it wants to be told beside its arguments: a page calls hundreds, and
    they want nothing.
    """

    def visit_Template(  # noqa: N802  Jinja's name, as below
        self, node: nodes.Template, frame: Frame | None = None
    ) -> None:
        """The code of a template, after the names that the rest of it has."""
        self.writeline(f"from operator import call; from {__name__} import escaped")
        super().visit_Template(node, frame)

    def visit_Call(  # noqa: N802
        self,
        node: nodes.Call,
        frame: Frame,
        forward_caller: bool = False,  # noqa: FBT001, FBT002  as Jinja has it
    ) -> None:
        """A call."""
        self.write("call(")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def _output_child_pre(self, *_: object) -> None:
        self.write("escaped(")


class Colons(Extension):
    """A colon after what a page says, as the reader's language writes it: ``Rang :`` in French."""

    def preprocess(
        self,
        source: str,
        name: str | None,  # noqa: ARG002  Jinja gives it
        filename: str | None = None,  # noqa: ARG002
    ) -> str:
        """The source of a template, with ``colon`` for each colon after an expression or a tag."""
        return _COLON.sub("{{ colon }}", source)


_COLON = re.compile(r"(?<=[}>]):(?=[ <{])")

ENVIRONMENT = Environment(
    loader=FileSystemLoader([WEB / name / "templates" for name in SLICES]),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
    bytecode_cache=Compiled(),
    extensions=[Colons],
)
ENVIRONMENT.code_generator_class = QuickCode
ENVIRONMENT.globals.update(
    to=to,
    asset=asset,
    clause=clause,
    home_page=home_page,
    languages=LANGUAGES,
    draw_flag=flag,
    draw_icon=icon,
    draw_spark=sparkline,
)
ENVIRONMENT.filters.update(indented=indented, isolated=isolated, quoted=quoted)


def compiled() -> None:
    """Load every template now, so that no visitor waits for it."""
    for name in ENVIRONMENT.list_templates():
        ENVIRONMENT.get_template(name)
