"""
The steps of the files in deploy/, run in an empty directory as far as that goes without Docker.

What is not run: building the image, the network of Compose, Caddy and its certificates, and what
systemd does with the unit beyond reading it. docs/how-to/install.md says the same.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from packaging.requirements import Requirement

from palmares.core.settings import SETTINGS
from tests.deploy.files import DEPLOY, command, compose, dockerfile, environment, unit
from tests.processes import at_the_end, free_port

ENV = {"SITE": "rankings.example", "POSTGRES_PASSWORD": "0123abcd"}
HERE = "/var/lib/palmares"
VARIABLES = {one.variable for one in SETTINGS.values()}
PALMARES = [sys.executable, "-m", "palmares"]


def instruction(word: str) -> str:
    """The last of that name."""
    return [rest for name, rest in dockerfile() if name == word][-1]


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "palmares.service"])
def test_the_page_shows_the_file(name: str) -> None:
    """Whoever has no clone copies it from there."""
    page = (DEPLOY.parent / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    shown = (DEPLOY / name).read_text(encoding="utf-8")
    assert re.search(
        rf"^`{re.escape(name)}`:\n\n```\w+\n{re.escape(shown)}```$", page, re.MULTILINE
    )


# ── read ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_image_installs_extras_that_there_are() -> None:
    asked = [rest for word, rest in dockerfile() if word == "RUN" and rest.startswith("pip")]
    assert len(asked) == 1
    wanted = Requirement(asked[0].split('"')[1].partition("$")[0])
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert wanted.name == project["project"]["name"]
    assert wanted.extras <= project["project"]["optional-dependencies"].keys()
    assert instruction("FROM").startswith("python:3.11-slim-")


def test_the_image_is_not_run_by_root() -> None:
    words = [word for word, _ in dockerfile()]
    made = next(rest for word, rest in dockerfile() if "useradd" in rest)
    assert made.endswith(f" {instruction('USER')}")
    assert instruction("USER") not in ("root", "0")
    assert words.index("USER") < words.index("CMD")
    assert f"--home-dir {instruction('VOLUME')} " in made


def test_the_files_set_what_is_a_setting() -> None:
    services = compose(ENV)["services"]
    of_unit = {value.partition("=")[0] for key, value in unit() if key == "Environment"}
    assert environment().keys() | services["site"]["environment"].keys() | of_unit <= VARIABLES


def test_compose_names_what_it_has() -> None:
    found = compose(ENV)
    services = found["services"]
    assert services.keys() == {"site", "database", "proxy"}
    volumes = {one.partition(":")[0] for each in services.values() for one in each["volumes"]}
    assert volumes == found["volumes"].keys()
    healthy = {name for name, each in services.items() if "healthcheck" in each} | {"site"}
    for each in services.values():
        for name, when in each.get("depends_on", {}).items():
            assert when == {"condition": "service_healthy"}
            assert name in healthy
    network = found["networks"]["default"]["ipam"]["config"][0]["subnet"]
    assert services["site"]["environment"]["PALMARES_PROXY"] == network
    assert [name for name, each in services.items() if "ports" in each] == ["proxy"]
    given = services["proxy"]["command"]
    assert given[given.index("--to") + 1] == "site:" + instruction("EXPOSE")
    assert given[given.index("--from") + 1] == ENV["SITE"]


def test_systemd_can_read_the_unit(tmp_path: Path) -> None:
    keys = [key for key, _ in unit()]
    assert len(set(keys)) == len(keys) - keys.count("Environment") + 1
    if program := shutil.which("systemd-analyze"):  # where there is none, the rest is tested
        text = (DEPLOY / "palmares.service").read_text(encoding="utf-8")
        file = tmp_path / "palmares.service"
        file.write_text(text.replace("/opt/palmares/bin/palmares", sys.executable))
        done = subprocess.run(
            [program, "verify", str(file)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


# ── run ──────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def started(given: list[str], settings: dict[str, str], place: Path) -> Iterator[int]:
    """The port of a site that was started as a file says, in an empty directory; ended as asked."""
    assert given[0].rpartition("/")[2] == "palmares"
    port = free_port()
    paths = {name: value.replace(HERE, str(place)) for name, value in settings.items()}
    plain = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    with at_the_end(
        subprocess.Popen(
            [*PALMARES, *given[1:]],
            env=plain | paths | {"PALMARES_PORT": str(port), "PYTHONUNBUFFERED": "1"},
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline().endswith(" (Ctrl-C ends it)\n")
        yield port
        running.send_signal(signal.SIGTERM)  # as Docker and systemd end it
        assert running.wait(60) == int(dict(unit())["SuccessExitStatus"])


def healthy(port: int) -> bool:
    """What the image's own health check says."""
    given = command(instruction("HEALTHCHECK"))
    assert given[0] == "python"
    code = [one.replace("127.0.0.1:8000", f"127.0.0.1:{port}") for one in given[1:]]
    done = subprocess.run([sys.executable, *code], capture_output=True, check=False)
    return done.returncode == 0


def test_the_site_of_compose_on_postgresql(tmp_path: Path, postgresql: str) -> None:
    settings = environment() | compose(ENV)["services"]["site"]["environment"]
    assert settings["PALMARES_JOURNAL"] == "postgresql://palmares:0123abcd@database/palmares"
    settings |= {"PALMARES_JOURNAL": postgresql, "PALMARES_HOST": "127.0.0.1"}
    with started(command(instruction("CMD")), settings, tmp_path) as port:
        assert healthy(port)
        url = f"http://127.0.0.1:{port}/"
        assert httpx.get(url, headers={"Host": ENV["SITE"]}).status_code == 200
        assert httpx.get(url).status_code == 421
    assert not healthy(port)
    assert {one.name for one in tmp_path.iterdir()} == {"secret"}


def test_the_service_on_a_file(tmp_path: Path) -> None:
    lines = unit()
    settings = dict(value.split("=", 1) for key, value in lines if key == "Environment")
    settings["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    assert dict(lines)["WorkingDirectory"] == HERE == f"/var/lib/{dict(lines)['StateDirectory']}"
    with started(dict(lines)["ExecStart"].split(), settings, tmp_path) as port:
        assert httpx.get(f"http://127.0.0.1:{port}/ready").json()["status"] == "ok"
        assert httpx.get(f"http://127.0.0.1:{port}/").status_code == 200
    assert {"federation.db", "secret"} <= {one.name for one in tmp_path.iterdir()}
