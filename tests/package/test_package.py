"""
The package as people install it: built, installed away from its sources, and run.

There is no network: what it depends on is taken from the environment that runs the tests, palmares
from the wheel alone.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Sequence
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from palmares.cli import NEXT
from palmares.cli.demo.tour import STOPS
from tests.cli.mixed_results import mixed_results
from tests.house.rules import ROOT, published_files
from tests.processes import at_the_end, free_port

CORE = (
    "tests/core/test_rounding.py", "tests/bridge/test_results.py",
    "tests/house/test_house_rules.py", "tests/package/test_files.py",
)  # fmt: skip
"""Tests of the source archive that are run out of it: sums, texts, files."""
UV = [sys.executable, "-m", "uv", "--quiet", "--offline", "--no-config"]


def run(command: Sequence[object], place: Path) -> subprocess.CompletedProcess[str]:
    """A command in a directory, in an environment that says nothing of ours."""
    return subprocess.run(
        [*map(str, command)],
        cwd=place,
        env=plain(place),
        capture_output=True,
        text=True,
        check=False,
    )


def plain(place: Path) -> dict[str, str]:
    """The environment of somebody who has just opened a terminal."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(place), "LANG": "C.UTF-8", "COLUMNS": "80"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, unpacked; beside it in dist/ the archive, and the wheel made of it."""
    place = tmp_path_factory.mktemp("built")
    for root, target in ((ROOT, "sdist"), (place, "wheel")):
        where = root if root == ROOT else next(place.glob("palmares-*/"))
        command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", place / "dist"]
        done = run(command, where)
        assert done.returncode == 0, done.stderr
        if target == "sdist":
            # Python's own unpacks safely from 3.11.4 on, and Debian has 3.11.2.
            done = run(["tar", "-xzf", next((place / "dist").glob("*.tar.gz"))], place)
            assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in a fresh environment with the wheel; other packages are those of the tests."""
    place = tmp_path_factory.mktemp("installed")
    wheel = next((built / "dist").glob("*.whl"))
    for given in (["venv", "--python", sys.executable, "env"],
                  ["pip", "install", "--python", "env", "--no-deps", str(wheel)]):  # fmt: skip
        done = run([*UV, *given], place)
        assert done.returncode == 0, done.stderr
    folder = next((place / "env" / "lib").glob("python*/site-packages"))
    others = [path for path in sys.path if path.endswith("site-packages")]
    (folder / "others.pth").write_text("\n".join([sysconfig.get_path("purelib"), *others]) + "\n")
    return place / "env" / "bin" / "palmares"


# ── what is in it ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def metadata(built: Path) -> Message:
    """What the wheel says of itself."""
    with ZipFile(next((built / "dist").glob("*.whl"))) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(wheel.read(name).decode())


def test_the_page_of_the_wheel(metadata: Message) -> None:
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    urls = [one.partition(",")[0] for one in metadata.get_all("Project-URL", [])]
    assert {"Homepage", "Documentation", "Source", "Changelog"} == set(urls)
    versions = re.findall(
        r"^Programming Language :: Python :: (3\.\d+)$",
        "\n".join(metadata.get_all("Classifier", [])),
        re.MULTILINE,
    )
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert metadata["Requires-Python"] == ">=3.11"


def test_the_examples_are_inside(built: Path) -> None:
    with ZipFile(next((built / "dist").glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if name.startswith("palmares/examples/")}
    there = {path.relative_to(ROOT) for path in published_files(ROOT)}
    examples = {path.as_posix() for path in there if path.parts[0] == "examples"}
    assert names == {f"palmares/{name}" for name in examples}


def test_the_source_archive_has_everything(built: Path) -> None:
    with tarfile.open(next((built / "dist").glob("*.tar.gz"))) as archive:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in archive.getnames()}
    there = {path.relative_to(ROOT).as_posix() for path in published_files(ROOT)}
    assert there - names == set()
    assert {".ci/run", "Makefile", "SECURITY.md", "CITATION.cff", "deploy/compose.yaml"} <= there


def test_the_source_archive_passes_its_own_tests(built: Path) -> None:
    unpacked = next(built.glob("palmares-*/"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts="]
    command += ["--import-mode=importlib", "--strict-markers"]
    given = plain(built) | {"PYTHONPATH": str(unpacked / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    given["EXPECTED_HOME"] = str(unpacked)
    done = subprocess.run(
        [*command, *CORE], cwd=unpacked, env=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


# ── run ──────────────────────────────────────────────────────────────────────────────────────────


def test_it_is_the_wheel_that_runs(installed: Path, tmp_path: Path) -> None:
    code = "import palmares; print(palmares.__file__)"
    told = run([installed.with_name("python"), "-c", code], tmp_path).stdout
    assert Path(told.strip()).is_relative_to(installed.parents[1])


def test_palmares_alone_greets(installed: Path, tmp_path: Path) -> None:
    done = run([installed], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"palmares {typed}" in done.stdout for typed, _ in NEXT)


def test_demo_shows_its_stops(installed: Path, tmp_path: Path) -> None:
    done = run([installed, "demo"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n▸ ") == len(STOPS) + 1
    assert "David MILLER" in done.stdout.split("\n▸ ")[-2]


def test_start_ends_with_verified_lists(installed: Path, tmp_path: Path) -> None:
    """Twelve mixed files, two of them broken, in a directory with nothing else."""
    mixed_results(tmp_path / "results")
    answers = ["--regulations", "wbgf,dptr", "--officer", "Otto Lind", "--as-of", "2011-12-31"]
    done = run([installed, "start", *answers, "--yes", "--no-serve"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 files left out." in done.stdout
    assert done.stdout.count("): identical.\n") == 2
    for name in ("wbgf", "dptr"):
        manifest = f"{name}-2011-12-31.manifest.json"
        done = run([installed, "verify", manifest, "--journal", "federation.db"], tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert (tmp_path / f"{name}-2011-12-31.html").exists()


def test_a_site_is_served(installed: Path, tmp_path: Path) -> None:
    """With its templates, styles and messages."""
    port = free_port()
    with at_the_end(
        subprocess.Popen(
            [installed, "serve", "--journal", "federation.db", "--port", str(port)],
            cwd=tmp_path,
            env=plain(tmp_path) | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    ) as running:
        assert running.stdout is not None
        here = f"http://127.0.0.1:{port}"
        assert running.stdout.readline() == f"{here} (Ctrl-C ends it)\n"
        with httpx.Client(base_url=here, timeout=60) as client:
            assert "WBGF Backgammon World Ranking" in client.get("/regulations").text
            german = client.get("/calculators", headers={"accept-language": "de"}).text
            assert '<html lang="de"' in german
            assert client.get("/favicon.ico").status_code == 200
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 128 + signal.SIGINT
