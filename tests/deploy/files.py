"""
What is in deploy/, read as Docker, Compose and systemd read it.

    dockerfile      its instructions: word and rest, lines joined
    environment     what the image sets
    command         the list of a CMD or of a health check
    compose         compose.yaml with its variables filled in
    unit            the lines of the unit's section [Service]
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
_VARIABLE = re.compile(r"\$\{(\w+):\?[^}]*\}")


def dockerfile() -> list[tuple[str, str]]:
    """Each instruction and what follows it."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def environment() -> dict[str, str]:
    """The variables of the image."""
    pairs = [pair for word, rest in dockerfile() if word == "ENV" for pair in rest.split()]
    return dict(pair.split("=", 1) for pair in pairs)


def command(text: str) -> list[str]:
    """The program and its arguments, from the JSON of an instruction."""
    found: list[str] = json.loads(text[text.index("[") :])
    return found


def compose(given: dict[str, str]) -> dict[str, Any]:
    """The services, networks and volumes.

    Args:
        given: what stands in .env; a variable that is missing is a KeyError, as Compose stops.
    """
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(_VARIABLE.sub(lambda one: given[one[1]], text))
    return found


def unit() -> list[tuple[str, str]]:
    """Key and value of each line about the service."""
    text = (DEPLOY / "palmares.service").read_text(encoding="utf-8")
    section = text.partition("[Service]\n")[2].partition("\n[")[0]
    return [
        (key, value)
        for key, _, value in (line.partition("=") for line in section.splitlines() if line)
    ]
