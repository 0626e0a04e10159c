"""The settings of an installation: one table, read by options, commands and the documentation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

PREFIX = "PALMARES_"


@dataclass(frozen=True, slots=True)
class Setting:
    """What may be set: by an option of that name where a command has one, and by a variable."""

    name: str
    variable: str
    default: str  # as it is typed; empty: there is none
    otherwise: str  # what is so where nothing is said and there is no default
    means: str
    secret: bool = False  # never shown

    @property
    def help(self) -> str:
        """What it means, and the variable that sets it."""
        return f"{self.means.removesuffix('.')} (or {self.variable})."

    @property
    def given(self) -> str | None:
        """What the environment says; an empty variable says nothing."""
        return os.environ.get(self.variable) or None


# fmt: off
SETTINGS: Mapping[str, Setting] = {setting.name: setting for setting in (
    Setting("journal", "PALMARES_JOURNAL", "", "",
            "A file such as federation.db, or postgresql://user@host/name."),
    Setting("author", "PALMARES_AUTHOR", "", "who is logged in", "Who records."),
    Setting("role", "PALMARES_ROLE", "officer", "", "In which role."),
    Setting("public-url", "PALMARES_PUBLIC_URL", "", "this machine alone",
            "The address at which browsers reach the site, like https://rankings.example; links and"
            " feeds are made from it, and requests for other hosts are refused. With https, cookies"
            " go no other way."),
    Setting("name", "PALMARES_NAME", "Palmares", "",
            "The name of the federation; it heads every page."),
    Setting("accent", "PALMARES_ACCENT", "#0c5a78", "",
            "The federation's colour, as six digits behind #; all colours of the site follow from"
            " it, and text on it is white or black."),
    Setting("regulations", "PALMARES_REGULATIONS", "", "all that award points",
            "Whose lists the site has, with commas between them, like wbgf,dptr."),
    Setting("host", "PALMARES_HOST", "127.0.0.1", "", "Where to listen."),
    Setting("port", "PALMARES_PORT", "8000", "", "The port that the site listens at."),
    Setting("proxy", "PALMARES_PROXY", "", "none",
            "The address of your proxy, such as 127.0.0.1, or its network, such as 10.0.7.0/24. The"
            " visitor's address that it passes on is believed."),
    Setting("secret-file", "PALMARES_SECRET_FILE", "", "beside an SQLite journal",
            "The file of the secret that signs forms and seals one-time codes; made if there is"
            " none. With another secret, codes are set up anew."),
    Setting("secret", "PALMARES_SECRET", "", "in that file",
            "The secret itself, 32 characters or more.", secret=True),
    Setting("workers", "PALMARES_WORKERS", "1", "",
            "How many processes answer, each with facts and pages of its own."),
    Setting("quiet", "PALMARES_QUIET", "no", "",
            "Log no line for each request, only what needs attention."),
    Setting("rules", "PALMARES_RULES", "", "those installed",
            "A folder of edition files, instead of those that are installed."),
    Setting("fund", "PALMARES_FUND", "", "that of the USBGF",
            "A folder of edition files of a streaming fund, such as our-fund with 2026-01.toml."),
    Setting("cache", "XDG_CACHE_HOME", "", "as the system has it",
            "The folder of caches; all that lies there can be made again."),
)}
# fmt: on
"""Every setting by its name."""


def unknown_variables() -> list[str]:
    """Variables that begin with PALMARES_ and are no settings."""
    variables = {setting.variable for setting in SETTINGS.values()}
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in variables)
