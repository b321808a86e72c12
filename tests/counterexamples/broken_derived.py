"""Ways to break what is computed again: space, rankings, decisions and sources."""

from __future__ import annotations

import datetime as dt
from typing import Any

from schemas.facts_aside import CONDITION_BY_RULES, describe_fact
from schemas.ids import canonical_json, digest, quarantine_id
from tests.counterexamples import good
from tests.counterexamples.breaking import Case, Change, add, both, drop, find, put, recount
from tests.counterexamples.broken_places import (
    FIRST_SPAN,
    HALL,
    MUSEUM,
    REST,
    SET_ASIDE,
    without_space,
)  # fmt: skip
from tests.counterexamples.broken_structure import GENERIC, HOTEL, LAKE, PARK, STREET, TEMPLE, fails
from tests.counterexamples.good import A, B, Book, Row, connection_id, span_evidence, table_evidence
from tests.counterexamples.good_places import comparison

NEAR_STATION = f"{A.city_id}/hotels/{HOTEL}"
STAY = {"n_days_planned": 3}
STAY_KEY = f"{A.city_id}/3/hotels/{HOTEL}"
APART = comparison(A, "apart")
NESTED = comparison(A, "nested")
CHILD = f"{HALL}/{TEMPLE}"
OUTWARD = f"{A.slug}--{B.slug}"
TRAIN = connection_id(A, B)
TRIP = good.trajectory_id(A, "route_zh")
AUTUMN = f"tprag-{A.slug}-autumn-2d"
COORDINATES = {"table": "hotels", "finding": "coordinates"}


def by_metro(metres: float) -> Change:
    """A way by metro between the museum and the park, whose stations are told with it."""

    def change(book: Book) -> None:
        stations = {row["name"]: row for row in book["metro_stations"][A.slug]}
        for poi, name in ((MUSEUM, "北门"), (PARK, "北门"), (TEMPLE, "南湖")):
            place = find(book, "pois", poi_id=poi)
            book["nearest_stations"][A.slug].append(
                {
                    "city_id": A.city_id, "table": "pois", "row_id": poi,
                    "station_id": A.station(name), "distance_m": _apart(place, stations[name]),
                }
            )  # fmt: skip
        walks = {row["row_id"]: row["distance_m"] for row in book["nearest_stations"][A.slug]}
        rails = sum(row["distance_m"] for row in book["metro_edges"][A.slug])
        straight = find(book, "distances", from_id=MUSEUM, to_id=TEMPLE)
        total = round(walks[MUSEUM] + rails + walks[TEMPLE] + metres, 1)
        book["distances"][A.slug].append(
            {**straight, "distance_method": "metro", "distance_m": total}
        )
        recount(book, "distances", A.slug)
        recount(book, "nearest_stations", A.slug)

    return change


def _apart(here: Row, there: Row) -> float:
    from schemas.geo import distance_m

    return round(float(distance_m(here["lat"], here["lon"], there["lat"], there["lon"])), 1)


def inquiry(name: str) -> Change:
    """An inquiry about a candidate: the first one is the lake."""
    text = f"碧河 {name} 开放时间 门票 游玩"
    return add(
        "sub_queries", {"query_id": GENERIC, "purpose": "poi"}, purpose="inquiry", text=text,
        sub_query_id=f"sq_{digest('inquiry', text)}",
    )  # fmt: skip


def named_in_an_answer(book: Book) -> None:
    """A name that nobody knows, in a document that an inquiry alone found."""
    find(book, "documents", path="notes/copy.md")["fetched_for"] = "inquiry"
    names = book["unlinked_names"][A.slug]
    names.append({**names[0], "doc_id": A.doc("copy"), "name_number": 1})
    recount(book, "unlinked_names", A.slug)


def asked_twice(doc: str) -> Change:
    """Two queries of one constraint ask the same for places; the other one finds this document."""
    query, poi = f"tprag-{A.slug}-any", {"purpose": "poi"}
    asked = {"text": "景点", "sub_query_id": f"sq_{digest('poi', '景点')}"}
    return both(
        put("sub_queries", {"query_id": query, **poi}, **asked),
        put("query_documents", {"query_id": query, **poi}, doc_id=A.doc(doc)),
    )


def tagged_twice(score: float) -> Change:
    """Both routes tag the lake in autumn, where it has this score."""
    autumn = {"context_id": "season:autumn", "poi_id": LAKE}
    return both(
        add("poi_tags", {}, evidence_id=SECOND_SPAN, source_date=dt.date(2023, 10, 8)),
        put("poi_popularity", autumn, score=score),
    )


def _stated(parent: str) -> Change:
    """The source names the container by its id, and the part that is not the museum."""

    def change(book: Book) -> None:
        temple = find(book, "pois", poi_id=TEMPLE)
        temple["anchor"] = f"{A.city_id}|src|t-1"
        if ", of " in parent:
            find(book, "pois", poi_id=MUSEUM)["anchor"] = f"{A.city_id}|src|m-1"
        find(book, "poi_hierarchy")["reason"] = f"the source names it: {parent}"

    return change


def set_aside(**values: Any) -> Change:
    """A row of a tag set aside, and another word about it."""
    held, row_id = TAG, TAG_ID

    def change(book: Book) -> None:
        first = find(book, "quarantine")
        book["quarantine"][A.slug].append(
            {
                **first,
                "stage": "tags",
                "table": "poi_facts",
                "row_id": row_id,
                "check": "unknown_place",
                "message": "season of '无名'",
                "source_file": None,
                "quarantine_id": TAG_ROW,
                "payload": canonical_json(held),
                "source_line": None,
                **values,
            }
        )
        table = values.get("table", "poi_facts")
        account = find(book, "stage_counts", stage="tags", table=table)
        account["rows_in"] += 1
        account["rows_quarantined"] += 1

    return change


TAG = {"doc_id": "d1", "field": "season", "poi": "无名", "start": 3, "value": "x"}
TAG_ID = digest("d1", "3", "无名", "season", "x")
TAG_ROW = quarantine_id(
    A.city_id, "tags", "poi_facts", TAG_ID, "unknown_place", "season of '无名'", canonical_json(TAG)
)
_CHILD = {**TAG, "audience": "child", "condition": None}


def _childs(check: str, message: str) -> dict[str, Any]:
    """The same of a child's price, which failed a check."""
    row_id, payload = digest("d1", "3", "无名", "season", "x", "child", ""), canonical_json(_CHILD)
    said = (A.city_id, "tags", "conditional_facts", row_id, check, message, payload)
    return {
        "table": "conditional_facts", "row_id": row_id, "check": check, "message": message,
        "payload": payload, "quarantine_id": quarantine_id(*said),
    }  # fmt: skip


CHILD_ASIDE = _childs("unknown_place", "season of '无名'")
#: One that is set aside because rules read it, and the same without the reason.
CHILD_BY_RULES = _childs(CONDITION_BY_RULES, describe_fact("season", "无名", CONDITION_BY_RULES))
CHILD_WITHOUT_WHY = _childs(CONDITION_BY_RULES, "season of '无名'")
SECOND_SPAN = span_evidence(A, "route_en", 70, len("Moonshade Lake"))
RENAMED = "tr_" + "0" * 16


def _renamed_trip(book: Book) -> None:
    """Another id, wherever the trajectory is named."""
    for table in ("trajectories", "query_trajectories", "trajectory_scores"):
        for row in book[table][A.slug]:
            if row["trajectory_id"] == TRIP:
                row["trajectory_id"] = RENAMED


CASES = [
    # Space
    Case(
        "a distance of another precision",
        put("stay_clusters", STAY, distance_m=678.05),
        fails(("tenths", "stay_clusters", "distance_m", STAY_KEY)),
    ),
    Case(
        "a station that is not the nearest",
        put("nearest_stations", {}, station_id=A.station("南湖"), distance_m=1112.0),
        fails(("nearest_stations", "nearest_stations", "station_id", NEAR_STATION)),
    ),
    Case(
        "a station of another distance",
        put("nearest_stations", {}, distance_m=12.5),
        fails(("nearest_stations", "nearest_stations", "distance_m", NEAR_STATION)),
    ),
    Case(
        "the station of a hotel that is gone",
        put("nearest_stations", {}, row_id="hotel_gone"),
        fails(("nearest_stations", "nearest_stations", "row_id", f"{A.city_id}/hotels/hotel_gone")),
    ),
    Case(
        "a stay in the cluster further off",
        put("stay_clusters", STAY, cluster=1),
        fails(("stay_clusters", "stay_clusters", "cluster", STAY_KEY)),
    ),
    Case(
        "a stay nearer than it is",
        put("stay_clusters", STAY, distance_m=600.0),
        fails(("stay_clusters", "stay_clusters", "distance_m", STAY_KEY)),
    ),
    Case(
        "a way by metro that is too long",
        by_metro(400.0),
        fails(("metro_ways", "distances", "distance_m", f"{MUSEUM}/{TEMPLE}/metro")),
    ),
    # Rankings
    Case(
        "a place liked by more documents than there are",
        put("poi_popularity", {"context_id": "season:autumn", "rank": 1}, score=1.6),
        fails(("popularity", "poi_popularity", "score", f"season:autumn/{LAKE}")),
    ),
    Case(
        "popularity of another place",
        put("poi_popularity", {"context_id": "any:any", "rank": 4}, poi_id=STREET),
        fails(("popularity", "poi_popularity", "score", f"any:any/{STREET}")),
    ),
    Case(
        "a tag that the document does not give",
        put("poi_tags", {}, tag="recommended"),
        fails(("tagged", "poi_tags", "tag", f"season:autumn/{LAKE}/recommended/{FIRST_SPAN}")),
    ),
    Case(
        "a place that one of two routes lost in autumn",
        tagged_twice(1.2),
        fails(
            *(
                (
                    "tagging_documents",
                    "poi_tags",
                    "context_id",
                    f"season:autumn/{LAKE}/visited/{proof}",
                )
                for proof in (FIRST_SPAN, SECOND_SPAN)
            )
        ),
    ),
    Case(
        "two answers to one question",
        asked_twice("route_en"),
        fails(
            *(
                ("equal_answers", "query_documents", "doc_id", f"{query}/poi/1")
                for query in (GENERIC, f"tprag-{A.slug}-any")
            )
        ),
    ),
    Case(
        "a stop called a place of the tables",
        put("query_pois", {"query_id": GENERIC, "rank": 4}, candidate_source="table"),
        fails(("candidates", "query_pois", "candidate_source", f"{GENERIC}/{MUSEUM}")),
    ),
    Case(
        "a candidate of another score",
        put("query_pois", {"query_id": GENERIC, "rank": 5}, score=14.0),
        fails(("candidates", "query_pois", "score", f"{GENERIC}/{A.poi('hill')}")),
    ),
    Case(
        "a reference of another score",
        put("query_trajectories", {"query_id": GENERIC, "rank": 2}, score=0.7),
        fails(("references_ranked", "query_trajectories", "score", f"{GENERIC}/2")),
    ),
    Case(
        "an inquiry about another place",
        inquiry("无名亭"),
        fails(("inquiries", "sub_queries", "text", f"{GENERIC}/inquiry/1")),
    ),
    Case(
        "a popular place of another date",
        put(
            "poi_popularity", {"context_id": "any:any", "rank": 1}, source_date=dt.date(2025, 1, 1)
        ),
        fails(("popularity", "poi_popularity", "source_date", f"any:any/{LAKE}")),
    ),
    Case(
        "a name on a page that was asked for",
        named_in_an_answer,
        fails(("inquiry_pages", "unlinked_names", "doc_id", f"{A.city_id}/{A.doc('copy')}/1")),
    ),
    Case(
        "a reason with another number",
        put("queries", {"query_id": AUTUMN}, reason="found 1 of 2 trajectories"),
        fails(("counts_in_reasons", "queries", "reason", AUTUMN)),
    ),
    Case(
        "any season called autumn",
        put("contexts", {"context_kind": "any"}, name_zh="秋季"),
        fails(("contexts", "contexts", "name_zh", f"{A.city_id}/any:any")),
    ),
    # Decisions
    Case(
        "a comparison of other rows",
        put("place_decisions", {"comparison_id": NESTED}, comparison_id="cmp_" + "0" * 16),
        fails(("comparisons", "place_decisions", "comparison_id", "cmp_" + "0" * 16)),
    ),
    Case(
        "a decision turned round",
        put("place_decisions", {"comparison_id": NESTED}, verdict="part-of"),
        fails(("comparisons", "place_decisions", "comparison_id", NESTED)),
    ),
    Case(
        "a comparison of another place",
        put("place_decisions", {"comparison_id": APART}, other_poi_id=MUSEUM, name_b="水运博物馆"),
        fails(("comparisons", "place_decisions", "other_poi_id", APART)),
    ),
    Case(
        "a name of another place compared",
        put("place_decisions", {"comparison_id": APART}, name_a="柳岸"),
        fails(("compared_names", "place_decisions", "name_a", APART)),
    ),
    Case(
        "places compared at another distance",
        put("place_decisions", {"comparison_id": NESTED}, distance_m=60.0),
        fails(("compared_distances", "place_decisions", "distance_m", NESTED)),
    ),
    Case(
        "a reason with another distance",
        put("place_decisions", {"comparison_id": APART}, reason="different names, 99 m apart"),
        fails(("compared_distances", "place_decisions", "reason", APART)),
    ),
    Case(
        "two places called merged",
        put("place_decisions", {"comparison_id": APART}, outcome="merged"),
        fails(("outcomes", "place_decisions", "outcome", APART)),
    ),
    Case(
        "part of a place for no reason",
        put("poi_hierarchy", {}, reason="the second adds 塔 to the first (0.85)"),
        fails(("parents", "poi_hierarchy", "reason", CHILD)),
    ),
    Case(
        "surer than the comparison was",
        put("poi_hierarchy", {}, reason="the second adds 钟楼 to the first (0.95)"),
        fails(("parents", "poi_hierarchy", "reason", CHILD)),
    ),
    Case(
        "part of a place that the source does not name",
        _stated("t-2"),
        fails(
            ("parents", "poi_hierarchy", "parent_poi_id", CHILD),
            ("poi_ids", "pois", "poi_id", TEMPLE),
        ),
    ),
    Case(
        "part of a place that the source does not nest",
        _stated("t-1, of m-1"),
        fails(
            ("parents", "poi_hierarchy", "poi_id", CHILD),
            ("poi_ids", "pois", "poi_id", MUSEUM),
            ("poi_ids", "pois", "poi_id", TEMPLE),
        ),
    ),
    Case(
        "ratings of two neighbours exchanged",
        both(
            put("pois", {"poi_id": PARK}, rating=3.9), put("pois", {"poi_id": MUSEUM}, rating=4.1)
        ),
        fails(
            *(
                ("given_values", "poi_origins", "value_hash", f"{poi}/rating")
                for poi in (PARK, MUSEUM)
            )
        ),
        as_read=False,
    ),
    Case(
        "a place ten metres off",
        without_space(put("pois", {"poi_id": A.poi("hill")}, lon=A.lon + 0.0001)),
        fails(("given_values", "poi_origins", "value_hash", f"{A.poi('hill')}/coordinates")),
        as_read=False,
    ),
    Case(
        "a value without its hash",
        put("poi_origins", {"poi_id": PARK, "poi_field": "rating"}, value_hash=None),
        fails(("given_values", "poi_origins", "value_hash", f"{PARK}/rating")),
        as_read=False,
    ),
    Case(
        "a rating that no row gives",
        drop("poi_origins", {"poi_id": PARK, "poi_field": "rating"}),
        fails(("origins", "pois", "rating", PARK)),
    ),
    Case(
        "a type that was lost",
        put("pois", {"poi_id": PARK}, base_type=None),
        fails(("origins", "pois", "base_type", PARK)),
    ),
    Case(
        "a value of another place's row",
        put(
            "poi_origins", {"poi_id": PARK, "poi_field": "rating"}, evidence_id=table_evidence(A, 2)
        ),
        fails(("origins", "poi_origins", "evidence_id", f"{PARK}/rating")),
    ),
    Case(
        "two places of one row",
        both(put("pois", {"poi_id": A.poi("hill")}, evidence_id=table_evidence(A, 12))),
        fails(
            *(("own_rows", "pois", "evidence_id", poi) for poi in (A.poi("hill"), STREET)),
            ("evidence_used", "evidence", "evidence_id", table_evidence(A, 11)),
        ),
    ),
    Case(
        "a document's place of a table's row",
        put("pois", {"poi_id": STREET}, poi_source="document"),
        fails(("own_rows", "pois", "poi_source", STREET)),
    ),
    Case(
        "a category that nothing gives",
        put("pois", {"poi_id": STREET}, category="leisure_recreation"),
        fails(("categories", "pois", "category", STREET)),
    ),
    # Sources
    Case(
        "the neighbour's price",
        put("restaurants", {}, price_cents=9900),
        fails(("read_rows", "restaurants", "read_hash", REST)),
        as_read=False,
    ),
    Case(
        "the title of another document",
        put("documents", {"path": "notes/copy.md"}, title="Bihe route_en"),
        fails(("read_rows", "documents", "read_hash", f"{A.city_id}/{A.doc('copy')}")),
        as_read=False,
    ),
    Case(
        "a hotel that no reader read",
        put("hotels", {}, read_hash=None),
        fails(("read_rows", "hotels", "read_hash", f"hotel_{A.slug}_1")),
        as_read=False,
    ),
    Case(
        "a stop called recommended behind the reader's back",
        put("poi_mentions", {"name": "无名小店"}, role="recommended"),
        fails(("quotes", "poi_mentions", "mention_id", f"{A.doc('route_zh')}/100/{A.city_id}")),
        as_read=False,
    ),
    Case(
        "set aside for another reason",
        put("quarantine", {}, message="latitude 123 is below 90"),
        fails(("quarantine_ids", "quarantine", "quarantine_id", SET_ASIDE)),
    ),
    Case(
        "more parts than the sources name",
        put("findings", {"finding": "sub_attraction"}, n_rows=7),
        fails(("findings", "findings", "n_rows", f"{A.city_id}/attractions/sub_attraction")),
    ),
    Case(
        "two hotels of one line",
        put("hotels", {}, source_line=3),
        fails(*(("lines", "hotels", "source_line", f"hotel_{A.slug}_{n}") for n in (1, 2))),
    ),
    Case(
        "a train of another number",
        put("trains", {}, OUTWARD, train_no="G999"),
        fails(("connection_ids", "trains", "train_id", TRAIN)),
    ),
    Case(
        "two documents of one path",
        put("documents", {"path": "notes/copy.md"}, path="notes/route_en.md"),
        fails(
            *(
                ("paths", "documents", "path", f"{A.city_id}/{A.doc(d)}")
                for d in ("copy", "route_en")
            )
        ),
    ),
    Case(
        "a finding in the words of another",
        put("findings", COORDINATES, message="rows without coordinates; kept"),
        fails(("findings", "findings", "message", f"{A.city_id}/hotels/coordinates")),
    ),
    Case(
        "a finding that nobody looked for",
        drop("findings", COORDINATES),
        fails(("findings", "findings", "finding", f"{A.city_id}/hotels/coordinates")),
    ),
    Case(
        "a finding that quarantine does not show",
        put("findings", COORDINATES, n_rows=3),
        fails(("findings", "findings", "n_rows", f"{A.city_id}/hotels/coordinates")),
    ),
    Case(
        "a set-aside row of another line",
        put("quarantine", {}, source_line=8),
        fails(("set_aside_rows", "quarantine", "source_line", SET_ASIDE)),
    ),
    Case(
        "a set-aside row of nothing",
        put("quarantine", {}, payload="{}"),
        fails(("set_aside_rows", "quarantine", "payload", SET_ASIDE)),
    ),
    Case(
        "a set-aside fact about another one",
        set_aside(message="season of '有名'"),
        fails(("set_aside_rows", "quarantine", "payload", TAG_ROW)),
    ),
    Case(
        "a fact on a condition set aside without saying why",
        set_aside(**CHILD_WITHOUT_WHY),
        fails(
            ("set_aside_rows", "quarantine", "payload", CHILD_WITHOUT_WHY["quarantine_id"]),
        ),
    ),
    Case(
        "a stage without an account",
        drop("stage_counts", {"stage": "mentions"}),
        fails(("chain", "stage_counts", "stage", f"{A.city_id}/mentions/poi_mentions")),
    ),
    Case(
        "rows lost between two stages",
        put("stage_counts", {"stage": "documents"}, rows_in=4, rows_kept=4),
        fails(("chain", "stage_counts", "rows_in", f"{A.city_id}/control/documents")),
    ),
    Case(
        "a trajectory under another id",
        _renamed_trip,
        fails(("trajectory_ids", "trajectories", "trajectory_id", RENAMED)),
    ),
]
