"""Describe places: what they are called, what and where they are, and which source has them."""

from __future__ import annotations

from typing import Any

import polars as pl

from schemas.place_names import fold
from schemas.taxonomy import BASE_TYPES, POI_CATEGORIES
from warehouse.read import Snapshot

Row = dict[str, Any]
_TYPES = {term.code: term.en for term in (*BASE_TYPES, *POI_CATEGORIES)}
_SHORTEST_NAME = 2


class SnapshotPlaces:
    """The places and cities of a snapshot, as a careful reader is told of them."""

    def __init__(self, snapshot: Snapshot):
        self._rows: dict[str, Row] = {r["poi_id"]: r for r in snapshot.table("pois").to_dicts()}
        cities = snapshot.table("cities").to_dicts()
        self._cities = {r["city_id"]: r["name_en"] or r["name_zh"] for r in cities}
        self._aliases = _lists(snapshot, "poi_aliases", "alias")
        self._parents = _lists(snapshot, "poi_hierarchy", "parent_poi_id")
        read_from = snapshot.table("evidence").filter(evidence_kind="table")
        self._lines = {
            r["evidence_id"]: f"{r['source_file']}, line {r['source_line']}"
            for r in read_from.to_dicts()
        }

    def city(self, city_id: str) -> str:
        """A city's name."""
        return str(self._cities.get(city_id, city_id))

    def name(self, poi_id: str) -> str:
        """A place's names, Chinese and English."""
        row = self._rows[poi_id]
        return " / ".join(dict.fromkeys(n for n in (row["name_zh"], row["name_en"]) if n))

    def tell_place(self, poi_id: str) -> str:
        """A place's names and its city."""
        return f"{self.name(poi_id)} in {self.city(self._rows[poi_id]['city_id'])}"

    def list_names(self, poi_id: str) -> frozenset[str]:
        """All names of a place, folded; those of one letter are left out."""
        row = self._rows[poi_id]
        names = (
            fold(n) for n in (row["name_zh"], row["name_en"], *self._aliases.get(poi_id, ())) if n
        )
        return frozenset(name for name in names if len(name) >= _SHORTEST_NAME)

    def type(self, poi_id: str) -> str | None:
        """Code of what the place is."""
        row = self._rows[poi_id]
        code: str | None = row["base_type"] or row["category"]
        return code

    def in_documents(self, city_id: str) -> list[str]:
        """Places of a city that documents name."""
        return [
            poi for poi, row in self._rows.items()
            if row["city_id"] == city_id and row["n_mentions"] and row["superseded_by"] is None
        ]  # fmt: skip

    def are_apart(self, one: str, other: str) -> bool:
        """Whether two are surely not one place or part and whole, by their names and the tables."""
        if other in self._above(one) or one in self._above(other):
            return False
        return not any(
            a in b or b in a for a in self.list_names(one) for b in self.list_names(other)
        )

    def _above(self, poi_id: str) -> set[str]:
        """A place and all that it is part of."""
        found, asked = {poi_id}, [poi_id]
        while asked:
            new = set(self._parents.get(asked.pop(), ())) - found
            found |= new
            asked += sorted(new)
        return found

    def describe(self, poi_id: str, *, hide: str = "") -> str:
        """What a place is: names, type, city, whole, other names, point, source.

        ``hide`` names a table whose rows are judged, and are therefore not told.
        """
        row = self._rows[poi_id]
        type_code = self.type(poi_id)
        told = [f"{self.name(poi_id)}: {_TYPES[type_code] if type_code else 'type unknown'}, "
                f"{self.city(row['city_id'])}"]  # fmt: skip
        if hide != "poi_hierarchy":
            told += [f"part of {self.name(p)}" for p in self._parents.get(poi_id, ())]
        if hide != "poi_aliases" and poi_id in self._aliases:
            told.append(f"also called {', '.join(self._aliases[poi_id])}")
        told.append("no point" if row["lat"] is None else f"at {row['lat']:.4f}, {row['lon']:.4f}")
        told.append(f"from {self._lines.get(row['evidence_id'], 'documents')}")
        return "; ".join(told)

    def line(self, evidence_id: str) -> str | None:
        """File and line of a source row; None for a span of a document."""
        return self._lines.get(evidence_id)


def _lists(snapshot: Snapshot, table: str, column: str) -> dict[str, list[str]]:
    """The values of a column for each place that has some, sorted."""
    rows = snapshot.table(table).group_by("poi_id").agg(pl.col(column).sort())
    return dict(rows.select("poi_id", column).iter_rows())
