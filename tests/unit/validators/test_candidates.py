"""What a query asks for, which places answer it, and pools without a trajectory's document."""

from __future__ import annotations

import json
import random
from typing import Any

import polars as pl
import pytest

from schemas.arrow import frame
from schemas.ids import canonical_json
from schemas.ranking import in_words
from tests.counterexamples import good
from tests.counterexamples.good import A, Book, Row
from validators.candidates.asked import QueryDemand, read_asked
from validators.candidates.places import places_of
from validators.candidates.pools import candidates, pools_without
from validators.plans.visits import trajectory_scores

GENERIC, AUTUMN = f"tprag-{A.slug}-3d", f"tprag-{A.slug}-autumn-2d"
WISHING = f"traveleval-{A.slug}-easy-2d-01"
NAMES = {A.poi(name): name for name in good.PLACES}


def of(
    structure: Row, kind: str = "difficulty", code: str | None = "easy", days: int = 3
) -> QueryDemand:
    row = {"constraint_kind": kind, "constraint_code": code, "n_days": days}
    return read_asked(row | {"structure": json.dumps(structure)})


@pytest.fixture
def book() -> Book:
    return good.book()


def tables(book: Book) -> Any:
    held = {
        n: frame(n, [row for rows in parts.values() for row in rows]) for n, parts in book.items()
    }
    return held.__getitem__


def ranked(book: Book, query: str, least: int = 4, most: int = 5) -> list[str]:
    rows = candidates(tables(book), {A.city_id: (least, most)})
    mine = rows.filter(pl.col("query_id") == query).sort("rank")
    return [NAMES[poi] for poi in mine["poi_id"]]


def place(book: Book, name: str) -> Row:
    return next(row for row in book["pois"][A.slug] if row["poi_id"] == A.poi(name))


def wish(book: Book, **structure: Any) -> None:
    row = next(row for row in book["queries"][A.slug] if row["query_id"] == WISHING)
    row["structure"] = canonical_json(json.loads(row["structure"]) | structure)


class TestAsked:
    def test_a_party_shows_who_travels(self) -> None:
        party = {"adults": 1, "children": 1, "seniors": 1}
        found = of({"people_composition": party, "people_number": 3}).contexts
        assert found == (("traveller", "parent_child"), ("traveller", "senior"))
        for n in (1, 2):
            assert of({"people_number": n}).contexts == (), "one or two may be anyone"

    def test_each_family_says_its_types_in_its_own_place(self) -> None:
        kinds = {"preferences": ["公园", "月球"], "constraints": ["园林"]}
        found = of({"attractions": kinds})
        assert (found.wished, found.excluded) == (("park",), frozenset({"garden"}))
        assert of({"attraction_types": ["公园"]}, "pacing", "relaxed").wished == ("park",)
        assert of({"interests": ["夜经济热点"]}, "intensity", "packed").wished == ("night_economy",)
        rules = [
            {"kind": "attraction_type", "mode": "none", "values": ["公园"]},
            {"kind": "attraction_name", "mode": "any", "values": ["水运博物馆"]},
            {"kind": "cuisine", "mode": "all", "values": ["火锅"]},
        ]
        found = of({"constraints": rules}, "level")
        assert (found.excluded, found.named, found.wished) == (
            frozenset({"park"}), frozenset({"水运博物馆"}), (),
        )  # fmt: skip

    @pytest.mark.parametrize(
        "structure",
        [{"pacing": "compact"}, {"intensity": "packed"}, {"rhythm": {"preferences": ["特种兵式"]}}],
    )
    def test_a_tight_pace_is_one_in_every_family(self, structure: Row) -> None:
        assert of(structure).is_tight
        assert not of({"pacing": "relaxed", "intensity": "moderate"}).is_tight

    def test_what_cannot_be_read_asks_for_nothing(self) -> None:
        row = {"constraint_kind": "season", "constraint_code": "monsoon", "n_days": 2}
        for structure in ("{", "[3]", "null"):
            assert not read_asked({**row, "structure": structure}).asks


class TestCandidates:
    def test_the_order_of_rows_does_not_matter(self, book: Book) -> None:
        held = tables(book)
        bounds = {A.city_id: (4, 5)}
        shuffled = {name: held(name).sample(fraction=1, shuffle=True, seed=3) for name in book}
        assert candidates(held, bounds).equals(candidates(shuffled.__getitem__, bounds))

    def test_equal_scores_go_by_id(self, book: Book) -> None:
        for name in ("reeds", "mill"):
            place(book, name).update(lat=A.lat, lon=A.lon, rating=None)
        found = [n for n in ranked(book, GENERIC, 9, 9) if n in ("reeds", "mill")]
        assert found == sorted(("reeds", "mill"), key=A.poi)

    def test_parts_and_places_without_a_point_are_none(self, book: Book) -> None:
        found = ranked(book, GENERIC, 20, 20)
        assert len(found) == 8
        assert not {"hall", "street", "old_lake", "pier"} & set(found)

    def test_where_nothing_has_a_point_that_is_no_reason(self, book: Book) -> None:
        for row in book["pois"][A.slug]:
            row.update(lat=None, lon=None)
        rows = candidates(tables(book), {A.city_id: (4, 5)})
        assert rows.group_by("query_id").len()["len"].to_list() == [5] * 4
        assert not any(r["code"] == "near" for row in rows["reasons"] for r in row)

    def test_what_a_query_excludes_is_none(self, book: Book) -> None:
        assert "park" in ranked(book, WISHING, 20, 20)
        wish(book, attractions={"preferences": [], "constraints": ["公园"]})
        assert not {"park", "dike"} & set(ranked(book, WISHING, 20, 20))

    def test_wishes_come_first_and_far_ones_are_found(self, book: Book) -> None:
        wish(book, attractions={"preferences": ["公园"], "constraints": []})
        assert ranked(book, WISHING)[:2] == ["park", "dike"]

    def test_a_named_place_is_first(self, book: Book) -> None:
        rule = {"kind": "attraction_name", "mode": "all", "values": ["芦苇荡"]}
        wish(book, constraints=[rule])
        assert ranked(book, WISHING)[0] == "reeds"

    def test_shut_in_the_season_is_none(self, book: Book) -> None:
        assert "temple" in ranked(book, AUTUMN, 20, 20)
        fact = next(
            f
            for f in book["poi_facts"][A.slug]
            if f["poi_id"] == A.poi("temple") and f["fact_field"] == "opening_hours"
        )
        fact |= {"valid_when": "always", "hours_osm": "Mar-May 09:00-16:00"}
        assert "temple" not in ranked(book, AUTUMN, 20, 20)

    @pytest.mark.parametrize(("lat", "is_open"), [(48.0, False), (-34.0, True), (5.0, True)])
    def test_seasons_are_those_of_the_latitude(self, book: Book, lat: float, is_open: bool) -> None:
        fact = next(
            f
            for f in book["poi_facts"][A.slug]
            if f["poi_id"] == A.poi("temple") and f["fact_field"] == "opening_hours"
        )
        fact |= {"valid_when": "always", "hours_osm": "Mar-May 09:00-16:00"}
        book["cities"][A.slug][0]["lat"] = lat
        places = places_of(A.city_id, tables(book))
        assert places.open_in("autumn")[places.at[A.poi("temple")]] == is_open

    def test_a_word_in_the_name_shuts_out(self, book: Book) -> None:
        place(book, "hill")["name_zh"] = "望潮山滑雪场"
        assert "hill" not in ranked(book, AUTUMN, 20, 20)
        assert "hill" in ranked(book, GENERIC, 20, 20)

    def test_unknown_types_suit_nothing(self, book: Book) -> None:
        place(book, "reeds").update(category=None, base_type=None, name_zh="无名处", name_en=None)
        suits = places_of(A.city_id, tables(book)).levels(("season", "autumn"))
        at = sorted(p for p in NAMES if place(book, NAMES[p])["lat"] is not None).index(
            A.poi("reeds")
        )
        assert [int(levels[at]) for levels in suits] == [0, 0]

    def test_copies_and_catalogues_are_not_popular(self, book: Book) -> None:
        before = places_of(A.city_id, tables(book)).n_liked.sum()
        copied = {**book["poi_mentions"][A.slug][0], "doc_id": A.doc("copy"), "start": 900}
        listed = {**copied, "doc_id": A.doc("route_en"), "start": 901, "role": "mentioned"}
        listed["poi_id"] = A.poi("temple")
        book["poi_mentions"][A.slug] += [copied, listed]
        assert places_of(A.city_id, tables(book)).n_liked.sum() == before

    def test_the_points_add_up(self, book: Book) -> None:
        rows = candidates(tables(book), {A.city_id: (4, 9)}).to_dicts()
        assert rows
        assert all(sum(r["points"] for r in row["reasons"]) == row["score"] for row in rows)
        assert in_words(rows[0]["reasons"]).count("(") == len(rows[0]["reasons"])
        assert in_words(None) == ""


def move(book: Book, name: str, metres: int, of: str, **values: Any) -> None:
    """Put a place so many metres north of another one."""
    there = place(book, of)
    place(book, name).update(lat=there["lat"] + metres / 111_000, lon=there["lon"], **values)


class TestWhatIsFolded:
    @pytest.mark.parametrize(
        ("metres", "name", "is_there"),
        [
            (300, "观稼殿", False),
            (2_000, "观稼殿", True),
            (300, "观稼农庄", True),
            (300, "柳岸公园荷花区", False),
        ],
    )
    def test_a_hall_and_a_longer_name_fold_into_what_stands_around(
        self, book: Book, metres: int, name: str, is_there: bool
    ) -> None:
        move(book, "mill", metres, "park", name_zh=name, base_type="park")
        assert ("mill" in ranked(book, GENERIC, 20, 20)) == is_there

    def test_a_piece_stands_where_its_whole_may_not(self, book: Book) -> None:
        move(book, "mill", 300, "park", name_zh="观稼殿")
        rule = {"kind": "attraction_name", "mode": "none", "values": ["柳岸公园"]}
        wish(book, constraints=[rule])
        assert "mill" in ranked(book, WISHING, 20, 20)

    def test_a_museum_in_a_park_stays_for_who_wishes_museums(self, book: Book) -> None:
        move(book, "mill", 50, "park", name_zh="柳岸博物馆", base_type="museum_memorial")
        assert "mill" not in ranked(book, GENERIC, 20, 20)
        wish(book, attractions={"preferences": ["博物馆/纪念馆"], "constraints": []})
        assert "mill" in ranked(book, WISHING, 20, 20)

    def test_a_short_form_nearby_is_the_same_sight(self, book: Book) -> None:
        move(book, "mill", 60, "lake", name_zh="望江碑步行街")
        move(book, "reeds", 70, "lake", name_zh="临望大江纪念碑")
        found = ranked(book, GENERIC, 20, 20)
        assert len({"mill", "reeds"} & set(found)) == 1

    def test_a_stop_that_is_a_piece_stays_behind_all_others(self, book: Book) -> None:
        move(book, "museum", 200, "park", name_zh="观稼殿", name_en=None)
        assert ranked(book, GENERIC, 20, 20)[-1] == "museum"
        rows = candidates(tables(book), {A.city_id: (20, 20)}).filter(
            pl.col("poi_id") == A.poi("museum")
        )
        assert all("piece" in [r["code"] for r in reasons] for reasons in rows["reasons"])


class TestWhatIsNotWorthIt:
    def test_a_plain_kind_needs_many_who_like_it(self, book: Book) -> None:
        assert "pier" not in ranked(book, GENERIC, 20, 20)
        mention = next(m for m in book["poi_mentions"][A.slug] if m["role"] == "visited")
        document = next(d for d in book["documents"][A.slug] if d["doc_id"] == mention["doc_id"])
        for n in range(3):
            doc = A.doc(f"blog-{n}")
            book["documents"][A.slug].append({**document, "doc_id": doc})
            liked = {**mention, "poi_id": A.poi("pier"), "doc_id": doc}
            book["poi_mentions"][A.slug].append(liked)
            assert ("pier" in ranked(book, GENERIC, 20, 20)) == (n == 2)

    def test_a_poor_one_is_none_but_last_of_what_is_asked_for(self, book: Book) -> None:
        place(book, "dike")["rating"] = 4.0
        assert "dike" not in ranked(book, GENERIC, 20, 20)
        wish(book, attractions={"preferences": ["公园"], "constraints": []})
        found = ranked(book, WISHING, 20, 20)
        assert (found[0], found[-1]) == ("park", "dike"), "well-known sights go before a poor park"
        place(book, "dike")["rating"] = 3.0
        assert "dike" not in ranked(book, WISHING, 20, 20)

    def test_what_is_too_far_for_two_days_is_none(self, book: Book) -> None:
        place(book, "hill")["lat"] = A.lat + 0.9
        assert "hill" not in ranked(book, AUTUMN, 20, 20), "100 km"
        assert "hill" in ranked(book, GENERIC, 20, 20), "three days"

    def test_a_few_of_a_narrow_kind_are_enough(self, book: Book) -> None:
        beaches = ("dike", "mill", "reeds", "hill")
        for n, name in enumerate(beaches):
            place(book, name).update(
                name_zh=f"{'甲乙丙丁'[n]}字沙滩", name_en=None, base_type="natural_scenery"
            )
            place(book, name)["lat"] = A.lat + 0.1 + n / 10
        assert len(set(beaches) & set(ranked(book, GENERIC, 20, 20))) == 3


class TestWishes:
    def test_a_name_that_says_it_goes_before_one_that_does_not(self, book: Book) -> None:
        amuse = {"base_type": "amusement_sports", "name_en": None, "rating": 4.6}
        names = {"reeds": "碧波体育场", "mill": "碧波大院", "hill": "碧波乐园"}
        for name, zh in names.items():
            place(book, name).update(name_zh=zh, **amuse)
        wish(book, attractions={"preferences": ["游乐园/体育娱乐"], "constraints": []})
        found = ranked(book, WISHING, 20, 20)
        assert found[:2] == ["hill", "mill"]
        rows = candidates(tables(book), {A.city_id: (20, 20)}).filter(pl.col("query_id") == WISHING)
        reasons = dict(rows.select("poi_id", "reasons").iter_rows())
        told = [r["code"] for r in reasons.get(A.poi("reeds"), [])]
        assert "wished" not in told, "a stadium is no park of rides, whatever the table says"

    def test_a_base_type_tells_whether_a_trend_is_meant(self, book: Book) -> None:
        night = {"trend_types": ["night_economy"], "name_en": None, "rating": 4.6}
        place(book, "mill").update(name_zh="碧波大院", base_type="commercial_district", **night)
        place(book, "reeds").update(name_zh="芦花大院", base_type="park", **night)
        wish(book, attractions={"preferences": ["夜经济热点"], "constraints": []})
        places = places_of(A.city_id, tables(book))
        of_type, of_name, is_of = places.of_wish("night_economy")
        mill, reeds = (places.at[A.poi(name)] for name in ("mill", "reeds"))
        assert is_of[mill]
        assert is_of[reeds]
        assert (of_type[mill], of_type[reeds], of_name[mill], of_name[reeds]) == (3, -1, 0, 0)
        assert ranked(book, WISHING, 20, 20)[0] == "mill"

    def test_what_is_near_to_a_named_place_goes_first(self, book: Book) -> None:
        for name in NAMES.values():
            if name != "reeds" and place(book, name)["lat"] is not None:
                move(book, name, 20_000, "reeds")
        move(book, "mill", 1_000, "reeds")
        goal = {"name": "near", "value": "芦苇荡", "direction": "min", "expression": ""}
        wish(book, objectives=[goal])
        found = ranked(book, WISHING, 20, 20)
        assert found[:2] == ["reeds", "mill"]
        assert of({"objectives": [goal]}).beside == {"芦苇荡"}
        assert of({"objectives": [{**goal, "name": "cost", "value": None}]}).beside == frozenset()

    @pytest.mark.parametrize(
        ("structure", "is_gentle"),
        [
            ({"pacing": "relaxed"}, True), ({"physical_effort": "light"}, True),
            ({"rhythm": {"preferences": ["慢游"]}}, True), ({"intensity": "packed"}, False),
            ({"people_composition": {"adults": 2, "seniors": 1}}, True),
        ],
    )  # fmt: skip
    def test_who_goes_slowly_does_not_go_far(
        self, book: Book, structure: Row, is_gentle: bool
    ) -> None:
        assert of(structure).is_gentle == is_gentle
        move(book, "hill", 60_000, "park")
        wish(book, **structure)
        assert ("hill" in ranked(book, WISHING, 20, 20)) != is_gentle


class TestMonths:
    @pytest.mark.parametrize(
        ("name", "dates", "lat", "is_open"),
        [
            ("碧波水上乐园", "2026-07-03 to 2026-07-06", 30.0, True),
            ("碧波水上乐园", "2026-10-27 to 2026-10-31", 30.0, False),
            ("碧波水上乐园", "2026-05-03 to 2026-05-05", 40.0, False),
            ("碧波室内水上乐园", "2026-12-03 to 2026-12-05", 40.0, True),
            ("碧波滑雪场", "2026-01-03 to 2026-01-05", 40.0, True),
            ("碧波滑雪场", "2026-06-03 to 2026-06-05", 40.0, False),
            ("碧波乐园", "2026-12-03 to 2026-12-05", 40.0, True),
            ("碧波水上乐园", "2026-12-03 to 2026-12-05", -30.0, True),
            ("碧波水上乐园", "2026-12-03 to 2026-12-05", 5.0, True),
        ],
    )  # fmt: skip
    def test_a_kind_that_is_shut_is_none(
        self, book: Book, name: str, dates: str, lat: float, is_open: bool
    ) -> None:
        place(book, "mill").update(name_zh=name, name_en=None)
        book["cities"][A.slug][0]["lat"] = lat
        places = places_of(A.city_id, tables(book))
        months = of({"dates": dates}).months
        assert places.in_months(months)[places.at[A.poi("mill")]] == is_open
        assert places.in_months(())[places.at[A.poi("mill")]], "no dates shut nothing"

    def test_a_season_and_a_festival_tell_months(self) -> None:
        row = {"structure": "{}", "n_days": 3, "constraint_kind": "holiday"}
        assert read_asked(row | {"constraint_code": "spring_festival"}).months == (1, 2)
        assert of({"dates": "2026-10-30 to 2026-11-02"}).months == (10, 11)


class TestAreas:
    def test_an_area_goes_after_a_better_known_sight_in_it(self, book: Book) -> None:
        rating = {"rating": 4.9, "base_type": "natural_scenery", "name_en": None}
        move(book, "mill", 1_200, "park", name_zh="碧波风景名胜区", **rating)
        assert "mill" not in ranked(book, GENERIC, 20, 20)
        move(book, "mill", 3_000, "park")
        assert "mill" in ranked(book, GENERIC, 20, 20)

    def test_two_cruises_are_enough(self, book: Book) -> None:
        boats = ("dike", "mill", "reeds", "hill")
        for n, name in enumerate(boats):
            place(book, name).update(
                name_zh=f"{'甲乙丙丁'[n]}字号游船", name_en=None, base_type=None
            )
            place(book, name)["lat"] = A.lat + 0.1 + n / 10
        assert len(set(boats) & set(ranked(book, GENERIC, 20, 20))) == 2


class TestOrderOfATable:
    def points(self, book: Book) -> dict[str, int]:
        places = places_of(A.city_id, tables(book))
        return {NAMES[poi]: int(n) for poi, n in zip(places.ids, places.listed_points, strict=True)}

    def test_it_counts_where_the_first_are_rated_better(self, book: Book) -> None:
        assert not any(self.points(book).values()), "equal ratings tell nothing"
        order = sorted(NAMES.values())
        rows = [place(book, name) for name in order]
        for line, row in enumerate(rows):
            at = {"evidence_id": f"e_{line}", "source_file": "places.csv", "source_line": line}
            book["evidence"][A.slug].append({**book["evidence"][A.slug][0], **at})
            row.update(evidence_id=f"e_{line}", rating=4.9 - line / 100)
        found = self.points(book)
        assert list(found.values()) != sorted(found.values()), "ids tell nothing"
        by_line = [found[name] for name in order if name in found]
        assert by_line == sorted(found.values(), reverse=True)
        assert by_line[0] == 400
        for line, row in enumerate(rows):
            row["rating"] = 4.0 + line / 100
        assert not any(self.points(book).values()), "the last are rated better"


class TestPoolsWithout:
    def test_a_stop_that_others_bear_out_stays(self, book: Book) -> None:
        assert trajectory_scores(tables(book))["failure_rate"].to_list() == [0.0] * 8

    def test_a_place_that_only_its_document_knows_fails(self, book: Book) -> None:
        """The museum is on one route alone; without that document no table knows it either."""
        place(book, "museum")["poi_source"] = "document"
        held = tables(book)
        pools = pools_without(held, held("query_trajectories")).filter(
            pl.col("poi_id") == A.poi("museum")
        )
        zh, en = (good.trajectory_id(A, doc) for doc in ("route_zh", "route_en"))
        assert set(pools["trajectory_id"]) == {zh}, "the other route's pool has it"
        rates = trajectory_scores(held).filter(pl.col("query_id") == GENERIC)
        found = dict(rates.select("trajectory_id", "failure_rate").iter_rows())
        assert found[en] == pytest.approx(1 / 3, abs=1e-6)
        assert found[zh] == 0

    def test_candidates_of_before_leave_nothing_out(self, book: Book) -> None:
        place(book, "museum")["poi_source"] = "document"
        for row in book["query_pois"][A.slug]:
            row["reasons"] = None
        assert trajectory_scores(tables(book))["failure_rate"].max() == 0

    def test_the_pool_is_as_large_as_the_candidates(self, book: Book) -> None:
        rows = book["query_pois"][A.slug]
        random.Random(1).shuffle(rows)
        held = tables(book)
        sizes = (
            pools_without(held, held("query_trajectories"))
            .group_by("query_id", "trajectory_id")
            .len()["len"]
        )
        assert set(sizes) == {5}
