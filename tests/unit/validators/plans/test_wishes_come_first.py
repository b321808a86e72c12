"""What a traveller asks for comes first: parts of day, food, pace, light; and what is no sight."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.unit.validators.plans.test_known_first import OLD, WORDS, city, seen
from tests.unit.validators.plans.test_known_first import asked as query
from tests.unit.validators.plans.test_known_first import sight as place
from validators.plans.appeal import is_unasked, must_sees, wishes_met, worth
from validators.plans.comfort import LEVELS
from validators.plans.daylight import EARLY_DUSK, USUAL_DUSK, dusk_of
from validators.plans.departures import _late_home, _minutes_off
from validators.plans.itinerary.scope import count_first_known
from validators.plans.itinerary.wished import insert_meanings
from validators.plans.kinds import fit, kind_of, meanings, means
from validators.plans.outing import EVENING, Frame, Ground, walk
from validators.plans.reference import reference
from validators.plans.renown import Renown
from validators.plans.request import Requirement, make_requirement
from validators.plans.trip import TripRequest, trip_of
from validators.plans.world import Journey, Place

WISHED = "validators.plans.itinerary.wished"
BEIJING, GUANGZHOU = (39.9, 116.4), (23.1, 113.3)


def sight(name: str, *types: str) -> Place:
    return Place("attraction", "p", name, (30.0, 104.0), frozenset(types))


def renown(base: str | None, category: str | None = None) -> Renown:
    return Renown({}, {"p": base}, {"p": category}, {}, {})


def asked(
    pacing: str, effort: str, types: tuple[str, ...] = (), budget: str = "moderate"
) -> TripRequest:
    structure = {
        "destinations": ["hangzhou"], "days": 5, "attraction_types": types, "pacing": pacing,
        "budget": budget, "physical_effort": effort,
    }  # fmt: skip
    return trip_of({"query_id": "q", "family": "tripscore", "structure": structure})


def on(trip: TripRequest, date: dt.date | None) -> TripRequest:
    return replace(trip, request=replace(trip.request, start_date=date))


# -- journeys ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("departs", "off"), [(719, 1), (720, 0), (1079, 0), (1080, 1), (464, 256), (1200, 121)]
)
def test_a_departure_is_off_by_the_minutes_to_the_part_of_day(departs: int, off: int) -> None:
    assert _minutes_off(departs, (720, 1080)) == off
    assert _minutes_off(departs, None) == 0


def test_who_must_be_home_by_an_hour_needs_time_from_the_station() -> None:
    home: Requirement = replace(make_requirement("budget", "back", (), 1140), kind="time")
    trip = asked("moderate", "moderate")
    bound = replace(trip, request=replace(trip.request, requirements=(home,)))
    late = Journey("train", "G1", "a", "b", "某站", "另一站", 1000, 1109, 5000)
    assert _late_home(late, bound) == 14
    assert _late_home(replace(late, arrives_min=1090), bound) == 0
    assert _late_home(late, trip) == 0


# -- days ----------------------------------------------------------------------------------


def test_a_moderate_pace_and_little_effort_have_few_stops_and_packed_days_any() -> None:
    assert asked("moderate", "moderate").stops_a_day == 4
    assert asked("moderate", "light").stops_a_day == 3
    assert asked("packed", "light").stops_a_day > 9
    assert TripRequest(asked("moderate", "light").request).stops_a_day > 9


def test_dusk_is_early_in_winter_and_in_the_east() -> None:
    trip = asked("moderate", "moderate")
    january = on(trip, dt.date(2026, 1, 10))
    assert dusk_of(trip, BEIJING) == dusk_of(on(trip, dt.date(2026, 7, 1)), BEIJING) == USUAL_DUSK
    assert 1025 <= dusk_of(january, BEIJING) <= 1045 < EARLY_DUSK
    assert dusk_of(january, BEIJING) < dusk_of(january, GUANGZHOU)
    assert dusk_of(replace(trip, occasion="winter"), BEIJING) < EARLY_DUSK
    abroad = replace(january, request=replace(january.request, currency="EUR"))
    assert dusk_of(abroad, BEIJING) == USUAL_DUSK


def day(ground: Ground, order: tuple[int, ...], meals: tuple[str, ...] = ()) -> list[str] | None:
    """Kinds of the stops of a day from nine on, that begins and ends at node 0."""
    nodes = len(ground.stays)
    frame = Frame(
        1, 0, 540, 0, 1380, meals, 5, 1290, [0] * nodes, [1440] * nodes, lambda node, minute: 0
    )  # fmt: skip
    course = walk(frame, order, ground, None)
    return None if course is None else [stop.kind for stop in course.stops]


def ground_of(way: int, stay: int, dusk: int = USUAL_DUSK, *, remote: bool = False) -> Ground:
    rows = [[0, way], [way, 0]]
    return Ground(rows, [0, stay], [False] * 2, [False] * 2, [True] * 2, 60, dusk, remote)


def test_nothing_is_seen_by_day_after_dusk() -> None:
    winter = ground_of(10, 500, dusk=1040)
    assert day(winter, (1,)) is None
    assert day(replace(winter, dusk=1110), (1,)) == ["attraction"]


def test_a_long_visit_far_from_town_has_its_lunch_inside() -> None:
    assert day(ground_of(90, 210), (1,), ("lunch",)) == ["attraction"]
    assert day(ground_of(10, 210), (1,), ("lunch",)) == ["attraction", "lunch"]


def test_who_lives_far_out_still_goes_to_town() -> None:
    assert day(ground_of(95, 90), (1,)) is None
    assert day(ground_of(95, 90, remote=True), (1,)) == ["attraction"]


# -- sights --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "base", "kind"),
    [
        ("某某银行", "commercial_district", "office"),
        ("某某银行旧址", "historic_site", "former_home"),
        ("某某话剧中心", "cultural_landscape", "show"),
        ("某某评弹馆", "cultural_landscape", "show"),
        ("某某音乐台", "park", "open_stage"),
        ("某某展览馆", "museum_memorial", "venue"),
        ("某市规划展览馆", "museum_memorial", "museum"),
    ],
)
def test_offices_halls_and_stages_are_kinds_of_their_own(name: str, base: str, kind: str) -> None:
    assert kind_of(sight(name), renown(base)).name == kind


@pytest.mark.parametrize(
    ("wish", "base", "meant", "hardly"),
    [
        ("小众秘境", "cultural_landscape", "某某古村", "某某公园"),
        ("美食目的地", "commercial_district", "某某美食街", "某某酒吧一条街"),
        ("沉浸式体验", "amusement_sports", "某某实景演出", "某某儿童馆"),
    ],
)
def test_names_say_what_is_meant_by_a_wish(wish: str, base: str, meant: str, hardly: str) -> None:
    assert fit(sight(meant, wish), renown(base), wish) == 1
    assert fit(sight(hardly, wish), renown(base), wish) == -1


def test_art_and_technology_are_two_meanings_of_one_wish() -> None:
    gallery, science = sight("某某美术馆"), sight("某某天文馆")
    assert meanings("art_technology") == 2
    assert meanings("公园") == meanings("no wish at all") == 1
    told = [means(s, renown("museum_memorial"), "art_technology") for s in (gallery, science)]
    assert told == [frozenset({1}), frozenset({0})]


@pytest.mark.parametrize(
    ("wish", "name", "base"),
    [
        ("大学校园", "某某大学", "university_campus"),
        ("自然风光", "某某湖", "park"),
        ("人文景观", "某某故居", "museum_memorial"),
    ],
)
def test_a_type_is_also_met_by_what_the_tables_put_elsewhere(
    wish: str, name: str, base: str
) -> None:
    trip = asked("relaxed", "moderate", (wish,))
    assert wishes_met(sight(name), trip, renown(base)) == {wish}
    assert not wishes_met(sight(name), trip, renown("amusement_sports"))


def test_who_wishes_for_what_few_know_is_kept_from_crowds() -> None:
    quiet, crowded = sight("某某会馆", "小众秘境"), sight("某某会馆", "网红打卡点")
    base = renown("historic_site")
    hidden, any_trip = asked("relaxed", "moderate", ("小众秘境",)), asked("relaxed", "moderate")
    assert wishes_met(crowded, hidden, base) == {"小众秘境"}
    lost = [
        worth(quiet, trip, base, LEVELS[2], []) - worth(crowded, trip, base, LEVELS[2], [])
        for trip in (hidden, any_trip)
    ]
    assert lost == [300, 0]


@pytest.mark.parametrize(("wish", "most"), [("小众秘境", 1), (OLD, 2)])
def test_days_among_what_few_know_have_one_of_the_best_known(wish: str, most: int) -> None:
    world, base = city()
    trip = query(4, attraction_types=[wish], pacing="packed")
    plan = reference(trip, world, base).plan
    assert plan is not None
    best = {p.name for p in must_sees(world.all_of("attraction"), base)}
    held = [len(best & {a.position for a in day.activities}) for day in plan.itinerary]
    assert (max(held) <= 1) is (most == 1)


@pytest.mark.parametrize(
    ("wish", "days", "held"),
    [("art_technology", 2, [0, 1]), ("art_technology", 3, [0, 0, 1, 1]), ("公园", 3, [])],
)
def test_each_part_of_a_wish_has_a_sight_for_every_two_days(
    monkeypatch: pytest.MonkeyPatch, wish: str, days: int, held: list[int]
) -> None:
    put: list[int] = []
    monkeypatch.setattr(f"{WISHED}.list_answers_in_turn", lambda draft, wish, count: [count - 1])
    monkeypatch.setattr(f"{WISHED}.insert_best", lambda draft, nodes, way: put.extend(nodes))
    trip = SimpleNamespace(request=SimpleNamespace(days=days))
    draft = SimpleNamespace(trip=trip, list_sights=lambda: put)
    insert_meanings(cast("Any", draft), (wish,))
    assert put == held


def test_a_day_of_rides_is_for_those_who_wish_for_rides() -> None:
    park, base = sight("某某欢乐谷", "沉浸式体验", "游乐园/体育娱乐"), renown("amusement_sports")
    immersed = asked("relaxed", "moderate", ("沉浸式体验",))
    amused = asked("relaxed", "moderate", ("游乐园/体育娱乐",))
    points = [worth(park, trip, base, LEVELS[2], []) for trip in (immersed, amused)]
    assert points[0] + 400 < points[1]


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ("博物馆/纪念馆", "某某失恋博物馆"),
        ("沉浸式体验", "星空错觉体验馆"),
        ("亲子友好", "恋爱博物馆"),
    ],
)
def test_a_house_of_tricks_is_not_what_a_wish_means(wish: str, name: str) -> None:
    assert fit(sight(name, wish), renown("museum_memorial"), wish) == -1


def test_what_only_suits_the_season_is_a_filler_all_the_same() -> None:
    winter = trip_of({
        "query_id": "q", "family": "tprag", "structure": {
            "city": "hangzhou", "constraint": "winter", "constraint_kind": "season", "days": 3,
        },
    })  # fmt: skip
    base = renown("art_gallery")
    shelf, gallery = (sight(name) for name in ("某某图书馆", "某某画廊"))
    assert "winter" in wishes_met(shelf, winter, base)
    points = [worth(place, winter, base, LEVELS[2], []) for place in (shelf, gallery)]
    assert points[1] - points[0] >= 200


# -- what nobody asked for -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "base", "kind"),
    [
        ("某某口岸", "cultural_landscape", "port"),
        ("某某游泳场", "amusement_sports", "pool"),
        ("国家游泳中心", "city_landmark", "other"),
        ("某某小馆(东门店)", "commercial_district", "shop"),
        ("某某美食街(东门店)", "commercial_district", "mall"),
        ("某某大桥", "cultural_landscape", "great_bridge"),
        ("某省科技馆", "museum_memorial", "science_hall"),
    ],
)
def test_what_only_fills_time_is_a_kind_of_its_own(name: str, base: str, kind: str) -> None:
    assert kind_of(sight(name), renown(base)).name == kind


def test_nobody_bathes_out_of_the_warm_months() -> None:
    slides, trip = sight("某某水上乐园"), asked("moderate", "moderate", ("游乐园/体育娱乐",))
    base = renown("amusement_sports")
    july, october = (on(trip, dt.date(2026, month, 3)) for month in (7, 10))
    assert [is_unasked(slides, t, base) for t in (trip, july, october)] == [True, False, True]
    assert worth(slides, july, base, LEVELS[2], []) >= 300 + worth(
        slides, october, base, LEVELS[2], []
    )


def test_adults_see_no_fish_and_insects_unless_they_mean_it() -> None:
    insects, base = sight("某某昆虫馆", "游乐园/体育娱乐"), renown("amusement_sports")
    adults = asked("moderate", "moderate")
    assert is_unasked(insects, adults, base)
    assert not is_unasked(insects, replace(adults, children=True), base)
    zoo, park = sight("某某动物园"), renown("park")
    assert [is_unasked(zoo, t, park) for t in (adults, replace(adults, children=True))] == [
        True,
        False,
    ]
    fish = sight("某某海洋馆", "沉浸式体验")
    assert is_unasked(fish, asked("moderate", "moderate", ("沉浸式体验",)), base)
    family = sight("某某海洋馆", "亲子友好")
    assert not is_unasked(family, asked("moderate", "moderate", ("亲子友好",)), base)


def test_a_trip_about_nature_has_parks_with_hills_rather_than_museums() -> None:
    trip = replace(asked("moderate", "moderate"), category="natural_landscape")
    assert wishes_met(sight("某山郊野公园"), trip, renown("park"))
    assert not wishes_met(sight("中山公园"), trip, renown("park"))
    hall, base = sight("某某纪念馆"), renown("museum_memorial")
    about_it = replace(trip, category="historical_cultural")
    assert worth(hall, trip, base, LEVELS[2], []) < worth(hall, about_it, base, LEVELS[2], [])


@pytest.mark.parametrize(("name", "least"), [("某某银行", 200), ("某某步行街", 0)])
def test_an_office_is_no_sight_even_where_the_tables_say_that_it_meets_a_wish(
    name: str, least: int
) -> None:
    trip, base = asked("moderate", "moderate", ("商业街区",)), renown("commercial_district")
    points = [worth(sight(n, "商业街区"), trip, base, LEVELS[2], []) for n in ("某某天地", name)]
    assert points[0] - points[1] >= least
    assert (points[0] == points[1]) is (least == 0)


def test_a_trip_about_one_thing_has_no_day_of_rides_for_others() -> None:
    rides = replace(place(45, "某某乐园", "游乐园/体育娱乐"), price_cents=12000)
    world, known = city(rides)
    known = replace(
        known, points={**known.points, "s45": 900},
        base_types={**known.base_types, "s45": "amusement_sports"},
    )  # fmt: skip
    for constraint, is_seen in ((None, True), ("historical_cultural", False)):
        structure = {
            "city": world.city_id, "days": 5, "constraint": constraint,
            "constraint_kind": "poi_category" if constraint else "generic",
        }  # fmt: skip
        row = {"query_id": "q", "family": "tprag", "structure": structure}
        assert (rides.name in seen(reference(row, world, known).plan)) is is_seen


def test_a_rating_of_which_visitors_warn_costs_more_than_a_poor_one() -> None:
    trip, tower = asked("moderate", "moderate"), sight("某某楼")
    points = [
        worth(tower, trip, replace(renown("historic_site"), ratings={"p": r}), LEVELS[2], [])
        for r in (4.5, 4.2, 3.9)
    ]
    assert points[1] - points[2] > points[0] - points[1] > 0


# -- night life ----------------------------------------------------------------------------


def test_who_wishes_for_night_life_has_two_sights_after_dinner() -> None:
    lights = "夜经济热点"
    lanes = [place(60 + n, f"{WORDS[n]}{WORDS[n + 9]}步行街", lights) for n in range(9)]
    world, known = city(*lanes)
    known = replace(
        known, base_types={**known.base_types, **{p.place_id: "commercial_district" for p in lanes}}
    )
    names = {p.name for p in lanes}
    for wished, least, latest in ((lights, 2, 1300), (OLD, 0, 1299)):
        plan = reference(query(3, attraction_types=[wished]), world, known).plan
        assert plan is not None
        for day in plan.itinerary:
            out = [a for a in day.activities if a.position in names and a.start_time >= EVENING]
            assert len(out) >= least
            ends = max(a.end_time for a in day.activities if a.type == "attraction")
            assert (ends >= latest) is (wished == lights)


def test_nights_out_leave_sights_for_the_days() -> None:
    lights = "夜经济热点"
    lanes = [place(60 + n, f"{a}{b}步行街", lights) for n, (a, b) in enumerate(
        (a, b) for a in WORDS[:12] for b in WORDS[12:18]
    )]  # fmt: skip
    world, known = city(*lanes)
    points = {p.place_id: 90 for p in world.all_of("attraction")}
    base = {**known.base_types, **{p.place_id: "commercial_district" for p in lanes}}
    known = replace(known, points={**points, **{p.place_id: 300 for p in lanes}}, base_types=base)
    plan = reference(query(3, attraction_types=[lights], pacing="packed"), world, known).plan
    assert plan is not None
    names = {p.name for p in lanes}
    for day in plan.itinerary:
        sights = [a.position for a in day.activities if a.type == "attraction"]
        assert sum(name not in names for name in sights) >= 2


def test_a_trip_with_children_stays_in() -> None:
    trip = asked("moderate", "moderate", ("夜经济热点",))
    assert trip.nights_out
    assert not replace(trip, children=True).nights_out
    assert not asked("moderate", "moderate", ("公园",)).nights_out


@pytest.mark.parametrize(("a_day", "first"), [(4, 7), (2, 5), (1, 3)])
def test_longer_trips_of_few_sights_leave_half_of_them_to_the_wish(a_day: int, first: int) -> None:
    frames = [SimpleNamespace(most=a_day)] * 5
    trip = query(5, attraction_types=["公园"], pacing="moderate")
    assert count_first_known(trip_of(trip), cast("Any", frames)) == first


def test_what_a_trip_has_enough_of_still_comes_for_a_wish_that_is_met_once() -> None:
    tricks = [place(60 + n, f"{WORDS[n]}梵高艺术馆", "美术馆/艺术馆") for n in range(2)]
    world, known = city(*tricks)
    held = seen(reference(query(3, attraction_types=["美术馆/艺术馆"]), world, known).plan)
    assert {p.name for p in tricks} <= set(held)
    assert not {p.name for p in tricks} & set(seen(reference(query(3), world, known).plan))
