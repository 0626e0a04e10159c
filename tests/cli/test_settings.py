"""settings: what is in force, from where, and nothing that is secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmares.core.settings import SETTINGS
from tests.packages import run

WORDS = "correct horse battery staple 2026"


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have set some."""
    for one in SETTINGS.values():
        monkeypatch.delenv(one.variable, raising=False)


def told() -> dict[str, tuple[str, str]]:
    """Each setting's value and where that is from."""
    rows = json.loads(run("settings", "--format", "json").output)
    return {row["setting"]: (row["value"], row["source"]) for row in rows}


def test_every_setting_is_there_with_its_default() -> None:
    found = told()
    assert found.keys() == SETTINGS.keys()
    assert found["port"] == ("8000", "default")
    assert found["public-url"] == ("this machine alone", "default")
    assert {source for _, source in found.values()} == {"default"}


def test_the_environment_counts_before_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALMARES_PORT", "8080")
    monkeypatch.setenv("PALMARES_RULES", "")
    found = told()
    assert found["port"] == ("8080", "environment")
    assert found["rules"][1] == "default"


@pytest.mark.parametrize(
    ("journal", "shown"),
    [
        ("federation.db", "federation.db"),
        ("postgresql://palmares@db/federation", "postgresql://palmares@db/federation"),
        (f"postgresql://palmares:{WORDS}@db/x", "postgresql://palmares:***@db/x"),
        (f"postgresql://palmares:p@{WORDS}@db/x", "postgresql://palmares:***@db/x"),
        (f"postgresql://db/x?password={WORDS}&user=p", "postgresql://db/x?password=***&user=p"),
        (f"postgresql://db/x?sslPASSWORD={WORDS}", "postgresql://db/x?sslPASSWORD=***"),
    ],
)
def test_no_password_is_shown(journal: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALMARES_JOURNAL", journal)
    monkeypatch.setenv("PALMARES_SECRET", WORDS)
    printed = run("settings").output
    assert shown in printed
    assert WORDS not in printed
    assert told()["secret"] == ("not shown", "environment")


def test_a_variable_that_nobody_reads_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALMARES_PUBLICURL", "https://rankings.example")
    assert (
        "PALMARES_PUBLICURL is no setting of palmares: nothing reads it." in run("settings").output
    )


def test_an_option_counts_before_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The port is refused before anything is opened, whichever says it."""
    monkeypatch.setenv("PALMARES_PORT", "70000")
    refused = run("serve", "--journal", "federation.db")
    assert refused.exit_code == 2
    assert "'--port': 70000 is not in the range" in refused.output
    refused = run("serve", "--journal", "federation.db", "--port", "80000")
    assert "80000 is not in the range" in refused.output


def test_a_site_open_to_others_needs_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALMARES_HOST", "0.0.0.0")  # noqa: S104  as in the image
    assert "PALMARES_HOST is invalid: --host 0.0.0.0 lets other" in run("settings").output
    monkeypatch.setenv("PALMARES_PUBLIC_URL", "https://rankings.example")
    assert "invalid" not in run("settings").output


def test_a_value_that_commands_refuse_is_remarked_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    values = {
        "ROLE": "king", "PUBLIC_URL": "ftp://rankings.example", "REGULATIONS": "wbgf,fide",
        "PORT": "abc", "PROXY": "caddy", "SECRET": "short", "WORKERS": "0",
        "RULES": str(tmp_path / "none"),
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(f"PALMARES_{name}", value)
    result = run("settings")
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in result.stderr.removeprefix("Error: ").splitlines()] == [
        f"PALMARES_{name} is invalid" for name in values
    ]
    assert "king" in result.stdout


@pytest.mark.parametrize("proxy", ["caddy", "10.0.7.1/24", "127.0.0.1,", "*"])
def test_a_proxy_that_is_no_address_is_refused(proxy: str) -> None:
    """Uvicorn would believe nobody, and say nothing of it."""
    refused = run("serve", "--journal", "federation.db", "--proxy", proxy)
    assert refused.exit_code == 2
    assert f"'{proxy}' is no address of a proxy" in refused.output
