"""What became of documents, over builds of different cities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from warehouse.errors import WarehouseError
from warehouse.given import NO_CITY, join_files, make_frame, read_given, write_given
from warehouse.manifest import Manifest

Frames = dict[str, pl.DataFrame]


def row(path: str, *cities: str, built_for: tuple[str, ...], **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {"path": path, "doc_id": f"id-{path}", "cities": list(cities),
                            "built_for": list(built_for)}  # fmt: skip
    return {**base, **({"status": "used"} if cities else NO_CITY), **more}


def documents(*rows: dict[str, Any]) -> Frames:
    return {"documents": make_frame("documents", rows)}


def told(frames: Frames) -> list[tuple[Any, ...]]:
    columns = ("path", "status", "cities", "built_for")
    return [tuple(one[name] for name in columns) for one in frames["documents"].to_dicts()]


BEFORE = documents(
    row("a", "lyon", built_for=("lyon",)), row("b", built_for=("lyon",)),
    row("c", "nice", built_for=("lyon", "nice")),
)  # fmt: skip


def test_rows_of_other_cities_stay() -> None:
    now = documents(row("d", "porto", built_for=("porto",)))
    assert told(join_files(BEFORE, now, {"porto"})) == [
        *told(BEFORE), ("d", "used", ["porto"], ["porto"]),
    ]  # fmt: skip


def test_a_document_of_both_builds_keeps_its_other_cities() -> None:
    now = documents(
        row("a", built_for=("porto",)), row("b", "porto", built_for=("porto",)),
        row("c", built_for=("porto",), status="set_aside", reason="language", why="in Thai"),
    )  # fmt: skip
    assert told(join_files(BEFORE, now, {"porto"})) == [
        ("a", "used", ["lyon"], ["lyon", "porto"]),
        ("b", "used", ["porto"], ["lyon", "porto"]),
        ("c", "used", ["nice"], ["lyon", "nice", "porto"]),
    ]


def test_what_is_no_longer_given_goes_with_its_cities() -> None:
    now = documents(row("a", built_for=("lyon",)))
    assert told(join_files(BEFORE, now, {"lyon"})) == [
        ("a", "waiting", [], ["lyon"]), ("c", "used", ["nice"], ["nice"]),
    ]  # fmt: skip
    left = documents(row("c", "lyon", built_for=("lyon", "nice")))
    (c,) = join_files(left, documents(), {"lyon"})["documents"].to_dicts()
    assert (c["status"], c["reason"], c["why"]) == ("waiting", "no_city", NO_CITY["why"])


def test_a_rebuild_of_all_gives_what_a_fresh_build_gives() -> None:
    now = documents(row("x", "lyon", built_for=("lyon", "nice")))
    again = join_files(BEFORE, now, {"lyon", "nice"})
    assert again["documents"].equals(join_files({}, now, {"lyon", "nice"})["documents"])


def test_copies_of_no_id_below_one_path_are_all_kept() -> None:
    same = row("a", built_for=("lyon",), doc_id=None, status="set_aside", reason="same_bytes")
    now = documents(same | {"built_for": ["porto"]}, same | {"built_for": ["porto"]})
    assert told(join_files(documents(same), now, {"porto"})) == [
        ("a", "set_aside", [], ["lyon", "porto"]), ("a", "set_aside", [], ["porto"]),
    ]  # fmt: skip


def test_problems_of_two_builds_are_told_once() -> None:
    problem = {"reader": "own", "what": "x", "why": "y", "built_for": ["lyon"]}
    before = {"reading_problems": make_frame("reading_problems", [problem])}
    now = {"reading_problems": make_frame("reading_problems", [problem | {"built_for": ["nice"]}])}
    (one,) = join_files(before, now, {"nice"})["reading_problems"].to_dicts()
    assert one["built_for"] == ["lyon", "nice"]
    assert join_files(before, documents(), {"lyon"})["reading_problems"].height == 0


def test_files_are_read_as_written_and_a_changed_one_is_refused(tmp_path: Path) -> None:
    entries = write_given(tmp_path, BEFORE)
    manifest = Manifest(
        schema_version="2.0", cities=(), settings={}, ingredients={}, tables={}, quality=entries
    )
    (tmp_path / "manifest.json").write_text(manifest.text(), encoding="utf-8")
    assert read_given(tmp_path)["documents"].equals(BEFORE["documents"])
    (tmp_path / entries[0].path).write_bytes(b"PAR1")
    with pytest.raises(WarehouseError, match="Build all cities of the snapshot again"):
        read_given(tmp_path)


def test_a_manifest_without_such_files_is_as_it_was() -> None:
    bare = Manifest(schema_version="2.0", cities=(), settings={}, ingredients={}, tables={})
    assert "quality" not in bare.text()
