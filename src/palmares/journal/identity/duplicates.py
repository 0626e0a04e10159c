"""
Possible duplicates: players with similar names or the same id elsewhere, for people to decide on.

Players who played in the same event are two. Only names that share a word, or the beginning of one,
are compared, rare ones first: comparing all with all would take hours.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from rapidfuzz import fuzz, process

from palmares.core.messages import joined, msg
from palmares.core.progress import over
from palmares.facts.merge import appearances
from palmares.facts.text import plain, printable
from palmares.journal.identity.register import Form, Register, ReportedPlayer

Array = np.ndarray[Any, Any]

MIN_SCORE = 85
SAME_ID = 100
NATION_UNKNOWN, NATION_DIFFERENT = 3, 10
"""Subtracted from the score where a nation is not known, or differs."""

MAX_PAIRS, MAX_PER_NAME, MIN_PER_NAME = 5_000_000, 5_000, 50
"""Limits of comparisons: in all, for each name at most, for each name at least."""

PREFIX_LENGTH = 3
BETWEEN_WORDS = " -.'(,"
_SEVERAL = r"(?i)[&/+]|\band\b"
"""In the name of a pair or a team, whose words are the names of others."""
MAX_WORDS = 1 << 8  # of a name, so that the sum of their hashes does not overflow
PREFILTER_LIMIT = 1_000  # up to so many new names, known ones are filtered first
BATCH = 1_000_000  # comparisons at a time
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

    @property
    def text(self) -> str:
        """The first player looks like the other, and why."""
        return msg(
            "%(form)s looks like %(player)s, %(other)s: %(why)s",
            form=printable(str(self.form)),
            player=self.other,
            other=printable(str(self.other_form)),
            why=self.why,
        )

    def swapped(self) -> PossibleDuplicate:
        """The same pair, the other player first."""
        return replace(
            self, player=self.other, form=self.other_form, other=self.player, other_form=self.form
        )


def possible_duplicates(
    register: Register,
    new_players: Mapping[str, ReportedPlayer],
    events: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> tuple[PossibleDuplicate, ...]:
    """Pairs of a new player and a known one, or of two new players, who may be one person.

    Args:
        register: the known players.
        new_players: about to be recorded, by their new ids, in order; of two, the later one comes
            first in the pair.
        events: in which players are about to be recorded.

    Returns:
        The pairs, best first; of several with the same score, those with older records first.
    """
    if not new_players:
        return ()
    frame = pl.DataFrame(
        [(player, new.name, new.nation) for player, new in new_players.items()],
        schema={"player_id": pl.String, "name": pl.String, "nation": pl.String},
        orient="row",
    )
    new = _with_plain_names(frame.with_columns(now="name", nation_now="nation"))
    recorded = _recorded(register)
    recorded = _with_plain_names(
        recorded if len(new) > PREFILTER_LIMIT else _sharing_a_beginning(new, recorded)
    )
    pairs = _best_first(
        [
            *_pairs_with_same_id(register, new_players),
            *_similar_pairs(new, recorded, MIN_SCORE),
            *(pair.swapped() for pair in _similar_pairs(new, new, MIN_SCORE)),
        ]
    )
    position = {player: number for number, player in enumerate(new_players)}

    def age(pair: PossibleDuplicate) -> tuple[bool, int]:
        is_new = pair.other in position
        return is_new, position[pair.other] if is_new else register.first(pair.other)

    return tuple(sorted(_never_met(pairs, events), key=lambda pair: (-pair.score, *age(pair))))


def limit_per_player(pairs: Iterable[PossibleDuplicate]) -> list[PossibleDuplicate]:
    """The first pairs of each player; a common name may look like hundreds."""
    count: Counter[str] = Counter()
    first = []
    for pair in pairs:
        count[pair.player] += 1
        if count[pair.player] <= MAX_PER_PLAYER:
            first.append(pair)
    return first


def suggestions(register: Register, min_score: int = MIN_SCORE) -> list[PossibleDuplicate]:
    """Pairs of recorded players who may be one, without decided ones; best first.

    In each pair the older record is first.
    """
    decided = kept_apart(register)
    players = _recorded(register)
    age = pl.Series(map(register.first, players["player_id"]), dtype=pl.Int64)
    recorded = _with_plain_names(players.with_columns(age=age).sort("age"))
    candidates = [*_pairs_with_same_id(register), *_similar_pairs(recorded, recorded, min_score)]
    pairs = [
        pair
        for pair in _best_first(candidates)
        if frozenset((pair.player, pair.other)) not in decided
    ]
    players_of_pairs = {player for pair in pairs for player in (pair.player, pair.other)}
    return _never_met(pairs, events_of(register, players_of_pairs))


def kept_apart(register: Register) -> dict[frozenset[str], int]:
    """The pairs that are decided to be two players, each with the entry that says so."""
    return {
        frozenset(map(register.canonical_id, statement.body.players)): statement.sequence
        for _, statement in register.projection.state.all_in_force("apart")
    }


def events_of(register: Register, players: Collection[str]) -> dict[str, list[str]]:
    """The events in which some players played."""
    rows = appearances(register.projection.tables, players)
    return dict(rows.group_by("player_id").agg(pl.col("event_id").unique()).iter_rows())


def _never_met(
    pairs: Iterable[PossibleDuplicate], events: Mapping[str, Collection[str]]
) -> list[PossibleDuplicate]:
    """The pairs without those who played in one event."""
    return [
        pair
        for pair in pairs
        if set(events.get(pair.player, ())).isdisjoint(events.get(pair.other, ()))
    ]


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def _recorded(register: Register) -> pl.DataFrame:
    """The spellings of each player who has a name, each once."""
    spellings = register.spellings.drop_nulls("now")
    return spellings.unique(["player_id", "name", "nation"], keep="first", maintain_order=True)


def _with_plain_names(players: pl.DataFrame) -> pl.DataFrame:
    """Players with row numbers and what is compared of their names.

    The name in plain letters, the same with its words in alphabetical order, whether it is one
    word, or a word of it one letter, and how many words it has: 0 of a pair or a team.
    """
    names = plain(players["name"])
    return players.with_columns(
        plain=names,
        ordered=names.str.split(" ").list.sort().list.join(" "),
        short=names.str.contains(r"(^| )\p{L}( |$)") | ~names.str.contains(" "),
        words=(names.str.count_matches(" ") + 1)
        * (~players["name"].str.contains(_SEVERAL)).cast(pl.UInt32),
    ).with_row_index("at")


# ── which names are compared ─────────────────────────────────────────────────────────────────────


def _similar_pairs(
    new: pl.DataFrame, recorded: pl.DataFrame, min_score: int
) -> Iterator[PossibleDuplicate]:
    """Pairs of names with at least a score, each once."""
    per_name = min(MAX_PER_NAME, max(MIN_PER_NAME, MAX_PAIRS // max(len(new), 1)))
    batch = max(1, BATCH // per_name)
    starts = range(0, len(new), batch)
    keys = _keys(recorded)
    here, there = _nations(new, recorded)
    for start in over(starts, "names to compare", len(starts)):
        mine, theirs = _pairs(_keys(new.slice(start, batch)), keys, per_name)
        if new is recorded:  # each of the two finds the pair
            mine, theirs = np.minimum(mine, theirs), np.maximum(mine, theirs)
            mine, theirs = mine[mine != theirs], theirs[mine != theirs]
        mine, theirs = np.divmod(np.unique(mine * len(recorded) + theirs), max(len(recorded), 1))
        differs = np.where(here[mine] != there[theirs], NATION_DIFFERENT, 0)
        is_unknown = (here[mine] == 0) | (there[theirs] == 0)
        off = np.where(is_unknown, NATION_UNKNOWN, differs)
        similar = _scores(new, recorded, mine, theirs, min_score + off)
        enough = np.flatnonzero(similar >= min_score + off)
        pairs = new[mine[enough]], recorded[theirs[enough]], (similar - off)[enough]
        yield from _described_pairs(*pairs)


def _sharing_a_beginning(new: pl.DataFrame, recorded: pl.DataFrame) -> pl.DataFrame:
    """Known players with a name in which a word begins like one in the new names."""
    begins = (
        new["plain"].str.split(" ").explode(empty_as_null=True).str.head(PREFIX_LENGTH).unique()
    )
    parts = [mark + begin for begin in begins.drop_nulls() for mark in BETWEEN_WORDS]
    name = pl.col("name")
    special = name.str.len_bytes() != name.str.len_chars()
    return recorded.filter(
        special | (" " + name).str.contains_any(parts, ascii_case_insensitive=True)
    )


def _keys(names: pl.DataFrame) -> pl.DataFrame:
    """What names may share, as hashes: all their words, a word, the beginning of a word."""
    words = names.select("at", pl.col("plain").str.split(" ").alias("word")).explode("word")
    words = words.filter(pl.col("word") != "").with_columns(key=pl.col("word").hash(seed=1))
    begins = words.filter(pl.col("word").str.len_chars() >= PREFIX_LENGTH).select(
        "at", pl.col("word").str.head(PREFIX_LENGTH).hash(seed=2).alias("key")
    )
    all_words = words.group_by("at").agg((pl.col("key") // MAX_WORDS).sum())
    return pl.concat([words.select("at", "key"), begins, all_words])


def _pairs(wanted: pl.DataFrame, recorded: pl.DataFrame, per_name: int) -> tuple[Array, Array]:
    """Pairs that share a key, rare keys first, up to a number of pairs for each name."""
    recorded = recorded.join(wanted, on="key", how="semi")
    rare = (
        wanted.join(recorded.group_by("key").len(), on="key")
        .sort("at", "len", "key")
        .filter(pl.col("len").cum_sum().over("at") <= per_name)
    )
    pairs = rare.join(recorded, on="key", suffix="_known")
    return pairs["at"].to_numpy().astype(np.int64), pairs["at_known"].to_numpy().astype(np.int64)


# ── scores and reasons ───────────────────────────────────────────────────────────────────────────


def _nations(new: pl.DataFrame, recorded: pl.DataFrame) -> tuple[Array, Array]:
    """The nation of each player as a number; 0 where it is not known."""
    nations = pl.concat([new["nation"], recorded["nation"]]).cast(pl.Categorical).to_physical()
    numbers = (nations.cast(pl.Int64) + 1).fill_null(0).to_numpy()
    return numbers[: len(new)], numbers[len(new) :]


def _described_pairs(
    new: pl.DataFrame, recorded: pl.DataFrame, scores: np.ndarray
) -> Iterator[PossibleDuplicate]:
    columns = ("player_id", "name", "nation", "plain", "now", "nation_now")
    rows = zip(
        new.select(columns).iter_rows(), recorded.select(columns).iter_rows(), scores, strict=True
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
                form = printable(str(Form(name, nation)))
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


def _pairs_with_same_id(
    register: Register, new_players: Mapping[str, ReportedPlayer] = MappingProxyType({})
) -> Iterator[PossibleDuplicate]:
    """Recorded players with the same id elsewhere; or new players, each with those before them."""
    new_forms = {player: new.form for player, new in new_players.items()}
    texts = {id_ for new in new_players.values() for id_ in new.ids.values()}
    players_by_id: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    recorded = register.with_other_ids(texts or None) if texts or not new_players else ()
    for record, person in sorted(recorded, key=lambda pair: register.first(pair[0])):
        for pair in person.ids.items():
            players_by_id[pair][register.canonical_id(record)] = None
    for new_player, new in new_players.items():
        for pair in new.ids.items():
            players_by_id[pair][new_player] = None
    for (scheme, value), players in players_by_id.items():
        for other, player in combinations(players, 2):
            if player in new_forms or not new_players:
                same_id = PossibleDuplicate(
                    player=player,
                    form=new_forms.get(player) or _current_form(register, player),
                    other=other,
                    other_form=new_forms.get(other) or _current_form(register, other),
                    score=SAME_ID,
                    why=msg(
                        "the same %(scheme)s id %(value)s", scheme=scheme, value=printable(value)
                    ),
                )
                yield same_id if new_players else same_id.swapped()


def _current_form(register: Register, player: str) -> Form:
    rows = register.projection.tables["players"].filter(pl.col("player_id") == player)
    return Form(rows["name"][0], rows["nation"][0])


def _best_first(pairs: Iterable[PossibleDuplicate]) -> list[PossibleDuplicate]:
    """Each pair once, with its best score; best first, else in the given order."""
    best: dict[frozenset[str], PossibleDuplicate] = {}
    for pair in pairs:
        players = frozenset((pair.player, pair.other))
        if players not in best or best[players].score < pair.score:
            best[players] = pair
    return sorted(best.values(), key=lambda pair: -pair.score)


# ── how similar two names are ─────────────────────────────────────────────────────────────────────

INITIALS = 88
"""The similarity of names that differ only in initials, or in words that one leaves out."""
LEFT_OUT = 55
"""The lowest similarity at which it is looked whether a name only leaves words out."""
SAME_BEGINNING = 92
"""The lowest similarity of a name to the beginning of a longer one, as of Tom Dugan Graz."""
RELATED = 70
"""The lowest similarity of two names of one id that share no word."""


def similarity(first: str, second: str) -> int:
    """The similarity of two names."""
    names = _with_plain_names(pl.DataFrame({"name": [first, second]}))
    return int(_scores(names, names, np.array([0]), np.array([1]), np.array([0]))[0])


def may_be_one_person(first: str, second: str) -> bool:
    """Whether two names share a word, or are similar."""
    words, others = (set(name.split()) for name in plain(pl.Series([first, second])))
    return bool(words & others) or similarity(first, second) >= RELATED


def _scores(
    new: pl.DataFrame, recorded: pl.DataFrame, mine: Array, theirs: Array, needed: Array
) -> Array:
    """The similarity of pairs of names, in the better of both orders of words, rounded down.

    Args:
        new: names, as `_with_plain_names` prepares them.
        recorded: more names, or the same.
        mine: the row of a name in *new*, for each pair.
        theirs: the row of a name in *recorded*.
        needed: the lowest similarity that matters, for each pair.
    """
    if not len(mine):
        return np.zeros(0)
    here, there = mine.tolist(), theirs.tolist()
    names = ((new[column].to_list(), recorded[column].to_list()) for column in ("plain", "ordered"))
    ratios = (
        process.cpdist([left[at] for at in here], [right[at] for at in there], scorer=fuzz.ratio)
        for left, right in names
    )
    similar: Array = np.floor(np.maximum(*ratios))
    short = new["short"].to_numpy()[mine] | recorded["short"].to_numpy()[theirs]
    words, others = new["words"].to_numpy()[mine], recorded["words"].to_numpy()[theirs]
    longer = (words != others) & (words * others > 0)
    may_be = short | (longer & (similar >= LEFT_OUT))
    for at in np.flatnonzero(longer & ~may_be):
        may_be[at] = _is_beginning(new["plain"][here[at]], recorded["plain"][there[at]])
    for at in np.flatnonzero(may_be & (similar < INITIALS) & (needed <= INITIALS)):
        pair = new["plain"][here[at]].split(), recorded["plain"][there[at]].split()
        if _same_but_initials(*pair) or (longer[at] and _same_beginning(*pair)):
            similar[at] = INITIALS
    return similar


def _is_beginning(name: str, other: str) -> bool:
    """Whether the longer of two names begins with all the words of the other, several of them."""
    fewer, more = sorted((name, other), key=len)
    return " " in fewer and more.startswith(f"{fewer} ")


def _same_beginning(name: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the longer of two names begins with nearly the words of the other, several of them.

    As where a town stands behind the name: Tom Dugan Graz for Tom Duggan.
    """
    fewer, more = sorted((name, other), key=len)
    begins = fuzz.ratio(" ".join(fewer), " ".join(more[: len(fewer)])) >= SAME_BEGINNING
    return begins and len(fewer) > 1


def _same_but_initials(name: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two names share a word and differ only in initials, or in words that one leaves out.

    One initial may stand for several first names: J. Roy for Jean-Luc Roy.
    """
    words, others = Counter(name), Counter(other)
    shared = Counter({word: n for word, n in (words & others).items() if len(word) > 1})
    fewer, more = sorted(
        (sorted((words - shared).elements()), sorted((others - shared).elements())), key=len
    )
    if not shared:
        return False
    abbreviated = all(len(word) == 1 for word in fewer)
    for word in fewer:
        stands_for = (each for each in more if each[0] == word[0] and 1 in (len(word), len(each)))
        full = next(stands_for, None)
        if full is None:
            return False
        more.remove(full)
    return abbreviated or not more
