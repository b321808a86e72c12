"""Splits the names of many places into parts, column by column.

The parts correspond to those in ``geocoding.names``, but only the endings of Chinese names are
recognised, and spaces are dropped.
"""

from __future__ import annotations

import polars as pl

from geocoding import lexicon
from geocoding.names import simplify

_OPEN, _CLOSE = r"[(\[【「『〔<《]", r"[)\]】」』〕>》]"
_BRACKET = rf"^(.+){_OPEN}([^()\[\]【】「」『』〔〕<>《》]+){_CLOSE}$"
_DASH = r"\s*[-‐‑‒–—―－~～]+\s*"
_KEEP = r"[^\p{L}\p{N}]"
_BRANCH_ENDS = "|".join(
    sorted(
        {
            *lexicon.BRANCH_ENDINGS,
            *(w for k in lexicon.KINDS if k.scale == lexicon.PART for w in k.zh),
        },
        key=lambda word: (-len(word), word),
    )
)


def _endings() -> pl.DataFrame:
    """Map every ending to its kind and scale, and mark the generic endings."""
    rows = [
        {
            "ending": word,
            "kind": kind.code,
            "scale": kind.scale,
            "is_generic": word in lexicon.GENERIC,
        }
        for kind in lexicon.KINDS
        for word in kind.zh
    ]
    return pl.DataFrame(rows).unique("ending", keep="last", maintain_order=True)


def take_apart(names: pl.Series, cities: pl.Series) -> pl.DataFrame:
    """Return the parts of each name: ``key``, ``main``, ``bracket``, ``is_branch``, ``tail``,
    ``core``, ``ending``, ``kind``, ``scale`` and ``digits``.

    ``cities`` contains the city's Chinese name without 市 (or null), which is removed from the
    front of names. All parts are folded in width, case and script; a missing part is an empty
    string.
    """
    folded = (
        pl.col("name")
        .str.normalize("NFKC")
        .str.to_lowercase()
        .str.strip_chars()
        .str.replace_all(r"[\"“”‘’'`´·•‧・∙]", "")
        .str.replace_all(r"\s+", "")
        .str.replace_all(r"([a-z])[-–]([a-z])", "$1$2")
    )
    frame = pl.DataFrame({"name": names, "city": cities}).with_columns(text=folded)
    frame = frame.with_columns(text=_simplify(frame["text"]), city=_simplify(frame["city"]))
    parts = frame.with_columns(
        head=pl.coalesce(pl.col("text").str.extract(_BRACKET, 1), pl.col("text")),
        bracket=pl.col("text").str.extract(_BRACKET, 2).fill_null(""),
    ).with_columns(split=pl.col("head").str.replace(_DASH, "\x00").str.splitn("\x00", 2))
    divided = parts.with_columns(
        pl.col("split").struct.rename_fields(["front", "back"]).struct.unnest()
    )
    main = pl.col("front").str.replace_all(_KEEP, "")
    stripped = main.str.strip_prefix(pl.col("city").fill_null("")).str.strip_prefix("市")
    divided = divided.with_columns(
        main=pl.when(
            pl.col("city").is_not_null() & main.str.starts_with(pl.col("city"))
            & (stripped.str.len_chars() >= 2)
        ).then(stripped).otherwise(main),
        tail=pl.col("back").fill_null("").str.replace_all(_KEEP, ""),
    )  # fmt: skip
    endings = _endings()
    pattern = "|".join(sorted(endings["ending"], key=lambda word: (-len(word), word)))
    found = divided.with_columns(
        ending=pl.col("main").str.extract(f"(?:{pattern})$", 0).fill_null("")
    ).join(endings, on="ending", how="left", maintain_order="left")
    return found.select(
        key=pl.col("text").str.replace_all(_KEEP, ""),
        main="main",
        bracket=pl.col("bracket").str.replace_all(_KEEP, "").str.strip_prefix("原"),
        is_branch=pl.col("bracket").str.contains(f"(?:{_BRANCH_ENDS})$"),
        tail="tail",
        core=pl.col("main").str.head(
            pl.col("main").str.len_chars() - pl.col("ending").str.len_chars()
        ),
        ending="ending",
        kind=pl.col("kind").fill_null(""),
        scale=pl.col("scale").fill_null(lexicon.COMPOUND).cast(pl.Int8),
        is_generic=pl.col("is_generic").fill_null(False),
        digits=pl.col("text")
        .str.extract_all(r"[0-9]+|[一二三四五六七八九十]+(?:号|期|分|店|馆|院|楼|层)")
        .list.join(" "),
    )


def _simplify(texts: pl.Series) -> pl.Series:
    """Replace traditional characters with simplified ones, using a table of the characters that
    occur.
    """
    characters = texts.str.split("").explode().unique().drop_nulls()
    table = {c: s for c in sorted(characters.to_list()) if c and (s := simplify(c)) != c}
    return texts.str.replace_many(list(table), list(table.values())) if table else texts
