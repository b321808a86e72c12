"""Three answers in one form: a list names places, and recommends none of them."""

from __future__ import annotations

from extractors.lists import is_list
from extractors.one_form import to_one_form
from extractors.tasks.reading_tasks import FactReading, PoiReading, RouteReading
from schemas.documents import BlockKind, Document
from schemas.reading import Fact, Mention, Route, RouteStop, Span

NAMES = [f"第{number}座小桥" for number in range(40)]


def document(texts: list[str], kind: BlockKind = "paragraph") -> Document:
    return Document.from_texts("d", "names.txt", [(kind, 0, text, False) for text in texts])


def mention(name: str, text: str) -> Mention:
    start = text.index(name)
    return Mention(name=name, span=Span(start=start, end=start + len(name)), role="recommended")


def test_rows_of_names_are_a_list_and_sentences_are_none() -> None:
    assert is_list(document(NAMES))
    assert is_list(document([f"{name} 3 21105 40.33 116.4" for name in NAMES]))
    assert not is_list(document(NAMES[:20])), "too few rows to tell"
    assert not is_list(document([f"我们去了{name}。" for name in NAMES]))
    assert not is_list(document([f"We walked to bridge {n}. It was closed." for n in range(40)]))


def test_headings_make_a_guide_of_short_rows() -> None:
    blocks: list[tuple[BlockKind, int, str, bool]] = []
    for name in NAMES:
        blocks += [("heading", 2, name, False), ("list_item", 0, "上午", False)]
    assert not is_list(Document.from_texts("d", "a.md", blocks))


def test_a_list_recommends_nothing() -> None:
    listed = document(NAMES)
    pois = PoiReading(kind="guide", mentions=(mention(NAMES[3], listed.text),))
    fact = Fact(poi=NAMES[3], field="ticket_price_cny", value="20",
                span=Span(start=0, end=len(NAMES[0])))  # fmt: skip
    reading = to_one_form(listed, pois, RouteReading(), FactReading(facts=(fact,)))
    assert reading.kind == "list"
    assert {place.role for place in reading.places} == {"mentioned"}
    assert len(reading.facts) == 1, "columns are kept"


def test_a_route_in_short_rows_is_a_route() -> None:
    listed = document(NAMES)
    pois = PoiReading(kind="route", mentions=(mention(NAMES[3], listed.text),))
    start = listed.text.index(NAMES[3])
    visit = RouteStop(day=1, order=1, name=NAMES[3],
                  span=Span(start=start, end=start + len(NAMES[3])))  # fmt: skip
    reading = to_one_form(listed, pois, RouteReading(route=Route(visits=(visit,))), FactReading())
    assert reading.kind == "route"
    assert reading.place(1).role == "recommended"
    assert [stop.place for trip in reading.trips for _, _, stop in trip.stops] == [1]


def test_a_remark_is_the_quote_that_stands_nearest_to_its_stop() -> None:
    told = document(["人很多，先吃饭。", "下午到青石桥，人很多，拍了照。"])
    start = told.text.index("青石桥")
    span = Span(start=start, end=start + 3)
    for remark, stands in (
        ("人很多", told.text.rindex("人很多")),
        ("没有的话", None),
        (None, None),
    ):
        visit = RouteStop(day=1, order=1, name="青石桥", span=span, remark=remark)
        reading = to_one_form(
            told,
            PoiReading(kind="route"),
            RouteReading(route=Route(visits=(visit,))),
            FactReading(),
        )
        ((_, _, stop),) = reading.trips[0].stops
        assert (stop.remark.start if stop.remark else None) == stands
