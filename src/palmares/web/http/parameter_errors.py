"""What is wrong with a parameter, in plain words, by what its handler declares."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import Any

from litestar.typing import FieldDefinition

from palmares.web.http.messages import msg

MONTHS = 12
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


def no_day(text: str) -> str:
    """What we say of a day that no calendar has; empty of what is none, or one that is."""
    written = _DAY.fullmatch(text)
    if written is None:
        return ""
    year, month, day = (int(one) for one in written.groups())
    if not 1 <= month <= MONTHS or year == 0:
        return msg("There is no day %(text)s: a year has 12 months.", text=text)
    last = monthrange(year, month)[1]
    if 1 <= day <= last:
        return ""
    return msg("There is no day %(text)s: that month has %(last)s days.", text=text, last=last)


def what_is_wrong(field: FieldDefinition, text: str) -> str:
    """What is wrong with the text of a parameter that could not be read.

    Args:
        field: what its handler declares.
        text: what was sent.
    """
    limits: Any = field.kwarg_definition
    kinds = {one.annotation for one in field.inner_types or (field,)}
    if date in kinds:
        return no_day(text) or msg("This is no day: write year, month and day, such as 2019-12-31.")
    if bool in kinds:
        return msg("Write true or false.")
    if int not in kinds:
        return msg("At most %(most)s letters, please.", most=limits.max_length)
    if not _INTEGER.fullmatch(text):
        return msg("This is no whole number.")
    if limits.ge is not None and int(text) < limits.ge:
        return msg("At least %(least)s here.", least=limits.ge)
    return msg("At most %(most)s here.", most=limits.le)
