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
from palmares.journal.identity.similarity import Array, prepared_names, scores

MIN_SCORE = 85
SAME_ID = 100
NATION_UNKNOWN, NATION_DIFFERENT = 3, 10
"""What is taken off where a nation is not known, or differs."""

MAX_PAIRS, MAX_PER_NAME, MIN_PER_NAME = 5_000_000, 5_000, 50
"""Comparisons in all, for each name at most, for each name at least."""

PREFIX_LENGTH = 3
BETWEEN_WORDS = " -.'(,"
MAX_WORDS = 1 << 8  # of a name: so many hashes can be added up
PREFILTER_LIMIT = 1_000  # names for which a quick first look is worth its while
BATCH = 1_000_000
MAX_PER_PLAYER = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleDuplicate:
    """Two players who may be one."""

    player: str
    form: Form
    other: str
    other_form: Form
    score: int  # 0 to 100
    why: str


def describe_duplicate(one: PossibleDuplicate) -> str:
    """That somebody new looks like a known player, and why."""
    return msg(
        "%(form)s looks like %(player)s, %(other)s: %(why)s",
        form=shown(str(one.form)),
        player=one.other,
        other=shown(str(one.other_form)),
        why=one.why,
    )


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """Who is looked for."""

    player: str
    form: Form
    ids: Mapping[str, str] = field(default_factory=dict)  # elsewhere


def possible_duplicates(
    register: Register,
    wanted: Sequence[NewPlayer],
    events: Mapping[str, Collection[str]] = MappingProxyType({}),
    least: int = MIN_SCORE,
) -> tuple[PossibleDuplicate, ...]:
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
    new, known = _with_plain_names(_with_current_names(frame)), all_spellings(register)
    known = _with_plain_names(
        known if len(new) > PREFILTER_LIMIT else _sharing_a_beginning(new, known)
    )
    each_other = map(_swapped, _similar_pairs(new, new, least))
    found = _best_first(
        [*_known_with_same_id(register, wanted), *_similar_pairs(new, known, least), *each_other]
    )
    came = {one.player: at for at, one in enumerate(wanted)}

    def age(one: PossibleDuplicate) -> tuple[bool, int]:
        fresh = one.other in came
        return fresh, came[one.other] if fresh else register.first(one.other)

    return tuple(sorted(_never_met(found, events), key=lambda one: (-one.score, *age(one))))


def limit_per_player(found: Iterable[PossibleDuplicate]) -> list[PossibleDuplicate]:
    """The first pairs of each player; a common name may look like hundreds."""
    told: Counter[str] = Counter()
    kept = []
    for lookalike in found:
        told[lookalike.player] += 1
        if told[lookalike.player] <= MAX_PER_PLAYER:
            kept.append(lookalike)
    return kept


def suggestions(register: Register, least: int = MIN_SCORE) -> list[PossibleDuplicate]:
    """Pairs of players who may be one and whom nobody has merged or kept apart, best first.

    In each pair the older record is first.
    """
    decided = kept_apart(register)
    players = all_spellings(register)
    came = pl.Series([register.first(one) for one in players["player_id"]], dtype=pl.Int64)
    known = _with_plain_names(players.with_columns(came=came).sort("came"))
    found = _best_first([*_pairs_with_same_id(register), *_similar_pairs(known, known, least)])
    open_pairs = [
        lookalike
        for lookalike in found
        if frozenset((lookalike.player, lookalike.other)) not in decided
    ]
    pairs = [(one.player, one.other) for one in open_pairs]
    return _never_met(open_pairs, events_of(register, {each for pair in pairs for each in pair}))


def kept_apart(register: Register) -> dict[frozenset[str], int]:
    """The pairs that somebody keeps apart, each with the entry that says so."""
    return {
        frozenset(register.canonical_id(player) for player in found.body.players): found.sequence
        for _, found in register.projection.state.all_in_force("apart")
    }


def events_of(register: Register, players: Collection[str]) -> dict[str, list[str]]:
    """The events in which some players stand."""
    rows = appearances(register.projection.tables, players)
    return dict(rows.group_by("player_id").agg(pl.col("event_id").unique()).iter_rows())


def _never_met(
    found: Iterable[PossibleDuplicate], events: Mapping[str, Collection[str]]
) -> list[PossibleDuplicate]:  # fmt: skip
    """The pairs of players who never met: two in one event are two."""
    return [
        lookalike
        for lookalike in found
        if set(events.get(lookalike.player, ())).isdisjoint(events.get(lookalike.other, ()))
    ]


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def players_with_names(register: Register) -> pl.DataFrame:
    """Everybody who has a name; who was erased is called by their id."""
    players = register.projection.tables["players"].select(
        "player_id", "name", "nation", "withheld"
    )
    erased = pl.col("withheld").fill_null(value=False) & (pl.col("name") == pl.col("player_id"))
    return players.filter(~erased).drop("withheld")


def all_spellings(register: Register) -> pl.DataFrame:
    """Everybody who has a name as often as they were written otherwise; ``now`` is what they are.

    Who was merged, or is called otherwise today, is looked for by each of the spellings.
    """
    players = _with_current_names(players_with_names(register))
    group = register.projection.state.group("players")
    several = [one for one, versions in group.items() if len(versions) > 1]
    forms, _ = register.forms_and_persons({*register.merged, *several})
    rows = {(register.canonical_id(one), *form[:2]) for one, each in forms.items() for form in each}
    schema = {"player_id": pl.String, "name": pl.String, "nation": pl.String}
    more = pl.DataFrame(sorted(rows, key=str), schema, orient="row").join(
        players, ["player_id", "name", "nation"], "anti", nulls_equal=True
    )
    now = players.select("player_id", "now", "nation_now")
    return pl.concat([players, more.join(now, "player_id", maintain_order="left")])


def _with_current_names(players: pl.DataFrame) -> pl.DataFrame:
    """Players as they are called now."""
    return players.with_columns(now=pl.col("name"), nation_now=pl.col("nation"))


def _with_plain_names(players: pl.DataFrame) -> pl.DataFrame:
    """Players with their names in plain words."""
    return players.with_columns(plain=plain(players["name"])).with_row_index("at")


# ── which names are compared ─────────────────────────────────────────────────────────────────────


def _similar_pairs(
    new: pl.DataFrame, known: pl.DataFrame, least: int
) -> Iterator[PossibleDuplicate]:
    """Pairs of names that are alike enough, each once."""
    each = min(MAX_PER_NAME, max(MIN_PER_NAME, MAX_PAIRS // max(len(new), 1)))
    at_once = max(1, BATCH // each)
    starts = range(0, len(new), at_once)
    keys = _keys(known)
    others = prepared_names(known["plain"])
    names = others if new is known else prepared_names(new["plain"])
    here, there = _nations(new, known)
    for start in over(starts, "names to compare", len(starts)):
        mine, theirs = _pairs(_keys(new.slice(start, at_once)), keys, each)
        if new is known:  # a pair that either of the two finds
            mine, theirs = np.minimum(mine, theirs), np.maximum(mine, theirs)
            mine, theirs = mine[mine != theirs], theirs[mine != theirs]
        mine, theirs = _unique_pairs(mine, theirs, len(known))
        off = _nation_penalty(here[mine], there[theirs])
        found = scores(names, others, mine, theirs, least + off)
        kept = np.flatnonzero(found >= least + off)
        yield from _described_pairs(new[mine[kept]], known[theirs[kept]], (found - off)[kept])


def _sharing_a_beginning(new: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Known players of whose names a word begins as one of the new ones: a quick first look."""
    begins = (
        new["plain"].str.split(" ").explode(empty_as_null=True).str.head(PREFIX_LENGTH).unique()
    )
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
    begins = words.filter(pl.col("word").str.len_chars() >= PREFIX_LENGTH).select(
        "at", pl.col("word").str.head(PREFIX_LENGTH).hash(seed=2).alias("key")
    )
    whole = words.group_by("at").agg((pl.col("key") // MAX_WORDS).sum())
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


def _unique_pairs(mine: Array, theirs: Array, many: int) -> tuple[Array, Array]:
    """Each pair once, in order, given how many they are of whom the second is one."""
    codes = np.unique(mine * many + theirs)
    return codes // many, codes % many


# ── what is told of a pair ───────────────────────────────────────────────────────────────────────


def _nation_penalty(here: Array, there: Array) -> Array:
    """What nations take off, pair by pair, given their numbers: 0 where none is known."""
    differs = np.where(here != there, NATION_DIFFERENT, 0)
    found: Array = np.where((here == 0) | (there == 0), NATION_UNKNOWN, differs)
    return found


def _nations(new: pl.DataFrame, known: pl.DataFrame) -> tuple[Array, Array]:
    """A number for the nation of each player, the same for the same one; 0 where none is known."""
    both = pl.concat([new["nation"], known["nation"]]).cast(pl.Categorical).to_physical()
    numbers = (both.cast(pl.Int64) + 1).fill_null(0).to_numpy()
    return numbers[: len(new)], numbers[len(new) :]


def _described_pairs(
    one: pl.DataFrame, other: pl.DataFrame, scores: np.ndarray
) -> Iterator[PossibleDuplicate]:
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
        yield PossibleDuplicate(
            player=mine[0],
            form=Form(mine[4], mine[5]),
            other=theirs[0],
            other_form=Form(theirs[4], theirs[5]),
            score=int(score),
            why=why,
        )


# ── the same id elsewhere ────────────────────────────────────────────────────────────────────────


def _known_with_same_id(
    register: Register, wanted: Sequence[NewPlayer]
) -> Iterator[PossibleDuplicate]:
    """New players whose id elsewhere somebody has, a known player or an earlier one of them."""
    known = register.by_other_id({value for somebody in wanted for value in somebody.ids.values()})
    first: dict[tuple[str, str], NewPlayer] = {}
    for somebody in wanted:
        for scheme, value in somebody.ids.items():
            others = [
                register.canonical_id(other) for of, other in known.get(value, ()) if of == scheme
            ]
            forms = [(other, _current_form(register, other)) for other in others]
            earlier = first.setdefault((scheme, value), somebody)
            forms += [(earlier.player, earlier.form)] if earlier is not somebody else []
            for other, form in forms:
                yield _same_id(somebody.player, somebody.form, other, form, scheme, value)


def _pairs_with_same_id(register: Register) -> Iterator[PossibleDuplicate]:
    """Players who have the same id elsewhere."""
    by_id: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for player, person in register.with_other_ids():
        for pair in person.ids.items():
            by_id[pair][register.canonical_id(player)] = None
    for (scheme, value), players in by_id.items():
        first, *others = sorted(players, key=register.first)
        for other in others:
            forms = _current_form(register, first), _current_form(register, other)
            yield _same_id(first, forms[0], other, forms[1], scheme, value)


def _swapped(one: PossibleDuplicate) -> PossibleDuplicate:
    """The same pair, the later player first."""
    return replace(
        one, player=one.other, form=one.other_form, other=one.player, other_form=one.form
    )


def _current_form(register: Register, player: str) -> Form:
    rows = register.projection.tables["players"].filter(pl.col("player_id") == player)
    return Form(rows["name"][0], rows["nation"][0])


def _same_id(
    player: str, form: Form, other: str, other_form: Form, scheme: str, value: str
) -> PossibleDuplicate:
    return PossibleDuplicate(
        player=player,
        form=form,
        other=other,
        other_form=other_form,
        score=SAME_ID,
        why=msg("the same %(scheme)s id %(value)s", scheme=scheme, value=shown(value)),
    )


def _best_first(found: Iterable[PossibleDuplicate]) -> list[PossibleDuplicate]:
    """Each pair once, for its best reason; best first, else in the order they came."""
    best: dict[frozenset[str], PossibleDuplicate] = {}
    for one in found:
        pair = frozenset((one.player, one.other))
        if pair not in best or best[pair].score < one.score:
            best[pair] = one
    return sorted(best.values(), key=lambda one: -one.score)
