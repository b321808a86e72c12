"""Texts of the chinatravel family: a trip, its constraints and objectives as a person asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from queries.drawing import pick
from queries.wording import EN, sentence_en, sentence_zh, who_en, who_zh
from schemas.values import clock_text

Plan = Mapping[str, Any]

_OPEN_ZH = (
    "当前位置{start}，{who}想去{target}玩{days}天", "{who}打算从{start}去{target}玩{days}天",
    "从{start}出发到{target}，{days}天，{who}", "人在{start}，{who}计划去{target}待{days}天",
    "{who}住在{start}，想到{target}玩{days}天",
)  # fmt: skip
_OPEN_EN = (
    "current location: {start}. {want} to visit {target} for {days} days",
    "{want} to travel from {start} to {target} for {days} days",
    "a {days}-day trip to {target} for {who}, departing from {start}",
    "from {start} to {target}, {days} days, {who}",
)
#: Forms by kind and mode; {v} is the values, {n} the amount.
_ZH: dict[tuple[str, str], tuple[str, ...]] = {
    ("transport", "all"): ("往返坐{v}", "来回都坐{v}"),
    ("attraction_type", "all"): ("想看{v}", "要去{v}类的景点"),
    ("attraction_type", "any"): ("{v}有一类能看就行", "景点从{v}里任选一类"),
    ("attraction_type", "none"): ("不看{v}", "景点避开{v}"),
    ("attraction_name", "all"): ("一定要去景点「{v}」", "想参观「{v}」"),
    ("attraction_name", "any"): ("景点「{v}」去一个就行", "景点「{v}」任选一处"),
    ("attraction_name", "none"): ("不去景点「{v}」",),
    ("cuisine", "all"): ("想吃{v}", "要尝尝{v}"),
    ("cuisine", "any"): ("{v}吃到一种就行", "吃的从{v}里任选一种"),
    ("cuisine", "none"): ("不吃{v}", "吃饭避开{v}"),
    ("restaurant_name", "all"): ("要在餐厅「{v}」吃一顿", "想去餐厅「{v}」吃饭"),
    ("restaurant_name", "any"): ("餐厅「{v}」吃一家就行", "餐厅「{v}」任选一家"),
    ("restaurant_name", "none"): ("不去餐厅「{v}」",),
    ("hotel_feature", "all"): ("酒店要有{v}", "住宿要带{v}"),
    ("hotel_feature", "none"): ("酒店不要{v}", "住宿避开{v}"),
    ("hotel_name", "all"): ("要住酒店「{v}」", "住宿就选酒店「{v}」"),
    ("hotel_name", "none"): ("不住酒店「{v}」",),
    ("rooms", "all"): ("订{n}间{v}", "住{n}间{v}"),
    ("budget", "all"): ("预算{n}元", "总花费不超过{n}元"),
    ("city_transport", "all"): ("市内只坐{v}或走路", "市内交通用{v}"),
    ("city_transport", "none"): ("市内不要{v}",),
    ("time", "back"): ("{n}之前要回到家", "返程要在{n}前到家"),
    ("time", "there"): ("去程要在{n}前抵达", "{n}之前要到目的地"),
}  # fmt: skip
_EN: dict[tuple[str, str], tuple[str, ...]] = {
    ("transport", "all"): ("going by {v} both ways", "travelling by {v}"),
    ("attraction_type", "all"): ("we want to see {v}", "seeing sights of the kind {v}"),
    ("attraction_type", "any"): ("seeing any one of {v} is enough",),
    ("attraction_type", "none"): ("no sights of the kind {v}", "skip {v}"),
    ("attraction_name", "all"): ("the attraction “{v}” is a must", "be sure to see the attraction “{v}”"),
    ("attraction_name", "any"): ("any one of the attraction “{v}” is enough",),
    ("attraction_name", "none"): ("do not include the attraction “{v}”",),
    ("cuisine", "all"): ("we want to eat {v}", "food must include {v}"),
    ("cuisine", "any"): ("eating any one of {v} is enough",),
    ("cuisine", "none"): ("no {v} at meals", "avoid eating {v}"),
    ("restaurant_name", "all"): ("one meal at the restaurant “{v}”",),
    ("restaurant_name", "any"): ("any one of the restaurant “{v}” is enough",),
    ("restaurant_name", "none"): ("do not include the restaurant “{v}”",),
    ("hotel_feature", "all"): ("the hotel needs {v}", "stay somewhere with {v}"),
    ("hotel_feature", "none"): ("no hotel with {v}",),
    ("hotel_name", "all"): ("stay at the hotel “{v}”",),
    ("hotel_name", "none"): ("do not book the hotel “{v}”",),
    ("rooms", "all"): ("book {n} × {v}", "rooms: {n} × {v}"),
    ("budget", "all"): ("a total budget of {n} RMB", "no more than {n} yuan in all"),
    ("city_transport", "all"): ("inside the city only {v} or on foot",),
    ("city_transport", "none"): ("inside the city no {v}",),
    ("time", "back"): ("back home by {n}", "home again before {n}"),
    ("time", "there"): ("arriving there by {n}", "at the destination before {n}"),
}  # fmt: skip
_WORDS_EN = EN | {
    "单人间": "single room", "大床房": "king room", "双床房": "double-bed room", "家庭房": "family room",
    "地铁": "metro", "打车": "taxi", "步行": "walking",
}  # fmt: skip
_GOALS_ZH = {
    "attractions": ("希望景点越多越好",), "transport_time": ("路上的时间越少越好",),
    "restaurant_time": ("去餐厅的路越短越好",), "food_share": ("花在吃上的比例越高越好",),
    "hotel_cost": ("住宿越便宜越好",), "near": ("行程离「{v}」越近越好",),
}  # fmt: skip
_GOALS_EN = {
    "attractions": ("as many attractions as possible",),
    "transport_time": ("as little time on the way as possible",),
    "restaurant_time": ("the way to restaurants as short as possible",),
    "food_share": ("as large a share on food as possible",),
    "hotel_cost": ("as cheap a place to sleep as possible",), "near": ("as close to “{v}” as possible",),
}  # fmt: skip


def text_zh(plan: Plan, start: str, target: str, prefix: str) -> str:
    """The request in Chinese."""
    seed = prefix + plan["uid"]
    opening = pick(_OPEN_ZH, seed, "form").format(
        who=who_zh(_party(plan), seed), start=start, target=target, days=plan["days"]
    )
    wishes = [_clause(c, _ZH, seed, "、".join(c["values"])) for c in plan["constraints"]]
    goals = [
        pick(_GOALS_ZH[g["name"]], seed, "goal").format(v=g["value"]) for g in plan["objectives"]
    ]
    return sentence_zh(opening, [*wishes, *goals], seed)


def text_en(plan: Plan, start: str, target: str, prefix: str) -> str:
    """The request in English; names of places stay Chinese, as the tables have them."""
    seed = prefix + plan["uid"]
    want, who = who_en(_party(plan), seed)
    opening = pick(_OPEN_EN, seed, "form_en").format(
        want=want, who=who, start=start, target=target, days=plan["days"]
    )
    wishes = []
    for constraint in plan["constraints"]:
        values = constraint["values"]
        if constraint["kind"].endswith("_name"):
            joined = "、".join(values)
        else:
            words = EN if constraint["kind"] == "hotel_feature" else _WORDS_EN
            joined = " and ".join(words.get(v, v) for v in values)
        wishes.append(_clause(constraint, _EN, seed, joined))
    goals = [
        pick(_GOALS_EN[g["name"]], seed, "goal").format(v=g["value"]) for g in plan["objectives"]
    ]
    return sentence_en(opening, [*wishes, *goals], seed)


def _clause(
    constraint: Mapping[str, Any], forms: dict[tuple[str, str], tuple[str, ...]], seed: str, values: str
) -> str:  # fmt: skip
    kind, amount = constraint["kind"], constraint["amount"]
    shown = clock_text(amount) if kind == "time" else amount
    return pick(forms[kind, constraint["mode"]], seed, kind, values).format(v=values, n=shown)


def _party(plan: Plan) -> tuple[int, int, int]:
    party = plan["people_composition"]
    return (party["adults"], party["children"], party["seniors"])
