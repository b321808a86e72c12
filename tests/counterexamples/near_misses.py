"""What looks like a fault and is none; and for each gate one that it must let pass."""

from __future__ import annotations

from typing import Any

from schemas.ids import digest, span_evidence_id, text_sha256
from schemas.taxonomy import CONSTRAINTS
from tests.counterexamples.breaking import (
    Case,
    Change,
    add,
    both,
    drop,
    every,
    put,
    recount,
    rewritten,
)
from tests.counterexamples.broken_derived import (
    APART,
    CHILD_ASIDE,
    CHILD_BY_RULES,
    asked_twice,
    by_metro,
    inquiry,
    set_aside,
    tagged_twice,
)
from tests.counterexamples.broken_queries import AUTUMN, TABLES_ACCOUNT, TRIP, settings_with
from tests.counterexamples.broken_structure import LAKE, PARK, STREET, TEMPLE
from tests.counterexamples.good import A, B, Book, fact_id, span_evidence


def _named_again(book: Book) -> None:
    """The document names a park once more, outside any day, and nobody knows which."""
    end = 152
    proof = span_evidence_id(A.city_id, A.doc("route_zh"), 150, end)
    add(
        "evidence", {"start": 40}, evidence_id=proof, start=150, end=end,
        quote_sha256=text_sha256("柳岸"),
    )(book)  # fmt: skip
    add(
        "poi_mentions", {"name": "无名小店"}, start=150,
        end=end, name="柳岸", role="recommended", day=None, order=None, evidence_id=proof,
    )(book)  # fmt: skip


def _second_season() -> Change:
    """Two facts that one sentence supports."""
    proof = span_evidence(A, "route_en", 260, 5)
    made = digest(LAKE, "season", "always", "spring", proof)
    fact = {"fact_id": fact_id(A, "park", "season")}
    return add("poi_facts", fact, fact_id=f"f_{made}", poi_id=LAKE, value="spring")


def _edited(book: Book) -> None:
    row = next(r for r in book["trajectories"][A.slug] if r["trajectory_id"] == TRIP)
    row["edits"][3]["reason"] = "closed for good"


def _shorter_trip(book: Book) -> None:
    """Another trip of a document, the first without its last stop, under the id of its stops."""
    first = next(row for row in book["trajectories"][A.slug] if row["trajectory_id"] == TRIP)
    noisy = first["noisy_visits"][:-1]
    named = (A.city_id, first["doc_id"], *(visit["evidence_id"] for visit in noisy))
    book["trajectories"][A.slug].append(
        {
            **first,
            "trajectory_id": f"tr_{digest(*named)}",
            "noisy_visits": noisy,
            "edits": first["edits"][:-1],
        }
    )
    recount(book, "trajectories", A.slug)


def _winter() -> dict[str, Any]:
    term = next(term for term in CONSTRAINTS["season"] if term.code == "winter")
    return {
        "context_id": "season:winter", "context_code": "winter", "name_zh": term.zh,
        "name_en": term.en,
    }  # fmt: skip


_OTHER_WORDS = "杭州 园林"
NEAR_MISSES = [
    # Files and structure
    Case(
        "a file with a writer's notes",
        None,
        on_files=rewritten("pois", lambda t: t.replace_schema_metadata({b"made": b"elsewhere"})),
    ),
    Case(
        "published figures by another writer",
        None,
        on_files=rewritten("queue_parameters", lambda t: t, None),
    ),
    Case("a column that may be null and never is", every("hotels", lambda row: {"name_en": "Inn"})),
    Case(
        "a twin under a key of its own",
        add("restaurants", {}, restaurant_id="rest_twin", source_line=50),
    ),
    Case(
        "ids that sort by letters",
        add("restaurants", {}, restaurant_id=f"rest_{A.slug}_10", source_line=51),
    ),
    Case(
        "a number beyond counting",
        add("city_stats", {}, metric="temperature", unit="degree", metric_value=1e300),
    ),
    Case("a hash of nines", put("evidence", {"start": 220}, quote_sha256="9" * 64)),
    Case(
        "one document about two cities",
        add("documents", {}, doc_id=B.doc("route_zh"), path="notes/both.md"),
    ),
    # Links
    Case("a name of nowhere", add("unlinked_names", {}, name_number=99, unlinked_as="unknown")),
    # Places
    Case(
        "a place of another provider",
        put("pois", {"poi_id": A.poi("hill")}, coordinate_provider="gazetteer"),
    ),
    Case(
        "a place in two others",
        both(
            add("poi_hierarchy", {}, parent_poi_id=PARK, reason="said by hand"),
            put("findings", {"finding": "sub_attraction"}, n_rows=2),
        ),
    ),
    Case(
        "a station of two lines",
        add("metro_stations", {"sequence": 2}, line="2号线", sequence=1, source_line=7),
    ),
    Case(
        "merged into another one", put("pois", {"poi_id": A.poi("old_lake")}, superseded_by=TEMPLE)
    ),
    Case("a second alias of one row", add("poi_aliases", {"alias": "镜湖"}, alias="镜泊")),
    Case("a temple of no type", put("pois", {"poi_id": STREET}, category="religious_spiritual")),
    Case("a comparison fewer", drop("place_decisions", {"comparison_id": APART})),
    Case(
        "compared under an alias", put("place_decisions", {"comparison_id": APART}, name_a="镜湖")
    ),
    Case(
        "a reason without a distance",
        put("place_decisions", {"comparison_id": APART}, reason="different names"),
    ),
    Case(
        "alike, and kept apart",
        put("place_decisions", {"comparison_id": APART}, verdict="same", score=0.83),
    ),
    Case("part of a place by hand", put("poi_hierarchy", {}, reason="said by hand")),
    # Texts
    Case(
        "a span to the document's end", put("documents", {"path": "notes/route_en.md"}, n_chars=285)
    ),
    Case("evidence of two facts", _second_season()),
    Case("a place named outside any day", _named_again),
    Case(
        "two copies of one document",
        add("documents", {"path": "notes/copy.md"}, doc_id="d" + "0" * 20, path="notes/copy2.md"),
    ),
    Case(
        "another context of the taxonomy", add("contexts", {"context_kind": "season"}, **_winter())
    ),
    Case("an edit for another reason", _edited),
    Case("another trip of a document", _shorter_trip),
    Case(
        "a description that a model wrote",
        put("context_tags", {}, description="A quiet park with bridges.", tagged_by="model"),
    ),
    Case(
        "a stop that was only recommended",
        put("poi_mentions", {"name": "柳岸"}, role="recommended"),
    ),
    # Queries
    Case("a family that nobody asked for", None, settings=settings_with(families=["tprag"])),
    Case(
        "waiting for another reason",
        put("queries", {"query_id": AUTUMN}, reason="no document names the season"),
    ),
    Case(
        "a sub-query in words of its own",
        put(
            "sub_queries",
            {"purpose": "poi"},
            text=_OTHER_WORDS,
            sub_query_id=f"sq_{digest('poi', _OTHER_WORDS)}",
        ),
    ),
    Case("an inquiry about the first candidate", inquiry("月影湖")),
    Case(
        "a page that an inquiry found",
        put("documents", {"path": "notes/copy.md"}, fetched_for="inquiry"),
    ),
    Case("no length of trip asked for", None, settings=settings_with(queries={"days": []})),
    # Tables, accounts, sources
    Case("more rows merged", put("stage_counts", TABLES_ACCOUNT, rows_in=50, rows_merged=47)),
    Case("set aside in few words", put("quarantine", {}, message="no")),
    Case("the line of another file", put("hotels", {}, source_file="u.csv", source_line=3)),
    Case(
        "a finding of one source",
        add(
            "findings",
            {"table": "hotels", "finding": "coordinates"},
            finding="stars_unknown",
            message="mark, such as: six stars",
            n_rows=4,
        ),
    ),
    Case("a fact set aside", set_aside()),
    Case("a fact on a condition set aside", set_aside(**CHILD_ASIDE)),
    Case("a fact on a condition set aside as rules read it", set_aside(**CHILD_BY_RULES)),
    Case("a way by metro", by_metro(0.0)),
    Case("one answer to one question", asked_twice("route_zh")),
    Case("a tag of either route", tagged_twice(1.5)),
]

#: For each gate a near miss that it looks at and must let pass.
NEAR: dict[str, str] = {
    "files": "a file written by another writer",
    "schema": "a file with a writer's notes",
    "nullability": "a column that may be null and never is",
    "row_counts": "a table's only row dropped",
    "cities_listed": "settings that gates do not read",
    "sources_counted": "sources counted as they are",
    "card_figures": "a card in other words",
    "key_unique": "a twin under a key of its own",
    "key_order": "ids that sort by letters",
    "not_null": "a price that nobody knows",
    "codes": "no trend at all",
    "limits": "a rating of five",
    "finite": "a number beyond counting",
    "patterns": "a hash of nines",
    "references": "a mention to review",
    "same_city": "one document about two cities",
    "partitions": "another city's flight",
    "known_share": "a floor that is just met",
    "coordinates": "a hotel an hour away",
    "geocode_status": "a place of another provider",
    "currency": "a room of unknown price in no money",
    "home_currency": "a city whose population has grown",
    "one_currency": "a room of unknown price in no money",
    "city_gazetteer": "a city's centre at the other end of the market",
    "h3_cell": "a hotel that cannot be found",
    "names": "a name known in English only",
    "duplicates": "one name, two places",
    "hierarchy": "a place in two others",
    "distances": "a distance rounded otherwise",
    "clusters": "all noise on four days",
    "metro": "a distant platform",
    "metro_lines": "a station of two lines",
    "metro_fares": "a fare of every line",
    "aliases": "an alias in both scripts",
    "poi_ids": "two names, one place",
    "superseded": "merged into another one",
    "mention_counts": "a mention to review",
    "location_tier": "a place in two others",
    "one_city": "a mention to review",
    "link_once": "a name of nowhere",
    "evidence_shape": "a span to the document's end",
    "evidence_ids": "a hash of nines",
    "quote_licence": "a quote that the licence allows",
    "evidence_used": "evidence of two facts",
    "quotes": "a place named outside any day",
    "mention_days": "a place named outside any day",
    "hours": "open all night",
    **dict.fromkeys(
        ("tags_proven", "tags_from_facts", "descriptions", "tags_of_candidates"),
        "a description that a model wrote",
    ),
    "fact_values": "a price of whole yuan",
    "fact_ids": "entry is free",
    "conditions": "a price with a city pass",
    "visit_fits_hours": "a visit as long as the day",
    "personal_data": "a title with an order number",
    "documents": "two copies of one document",
    "tags": "equal scores",
    "contexts": "another context of the taxonomy",
    "source_dates": "a table's fact with a date",
    "trajectory_days": "a route that begins on day zero",
    "trajectory_order": "a route that begins on day zero",
    "trajectory_edits": "an edit for another reason",
    "trajectory_counts": "the same place twice in a route",
    "trajectory_places": "the same place twice in a route",
    "trajectory_located": "a stop at an unlocated place",
    "trajectory_mentions": "a stop that was only recommended",
    "trajectory_evidence": "an edit for another reason",
    "enough": "exactly as many candidates as asked for",
    "counted": "candidates of equal score",
    "kept_queries": "a family that nobody asked for",
    "pending_cities": "a family that nobody asked for",
    "witness_shape": "an open query, and nothing asked of the share",
    "witness_plans": "a budget that the witness just keeps",
    "plans_decided": "all are solved, and that is asked",
    "reasons": "waiting for another reason",
    "ranks": "candidates of equal score",
    "visits_are_candidates": "candidates of equal score",
    "trajectory_scores": "a way rounded otherwise",
    "length_gaps": "a route that begins on day zero",
    "trajectory_once": "two copies of one document",
    "texts": "three days as a word",
    "given_queries": "a query from outside, understood in part",
    "constraints": "a season in another word",
    "asked_for": "a document for two purposes",
    "sub_query_ids": "a sub-query in words of its own",
    "structure": "two days by either word",
    "splits": "a split of its own for another constraint",
    "clocks": "a fast train of a whole day",
    "rooms": "a room at ten yuan",
    "tags_known": "a cuisine that nobody knows",
    "accounts": "more rows merged",
    "published_rows": "a table's only row dropped",
    "quarantine_counts": "a row set aside twice",
    "quarantine_share": "just as much set aside as allowed",
    "quarantine_words": "set aside in few words",
    "stored_verdicts": "a failed warning",
    "parameters": "published figures by another writer",
    "city_stats": "a meal price between two",
    "cluster_links": "all noise on four days",
    "table_rows": "a second alias of one row",
    "found_once": "a document for two purposes",
    "languages": "an alias in both scripts",
    "quarantine_ids": "a row set aside twice",
    "tenths": "a road twice as long",
    "nearest_stations": "a way by metro",
    "stay_clusters": "all noise on four days",
    "metro_ways": "a way by metro",
    "popularity": "equal scores",
    "tagged": "a stop that was only recommended",
    "tagging_documents": "a tag of either route",
    "equal_answers": "one answer to one question",
    "candidates": "candidates of equal score",
    "references_ranked": "scores below zero",
    "inquiries": "an inquiry about the first candidate",
    "inquiry_pages": "a page that an inquiry found",
    "counts_in_reasons": "waiting for another reason",
    "comparisons": "a comparison fewer",
    "compared_names": "compared under an alias",
    "compared_distances": "a reason without a distance",
    "outcomes": "alike, and kept apart",
    "parents": "part of a place by hand",
    "origins": "a place of no category",
    "given_values": "a rating of five",
    "own_rows": "two names, one place",
    "categories": "a temple of no type",
    "lines": "the line of another file",
    "read_rows": "the line of another file",
    "connection_ids": "a train of a minute before midnight",
    "paths": "one document about two cities",
    "trajectory_ids": "another trip of a document",
    "findings": "a finding of one source",
    "set_aside_rows": "a fact set aside",
    "chain": "a fact set aside",
    "strata": "no length of trip asked for",
    "filler": "stays of three lengths",
    "datum_mixture": "the other half of another system",
    "document_age": "documents of a few years",
    "budget": "all of the budget",
    "reviewer_agreement": "reviewers who mostly agree",
    "source_change": "a rating that jumped",
    "source_change_refused": "places that moved across the street",
    "source_values": "a few ratings that are not believed",
    "source_values_refused": "a few ratings that are not believed",
    "source_baseline": "the same as before",
    "drift_emptied": "a table that was empty before",
    "drift_rows": "a few rows more",
    "drift_known": "the same as before",
    "drift_shares": "the same as before",
}
