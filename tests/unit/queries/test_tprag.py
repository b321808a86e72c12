"""The tprag family: plan, text, audit, sub-queries, contexts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from queries.audit.tprag import RULES, audit, parse
from queries.contexts import at_home, context_hits
from queries.home import terms_of
from queries.sub_queries import inquiries, sub_queries
from queries.tprag import plan_queries
from schemas.cities import City, find_city
from schemas.documents import Document, GivenBlock
from schemas.taxonomy import TPRAG_CITIES

CITY = find_city("hangzhou")
NAMES = {CITY.city_id: ("杭州", "Hangzhou")}


def rows() -> list[dict[str, object]]:
    return plan_queries(CITY).to_dicts()


def test_the_plan_of_a_city_has_the_published_strata() -> None:
    planned = rows()
    assert len(planned) == 88  # (1 + 21 constraints) x (none, 3, 4, 5 days)
    kinds = Counter(row["constraint_kind"] for row in planned)
    assert kinds == {
        "generic": 4,
        "season": 16,
        "holiday": 24,
        "poi_category": 24,
        "traveller": 16,
        "compactness": 4,
    }
    assert len({row["query_id"] for row in planned}) == 88


def test_thirty_cities_give_the_published_plan() -> None:
    assert sum(plan_queries(find_city(slug)).height for slug, _ in TPRAG_CITIES) == 2640


@pytest.mark.parametrize(
    ("query_id", "zh", "en"),
    [
        ("tprag-hangzhou-spring-3d", "春季杭州三天行程推荐", "Hangzhou in spring, 3-day itinerary"),
        ("tprag-hangzhou-generic-any", "杭州旅游", "trip to Hangzhou"),
        (
            "tprag-hangzhou-senior-5d",
            "带老人去杭州玩五天",
            "5-day trip to Hangzhou for seniors",
        ),
    ],
)
def test_texts(query_id: str, zh: str, en: str) -> None:
    row = next(row for row in rows() if row["query_id"] == query_id)
    assert (row["text_zh"], row["text_en"]) == (zh, en)


def test_our_queries_break_no_rule() -> None:
    assert audit(rows(), NAMES) == {rule: [] for rule in RULES}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"text_zh": "去杭州玩"}, "form"),
        ({"text_zh": "春天去杭州玩五天"}, "form"),
        ({"text_zh": "苏州春季三日游"}, "city"),
        ({"text_zh": "杭州夏季三日游"}, "constraint"),
        ({"text_zh": "杭州春季四日游"}, "days"),
        ({"n_days": 4}, "days"),
        ({"constraint_code": "summer"}, "constraint"),
    ],
)
def test_each_rule_is_broken_by_its_mutant(change: dict[str, object], rule: str) -> None:
    mutated = [
        {**row, "text_zh": "杭州春季三日游", **change}
        if row["query_id"] == "tprag-hangzhou-spring-3d"
        else row
        for row in rows()
    ]
    assert "tprag-hangzhou-spring-3d" in audit(mutated, NAMES)[rule]


def test_duplicates_and_leaks_are_found() -> None:
    planned = rows()
    twin = {**planned[0], "query_id": "zz-twin"}
    assert audit([*planned, twin], NAMES)["duplicate"] == ["zz-twin"]
    moved = [{**planned[0], "split": "test"}, {**planned[0], "query_id": "b", "split": "train"}]
    assert audit(moved, NAMES)["split_leak"] == ["b", planned[0]["query_id"]]


def test_days_of_one_constraint_share_a_split() -> None:
    splits: dict[object, set[object]] = {}
    for row in rows():
        splits.setdefault(row["constraint_code"], set()).add(row["split"])
    assert all(len(found) == 1 for found in splits.values())


def test_the_published_lines_are_all_of_the_form(shared: Path) -> None:
    lines = [
        line.strip()
        for file in sorted((shared / "data" / "tprag_queries").rglob("*.txt"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert len(lines) == 9460
    assert [line for line in lines if parse(line) is None] == []


def test_sub_queries_ask_for_places_and_routes_in_both_languages() -> None:
    query = next(row for row in rows() if row["query_id"] == "tprag-hangzhou-autumn-4d")
    asked = sub_queries(query, CITY)
    assert {row["purpose"] for row in asked} == {"poi", "route"}
    assert {row["lang"] for row in asked} == {"zh", "en"}
    assert all("秋季" in r["text"] or "autumn" in r["text"] for r in asked)
    assert any("4日游" in row["text"] for row in asked)


def test_equal_sub_queries_share_an_id() -> None:
    a, b = (
        row
        for row in rows()
        if row["query_id"] in ("tprag-hangzhou-spring-3d", "tprag-hangzhou-spring-4d")
    )
    same = {r["sub_query_id"] for r in sub_queries(a, CITY)} & {
        r["sub_query_id"] for r in sub_queries(b, CITY)
    }
    assert len(same) == 3  # the three searches for places do not depend on the days
    asked = inquiries(a, CITY, ["灵隐寺"])
    assert asked[0]["text"] == "杭州 灵隐寺 春季 开放时间 门票 游玩"
    assert asked[0]["sub_query_id"] == inquiries(b, CITY, ["灵隐寺"])[0]["sub_query_id"]


def test_queries_abroad_ask_for_the_festivals_of_the_country_in_texts_that_read_back() -> None:
    for name in ("new york city", "kyoto", "lisbon", "nairobi"):
        city = find_city(name)
        planned = plan_queries(city, year=2026).to_dicts()
        asked = {row["constraint_code"] for row in planned if row["constraint_kind"] == "holiday"}
        assert asked == {term.code for term in terms_of(city)["holiday"]}
        assert not asked & {"spring_festival", "qingming", "dragon_boat", "national_day"}
        broken = audit(planned, {city.city_id: (city.name_zh or city.name_en, city.name_en)})
        assert not any(broken.values()), broken
    assert not [row for row in planned if row["constraint_kind"] == "season"], "Nairobi has none"


def test_sub_queries_about_a_city_abroad_are_in_english() -> None:
    city = find_city("lisbon")
    query = next(
        r for r in plan_queries(city).to_dicts() if r["query_id"] == "tprag-lisbon-carnival-4d"
    )
    asked = sub_queries(query, city)
    assert [row["lang"] for row in asked] == ["en"] * 6
    assert len({row["text"] for row in asked}) == 6
    assert all(row["text"].startswith("Lisbon Carnival") for row in asked)
    (inquiry,) = inquiries(query, city, ["Belem Tower"])
    assert inquiry["text"] == "Lisbon Belem Tower Carnival opening hours tickets visit"
    chinese = sub_queries({**query, "family": "chinatravel"}, city)
    assert {row["lang"] for row in chinese} == {"zh", "en"}


def context_scores(document: Document, city: City) -> dict[tuple[str, str], int]:
    """Summed weight of the hits of each context of a city that the document names."""
    scores: Counter[tuple[str, str]] = Counter()
    for hit in context_hits(document):
        if context := at_home(hit.kind, hit.code, city):
            scores[context] += hit.weight
    return dict(scores)


def test_a_document_names_the_contexts_of_its_own_city() -> None:
    def found(name: str, title: str) -> set[tuple[str, str]]:
        blocks: list[GivenBlock] = [("title", 1, title, False)]
        document = Document.from_texts("d", "p", blocks)
        return set(context_scores(document, find_city(name)))

    assert found("kyoto", "Golden Week in Kyoto") == {("holiday", "golden_week")}
    assert found("hangzhou", "Golden Week in Hangzhou") == {("holiday", "national_day")}
    assert found("sydney", "Sydney in January") == {("season", "summer")}
    assert found("kyoto", "Kyoto in January") == {("season", "winter")}
    assert found("singapore", "Singapore in January") == set()
    assert found("hong kong", "Chinese New Year in Hong Kong") == {("holiday", "spring_festival")}
    assert found("new york city", "New Year in New York") == {("holiday", "new_year")}


class TestContexts:
    def scores(self, title: str, text: str) -> dict[tuple[str, str], int]:
        blocks: list[GivenBlock] = [("title", 1, title, False), ("paragraph", 0, text, False)]
        return context_scores(Document.from_texts("d", "p", blocks), CITY)

    def test_words_in_both_languages(self) -> None:
        found = self.scores("带娃游杭州", "我们国庆带孩子来，the kids liked it in autumn")
        assert found["traveller", "parent_child"] >= 4
        assert found["holiday", "national_day"] == 1
        assert found["season", "autumn"] == 1

    def test_a_month_dates_a_title_but_not_running_text(self) -> None:
        assert self.scores("4月杭州三日", "逛了一圈") == {("season", "spring"): 3}
        assert self.scores("杭州三日", "4月1日至10月31日 7:00 开门") == {}

    def test_nothing_named_nothing_known(self) -> None:
        assert self.scores("杭州三日", "第一天去了湖边") == {}
