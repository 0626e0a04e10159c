"""What is written appears whole or not at all, and nothing stays beside it."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from palmares.core.files import atomic_path, checksum, write_secret


def listing(folder: Path) -> list[str]:
    """All names below a folder."""
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*"))


def a_file(draft: Path) -> None:
    draft.write_bytes(b"new")


def a_folder(draft: Path) -> None:
    draft.mkdir()
    (draft / "part").write_bytes(b"new")


def test_a_file_takes_its_place(tmp_path: Path) -> None:
    place = tmp_path / "list.csv"
    place.write_bytes(b"old")
    with atomic_path(place) as draft:
        a_file(draft)
        assert place.read_bytes() == b"old"
        assert draft.name.startswith(".")  # nobody reads it for a report
    assert place.read_bytes() == b"new"
    assert listing(tmp_path) == ["list.csv"]


def test_a_folder_takes_its_place_with_those_above_it(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "deep" / "deeper" / "out") as draft:
        a_folder(draft)
        assert not (tmp_path / "deep").exists()
    assert listing(tmp_path / "deep") == ["deeper", "deeper/out", "deeper/out/part"]
    assert listing(tmp_path)[0] == "deep"


def test_a_folder_takes_the_place_of_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with atomic_path(tmp_path / "out") as draft:
        a_folder(draft)
    assert listing(tmp_path) == ["out", "out/part"]


@pytest.mark.parametrize("made", [a_file, a_folder])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, OSError, GeneratorExit])
def test_nothing_stays_behind(
    tmp_path: Path, made: Callable[[Path], None], stop: type[BaseException]
) -> None:
    def work() -> None:
        with atomic_path(tmp_path / "out") as draft:
            made(draft)
            raise stop

    with pytest.raises(stop):
        work()
    assert listing(tmp_path) == []


def test_folders_above_go_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(source: object, target: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    place = tmp_path / "deep" / "deeper" / "out"
    with pytest.raises(KeyboardInterrupt), atomic_path(place) as draft:
        a_folder(draft)
    assert listing(tmp_path) == []


def test_a_full_folder_is_not_replaced(tmp_path: Path) -> None:
    a_folder(tmp_path / "out")
    with pytest.raises(OSError, match="not empty"), atomic_path(tmp_path / "out") as draft:
        draft.mkdir()
    assert listing(tmp_path) == ["out", "out/part"]


def test_no_folder_is_made_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "no" / "list.csv") as draft:
        a_file(draft)
    assert listing(tmp_path) == []


def test_a_name_of_the_greatest_length(tmp_path: Path) -> None:
    with atomic_path(tmp_path / ("x" * 255)) as draft:
        a_file(draft)
    assert listing(tmp_path) == ["x" * 255]


def test_any_damage_gives_another_checksum(tmp_path: Path) -> None:
    """A flipped bit, a byte less or more, a page of zeros, two pages in each other's place."""
    sound = bytes(range(256)) * 5_000  # more than is looked at together
    page = 4096
    damaged = {
        "a bit": sound[:99] + bytes([sound[99] ^ 1]) + sound[100:],
        "the last bit": sound[:-1] + bytes([sound[-1] ^ 128]),
        "a byte less": sound[:-1],
        "a zero more": sound + b"\0",
        "a page of zeros": bytes(page) + sound[page:],
        "pages": sound[1:page] + sound[:1] + sound[page:],
        "nothing": b"",
    }
    file = tmp_path / "table"
    file.write_bytes(sound)
    known = checksum(file)
    assert known == f"{len(sound)}-{zlib.crc32(sound):08x}"
    for name, content in damaged.items():
        file.write_bytes(content)
        assert checksum(file) != known, name


def test_no_half_of_a_secret_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk, an empty file would refuse the next try."""

    def full(_number: int, mode: str, **_more: object) -> object:
        return open("/dev/full", mode)  # noqa: PTH123

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(OSError, match="No space left"):
        write_secret(tmp_path / "secret", "abc")
    assert listing(tmp_path) == []
