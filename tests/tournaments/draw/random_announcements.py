"""Random announcements with what their sources reveal, most of them sound, some of them broken."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from palmares.core.canonical import canonical
from palmares.tournaments.draw.sources import commitment

RECORDED_AT = "2026-11-20T18:00:00Z"
DUE = "2026-11-21T18:00:00Z"
CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"

Case = tuple[str, str, list[Any]]
"""The text of an announcement, when it was recorded, what was revealed."""


def case(number: int) -> Case:
    """The random announcement of a number."""
    rng = random.Random(number)  # noqa: S311  made-up entrants need no cryptography
    announcement, reveals = _announcement(rng, number)
    text = canonical(announcement)
    if rng.random() < 0.25:
        rng.choice(_BREAKS)(rng, announcement, reveals)
        text = canonical(announcement)
        if rng.random() < 0.05:
            text = rng.choice([f"{text}\n", text.replace(":", ": ", 1), text[:-1], "[]", "null"])
    return text, RECORDED_AT, reveals


def _announcement(rng: random.Random, number: int) -> tuple[dict[str, Any], list[Any]]:
    many = rng.choice([2, 3, 5, 8, 9, 16, rng.randint(2, 40), rng.randint(2, 40), 70])
    kind = rng.choice(["knockout"] * 4 + ["groups", "groups", "pairs", "order", "late"])
    announcement: dict[str, Any] = {
        "palmares_draw": 1, "draw": f"draw-{number}", "event": "Coupe d’Été 🏆", "format": kind,
        "entries": [f"p{entry}" for entry in range(many)],
    }  # fmt: skip
    _FORMATS[kind](rng, announcement)
    sources, reveals = _sources(rng, announcement["draw"])
    announcement["randomness"] = sources
    if rng.random() < 0.2:
        announcement["notes"] = {"prizes": "half to the winner", "a.b-c": "é"}
    if rng.random() < 0.1:
        announcement |= {"replaces": "ab" * 32, "reason": "A player was missing."}
    return announcement, reveals


def _sets(rng: random.Random, ids: list[str], rounds: int) -> list[dict[str, Any]]:
    if rounds < 1 or rng.random() < 0.3:
        return []
    sets = []
    for _ in range(rng.randint(1, 4)):
        who = rng.sample(ids, min(len(ids), rng.choice([2, 2, 3, 3, 4, 6, 10])))
        within = rng.sample(who, rng.randint(2, len(who))) if rng.random() < 0.3 else None
        sets.append({"who": who, "rounds": rng.randint(1, min(rounds, 3)), "why": "club"})
        if within:
            sets.append({"who": within, "rounds": rng.randint(1, rounds), "why": "family"})
    return sets


def _knockout(rng: random.Random, announcement: dict[str, Any]) -> None:
    entries = announcement["entries"]
    lines = 1 << (len(entries) - 1).bit_length()
    announcement["seeding"] = rng.choice(["placed", "bands"])
    announcement["byes"] = rng.choice(["highest", "drawn"])
    announcement["seeds"] = rng.sample(entries, rng.randint(0, lines // 2))
    announcement["apart"] = _sets(rng, entries, lines.bit_length() - 2)
    if rng.random() < 0.4 and lines > 2:
        rounds = range(1, lines.bit_length())
        announcement["feeds"] = [
            {"name": "consolation", "of": "main", "rounds": _some(rng, rounds)},
            {"name": "last-chance", "of": "consolation", "rounds": [1, 2][: rng.randint(1, 2)]},
        ]


def _some(rng: random.Random, rounds: range) -> list[int]:
    return sorted(rng.sample(rounds, rng.randint(1, len(rounds))))


def _groups(rng: random.Random, announcement: dict[str, Any]) -> None:
    entries = announcement["entries"]
    many = rng.randint(1, max(1, len(entries) // 2))
    announcement["groups"] = many
    order = rng.sample(entries, len(entries))
    announcement["seeds"] = order[: rng.randint(0, many)]
    if rng.random() < 0.5:
        announcement["pots"] = [pot for pot in (order[many : 2 * many], order[-many:]) if pot]
        if len(order) < 3 * many:
            del announcement["pots"][1:]
        if not announcement["pots"]:
            del announcement["pots"]
    announcement["apart"] = _sets(rng, entries, 1)


def _pairs(rng: random.Random, announcement: dict[str, Any]) -> None:
    announcement["apart"] = _sets(rng, announcement["entries"], 1)


def _order(rng: random.Random, announcement: dict[str, Any]) -> None:
    """An order has nothing more."""


def _late(rng: random.Random, announcement: dict[str, Any]) -> None:
    size = rng.choice([4, 8, 16, 32, 64])
    new = rng.randint(1, max(1, size // 4))
    announcement["entries"] = [f"n{entry}" for entry in range(new)]
    free = rng.randint(new, max(new, size // 2))
    layout = ["+"] * free + [rng.choice(["-", f"q{at}", f"q{at}"]) for at in range(size - free)]
    rng.shuffle(layout)
    announcement["layout"] = layout
    announcement["of"] = "01" * 32
    known = [who for who in layout if who not in "+-"] + announcement["entries"]
    if len(known) > 1:
        announcement["apart"] = _sets(rng, known, size.bit_length() - 2)


_FORMATS: dict[str, Callable[[random.Random, dict[str, Any]], None]] = {
    "knockout": _knockout, "groups": _groups, "pairs": _pairs, "order": _order, "late": _late,
}  # fmt: skip


def _sources(rng: random.Random, draw: str) -> tuple[list[Any], list[Any]]:
    pairs = [rng.choice(_SOURCES)(rng, draw) for _ in range(rng.choice([1, 1, 1, 2]))]
    return [source for source, _ in pairs], [reveal for _, reveal in pairs]


def _dice(rng: random.Random, _draw: str) -> tuple[Any, Any]:
    source = {"kind": "numbers", "source": "16 dice", "when": DUE, "count": 16, "from": 1, "to": 6,
              "repeats": True, "ascending": False}  # fmt: skip
    return source, {"numbers": [rng.randint(1, 6) for _ in range(16)]}


def _lottery(rng: random.Random, _draw: str) -> tuple[Any, Any]:
    ascending = rng.random() < 0.5
    source = {"kind": "numbers", "source": "balls", "when": DUE, "count": 16, "from": 0, "to": 99,
              "repeats": False, "ascending": ascending}  # fmt: skip
    numbers = rng.sample(range(100), 16)
    return source, {"numbers": sorted(numbers) if ascending else numbers}


def _secrets(rng: random.Random, draw: str) -> tuple[Any, Any]:
    people = rng.sample(["ana", "bo", "chen", "constructor"], rng.randint(2, 4))
    secrets = {who: f"{rng.getrandbits(256):064x}" for who in people}
    source = {
        "kind": "secrets", "when": DUE, "missing": rng.choice(["void", "leave_out"]),
        "commitments": [
            {"id": who, "sha256": commitment(draw, who, secret)} for who, secret in secrets.items()
        ],
    }  # fmt: skip
    if rng.random() < 0.2:
        secrets[people[0]] = "-"
    if rng.random() < 0.1:
        del secrets[people[-1]]
    return source, {"secrets": secrets}


_SOURCES = (_dice, _dice, _lottery, _secrets)


# ── what may be broken ───────────────────────────────────────────────────────────────────────────


def _drop_key(rng: random.Random, announcement: dict[str, Any], _: list[Any]) -> None:
    del announcement[rng.choice(list(announcement))]


def _other_value(rng: random.Random, announcement: dict[str, Any], _: list[Any]) -> None:
    key = rng.choice([*announcement, "unknown", "seeds", "apart", "feeds", "replaces", "notes"])
    announcement[key] = rng.choice(
        [None, True, 0, 1, -1, 4097, 1.5, "", "p0", "x" * 201, "a\u202eb", [], {}, ["p0", "p0"],
         ["p0", "nobody"], [{"who": ["p0", "p1"], "rounds": 2, "why": "x"}],
         [{"who": ["p0"], "rounds": 1, "why": "x"}], [{"name": "f", "of": "main", "rounds": [1]}],
         [{"name": "main", "of": "main", "rounds": [1, 2]}], {"a": "b"}, {"-": "b"}]
    )  # fmt: skip


def _twice(rng: random.Random, announcement: dict[str, Any], _: list[Any]) -> None:
    for key in ("seeds", "alternates", "entries"):
        if announcement.get(key) and rng.random() < 0.5:
            announcement[key].append(announcement["entries"][0])


def _other_source(rng: random.Random, announcement: dict[str, Any], _: list[Any]) -> None:
    source = rng.choice(announcement["randomness"])
    key = rng.choice(list(source))
    source[key] = rng.choice(
        [None, 0, 1, 3, 17, 99, 1000, 1001, True, False, "void", "2026-02-30T00:00:00Z",
         RECORDED_AT, "2026-11-20T18:00:59Z", "2026-11-20T18:01:00Z", "2100-01-01T00:00:00Z", [],
         "numbers"]
    )  # fmt: skip


def _drand(rng: random.Random, announcement: dict[str, Any], _: list[Any]) -> None:
    number = 40_000_000
    due = rng.choice([DUE, "2027-06-15T13:22:24Z"])
    chain = rng.choice([CHAIN, CHAIN, "cd" * 32])
    announcement["randomness"] = [{"kind": "drand", "chain": chain, "round": number, "when": due}]


def _other_reveal(rng: random.Random, _: dict[str, Any], reveals: list[Any]) -> None:
    reveal = rng.choice(reveals)
    if rng.random() < 0.2:
        reveals.append(rng.choice([None, 1, {}, {"numbers": [1]}]))
    elif "numbers" in reveal:
        reveal["numbers"][0] = rng.choice([7, 0, "1", 1.5, True, 100, None, reveal["numbers"][1]])
    else:
        name = rng.choice(["ana", "bo", "dora", "toString"])
        reveal["secrets"][name] = rng.choice(["-", "00" * 32, "x", None, 1])


_BREAKS = (_drop_key, _other_value, _other_value, _twice, _other_source, _other_source, _drand,
           _other_reveal, _other_reveal)  # fmt: skip
