"""Names of Chinese documents weighed:
what is added, what falls, what stands whatever is weighed.
"""

from __future__ import annotations

from extractors.rules import RulesEngine
from extractors.rules.zh.candidates import candidates
from schemas.documents import Document
from schemas.reading import GazetteerEntry
from schemas.tasks import DocumentInput
from sources.web.main_text import parse_document
from tests.support.extractors.reading_documents import read_item

_TALE = "# 三日游记\n我们早上到了镇上，吃了早饭。\n"


def _document(text: str) -> Document:
    return parse_document(text.encode(), "tale.md")


def _roles(text: str, *known: str) -> dict[str, str]:
    gazetteer = tuple(GazetteerEntry(standard=name, kind="poi") for name in known)
    item = DocumentInput(document=_document(text), gazetteer=gazetteer)
    reading = read_item(RulesEngine(), item)
    return {mention.name: mention.role for mention in reading.mentions}


def _names(text: str) -> set[str]:
    from extractors.rules.common.lines import lines_of

    return {c.name for c in candidates(lines_of(_document(text)), ())}


def test_every_start_of_an_ending_is_a_candidate() -> None:
    assert {"松风寺", "风寺"} <= _names(f"{_TALE}我们看了松风寺。")


def test_titles_of_works_and_lines_on_meals_offer_no_candidates() -> None:
    names = _names(f"{_TALE}他写过《听雨岩记》。\n- 望渔古桥小院：人均￥48")
    assert not any("听雨岩" in name or "望渔古桥" in name for name in names)


def test_a_name_that_the_gazetteer_knows_stands_whatever_its_form() -> None:
    assert _roles(f"{_TALE}后来去了青蓝里。", "青蓝里")["青蓝里"] == "visited"


def test_a_longer_and_a_shorter_form_are_never_both_taken() -> None:
    text = f"{_TALE}## 第一天\n- 望渔古桥\n- 听雨岩公园\n我们走过望渔古桥，进了听雨岩公园。"
    found = _roles(text)
    assert {"望渔古桥", "听雨岩公园"} <= {n for n, r in found.items() if r == "visited"}
    assert not {"古桥", "渔古桥", "雨岩公园"} & set(found)


def test_the_same_document_is_weighed_the_same_again() -> None:
    text = f"{_TALE}我们去了听雨岩，又去了望渔古桥。"
    assert _roles(text) == _roles(text)
