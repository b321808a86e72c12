"""Make names unique within a city, for layouts that look places up by name."""

from __future__ import annotations

from collections.abc import Iterable

from warehouse.export.account import ExportAccount
from warehouse.export.gather import CityRows, Row

#: What pandas reads as "no value": no name may be one of these (its documented list).
NO_VALUES = frozenset(
    {
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
        "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
    }
)  # fmt: skip
_KINDS = (
    ("attractions", "景点", "poi_id"),
    ("restaurants", "餐厅", "restaurant_id"),
    ("hotels", "酒店", "hotel_id"),
)


def unique_names(city: CityRows, account: ExportAccount) -> CityRows:
    """The city with every place under a name of its own; stations and airports keep theirs.

    The first of a name keeps it: attractions before restaurants before hotels, in source order.
    The next get the kind in brackets, then a number: 沁园(酒店), 沁园(酒店2). Each change is
    listed. A name that pandas takes for an empty cell gets the kind as well. ``own_name`` keeps the
    first.
    """
    wanted = {row["name"] for table in _tables(city) for row in table}
    taken = {row["name"] for row in city.hubs}
    for (table, kind, key), rows in zip(_KINDS, _tables(city), strict=True):
        for row in rows:
            name = row["own_name"] = row["name"]
            if not name:
                continue
            if name in taken or name in NO_VALUES:
                row["name"] = _free(name, kind, taken | wanted)
                account.change(
                    city.slug, table, row[key], name, "name", f"the name is taken: {row['name']}"
                )
            taken.add(row["name"])
    return city


def _tables(city: CityRows) -> Iterable[list[Row]]:
    return city.attractions, city.restaurants, city.hotels


def _free(name: str, kind: str, taken: set[str]) -> str:
    number = 1
    while (made := f"{name}({kind}{number if number > 1 else ''})") in taken:
        number += 1
    return made
