"""
The API for people: what its document says, as a page.

    guide_page      an OpenAPI document  ->  GuidePage
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideParameter:
    """What may be asked at an address."""

    name: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideAddress:
    """An address of the API, and what is done there."""

    method: str
    address: str
    says: str
    more: str
    token: bool  # whether it takes one
    parameters: tuple[GuideParameter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideGroup:
    """Addresses that belong together."""

    name: str
    says: str
    addresses: tuple[GuideAddress, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidePage:
    """Every address of the API."""

    about: tuple[str, ...]  # paragraphs
    groups: tuple[GuideGroup, ...]


def guide_page(document: Mapping[str, Any]) -> GuidePage:
    """The page of an API that is described in OpenAPI."""
    every = [
        (tag, _address(method, path, one))
        for path, ways in document["paths"].items()
        for method, one in ways.items()
        for tag in one["tags"]
    ]
    return GuidePage(
        about=tuple(
            " ".join(part.split()) for part in document["info"]["description"].split("\n\n")
        ),
        groups=tuple(
            GuideGroup(
                name=tag["name"],
                says=tag["description"],
                addresses=tuple(one for name, one in every if name == tag["name"]),
            )
            for tag in document["tags"]
        ),
    )


def _address(method: str, path: str, one: Mapping[str, Any]) -> GuideAddress:
    return GuideAddress(
        method=method.upper(),
        address=path,
        says=one["summary"],
        more=one.get("description", ""),
        token={} not in one["security"],
        parameters=tuple(
            GuideParameter(name=part["name"], says=part["description"])
            for part in one.get("parameters", ())
        ),
    )
