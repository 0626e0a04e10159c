"""
Sites are made quickly: Litestar reads the signature of each handler once a process.

Each test has a site of its own, of nearly 140 routes, and Litestar adds another one for OPTIONS to
each; it read every signature anew, in three quarters of the time that a site takes to be made.
"""

from __future__ import annotations

from typing import Any

from litestar._kwargs.kwargs_model import KwargsModel
from litestar._signature.model import SignatureModel
from litestar.utils.helpers import unwrap_partial
from litestar.utils.signature import ParsedSignature


def _read_once(owner: Any, name: str, key: Any) -> None:
    """Keep what a class method gives, by what it hangs on."""
    read, kept = getattr(owner, name), {}

    def once(_: Any, *args: Any, **given: Any) -> Any:
        hangs_on = key(*args, **given)
        if hangs_on not in kept:
            kept[hangs_on] = read(*args, **given)
        return kept[hangs_on]

    setattr(owner, name, classmethod(once))


def install() -> None:
    """From here on."""
    _read_once(ParsedSignature, "from_fn", lambda fn, names: fn.__code__)
    _read_once(
        SignatureModel,
        "create",
        lambda fn, dependency_name_set, **_: (
            unwrap_partial(fn).__code__,
            frozenset(dependency_name_set),
        ),
    )
    _read_once(
        KwargsModel,
        "create_for_signature_model",
        lambda signature_model, path_parameters, **_: (signature_model, frozenset(path_parameters)),
    )
