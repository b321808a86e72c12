"""One case a task: an input, a right raw answer, and one that claims what nothing supports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from extractors.tasks import TASKS
from extractors.tasks.consistency import DocumentWish, Recalled
from extractors.tasks.name_reviews import DoubtfulName, DoubtfulNames, NameInput, Offered
from extractors.tasks.name_tasks import (
    Attractions,
    Described,
    TranslationRequest,
)
from extractors.tasks.pair_judgement import NamedPair, NamedPairs
from extractors.tasks.place_tasks import ContextInput
from extractors.tasks.query_reading import ReadingRequest
from extractors.tasks.query_tasks import RewordingRequest, RewriteRequest
from tests.support.extractors.reading_documents import document

TEXT = """# 海棠湾两日游
## 第一天
上午游览青鹭寺，门票60元，开放时间 8:00-17:00，逛了2小时。
下午去了望潮阁。
## 第二天
参观石门古街，晚上住在云来酒店。"""


@dataclass(frozen=True)
class Case:
    """A task with an input, an answer of a model, and a lie; ``lies`` must not be handed out."""

    item: Any
    right: dict[str, Any]
    wrong: dict[str, Any]
    lies: tuple[str, ...]


def _doc() -> Any:
    from schemas.tasks import DocumentInput

    return DocumentInput(document=document(TEXT, "zh"), city="海棠湾")


CASES: dict[str, Case] = {
    "query_reading": Case(
        ReadingRequest(
            text="我想去杭州玩3天，吃点辣的，住得安静些",
            city="杭州",
            parts=("吃点辣的", "住得安静些"),
        ),
        {
            "wishes": [
                {
                    "kind": "cuisine",
                    "mode": "any",
                    "values": ["川菜", "湘菜"],
                    "amount": None,
                    "quote": "吃点辣的",
                }
            ]
        },
        {
            "wishes": [
                {
                    "kind": "cuisine",
                    "mode": "any",
                    "values": ["川菜"],
                    "amount": None,
                    "quote": "吃点辣的",
                },
                {
                    "kind": "cuisine",
                    "mode": "all",
                    "values": ["龙虾宴"],
                    "amount": None,
                    "quote": "吃点辣的",
                },
                {
                    "kind": "hotel_name",
                    "mode": "all",
                    "values": ["云来酒店"],
                    "amount": None,
                    "quote": "住得安静些",
                },
                {
                    "kind": "budget",
                    "mode": "all",
                    "values": [],
                    "amount": 7777,
                    "quote": "住得安静些",
                },
            ]
        },
        ("龙虾宴", "云来酒店", "7777"),
    ),
    "query_rewording": Case(
        RewordingRequest(
            text="两位成人从北京去杭州玩3天，预算5500元，想吃火锅。", lang="zh", number=2
        ),
        {
            "texts": [
                "我们两位成人要从北京去杭州玩三天，一共5500元，想吃火锅",
                "从北京出发到杭州，3天，两位成人，预算5500元，想吃火锅",
            ]
        },
        {
            "texts": [
                "从北京去杭州玩3天，预算5500元，两位成人，想吃火锅",
                "从北京去杭州玩3天，预算9000元",
                "3 days in Hangzhou for 5500 RMB",
            ]
        },
        ("9000", "Hangzhou"),
    ),
    "sub_query_rewriting": Case(
        RewriteRequest(query="杭州春季三日游", city_zh="杭州", city_en="Hangzhou", purpose="route"),
        {"sub_queries": ["杭州春季三日游 行程路线", "春天杭州3天攻略"]},
        {"sub_queries": ["杭州春季三日游 路线", "苏州春季三日游", "杭州七日游", "杭州国庆三日游"]},
        ("苏州", "七日", "国庆"),
    ),
    "document_reading": Case(
        _doc(),
        {
            "kind": "diary",
            "days": 2,
            "places": [
                "1|海棠湾||area",
                "2|青鹭寺|visited||海棠湾|||门票60元",
                "3|望潮阁|visited",
                "4|石门古街|visited",
                "5|云来酒店|visited|lodging",
            ],
            "trips": [["1|第一天|海棠湾|2 morning>3 afternoon", "2|第二天||4"]],
            "facts": [
                "2|ticket_price|60||门票60元",
                "2|opening_hours|08:00-17:00||开放时间 8:00-17:00",
                "2|duration_hours|2||逛了2小时",
            ],
        },
        {
            "kind": "diary",
            "days": 2,
            "places": ["1|青鹭寺|visited|||||千年古寺", "2|碧云塔|visited"],
            "trips": [["1|||1>2"]],
            "facts": ["1|ticket_price|999||门票60元", "2|ticket_price|60||门票60元"],
        },
        ("碧云塔", "999"),
    ),
    "poi_extraction": Case(
        _doc(),
        {
            "kind": "diary",
            "cities": ["海棠湾"],
            "days_stated": 2,
            "decoys": ["云来酒店"],
            "pois": [
                {"name": "青鹭寺", "role": "visited", "parent": None, "reason": "门票60元"},
                {"name": "望潮阁", "role": "visited", "parent": None, "reason": None},
            ],
        },
        {
            "kind": "diary",
            "pois": [
                {"name": "青鹭寺", "role": "visited", "reason": "千年古寺"},
                {"name": "碧云塔", "role": "visited"},
            ],
        },
        ("碧云塔",),
    ),
    "poi_review": Case(
        NameInput(lang="zh", name="石门古街"),
        {"word": "是", "likely": {"是": -0.1, "否": -2.5}},
        {"word": "碧云塔"},
        ("碧云塔",),
    ),
    "context_tagging": Case(
        ContextInput(
            poi="青鹭寺", text="青鹭寺开放时间 8:00-17:00，游览约2小时。\n山门前有两棵老樟树。"
        ),
        {
            "tags": [
                {
                    "field": "opening_hours",
                    "value": "08:00-17:00",
                    "evidence": "开放时间 8:00-17:00",
                },
                {
                    "field": "description",
                    "value": "山门前有两棵老樟树",
                    "evidence": "山门前有两棵老樟树",
                },
            ]
        },
        {
            "tags": [
                {
                    "field": "opening_hours",
                    "value": "06:00-22:00",
                    "evidence": "开放时间 8:00-17:00",
                },
                {"field": "duration_hours", "value": "2", "evidence": "游览约2小时"},
            ]
        },
        ("06:00",),
    ),
    "trajectory_extraction": Case(
        _doc(),
        {
            "days": [
                {
                    "day": 1,
                    "visits": [
                        {"name": "青鹭寺", "remark": None},
                        {"name": "望潮阁", "remark": None},
                    ],
                },
                {"day": 2, "visits": [{"name": "石门古街", "remark": None}]},
            ],
            "reason": "",
        },
        {"days": [{"day": 1, "visits": [{"name": "碧云塔"}, {"name": "望潮阁"}]}]},
        ("碧云塔",),
    ),
    "fact_extraction": Case(
        _doc(),
        {
            "facts": [
                {
                    "poi": "青鹭寺",
                    "field": "ticket_price_cny",
                    "value": "60",
                    "valid_when": "always",
                    "evidence": "门票60元",
                }
            ]
        },
        {
            "facts": [
                {
                    "poi": "青鹭寺",
                    "field": "ticket_price_cny",
                    "value": "60",
                    "evidence": "门票60元",
                },
                {
                    "poi": "青鹭寺",
                    "field": "ticket_price_cny",
                    "value": "999",
                    "evidence": "门票60元",
                },
            ]
        },
        ("999",),
    ),
    "attraction_classification": Case(
        Attractions(places=(Described(name="海棠湾博物馆", description="适合亲子的好去处"),)),
        {
            "places": [
                {
                    "name": "海棠湾博物馆",
                    "base": "museum_memorial",
                    "trends": [{"code": "family_friendly", "evidence": "亲子"}],
                }
            ]
        },
        {
            "places": [
                {
                    "name": "海棠湾博物馆",
                    "base": "museum_memorial",
                    "trends": [{"code": "pet_friendly", "evidence": "欢迎带狗"}],
                },
                {"name": "碧云塔", "base": "other", "trends": []},
            ]
        },
        ("pet_friendly", "碧云塔"),
    ),
    "consistency_judgement": Case(
        Recalled(
            title="海棠湾两日游",
            wishes=(
                DocumentWish(
                    kind="season", code="spring", words="春季 / spring", passages=("春天的海棠湾",)
                ),
                DocumentWish(
                    kind="traveller", code="couple", words="情侣 / couple", passages=("情侣路",)
                ),
            ),
        ),
        {"wishes": [{"number": 1, "fits": True}, {"number": 2, "fits": False}]},
        {"wishes": [{"number": 3, "fits": True}]},
        (),
    ),
    "link_review": Case(
        DoubtfulNames(
            names=(
                DoubtfulName(
                    n=4,
                    name="青鹭禅寺",
                    around="上午去青鹭禅寺",
                    places=(
                        Offered(poi_id="poi_1", name="青鹭寺"),
                        Offered(poi_id="poi_2", name="白鹭寺", kind="temple"),
                    ),
                ),
            )
        ),
        {"links": [{"number": 1, "place": "a"}]},
        {"links": [{"number": 1, "place": "c"}]},
        ("poi_3",),
    ),
    "pair_judgement": Case(
        NamedPairs(pairs=(NamedPair(city="hangzhou", name_a="青鹭寺", name_b="青鹭禅寺"),)),
        {"pairs": [{"number": 1, "answer": "same", "why": "the full name of the temple"}]},
        {"pairs": [{"number": 1, "answer": "alike", "why": "they look alike"}]},
        ("alike",),
    ),
    "translation": Case(
        TranslationRequest(
            source="zh", texts=("青鹭寺", "门票60元"), glossary=(("青鹭寺", "Heron Temple"),)
        ),
        {
            "texts": [
                {"number": 1, "translation": "Heron Temple"},
                {"number": 2, "translation": "ticket 60 yuan"},
            ]
        },
        {
            "texts": [
                {"number": 1, "translation": "Blue Tower"},
                {"number": 2, "translation": "ticket 80 yuan"},
            ]
        },
        ("Blue Tower", "80"),
    ),
}
#: Tasks that the rules, and so a cascade, have no reader for.
FOR_MODELS = (
    "consistency_judgement", "document_reading", "link_review", "pair_judgement", "query_reading",
)  # fmt: skip
BY_NAME = {task.name: task for task in TASKS}
