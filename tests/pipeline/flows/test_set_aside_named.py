"""Inputs that were set aside are named on the console:
too large, binary, an id twice, ``145,50``.
"""

from __future__ import annotations

import gzip

import pytest

from tests.support.flows import running
from tests.support.flows.running import build_options, run

pytestmark = pytest.mark.usefixtures("without_data_docs")

HOTELS = """id,name_zh,lat,lon,room_type,price,currency
h1,湖边酒店,31.30,120.60,single,300,CNY
h2,桥头酒店,31.31,120.61,single,"145,50",CNY
"""
MEALS = """id,name_zh,lat,lon,cuisine,price,currency
r1,湖边面馆,31.30,120.60,snacks,30,CNY
r1,桥头茶馆,31.31,120.61,snacks,40,CNY
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("aside")
    files = running.write_inputs(folder)
    (files.documents / "large.md").write_bytes(b"x" * 10_100_000)
    (files.documents / "packed.md").write_bytes(gzip.compress(b"a page" * 90, mtime=0))
    (files.tables / "hotels.csv").write_text(HOTELS, encoding="utf-8")
    (files.tables / "restaurants.csv").write_text(MEALS, encoding="utf-8")
    outcome = run("build", *files.options(), *build_options(folder / "w", folder / "o"))
    assert outcome.code == 0, outcome
    return outcome.out


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("large.md", "more than the limit of 10.0 MB"),
        ("packed.md", "binary"),
        ("hotels.csv:3", "'145,50'"),
        ("restaurants.csv:3", "r1"),
    ],
)
def test_it_is_named(source: str, why: str, shown: str) -> None:
    lines = [line for line in shown.splitlines() if line.startswith(f"set aside: {source}: ")]
    assert len(lines) == 1, shown
    assert why in lines[0]
