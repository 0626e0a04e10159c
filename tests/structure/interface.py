"""What ``import palmares`` offers: its names, and how its functions are called."""

from __future__ import annotations

import inspect
from typing import Any

import palmares


def interface() -> dict[str, Any]:
    """Every public name, with its signature if it is called."""
    return {name: _offered(getattr(palmares, name)) for name in sorted(palmares.__all__)}


def _offered(value: Any) -> Any:
    if inspect.ismodule(value):
        names = sorted(getattr(value, "__all__", [one for one in vars(value) if one[0] != "_"]))
        return {
            name: _signature(getattr(value, name))
            for name in names
            if getattr(getattr(value, name), "__module__", None) == value.__name__
        }
    return _signature(value)


def _signature(value: Any) -> dict[str, str]:
    """By parameter: how it may be given, and its default."""
    if not callable(value):
        return {}
    return {
        str(one.replace(annotation=inspect.Parameter.empty)): str(one.kind)
        for one in inspect.signature(value).parameters.values()
    }
