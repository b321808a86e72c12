"""Read metro networks: stations, whose ids are the same on all lines, and the edges between
them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count, pairwise

from schemas.cities import City
from schemas.geo import distance_m
from sources.tables.cell_values import locate
from sources.tables.intake import Intake, Row, RowError, SourceRow

#: The platforms of one station are closer together than this; two stations with the same name are
#: further apart. In ten published networks the distances are below 1 km, and 38 km for one pair.
SAME_STATION_M = 2_000.0
#: A line with at least this many stations may be a ring if its ends are close together.
RING_STATIONS = 12


@dataclass(frozen=True)
class MetroLine:
    """A metro line in a source, with its name and the rows for its stations, in order."""

    name: str
    rows: list[SourceRow]


def read_metro(city: City, lines: Iterable[MetroLine]) -> tuple[Intake, list[Row]]:
    """Return the intake for ``metro_stations`` and the rows for ``metro_edges``.

    A station row has the cells ``name``, ``lat`` and ``lon``. A station row may also have
    ``ride_s`` (seconds from the previous station), ``wait_s``, ``change_s`` and ``zones``. A second
    line with the same name but a different route is a branch, and the names of its end stations are
    added to its name. A line that repeats an earlier line is merged with that line. Each pair of
    neighbouring stations has one edge per line, in the direction of the line. If a station was set
    aside, its two neighbouring stations are connected to each other.
    """
    intake = Intake(city, "metro_stations")
    known: dict[str, list[Row]] = {}
    earlier: dict[str, list[tuple[str, ...]]] = {}
    edges: dict[tuple[str, frozenset[str]], Row] = {}
    for line in lines:
        name = _line_name(line, earlier, intake)
        before = len(intake.kept)
        intake.read(line.rows, partial(_station, city, name, known))
        path = intake.kept[before:]
        _note_path(intake, line, path)
        lines_of = [row.line for row in line.rows]
        for edge in _edges(city, name, path, dict(pairwise(lines_of))):
            edges.setdefault((name, frozenset((edge["from_id"], edge["to_id"]))), edge)
    for row in intake.kept:
        del row["ride_s"]
    intake.merge(lambda row: (row["line"], row["station_id"]), "station_repeated")
    _number(intake.kept)
    return intake, list(edges.values())


def _line_name(line: MetroLine, earlier: dict[str, list[tuple[str, ...]]], intake: Intake) -> str:
    """Return the name of a line; for a branch, add the names of its end stations."""
    course = tuple(row.cells.get("name", "").strip() for row in line.rows)
    courses = earlier.setdefault(line.name, [])
    known = next((i for i, c in enumerate(courses) if course in (c, c[::-1])), None)
    if known is None:
        known = len(courses)
        courses.append(course)
        if known and line.rows:
            where = line.rows[0]
            message = f"{line.name} occurs again with a different route, which is read as a branch"
            intake.note("fix", "line_repeated", where.file, where.line, message)
    if known == 0:
        return line.name
    ends = f"{courses[known][0]}-{courses[known][-1]}" if courses[known] else "0"
    same_ends = sum(
        c[:1] + c[-1:] == courses[known][:1] + courses[known][-1:] for c in courses[1:known]
    )
    return f"{line.name}({ends})" + (f"#{same_ends + 1}" if same_ends else "")


def _station(city: City, line: str, known: dict[str, list[Row]], row: SourceRow) -> Row:
    """Return a row for ``metro_stations``.

    The id is computed from the city and the name. If a different, distant station has the same
    name, the line is added to the id.
    """
    name = row.require("name")
    place = locate(row, row.text("lat"), row.text("lon"), row.datum, city)
    if place["lat"] is None:
        raise RowError("coordinates", f"station {name} has no coordinates")
    built: Row = {
        "city_id": city.city_id,
        "line": line,
        "sequence": 0,
        "name": name,
        **place,
        "wait_s": _seconds(row, "wait_s"),
        "change_s": _seconds(row, "change_s"),
        "zones": _zones(row),
        "ride_s": _seconds(row, "ride_s"),
        **row.origin,
    }
    namesakes = known.setdefault(name, [])
    first = next((other for other in namesakes if _near(other, built)), None)
    if first is not None:
        return {"station_id": first["station_id"], **built}
    built["station_id"] = f"{city.city_id}:{name}"
    if namesakes:
        built["station_id"] += f"@{line}"
        row.mark(
            "station_namesake",
            f"another station called {name} lies more than {SAME_STATION_M:.0f} m away",
        )
    namesakes.append(built)
    return built


def _seconds(row: SourceRow, column: str) -> int | None:
    """Read a time in seconds. Raises RowError if the time is negative or longer than a day."""
    value = row.number(column)
    if value is not None and not 0 <= value <= 86_400:
        raise RowError(
            "number", f"{column} is not a time for a ride, a wait or a change: {value:g}"
        )
    return None if value is None else round(value)


def _zones(row: SourceRow) -> list[str] | None:
    zones = sorted({zone.strip() for zone in (row.text("zones") or "").split("|")} - {""})
    return zones or None


def _near(a: Row, b: Row) -> bool:
    return bool(distance_m(a["lat"], a["lon"], b["lat"], b["lon"]) <= SAME_STATION_M)


def _note_path(intake: Intake, line: MetroLine, path: list[Row]) -> None:
    """Add notes on the stations of a line that were set aside, and on whether the line may be an
    incomplete ring.
    """
    present = {row["source_line"] for row in path}
    for row in line.rows[1:-1]:
        if row.line not in present:
            intake.note(
                "mark",
                "edge_bridges_gap",
                row.file,
                row.line,
                "the stations before and after this station are connected directly",
            )
    if len(path) < RING_STATIONS or path[0]["station_id"] == path[-1]["station_id"]:
        return
    hops_m = _hops_m(path)
    ends_m = _hops_m([path[0], path[-1]])[0]
    if ends_m <= max(hops_m):
        message = (
            f"the two ends of {line.name} are only {ends_m:.0f} m apart, but they are not connected"
        )
        intake.note(
            "mark", "possible_ring", path[-1]["source_file"], path[-1]["source_line"], message
        )


def _hops_m(path: list[Row]) -> list[float]:
    """Return the straight-line distances between neighbouring stations, in metres."""
    lat, lon = [row["lat"] for row in path], [row["lon"] for row in path]
    return [float(d) for d in distance_m(lat[:-1], lon[:-1], lat[1:], lon[1:])]


def _edges(city: City, line: str, path: list[Row], following: Mapping[int, int]) -> list[Row]:
    return [
        {
            "city_id": city.city_id,
            "line": line,
            "from_id": a["station_id"],
            "to_id": b["station_id"],
            "distance_m": hop_m,
            # If a station in between was set aside, the time of the whole ride is unknown.
            "ride_s": b["ride_s"] if b["source_line"] == following.get(a["source_line"]) else None,
        }
        for a, b, hop_m in zip(path, path[1:], _hops_m(path), strict=False)
        if a["station_id"] != b["station_id"]
    ]


def _number(stations: list[Row]) -> None:
    """Number the stations on each line, counting from 1."""
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
    for row in stations:
        row["sequence"] = next(numbers[row["line"]])
