"""Measure how varied the texts of queries are.

The measures are the share of distinct n-grams, and the share of texts with the most common
skeleton: the text with placeholders for cities, numbers, dates, names and tags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from queries.audit.tags import without_tags

_TOKEN = re.compile(r"[A-Za-z']+|\d+|[\u4e00-\u9fff]")
_NUMBER = re.compile(
    r"\d[\d,.]*(?=\d)|\d|[一二三四五六七八九十两](?=[个位天日人口大])"
    r"|\b(?:one|two|three|four|five|six)(?= (?:adult|child|senior|of us|single|king|twin|family"
    r"|people))"
)
#: Days of the week, and months next to a day.
_TIME = re.compile(
    r"(?<=周)[一二三四五六日]|(?<=星期)[一二三四五六日]|\b(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day\b|"
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)(?= [#\d])"
)
_NAME = re.compile(r"[「“].+?[」”]")


def distinct_n(texts: Sequence[str], n: int) -> float | None:
    """Return the number of distinct n-grams divided by the total number of n-grams.

    The result is None if there are no n-grams. Each Chinese character counts as one token.
    """
    grams: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        tokens = _TOKEN.findall(text.lower())
        grams.update(zip(*(tokens[i:] for i in range(n)), strict=False))
    total = sum(grams.values())
    return round(len(grams) / total, 4) if total else None


def skeleton(text: str, city_names: Sequence[str]) -> str:
    """Return a text's template, with placeholders for cities, numbers, dates, names and tags."""
    for name in city_names:
        text = text.replace(name, "▢")
    return _NUMBER.sub("#", _TIME.sub("▢", without_tags(_NAME.sub("「」", text))))


def variety(texts: Sequence[str], city_names: Sequence[str]) -> dict[str, float | int | None]:
    """Return distinct-1, -2 and -3, the number of skeletons, and the share of the most common
    skeleton.
    """
    names = sorted(set(city_names), key=lambda name: (-len(name), name))
    skeletons = Counter(skeleton(text, names) for text in texts)
    commonest = skeletons.most_common(1)[0][1] if skeletons else 0
    return {
        "distinct_1": distinct_n(texts, 1),
        "distinct_2": distinct_n(texts, 2),
        "distinct_3": distinct_n(texts, 3),
        "skeletons": len(skeletons),
        "commonest_skeleton_share": round(commonest / len(texts), 4) if texts else None,
    }
