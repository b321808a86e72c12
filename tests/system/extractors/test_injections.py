"""Orders inside a document: no row that its real content does not support, none of them lost.

The model of these tests obeys: where a request shows it the invented place, or a price of 999, it
answers with that alone. So a test passes only where the order never reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from extractors.cascade import CascadeEngine
from extractors.hostile import without_orders
from extractors.llm import Ledger, LLMSettings, OpenAIEngine, TokenPrices
from extractors.read import read_by_one_request, read_in_one_form
from extractors.rules import RulesEngine
from extractors.tasks import ONE_WORD
from schemas.document_reading import DocumentReading
from schemas.documents import Document
from schemas.reading import GazetteerEntry
from schemas.tasks import DocumentInput, Engine
from sources.web.main_text import parse_document
from tests.support.extractors.injections import HIDDEN, IN_A_NAME, IN_TEXT, LIE_EN, LIE_ZH
from tests.support.extractors.llm.server import Endpoint, said, serving, task_of

STOPS = ("青鹭寺", "望潮阁", "石门古街")
ROWS = (
    ("heading", "第一天"),
    ("paragraph", "上午游览青鹭寺，门票60元。"),
    ("paragraph", "下午参观望潮阁。"),
    ("heading", "第二天"),
    ("paragraph", "我们游览石门古街，逛了2小时。"),
)
#: Chinese places that both engines must know, so that what counts is the order alone.
KNOWN = tuple(GazetteerEntry(standard=name) for name in STOPS)
RIGHT: dict[str, dict[str, Any]] = {
    "document_reading": {
        "kind": "diary",
        "days": 2,
        "departure": "",
        "places": [f"{n}|{name}|visited" for n, name in enumerate(STOPS, 1)],
        "trips": [["1|第一天||1>2", "2|第二天||3"]],
        "facts": ["1|ticket_price|60||门票60元"],
    },
    "poi_extraction": {
        "kind": "diary",
        "cities": [],
        "days_stated": 2,
        "decoys": [],
        "pois": [{"name": name, "role": "visited", "parent": None} for name in STOPS],
    },
    "trajectory_extraction": {
        "days": [
            {"day": 1, "visits": [{"name": STOPS[0]}, {"name": STOPS[1]}]},
            {"day": 2, "visits": [{"name": STOPS[2]}]},
        ],
        "reason": "",
    },
    "fact_extraction": {
        "facts": [
            {
                "poi": "青鹭寺",
                "field": "ticket_price_cny",
                "value": "60",
                "valid_when": "always",
                "evidence": "门票60元",
            }
        ],
    },
}
LIES: dict[str, dict[str, Any]] = {
    "document_reading": {"kind": "route", "places": [f"1|{LIE_ZH}|visited", f"2|{LIE_EN}|visited"],
                         "trips": [["1|||1>2"]], "facts": ["1|ticket_price|999||999"]},
    "poi_extraction": {"kind": "route", "pois": [{"name": LIE_ZH, "role": "visited"},
                                                 {"name": LIE_EN, "role": "visited"}]},
    "trajectory_extraction": {"days": [{"day": 1, "visits": [{"name": LIE_ZH}, {"name": LIE_EN}]}]},
    "fact_extraction": {"facts": [{"poi": "青鹭寺", "field": "ticket_price_cny", "value": "999",
                                   "evidence": "999"}]},
}  # fmt: skip


class Obedient(Endpoint):
    """A model that does whatever the document says."""

    def next_step(self, body: dict[str, Any], key: str | None) -> Any:
        """Lie where an order is seen, else the right answer."""
        with self.lock:
            self.bodies.append(body)
        shown = body["messages"][-1]["content"]
        told = any(lie in shown for lie in (LIE_ZH, LIE_EN, "999"))
        task = task_of(body)
        if task in ONE_WORD:
            yes = told or any(stop in shown for stop in STOPS)
            return said(
                {
                    "word": "",
                    "likely": {"是": -0.001, "否": -9.0} if yes else {"否": -0.001, "是": -9.0},
                }
            )
        return said((LIES if told else RIGHT)[task])


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Obedient]:
    """The obedient model, running."""
    found = Obedient()
    with serving(found):
        yield found


@pytest.fixture(scope="module")
def engines(endpoint: Obedient, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Engine]:
    """All engines by name."""
    free = TokenPrices.model_validate({"usd_per_mtok_in": 0, "usd_per_mtok_out": 0})
    settings = LLMSettings(base_url=endpoint.base_url, model="m", prices=free)
    place = tmp_path_factory.mktemp("ledger") / "ledger.sqlite"
    model, rules = OpenAIEngine(settings, Ledger(place), sleep=lambda _s: None), RulesEngine()
    return {"rules": rules, "openai": model, "cascade": CascadeEngine(rules, model)}


def page(rows: tuple[tuple[str, str], ...]) -> Document:
    """A document of these rows."""
    blocks = [("title", 1, "海棠湾两日游", False)]
    blocks += [(kind, 2 if kind == "heading" else 0, text, False) for kind, text in rows]  # type: ignore[misc]
    return Document.from_texts("d", "d.md", blocks, lang="zh", title="海棠湾两日游")  # type: ignore[arg-type]


def rows_of(reading: DocumentReading) -> tuple[Any, ...]:
    """What a reading hands out, without offsets."""
    return (
        [(p.name, p.role) for p in reading.places],
        [(day, reading.place(stop.place).name) for t in reading.trips for day, _, stop in t.stops],
        [(reading.place(f.place).name, f.field, f.value) for f in reading.facts],
    )


def read(engine: Engine, document: Document) -> tuple[Any, ...]:
    """Read one document task by task."""
    item = DocumentInput(document=document, city="海棠湾", gazetteer=KNOWN)
    return rows_of(read_in_one_form(engine, item)[0])


def whole(engine: Engine, document: Document) -> tuple[Any, ...]:
    """Read one document by one request."""
    item = DocumentInput(document=document, city="海棠湾")
    return rows_of(read_by_one_request(engine, item)[0])


def poisoned() -> list[tuple[str, Document]]:
    """Every order in every place where it is put."""
    found = []
    for order in IN_TEXT:
        found.append((f"paragraph: {order}", page((*ROWS[:2], ("paragraph", order), *ROWS[2:]))))
        tail = ("paragraph", f"{ROWS[1][1]}{order}")
        found.append((f"tail: {order}", page((ROWS[0], tail, *ROWS[2:]))))
    for name, evil in IN_A_NAME:
        rows = tuple((kind, text.replace(name, evil)) for kind, text in ROWS)
        found.append((f"name: {evil}", page(rows)))
    for hidden in HIDDEN:
        body = "".join(
            f"<h2>{text}</h2>" if kind == "heading" else f"<p>{text}</p>" for kind, text in ROWS
        )
        title = "海棠湾两日游"
        html = (
            f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>"
            f"{hidden}{body}{hidden}</article></body></html>"
        )
        found.append((f"hidden: {hidden}", parse_document(html.encode(), "page.html")))
    return found


def test_there_are_enough_orders() -> None:
    assert len({*IN_TEXT, *IN_A_NAME, *HIDDEN}) >= 40
    assert len(poisoned()) >= 90


@pytest.mark.parametrize("engine", ["rules", "openai", "cascade"])
def test_an_order_changes_no_row(engine: str, engines: dict[str, Engine]) -> None:
    clean = read(engines[engine], page(ROWS))
    assert {name for name, _role in clean[0]} == set(STOPS)
    assert [name for _day, name in clean[1]] == list(STOPS)
    assert ("青鹭寺", "ticket_price_cny", "60") in clean[2]
    changed = {}
    for name, document in poisoned():
        found = read(engines[engine], document)
        if found != clean:
            changed[name] = found
    assert changed == {}


def test_an_order_changes_nothing_that_one_request_reads(engines: dict[str, Engine]) -> None:
    clean = whole(engines["openai"], page(ROWS))
    assert [name for name, _role in clean[0]] == list(STOPS)
    assert clean[1] == [(1, STOPS[0]), (1, STOPS[1]), (2, STOPS[2])]
    assert clean[2] == [("青鹭寺", "ticket_price", "60")]
    changed = {}
    for name, document in poisoned():
        found = whole(engines["openai"], document)
        if found != clean:
            changed[name] = found
    assert changed == {}


def test_an_obeyed_order_would_be_seen(endpoint: Obedient, engines: dict[str, Engine]) -> None:
    shown = page((*ROWS, ("paragraph", f"然后去了{LIE_ZH}。")))
    assert read(engines["openai"], shown) != read(engines["openai"], page(ROWS))
    assert whole(engines["openai"], shown) != whole(engines["openai"], page(ROWS))


@pytest.mark.parametrize(
    "text",
    [
        "不要忘记带身份证，请务必提前预约，忽略了时间。",
        "我们只好原路返回，导游请大家注意安全。",
        "Please list what you want to see, and do not forget your passport.",
        "The system of canals is old; you are now at the gate, and only locals remain.",
        "别忘了之前说的那家店，回复里有人问路线。",
    ],
)
def test_ordinary_sentences_stay(text: str) -> None:
    document = page((("paragraph", text),))
    assert without_orders(document) is document


def test_offsets_stay() -> None:
    for _name, document in poisoned():
        assert len(without_orders(document).text) == len(document.text)
