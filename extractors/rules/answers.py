"""The rules' answers to tasks that are not about a single document."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from extractors.rules.common.gazetteer import NameGazetteer
from extractors.rules.scan import scan
from extractors.tasks.name_reviews import Opinion
from extractors.tasks.name_tasks import (
    Attractions,
    Classification,
    Classified,
    Translated,
    TranslationRequest,
    Translations,
    Trend,
    in_pinyin,
)
from extractors.tasks.place_tasks import (
    TAG_FORMS,
    ContextInput,
    ContextTag,
    ContextTags,
    sentence_of,
)
from extractors.tasks.query_tasks import (
    RewriteRequest,
    SubQueries,
    Wording,
    Wordings,
    WrittenText,
)
from extractors.text import fold, locate
from schemas.descriptions import MOST_WORDS, word_count
from schemas.documents import BlockKind, Document
from schemas.reading import GazetteerEntry, Span
from schemas.taxonomy import TREND_TYPES
from schemas.word_lists import Lists

#: Name endings and words that show a base type; the most reliable come first.
_TYPES: tuple[tuple[str, str], ...] = (
    ("museum_memorial", r"博物[馆院]|纪念[馆堂]|陈列馆|展览馆|科技馆|museum|memorial"),
    ("art_gallery", r"美术馆|艺术馆|画廊|gallery|art cent"),
    ("university_campus", r"大学|学院$|校区|university|campus"),
    ("library", r"图书馆|书院$|library"),
    ("red_site", r"革命|烈士|红军|起义|抗战|revolution|martyr"),
    (
        "amusement_sports",
        r"乐园|游乐|欢乐谷|动物园|海洋馆|水族馆|体育|滑雪|zoo|aquarium|theme park|stadium",
    ),
    (
        "historic_site",
        r"[寺庙庵观塔陵墓祠宫]$|故居|遗址|古城|城墙|长城|石窟|王府|教堂|清真寺|temple|pagoda|"
        r"tomb|palace|ruins|mosque|church|great wall|grotto|former residence",
    ),
    ("garden", r"[园苑]林|拙政|植物园|花园|garden"),
    (
        "natural_scenery",
        r"[山湖峰峡谷岛江河溪泉海瀑湾滩]$|森林|湿地|草原|溶洞|mountain|lake|valley|"
        r"island|waterfall|forest|beach|gorge|cave",
    ),
    ("park", r"公园|广场|park\b|square"),
    ("commercial_district", r"[街巷路坊里]$|步行街|商圈|购物|street|lane|mall|market"),
    (
        "cultural_tourism_area",
        r"古镇|水乡|度假区|旅游区|风景区|景区|小镇|resort|scenic area|ancient town",
    ),
    ("cultural_landscape", r"[桥楼阁台亭门]$|大厦|电视塔|剧院|bridge|tower|theat|opera"),
)
_TREND_WORDS = {
    "internet_famous": r"网红|打卡|出片|instagram|influencer",
    "immersive": r"沉浸|immersive",
    "night_economy": r"夜市|夜景|夜游|night market|night view|after dark",
    "family_friendly": r"亲子|遛娃|带娃|孩子|with kids|family|children",
    "hidden_gem": r"小众|冷门|秘境|hidden gem|off the beaten",
    "city_landmark": r"地标|名片|landmark",
    "food_destination": r"美食|小吃|吃货|street food|food street|snacks",
    "festival_limited": r"灯会|庙会|节庆|festival",
    "intangible_heritage": r"非遗|非物质文化|intangible",
    "pet_friendly": r"宠物|猫咖|pet",
}
_EN_TYPES = Lists("extractors.rules").table("type_words")


def rewritten(item: RewriteRequest) -> SubQueries:
    """Return the query with additional words that documents on its subject typically contain."""
    tails = {
        "poi": ("必去景点推荐", "景点大全 排名", "attractions things to see"),
        "route": ("旅游攻略 行程安排 路线", "游记 第一天 第二天", "itinerary"),
        "inquiry": ("开放时间 门票", "游玩时长 最佳时间", "opening hours tickets"),
    }[item.purpose]
    named = (
        item.query
        if locate(item.city_zh, item.query) or locate(item.city_en, item.query)
        else (f"{item.city_zh} {item.query}")
    )
    start = f"{item.city_zh} {item.poi}" if item.poi else named
    return SubQueries(sub_queries=tuple(WrittenText(text=f"{start} {tail}") for tail in tails))


def classify(item: Attractions) -> Classification:
    """Return the base type, based on the name, and trending types, based on the description."""
    found = []
    for place in item.places:
        base = next((code for code, p in _TYPES if re.search(p, place.name, re.IGNORECASE)), None)
        text = f"{place.name}\n{place.description}"
        trends = [
            Trend(code=term.code, evidence=match[0])
            for term in TREND_TYPES
            if (match := re.search(_TREND_WORDS[term.code], text, re.IGNORECASE))
        ]
        found.append(Classified(name=place.name, base=base, trends=tuple(trends)))
    return Classification(places=tuple(found))


def translate_names(item: TranslationRequest) -> Translations:
    """Return known translations; other Chinese names get pinyin and the English word for the
    type.
    """
    known = {fold(a): b for a, b in item.glossary}
    found = []
    for text in dict.fromkeys(item.texts):
        if fold(text) in known:
            found.append(Translated(text=text, translation=known[fold(text)], origin="known"))
        elif item.source == "zh" and re.fullmatch(r"[\u4e00-\u9fff]{2,12}", text):
            found.append(Translated(text=text, translation=_in_pinyin(text), origin="transcribed"))
        else:
            found.append(Translated(text=text, origin="unknown"))
    return Translations(texts=tuple(found))


def _in_pinyin(name: str) -> str:
    ending, word = next(
        ((zh, en) for zh, en in _EN_TYPES if name.endswith(zh) and len(name) > len(zh)), ("", "")
    )
    sounds = in_pinyin(name.removesuffix(ending)).capitalize()
    return f"{sounds} {word}".strip()


def tag_contexts(item: ContextInput) -> ContextTags:
    """Return the facts that the rules read in the passages, and the sentence that names the
    place.
    """
    entry = GazetteerEntry(standard=item.poi, names=item.names)
    lines: list[tuple[BlockKind, int, str, bool]] = [
        ("paragraph", 0, line, False) for line in item.text.split("\n")
    ]
    lang: Literal["zh", "en"] = "zh" if re.search(r"[\u4e00-\u9fff]", item.text) else "en"
    document = Document.from_texts("passages", "passages", lines, lang=lang)
    found = scan(document, NameGazetteer((entry,)))
    own = {fold(name) for name in (item.poi, *item.names)}
    tags = [
        ContextTag.model_validate({"field": f.field, "value": f.value, "span": f.span})
        for f in found.facts.facts
        if fold(f.poi) in own
        and f.is_general
        and re.fullmatch(TAG_FORMS.get(f.field, "(?!)"), f.value)
    ]
    for name in (item.poi, *item.names):
        if at := locate(name, item.text):
            start, end = sentence_of(item.text, Span(start=at[0], end=at[1]))
            words = word_count(item.text[start:end])
            if len(name) < end - start and words <= MOST_WORDS and start < end:
                span = Span(start=start, end=end)
                value = item.text[start:end].strip()
                tags.append(ContextTag(field="description", value=value, span=span))
            break
    return ContextTags(tags=tuple(tags))


ANSWERS: dict[str, Callable[[Any], Any]] = {
    "query_rewording": lambda item: Wordings(texts=(Wording(text=item.text),)),
    "sub_query_rewriting": rewritten,
    "attraction_classification": classify,
    "translation": translate_names,
    "context_tagging": tag_contexts,
    "poi_review": lambda item: Opinion(name=item.name),
}
