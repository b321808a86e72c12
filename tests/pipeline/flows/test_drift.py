"""A source that went bad after a good build: refused, the last good stays, until it is accepted."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.flows import running
from tests.support.flows.running import run
from warehouse.manifest import Acceptance, read_manifest

pytestmark = pytest.mark.usefixtures("without_data_docs")

_HOTELS = "id,name_zh,lat,lon,room_type,price_cny\n"
_MEALS = "id,name_zh,cuisine,lat,lon,price_cny,opening_hours\n"
_TRAINS = "train_id,from_city,from_station,to_city,to_station,departure,arrival,price_cny\n"


def write_tables(folder: Path) -> None:
    """Eighteen hotels, thirty restaurants and thirty trains beside the six sights."""
    draw = random.Random(3)

    def place() -> str:
        return f"{31.3 + draw.random() / 20:.5f},{120.6 + draw.random() / 20:.5f}"

    hotels = [f"h{n},枕河客舍{n},{place()},double,{draw.randint(200, 600)}\n" for n in range(18)]
    meals = [
        f"r{n},桥下面馆{n},snacks,{place()},"
        f"{draw.randint(20, 120)},{draw.randint(8, 11):02d}:00-21:00\n"
        for n in range(30)
    ]
    trains = [
        f"G7{n:03d},苏州,苏州站,上海,上海站,{6 + n // 2:02d}:{n % 2 * 30:02d},"
        f"{6 + n // 2:02d}:{n % 2 * 30 + 25:02d},{30 + n}\n"
        for n in range(30)
    ]
    for name, head, rows in (
        ("hotels", _HOTELS, hotels),
        ("restaurants", _MEALS, meals),
        ("trains", _TRAINS, trains),
    ):
        (folder / f"{name}.csv").write_text(head + "".join(rows), encoding="utf-8")


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs, workspace and store of a town that was built once. Read only."""
    folder = tmp_path_factory.mktemp("town")
    write_tables(running.write_inputs(folder).tables)
    assert build(folder).code == 0
    return folder


def build(folder: Path, *more: str) -> running.Outcome:
    inputs = running.inputs_below(folder)
    places = ["--workspace", folder / "work", "--out", folder / "out", "--direct"]
    return run("build", *inputs.options(), *places, *more)


def edited(name: str, change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    """A change of the lines of a table below its header."""

    def spoil(inputs: Path) -> None:
        path = running.inputs_below(inputs).tables / f"{name}.csv"
        head, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text(head + "".join(change(lines)), encoding="utf-8")

    return spoil


def dear(lines: list[str]) -> list[str]:
    """Prices a hundred times as high."""
    cells = [line.split(",") for line in lines]
    return [",".join([*row[:5], f"{row[5]}00", row[6]]) for row in cells]


def cut(lines: list[str]) -> list[str]:
    return [*lines[:20], lines[20][:20]]


def copied(inputs: Path) -> None:
    """Both pages twelve times more, under other names."""
    for page in sorted(running.inputs_below(inputs).documents.glob("*.md")):
        for n in range(12):
            shutil.copy(page, page.with_name(f"copy-{n}-{page.name}"))


BAD: dict[str, tuple[Callable[[Path], None], str]] = {
    "prices": (edited("restaurants", dear), "restaurants.csv: price has a median of "),
    "cut": (
        edited("trains", cut),
        "trains.csv: the last row, in line 22, is incomplete, and the number",
    ),
    "copies": (copied, "documents: 24 of 26 files are exact copies of other files"),
    "one hotel": (edited("hotels", lambda lines: lines[:1]), "hotels.csv: 1 row instead of 18"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_source_is_refused_and_named(
    name: str, town: Path, tmp_path: Path, without_extras: None
) -> None:
    spoil, words = BAD[name]
    folder = Path(shutil.copytree(town, tmp_path / "town", symlinks=True))
    good = (folder / "out" / "latest").readlink()
    spoil(folder)
    outcome = build(folder)
    assert outcome.code == 1
    assert words in outcome.out
    assert "a source has degraded, so the last good snapshot remains the latest" in outcome.out
    assert (folder / "out" / "latest").readlink() == good


class TestAcceptance:
    @pytest.fixture
    def spoilt(self, town: Path, tmp_path: Path, without_extras: None) -> Path:
        """The town with one hotel where there were eighteen, and a meal for 9,800 yuan."""
        folder = Path(shutil.copytree(town, tmp_path / "town", symlinks=True))
        edited("hotels", lambda lines: lines[:1])(folder)
        return folder

    def test_what_is_accepted_is_published_and_kept(self, spoilt: Path) -> None:
        why = "seventeen hotels closed"
        accepted = (
            "--accept-drift",
            "hotels.rows",
            "--accept-drift",
            "hotels.names",
            "--because",
            why,
        )
        outcome = build(spoilt, *accepted)
        assert outcome.code == 0, outcome.out
        assert f"(accepted: {why})" in outcome.out
        manifest = read_manifest(spoilt / "out" / "latest")
        assert manifest.accepted == tuple(
            Acceptance(city="suzhou", table="hotels", check=check, because=why)
            for check in ("names", "rows")
        )
        # The accepted state is what later builds are compared with.
        assert build(spoilt).code == 0
        edited(
            "restaurants", lambda lines: [line.replace("snacks", "western") for line in lines[:28]]
        )(spoilt)
        outcome = build(spoilt)
        assert outcome.code == 1
        assert "hotels" not in " ".join(
            line for line in outcome.out.splitlines() if "refused" in line
        )
        assert "restaurants.csv: cuisine is western in 28 of 28 rows" in outcome.out

    def test_another_name_does_not_let_it_pass(self, spoilt: Path) -> None:
        outcome = build(spoilt, "--accept-drift", "hotels.known", "--because", "x")
        assert outcome.code == 1

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--accept-drift", "hotels.rows"], "must be given together"),
            (["--because", "of course"], "must be given together"),
            (
                ["--accept-drift", "hotels.row", "--because", "x"],
                "--accept-drift hotels.row: give TABLE.CHECK",
            ),
            (
                ["--accept-drift", "hotel.rows", "--because", "x"],
                "attractions, hotels, restaurants",
            ),
        ],
    )
    def test_options_that_say_too_little(self, options: list[str], words: str, town: Path) -> None:
        outcome = build(town, *options)
        assert outcome.code == 2
        assert words in outcome.err


def test_rows_that_were_set_aside_or_mended_are_told_by_source(
    town: Path, tmp_path: Path, without_extras: None
) -> None:
    folder = Path(shutil.copytree(town, tmp_path / "town", symlinks=True))
    edited(
        "restaurants",
        lambda lines: [
            lines[0].replace("snacks", ""),
            "r,broken,row\n",
            lines[2].replace(",31.", ",x31.", 1),
            *lines[3:],
        ],
    )(folder)
    outcome = build(folder)
    assert outcome.code == 0, outcome.out
    said = next(line for line in outcome.out.splitlines() if line.startswith("restaurants ("))
    assert said.startswith(
        "restaurants (restaurants.csv), 30 rows: 2 set aside (1 coordinates, 1 shape), such as"
        " restaurants.csv:3"
    )
    page = (folder / "out" / "latest" / "quality" / "source_rows" / "suzhou.md").read_text("utf-8")
    assert "| restaurants.csv:3 | set aside | shape | 3 cells where the header has 7 |" in page


def test_another_reader_is_no_baseline_and_is_said(
    town: Path, tmp_path: Path, without_extras: None
) -> None:
    folder = Path(shutil.copytree(town, tmp_path / "town", symlinks=True))
    snapshot = (folder / "out" / "latest").resolve()
    manifest = json.loads((snapshot / "manifest.json").read_text(encoding="utf-8"))
    manifest["settings"]["cities"]["suzhou"]["readers"]["hotels"] = "tables 1, layout tripbed"
    (snapshot / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    edited("hotels", lambda lines: lines[:1])(folder)
    outcome = build(folder)
    assert outcome.code == 0
    assert (
        "not compared with the last good snapshot: its reader has changed from tables 1"
        in outcome.out
    )
