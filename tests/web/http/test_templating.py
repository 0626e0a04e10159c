"""The code of templates is kept on disk, and taken where it is whole and of the same text."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from palmares.web.http.i18n import wording
from palmares.web.http.templating import ENVIRONMENT, SLICES, WEB, Compiled, isolated

TEXT = "{{ points }} points"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where code is kept; nothing is there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "palmares" / "templates"


def said(text: str) -> str:
    """What a template says in a process that has seen none."""
    fresh = Environment(
        loader=DictLoader({"a.html": text}), autoescape=True, bytecode_cache=Compiled()
    )
    return fresh.get_template("a.html").render(points=3)


def only(folder: Path) -> Path:
    """The one file of a folder."""
    (found,) = folder.iterdir()
    return found


def test_what_was_kept_is_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(TEXT)
    monkeypatch.delattr(Environment, "compile")  # nobody makes code
    assert said(TEXT) == "3 points"


def test_another_text_is_made_anew_in_its_place(folder: Path) -> None:
    assert said(TEXT) == "3 points"
    before = only(folder).name
    assert said("{{ points }} master points") == "3 master points"
    assert said("{{ points }} master points") == "3 master points"
    assert [one.name for one in folder.iterdir()] == [before]


def test_code_that_was_made_otherwise_is_not_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(TEXT)
    before = only(folder).read_bytes()
    monkeypatch.setattr("jinja2.__version__", "4.0")
    assert said(TEXT) == "3 points"
    assert only(folder).read_bytes() != before


@pytest.mark.parametrize("many", [0, 31, 32, 50, -1])
def test_half_a_file_is_not_taken(folder: Path, many: int) -> None:
    said(TEXT)
    whole = only(folder).read_bytes()
    only(folder).write_bytes(whole[:many])
    assert said(TEXT) == "3 points"
    assert only(folder).read_bytes() == whole


def test_nor_is_one_with_a_flipped_bit(folder: Path) -> None:
    said(TEXT)
    whole = only(folder).read_bytes()
    for byte in range(0, len(whole), len(whole) // 20):
        only(folder).write_bytes(whole[:byte] + bytes([whole[byte] ^ 1]) + whole[byte + 1 :])
        assert said(TEXT) == "3 points"
        assert only(folder).read_bytes() == whole


def test_where_nothing_can_be_kept(folder: Path) -> None:
    folder.parent.parent.joinpath("palmares").write_text("")  # a file, where a folder would be
    assert said(TEXT) == "3 points"
    assert said(TEXT) == "3 points"
    assert folder.parent.is_file()


def test_only_its_owner_looks_into_the_folder(folder: Path) -> None:
    said(TEXT)
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("Ada Novak [P1] is now 12", "Ada Novak [P1] is now 12"),
        ("דוד [7] is now מחמד", "\u2068דוד\u2069 [7] is now \u2068מחמד\u2069"),
        ("דוד, מחמד 12", "\u2068דוד\u2069, \u2068מחמד\u2069 12"),
        ("דוד בן-גוריון 3 ב: 2 of 5", "\u2068דוד בן-גוריון 3 ב\u2069: 2 of 5"),
    ],
)
def test_a_name_from_the_right_turns_nothing_round(sentence: str, kept: str) -> None:
    assert isolated(sentence) == kept
    shown = ENVIRONMENT.from_string("{{ _ | isolated }}").render(_=f"<b> {sentence}")
    assert shown == f"&lt;b&gt; {kept}"


def test_a_colon_has_the_space_of_the_language() -> None:
    template = ENVIRONMENT.from_string("<h1 title='a:b'>{{ word }}: <b>2:1</b>: 3</h1>")
    for tag, colon in (("en", ":"), ("fr", "\u00a0:")):
        shown = template.render(word="Rang", colon=wording(tag).colon)
        assert shown == f"<h1 title='a:b'>Rang{colon} <b>2:1</b>{colon} 3</h1>"


def test_every_template_is_found_by_its_name_alone() -> None:
    """Of two templates of one name, whatever their folders, the second would never be shown."""
    names = sorted(path.name for path in WEB.glob("*/templates/*"))
    assert names == ENVIRONMENT.list_templates()
    assert {path.parent.name for path in WEB.glob("*/templates")} == set(SLICES)
