"""Names as `explain` tells them: linked with what else fits, or linked to no place and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from flows.places.names import find_unlinked, link_lines, links_of, places_called
from schemas.arrow import frame

DOC, TOWER, PARK = "d" + "1" * 20, "poi_" + "a" * 16, "poi_" + "b" * 16
_HERE = {"city_id": "gn1", "doc_id": DOC}


class Held:
    """Two places, one name linked and one not."""

    path = Path("made-up")

    def table(self, name: str) -> pl.DataFrame:
        """The rows of a table."""
        rows: dict[str, list[dict[str, Any]]] = {
            "pois": [{"poi_id": TOWER, "name_zh": "青莲塔"}, {"poi_id": PARK, "name_zh": "望湖园"}],
            "poi_aliases": [{"poi_id": TOWER, "alias": "Lotus Tower"}],
            "documents": [{"doc_id": DOC, "path": "notes/a.md"}],
            "links": [
                {
                    **_HERE,
                    "name_number": 1,
                    "name": "蓮塔",
                    "poi_id": TOWER,
                    "link_score": 85,
                    "margin": 5,
                    "rivals": [PARK],
                    "why": "alike",
                }
            ],
            "unlinked_names": [
                {
                    **_HERE,
                    "name_number": 2,
                    "name": "听雨楼",
                    "unlinked_as": "review",
                    "rivals": [PARK, "poi_" + "c" * 16],
                    "why": "two fit",
                }
            ],
        }
        schema = frame(name, []).schema
        return pl.DataFrame([{**dict.fromkeys(schema), **row} for row in rows[name]], schema=schema)


def test_a_place_is_found_by_any_of_its_names() -> None:
    held = Held()
    assert places_called(held, "青莲塔") == places_called(held, "lotus tower") == [TOWER]
    assert places_called(held, "蓮塔") == [TOWER]
    assert places_called(held, "听雨楼") == []


def test_a_link_is_told_with_its_rivals() -> None:
    (link,) = links_of(Held(), TOWER)
    assert link["document"] == "notes/a.md"
    (line,) = link_lines([link])
    assert line == (
        f"  蓮塔 in notes/a.md: score 85, margin 5; alike; other choices: 望湖园 ({PARK})"
    )


def test_a_name_without_a_place_is_told_with_what_fits() -> None:
    (name,) = find_unlinked(Held(), "听雨楼")
    (line,) = link_lines([name])
    assert "review; two fit; other choices: 望湖园" in line
    assert "a place elsewhere" in line


def test_many_links_are_counted() -> None:
    lines = list(link_lines(links_of(Held(), TOWER) * 25))
    assert lines[-1] == "  and 5 more: use --json to list all"
