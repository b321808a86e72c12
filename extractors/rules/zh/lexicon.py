"""Lists Chinese words that occur around names of sights: for visiting, avoiding or only
mentioning a sight.
"""

from __future__ import annotations

import re

from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.zh")

#: Parts of a sight: they are POIs, but no stops of their own in a journey.
PARTS = re.compile(rf"(?:{_LISTS.either('part_endings')})$")

#: The cost of a meal shows that the line is about a restaurant.
PER_HEAD = re.compile(r"人均\s*(?:消费|约)?\s*[:：]?\s*[¥￥]?\s*\d")
TRANSPORT_LINE = re.compile(
    r"\d+\s*号线|换乘|[\d一二三四五六七八九十]+\s*路(?:公交|车|[)）(（])|\d+\s*站(?:到|下)"
    r"|方向\s*[)）]|公交站|航班|高铁票|机票|车次"
)

#: "X 又名 Y": Y is another name of X.
ALIAS = re.compile(
    r"(?:又名|又称|又叫|原称|原名|旧称|古称|亦称|也称|也叫|人称|史称|全称|简称|俗称|称|题书|题写"
    r"|题|称为|命名为|赐名|改名为?|更名为?|叫做"
    r"|称作)[“「『\"]?(?:[\u4e00-\u9fff]{2,8}[、和或，])*[“「『\"]?$"
)
#: "X 位于 …", "X 始建于 …": the sentence introduces X.
PRESENTS = re.compile(
    r"^[”」]?(?:（[^）]{1,20}）)?[，,]?(?:位于|坐落|始建于|建于|又名|又称|又叫|地处|占地|创建于"
    r"|是[^。，]{0,14}(?:景|建筑|古刹|公园|园林|岛|古镇|寺|塔|山|地标|博物馆|遗址|名胜|街|湖))"
)

VISIT = re.compile(rf"(?:{_LISTS.either('visit_verbs')})$")
#: Verbs that are followed by a place where somebody goes.
WENT_TO = re.compile(
    r"(?:(?<![过出上下])去了|来到了?|前往|参观了?|行至|途[经径]|路过了?|穿过了?|登上|走进|进入)$"
)
#: Denies the verb of visiting before a name: "没去 X".
NOT_GONE = re.compile(
    r"(?:放弃|取消|错过|跳过|省略|没赶上)了?[^，。；]{0,16}$|快[^，。；]{0,4}到$"
    r"|(?!没想到)(?:没有?|未能?|不|别|无法|来不及|不想|懒得)(?:再|时间|机会|能|来得及|打算|想"
    r"|必)?(?:去|到|逛|进|上|爬|登|参观|游览|安排|看|玩)(?:成|过|了)?$|为(?:次日|明天|明日"
    r"|第二天)的?$|(?:原本|本来|本想|原来|原先|原计划|本打算)[^，。；！]{0,8}[去到逛爬看]$"
)
NO_VISIT = re.compile(
    r"^(?:景区)?的(?:中转站|入口|路上?|方向|车票|攻略|计划|人|缆车|班车|公交|大巴)"
)
AFTER_VISIT = re.compile(
    r"^(?:(?:起点|终点)(?:打卡|拍照)|(?:的)?(?:门口|里面|里|内|上|顶|下|景区|出来|游玩|逛|转|散步"
    r"|打卡|拍照|看|玩|走走|门前|前)|结束|之行|之后|，?(?:我们|我)(?:去|来|到|逛|走)|走|停留|待了"
    r"|集合|下车|售票|检票|排队)"
)
#: Words of a diary about a place that was seen, and about a path that leads to a place.
BEEN = re.compile("(?<!没)(?<!未)[去到来]过了?$")
BEEN_THERE = re.compile("[^，。；！]{0,6}(?:都|也|以前|之前)(?:去|来|逛|到)(?:逛|玩)?过")
JUDGED = re.compile(
    r"^[，]?(?:也|就|还|真的?|确实|其实|倒是?|的确|果然|实在|整体|总体|里面?)*(?:是|算)?(?:很|挺"
    r"|太|非常|特别|比较|相当|超级?|真)?(?:不错|一般|漂亮|好看|好玩|好大|大气|壮观|惊艳|热闹|冷清"
    r"|商业化|值得|震撼|小巧|精致|人(?:很|挺|太|不|也|超|好)*(?:多|少)|游人|游客|人山人海|拥挤)"
)
#: The word before the second of two compared places: "比 X 大".
COMPARED = re.compile("比$")
THEN_VISIT = re.compile(
    r"[^。！？]{0,16}，(?:我们?|于是)?[便就也又]?(?:顺便|顺路)?(?:进去|参观|逛|游览|转)(?:了|看|逛"
    r"|一)"
)
TURN = re.compile(
    r"(?:来到了?|前往|抵达了?|去了|逛了|参观了?)[^，。；]{0,12}的$|(?<![看见望])(?:(?:往|向|朝|顺"
    r"|沿)[^。，；]{1,8}，?(?:便|就|即)?(?:有|是)|外有|[去到来逛]了?[^，。；]{0,4}(?:隔壁|旁边"
    r"|附近|对面|不远处?|著名|有名|传说中)的|来到[^。]{0,14}叫[做作][“「]?|地方叫[做作][“「]?)$"
)
REJECT = re.compile(_LISTS.either("rejections"))
ASIDE = re.compile(_LISTS.either("aside_words"))
#: Words about the past of a place; names in such a sentence belong to its history.
HISTORY = re.compile(_LISTS.either("history_words"))
#: Words of advice; text with one of them after a label is not a list.
ADVICE = re.compile(r"如果|的话|根据|感觉|因为|所以|但是|不过|要按")
RECOMMEND = re.compile(
    r"推荐|可以(?:去|到|逛|看)|值得|必去|必打卡|一定要|不妨|建议|适合|首选|打卡地"
)
LOGISTICS = re.compile(_LISTS.either("logistics_words"))
MEAL_LABEL = re.compile(
    rf"^\W*(?:{_LISTS.either('meal_labels')})\s*[：:]",
    re.IGNORECASE,
)
#: Lines whose names only say where a sight is and how to get there.
WAYS = re.compile(
    r"^\W*(?:交通|地址|官网|官方网站|位置|电话|公交|地铁|自驾|导航|停车)[^：:，。]{0,4}\s*[:：]"
)
