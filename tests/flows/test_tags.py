"""Facts of documents: kept, set aside, or waiting for the city that they belong to."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from flows.stages.tags import _facts, _is_other_money, typed_value
from geocoding.resolve import RESOLUTION
from schemas import frames as inner
from schemas.arrow import polars_schema_of
from schemas.cities import find_city
from tests.geocoding.builders import CITY


def _fact(doc: str, poi: str) -> dict[str, Any]:
    return {
        "doc_id": doc, "poi": poi, "field": "ticket_price_cny", "value": "30",
        "valid_when": "always", "start": 0, "end": 3,
    }  # fmt: skip


def test_a_fact_about_a_place_elsewhere_waits_for_its_own_city() -> None:
    about = [
        {"doc_id": doc, "kind": "guide", "is_main": main, "days_stated": None}
        for doc, main in (("d1", True), ("d2", False))
    ]
    read = [
        _fact("d1", "竹篮巷"),
        _fact("d1", "无名寺"),
        _fact("d2", "别城寺"),
        _fact("d2", "竹篮巷"),
    ]
    upstream: Any = {
        "mentions": [
            {
                "about": pl.DataFrame(about, schema=polars_schema_of(inner.ABOUT)),
                "facts": pl.DataFrame(read, schema=polars_schema_of(inner.FACTS), orient="row"),
            }
        ],
        "documents": [{"texts": pl.DataFrame({"doc_id": ["d1", "d2"], "text": ["30元", "30元"]})}],
    }
    known = {
        "name": "竹篮巷", "poi_id": "p1", "resolution": "linked", "resolution_score": 1.0,
        "why": "",
    }  # fmt: skip
    feedback = {
        "resolutions": pl.DataFrame([known], schema=RESOLUTION),
        "pois": pl.DataFrame({"name_zh": ["竹篮巷"], "name_en": [None], "poi_id": ["p1"]}),
    }
    kept, aside, _evidence, elsewhere = _facts(CITY, upstream, feedback, {})
    assert sorted(row["poi_id"] for row in kept) == ["p1", "p1"]
    assert ["无名寺" in row["message"] for row in aside] == [True]
    assert elsewhere == 1


@pytest.mark.parametrize(
    ("city", "quote", "other"),
    [
        ("tokyo", "¥500", True),
        ("hong kong", "50元", True),
        ("hong kong", "人民币50元", False),
        ("tokyo", "RMB 500", False),
        ("tokyo", "free", False),
        ("hangzhou", "¥50", False),
    ],
)
def test_a_sign_that_stands_for_other_money_is_no_price_in_yuan(
    city: str, quote: str, other: bool
) -> None:
    assert _is_other_money(find_city(city), quote) == other


@pytest.mark.parametrize(
    ("field", "value", "readable"),
    [
        ("season", "avoid Jul-Aug", False),
        ("season", "spring, autumn", True),
        ("last_admission", "24:30", False),
        ("last_admission", "17:30", True),
        ("closed_days", "Mon, Tue", True),
        ("closed_days", "weekends", False),
        ("ticket_price_cny", "30-50", False),
        ("duration_hours", "2-3", True),
    ],
)
def test_only_values_of_their_fields_form_are_facts(field: str, value: str, readable: bool) -> None:
    """The gate ``fact_values`` asks the same: what it would reject is set aside before."""
    assert (typed_value(field, value) is not None) == readable
