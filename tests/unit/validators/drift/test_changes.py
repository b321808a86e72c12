"""Sources gone bad, as frames: what is found, at which level, and what is said."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

from validators.drift.bounds import REFUSED, WARNED, Change, DriftSettings
from validators.drift.changes import compare
from validators.drift.sources import Source
from validators.drift.world import judge, refuse_cut

BOUNDS = DriftSettings()
N = 30


def meals(n: int = N) -> Source:
    """Restaurants of an invented city."""
    draw = random.Random(7)
    rows = pl.DataFrame(
        {
            "label": [f"面馆{k}" for k in range(n)],
            "source_file": ["restaurants.csv"] * n,
            "source_line": list(range(2, n + 2)),
            "restaurant_id": [f"r{k}" for k in range(n)],
            "name_zh": [f"面馆{k}" for k in range(n)],
            "lat": [30.0 + draw.random() / 10 for _ in range(n)],
            "lon": [120.0 + draw.random() / 10 for _ in range(n)],
            "price_cents": [100 * draw.randint(20, 200) for _ in range(n)],
            "currency": ["CNY"] * n,
            "cuisine": [draw.choice(["snacks", "western", "noodles"]) for _ in range(n)],
            "hours_osm": [f"{draw.randint(8, 11):02d}:00-21:00" for _ in range(n)],
        }
    )
    return Source(
        "restaurants", rows, ("price_cents",), ("cuisine", "hours_osm", "currency"), ("name_zh",),
        key="restaurant_id", shares={"set_aside": (0, n), "mended": (0, n)}, read=n,
    )  # fmt: skip


def changed(make: Callable[[pl.DataFrame], pl.DataFrame]) -> list[Change]:
    old = meals()
    return list(compare(old, replace(old, rows=make(old.rows)), BOUNDS))


def levels(changes: list[Change]) -> dict[tuple[str, str], int]:
    return {(change.column, change.check): change.level for change in changes}


class TestCompared:
    def test_the_same_is_no_change(self) -> None:
        assert changed(lambda rows: rows) == []

    @pytest.mark.parametrize("seed", range(20))
    def test_prices_a_tenth_up_or_down_are_no_change(self, seed: int) -> None:
        draw = random.Random(seed)
        factor = pl.Series([draw.uniform(0.9, 1.1) for _ in range(N)])
        assert (
            changed(
                lambda rows: rows.with_columns(
                    price_cents=(pl.col("price_cents") * factor).cast(pl.Int64)
                )
            )
            == []
        )

    def test_prices_a_hundred_times_too_high(self) -> None:
        found = changed(lambda rows: rows.with_columns(pl.col("price_cents") * 100))
        assert levels(found)["price_cents", "values"] == REFUSED
        message = next(c.message for c in found if c.check == "values")
        assert message.startswith("restaurants.csv: price has a median of ")
        assert "for example restaurants.csv:" in message

    def test_one_row_where_there_were_thirty(self) -> None:
        found = levels(changed(lambda rows: rows.head(1)))
        assert found == {("rows", "rows"): REFUSED, ("name_zh", "names"): REFUSED}

    def test_of_three_rows_one_may_go(self) -> None:
        old = meals(3)
        assert list(compare(old, replace(old, rows=old.rows.head(2)), BOUNDS)) == []

    def test_a_column_that_slipped_by_a_row(self) -> None:
        """Every distribution is as it was; the rows are not."""
        found = levels(
            changed(
                lambda rows: rows.with_columns(
                    pl.col("price_cents", "lat", "lon").shift(1).backward_fill()
                )
            )
        )
        assert found["lat", "place"] == REFUSED
        assert found["price_cents", "order"] == REFUSED

    def test_rows_twice_under_other_ids(self) -> None:
        old = meals()
        rows = pl.concat([old.rows, old.rows.with_columns(pl.col("restaurant_id") + "b")])
        new = replace(old, rows=rows, shares={**old.shares, "repeated": (N, 2 * N)})
        found = levels(
            list(compare(replace(old, shares={**old.shares, "repeated": (0, N)}), new, BOUNDS))
        )
        assert found["rows", "copies"] == REFUSED

    def test_ids_dealt_out_anew(self) -> None:
        found = levels(changed(lambda rows: rows.with_columns(pl.col("restaurant_id").reverse())))
        assert found == {("restaurant_id", "each"): REFUSED}

    def test_unknown_values_and_other_codes(self) -> None:
        found = levels(
            changed(
                lambda rows: rows.with_columns(
                    price_cents=pl.lit(None, pl.Int64), cuisine=pl.lit("bakery"),
                    hours_osm=pl.lit("00:00-24:00"),
                )
            )
        )  # fmt: skip
        assert found["price_cents", "known"] == REFUSED
        assert found["cuisine", "codes"] == REFUSED
        assert found["hours_osm", "codes"] == REFUSED

    def test_two_prices_that_jumped_are_a_warning(self) -> None:
        def dear(rows: pl.DataFrame) -> pl.DataFrame:
            times = pl.when(pl.col("source_line") < 4).then(10).otherwise(1)
            return rows.with_columns(pl.col("price_cents") * times)

        found = levels(changed(dear))
        assert found["price_cents", "jumps"] == WARNED
        assert set(found.values()) == {WARNED}

    def test_places_half_a_kilometre_off(self) -> None:
        found = levels(changed(lambda rows: rows.with_columns(pl.col("lat") + 0.0045)))
        assert found == {("lat", "place"): REFUSED}

    def test_half_of_the_places_in_another_city(self) -> None:
        """Neither their names nor the middle of all say it."""
        is_half = pl.col("source_line") % 2 == 1

        def far(rows: pl.DataFrame) -> pl.DataFrame:
            moved = pl.when(is_half).then(pl.col("lat") + 1).otherwise("lat")
            renamed = pl.when(is_half).then("x" + pl.col("label")).otherwise("label")
            return rows.with_columns(lat=moved, label=renamed)

        found = changed(far)
        assert levels(found)["lat", "far"] == REFUSED
        [message] = [c.message for c in found if c.check == "far"]
        assert "the coordinates (lat, lon) of 15 of 30 rows are more than 15 km" in message
        kept = changed(lambda rows: far(rows).with_columns(label=rows["label"]))
        assert levels(kept)["lat", "place"] == REFUSED

    def test_a_suburb_that_is_new_is_a_warning_at_most(self) -> None:
        out = pl.when(pl.col("source_line") < 5).then(30.4).otherwise("lat")
        renamed = pl.when(pl.col("source_line") < 5).then("x" + pl.col("label")).otherwise("label")
        found = levels(changed(lambda rows: rows.with_columns(lat=out, label=renamed)))
        assert found.get(("lat", "far"), WARNED) == WARNED

    def test_prices_halved_where_most_is_free(self) -> None:
        free = pl.when(pl.col("source_line") < 22).then(0).otherwise("price_cents")
        old = meals()
        old = replace(old, rows=old.rows.with_columns(price_cents=free))
        new = replace(old, rows=old.rows.with_columns(pl.col("price_cents") // 2))
        found = [c for c in compare(old, new, BOUNDS) if c.check == "each"]
        assert [(c.column, c.level) for c in found] == [("price_cents", REFUSED)]
        assert "in 10 of 10 rows with an unchanged name" in found[0].message

    @pytest.mark.parametrize(("minutes", "level"), [(20, None), (60, REFUSED), (-23 * 60, REFUSED)])
    def test_departures_by_the_clock(self, minutes: int, level: int | None) -> None:
        """An hour late, round midnight too, is another timetable; twenty minutes are none."""
        old = replace(meals(), numbers=("departure_min",))
        leaves = pl.Series([(17 * k) % 1440 for k in range(N)])
        old = replace(old, rows=old.rows.with_columns(departure_min=leaves))
        later = (leaves + minutes) % 1440
        new = replace(old, rows=old.rows.with_columns(departure_min=later))
        found = [c for c in compare(old, new, BOUNDS) if c.check == "each"]
        assert [c.level for c in found] == ([level] if level else [])
        if level:
            assert (
                "departure changed by more than 30 minutes in 30 of 30 rows with an unchanged name"
                in found[0].message
            )

    def test_aliases_of_other_rows_and_further_aliases(self) -> None:
        aliases = pl.concat_list(pl.col("label") + "a", pl.col("label") + "b")
        old = replace(meals(), alike=("aliases",))
        old = replace(old, rows=old.rows.with_columns(aliases=aliases))
        slipped = replace(old, rows=old.rows.with_columns(pl.col("aliases").shift(1)))
        assert levels(list(compare(old, slipped, BOUNDS))) == {("aliases", "each"): REFUSED}
        more = replace(old, rows=old.rows.with_columns(pl.concat_list("aliases", pl.lit("new"))))
        assert list(compare(old, more, BOUNDS)) == []

    def test_a_reason_that_no_row_was_set_aside_for_before(self) -> None:
        def broken(check: str, lines: list[int]) -> pl.DataFrame:
            n = len(lines)
            return pl.DataFrame(
                {
                    "source_file": ["restaurants.csv"] * n,
                    "source_line": lines,
                    "check": [check] * n,
                    "message": [f"{check} is wrong"] * n,
                }
            )

        old = replace(meals(), broken=broken("coordinates", [40]))
        again = replace(old, broken=broken("coordinates", [40, 41]))
        assert list(compare(old, again, BOUNDS)) == []
        both = replace(
            old, broken=pl.concat([broken("coordinates", [40]), broken("number", [41, 42])])
        )
        [change] = compare(old, both, BOUNDS)
        assert (change.check, change.level) == ("reasons", WARNED)
        assert change.message == (
            "restaurants.csv: 2 rows are set aside for a reason that did not occur before: "
            "2 because of `number`, for example restaurants.csv:41 (number is wrong)"
        )


class TestByItself:
    def found(self, **columns: pl.Expr) -> dict[tuple[str, str], int]:
        source = meals()
        return levels(
            list(judge(replace(source, rows=source.rows.with_columns(**columns)), BOUNDS))
        )

    def test_a_good_source(self) -> None:
        assert self.found() == {}

    def test_a_meal_for_9800_yuan(self) -> None:
        one = pl.when(pl.col("source_line") == 5).then(980_000).otherwise("price_cents")
        assert self.found(price_cents=one) == {("price_cents", "prices"): WARNED}
        assert self.found(price_cents=pl.lit(980_000))["price_cents", "prices"] == REFUSED

    def test_the_level_of_a_currency_counts(self) -> None:
        """The same figures are cheap in yen; an unknown currency is not judged."""
        dear = pl.col("price_cents") * 100
        assert self.found(price_cents=dear)["price_cents", "level"] == REFUSED
        assert self.found(price_cents=dear, currency=pl.lit("JPY")) == {}
        assert self.found(price_cents=dear, currency=pl.lit("XAU")) == {}

    def test_one_value_one_point_and_garbled_names(self) -> None:
        assert self.found(hours_osm=pl.lit("10:00-20:00")) == {("hours_osm", "one_value"): WARNED}
        assert self.found(lat=pl.lit(30.0), lon=pl.lit(120.0)) == {("lat", "one_point"): REFUSED}
        garbled = "楼前柳".encode().decode("latin-1")
        assert self.found(name_zh=pl.lit(garbled)) == {("name_zh", "garbled"): REFUSED}
        assert self.found(name_zh=pl.lit("Café Élysée Zürich")) == {}

    def test_ratings_of_60_are_told_by_what_the_reader_did(self) -> None:
        words = "mark, such as: rating 60 is not between 0 and 5; the rating is unknown"
        source = replace(meals(), findings={"rating_range": (N, words)})
        [change] = judge(source, BOUNDS)
        assert (change.column, change.check, change.level) == ("rating", "doubted", REFUSED)
        assert "restaurants.csv: rating was implausible in 30 of 30 rows" in change.message


class TestCut:
    def cut(self, line: int, rows: int = N) -> Source:
        broken = pl.DataFrame(
            {
                "source_file": ["restaurants.csv"],
                "source_line": [line],
                "check": ["shape"],
                "message": ["6 cells where the header has 10"],
            }
        )
        source = meals()
        return replace(source, rows=source.rows.head(rows), broken=broken)

    def test_a_last_row_that_is_short(self) -> None:
        [change] = judge(self.cut(N + 2), BOUNDS)
        assert (change.check, change.level) == ("cut", WARNED)
        assert change.message.startswith(
            f"restaurants.csv: the last row, in line {N + 2}, is incomplete"
        )

    def test_a_short_row_amid_the_others_is_no_cut(self) -> None:
        assert list(judge(self.cut(9), BOUNDS)) == []

    def test_with_fewer_rows_than_before_it_is_refused(self) -> None:
        [change] = refuse_cut(meals(), self.cut(26, rows=24))
        assert (change.check, change.level) == ("cut", REFUSED)
        assert list(refuse_cut(meals(), self.cut(N + 2))) == []
