"""Ways to break trajectories, queries, transport and the accounts of a build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schemas.ids import canonical_json, quarantine_id
from tests.counterexamples import good
from tests.counterexamples.breaking import Case, Change, add, both, drop, every, find, put, recount
from tests.counterexamples.broken_places import HALL, REST, SET_ASIDE
from tests.counterexamples.broken_structure import GENERIC, HOTEL, HOTEL_ROW, fails
from tests.counterexamples.good import (
    PLACES,
    PROFILE,
    A,
    B,
    Book,
    Row,
    Town,
    connection_id,
    span_evidence,
    trajectory_id,
)
from tests.counterexamples.good_texts import SAID_AT

TRIP, EN_TRIP = trajectory_id(A, "route_zh"), trajectory_id(A, "route_en")
ANY_DAYS, AUTUMN = f"tprag-{A.slug}-any", f"tprag-{A.slug}-autumn-2d"
ASKED = f"traveleval-{A.slug}-easy-2d-01"
OUTWARD = f"{A.slug}--{B.slug}"
TRAIN, FLIGHT = connection_id(A, B), connection_id(A, B, "XX101")
TABLES_ACCOUNT = {"stage": "tables", "table": "hotels"}
ACCOUNT_KEY = f"{A.city_id}/tables/hotels"


def settings_with(**profile: Any) -> Row:
    """Settings in which one city's profile asks for something else."""
    return {
        "cities": {
            A.slug: {"profile": {**PROFILE, **profile}},
            B.slug: {"profile": PROFILE},
        }
    }


def _trip(column: str, where: int, **values: Any) -> Change:
    """A change of one visit or edit of a trajectory."""

    def change(book: Book) -> None:
        find(book, "trajectories", trajectory_id=TRIP)[column][where] |= values

    return change


def _said(change_of: Callable[[Row], None]) -> Change:
    """A change of a trajectory, which the document's mentions say too."""

    def change(book: Book) -> None:
        row = find(book, "trajectories", trajectory_id=TRIP)
        said = {visit["evidence_id"]: number for number, visit in enumerate(row["noisy_visits"])}
        change_of(row)
        for mention in book["poi_mentions"][A.slug]:
            number = said.get(mention["evidence_id"])
            if number is not None:
                visit, edit = row["noisy_visits"][number], row["edits"][number]
                mention |= {"day": visit["day"], "order": visit["order"]}
                mention["poi_id"] = edit.get("poi_id") or mention["poi_id"]
        for poi in book["pois"][A.slug]:
            named = [m for m in book["poi_mentions"][A.slug] if m["poi_id"] == poi["poi_id"]]
            poi |= {"n_mentions": len(named), "n_documents": len({m["doc_id"] for m in named})}

    return change


def _trip_lists(change_of: Callable[[Row], None]) -> Change:
    """A change of the noisy visits, clean visits and edits of a trajectory."""

    def change(book: Book) -> None:
        row = find(book, "trajectories", trajectory_id=TRIP)
        change_of(row)

    return change


def _lost_edit(row: Row) -> None:
    del row["edits"][3]


def _empty_second_day(row: Row) -> None:
    """The second day becomes the third, everywhere."""
    for visit in (*row["noisy_visits"], *row["clean_visits"], *row["edits"]):
        visit["day"] = 3 if visit["day"] == 2 else visit["day"]


def _a_day_earlier(row: Row) -> None:
    for visit in (*row["noisy_visits"], *row["clean_visits"], *row["edits"]):
        visit["day"] -= 1


def _unaccounted(book: Book) -> None:
    book["restaurants"][A.slug].pop()


def _first_day_only(row: Row) -> None:
    for number, visit in enumerate(row["noisy_visits"], 1):
        visit |= {"day": 1, "order": number}
    for number, edit in enumerate(row["edits"], 1):
        edit |= {"day": 1, "order": number}
    for number, visit in enumerate(row["clean_visits"], 1):
        visit |= {"day": 1, "order": number}
    row["n_trip_days"] = 1


def _one_stop_less(row: Row) -> None:
    row["edits"][0] |= {"op": "remove", "poi_id": None}
    del row["clean_visits"][0]
    row["clean_visits"][0]["order"] = 1
    row["n_visits"] = 2


def _skipped_order(row: Row) -> None:
    row["noisy_visits"][1]["order"] = row["edits"][1]["order"] = 3


def _swapped_stops(row: Row) -> None:
    first, second, *rest = row["clean_visits"]
    row["clean_visits"] = [second, first, *rest]


def _invented_stop(row: Row) -> None:
    stop = {"day": 2, "order": 2, "poi_id": A.poi("museum"), "name": PLACES["museum"][0]}
    row["clean_visits"].append(stop)
    row["n_visits"] = 4


def _stops(*names: str | None, town: Town = A) -> Callable[[Row], None]:
    """Clean stops at other places, by edits that say so."""

    def change(row: Row) -> None:
        for number, name in enumerate(names):
            if name is None:
                continue
            poi = town.poi(name)
            row["clean_visits"][number] |= {"poi_id": poi, "name": PLACES[name][0]}
            row["edits"][number]["poi_id"] = poi

    return change


def _other_words(row: Row) -> None:
    row["noisy_visits"][0]["name"] = row["edits"][0]["name"] = "月影大湖"


def _gaps(first: int) -> Change:
    """The difference of length as the trajectory in the first rank now has it."""
    return put("query_trajectories", {"query_id": GENERIC, "rank": 1}, length_gap_days=first)


def _plan(query_id: str, **values: Any) -> Change:
    """Other values of a query, in its columns and its structure."""

    def change(book: Book) -> None:
        row = find(book, "queries", query_id=query_id)
        row |= values
        row["structure"] = canonical_json(
            {
                "city": A.city_id, "constraint": row["constraint_code"],
                "constraint_kind": row["constraint_kind"], "days": row["n_days"],
            }
        )  # fmt: skip

    return change


def _moved_visit(book: Book) -> None:
    find(book, "query_pois", query_id=GENERIC, poi_id=A.poi("museum"))["poi_id"] = HALL


def without_rankings(change: Change) -> Change:
    """The change, with nothing ranked beside it: no query has a route any more."""

    def changed(book: Book) -> None:
        change(book)
        for table in (
            "context_tags",
            "poi_popularity",
            "poi_tags",
            "query_trajectories",
            "trajectory_scores",
        ):
            book[table][A.slug] = []
            recount(book, table, A.slug)
        book["evidence"][A.slug] = [
            r for r in book["evidence"][A.slug] if r.get("start") != SAID_AT
        ]
        recount(book, "evidence", A.slug)
        for query in book["queries"][A.slug]:
            if query["family"] == "tprag":
                query |= {
                    "n_trajectories": 0, "status": "pending_documents",
                    "reason": "found 0 of 2 trajectories",
                }  # fmt: skip

    return changed


#: What is asked of a city whose queries wait for documents.
_NO_ROUTES = settings_with(families=["traveleval"])


def _nowhere(book: Book) -> None:
    """No train or flight, and none of what is asked and planned of them."""
    for table in ("trains", "flights", "witness_plans"):
        for rows in book[table].values():
            rows.clear()
    for rows in book["queries"].values():
        rows[:] = [row for row in rows if row["family"] != "traveleval"]
    for rows in book["query_pois"].values():
        rows[:] = [row for row in rows if not row["query_id"].startswith("traveleval")]
    for table in ("witness_plans", "queries", "query_pois"):
        for where in book[table]:
            recount(book, table, where)


def _query(**match: Any) -> Row:
    return {"query_id": GENERIC, **match}


_ROOM = {"room_type": "king", "price_cents": 30_000, "stock": 1}
_TEXT = {"query_id": GENERIC}


def _naming(hotel: str, **other: object) -> str:
    """The structure of the generic query, with a hotel that it names."""
    wish = {"kind": "hotel_name", "mode": "all", "values": [hotel], "amount": None}
    return canonical_json({"days": 3, "constraints": [wish], "objectives": [], **other})


#: A query that came from a file and was understood as a whole.
_GIVEN = {"given_file": "mine.csv", "given_line": 2, "understanding": "whole", "not_understood": []}

CASES = [
    # Trajectories
    Case(
        "a day on which nothing is seen",
        _said(_empty_second_day),
        fails(("trajectory_days", "trajectories", "clean_visits", TRIP)),
    ),
    Case(
        "a route of one day",
        both(_said(_first_day_only), _gaps(2)),
        fails(("trajectory_days", "trajectories", "clean_visits", TRIP)),
    ),
    Case(
        "a route of two stops",
        _trip_lists(_one_stop_less),
        fails(("trajectory_days", "trajectories", "clean_visits", TRIP)),
    ),
    Case(
        "an order left out",
        _said(_skipped_order),
        fails(("trajectory_order", "trajectories", "noisy_visits", TRIP)),
    ),
    # Clean is what the edits make: other stops there are other edits.
    Case(
        "stops in another order",
        _trip_lists(_swapped_stops),
        fails(
            ("trajectory_order", "trajectories", "clean_visits", TRIP),
            ("trajectory_edits", "trajectories", "clean_visits", TRIP),
        ),
    ),
    Case(
        "an edit lost",
        _trip_lists(_lost_edit),
        fails(("trajectory_edits", "trajectories", "edits", TRIP)),
    ),
    Case(
        "an edit of no kind",
        _trip("edits", 3, op="drop"),
        fails(("trajectory_edits", "trajectories", "edits", TRIP)),
    ),
    Case(
        "an edit of another stop",
        _trip("edits", 0, name="古松寺"),
        fails(("trajectory_edits", "trajectories", "edits", TRIP)),
    ),
    Case(
        "a stop that no edit made",
        _trip_lists(_invented_stop),
        fails(("trajectory_edits", "trajectories", "clean_visits", TRIP)),
    ),
    Case(
        "stops counted with the removed",
        put("trajectories", {"trajectory_id": TRIP}, n_visits=4),
        fails(("trajectory_counts", "trajectories", "n_visits", TRIP)),
    ),
    Case(
        "days counted wrong",
        both(put("trajectories", {"trajectory_id": TRIP}, n_trip_days=3), _gaps(0)),
        fails(("trajectory_counts", "trajectories", "n_trip_days", TRIP)),
    ),
    Case(
        "a clean stop in the document's words",
        _trip("clean_visits", 2, name="柳岸"),
        fails(("trajectory_places", "trajectories", "clean_visits", TRIP)),
    ),
    Case(
        "a stop in the other city",
        _trip_lists(_stops("lake", town=B)),
        fails(
            ("trajectory_places", "trajectories", "clean_visits", TRIP),
            ("trajectory_mentions", "trajectories", "edits", TRIP),
            *(
                ("visits_are_candidates", "query_trajectories", "trajectory_id", f"{q}/1")
                for q in (GENERIC, ANY_DAYS)
            ),
        ),
    ),
    Case(
        "a route that no map knows",
        _said(_stops(None, "street", "street")),
        fails(("trajectory_located", "trajectories", "clean_visits", TRIP)),
    ),
    Case(
        "a stop in other words",
        _trip_lists(_other_words),
        fails(("trajectory_evidence", "trajectories", "noisy_visits", TRIP)),
    ),
    Case(
        "a stop of another document",
        _trip("noisy_visits", 0, evidence_id=span_evidence(A, "route_en", 70, 14)),
        fails(("trajectory_evidence", "trajectories", "noisy_visits", TRIP)),
    ),
    Case(
        "a stop without evidence",
        _trip("noisy_visits", 0, evidence_id="ev_" + "0" * 20),
        fails(("trajectory_evidence", "trajectories", "noisy_visits", TRIP)),
    ),
    Case(
        "a stop on another day than its mention",
        put("poi_mentions", {"name": "月影湖"}, day=2),
        fails(("trajectory_mentions", "trajectories", "noisy_visits", TRIP)),
    ),
    Case(
        "a stop at another place than its mention",
        _trip_lists(_stops("temple")),
        fails(("trajectory_mentions", "trajectories", "edits", TRIP)),
    ),
    # Enough, and counted right
    Case(
        "too few trajectories",
        None,
        fails(*(("enough", "queries", "n_trajectories", q) for q in (GENERIC, ANY_DAYS))),
        settings=settings_with(trajectories={**PROFILE["trajectories"], "per_query": 3}),
    ),
    Case(
        "too few candidates",
        None,
        fails(*(("enough", "queries", "n_candidates", q) for q in (GENERIC, ANY_DAYS))),
        settings=settings_with(candidates={"per_query": 6, "maximum_per_query": 5}),
    ),
    Case(
        "waiting for nothing",
        None,
        fails(("enough", "queries", "status", AUTUMN)),
        settings=settings_with(
            candidates={"per_query": 0, "maximum_per_query": 5},
            trajectories={**PROFILE["trajectories"], "per_query": 0},
        ),
    ),
    Case(
        "a candidate that nobody counted",
        put("queries", _query(), n_candidates=4),
        fails(("counted", "queries", "n_candidates", GENERIC)),
    ),
    Case(
        "a trajectory counted twice",
        put("queries", _query(), n_trajectories=3),
        fails(("counted", "queries", "n_trajectories", GENERIC)),
    ),
    Case(
        "a family without a query",
        None,
        fails(("kept_queries", "queries", "status", f"{A.slug}/triptailor")),
        settings=settings_with(families=["tprag", "triptailor"]),
    ),
    Case(
        "a family that begins elsewhere, without a journey",
        _nowhere,
        fails(
            ("pending_cities", "queries", "status", f"{A.slug}/triptailor"),
            ("pending_cities", "queries", "status", f"{B.slug}/traveleval"),
        ),
        settings=settings_with(families=["tprag", "triptailor"]),
    ),
    Case(
        "kept for a reason",
        put("queries", _query(), reason="found 2 of 2"),
        fails(("reasons", "queries", "reason", GENERIC)),
    ),
    Case(
        "waiting without a reason",
        put("queries", {"query_id": AUTUMN}, reason=None),
        fails(("reasons", "queries", "reason", AUTUMN)),
    ),
    # Ranks
    Case(
        "a candidate's rank left out",
        put("query_pois", _query(rank=5), rank=6),
        fails(("ranks", "query_pois", "rank", f"{GENERIC}/{A.poi('hill')}")),
    ),
    Case(
        "candidates that begin with two",
        put("query_pois", _query(rank=1), rank=6, score=0.5),
        fails(*(("ranks", "query_pois", "rank", f"{GENERIC}/{A.poi(n)}") for n in good.CANDIDATES)),
    ),
    Case(
        "a better one further down",
        put("query_pois", _query(rank=3), score=640.0),
        fails(("ranks", "query_pois", "score", f"{GENERIC}/{A.poi('temple')}")),
    ),
    Case(
        "a trajectory's rank left out",
        put("query_trajectories", _query(rank=2), rank=3),
        fails(("ranks", "query_trajectories", "rank", f"{GENERIC}/3")),
    ),
    Case(
        "a better document further down",
        put("query_documents", _query(purpose="route", rank=2), score=8.5),
        fails(("ranks", "query_documents", "score", f"{GENERIC}/route/2")),
    ),
    Case(
        "a sub-query's rank left out",
        put("sub_queries", _query(purpose="route", rank=2), rank=4),
        fails(("ranks", "sub_queries", "rank", f"{GENERIC}/route/4")),
    ),
    # Queries and their trajectories
    Case(
        "a stop that is no candidate",
        _moved_visit,
        fails(("visits_are_candidates", "query_trajectories", "trajectory_id", f"{GENERIC}/2")),
    ),
    Case(
        "a gap that is none",
        put("query_trajectories", _query(rank=1), length_gap_days=0),
        fails(("length_gaps", "query_trajectories", "length_gap_days", f"{GENERIC}/1")),
    ),
    Case(
        "a gap to no length",
        put("query_trajectories", {"query_id": ANY_DAYS, "rank": 1}, length_gap_days=0),
        fails(("length_gaps", "query_trajectories", "length_gap_days", f"{ANY_DAYS}/1")),
    ),
    Case(
        "one trajectory twice",
        put("query_trajectories", _query(rank=2), trajectory_id=TRIP),
        fails(
            *(
                ("trajectory_once", "query_trajectories", "trajectory_id", f"{GENERIC}/{rank}")
                for rank in (1, 2)
            )
        ),
    ),
    Case(
        "a document that another query's search found",
        put("query_documents", _query(purpose="poi"), sub_query_id="sq_0123456789abcdef"),
        fails(("asked_for", "query_documents", "sub_query_id", f"{GENERIC}/poi/1")),
    ),
    Case(
        "documents that nobody asked for",
        drop("sub_queries", _query(purpose="poi")),
        fails(("asked_for", "query_documents", "purpose", f"{GENERIC}/poi/1")),
    ),
    Case(
        "a sub-query in other words",
        put("sub_queries", _query(purpose="poi"), text="美食"),
        fails(("sub_query_ids", "sub_queries", "sub_query_id", f"{GENERIC}/poi/1")),
    ),
    # Texts and plans
    Case(
        "a text about the other city",
        put("queries", _TEXT, text_zh="去松林玩三天"),
        fails(("texts", "queries", "text_zh", GENERIC)),
    ),
    Case(
        "an English text about the other city",
        put("queries", _TEXT, text_en="3-day trip in Songlin"),
        fails(("texts", "queries", "text_en", GENERIC)),
    ),
    Case(
        "a text with other days",
        put("queries", _TEXT, text_zh="碧河四日游"),
        fails(("texts", "queries", "text_zh", GENERIC)),
    ),
    Case(
        "thirteen days for three",
        put("queries", _TEXT, text_en="13-day trip in Bihe"),
        fails(("texts", "queries", "text_en", GENERIC)),
    ),
    Case(
        "four days as a word for three",
        put("queries", _TEXT, text_en="A four-day trip in Bihe"),
        fails(("texts", "queries", "text_en", GENERIC)),
    ),
    Case(
        "days as a word that nobody asked for",
        put("queries", {"query_id": ANY_DAYS}, text_en="Three days in Bihe"),
        fails(("texts", "queries", "text_en", ANY_DAYS)),
    ),
    Case(
        "ten and three days for three",
        put("queries", _TEXT, text_zh="碧河十三日游"),
        fails(("texts", "queries", "text_zh", GENERIC)),
    ),
    Case(
        "days that nobody asked for",
        put("queries", {"query_id": ANY_DAYS}, text_zh="碧河五日游", text_en="5-day trip in Bihe"),
        fails(("texts", "queries", "text_zh", ANY_DAYS), ("texts", "queries", "text_en", ANY_DAYS)),
    ),
    Case(
        "a text of another season",
        put(
            "queries",
            {"query_id": AUTUMN},
            text_zh="碧河冬季两日游",
            text_en="2-day trip in Bihe in winter",
        ),
        fails(("texts", "queries", "text_zh", AUTUMN), ("texts", "queries", "text_en", AUTUMN)),
    ),
    # Queries from outside
    Case(
        "a planned query that was not understood",
        put("queries", _TEXT, not_understood=["碧河"]),
        fails(("given_queries", "queries", "given_file", GENERIC)),
    ),
    Case(
        "a query from outside of which nobody knows how much was understood",
        put("queries", _TEXT, **_GIVEN | {"understanding": None}),
        fails(("given_queries", "queries", "understanding", GENERIC)),
    ),
    Case(
        "a whole query with a part that was not understood",
        put("queries", _TEXT, **_GIVEN | {"not_understood": ["碧河"]}),
        fails(("given_queries", "queries", "understanding", GENERIC)),
    ),
    Case(
        "not understood what nobody said",
        put(
            "queries", _TEXT, **_GIVEN | {"understanding": "partly", "not_understood": ["坐热气球"]}
        ),
        fails(("given_queries", "queries", "not_understood", GENERIC)),
    ),
    Case(
        "an English text that is missing",
        put("queries", _TEXT, text_en=None),
        fails(("texts", "queries", "text_en", GENERIC)),
    ),
    Case(
        "an English text that is missing though all it names has an English name",
        put(
            "queries",
            _TEXT,
            text_en=None,
            structure=_naming("碧河客栈", names_en={"碧河客栈": "Bihe Inn"}),
        ),
        fails(("texts", "queries", "text_en", GENERIC)),
    ),
    Case(
        "a query from outside without words",
        put("queries", _TEXT, **_GIVEN, text_zh=None, text_en=None),
        fails(("given_queries", "queries", "text_zh", GENERIC)),
    ),
    Case(
        "a constraint of no taxonomy",
        _plan(AUTUMN, constraint_code="monsoon"),
        fails(
            ("constraints", "queries", "constraint_code", AUTUMN),
            ("strata", "queries", "stratum", AUTUMN),
        ),
    ),
    Case(
        "a generic query with a season",
        _plan(ANY_DAYS, constraint_code="autumn"),
        fails(
            ("constraints", "queries", "constraint_code", ANY_DAYS),
            ("strata", "queries", "stratum", ANY_DAYS),
        ),
    ),
    Case(
        "a season without a name",
        _plan(AUTUMN, constraint_code=None),
        fails(
            ("constraints", "queries", "constraint_code", AUTUMN),
            ("strata", "queries", "stratum", AUTUMN),
        ),
    ),
    Case(
        "a plan that is no JSON",
        put("queries", _query(), structure="{days: 3}"),
        fails(("structure", "queries", "structure", GENERIC)),
    ),
    Case(
        "a plan that is a list",
        put("queries", _query(), structure="[3]"),
        fails(("structure", "queries", "structure", GENERIC)),
    ),
    Case(
        "a plan of other days",
        put("queries", _query(), structure='{"days":4}'),
        fails(("structure", "queries", "structure", GENERIC)),
    ),
    Case(
        "a plan of another season",
        put("queries", {"query_id": AUTUMN}, structure='{"constraint":"winter","days":2}'),
        fails(("structure", "queries", "structure", AUTUMN)),
    ),
    Case(
        "one text for two queries",
        put("queries", {"query_id": ASKED}, text_zh="碧河秋季两日游"),
        fails(*(("structure", "queries", "text_zh", q) for q in (ASKED, AUTUMN))),
    ),
    Case(
        "near-duplicates in two splits",
        put("queries", {"query_id": ANY_DAYS}, split="test"),
        fails(*(("splits", "queries", "split", q) for q in (GENERIC, ANY_DAYS))),
    ),
    # Transport, hotels
    Case(
        "a train that arrives before it leaves",
        put("trains", {}, OUTWARD, arrival_day_offset=0),
        fails(("clocks", "trains", "duration_min", TRAIN)),
    ),
    Case(
        "a flight an hour too long",
        put("flights", {}, OUTWARD, duration_min=130),
        fails(("clocks", "flights", "duration_min", FLIGHT)),
    ),
    Case(
        "a train to where it starts",
        put("trains", {}, OUTWARD, destination_station=f"{A.zh}站"),
        fails(("clocks", "trains", "destination_station", TRAIN)),
    ),
    Case(
        "a fast train of two days",
        put("trains", {}, OUTWARD, arrival_day_offset=2, duration_min=1510),
        fails(("clocks", "trains", "duration_min", TRAIN)),
    ),
    Case(
        "a room of no type",
        put("hotels", HOTEL_ROW, rooms=[{**_ROOM, "room_type": "大床房"}]),
        fails(("rooms", "hotels", "room_type", HOTEL)),
    ),
    Case(
        "a room type twice",
        put("hotels", HOTEL_ROW, rooms=[_ROOM, {**_ROOM, "stock": 2}]),
        fails(("rooms", "hotels", "room_type", HOTEL)),
    ),
    Case(
        "a room for nothing",
        put("hotels", HOTEL_ROW, rooms=[{**_ROOM, "price_cents": 0}]),
        fails(("rooms", "hotels", "price_cents", HOTEL)),
    ),
    Case(
        "fewer rooms than none",
        put("hotels", HOTEL_ROW, rooms=[{**_ROOM, "stock": -1}]),
        fails(("rooms", "hotels", "stock", HOTEL)),
    ),
    Case(
        "a cuisine of no tag set",
        put("restaurants", {}, cuisine="小吃"),
        fails(("tags_known", "restaurants", "cuisine", REST)),
    ),
    # Accounts
    Case(
        "a row that came in and went nowhere",
        put("stage_counts", TABLES_ACCOUNT, rows_in=41),
        fails(("accounts", "stage_counts", "rows_in", ACCOUNT_KEY)),
    ),
    Case(
        "a row lost on the way to the disk",
        _unaccounted,
        fails(("published_rows", "stage_counts", "rows_kept", f"{A.city_id}/control/restaurants")),
    ),
    Case(
        "a quarantined row that cannot be looked at",
        drop("quarantine", {}),
        fails(("quarantine_counts", "stage_counts", "rows_quarantined", ACCOUNT_KEY)),
    ),
    Case(
        "a quarantined row of no account",
        add(
            "quarantine",
            {},
            quarantine_id=quarantine_id(
                A.city_id,
                "pois",
                "hotels",
                "hotels.csv:9",
                "limits",
                "latitude 123 is above 90",
                '{"lat":"123"}',
            ),
            stage="pois",
        ),
        fails(
            ("quarantine_counts", "stage_counts", "rows_quarantined", f"{A.city_id}/pois/hotels")
        ),
    ),
    Case(
        "too much set aside",
        None,
        fails(("quarantine_share", "stage_counts", "rows_quarantined", ACCOUNT_KEY)),
        settings=settings_with(gates={"quarantine_share": 0.02}),
    ),
    Case(
        "a table without an account",
        drop("stage_counts", {"stage": "control", "table": "pois"}),
        fails(("published_rows", "stage_counts", "table", f"{A.city_id}/control/pois")),
    ),
    Case(
        "set aside without a word",
        put("quarantine", {}, message=" "),
        fails(("quarantine_words", "quarantine", "message", SET_ASIDE)),
    ),
    Case(
        "a rejected snapshot passed on",
        put("gates", {}, None, passed=False, n_failed=2),
        fails(("stored_verdicts", "gates", "passed", "files")),
    ),
    Case(
        "a verdict that contradicts itself",
        put("gates", {}, None, n_failed=2),
        fails(("stored_verdicts", "gates", "n_failed", "files")),
    ),
]

NEAR_MISSES = [
    Case(
        "a season in another word",
        put(
            "queries",
            {"query_id": AUTUMN},
            text_zh="碧河两日游赏红叶",
            text_en="A 2-day trip to see fall foliage in Bihe",
        ),
    ),
    Case(
        "a stop at an unlocated place",
        without_rankings(_said(_stops(None, "street"))),
        settings=_NO_ROUTES,
    ),
    Case("a route that begins on day zero", _said(_a_day_earlier)),
    Case(
        "the same place twice in a route",
        without_rankings(_said(_stops(None, "lake"))),
        settings=_NO_ROUTES,
    ),
    Case(
        "exactly as many candidates as asked for",
        None,
        settings=settings_with(candidates={"per_query": 5, "maximum_per_query": 5}),
    ),
    Case(
        "candidates of equal score",
        both(put("pois", {"poi_id": A.poi("museum")}, rating=4.7), good.as_ranked),
    ),
    Case(
        "scores below zero",
        every(
            "query_documents",
            lambda row: {"score": row["score"] - (100 if row["purpose"] == "poi" else 0)},
        ),
    ),
    Case(
        "a query from outside, understood in part",
        put("queries", _TEXT, **_GIVEN | {"understanding": "partly", "not_understood": ["三日游"]}),
    ),
    Case(
        "no English text where a place has no English name",
        put("queries", _TEXT, text_en=None, structure=_naming("碧河客栈")),
    ),
    Case("three days as a word", put("queries", _TEXT, text_zh="去碧河玩三天")),
    Case("three days as an English word", put("queries", _TEXT, text_en="Three days in Bihe")),
    Case("two days by either word", put("queries", {"query_id": AUTUMN}, text_zh="碧河秋季二日游")),
    Case(
        "a season with a name of digits",
        put("queries", _TEXT, text_en="3 day trip in Bihe, 1990s style"),
    ),
    Case(
        "a split of its own for another constraint",
        put("queries", {"query_id": AUTUMN}, split="test"),
    ),
    Case(
        "a train of a minute before midnight",
        put(
            "trains",
            {},
            OUTWARD,
            departure_min=1439,
            arrival_min=1,
            duration_min=2,
            train_id=connection_id(A, B, left=1439, minutes=2),
        ),
    ),
    Case(
        "a fast train of a whole day",
        put(
            "trains",
            {},
            OUTWARD,
            departure_min=30,
            arrival_min=30,
            duration_min=1440,
            train_id=connection_id(A, B, left=30, minutes=1440),
        ),
    ),
    Case(
        "a slow train of two days",
        put(
            "trains",
            {},
            OUTWARD,
            train_no="K123",
            arrival_day_offset=2,
            duration_min=1510,
            train_id=connection_id(A, B, "K123", minutes=1510),
        ),
    ),
    Case("a train that is not sold", put("trains", {}, OUTWARD, price_cents=None, currency=None)),
    Case(
        "a room at ten yuan",
        put("hotels", HOTEL_ROW, rooms=[{**_ROOM, "price_cents": 1_000, "stock": None}]),
    ),
    Case("a cuisine that nobody knows", put("restaurants", {}, cuisine=None)),
    Case(
        "just as much set aside as allowed",
        None,
        settings=settings_with(gates={"quarantine_share": 0.025}),
    ),
    Case("a failed warning", put("gates", {}, None, severity="warning", passed=False, n_failed=1)),
]
