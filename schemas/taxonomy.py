"""Closed vocabularies with Chinese and English names, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """One entry of a taxonomy. ``words`` are further forms found in texts."""

    code: str
    zh: str
    en: str
    words: tuple[str, ...] = ()


def codes(terms: tuple[Term, ...]) -> tuple[str, ...]:
    """Codes of a taxonomy, in its order."""
    return tuple(term.code for term in terms)


def by_zh(terms: tuple[Term, ...]) -> dict[str, Term]:
    """Terms of a taxonomy by their Chinese name."""
    return {term.zh: term for term in terms}


# --- TP-RAG, appendix A.1 and table 2 -------------------------------------------------------

#: The 30 cities of TP-RAG (appendix A.1), in the paper's order: slug, Chinese name.
TPRAG_CITIES: tuple[tuple[str, str], ...] = (
    ("chongqing", "重庆"), ("wuhan", "武汉"), ("sanya", "三亚"), ("luoyang", "洛阳"),
    ("beijing", "北京"), ("nanjing", "南京"), ("shanghai", "上海"), ("xian", "西安"),
    ("qingdao", "青岛"), ("guiyang", "贵阳"), ("fuzhou", "福州"), ("xiamen", "厦门"),
    ("hangzhou", "杭州"), ("shaoxing", "绍兴"), ("guilin", "桂林"), ("jinan", "济南"),
    ("zhaoqing", "肇庆"), ("foshan", "佛山"), ("chengdu", "成都"), ("changchun", "长春"),
    ("suzhou", "苏州"), ("rizhao", "日照"), ("yantai", "烟台"), ("huangshan", "黄山"),
    ("yangzhou", "扬州"), ("zhangjiajie", "张家界"), ("guangzhou", "广州"),
    ("nanning", "南宁"), ("jilin", "吉林"), ("binzhou", "滨州"),
)  # fmt: skip

SEASONS = (
    Term("spring", "春季", "spring", ("春天", "春日", "阳春", "赏花", "踏青", "springtime")),
    Term("summer", "夏季", "summer", ("夏天", "夏日", "暑假", "避暑", "summertime")),
    Term("autumn", "秋季", "autumn", ("秋天", "秋日", "金秋", "红叶", "桂花", "fall foliage")),
    Term("winter", "冬季", "winter", ("冬天", "冬日", "雪景", "下雪", "寒假", "snow")),
)
HOLIDAYS = (
    Term("spring_festival", "春节", "Spring Festival", ("过年", "新年", "Chinese New Year")),
    Term("qingming", "清明", "Qingming Festival", ("清明节", "Tomb Sweeping")),
    Term("labor_day", "五一", "Labour Day", ("劳动节", "五一假期", "May Day", "Labor Day")),
    Term("dragon_boat", "端午", "Dragon Boat Festival", ("端午节", "Dragon Boat")),
    Term("mid_autumn", "中秋", "Mid-Autumn Festival", ("中秋节", "Mid-Autumn")),
    Term(
        "national_day", "国庆", "National Day", ("国庆节", "十一假期", "十一黄金周", "Golden Week")
    ),
)
POI_CATEGORIES = (
    Term("natural_landscape", "自然风光", "natural landscapes"),
    Term("historical_cultural", "历史文化", "historical and cultural heritage"),
    Term("leisure_recreation", "休闲娱乐", "leisure and recreation areas"),
    Term("art_technology", "艺术科技", "art and technology hubs"),
    Term("city_sightseeing", "城市观光", "city sightseeing"),
    Term("religious_spiritual", "宗教文化", "religious and spiritual sites"),
)
TRAVELLERS = (
    Term("senior", "老年", "senior", ("爸妈", "父母", "老人", "长辈", "seniors", "elderly", "my parents")),
    Term("single", "单人", "single", ("独自", "一个人", "独行", "solo", "on my own", "alone")),
    Term("couple", "情侣", "couple", ("两个人", "二人世界", "女朋友", "男朋友", "my girlfriend",
                                     "my boyfriend", "my wife", "my husband", "honeymoon")),
    Term("parent_child", "亲子", "parent-child", ("带娃", "孩子", "遛娃", "小朋友", "with kids",
                                               "our kids", "children", "toddler", "family trip")),
)  # fmt: skip
COMPACTNESS = (
    Term(
        "special_forces",
        "特种兵",
        "special-forces-style",
        ("暴走", "打卡式", "special forces", "whirlwind"),
    ),
)
CONSTRAINT_KINDS = (
    "generic", "season", "holiday", "poi_category", "traveller", "compactness", "difficulty",
    "level", "pacing", "intensity",
)  # fmt: skip
CONSTRAINTS: dict[str, tuple[Term, ...]] = {
    "season": SEASONS,
    "holiday": HOLIDAYS,
    "poi_category": POI_CATEGORIES,
    "traveller": TRAVELLERS,
    "compactness": COMPACTNESS,
}
#: Levels of the families whose queries are told apart by them.
QUERY_LEVELS: dict[str, tuple[str, ...]] = {
    "difficulty": ("easy", "medium", "hard"),
    "level": ("easy", "medium", "preference"),
    "pacing": ("relaxed", "moderate", "compact"),
    "intensity": ("relaxed", "moderate", "packed"),
}
#: Contexts that a POI can be tagged in: everything that differs by time or by traveller.
CONTEXT_KINDS = ("season", "holiday", "traveller", "compactness", "any")

# --- TravelEval, section 3.2 and appendix C -------------------------------------------------

BASE_TYPES = (
    Term("historic_site", "历史古迹", "historic site"),
    Term("museum_memorial", "博物馆/纪念馆", "museum or memorial"),
    Term("natural_scenery", "自然风光", "natural scenery"),
    Term("cultural_landscape", "人文景观", "cultural landscape"),
    Term("university_campus", "大学校园", "university campus"),
    Term("art_gallery", "美术馆/艺术馆", "art gallery"),
    Term("red_site", "红色景点", "revolutionary site"),
    Term("amusement_sports", "游乐园/体育娱乐", "amusement park or sports"),
    Term("library", "图书馆", "library"),
    Term("garden", "园林", "classical garden"),
    Term("other", "其它", "other"),
    Term("cultural_tourism_area", "文化旅游区", "cultural tourism area"),
    Term("park", "公园", "park"),
    Term("commercial_district", "商业街区", "commercial district"),
)
TREND_TYPES = (
    Term("internet_famous", "网红打卡点", "internet-famous spot"),
    Term("immersive", "沉浸式体验", "immersive experience"),
    Term("night_economy", "夜经济热点", "night-economy hotspot"),
    Term("family_friendly", "亲子友好", "family friendly"),
    Term("hidden_gem", "小众秘境", "hidden gem"),
    Term("city_landmark", "城市地标", "city landmark"),
    Term("food_destination", "美食目的地", "food destination"),
    Term("festival_limited", "节庆限定", "festival special"),
    Term("intangible_heritage", "非遗体验", "intangible-heritage experience"),
    Term("pet_friendly", "宠物特色", "pet friendly"),
)
RHYTHMS = (
    Term("slow", "慢游", "slow travel"),
    Term("special_forces", "特种兵式", "special-forces style"),
    Term("family", "亲子家庭游", "family trip"),
    Term("regular", "普通", "regular"),
)
#: TravelEval's first layer mapped to TP-RAG's six categories (our reading of the two lists).
CATEGORY_OF_BASE_TYPE: dict[str, str | None] = {
    "historic_site": "historical_cultural",
    "museum_memorial": "historical_cultural",
    "natural_scenery": "natural_landscape",
    "cultural_landscape": "city_sightseeing",
    "university_campus": "city_sightseeing",
    "art_gallery": "art_technology",
    "red_site": "historical_cultural",
    "amusement_sports": "leisure_recreation",
    "library": "art_technology",
    "garden": "historical_cultural",
    "other": None,
    "cultural_tourism_area": "leisure_recreation",
    "park": "leisure_recreation",
    "commercial_district": "city_sightseeing",
}
#: Name endings that decide the category before the type does: both lists lack a religious type.
RELIGIOUS_ENDINGS = (
    "寺", "庙", "庵", "观", "宫观", "禅院", "禅寺", "道观", "教堂", "清真寺", "讲寺",
    "temple", "monastery", "mosque", "cathedral", "church", "nunnery",
)  # fmt: skip

#: Room types of TravelEval's accommodation table (appendix A.2).
ROOM_TYPES = (
    Term("single", "单人间", "single room"),
    Term("king", "大床房", "king room"),
    Term("double", "双床房", "double-bed room"),
    Term("family", "家庭房", "family room"),
)
#: TravelEval, appendix C: the cuisine tags of the published queries.
CUISINES = (
    Term("snacks", "小吃", "local snacks"), Term("bakery", "面包甜点", "bakery and desserts"),
    Term("fast_food", "快餐简餐", "fast food"), Term("barbecue", "烧烤", "barbecue"),
    Term("tea_house", "茶馆/茶室", "tea house"), Term("vegetarian", "素食", "vegetarian"),
    Term("cafe", "咖啡店", "cafe"), Term("cantonese", "粤菜", "Cantonese"),
    Term("hubei", "湖北菜", "Hubei"), Term("japanese", "日本料理", "Japanese"),
    Term("korean", "韩国料理", "Korean"), Term("halal", "清真菜", "halal"),
    Term("western", "西餐", "Western"), Term("hot_pot", "火锅", "hot pot"),
    Term("shanghainese", "本帮菜", "Shanghainese"), Term("jiangzhe", "江浙菜", "Jiangsu and Zhejiang"),
    Term("sichuan", "川菜", "Sichuan"), Term("northwestern", "西北菜", "northwestern Chinese"),
    Term("southeast_asian", "东南亚菜", "Southeast Asian"), Term("xinjiang", "新疆菜", "Xinjiang"),
    Term("other_chinese", "其他中餐", "other Chinese"), Term("creative", "创意菜", "creative"),
    Term("hunan", "湘菜", "Hunan"), Term("beijing", "北京菜", "Beijing"),
    Term("farmhouse", "农家菜", "farmhouse"), Term("taiwanese", "台湾菜", "Taiwanese"),
    Term("seafood", "海鲜", "seafood"), Term("hakka", "客家菜", "Hakka"),
    Term("bar", "酒吧/酒馆", "bar"), Term("northeastern", "东北菜", "northeastern Chinese"),
    Term("other", "其他", "other"), Term("buffet", "自助餐", "buffet"),
    Term("fusion", "融合菜", "fusion"), Term("yunnan", "云南菜", "Yunnan"),
    Term("anhui", "徽菜", "Anhui"), Term("shandong", "鲁菜", "Shandong"),
    Term("tibetan", "西藏菜", "Tibetan"), Term("middle_eastern", "中东料理", "Middle Eastern"),
    Term("fujian", "闽菜", "Fujian"), Term("hainan", "海南菜", "Hainan"),
    Term("latin_american", "拉美料理", "Latin American"), Term("asian", "亚洲菜", "Asian"),
)  # fmt: skip
#: TravelEval, appendix C: the accommodation tags of the published queries.
HOTEL_FEATURES = (
    Term("butler", "管家服务", "butler service"), Term("sauna", "桑拿", "sauna"),
    Term("family_room", "家庭房", "family rooms"), Term("spa", "SPA", "spa"),
    Term("lounge", "行政酒廊", "executive lounge"), Term("pool", "泳池", "swimming pool"),
    Term("smart_room", "智能客控", "smart room control"), Term("free_parking", "免费停车", "free parking"),
    Term("mountain_view", "山景房", "mountain-view rooms"), Term("tea_room", "茶室", "tea room"),
    Term("parking", "停车场", "car park"), Term("own_family_room", "自营亲子房", "own-brand family rooms"),
    Term("view", "窗外好景", "fine views"), Term("solarium", "日光浴场", "sun terrace"),
    Term("robots", "机器人服务", "robot service"), Term("boss_pick", "Boss推荐", "manager's pick"),
    Term("famous_pool", "网红泳池", "internet-famous pool"), Term("night_view", "动人夜景", "night views"),
    Term("private_pool", "私人泳池", "private pool"), Term("river_view", "江河景房", "river-view rooms"),
    Term("card_room", "棋牌室", "card and chess room"), Term("private_hot_spring", "私汤房", "private hot-spring rooms"),
    Term("charging", "充电桩", "car charging"), Term("apartment", "酒店公寓", "serviced apartment"),
    Term("media_room", "影音房", "media rooms"), Term("kids_theme", "亲子主题房", "children's themed rooms"),
    Term("air_purifier", "空气净化器", "air purifier"), Term("function_hall", "多功能厅", "function hall"),
    Term("homestay", "民宿", "homestay"), Term("smart_toilet", "智能马桶", "smart toilet"),
    Term("couple_room", "情侣房", "couple's rooms"), Term("kids_club", "儿童俱乐部", "children's club"),
    Term("gym", "健身室", "gym"), Term("desk_24h", "24小时前台", "24-hour front desk"),
    Term("playground", "儿童乐园", "children's playground"), Term("lake_view", "湖景房", "lake-view rooms"),
    Term("hot_spring", "温泉", "hot spring"), Term("photogenic", "拍照出片", "photogenic"),
    Term("laundry_room", "洗衣房", "laundry room"), Term("designer", "设计师酒店", "designer hotel"),
    Term("meeting_hall", "会议厅", "meeting hall"), Term("siheyuan", "四合院", "courtyard house"),
    Term("suite", "套房", "suites"), Term("billiards", "桌球室", "billiards room"),
    Term("laundry_service", "洗衣服务", "laundry service"), Term("luggage", "行李寄存", "luggage storage"),
    Term("early_park", "提前入园", "early park entry"), Term("gourmet", "美食酒店", "gourmet hotel"),
    Term("hot_spring_bath", "温泉泡汤", "hot-spring baths"), Term("gaming_room", "电竞房", "gaming rooms"),
    Term("air_conditioning", "空调", "air conditioning"), Term("business_centre", "商务中心", "business centre"),
    Term("airport_shuttle", "穿梭机场班车", "airport shuttle"), Term("washing_machine", "洗衣机", "washing machine"),
    Term("small_pretty", "小而美", "small and pretty"), Term("villa", "别墅", "villa"),
    Term("lakeside", "湖畔美居", "lakeside home"), Term("chinese_courtyard", "中式庭院", "Chinese courtyard"),
    Term("historic_house", "历史名宅", "historic house"), Term("garden_building", "园林建筑", "garden architecture"),
    Term("fishing", "钓鱼", "fishing"), Term("inn", "客栈", "inn"),
    Term("special_stay", "特色住宿", "special stay"), Term("own_media_room", "自营影音房", "own-brand media rooms"),
    Term("gaming_hotel", "电竞酒店", "gaming hotel"), Term("old_mansion", "老洋房", "old mansion"),
    Term("kitchen", "厨房", "kitchen"), Term("sea_view_room", "海景房", "sea-view rooms"),
    Term("sea_view", "迷人海景", "sea views"), Term("farmstay", "农家乐", "farmstay"),
    Term("own_sleep_room", "自营舒睡房", "own-brand sleep rooms"), Term("location", "位置超好", "excellent location"),
    Term("kids_pool", "儿童泳池", "children's pool"), Term("pets", "宠物友好", "pet friendly"),
)  # fmt: skip

#: TripTailor's restaurant types (TourPlanner, appendix D.1); ``words`` holds TravelEval's tag for
#: the same cuisine where it has one.
TRIPTAILOR_CUISINES = (
    Term("hot_pot", "火锅", "Hot Pot", ("火锅",)), Term("fast_food", "快餐", "Fast Food", ("快餐简餐",)),
    Term("northwestern", "西北菜", "Northwestern Cuisine", ("西北菜",)), Term("snacks", "小吃", "Snacks", ("小吃",)),
    Term("buffet", "自助餐", "Buffet", ("自助餐",)), Term("seafood", "海鲜", "Seafood", ("海鲜",)),
    Term("pizza", "披萨", "Pizza"), Term("barbecue", "烧烤", "Barbecue", ("烧烤",)),
    Term("crayfish", "小龙虾", "Crayfish"), Term("hainan", "海南菜", "Hainan Cuisine", ("海南菜",)),
    Term("wontons_dumplings", "馄饨饺子", "Wontons and Dumplings"), Term("sichuan", "川菜", "Sichuan Cuisine", ("川菜",)),
    Term("southeast_asian", "东南亚菜", "Southeast Asian Cuisine", ("东南亚菜",)),
    Term("jiangzhe", "江浙菜", "Jiangsu and Zhejiang Cuisine", ("江浙菜",)), Term("hunan", "湘菜", "Hunan Cuisine", ("湘菜",)),
    Term("yungui", "云贵菜", "Yunnan and Guizhou Cuisine", ("云南菜",)), Term("porridge", "粥铺", "Porridge Shop"),
    Term("other", "其他美食", "Other Delicacies"), Term("rice_noodles", "米粉米线", "Rice Noodles"),
    Term("korean", "韩国料理", "Korean Cuisine", ("韩国料理",)), Term("cantonese", "粤菜", "Guangdong cuisine", ("粤菜",)),
    Term("japanese", "日本料理", "Japanese Cuisine", ("日本料理",)), Term("xinjiang", "新疆菜", "Xinjiang Cuisine", ("新疆菜",)),
    Term("western", "西餐", "Western Cuisine", ("西餐",)), Term("northeastern", "东北菜", "Northeastern Cuisine", ("东北菜",)),
    Term("malatang", "麻辣烫", "Malatang"), Term("shandong", "鲁菜", "Shandong Cuisine", ("鲁菜",)),
    Term("farmhouse", "农家菜", "Farmhouse Cuisine", ("农家菜",)), Term("huaiyang", "淮扬菜", "Huaiyang Cuisine"),
    Term("creative", "创意菜", "Creative Cuisine", ("创意菜",)), Term("vegetarian", "素食", "Vegetarian Cuisine", ("素食",)),
    Term("jiangxi", "赣菜", "Jiangxi Cuisine"), Term("chaoshan", "潮汕菜", "Chaoshan Cuisine"),
    Term("anhui", "徽菜", "Anhui Cuisine", ("徽菜",)), Term("taiwanese", "台湾菜", "Taiwanese Cuisine", ("台湾菜",)),
    Term("tea_restaurant", "茶餐厅", "Tea Restaurant"), Term("home_style", "家常菜", "Home-style Cooking"),
    Term("hubei", "湖北菜", "Hubei Cuisine", ("湖北菜",)), Term("beijing", "北京菜", "Beijing Cuisine", ("北京菜",)),
    Term("fujian", "闽菜", "Fujian Cuisine", ("闽菜",)), Term("guizhou", "贵州菜", "Guizhou Cuisine"),
    Term("private_kitchen", "私房菜", "Private Kitchen"), Term("guangxi", "桂菜", "Guangxi Cuisine"),
    Term("hakka", "客家菜", "Hakka Cuisine", ("客家菜",)), Term("tianjin", "天津菜", "Tianjin Cuisine"),
    Term("shanxi", "晋菜", "Shanxi Cuisine"), Term("henan", "豫菜", "Henan Cuisine"),
    Term("shaanxi", "陕西菜", "Shaanxi Cuisine"),
)  # fmt: skip

#: TripTailor's types without an equal in TravelEval's list, and the nearest that there is (our
#: reading of the two lists).
NEAREST_CUISINE: dict[str, str] = {
    "pizza": "western", "crayfish": "seafood", "wontons_dumplings": "snacks", "porridge": "snacks",
    "rice_noodles": "snacks", "malatang": "snacks", "huaiyang": "jiangzhe", "jiangxi": "other_chinese",
    "chaoshan": "cantonese", "tea_restaurant": "cantonese", "home_style": "other_chinese",
    "guizhou": "other_chinese", "private_kitchen": "other_chinese", "guangxi": "other_chinese",
    "tianjin": "other_chinese", "shanxi": "northwestern", "henan": "other_chinese",
    "shaanxi": "northwestern", "other": "other",
}  # fmt: skip

# --- Our own ---------------------------------------------------------------------------------

FAMILIES = ("tprag", "traveleval", "chinatravel", "tripscore", "triptailor")
LANGUAGES = ("zh", "en", "other")
DATUMS = ("wgs84", "gcj02", "bd09")
#: Hotel classes of TripTailor (TourPlanner, appendix D.1.2), dearest first.
HOTEL_CLASSES = ("luxury", "upscale", "midscale", "economy")
HOTEL_CLASS_SOURCES = ("stars", "price")
#: Grades of Chinese tourist attractions (GB/T 17775), lowest first.
GRADES = ("A", "AA", "AAA", "AAAA", "AAAAA")
NAME_ORIGINS = ("original", "translated", "unknown")
QUERY_STATUSES = ("kept", "pending_documents", "infeasible", "ungrounded")
#: Fields of a place whose value may come from any of its rows.
POI_FIELDS = (
    "name_zh", "name_en", "category", "base_type", "coordinates", "rating", "grade",
    "opening_hours", "ticket_price", "duration_hours",
)  # fmt: skip
RESOLUTIONS = ("linked", "new", "review", "unresolved")
FACT_FIELDS = (
    "opening_hours", "last_admission", "closed_days", "ticket_price",
    "duration_hours", "arrival_time", "season",
)  # fmt: skip
_WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_SEASON = "(?:spring|summer|autumn|winter)"
#: Forms of a fact's value by field, as patterns of the whole; the other fields have none.
FACT_FORMS = {
    "last_admission": r"^(?:(?:[01]?\d|2[0-3]):[0-5]\d|24:00)$",
    "closed_days": rf"^{_WEEKDAY}(?:,\s?{_WEEKDAY})*$",
    "ticket_price": r"^\d+(?:\.\d{1,2})?$",
    "duration_hours": r"^\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)?$",
    "season": rf"^(?:{_SEASON}|all year)(?:,\s?{_SEASON})*$",
}
STAGES = (
    "corpus", "tables", "places", "mentions", "documents", "pois", "feedback", "geocode",
    "trajectories", "queries", "retrieve", "candidates", "tags", "space", "control", "offers", "plans",
    "publish",
)  # fmt: skip
