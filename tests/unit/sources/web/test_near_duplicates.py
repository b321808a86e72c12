from __future__ import annotations

import random

import pytest

from sources.web.near_duplicates import THRESHOLD, jaccard, near_duplicates, shingle


def chinese(seed: int, length: int = 600) -> str:
    draw = random.Random(seed)
    return "".join(chr(0x4E00 + draw.randrange(3000)) for _ in range(length))


def edited(text: str, share: float, seed: int = 0) -> str:
    draw = random.Random(seed)
    chars = list(text)
    for at in draw.sample(range(len(chars)), int(share * len(chars))):
        chars[at] = chr(0x4E00 + draw.randrange(3000))
    return "".join(chars)


def test_the_first_of_two_alike_is_the_original() -> None:
    text = chinese(1)
    docs = {"d2": text, "d1": edited(text, 0.01), "d3": chinese(3)}
    assert near_duplicates(docs) == {"d1": "d2"}
    assert near_duplicates(dict(reversed(docs.items()))) == {"d2": "d1"}


def test_the_threshold_decides_not_the_hashes() -> None:
    originals = {f"o{n}": chinese(n) for n in range(40)}
    copies = {f"c{n}": edited(chinese(n), 0.0025 * n, seed=n) for n in range(40)}
    found = near_duplicates({**originals, **copies})
    for n in range(40):
        similarity = jaccard(shingle(originals[f"o{n}"]), shingle(copies[f"c{n}"]))
        assert (found.get(f"c{n}") == f"o{n}") == (similarity >= THRESHOLD), (n, similarity)


def test_punctuation_case_and_spacing_do_not_matter() -> None:
    english = "The old lighthouse keeps its lamp for the boats that come home late in winter " * 2
    shouted = english.upper().replace(" ", ",  ")
    assert near_duplicates({"a": english, "b": shouted}) == {"b": "a"}


def test_chains_lead_to_an_original() -> None:
    text = chinese(5)
    docs = {"a": text, "b": edited(text, 0.01, 1), "c": edited(text, 0.01, 2), "e": text}
    found = near_duplicates(docs)
    assert found == {"b": "a", "c": "a", "e": "a"}
    assert not set(found) & set(found.values())


def test_short_texts_are_not_compared() -> None:
    assert near_duplicates({"a": "看海", "b": "看海", "c": "", "d": ""}) == {}


@pytest.mark.slow
def test_a_thousand_documents() -> None:
    docs = {f"d{n:04}": chinese(n, 300) for n in range(1000)}
    docs |= {f"e{n:04}": edited(chinese(n, 300), 0.01, n) for n in range(0, 1000, 10)}
    found = near_duplicates(docs)
    assert found == {f"e{n:04}": f"d{n:04}" for n in range(0, 1000, 10)}


def test_signatures_do_not_depend_on_the_process() -> None:
    assert sorted(shingle("早上去灯塔看海"))[:2] == [10042695295446581073, 14487875027959188582]
