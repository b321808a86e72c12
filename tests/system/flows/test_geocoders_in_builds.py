"""Geocoders inside a build, against local servers that answer well, badly, or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flows.errors import SettingsError
from flows.pipeline.request import make_inputs
from flows.pipeline.stages.base import Job
from flows.pipeline.stages.pois import FEEDBACK_STAGE
from flows.review.tasks import uncertain
from flows.settings.environment import load_settings
from tests.support.flows import running
from tests.support.flows.running import build_options, run
from tests.support.geocoding.geocoders.services import (
    Served,
    amap_error,
    amap_ok,
    amap_poi,
    serving,
)
from warehouse.read import Snapshot

#: Names whose coordinates the table leaves out.
ASKED = ("云岩塔", "湖东博物馆", "听枫书院", "柳浜码头")
#: Two places have a point before a service answers: so many candidates there are without it.
PROFILE = running.PROFILE.replace("candidates: {per_query: 3}", "candidates: {per_query: 2}") + (
    "geocoding: {providers: [amap]}\n"
)


class Moods:
    """What the server does; tests change it between builds."""

    is_up = True

    def __call__(self, path: str, asked: dict[str, str]) -> tuple[int, Any]:
        name = asked["keywords"]
        if name == "云岩塔":
            return 200, amap_ok(amap_poi(name, "120.58,31.33", cityname="苏州市"))
        if name == "湖东博物馆":
            two = (amap_poi(name, p, cityname="苏州市") for p in ("120.69,31.32", "120.90,31.10"))
            return 200, amap_ok(*two)
        if name == "听枫书院":
            return (200, amap_ok()) if self.is_up else (503, "down")
        return (200, amap_ok()) if self.is_up else (200, "<html>no JSON</html>")


@pytest.fixture
def moods() -> Moods:
    return Moods()


@pytest.fixture
def served(moods: Moods, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Served]:
    with serving(moods) as server:
        monkeypatch.setenv("TRIPBED_AMAP_KEY", "test")
        monkeypatch.delenv("TRIPBED_AMAP_SECRET", raising=False)
        monkeypatch.setenv("TRIPBED_AMAP_URL", server.url)
        monkeypatch.setenv("TRIPBED_GEOCODES", str(tmp_path / "geocodes.sqlite"))
        monkeypatch.setattr("geocoding.geocoders.transport.FIRST_PAUSE_S", 0.01)
        yield server


# Reports and Data Docs are of no matter here.
pytestmark = pytest.mark.usefixtures("without_extras")


@pytest.fixture
def inputs(tmp_path: Path) -> running.Inputs:
    made = running.write_inputs(tmp_path / "in")
    lines = running.GAZETTEER.splitlines()
    bare = [_without_point(line) if any(n in line for n in ASKED) else line for line in lines]
    (made.tables / "gazetteer.csv").write_text("\n".join(bare) + "\n", encoding="utf-8")
    made.profile.write_text(PROFILE, encoding="utf-8")
    return made


def _without_point(line: str) -> str:
    cells = line.split(",")
    return ",".join([*cells[:4], "", "", *cells[6:]])


def _build(inputs: running.Inputs, folder: Path) -> Snapshot:
    outcome = run(
        "build", *inputs.options(), *build_options(folder / "w", folder / "out"), "--json"
    )
    assert outcome.code == 0, outcome.err
    return Snapshot(Path(json.loads(outcome.out)["snapshot"]))


def _findings(snapshot: Snapshot) -> dict[str, int]:
    rows = snapshot.table("findings").filter(pl.col("finding").str.starts_with("geocoder_"))
    return dict(rows.select("finding", "n_rows").iter_rows())


def test_outage_then_answers(
    served: Served, moods: Moods, inputs: running.Inputs, tmp_path: Path
) -> None:
    """What could not be asked is pending and asked again; what was answered is not."""
    moods.is_up = False
    first = _build(inputs, tmp_path)
    assert _findings(first) == {
        "geocoder_found": 1, "geocoder_ambiguous": 1, "geocoder_nothing": 0, "geocoder_pending": 2,
    }  # fmt: skip
    counted = first.table("stage_counts").filter(stage="geocode").row(0, named=True)
    assert (counted["rows_in"], counted["rows_kept"], counted["rows_pending"]) == (4, 2, 2)
    tower = first.table("pois").filter(name_zh="云岩塔").row(0, named=True)
    assert (tower["coordinate_provider"], tower["datum_original"]) == ("amap", "gcj02")
    assert tower["lat"] == pytest.approx(31.332, abs=0.005)
    museum = first.table("pois").filter(name_zh="湖东博物馆").row(0, named=True)
    assert museum["lat"] is None
    (task,) = [t for t in uncertain(first, 0, 0) if " answers " in t.why]
    assert (task.table, task.row["poi_id"]) == ("pois", museum["poi_id"])
    assert task.why.startswith("湖东博物馆: amap answers ")
    assert task.why.count("(31.") == 2

    moods.is_up = True
    asked = len(served.seen)
    second = _build(inputs, tmp_path)
    assert {s[1]["keywords"] for s in served.seen[asked:]} == {"听枫书院", "柳浜码头"}
    assert _findings(second)["geocoder_pending"] == 0
    assert _findings(second)["geocoder_nothing"] == 2
    assert set(second.table("pois")["poi_id"]) == set(first.table("pois")["poi_id"])

    asked = len(served.seen)
    assert _build(inputs, tmp_path).path == second.path
    assert len(served.seen) == asked


def test_a_quota_stops_the_asking(
    inputs: running.Inputs, tmp_path: Path, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(
        lambda path, asked: (200, amap_error("10044", "USER_DAILY_QUERY_OVER_LIMIT"))
    ) as s:
        monkeypatch.setenv("TRIPBED_AMAP_URL", s.url)
        snapshot = _build(inputs, tmp_path)
        assert _findings(snapshot)["geocoder_pending"] == len(ASKED)
        assert len(s.seen) == 1


def test_a_file_of_places_is_asked_offline(inputs: running.Inputs, tmp_path: Path) -> None:
    file = tmp_path / "more.csv"
    file.write_text("id,name,lat,lon\n1,云岩塔,31.336,120.577\n", encoding="utf-8")
    inputs.profile.write_text(
        running.PROFILE + f"geocoding: {{gazetteers: ['{file}']}}\n", encoding="utf-8"
    )
    snapshot = _build(inputs, tmp_path)
    tower = snapshot.table("pois").filter(name_zh="云岩塔").row(0, named=True)
    assert (tower["lat"], tower["coordinate_provider"]) == (31.336, "gazetteer")
    assert _findings(snapshot)["geocoder_nothing"] == 3


def test_a_profile_without_its_account_is_refused(
    inputs: running.Inputs,
) -> None:
    with pytest.raises(SettingsError, match="TRIPBED_AMAP_KEY"):
        make_inputs(["suzhou"], [inputs.documents], inputs.tables, profile=str(inputs.profile))


def test_the_services_asked_are_named_for_limits(served: Served, inputs: running.Inputs) -> None:
    made = make_inputs(
        ["suzhou"], [inputs.documents], inputs.tables, profile=str(inputs.profile),
        settings=load_settings(),
    )  # fmt: skip
    assert FEEDBACK_STAGE.providers(Job(made, made.cities[0], "suzhou")) == ("amap",)
    inputs.profile.write_text(running.PROFILE, encoding="utf-8")
    made = make_inputs(["suzhou"], [inputs.documents], inputs.tables, profile=str(inputs.profile))
    job = Job(made, made.cities[0], "suzhou")
    assert FEEDBACK_STAGE.providers(job) == ()
    assert FEEDBACK_STAGE.settings(job) == {}
    assert FEEDBACK_STAGE.ingredients(job) == {}
