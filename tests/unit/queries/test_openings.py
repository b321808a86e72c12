"""Every opening of a request, in both languages, tells its days so that the gate hears them."""

from __future__ import annotations

from collections import defaultdict

import polars as pl
import pytest

from queries import wording
from validators.gates.queries import names_days_en, names_days_zh


@pytest.mark.parametrize(
    ("name", "column", "named"),
    [
        ("openings_en", "text_en", names_days_en()),
        ("openings_zh", "text_zh", names_days_zh()),
    ],
)
def test_every_opening_tells_its_days(name: str, column: str, named: pl.Expr) -> None:
    forms = wording._LISTS.table(name)
    days = [1 if family == "tripscore_day" else 3 for family, _, _ in forms]
    texts = [
        form.format_map(defaultdict(lambda: "x", days=n))
        for n, (_, _, form) in zip(days, forms, strict=True)
    ]
    rows = pl.DataFrame({"n_days": days, column: texts}, schema_overrides={"n_days": pl.Int32})
    assert rows.height > 20
    assert rows.filter(~named)[column].to_list() == []


def test_a_trip_of_one_day_has_no_wish_for_its_days() -> None:
    kinds = {(kind, mode) for kind, mode, _ in wording._LISTS.table("wishes_en")}
    levels = [wording.WishPhrase(kind, mode, {}) for kind, mode in sorted(kinds) if mode == "level"]
    for seed in map(str, range(40)):
        for wish in levels:
            said = wording._say_wishes("wishes_en", [wish], wording._ONE, seed, one_day=True)
            assert "days" not in said[0]
            assert "each day" not in said[0]
