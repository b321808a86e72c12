"""Scores many pairs at once: adds up the evidence from names and distance, then assigns a label.

Each comparison gives a level, and each level has a positive or negative weight. As with decibans,
the weights are added up; the sum is the balance of the pair. Thresholds on the balance separate
*same*, *different* and *parent-of*. The weights are set by hand and are the same for every data
set. The result contains every level, so that a decision can be traced.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geocoding import lexicon
from schemas.geo import distance_m

Array = NDArray[np.float64]

#: The weight of each level of similarity of names, from none to equal in every letter.
NAME_LEVELS = ("none", "weak", "close", "ending", "main", "equal")
NAME_WEIGHT = np.array([-6.0, -1.5, 3.0, 3.5, 5.0, 6.0])
#: The highest distance (metres) of each level, and the weights; the last is for unknown ones.
DISTANCE_LEVELS = (50.0, 150.0, 300.0, 800.0, 2_500.0, 8_000.0, np.inf)
DISTANCE_WEIGHT = np.array([2.0, 1.0, 0.0, -2.5, -4.5, -6.0, -9.0, -1.0])
#: Conflicts that show two different places.
CONFLICTS = ("digits", "brackets", "branch", "direction", "kind", "parts", "longer", "words")
CONFLICT_WEIGHT = np.array([-8.0, -8.0, -3.0, -8.0, -5.0, -8.0, -4.0, -8.0])
#: Words that differ in two names are spellings of each other from this similarity on.
SPELLINGS_FROM = 0.6
#: From the first balance on, two rows are one place; below the second, they certainly differ.
SAME_FROM, STRANGERS_BELOW = 2.5, -2.0
#: Bits of conflicts that alone show that two rows certainly differ, unless they are the same.
HARD_CONFLICTS = sum(1 << CONFLICTS.index(c) for c in ("digits", "brackets", "direction", "parts"))
_DIRECTIONS = "".join(sorted(lexicon.OTHER_ONE))


def score_pairs(
    places: pl.DataFrame, first: NDArray[np.int64], second: NDArray[np.int64]
) -> pl.DataFrame:
    """Return a row for each pair, with its label, its balance and the compared values.

    The columns are ``first``, ``second``, ``label``, ``balance``, ``name_level``, ``ratio``,
    ``distance_m`` and ``conflicts``. ``label`` is same, different, parent-of (the first contains
    the second) or part-of.
    """
    a, b = places[first], places[second]
    metres = _metres(a, b)
    ratio = _ratio(a["main"], b["main"])
    level = _name_level(a, b, ratio)
    conflicts = _conflicts(a, b, ratio, metres)
    balance = NAME_WEIGHT[level] + DISTANCE_WEIGHT[_distance_level(metres)]
    balance = balance + np.where(conflicts, CONFLICT_WEIGHT[:, None], 0.0).sum(axis=0)
    label = np.where(balance >= SAME_FROM, "same", "different").astype(object)
    whole_a, whole_b = _contains(a, b, metres), _contains(b, a, metres)
    label[(whole_a & ~whole_b) & (label != "same")] = "parent-of"
    label[(whole_b & ~whole_a) & (label != "same")] = "part-of"
    bits = (conflicts * (1 << np.arange(len(CONFLICTS)))[:, None]).sum(axis=0)
    return pl.DataFrame(
        {
            "first": first, "second": second, "label": pl.Series(label, dtype=pl.String),
            "balance": balance, "name_level": level.astype(np.int8), "ratio": ratio,
            "distance_m": pl.Series(metres, nan_to_null=True), "conflicts": bits.astype(np.int16),
        }
    )  # fmt: skip


def _metres(a: pl.DataFrame, b: pl.DataFrame) -> Array:
    """Return distances in metres, or NaN if a coordinate is missing."""
    columns = [f[c].to_numpy().astype(np.float64) for f in (a, b) for c in ("lat", "lon")]
    return distance_m(*columns)


def _distance_level(metres: Array) -> NDArray[np.int64]:
    level = np.searchsorted(np.array(DISTANCE_LEVELS), metres, side="left")
    return np.where(np.isnan(metres), len(DISTANCE_LEVELS), level)


def _ratio(a: pl.Series, b: pl.Series) -> Array:
    """Return the similarity of two columns of strings, from 0 to 1 (normalised Indel)."""
    # Imported here so that other commands start faster.
    from rapidfuzz import fuzz
    from rapidfuzz.process import cpdist

    found = cpdist(a.to_list(), b.to_list(), scorer=fuzz.ratio, workers=-1, dtype=np.float32)
    return np.asarray(found, dtype=np.float64) / 100.0


def _flag(expression: pl.Expr, both: pl.DataFrame) -> NDArray[np.bool_]:
    return both.select(expression.fill_null(False))[:, 0].to_numpy().astype(bool)


def _beside(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([a.select(pl.all().name.suffix("_a")), b.select(pl.all().name.suffix("_b"))],
                     how="horizontal")  # fmt: skip


def _name_level(a: pl.DataFrame, b: pl.DataFrame, ratio: Array) -> NDArray[np.int64]:
    both = _beside(a, b)
    equal = _flag(pl.col("key_a") == pl.col("key_b"), both)
    main = _flag(
        (pl.col("main_a") == pl.col("main_b")) & (pl.col("tail_a") == pl.col("tail_b"))
        | (pl.col("bracket_a") == pl.col("main_b")) | (pl.col("bracket_b") == pl.col("main_a")),
        both,
    )  # fmt: skip
    loose_a = pl.col("is_generic_a") | (pl.col("main_a") == pl.col("core_b"))
    loose_b = pl.col("is_generic_b") | (pl.col("main_b") == pl.col("core_a"))
    generic = pl.col("is_generic_a") | pl.col("is_generic_b")
    long_core = (pl.col("core_a").str.len_chars() >= 2) & (pl.col("core_b").str.len_chars() >= 2)
    same_core = (
        (pl.col("core_a") == pl.col("core_b"))
        | (pl.col("main_a") == pl.col("core_b"))
        | (pl.col("core_a") == pl.col("main_b"))
    )
    ending = _flag(same_core & loose_a & loose_b & generic & long_core, both)
    levels = np.searchsorted(np.array([0.55, 0.79]), ratio, side="right").astype(np.int64)
    levels[ending & (levels < 3)] = 3
    levels[main] = 4
    levels[equal] = 5
    return levels


def _conflicts(a: pl.DataFrame, b: pl.DataFrame, ratio: Array, metres: Array) -> NDArray[np.bool_]:
    """Return a table with a row for each kind of conflict and a column for each pair."""
    both = _beside(a, b)
    differ = pl.col("bracket_a") != pl.col("bracket_b")
    has_a, has_b = pl.col("bracket_a") != "", pl.col("bracket_b") != ""
    two = np.flatnonzero(_flag(has_a & has_b & differ, both))
    brackets = np.zeros(both.height, bool)
    brackets[two] = _ratio(both["bracket_a"][two], both["bracket_b"][two]) < 0.8
    one_branch = _flag(
        (has_a & ~has_b & pl.col("is_branch_a")) | (has_b & ~has_a & pl.col("is_branch_b")), both
    )
    kinds = _flag(
        (pl.col("kind_a") != pl.col("kind_b")) & (pl.col("kind_a") != "") & (pl.col("kind_b") != "")
        & ~pl.col("is_generic_a") & ~pl.col("is_generic_b")
        & ~pl.col("ending_a").str.ends_with(pl.col("ending_b"))
        & ~pl.col("ending_b").str.ends_with(pl.col("ending_a")), both,
    )  # fmt: skip
    return np.stack(
        [
            _flag(pl.col("digits_a") != pl.col("digits_b"), both),
            brackets,
            one_branch & ~(metres <= 50.0),
            _flag(_is_turned(), both) & (ratio < 1.0),
            kinds,
            _flag(pl.col("tail_a") != pl.col("tail_b"), both),
            _flag(_goes_on("a", "b") | _goes_on("b", "a"), both),
            _other_words(both, ratio),
        ]
    )


def _other_words(both: pl.DataFrame, ratio: Array) -> NDArray[np.bool_]:
    """Check whether two names with spaces are similar only because they share common words.

    Two different restaurants may share the word Restaurante, which makes up most of their letters.
    """
    found = np.zeros(both.height, bool)
    spaced = pl.col("name_a").str.contains(r"\pL\s+\pL") & pl.col("name_b").str.contains(
        r"\pL\s+\pL"
    )
    at = np.flatnonzero(_flag(spaced, both) & (ratio >= 0.55) & (ratio < 1.0))
    words = [
        pl.col(f"name_{x}")
        .str.normalize("NFKD")
        .str.to_lowercase()
        .str.replace_all(r"\pM", "")
        .str.extract_all(r"[\pL\pN]+")
        for x in "ab"
    ]
    apart = both[at].select(
        a=words[0].list.set_difference(words[1]).list.sort().list.join(""),
        b=words[1].list.set_difference(words[0]).list.sort().list.join(""),
    )
    both_have = _flag((pl.col("a") != "") & (pl.col("b") != ""), apart)
    found[at] = both_have & (_ratio(apart["a"], apart["b"]) < SPELLINGS_FROM)
    return found


def _is_turned() -> pl.Expr:
    """Check whether two names differ only by a letter that stands for a direction or degree."""
    directions = [pl.col(f"main_{x}").str.replace_all(f"[^{_DIRECTIONS}]", "") for x in "ab"]
    length = [pl.col(f"main_{x}").str.len_chars() for x in "ab"]
    in_front = [
        pl.col(f"main_{x}").str.contains(f"^[{_DIRECTIONS}]")
        & (pl.col(f"main_{x}").str.slice(1) == pl.col(f"main_{y}"))
        for x, y in ("ab", "ba")
    ]
    return ((length[0] == length[1]) & (directions[0] != directions[1])) | in_front[0] | in_front[1]


def _goes_on(short: str, long: str) -> pl.Expr:
    """Check whether the longer name adds two or more letters that are not a generic ending."""
    return (
        pl.col(f"main_{long}").str.starts_with(pl.col(f"main_{short}"))
        & (pl.col(f"main_{long}").str.len_chars() >= pl.col(f"main_{short}").str.len_chars() + 2)
        & ~(pl.col(f"is_generic_{long}") & (pl.col(f"core_{long}") == pl.col(f"main_{short}")))
    )


def _contains(whole: pl.DataFrame, part: pl.DataFrame, metres: Array) -> NDArray[np.bool_]:
    """Check whether the name of the part extends the name of the whole, and whether the part is
    close enough.
    """
    both = _beside(whole, part)
    rest = pl.col("main_b").str.strip_prefix(pl.col("main_a"))
    goes_on = (
        pl.col("main_b").str.starts_with(pl.col("main_a"))
        & (pl.col("main_a").str.len_chars() >= 2)
        & (rest.str.len_chars() >= 1)
        & ~pl.col("is_generic_b")
        & (pl.col("tail_a") == "") & (pl.col("bracket_a") == "")
    )  # fmt: skip
    divided = (
        (pl.col("main_a") == pl.col("main_b")) & (pl.col("tail_a") == "") & (pl.col("tail_b") != "")
    )
    gate = (
        (pl.col("main_a") == pl.col("main_b")) & (pl.col("bracket_a") == "")
        & pl.col("bracket_b").str.contains("(?:门|入口|出口|停车场|售票处|游客中心)$")
    )  # fmt: skip
    reach = np.where(whole["scale"].to_numpy() == lexicon.AREA, 8_000.0, 1_800.0)
    return _flag(goes_on | divided | gate, both) & ~(metres > reach)
