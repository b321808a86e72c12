"""What documents say of a place in a context, or at any time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from flows.pipeline.stages.tellings import ANY, TellingDocument, tellings
from queries.contexts import at_home, context_hits
from schemas.cities import find_city
from schemas.documents import Document

PLACES = {"青鹭寺": "p1", "钟楼": "p2", "Egret Temple": "p1"}
LAT = 30.0


def told(
    *lines: tuple[str, str], sure: bool = True, role: str = "visited", lat: float = LAT
) -> list[tuple[str, str, str | None]]:
    """Context, words, and where the context is named, of what a document of blocks says."""
    blocks = [(kind, 1 if kind == "heading" else 0, text, False) for kind, text in lines]
    document = Document.from_texts("d", "d.md", blocks, lang="zh")  # type: ignore[arg-type]
    text = document.text
    heads = [block.start for block in document.blocks if block.kind == "heading"]
    names = sorted(
        (at, at + len(name), place)
        for name, place in PLACES.items()
        for at in range(len(text)) if text.startswith(name, at)
    )  # fmt: skip
    mentions = [
        {"poi_id": place, "start": start, "end": end, "role": role, "is_sure": sure,
         "section": max((head for head in heads if head <= start), default=None)}
        for start, end, place in names
    ]  # fmt: skip
    city = replace(find_city("hangzhou"), lat=lat)
    hits = [
        {**vars(hit), "kind": context[0], "code": context[1]}
        for hit in context_hits(document)
        if (context := at_home(hit.kind, hit.code, city))
    ]
    document_told = TellingDocument(
        "d", text, mentions, names, sorted(hits, key=lambda hit: hit["start"])
    )
    return [
        (
            one.context_id,
            text[one.start : one.end],
            text[slice(*one.named_at)] if one.named_at else None,
        )
        for one in tellings(document_told, lat)
        if one.poi_id == "p1"
    ]


class TestAnyContext:
    @pytest.mark.parametrize(
        "text",
        [
            "青鹭寺始建于唐代，是城里最古老的寺庙。",
            "青鹭寺门前的石桥值得细看。",
            "Egret Temple is a quiet yard.",
        ],
    )
    def test_what_a_place_is(self, text: str) -> None:
        assert told(("paragraph", text)) == [(ANY, text, None)]

    @pytest.mark.parametrize(
        "text",
        [
            "我们下午去了青鹭寺，逛了两个小时。",
            "青鹭寺的门票是20元，很值得。",
            "青鹭寺里的花都开了，很漂亮。",
            "下次一定要去青鹭寺看看那座石桥。",
            "青鹭寺比钟楼更安静。",
            "和前一天的钟楼相比，青鹭寺就显得普通了，院子也小。",
            "青鹭寺边，后面就是城里最高的塔。",
            "青鹭寺旁边的小河非常清澈见底。",
            "青鹭寺酒店是一家很舒服的住处。",
        ],
    )
    def test_what_says_nothing_of_it_at_any_time(self, text: str) -> None:
        assert told(("paragraph", text)) == []

    def test_no_heading_is_quoted(self) -> None:
        assert told(("heading", "青鹭寺是城里最古老的寺庙")) == []

    def test_an_unsure_link_is_not_quoted(self) -> None:
        line = ("paragraph", "青鹭寺始建于唐代，是城里最古老的寺庙。")
        assert told(line, sure=False) == []
        assert told(line)
        assert told(line, role="rejected") == []


class TestContext:
    def test_a_sentence_that_names_it(self) -> None:
        text = "青鹭寺的秋天最好看，满院都是银杏。"
        assert told(("paragraph", text)) == [("season:autumn", text, None)]

    def test_a_sentence_that_denies_it_or_sells(self) -> None:
        assert told(("paragraph", "青鹭寺不适合冬天去，院里结冰。")) == []
        assert told(("paragraph", "青鹭寺冬季门票半价，雪景很美。")) == []

    def test_a_diary_that_only_was_there(self) -> None:
        assert told(("paragraph", "2018年春节，大家相遇在青鹭寺的门口。")) == []

    def test_the_heading_over_it(self) -> None:
        found = told(("heading", "冬季"), ("paragraph", "青鹭寺的屋顶盖满白雪。"))
        assert found == [("season:winter", "青鹭寺的屋顶盖满白雪。", "冬季")]
        found = told(
            ("heading", "Spring (March-May)"),
            ("paragraph", "Cherry blossoms at Egret Temple yard."),
        )
        assert ("season:spring", "Cherry blossoms at Egret Temple yard.", "Spring") in found

    def test_the_date_over_it(self) -> None:
        found = told(("paragraph", "7月29日"), ("paragraph", "青鹭寺的荷花池边人山人海。"))
        assert found == [("season:summer", "青鹭寺的荷花池边人山人海。", "7月29日")]
        south = told(
            ("paragraph", "7月29日"), ("paragraph", "青鹭寺的荷花池边人山人海。"), lat=-30.0
        )
        assert south[0][0] == "season:winter"

    @pytest.mark.parametrize("line", ["3-4 star hotel", "10-25C, fewer crowds", "7月1日起售票"])
    def test_what_is_no_date(self, line: str) -> None:
        found = told(("paragraph", line), ("paragraph", "青鹭寺的荷花池边人山人海。"))
        assert [context for context, *_ in found] in ([], [ANY])

    def test_the_title_over_it(self) -> None:
        found = told(("title", "国庆两日游"), ("paragraph", "青鹭寺门口人山人海，寸步难行。"))
        assert found == [("holiday:national_day", "青鹭寺门口人山人海，寸步难行。", "国庆")]

    def test_what_a_place_is_stands_once(self) -> None:
        text = "青鹭寺始建于唐代，是城里最古老的寺庙。"
        assert told(("title", "国庆两日游"), ("paragraph", text)) == [(ANY, text, None)]

    def test_another_year_and_people_are_left_out(self) -> None:
        day = ("paragraph", "7月29日")
        assert told(day, ("paragraph", "上次到青鹭寺的时候荷花开得更盛。")) == []
        assert told(day, ("paragraph", "她在青鹭寺的荷花池边坐了一会儿。")) == []

    def test_a_kind_of_traveller_that_only_passes_is_none(self) -> None:
        assert told(("paragraph", "青鹭寺的院子里有一群小朋友喂鸽子，人很多。")) == []
        text = "青鹭寺适合带孩子慢慢逛，院子很大，人也少。"
        assert told(("paragraph", text)) == [("traveller:parent_child", text, None)]
