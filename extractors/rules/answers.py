"""What the rules answer to the tasks that read no single document."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Literal

from extractors.rules.common.forms import same_name
from extractors.rules.common.gazetteer import Gazetteer
from extractors.rules.scan import scan
from extractors.tasks.name_tasks import (
    Attractions,
    Classification,
    Classified,
    DroppedName,
    KeptName,
    Names,
    Purified,
    Ranking,
    RankingRequest,
    Translated,
    TranslationRequest,
    Translations,
    Trend,
    ranking,
)
from extractors.tasks.place_tasks import (
    LEAST_LIKENESS,
    TAG_FORMS,
    CleanRoute,
    CleanVisit,
    ConsistencyInput,
    ContextInput,
    ContextTag,
    ContextTags,
    Judgement,
    Judgements,
    NoisyRoute,
    days_differ,
    sentence_of,
)
from extractors.tasks.poi_review import Opinion
from extractors.tasks.query_rewording import Wording, Wordings
from extractors.tasks.query_tasks import (
    Element,
    QueryRequest,
    RewriteRequest,
    SeedQueries,
    Standard,
    SubQueries,
    WrittenQueries,
    WrittenText,
    words_of,
)
from extractors.text import fold, locate
from schemas.descriptions import MOST_WORDS, word_count
from schemas.documents import BlockKind, Document
from schemas.reading import GazetteerEntry, Span
from schemas.tasks import DocumentInput
from schemas.taxonomy import CONSTRAINTS, TPRAG_CITIES, TREND_TYPES
from schemas.word_lists import Lists

_HAN_NUMBERS = "零一二三四五六七八九十"
_DAYS = re.compile(r"(?:\d{1,2}|[一二两三四五六七八九十])\s*[日天]游?|\b\w+[\s-]days?\b")
_NO_SIGHT = re.compile(
    r"(?:酒店|宾馆|旅馆|客栈|民宿|饭店|餐厅|饭馆|火锅店?|面馆|咖啡馆?|机场|火车站|高铁站|地铁站|"
    r"汽车站|客运站|影城|电影院|网吧|SPA|足浴|KTV|超市)$|"
    r"\b(?:hotel|hostel|inn|restaurant|caf[eé]|airport|railway station|metro station|bus station|"
    r"cinema|spa|supermarket)$",
    re.IGNORECASE,
)
_ENTRANCE = re.compile(
    r"[\s·（(\-—]*(?:东|南|西|北|正|侧|后)?(?:门|入口|出口|售票处|游客中心|停车场)[)）]?$|"
    r"[\s\-—(]*(?:(?:north|south|east|west|main)\s+)?(?:gate|entrance|exit|ticket office)\)?$",
    re.IGNORECASE,
)
#: Name endings and words of the base types, the more telling first.
_TYPES: tuple[tuple[str, str], ...] = (
    ("museum_memorial", r"博物[馆院]|纪念[馆堂]|陈列馆|展览馆|科技馆|museum|memorial"),
    ("art_gallery", r"美术馆|艺术馆|画廊|gallery|art cent"),
    ("university_campus", r"大学|学院$|校区|university|campus"),
    ("library", r"图书馆|书院$|library"),
    ("red_site", r"革命|烈士|红军|起义|抗战|revolution|martyr"),
    ("amusement_sports", r"乐园|游乐|欢乐谷|动物园|海洋馆|水族馆|体育|滑雪|zoo|aquarium|theme park|stadium"),
    ("historic_site", r"[寺庙庵观塔陵墓祠宫]$|故居|遗址|古城|城墙|长城|石窟|王府|教堂|清真寺|temple|pagoda|"
                      r"tomb|palace|ruins|mosque|church|great wall|grotto|former residence"),
    ("garden", r"[园苑]林|拙政|植物园|花园|garden"),
    ("natural_scenery", r"[山湖峰峡谷岛江河溪泉海瀑湾滩]$|森林|湿地|草原|溶洞|mountain|lake|valley|"
                        r"island|waterfall|forest|beach|gorge|cave"),
    ("park", r"公园|广场|park\b|square"),
    ("commercial_district", r"[街巷路坊里]$|步行街|商圈|购物|street|lane|mall|market"),
    ("cultural_tourism_area", r"古镇|水乡|度假区|旅游区|风景区|景区|小镇|resort|scenic area|ancient town"),
    ("cultural_landscape", r"[桥楼阁台亭门]$|大厦|电视塔|剧院|bridge|tower|theat|opera"),
)  # fmt: skip
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


def standard(item: SeedQueries) -> Standard:
    """The taxonomy's words that the queries use, by element."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for query in item.queries:
        for _slug, city in TPRAG_CITIES:
            if locate(city, query):
                found["city"][city] = None
        for match in _DAYS.finditer(query):
            found["days"][match[0]] = None
        for kind, terms in CONSTRAINTS.items():
            for word in (word for term in terms for word in words_of(term)):
                if locate(word, query):
                    found[kind][word] = None
    elements = (Element(name=name, words=tuple(words)) for name, words in sorted(found.items()))
    return Standard(elements=tuple(elements))


def written(item: QueryRequest) -> WrittenQueries:
    """Queries by template."""
    term, days = item.term, item.n_days
    if item.lang == "zh":
        han = f"{_HAN_NUMBERS[days]}日" if days else ""
        words = [term.zh, *(w for w in term.words if not w.isascii())] if term else [""]
        tails = (f"{han}游" if days else "旅游", f"{han}游攻略" if days else "旅游攻略")
        found = [f"{item.city_zh}{word}{tail}" for tail in tails for word in words]
    else:
        length = f"{days}-day " if days else ""
        wish = f", {term.en}" if term else ""
        found = [
            f"{length}trip to {item.city_en}{wish}",
            f"{item.city_en} {length}itinerary{wish}",
            f"travel guide {item.city_en} {length}tour{wish}",
        ]
    return WrittenQueries(queries=tuple(WrittenText(text=text) for text in found))


def rewritten(item: RewriteRequest) -> SubQueries:
    """The query with the words that documents of its purpose have."""
    tails = {
        "poi": ("必去景点推荐", "景点大全 排名", "attractions things to see"),
        "route": ("旅游攻略 行程安排 路线", "游记 第一天 第二天", "itinerary"),
        "inquiry": ("开放时间 门票", "游玩时长 最佳时间", "opening hours tickets"),
    }[item.purpose]
    named = item.query if locate(item.city_zh, item.query) or locate(item.city_en, item.query) else (
        f"{item.city_zh} {item.query}"
    )  # fmt: skip
    start = f"{item.city_zh} {item.poi}" if item.poi else named
    return SubQueries(sub_queries=tuple(WrittenText(text=f"{start} {tail}") for tail in tails))


def purified(item: Names) -> Purified:
    """Names without hotels and the like, other cities' sights, repetitions and entrances."""
    others = [city for _slug, city in TPRAG_CITIES if city != item.city and city not in item.city]
    dropped: list[DroppedName] = []
    kept: list[str] = []
    for name in sorted(
        dict.fromkeys(item.names), key=lambda n: (len(fold(n)), item.names.index(n))
    ):
        if _NO_SIGHT.search(name):
            dropped.append(DroppedName(name=name, reason="not_attraction"))
        elif any(name.startswith(city) for city in others):
            dropped.append(DroppedName(name=name, reason="wrong_city"))
        elif same := next((k for k in kept if _repeats(k, name)), None):
            dropped.append(DroppedName(name=name, reason="duplicate", of=same))
        elif whole := next((k for k in kept if _inside(k, name)), None):
            dropped.append(DroppedName(name=name, reason="part", of=whole))
        else:
            kept.append(name)
    ordered = sorted(kept, key=item.names.index)
    return Purified(
        kept=tuple(KeptName(name=name) for name in ordered),
        dropped=tuple(sorted(dropped, key=lambda d: item.names.index(d.name))),
    )


def _repeats(kept: str, name: str) -> bool:
    bare = _ENTRANCE.sub("", name)
    return same_name(kept, name) or (bare != name and fold(bare) == fold(kept))


def _inside(kept: str, name: str) -> bool:
    """Whether a name is set as a part: the whole, a mark, the part."""
    return bool(re.match(rf"{re.escape(kept)}\s*[-—–·/]\s*\S", name))


def classified(item: Attractions) -> Classification:
    """Base type by the name's words, trending types by the description's."""
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


def translated(item: TranslationRequest) -> Translations:
    """Known pairs; else Chinese names in pinyin with the type's English word."""
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
    # pypinyin takes a quarter of a second to import.
    from pypinyin import lazy_pinyin

    ending, word = next(
        ((zh, en) for zh, en in _EN_TYPES if name.endswith(zh) and len(name) > len(zh)), ("", "")
    )
    sounds = "".join(lazy_pinyin(name.removesuffix(ending))).capitalize()
    return f"{sounds} {word}".strip()


def ranked(item: RankingRequest) -> Ranking:
    """By the sum, over the texts, of the reciprocal of the place at which a name first comes."""
    score: dict[str, float] = defaultdict(float)
    for text in item.texts:
        first = {name: at[0] for name in dict.fromkeys(item.names) if (at := locate(name, text))}
        for place, name in enumerate(sorted(first, key=lambda n: (first[n], n)), 1):
            score[name] += 1 / place
    return ranking(item, sorted(score, key=lambda name: (-round(score[name], 9), name)))


def denoised(item: NoisyRoute) -> CleanRoute:
    """The standard name that a stop is or is most like."""
    # Only needed here, and not at every start.
    from rapidfuzz import fuzz

    exact = {fold(n): s for s, names in reversed(item.standards) for n in (s, *names)}
    visits = []
    for visit in item.visits:
        chosen = exact.get(fold(visit.name))
        if chosen is None:
            forms = [(n, s) for s, names in item.standards for n in (s, *names)]
            alike = sorted(
                (-fuzz.ratio(fold(visit.name), fold(n)), s)
                for n, s in forms
                if same_name(visit.name, n) or fuzz.ratio(fold(visit.name), fold(n)) >= 85
            )
            chosen = alike[0][1] if alike and -alike[0][0] >= LEAST_LIKENESS else None
        visits.append(
            CleanVisit(day=visit.day, order=visit.order, name=visit.name, standard=chosen)
        )
    return CleanRoute(visits=tuple(visits))


def judged(item: ConsistencyInput) -> Judgements:
    """Inconsistent where a text names other days or an excluding wish; consistent where it names
    the city and the query's wish (or there is none)."""
    found = []
    for recalled in item.items:
        text = recalled.text
        city = next((at for name in item.city_names if (at := locate(name, text))), None)
        wish = next((at for word in item.constraint_words if (at := locate(word, text))), None)
        other = next((at for word in item.other_words if (at := locate(word, text))), None)
        shown: tuple[int, int] | None = None
        verdict = "unknown"
        if days_differ(text, item.n_days) and (match := _DAYS.search(text)):
            verdict, shown = "inconsistent", match.span()
        elif other and not wish:
            verdict, shown = "inconsistent", other
        elif city and (wish or not item.constraint_words):
            verdict, shown = "consistent", wish or city
        span = Span(start=shown[0], end=shown[1]) if shown else None
        found.append(
            Judgement.model_validate(
                {"item_id": recalled.item_id, "verdict": verdict, "span": span}
            )
        )
    return Judgements(items=tuple(found))


def tagged(item: ContextInput) -> ContextTags:
    """The facts that the rules read in the passages, and the sentence that names the place."""
    entry = GazetteerEntry(standard=item.poi, names=item.names)
    lines: list[tuple[BlockKind, int, str, bool]] = [
        ("paragraph", 0, line, False) for line in item.text.split("\n")
    ]
    lang: Literal["zh", "en"] = "zh" if re.search(r"[\u4e00-\u9fff]", item.text) else "en"
    document = Document.from_texts("passages", "passages", lines, lang=lang)
    found = scan(DocumentInput(document=document, gazetteer=(entry,)), Gazetteer((entry,)))
    own = {fold(name) for name in (item.poi, *item.names)}
    tags = [
        ContextTag.model_validate({"field": f.field, "value": f.value, "span": f.span})
        for f in found.facts
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
    "query_standard": standard,
    "query_writing": written,
    "query_rewording": lambda item: Wordings(texts=(Wording(text=item.text),)),
    "sub_query_rewriting": rewritten,
    "poi_purification": purified,
    "attraction_classification": classified,
    "translation": translated,
    "popularity_ranking": ranked,
    "trajectory_denoising": denoised,
    "consistency_judgement": judged,
    "context_tagging": tagged,
    "poi_review": lambda item: Opinion(name=item.name),
}
