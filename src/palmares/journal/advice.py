"""
What to do about a name that is not clear: for whoever types commands, and on the site.

    FIND        the ids can be looked up
    say_so      two are one player
    say_who     he is one of several, or somebody new
    write_or_say    the same, or the id stands in the report
"""

from __future__ import annotations

from palmares.sentences import either, said

FIND = either(
    "'palmares player find' shows the ids.", said("The search for players shows the ids.")
)
CORRECT = either(
    "Correct the id, or leave it out: 'palmares player find' shows the ids.",
    said("Correct the id, or leave it out: the search for players shows the ids."),
)
SAY_WHO = said("Say who he is, under Names.")
SAY_SO = said("If they are one player, say so under Names.")
SAY_SO_OR_ID = said(
    "If they are one player, say so under Names. If not, give this one another id, or none."
)
WRITE_OR_SAY = said("Write the id into the report, %(example)s, or say who he is, under Names.")


def say_so(key: str) -> str:
    """They are one player, or one of them gets another id."""
    return either(
        f'If they are one player, say so: --is "{key}={key}". If not, give this one another id,'
        " or none.",
        SAY_SO_OR_ID,
    )


def say_who(key: str, *ids: str) -> str:
    """He is one of these."""
    told = " or ".join(f'"{key}={one}"' for one in ids)
    return either(f"Say who he is: --is {told}.", SAY_WHO)


def write_or_say(form: str, other: str) -> str:
    """The id stands in the report, or is said; or he is somebody else."""
    return either(
        f'Write the id into the report, {form} [ID], or say it: --is "{form}=ID"'
        f' (or "{form}={other}").',
        said(WRITE_OR_SAY, example=f"{form} [ID]"),
    )
