"""Links are kept: only what changed for a document links it anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.pipeline import readings
from flows.pipeline.readings import LinkStore
from geocoding.linking.decide import link_document
from geocoding.linking.index import PlaceIndex
from geocoding.linking.told import Linked, ReadDocument
from tests.support.geocoding.linking import HANGZHOU, NANJING, index_of, told

PLACES = {HANGZHOU: ("青莲古塔", "竹篮巷"), NANJING: ("玄石城墙", "听雨楼")}
HERE = told(
    ["杭州一日", "青莲古塔、竹篮巷、无名台"],
    ["青莲古塔", "竹篮巷", "无名台"],
    days=[(None, [1, 2, 3])],
)
THERE = told(["南京一日", "玄石城墙"], ["玄石城墙"])  # fmt: skip


class Counted:
    """Counts how often a document is linked, and keeps the last answers of a store."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file, self.times = file, 0

        def counting(document: ReadDocument, index: PlaceIndex) -> Linked:
            self.times += 1
            return link_document(document, index)

        monkeypatch.setattr(readings, "link_document", counting)

    def ask(self, document: ReadDocument, index: PlaceIndex, **contents: str) -> tuple[Linked, int]:
        """The links of a document, and how often it was linked for that."""
        told = {HANGZHOU.city_id: "a", NANJING.city_id: "b"}
        told |= {find.city_id: contents[find.slug] for find in PLACES if find.slug in contents}
        store, before = LinkStore(self.file, index, told), self.times
        try:
            return store.link(document), self.times - before
        finally:
            store.close()


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(tmp_path / "links.sqlite", monkeypatch)


def test_a_document_is_linked_once_and_the_kept_links_are_the_same(counted: Counted) -> None:
    index = index_of(PLACES)
    first, times = counted.ask(HERE, index)
    again, more = counted.ask(HERE, index_of(PLACES))
    assert (times, more) == (1, 0)
    assert first == again
    assert first.links[1].outcome == "linked"
    assert first.days == {(1, 1): HANGZHOU.city_id}


def test_a_changed_table_links_the_documents_of_its_city_alone(counted: Counted) -> None:
    index = index_of(PLACES)
    counted.ask(HERE, index)
    counted.ask(THERE, index)
    changed = {NANJING.slug: "c"}
    assert counted.ask(HERE, index, **changed)[1] == 0
    assert counted.ask(THERE, index, **changed)[1] == 1


def test_a_place_of_another_city_that_now_bears_a_name_links_it_anew(counted: Counted) -> None:
    first, _ = counted.ask(HERE, index_of(PLACES))
    grown = index_of({**PLACES, NANJING: (*PLACES[NANJING], "无名台")})
    _, times = counted.ask(HERE, grown)
    assert times == 1
    assert first.links[3].rivals == ()


def test_tables_of_one_city_more_link_everything_anew(counted: Counted) -> None:
    counted.ask(HERE, index_of({HANGZHOU: PLACES[HANGZHOU]}))
    assert counted.ask(HERE, index_of(PLACES))[1] == 1


def test_without_a_file_nothing_is_kept() -> None:
    store = LinkStore(None, index_of(PLACES), {})
    assert store.link(HERE).links[1].outcome == "linked"
    store.close()
