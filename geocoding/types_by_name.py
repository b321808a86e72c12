"""The attraction type that a name alone shows, for places that only documents know.

Only endings that leave no doubt: of the 1,366 places that documents alone know in the ten cities
459 get a type, and 97 of 100 are right by reading them (two draws of 50 by seed). The endings
agree with the tags of the tables' rows on 90 % of 977. A hill may be a rockery, a lake a park, a
tower a television tower and a garden a block of flats: such endings, like those on which the
tables disagree (a town, a library), tell nothing, and the type stays unknown.
"""

from __future__ import annotations

import re

_BY_ENDING = {
    word: code
    for code, words in (
        ("museum_memorial", "博物馆 博物院 纪念馆 陈列馆 纪念堂"),
        ("art_gallery", "美术馆"),
        ("university_campus", "大学"),
        (
            "historic_site",
            "寺 庙 庵 道观 祠 祠堂 石窟 遗址 故居 旧居 旧址 故址 王府 陵 墓 城墙 长城 教堂 天主堂",
        ),
        ("natural_scenery", "峡谷 瀑布 溶洞 沙滩 海滩"),
        ("park", "公园"),
        (
            "amusement_sports",
            "动物园 动物世界 海洋馆 水族馆 海底世界 游乐园 欢乐谷 主题乐园 体育馆 体育场",
        ),
        ("commercial_district", "步行街 商业街 购物中心 美食街 小吃街"),
    )
    for word in words.split()
}
_LONGEST = max(map(len, _BY_ENDING))
#: Endings in 公园 that are no park, or one of several types.
_OTHER_PARKS = ("主题公园", "海洋公园", "动物公园", "遗址公园", "地质公园", "水上公园", "水公园")
_ENGLISH = tuple(
    (code, re.compile(rf"\w\s+(?:{words})$", re.IGNORECASE))
    for code, words in (
        ("museum_memorial", "museum|memorial hall"),
        ("historic_site", "temple|monastery|mosque|cathedral|former residence|mausoleum|ruins"),
        ("university_campus", "university"),
        ("natural_scenery", "waterfall|gorge|beach"),
        ("park", "(?<!theme )(?<!amusement )(?<!water )park"),
        ("amusement_sports", "zoo|aquarium|stadium"),
    )
)
_BRACKET = re.compile(r"[（(][^）)]*[）)]$")


def type_of_name(name: str) -> str | None:
    """Base type that the end of a Chinese or English name tells; None where it tells none."""
    bare = _BRACKET.sub("", name).strip()
    if bare.endswith(_OTHER_PARKS):
        return None
    for length in range(_LONGEST, 0, -1):
        code = _BY_ENDING.get(bare[-length:])
        if code is not None and len(bare) > length:
            return code
    return next((code for code, pattern in _ENGLISH if pattern.search(bare)), None)
