"""A document is read once, for itself, whatever the cities, the tables and the other documents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from extractors.read import read_in_one_form
from flows.pipeline.graph import DirectExecutor, submit_all
from flows.pipeline.readings import READINGS_FILE as FILE
from flows.pipeline.request import make_inputs
from flows.pipeline.run import list_documents
from flows.pipeline.shards import Workspace
from flows.pipeline.stages import read
from flows.pipeline.stages.base import Inputs
from schemas.document_reading import DocumentReading
from schemas.tasks import DocumentInput, Engine, Ungrounded
from tests.support.flows import running

#: About three cities, each with a day of its own.
THREE = """\
# 苏州、杭州、南京三日游

## 第一天 苏州

苏州的上午游览云岩塔,苏州的下午游览湖东博物馆。

## 第二天 杭州

杭州的上午游览雷峰塔,杭州的下午游览灵隐寺。

## 第三天 南京

南京的上午游览中山陵,南京的下午游览明孝陵。
"""


@pytest.fixture
def read_ids(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the documents that an engine is given, in turn."""
    seen: list[str] = []

    def counted(
        engine: Engine, item: DocumentInput
    ) -> tuple[DocumentReading, tuple[Ungrounded, ...]]:
        seen.append(item.document.doc_id)
        return read_in_one_form(engine, item)

    monkeypatch.setattr(read, "read_in_one_form", counted)
    return seen


@pytest.fixture
def small(tmp_path: Path) -> running.Inputs:
    made = running.write_inputs(tmp_path / "in")
    (made.documents / "three.md").write_text(THREE, encoding="utf-8")
    return made


def _inputs(small: running.Inputs, space: Path, *cities: str) -> Inputs:
    made = make_inputs(cities, [small.documents], small.tables, profile=str(small.profile))
    return replace(made, reading_store=space / FILE)


def _mentions(inputs: Inputs, space: Path) -> dict[str, list[str]]:
    """Names that each city takes from the document about three, by slug."""
    listed = list_documents(inputs)
    assert listed is not None
    workspace = Workspace(space)
    workspace.prepare()
    executor = DirectExecutor(workspace)
    ends = submit_all(executor, inputs, listed, last="mentions")
    (three,) = [file.doc_id for file in listed.files if file.path_rel == "three.md"]
    found = {slug: workspace.load(executor.result(ref))["mentions"] for slug, ref in ends.items()}
    return {
        slug: rows.filter(doc_id=three)["name"].to_list() for slug, rows in found.items()
    }  # fmt: skip


def test_a_document_about_three_cities_is_read_once(
    small: running.Inputs, tmp_path: Path, read_ids: list[str]
) -> None:
    space = tmp_path / "work"
    inputs = _inputs(small, space, "suzhou", "hangzhou", "nanjing")
    taken = _mentions(inputs, space)
    assert all(taken.values()), "each of the three takes names from it"
    listed = list_documents(inputs)
    assert listed is not None
    assert sorted(read_ids) == sorted(file.doc_id for file in listed.files)


def test_other_cities_documents_and_tables_cause_no_second_reading(
    small: running.Inputs, tmp_path: Path, read_ids: list[str]
) -> None:
    space = tmp_path / "work"
    _mentions(_inputs(small, space, "suzhou"), space)
    first = len(read_ids)
    _mentions(_inputs(small, space, "suzhou", "hangzhou"), space)
    assert len(read_ids) == first, "another city"
    with (small.tables / "gazetteer.csv").open("a", encoding="utf-8") as table:
        table.write(running.GAZETTEER.splitlines()[1].replace("云岩塔", "无人知晓的塔") + "\n")
    _mentions(_inputs(small, space, "suzhou"), space)
    assert len(read_ids) == first, "a table's new row that no document names"
    (small.documents / "more.md").write_text(THREE.replace("中山陵", "鸡鸣寺"), encoding="utf-8")
    _mentions(_inputs(small, space, "suzhou"), space)
    assert len(read_ids) == first + 1, "one document more"


def test_a_city_takes_the_same_alone_and_among_others(
    small: running.Inputs, tmp_path: Path
) -> None:
    assert running.GAZETTEER.splitlines()[0] == "id,name_zh,name_en,category,lat,lon,price_cny"
    rows = (small.tables / "gazetteer.csv").read_text(encoding="utf-8").splitlines()
    told = [f"{rows[0]},city", *(f"{row},苏州" for row in rows[1:])]
    told += [f"{name},{name},,historical_site,{lat},{lon},,{city}" for name, lat, lon, city in (
        ("雷峰塔", 30.2316, 120.1489, "杭州"), ("灵隐寺", 30.2413, 120.1009, "杭州"),
        ("云岩塔", 32.0600, 118.8500, "南京"), ("中山陵", 32.0643, 118.8488, "南京"))]  # fmt: skip
    (small.tables / "gazetteer.csv").write_text("\n".join(told) + "\n", encoding="utf-8")
    alone = _inputs(small, tmp_path / "a", "suzhou")
    among = _inputs(small, tmp_path / "b", "suzhou", "hangzhou", "nanjing")
    assert [city.slug for city in alone.other_cities] == ["hangzhou", "nanjing"]
    assert among.other_cities == ()
    digests = [_digest_of(inputs, tmp_path / name) for name, inputs in (("a", alone), ("b", among))]
    assert digests[0] == digests[1]


def _digest_of(inputs: Inputs, space: Path) -> str:
    """What stands for all that Suzhou takes from the documents."""
    workspace = Workspace(space)
    workspace.prepare()
    executor = DirectExecutor(workspace)
    ends = submit_all(executor, inputs, list_documents(inputs), last="feedback")
    return executor.result(ends["suzhou"]).data_digest
