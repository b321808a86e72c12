"""Cities that pay with yen and euros, from invented tables and pages to a snapshot and back out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import flows.publishing.publish
from flows.pipeline.request import make_inputs
from flows.pipeline.run import BuildResult, build_directly
from flows.pipeline.shards import Workspace
from tests.support.flows import running
from validators.plans.request import Request
from validators.plans.solve import solve
from validators.plans.world import read_world
from warehouse.export import export
from warehouse.read import Snapshot
from warehouse.records import Restaurant
from warehouse.sandbox import Sandbox

pytestmark = pytest.mark.usefixtures("without_data_docs")


@dataclass(frozen=True)
class Town:
    """The inputs of a city, and what must arrive of them."""

    slug: str
    currency: str
    mapping: str
    tables: dict[str, str]
    page: str
    #: Place, cents and currency of every ticket price that the snapshot must hold.
    tickets: set[tuple[str, int, str]]
    hotel: list[int | None]
    meal: int


KYOTO = Town(
    "kyoto",
    "JPY",
    """\
tables:
  attractions:
    file: sights.csv
    city: Kyoto
    columns: {name_en: sight, lat: y, lon: x, price: fee}
  hotels:
    file: inns.csv
    city: Kyoto
    columns: {name_en: inn, lat: y, lon: x, room_type: {value: king}, price: night}
  restaurants:
    file: meals.csv
    city: Kyoto
    filler: false
    columns: {name_en: place, lat: y, lon: x, price: yen, currency: money}
""",
    {
        "sights.csv": (
            "sight,y,x,fee\nHeron Gate Museum,35.010,135.760,¥1200\n"
            "Reed Moon Garden,35.020,135.770,500円\nLantern Temple,35.000,135.780,0\n"
        ),
        "inns.csv": (
            "inn,y,x,night\nPaper Crane Inn,35.005,135.765,18500\nQuiet Moss"
            " Inn,35.015,135.775,$90\n"
        ),
        "meals.csv": "place,y,x,yen,money\nBarley Bowl House,35.006,135.766,1080.5,JPY\n",
    },
    "# Two days in Kyoto\n\n## Day 1\n\nWe visited Heron Gate Museum in the morning.\n\n"
    "### Reed Moon Garden\n\nAdmission: 600 yen.\n\n## Day 2\n\nWe visited Reed Moon Garden again, "
    "then Lantern Temple.\n\n### Lantern Temple\n\nTickets cost ¥300.\n",
    {
        ("Heron Gate Museum", 120_000, "JPY"),
        ("Reed Moon Garden", 50_000, "JPY"),
        ("Lantern Temple", 0, "JPY"),
        ("Reed Moon Garden", 60_000, "JPY"),
        ("Lantern Temple", 30_000, "JPY"),
    },
    [1_850_000, None],
    108_050,
)
LYON = Town(
    "lyon", "EUR",
    """\
tables:
  attractions:
    file: sights.csv
    city: Lyon
    currency: EUR
    columns: {name_en: sight, lat: y, lon: x, price: {column: cents, unit: cent}}
  hotels:
    file: inns.csv
    city: Lyon
    columns: {name_en: inn, lat: y, lon: x, room_type: {value: double}, price: night}
  restaurants:
    file: meals.csv
    city: Lyon
    columns: {name_en: place, lat: y, lon: x, price: euros}
""",
    {
        "sights.csv": "sight,y,x,cents\nWeaver Arch Museum,45.760,4.835,1250\n"
        "Salt Quay Garden,45.765,4.840,\n",
        "inns.csv": 'inn,y,x,night\nBlue Shutter House,45.762,4.837,"1.120,00 €"\n',
        "meals.csv": "place,y,x,euros\nTin Ladle Table,45.763,4.838,24.90\n",
    },
    "# Lyon in two days\n\n## Day 1\n\nWe visited Weaver Arch Museum.\n\n### Weaver Arch Museum\n\n"
    "Admission: €13,50.\n\n## Day 2\n\nWe visited Salt Quay Garden.\n\n### Salt Quay Garden\n\n"
    "Tickets cost 9 euros. Free for children.\n\nAdmission: ¥70.\n",
    {
        ("Weaver Arch Museum", 1_250, "EUR"), ("Weaver Arch Museum", 1_350, "EUR"),
        ("Salt Quay Garden", 900, "EUR"),
    },
    [112_000], 2_490,
)  # fmt: skip


@pytest.fixture(scope="module", params=[KYOTO, LYON], ids=lambda town: town.slug)
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Town, BuildResult]:
    """A town and its finished build."""
    town: Town = request.param
    folder = tmp_path_factory.mktemp(town.slug)
    (folder / "tables").mkdir()
    (folder / "pages").mkdir()
    (folder / "tables" / "mapping.yaml").write_text(town.mapping, encoding="utf-8")
    for name, text in town.tables.items():
        (folder / "tables" / name).write_text(text, encoding="utf-8")
    (folder / "pages" / "guide.md").write_text(town.page, encoding="utf-8")
    (folder / "tiny.yaml").write_text(running.PROFILE, encoding="utf-8")
    inputs = make_inputs(
        [town.slug], [folder / "pages"], folder / "tables", tables_format="mapped",
        profile=str(folder / "tiny.yaml"),
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flows.publishing.publish, "write_pages", lambda candidate: None)
        return town, build_directly(inputs, Workspace(folder / "work"), folder / "out")


def test_prices_of_tables_and_pages_arrive_in_their_own_money(
    built: tuple[Town, BuildResult],
) -> None:
    town, result = built
    snapshot = Snapshot(result.published.path)
    pois = snapshot.table("pois").select("poi_id", name="name_en")
    facts = snapshot.table("poi_facts").filter(pl.col("fact_field") == "ticket_price")
    told = facts.join(pois, on="poi_id").select("name", "price_cents", "currency")
    assert set(told.iter_rows()) == town.tickets
    values = facts.select(pl.col("value").cast(pl.Float64) * 100 == pl.col("price_cents"))
    assert values.to_series().all()
    hotels = snapshot.table("hotels").sort("source_line")
    rooms = [room["price_cents"] for rooms in hotels["rooms"] for room in rooms]
    assert rooms == town.hotel
    assert hotels["currency"].to_list() == [town.currency if c else None for c in town.hotel]
    meals = snapshot.table("restaurants").select("price_cents", "currency")
    assert meals.rows() == [(town.meal, town.currency)]
    assert snapshot.table("cities")["currency"].to_list() == [town.currency]
    failed = {gate.gate_id for gate in result.published.gates if not gate.passed}
    assert failed <= {"kept_queries"}, "two sights are too few for a query's candidates"


def test_what_is_not_told_for_sure_is_set_aside_or_marked(built: tuple[Town, BuildResult]) -> None:
    town, result = built
    snapshot = Snapshot(result.published.path)
    if town is KYOTO:
        marked = snapshot.table("findings").filter(pl.col("finding") == "currency_unknown")
        assert marked.select("table", "n_rows").rows() == [("hotels", 1)]
    else:
        aside = snapshot.table("quarantine").filter(pl.col("check") == "currency_unknown")
        (payload,) = aside["payload"].to_list()
        assert json.loads(payload)["value"] == "70"


def test_a_sandbox_answers_in_the_citys_money(built: tuple[Town, BuildResult]) -> None:
    town, result = built
    box = Sandbox(result.published.path)
    assert box.currency(town.slug) == town.currency
    (meal,) = box.select(town.slug, "restaurants", "price_cents", "<=", town.meal)
    assert isinstance(meal, Restaurant)
    assert (meal.price_cents, meal.currency) == (town.meal, town.currency)
    stats = box.city_stats(town.slug)
    assert stats["meal_price_p50"].unit == f"cent of {town.currency}"
    assert stats["meal_price_p50"].value == town.meal
    assert "meal_price_p50" not in box.city_stats(town.slug, "CNY")
    sights = list(box.select(town.slug, "attractions"))
    ride = box.goto(town.slug, sights[0], sights[1], "09:00", "taxi")
    assert ride is not None
    assert [leg.price_cents for leg in ride] == [None], "the rules of fares are of yuan"
    walk = box.goto(town.slug, sights[0], sights[1], "09:00", "walk")
    assert walk is not None
    assert walk[0].price_cents == 0


def test_nothing_is_converted_from_or_to_yuan(
    built: tuple[Town, BuildResult], tmp_path: Path
) -> None:
    town, result = built
    snapshot = Snapshot(result.published.path)
    city_id = snapshot.table("cities")["city_id"][0]
    world = read_world(snapshot, city_id)
    asked = Request("q", "beijing", town.slug, 2, 1, None, ())
    outcome = solve(asked, world)
    assert (outcome.solvability, outcome.obstacle) == ("unknown", "silent")
    assert town.currency in (outcome.reason or "")
    assert {p.price_cents for ps in world.places["restaurant"].values() for p in ps} == {town.meal}
    made: Any = export(snapshot.path, "traveleval", tmp_path / "te")
    changed = {(e.table, e.reason) for e in made.changed if e.field == "price"}
    assert (
        "restaurants",
        f"the price is in {town.currency}, but all prices in the layout must be in yuan",
    ) in changed
    export(snapshot.path, "csv", tmp_path / "csv")
    rows = pl.read_csv(tmp_path / "csv" / "restaurants.csv", infer_schema=False)
    assert rows.select("price", "currency").rows() == [(f"{town.meal / 100:g}", town.currency)]
