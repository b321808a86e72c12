"""Generic words of place names: what kind of place a word stands for, and how large.

Nothing here names a single place. A kind groups words that stand for the same sort of thing
in Chinese and English; its scale says what can contain what.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Part of a sight, a building, a compound with a fence, an open area.
PART, BUILDING, COMPOUND, AREA = 0, 1, 2, 3

#: Within this distance (metres) a place of the scale can hold another, centre to centre.
REACH_M = {PART: 30.0, BUILDING: 120.0, COMPOUND: 900.0, AREA: 3_000.0}
#: Two points this far apart (metres) can still stand for one place of the scale.
SPREAD_M = {PART: 300.0, BUILDING: 800.0, COMPOUND: 3_000.0, AREA: 8_000.0}


@dataclass(frozen=True)
class Kind:
    """One kind of place: Chinese endings, English words, scale."""

    code: str
    scale: int
    zh: tuple[str, ...]
    en: tuple[str, ...]


def _kind(code: str, scale: int, zh: str, en: str) -> Kind:
    return Kind(code, scale, tuple(zh.split()), tuple(e.replace("_", " ") for e in en.split()))


#: What official names put before the word for a scenic area or resort, alone or two of them.
AREA_WORDS = (
    "",
    *[
        "文化",
        "生态",
        "旅游",
        "休闲",
        "自然",
        "历史",
        "民俗",
        "国家级",
        "国家",
        "国际",
        "山水",
        "田园",
        "温泉",
        "森林",
        "主题",
        "商贸",
        "滨海",
    ],
)
_AREAS = " ".join(
    dict.fromkeys(
        f"{one}{two}{base}"
        for base in ["景区", "风景区", "风景名胜区", "旅游区", "旅游景区", "保护区"]
        for one in AREA_WORDS
        for two in AREA_WORDS
        if one != two or not one
    )
)

KINDS: tuple[Kind, ...] = (
    _kind("scenic", AREA, f"{_AREAS} 景区 风景区 风景名胜区 名胜区 旅游区 旅游景区 文化旅游区 文化旅游景区 生态旅游区 "
          "生态文化旅游区 旅游风景区 自然风景区 自然风景名胜区 国家级风景名胜区 文化景区 文化风景区 "
          "风光带 风景带 景点 风景名胜 自然保护区 国家地质公园 风貌区 传统风貌区 历史风貌区 民俗风貌区 历史文化旅游区 旅游风景名胜区 名胜景区 "
          "休闲旅游区 文化旅游风景区",
          "scenic_area scenic_spot scenic_zone scenic_region scenic_site tourist_area "
          "scenic_and_historic_area tourism_area nature_reserve"),
    _kind("resort", AREA, "旅游度假区 国际度假区 度假区 国际旅游度假区 滨海旅游度假区 文化旅游度假区 生态旅游度假区 滨海度假区 度假村 旅游度假村", "resort holiday_resort"),
    _kind("park", COMPOUND, "公园 森林公园 国家森林公园 湿地公园 国家湿地公园 遗址公园 考古遗址公园 国家考古遗址公园 "
          "郊野公园 生态公园 文化公园 中央公园 纪念公园 体育公园 绿地 园博园",
          "park forest_park wetland_park national_park country_park"),
    _kind("trail", PART, "绿道 步道 栈道 登山道", "greenway trail path"),
    _kind("theme_park", COMPOUND, "乐园 游乐园 主题公园 主题乐园 欢乐谷 水上乐园 水乐园 海洋公园 海洋乐园 海洋王国 "
          "水世界 欢乐世界 冰雪世界 嬉水乐园 水公园 大世界",
          "amusement_park theme_park water_park paradise ocean_park"),
    _kind("zoo", COMPOUND, "动物园 野生动物园 动物世界 野生动物世界 动物公园", "zoo safari_park wildlife_park"),
    _kind("botanical", COMPOUND, "植物园 植物公园 花卉园", "botanical_garden botanic_garden"),
    _kind("garden", COMPOUND, "园 花园 园林 庄园 御园 山庄", "garden gardens villa"),
    _kind("lake", AREA, "湖 海 湖泊 水库 湿地", "lake reservoir wetland"),
    _kind("mountain", AREA, "山 岭", "mountain mount hill mt mountains hills"),
    _kind("river", AREA, "河 江 运河 大运河 溪 古运河", "river canal creek"),
    _kind("wall", AREA, "长城 城墙 古城墙", "wall great_wall city_wall"),
    _kind("gorge", COMPOUND, "峡 峡谷 大峡谷 沟 谷", "gorge gorges canyon valley"),
    _kind("beach", COMPOUND, "沙滩 海滩 海滨 江滩 滩 湾 浴场", "beach bay waterfront"),
    _kind("island", AREA, "岛 半岛 洲", "island peninsula"),
    _kind("town", AREA, "古镇 古城 镇 水乡 小镇 老城 城", "ancient_town old_town town water_town city ancient_city"),
    _kind("village", AREA, "古村 村 古村落 寨 庄", "village ancient_village"),
    _kind("street", COMPOUND, "街 大街 老街 古街 步行街 商业街 路 大道 胡同 巷 巷子 弄 里弄 街区 历史街区 历史文化街区 "
          "历史文化风貌区 文化街 酒吧街 美食街 小吃街 一条街 小吃一条街 美食一条街 坊 横街 夜市",
          "street market road avenue alley alleys lane lanes hutong pedestrian_street old_street "
          "ancient_street block quarter night_market"),
    _kind("square", COMPOUND, "广场", "square plaza"),
    _kind("mall", COMPOUND, "购物中心 商场 商城 百货 天地 购物村", "mall shopping_mall shopping_center"),
    _kind("art_zone", COMPOUND, "艺术区 创意园 创意园区 文化创意园 文创园 产业园", "art_zone art_district creative_park"),
    _kind("palace", COMPOUND, "宫 皇宫 行宫", "palace"),
    _kind("castle", COMPOUND, "城堡 堡垒", "castle fort fortress citadel"),
    _kind("forest", AREA, "森林", "forest grove bamboo_grove"),
    _kind("base", COMPOUND, "基地 研究基地", "base research_base"),
    _kind("campus", COMPOUND, "大学 校区 学院", "university college campus"),
    _kind("grottoes", COMPOUND, "石窟 石刻 造像 摩崖石刻", "grottoes rock_carvings grotto carvings"),
    _kind("site", COMPOUND, "遗址 古遗址", "site ruins relics"),
    _kind("former_site", BUILDING, "旧址 故址 会址", "former_site"),
    _kind("temple", BUILDING, "寺 禅寺 讲寺 寺庙 庙 庵 观 道观 禅院 院", "temple monastery nunnery"),
    _kind("altar", COMPOUND, "坛", "altar"),
    _kind("shrine", BUILDING, "祠 祠堂 宗祠", "shrine ancestral_hall memorial_temple"),
    _kind("mosque", BUILDING, "清真寺", "mosque"),
    _kind("church", BUILDING, "教堂 大教堂 天主教堂 天主堂 基督教堂 圣堂", "church cathedral basilica chapel abbey"),
    _kind("tomb", COMPOUND, "陵 陵墓 陵园 墓群", "mausoleum cemetery tombs"),
    _kind("grave", PART, "墓 古墓 之墓", "tomb grave"),
    _kind("museum", BUILDING, "博物馆 博物院 文物馆", "museum"),
    _kind("memorial", BUILDING, "纪念馆 陈列馆 纪念堂", "memorial_hall memorial memorial_museum"),
    _kind("exhibition", BUILDING, "展览馆 展示馆 规划馆 展示中心 展览中心", "exhibition_hall exhibition_center"),
    _kind("gallery", BUILDING, "美术馆 艺术馆 艺术博物馆 艺术博物院 画院 艺术中心", "art_museum art_gallery gallery"),
    _kind("science", BUILDING, "科技馆 科学技术馆 天文馆 科学中心 天文台",
          "science_and_technology_museum planetarium science_center observatory"),
    _kind("library", BUILDING, "图书馆 书院 书店", "library academy bookstore"),
    _kind("aquarium", BUILDING, "海洋馆 水族馆 海洋世界 海底世界 海洋极地世界", "aquarium ocean_world"),
    _kind("theatre", BUILDING, "剧院 大剧院 剧场 音乐厅 戏院", "theatre theater opera_house concert_hall grand_theatre"),
    _kind("stadium", BUILDING, "体育场 体育中心", "stadium sports_center"),
    _kind("gymnasium", BUILDING, "体育馆 游泳中心", "gymnasium arena aquatics_center"),
    _kind("residence", BUILDING, "故居 旧居 府 王府 府邸 公馆 大院 宅 大宅 宅第", "residence mansion former_residence house"),
    _kind("tower", BUILDING, "塔 宝塔 电视塔 楼 阁 大厦 大楼 钟楼 鼓楼",
          "tower pagoda building pavilion tv_tower plaza_building"),
    _kind("lodging", BUILDING, "酒店 大酒店 宾馆 饭店 民宿 客栈 公寓 旅馆 旅舍 青年旅舍 酒店公寓 公寓酒店",
          "hotel hostel guesthouse inn"),
    _kind("station", BUILDING, "站 地铁站 轻轨站 火车站 高铁站 车站",
          "station metro_station light_rail_station railway_station"),
    _kind("gate", PART, "门 城门 城楼 瓮城", "gate city_gate"),
    _kind("monument", PART, "纪念碑 碑 纪念塔 牌坊", "monument arch"),
    _kind("hall", PART, "殿 大殿 厅 堂", "hall"),
    _kind("bridge", PART, "桥 大桥 古桥", "bridge"),
    _kind("causeway", PART, "堤", "causeway"),
    _kind("cave", PART, "洞 溶洞 岩洞", "cave cavern"),
    _kind("peak", PART, "峰 岩 石 崖 壁", "peak rock cliff"),
    _kind("spring", PART, "泉 温泉 瀑布 池 潭 井", "spring waterfall pool pond hot_spring fountain"),
    _kind("pavilion", PART, "亭 榭 水榭 轩 舫 台 戏台 古戏台 书房", "pavilion kiosk stage terrace"),
    _kind("statue", PART, "雕像 石雕 铜雕 雕塑 铜像 塑像", "statue sculpture"),
    _kind("boat", PART, "游船 画舫 夜游 游轮 游览 游船码头 观光船 冰场 观光车", "cruise boat_tour boat cruises"),
    _kind("pier", PART, "码头 渡口 渡", "pier wharf dock ferry"),
    _kind("cableway", PART, "索道 缆车 滑道 小火车 摩天轮 过山车", "cable_car ropeway cableway ferris_wheel"),
    _kind("entrance", PART, "入口 出口 北门 南门 东门 西门 正门 大门 后门 东北门 西北门 东南门 西南门 售票处 游客中心 "
          "游客服务中心 停车场 管理处 管理委员会 检票口",
          "entrance exit north_gate south_gate east_gate west_gate main_gate visitor_center "
          "parking_lot ticket_office"),
    _kind("deck", PART, "观光层 观景台 观景平台 观光厅 观光区 太空舱 观光台", "observation_deck viewing_platform observatory_deck"),
    _kind("branch", PART, "馆区 展区 展馆 展厅 特展厅 分馆 遗迹馆 馆 店 旗舰店 片区 区", "branch wing"),
)  # fmt: skip

BY_CODE: dict[str, Kind] = {kind.code: kind for kind in KINDS}
_ENDINGS: dict[str, Kind] = {word: kind for kind in KINDS for word in kind.zh}
#: What ends the name of a branch in brackets.
BRANCH_ENDINGS = ("店", "路", "站", "校区", "层", "系列", "期", "段", "线", "航线", "基地")
_LONGEST = max(map(len, _ENDINGS))
EN_KINDS: dict[str, Kind] = {word: kind for kind in KINDS for word in kind.en}

#: Endings that say nothing: with or without one it is the same place.
GENERIC = frozenset(BY_CODE["scenic"].zh) | frozenset(BY_CODE["resort"].zh)
#: Endings that official or popular use adds to a whole name without meaning another place,
#: unless the coordinates lie apart.
SOFT = frozenset([
    "公园", "大街", "街", "古街", "老街", "步行街", "商业街", "广场", "岛", "山", "古镇", "古城", "镇", "大厦", "博物馆",
    "博物院", "塔", "电视塔", "广播电视塔", "遗址", "城楼", "瓮城", "历史街区", "历史文化街区", "街区", "禅寺", "寺", "胡同", "陵园",
    "文化园", "艺术区", "创意园", "森林公园", "湿地公园", "国家森林公园", "国家湿地公园", "遗址公园", "文化公园", "主题公园", "纪念公园", "故址", "校区", "旅游小镇", "园林",
    "商圈", "大学", "长城",
])  # fmt: skip
SOFT_EN = frozenset([
    "park", "garden", "street", "square", "island", "mountain", "town", "ancient town", "old town", "building",
    "tower", "museum", "site", "hill", "road", "avenue", "pedestrian street", "tv tower", "great wall",
])  # fmt: skip
#: Endings that stand for each other.
SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "博物馆 博物院", "海洋公园 海洋乐园", "教堂 大教堂 天主教堂 天主堂", "寺 禅寺 寺庙 禅院", "祠 祠堂",
        "宗祠 祠堂", "街 大街 古街 老街 步行街 商业街 街区 历史街区 历史文化街区", "故居 旧居", "旧址 会址", "旧址 遗址", "古镇 镇 古城 老城", "站 地铁站 轻轨站", "巷 巷子", "美术馆 艺术馆 艺术博物馆 艺术博物院",
        "科技馆 科学技术馆", "陵 陵墓", "墓 之墓 古墓", "剧院 大剧院", "索道 缆车",
        "水上乐园 水乐园 水公园 嬉水乐园", "古村 古村落", "湿地 湿地公园 国家湿地公园", "森林公园 国家森林公园", "江滩 滩", "夜市 美食街", "运河 大运河", "城墙 古城墙",
    )
)  # fmt: skip
#: Things that carry the name of a sight beside them without being part of it.
BESIDE = (
    "大桥", "长江大桥", "酒店", "宾馆", "饭店", "商城", "商厦", "购物中心", "百货", "地铁站", "火车站", "车站", "公交站", "故址", "隧道", "机场",
)  # fmt: skip
#: Provinces, as they stand in front of names.
PROVINCES = frozenset(
    [
        "河北",
        "山西",
        "辽宁",
        "吉林",
        "黑龙江",
        "江苏",
        "浙江",
        "安徽",
        "福建",
        "江西",
        "山东",
        "河南",
        "湖北",
        "湖南",
        "广东",
        "海南",
        "四川",
        "贵州",
        "云南",
        "陕西",
        "甘肃",
        "青海",
        "台湾",
        "内蒙古",
        "广西",
        "西藏",
        "宁夏",
        "新疆",
        "北京",
        "天津",
        "上海",
        "重庆",
        "香港",
        "澳门",
    ]
)
#: Owners in front of a name leave the place the same; a show in front is only held there.
OWNERS = ("科学院", "中科院", "集团", "公司", "局")
SHOWS = ("夜", "夜上", "夜游", "夜泊", "梦回", "飞越", "飞跃", "穿越")
#: First-level divisions of China by GeoNames code: what may stand in front of a name.
PROVINCE_OF = {
    "01": "安徽", "02": "浙江", "03": "江西", "04": "江苏", "05": "吉林", "06": "青海", "07": "福建",
    "08": "黑龙江", "09": "河南", "10": "河北", "11": "湖南", "12": "湖北", "13": "新疆", "14": "西藏",
    "15": "甘肃", "16": "广西", "18": "贵州", "19": "辽宁", "20": "内蒙古", "21": "宁夏", "24": "山西",
    "25": "山东", "26": "陕西", "29": "云南", "30": "广东", "31": "海南", "32": "四川",
}  # fmt: skip
#: Directions and degrees in front of a name make another place of it.
OTHER_ONE = frozenset("外内东西南北中新小大上下前后左右高低")
#: Words in front of a name that leave the place the same.
SAME_ONE = frozenset("古老")
#: Fillers inside temple and city names.
FILLERS = ("禅", "亲", "市", "省", "古", "老", "国家级", "省级", "著名", "历史文化")
#: Descriptions that some sources put before the proper name.
DESCRIPTIONS = (
    "南宋", "北宋", "西汉", "东汉", "明代", "清代", "唐代", "宋代", "古典园林", "世界遗产", "国家5a级", "5a", "4a", "世界文化遗产", "打卡", "网红", "原", "中国",
)  # fmt: skip
#: Kinds whose ending, as official names add it, is loose wherever a sight shares the rest.
LOOSE_KINDS = frozenset({"scenic", "resort", "park", "town"})
#: How far (metres) from a place of a kind a smaller sight of another name still lies in it;
#: a kind not listed here holds none. Chosen by the usual size of such places.
HOLDS_M: dict[str, float] = {
    "scenic": 3_000.0, "resort": 2_500.0, "garden": 1_400.0, "palace": 1_000.0, "altar": 900.0, "tomb": 800.0,
    "town": 900.0, "park": 900.0, "village": 500.0, "mountain": 600.0, "island": 800.0, "lake": 600.0,
    "campus": 800.0, "theme_park": 400.0, "zoo": 400.0, "botanical": 400.0, "site": 300.0, "base": 300.0,
    "shrine": 250.0, "temple": 150.0, "square": 120.0, "mall": 100.0, "tower": 60.0, "street": 40.0, "museum": 40.0,
}  # fmt: skip
#: How far (metres) rivers, lakes and mountains with a name of two characters or more run on.
RUNS_M = {"river": 50_000.0, "lake": 30_000.0, "mountain": 20_000.0}
#: Museums are named after the sight that they stand in; of these kinds they take the scale.
HOUSES_MUSEUM = frozenset({"palace", "garden", "site", "shrine", "temple", "tomb"})
#: ... and in these a museum of the same name is only a part.
HOLDS_MUSEUM = frozenset({"lodging", "street", "town", "village", "park", "garden", "campus"})
#: What is named after landscape is a part of it or beside it, unless it is its park.
LANDSCAPE = frozenset({"lake", "mountain", "river", "island"})
PARKS = frozenset(BY_CODE["park"].zh) | {"山", "岛"}
#: Landscape lies in scenic areas, parks and gardens, and in no town or street.
NATURAL = frozenset({"lake", "gorge", "beach", "island", "mountain"})
HOLDS_NATURE = frozenset({"scenic", "resort", "garden", "park"})
#: A name that tells no kind holds others only at its very point.
HOLDS_UNKNOWN_M = 40.0
#: Endings of things that lie all over a large sight: piers, boats, gates, cable cars, decks.
SCATTERED = frozenset({"boat", "pier", "entrance", "cableway", "gate", "deck"})
#: Public houses take the name of their district, which may be that of a hill or lake.
PUBLIC = frozenset(
    {"museum", "library", "gymnasium", "stadium", "theatre", "gallery", "science", "exhibition"}
)
#: What even a gate, bridge or cave can hold.
SMALL_PARTS = frozenset({"entrance", "cableway", "statue", "deck", "monument", "boat"})
#: Sights that run on for kilometres: "city wall" holds "X gate wall".
LINEAR = frozenset({"wall", "river"})


def are_synonyms(one: str, other: str) -> bool:
    """Whether two endings stand for each other."""
    both_generic = one in GENERIC and other in GENERIC
    if one == other or both_generic or any(one in g and other in g for g in SYNONYMS):
        return True
    short, long = sorted((one, other), key=len)
    return long == f"大{short}" and bool(short) and _ENDINGS[long] is _ENDINGS[short]


def gains_street(kind: Kind | None, rest: str) -> bool:
    """Whether a lane's name goes on with another word for a street."""
    found = ending(rest)
    return bool(kind and found and kind.code == "street" == found[1].code and len(rest) <= 5)


def ending(text: str) -> tuple[str, Kind] | None:
    """The longest ending of a Chinese name that names a kind, and the kind."""
    for length in range(min(_LONGEST, len(text)), 0, -1):
        kind = _ENDINGS.get(text[-length:])
        if kind is not None:
            return text[-length:], kind
    return None


def is_branch(text: str) -> bool:
    """Whether a text in brackets names a branch, an entrance or another part."""
    found = ending(text)
    return bool(found and found[1].scale == PART) or text.endswith(BRANCH_ENDINGS)


def is_loose(ending: str, kind: Kind | None) -> bool:
    """Whether an ending may come or go without naming another place."""
    if ending in GENERIC or ending in SOFT:
        return True
    return kind is not None and kind.code in LOOSE_KINDS and len(ending) > 1


def is_region(text: str) -> bool:
    """Whether a text is a province, city, district or town, with or without its suffix."""
    from schemas.cities import chinese_place_names

    bare = text[:-1] if len(text) > 2 and text[-1] in "省市县区镇" else text
    return bare in PROVINCES or bare in chinese_place_names()
