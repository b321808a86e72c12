"""``tripbed match`` on files as strangers have them. Every name is made up."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from flows.errors import SettingsError
from flows.places.match import COLUMNS, match

PAIR = dict(
    zip(COLUMNS, ("", "灵峰寺", "灵峰禅寺", "30.1", "120.1", "30.1001", "120.1"), strict=True)
)


def written(path: Path, *rows: dict[str, str], encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as handle:
        writer = csv.DictWriter(handle, rows[0] if rows else COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def labels(path: Path) -> list[dict[str, str]]:
    out = path.with_name("out.csv")
    match(path, out, alone=False, as_json=True)
    with out.open(encoding="utf-8") as handle:
        return [*csv.DictReader(handle)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_say_what_they_are(encoding: str, tmp_path: Path) -> None:
    (found,) = labels(written(tmp_path / "pairs.csv", {**PAIR, "note": "x"}, encoding=encoding))
    assert (found["label"], found["note"]) == ("same", "x")


def test_turned_coordinates_are_turned_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turned = {**PAIR, "lat_a": PAIR["lon_a"], "lon_a": PAIR["lat_a"]}
    found = labels(written(tmp_path / "pairs.csv", PAIR, turned))
    assert found[0]["why"] == found[1]["why"]
    told = capsys.readouterr()
    assert "corrected swapped latitude and longitude in 1 points" in told.err
    assert json.loads(told.out) == {"pairs": 2, "same": 2}


@pytest.mark.parametrize("unknown", ["", " ", "NaN", "null", "N/A"])
def test_unknown_coordinates_are_unknown(unknown: str, tmp_path: Path) -> None:
    far = {**PAIR, "lat_b": "34.0"}
    found = labels(written(tmp_path / "pairs.csv", far, {**far, "lon_b": unknown}))
    assert [row["label"] for row in found] == ["different", "same"]


@pytest.mark.parametrize(
    "name",
    [
        "<b>灵峰寺</b>",
        "[灵峰寺](https://example.org/a)",
        "**灵峰寺**",
        " 灵峰寺\u200b ",
        "灵峰&#23546;",
    ],
)
def test_names_lose_their_markup(name: str, tmp_path: Path) -> None:
    (found,) = labels(written(tmp_path / "pairs.csv", {**PAIR, "name_a": name}))
    assert (found["label"], found["name_a"]) == ("same", name)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"lat_a": "north"}, "line 3: lat_a is 'north', not a number of degrees: correct it"),
        ({"lat_b": "inf"}, "line 3: lat_b is 'inf'"),
        ({"lat_a": "95", "lon_a": "200"}, "line 3: lat_a 95, lon_a 200 is not a point on Earth"),
        ({"name_b": " "}, "line 3: name_b is empty"),
    ],
)
def test_a_line_that_cannot_be_compared_is_named(
    cells: dict[str, str], told: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "pairs.csv", PAIR, {**PAIR, **cells}, {**PAIR, **cells})
    with pytest.raises(SettingsError, match="1 other lines") as error:
        labels(path)
    assert told in str(error.value)
    assert not path.with_name("out.csv").exists()


def test_files_that_are_no_list_of_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes("城市,甲\n".encode("gb18030"))
    with pytest.raises(SettingsError, match="save it as CSV UTF-8"):
        labels(path)
    path.write_bytes(b"")
    with pytest.raises(SettingsError, match="is empty"):
        labels(path)
    path.write_text("city,name_a\nx,y\n")
    with pytest.raises(SettingsError, match=r"has no column name_b.*has only city, name_a"):
        labels(path)
    with pytest.raises(SettingsError, match="cannot be written"):
        match(written(path, PAIR), tmp_path, alone=False, as_json=True)


def test_no_pairs_and_duplicate_pairs(tmp_path: Path) -> None:
    assert labels(written(tmp_path / "pairs.csv")) == []
    found = labels(written(tmp_path / "pairs.csv", *[PAIR] * 3))
    assert len(found) == 3
    assert found[0] == found[1] == found[2]
