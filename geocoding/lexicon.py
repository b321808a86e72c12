"""Lists the generic words in place names, with the kind of place that each word means and the scale
of that kind.

No word in these lists is the name of a particular place. A kind groups the Chinese and English
words for the same sort of thing. The scale of a kind determines which other kinds a place of this
kind can contain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from schemas.cities import chinese_place_names
from schemas.word_lists import Lists

_LISTS = Lists("geocoding")

#: Scales: part of a sight, building, fenced compound, open area.
PART, BUILDING, COMPOUND, AREA = 0, 1, 2, 3

#: A place of each scale can contain another within this distance between centres (metres).
REACH_M = {PART: 30.0, BUILDING: 120.0, COMPOUND: 900.0, AREA: 3_000.0}
#: Two points within this distance (metres) can still be one place of the scale.
SPREAD_M = {PART: 300.0, BUILDING: 800.0, COMPOUND: 3_000.0, AREA: 8_000.0}


@dataclass(frozen=True)
class NameKind:
    """A kind of place, with Chinese endings, English words and a scale."""

    code: str
    scale: int
    zh: tuple[str, ...]
    en: tuple[str, ...]


#: One or two words that official names put before the word for a scenic area or resort.
AREA_WORDS = ("", *_LISTS.words("area_words"))
_AREAS = tuple(
    dict.fromkeys(
        f"{one}{two}{base}"
        for base in ["景区", "风景区", "风景名胜区", "旅游区", "旅游景区", "保护区"]
        for one in AREA_WORDS
        for two in AREA_WORDS
        if one != two or not one
    )
)
_SCALES = {"part": PART, "building": BUILDING, "compound": COMPOUND, "area": AREA}


def _kinds() -> Iterator[NameKind]:
    for code, scale, _, zh, en in _LISTS.table("kinds"):
        written = tuple(zh.split(", "))
        yield NameKind(
            code, _SCALES[scale], (*_AREAS, *written) if code == "scenic" else written,
            tuple(en.split(", ")),
        )  # fmt: skip


KINDS: tuple[NameKind, ...] = tuple(_kinds())
BY_CODE: dict[str, NameKind] = {kind.code: kind for kind in KINDS}
_ENDINGS: dict[str, NameKind] = {word: kind for kind in KINDS for word in kind.zh}
#: Endings of a branch's name in brackets.
BRANCH_ENDINGS = ("店", "路", "站", "校区", "层", "系列", "期", "段", "线", "航线", "基地")
_LONGEST = max(map(len, _ENDINGS))
EN_KINDS: dict[str, NameKind] = {word: kind for kind in KINDS for word in kind.en}

#: Endings that do not change the place.
GENERIC = frozenset(BY_CODE["scenic"].zh) | frozenset(BY_CODE["resort"].zh)
#: Endings that official or popular names add without meaning another place, unless the
#: coordinates are far apart.
SOFT = frozenset(_LISTS.words("soft_endings"))
SOFT_EN = frozenset(_LISTS.words("soft_endings_en"))
#: Endings that are interchangeable.
SYNONYMS = tuple(frozenset(group.split(", ")) for group in _LISTS.words("synonyms"))
#: Things that are named after a sight beside them without being part of it.
BESIDE = _LISTS.words("beside_endings")
#: Words after a place in the name of a view of it, and words that only mean "around there".
SCENES = frozenset(_LISTS.words("scene_words"))
VICINITY = frozenset(_LISTS.words("vicinity_words"))
#: Provinces as they occur before names.
PROVINCES = frozenset(_LISTS.words("provinces"))
#: An owner before a name does not change the place; a show before it only takes place there.
OWNERS = ("科学院", "中科院", "集团", "公司", "局")
SHOWS = ("夜", "夜上", "夜游", "夜泊", "梦回", "飞越", "飞跃", "穿越")
#: First-level divisions of China by GeoNames code, which may precede a name.
PROVINCE_OF = _LISTS.pairs("province_codes")
#: Directions and degrees before a name make it another place.
OTHER_ONE = frozenset("外内东西南北中新小大上下前后左右高低")
#: Words before a name that do not change the place.
SAME_ONE = frozenset("古老")
#: Fillers inside temple and city names.
FILLERS = ("禅", "亲", "市", "省", "古", "老", "国家级", "省级", "著名", "历史文化")
#: Descriptions that some sources put before a proper name.
DESCRIPTIONS = _LISTS.words("descriptions")
#: Kinds whose ending is optional if a sight has the same name without it.
LOOSE_KINDS = frozenset({"scenic", "resort", "park", "town"})
#: A smaller sight with another name is in a place of this kind up to this distance (metres);
#: other kinds contain no such sights.
HOLDS_M = {code: float(metres) for code, _, metres, *_ in _LISTS.table("kinds") if metres}
#: The extent (metres) of rivers, lakes and mountains with a name of at least two characters.
RUNS_M = {"river": 50_000.0, "lake": 30_000.0, "mountain": 20_000.0}
#: Museums are named after the sight that they are in; for these kinds they take its scale.
HOUSES_MUSEUM = frozenset({"palace", "garden", "site", "shrine", "temple", "tomb"})
#: ... and for these kinds a museum of the same name is only a part.
HOLDS_MUSEUM = frozenset({"lodging", "street", "town", "village", "park", "garden", "campus"})
#: A place named after landscape is a part of it or beside it, unless it is its park.
LANDSCAPE = frozenset({"lake", "mountain", "river", "island"})
PARKS = frozenset(BY_CODE["park"].zh) | {"山", "岛"}
#: Landscape is in scenic areas, parks and gardens, but not in towns or streets.
NATURAL = frozenset({"lake", "gorge", "beach", "island", "mountain"})
HOLDS_NATURE = frozenset({"scenic", "resort", "garden", "park"})
#: A place whose name has no kind contains others only at the same point.
HOLDS_UNKNOWN_M = 40.0
#: Endings of things spread over a large sight: piers, boats, gates, cable cars, decks.
SCATTERED = frozenset({"boat", "pier", "entrance", "cableway", "gate", "deck"})
#: Public buildings are named after their district, which may have a hill's or a lake's name.
PUBLIC = frozenset(
    {"museum", "library", "gymnasium", "stadium", "theatre", "gallery", "science", "exhibition"}
)
#: Parts that even a gate, bridge or cave can contain.
SMALL_PARTS = frozenset({"entrance", "cableway", "statue", "deck", "monument", "boat"})
#: Sights that extend for kilometres: "city wall" contains "X gate wall".
LINEAR = frozenset({"wall", "river"})


def are_synonyms(one: str, other: str) -> bool:
    """Check whether two endings are interchangeable."""
    both_generic = one in GENERIC and other in GENERIC
    if one == other or both_generic or any(one in g and other in g for g in SYNONYMS):
        return True
    short, long = sorted((one, other), key=len)
    return long == f"大{short}" and bool(short) and _ENDINGS[long] is _ENDINGS[short]


def gains_street(kind: NameKind | None, rest: str) -> bool:
    """Check whether a lane's name is followed by another word for a street."""
    found = ending(rest)
    return bool(kind and found and kind.code == "street" == found[1].code and len(rest) <= 5)


def ending(text: str) -> tuple[str, NameKind] | None:
    """Return the longest ending of a Chinese name that names a kind of place, together with that
    kind.
    """
    for length in range(min(_LONGEST, len(text)), 0, -1):
        if (kind := _ENDINGS.get(text[-length:])) is not None:
            return text[-length:], kind
    return None


def is_branch(text: str) -> bool:
    """Check whether a text in brackets names a branch, an entrance or another part."""
    found = ending(text)
    return bool(found and found[1].scale == PART) or text.endswith(BRANCH_ENDINGS)


def is_loose(ending: str, kind: NameKind | None) -> bool:
    """Check whether the name still means the same place if this ending is omitted."""
    if ending in GENERIC or ending in SOFT:
        return True
    return kind is not None and kind.code in LOOSE_KINDS and len(ending) > 1


def is_region(text: str) -> bool:
    """Check whether a text names a province, city, district or town, with or without its suffix."""
    bare = text[:-1] if len(text) > 2 and text[-1] in "省市县区镇" else text
    return bare in PROVINCES or bare in chinese_place_names()
