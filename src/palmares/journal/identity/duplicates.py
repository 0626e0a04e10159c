"""
Names that look alike: suggestions for somebody who knows, never decisions.

How alike names are, `palmares.journal.identity.similarity` says. Another nation makes a pair less
likely; the same id elsewhere makes it certain enough to be asked. Two who met in one event are two.

Comparing everybody with everybody would take hours. Only names are compared that share a word, or
how a word begins; of what a name shares, what is rarest comes first, until enough were compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
import polars as pl

from palmares.core.messages import joined, msg
from palmares.core.progress import over
from palmares.facts.subsets import appearances
from palmares.facts.text import plain, shown
from palmares.journal.identity.register import Form, Register
from palmares.journal.identity.similarity import Array, scores, spelled

LEAST = 85
SAME_ID = 100
NATION_UNKNOWN, NATION_DIFFERENT = 3, 10
"""What is taken off where a nation is not known, or differs."""

MOST_PAIRS, MOST_EACH, FEWEST_EACH = 5_000_000, 5_000, 50
"""Comparisons in all, for each name at most, for each name at least."""

BEGINS = 3
BETWEEN_WORDS = " -.'(,"
MOST_WORDS = 1 << 8  # of a name: so many hashes can be added up
FEW = 1_000  # names for which a quick first look is worth its while
AT_ONCE = 1_000_000
TOLD_EACH = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookalike:
    """Two players who may be one."""

    player: str
    form: Form
    other: str
    other_form: Form
    score: int  # 0 to 100
    why: str


def looks_like(one: Lookalike) -> str:
    """That somebody new looks like a known player, and why."""
    return msg(
        "%(form)s looks like %(player)s, %(other)s: %(why)s",
        form=shown(str(one.form)),
        player=one.other,
        other=shown(str(one.other_form)),
        why=one.why,
    )


@dataclass(frozen=True, slots=True)
class Somebody:
    """Who is looked for."""

    player: str
    form: Form
    ids: Mapping[str, str] = field(default_factory=dict)  # elsewhere


def beside(
    register: Register,
    wanted: Sequence[Somebody],
    events: Mapping[str, Collection[str]] = MappingProxyType({}),
    least: int = LEAST,
) -> tuple[Lookalike, ...]:
    """For players about to be recorded whom they may be: known ones and each other, best first.

    Args:
        register: the known players.
        wanted: the new ones. Of two who may be one, the later stands first in the pair.
        events: in which players are about to be recorded.
        least: from where on a pair is worth a look.

    Returns:
        The pairs. Of several that are as good, the oldest record is first.
    """
    if not wanted:
        return ()
    frame = pl.DataFrame(
        [(somebody.player, *somebody.form[:2]) for somebody in wanted],
        schema={"player_id": pl.String, "name": pl.String, "nation": pl.String},
        orient="row",
    )
    new, known = _prepared(_as_written(frame)), written(register)
    known = _prepared(known if len(new) > FEW else _beginning_alike(new, known))
    each_other = map(_turned, _compared(new, new, least))
    found = _in_order([*_by_id(register, wanted), *_compared(new, known, least), *each_other])
    came = {one.player: at for at, one in enumerate(wanted)}

    def age(one: Lookalike) -> tuple[bool, int]:
        fresh = one.other in came
        return fresh, came[one.other] if fresh else register.first(one.other)

    return tuple(sorted(_strangers(found, events), key=lambda one: (-one.score, *age(one))))


def few(found: Iterable[Lookalike]) -> list[Lookalike]:
    """The first pairs of each player; a common name may look like hundreds."""
    told: Counter[str] = Counter()
    kept = []
    for lookalike in found:
        told[lookalike.player] += 1
        if told[lookalike.player] <= TOLD_EACH:
            kept.append(lookalike)
    return kept


def suggestions(register: Register, least: int = LEAST) -> list[Lookalike]:
    """Pairs of players who may be one and whom nobody has merged or kept apart, best first.

    In each pair the older record is first.
    """
    decided = apart_by(register)
    players = written(register)
    came = pl.Series([register.first(one) for one in players["player_id"]], dtype=pl.Int64)
    known = _prepared(players.with_columns(came=came).sort("came"))
    found = _in_order([*_same_ids(register), *_compared(known, known, least)])
    open_pairs = [
        lookalike
        for lookalike in found
        if frozenset((lookalike.player, lookalike.other)) not in decided
    ]
    pairs = [(one.player, one.other) for one in open_pairs]
    return _strangers(open_pairs, events_of(register, {each for pair in pairs for each in pair}))


def apart_by(register: Register) -> dict[frozenset[str], int]:
    """The pairs that somebody keeps apart, each with the entry that says so."""
    return {
        frozenset(register.whole(player) for player in found.body.players): found.sequence
        for _, found in register.projection.state.all_in_force("apart")
    }


def events_of(register: Register, players: Collection[str]) -> dict[str, list[str]]:
    """The events in which some players stand."""
    rows = appearances(register.projection.tables, players)
    return dict(rows.group_by("player_id").agg(pl.col("event_id").unique()).iter_rows())


def _strangers(
    found: Iterable[Lookalike], events: Mapping[str, Collection[str]]
) -> list[Lookalike]:  # fmt: skip
    """The pairs of players who never met: two in one event are two."""
    return [
        lookalike
        for lookalike in found
        if set(events.get(lookalike.player, ())).isdisjoint(events.get(lookalike.other, ()))
    ]


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def named(register: Register) -> pl.DataFrame:
    """Everybody who has a name; who was erased is called by their id."""
    players = register.projection.tables["players"].select(
        "player_id", "name", "nation", "withheld"
    )
    erased = pl.col("withheld").fill_null(value=False) & (pl.col("name") == pl.col("player_id"))
    return players.filter(~erased).drop("withheld")


def written(register: Register) -> pl.DataFrame:
    """Everybody who has a name as often as they were written otherwise; ``now`` is what they are.

    Who was merged, or is called otherwise today, is looked for by each of the spellings.
    """
    players = _as_written(named(register))
    group = register.projection.state.group("players")
    several = [one for one, versions in group.items() if len(versions) > 1]
    forms, _ = register.called({*register.merged, *several})
    rows = {(register.whole(one), *form[:2]) for one, each in forms.items() for form in each}
    schema = {"player_id": pl.String, "name": pl.String, "nation": pl.String}
    more = pl.DataFrame(sorted(rows, key=str), schema, orient="row").join(
        players, ["player_id", "name", "nation"], "anti", nulls_equal=True
    )
    now = players.select("player_id", "now", "nation_now")
    return pl.concat([players, more.join(now, "player_id", maintain_order="left")])


def _as_written(players: pl.DataFrame) -> pl.DataFrame:
    """Players as they are called now."""
    return players.with_columns(now=pl.col("name"), nation_now=pl.col("nation"))


def _prepared(players: pl.DataFrame) -> pl.DataFrame:
    """Players with their names in plain words."""
    return players.with_columns(plain=plain(players["name"])).with_row_index("at")


# ── which names are compared ─────────────────────────────────────────────────────────────────────


def _compared(new: pl.DataFrame, known: pl.DataFrame, least: int) -> Iterator[Lookalike]:
    """Pairs of names that are alike enough, each once."""
    each = min(MOST_EACH, max(FEWEST_EACH, MOST_PAIRS // max(len(new), 1)))
    at_once = max(1, AT_ONCE // each)
    starts = range(0, len(new), at_once)
    keys = _keys(known)
    others = spelled(known["plain"])
    names = others if new is known else spelled(new["plain"])
    here, there = _nations(new, known)
    for start in over(starts, "names to compare", len(starts)):
        mine, theirs = _pairs(_keys(new.slice(start, at_once)), keys, each)
        if new is known:  # a pair that either of the two finds
            mine, theirs = np.minimum(mine, theirs), np.maximum(mine, theirs)
            mine, theirs = mine[mine != theirs], theirs[mine != theirs]
        mine, theirs = _once(mine, theirs, len(known))
        off = _taken_off(here[mine], there[theirs])
        found = scores(names, others, mine, theirs, least + off)
        kept = np.flatnonzero(found >= least + off)
        yield from _told(new[mine[kept]], known[theirs[kept]], (found - off)[kept])


def _beginning_alike(new: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Known players of whose names a word begins as one of the new ones: a quick first look."""
    begins = new["plain"].str.split(" ").explode(empty_as_null=True).str.head(BEGINS).unique()
    parted = [mark + one for one in begins.drop_nulls() for mark in BETWEEN_WORDS]
    name = pl.col("name")
    special = name.str.len_bytes() != name.str.len_chars()
    return known.filter(
        special | (" " + name).str.contains_any(parted, ascii_case_insensitive=True)
    )


def _keys(names: pl.DataFrame) -> pl.DataFrame:
    """What each name may share with another: all its words, a word, how a word begins.

    Keys are hashes; where two things have the same one, some more names are compared.
    """
    words = names.select("at", pl.col("plain").str.split(" ").alias("word")).explode("word")
    words = words.filter(pl.col("word") != "").with_columns(key=pl.col("word").hash(seed=1))
    begins = words.filter(pl.col("word").str.len_chars() >= BEGINS).select(
        "at", pl.col("word").str.head(BEGINS).hash(seed=2).alias("key")
    )
    whole = words.group_by("at").agg((pl.col("key") // MOST_WORDS).sum())
    return pl.concat([words.select("at", "key"), begins, whole])


def _pairs(wanted: pl.DataFrame, known: pl.DataFrame, each: int) -> tuple[Array, Array]:
    """Pairs that share something; of what a name shares, the rarest first, up to so many."""
    known = known.join(wanted, on="key", how="semi")
    rare = (
        wanted.join(known.group_by("key").len(), on="key")
        .sort("at", "len", "key")
        .filter(pl.col("len").cum_sum().over("at") <= each)
    )
    pairs = rare.join(known, on="key", suffix="_known")
    return pairs["at"].to_numpy().astype(np.int64), pairs["at_known"].to_numpy().astype(np.int64)


def _once(mine: Array, theirs: Array, many: int) -> tuple[Array, Array]:
    """Each pair once, in order, given how many they are of whom the second is one."""
    codes = np.unique(mine * many + theirs)
    return codes // many, codes % many


# ── what is told of a pair ───────────────────────────────────────────────────────────────────────


def _taken_off(here: Array, there: Array) -> Array:
    """What nations take off, pair by pair, given their numbers: 0 where none is known."""
    differs = np.where(here != there, NATION_DIFFERENT, 0)
    found: Array = np.where((here == 0) | (there == 0), NATION_UNKNOWN, differs)
    return found


def _nations(new: pl.DataFrame, known: pl.DataFrame) -> tuple[Array, Array]:
    """A number for the nation of each player, the same for the same one; 0 where none is known."""
    both = pl.concat([new["nation"], known["nation"]]).cast(pl.Categorical).to_physical()
    numbers = (both.cast(pl.Int64) + 1).fill_null(0).to_numpy()
    return numbers[: len(new)], numbers[len(new) :]


def _told(one: pl.DataFrame, other: pl.DataFrame, scores: np.ndarray) -> Iterator[Lookalike]:
    columns = ("player_id", "name", "nation", "plain", "now", "nation_now")
    rows = zip(
        one.select(columns).iter_rows(), other.select(columns).iter_rows(), scores, strict=True
    )
    for mine, theirs, score in rows:
        if mine[0] == theirs[0]:  # two spellings of one player
            continue
        same = sorted(mine[3].split(" ")) == sorted(theirs[3].split(" "))
        names = msg("the same words") if same else msg("similar names")
        if mine[2] is None or theirs[2] is None:
            nations = msg("a nation is not known")
        elif mine[2] == theirs[2]:
            nations = msg("same nation")
        else:
            nations = joined((mine[2], theirs[2]))
        why = msg("%(names)s, %(nations)s", names=(names,), nations=(nations,))
        for _, name, nation, _, *now in (mine, theirs):
            if [name, nation] != now:
                form = shown(str(Form(name, nation)))
                why = msg("also written %(form)s: %(why)s", form=form, why=why)
        yield Lookalike(
            player=mine[0],
            form=Form(mine[4], mine[5]),
            other=theirs[0],
            other_form=Form(theirs[4], theirs[5]),
            score=int(score),
            why=why,
        )


# ── the same id elsewhere ────────────────────────────────────────────────────────────────────────


def _by_id(register: Register, wanted: Sequence[Somebody]) -> Iterator[Lookalike]:
    """New players whose id elsewhere somebody has, a known player or an earlier one of them."""
    known = register.by_other_id({value for somebody in wanted for value in somebody.ids.values()})
    first: dict[tuple[str, str], Somebody] = {}
    for somebody in wanted:
        for scheme, value in somebody.ids.items():
            others = [register.whole(other) for of, other in known.get(value, ()) if of == scheme]
            forms = [(other, _form(register, other)) for other in others]
            earlier = first.setdefault((scheme, value), somebody)
            forms += [(earlier.player, earlier.form)] if earlier is not somebody else []
            for other, form in forms:
                yield _same_id(somebody.player, somebody.form, other, form, scheme, value)


def _same_ids(register: Register) -> Iterator[Lookalike]:
    """Players who have the same id elsewhere."""
    by_id: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for player, person in register.identified():
        for pair in person.ids.items():
            by_id[pair][register.whole(player)] = None
    for (scheme, value), players in by_id.items():
        first, *others = sorted(players, key=register.first)
        for other in others:
            forms = _form(register, first), _form(register, other)
            yield _same_id(first, forms[0], other, forms[1], scheme, value)


def _turned(one: Lookalike) -> Lookalike:
    """The same pair, the later player first."""
    return replace(
        one, player=one.other, form=one.other_form, other=one.player, other_form=one.form
    )


def _form(register: Register, player: str) -> Form:
    rows = register.projection.tables["players"].filter(pl.col("player_id") == player)
    return Form(rows["name"][0], rows["nation"][0])


def _same_id(
    player: str, form: Form, other: str, other_form: Form, scheme: str, value: str
) -> Lookalike:
    return Lookalike(
        player=player,
        form=form,
        other=other,
        other_form=other_form,
        score=SAME_ID,
        why=msg("the same %(scheme)s id %(value)s", scheme=scheme, value=shown(value)),
    )


def _in_order(found: Iterable[Lookalike]) -> list[Lookalike]:
    """Each pair once, for its best reason; best first, else in the order they came."""
    best: dict[frozenset[str], Lookalike] = {}
    for one in found:
        pair = frozenset((one.player, one.other))
        if pair not in best or best[pair].score < one.score:
            best[pair] = one
    return sorted(best.values(), key=lambda one: -one.score)
