"""A city's shards are keyed by their slice: a changed table runs the city, and who names it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from flows.pipeline.graph import DirectExecutor, submit_all
from flows.pipeline.request import make_inputs
from flows.pipeline.run import list_documents
from flows.pipeline.shards import Ref, Workspace
from tests.support.flows import running

CITIES = ("suzhou", "hangzhou", "nanjing")
TABLE = """\
id,name_zh,name_en,category,lat,lon,price_cny,city
a,青石园,,natural_landscape,31.3240,120.6250,70,苏州
b,云岩塔,,historical_cultural,31.3360,120.5770,80,苏州
c,松鹤塔,,historical_cultural,30.2316,120.1489,40,杭州
d,竹篮寺,,historical_cultural,30.2413,120.1009,30,杭州
e,玄石城墙,,historical_cultural,32.0643,118.8488,0,南京
f,听雨楼,,historical_cultural,32.0600,118.8000,0,南京
"""
_DAY = "## 第{n}天 {city}\n\n{city}的上午游览{one},{city}的下午游览{two}。\n\n"
DAYS = {
    "suzhou": ("苏州", "青石园", "云岩塔"),
    "hangzhou": ("杭州", "松鹤塔", "竹篮寺"),
    "nanjing": ("南京", "玄石城墙", "听雨楼"),
}


def _page(*slugs: str) -> str:
    days = [
        _DAY.format(n="一二三"[n], city=city, one=one, two=two)
        for n, (city, one, two) in enumerate(DAYS[slug] for slug in slugs)
    ]
    return f"# {'、'.join(DAYS[slug][0] for slug in slugs)}游记\n\n{''.join(days)}"


@pytest.fixture
def small(tmp_path: Path) -> running.Inputs:
    """A page about each of three cities, and their table."""
    made = running.write_inputs(tmp_path / "in")
    for page in made.documents.iterdir():
        page.unlink()
    for slug in CITIES:
        (made.documents / f"{slug}.md").write_text(_page(slug), encoding="utf-8")
    (made.tables / "gazetteer.csv").write_text(TABLE, encoding="utf-8")
    return made


def _ran(small: running.Inputs, space: Path) -> dict[str, set[str]]:
    """The shards that ran, by stage."""
    inputs = make_inputs(CITIES, [small.documents], small.tables, profile=str(small.profile))
    workspace = Workspace(space)
    workspace.prepare()
    seen: list[Ref] = []
    submit_all(DirectExecutor(workspace, seen.append), inputs, list_documents(inputs), "feedback")
    ran = defaultdict(set)
    for ref in seen:
        if not ref.reused:
            ran[ref.stage].add(ref.shard)
    return ran


def _rename(small: running.Inputs, name: str) -> None:
    (small.tables / "gazetteer.csv").write_text(TABLE.replace(name, "无名阁"), encoding="utf-8")


def test_a_changed_table_runs_its_city_alone(small: running.Inputs, tmp_path: Path) -> None:
    assert _ran(small, tmp_path / "work")["mentions"] == set(CITIES)
    _rename(small, "竹篮寺")
    ran = _ran(small, tmp_path / "work")
    assert ran["index"] == ran["mentions"] == {"hangzhou"}
    assert ran["pois"] == ran["feedback"] == {"hangzhou"}


def test_and_the_cities_of_documents_that_name_it(small: running.Inputs, tmp_path: Path) -> None:
    (small.documents / "two.md").write_text(_page("suzhou", "hangzhou"), encoding="utf-8")
    _ran(small, tmp_path / "work")
    _rename(small, "竹篮寺")
    ran = _ran(small, tmp_path / "work")
    assert ran["index"] == {"hangzhou"}
    assert ran["mentions"] == {"suzhou", "hangzhou"}


def test_a_price_runs_no_links(small: running.Inputs, tmp_path: Path) -> None:
    _ran(small, tmp_path / "work")
    price = TABLE.replace(",30,杭州", ",35,杭州")
    (small.tables / "gazetteer.csv").write_text(price, encoding="utf-8")
    ran = _ran(small, tmp_path / "work")
    assert ran["places"] == {"hangzhou"}
    assert not ran["link"] | ran["mentions"]


def test_a_page_more_runs_the_cities_that_count_it(small: running.Inputs, tmp_path: Path) -> None:
    _ran(small, tmp_path / "work")
    (small.documents / "more.md").write_text(_page("nanjing")[2:], encoding="utf-8")
    ran = _ran(small, tmp_path / "work")
    assert len(ran["read"]) == len(ran["link"]) == 1
    assert ran["mentions"] == set(CITIES), "each counts the documents that it was given"
    assert ran["feedback"] == {"nanjing"}
