"""Read days, cities, party, budget and dates from a travel request in Chinese or English.

The patterns follow the way people write, so that requests from other sources can also be read. The
module shares no code with the modules that write requests. If the text does not contain a value,
the value is None.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass

_HAN = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2, "俩": 2, "仨": 3}
_WORDS = {
    w: n
    for n, w in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_N = r"(?:\d+|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一两二三四五六七八九])"
_W = rf"(?:\d+|{'|'.join(list(_WORDS)[1:])})"


@dataclass(frozen=True)
class ReadRequest:
    """The values read from a request.

    ``budget`` is for the whole party. ``currency`` is an ISO 4217 code, yuan by default.
    """

    days: int | None = None
    people: int | None = None
    party: tuple[int, int, int] | None = None
    start: str | None = None
    targets: tuple[str, ...] = ()
    budget: int | None = None
    currency: str = "CNY"
    dates: tuple[dt.date, dt.date] | None = None


def number(text: str) -> int:
    """Read a small number written in digits or in Chinese or English words.

    Raises KeyError if the text is not such a number.
    """
    text = text.strip().lower()
    if text.isdigit():
        return int(text)
    if text in _WORDS:
        return _WORDS[text]
    if "十" in text:
        tens, ones = text.split("十", 1)
        return (_HAN[tens] if tens else 1) * 10 + (_HAN[ones] if ones else 0)
    return _HAN[text]


class CityNames:
    """Finds the names of given cities in texts; if names overlap, the longest one is used."""

    def __init__(self, names: Mapping[str, str]):
        """Create a finder; ``names`` maps each name to a key for the city, such as its slug."""
        self.keys = {name.lower(): key for name, key in names.items()}
        forms = sorted(self.keys, key=lambda name: (-len(name), name))
        # A name in Latin letters may stand directly next to a Chinese character.
        parts = [
            rf"(?<![A-Za-z0-9]){re.escape(f)}(?![A-Za-z0-9])" if f.isascii() else re.escape(f)
            for f in forms
        ]
        # The name of a city can be part of the name of a cuisine, as in 北京菜.
        self.pattern = "(?:" + "|".join(parts) + r")(?!菜|-style|\s?(?:cuisine|food|dish))"
        self.any = re.compile(self.pattern, re.IGNORECASE)
        city = self.pattern
        self._starts = [
            re.compile(rf"{before}\s*(?P<c>{city})", re.IGNORECASE)
            for before in (
                r"当前位置",
                r"出发地(?:是|为|[:：])?",
                r"(?:从|由|自)",
                r"(?:人在|目前在|现在在|住在|家在|现居)",
                r"(?:current location|starting point|departure city)(?: is|:)?",
                r"\bleaving",
                r"(?:depart(?:ing|s)?|leav(?:e|ing)|start(?:ing)?|setting off|set off"
                r"|set out) from",
                r"\bfrom",
                r"\b(?:I am|I'm|we are|we're|based|live|living)(?: now| currently)? in",
            )
        ] + [re.compile(rf"(?P<c>{city})(?:出发|启程|始发)", re.IGNORECASE)]
        joined = (
            rf"{city}(?:(?:\s*[、，,]\s*|\s*(?:和|再到|再去|然后去|最后到|and then|then|and|→"
            rf"|->)\s*)+{city})*"
        )
        self._targets = [
            re.compile(rf"{before}\s*(?P<c>{joined})", re.IGNORECASE)
            for before in (
                r"(?:目标位置|目的地)(?:是|为|[:：])?",
                r"(?:前往|飞往|去往|抵达|到达|飞|去|到|游|赴|逛)",
                r"\b(?:to|in|visit(?:ing)?|explor(?:e|ing)|tour(?:ing)?|destinations?(?: is| are"
                r"|:)?|see(?:ing)?|around|through)",
            )
        ]

    def find(self, text: str) -> list[str]:
        """Return the keys of the cities in a text, in the order of the text."""
        return [self.keys[match[0].lower()] for match in self.any.finditer(text)]

    def start(self, text: str) -> tuple[str | None, str]:
        """Return the city of departure (or None), and the text without that city."""
        for pattern in self._starts:
            match = pattern.search(text)
            if match:
                rest = text[: match.start("c")] + "\0" + text[match.end("c") :]
                return self.keys[match["c"].lower()], rest
        return None, text

    def targets(self, text: str) -> tuple[str, ...]:
        """Return the keys of the destinations, in the order of the text."""
        for pattern in self._targets:
            match = pattern.search(text)
            if match:
                return tuple(self.find(match["c"]))
        return tuple(self.find(text)[:1])


_DAYS = [
    re.compile(rf"(?P<n>{_N})\s*(?:天|日(?:游|行|自由行|深度|慢|亲子|家庭|之旅)|日$)"),
    re.compile(rf"(?P<n>{_N})\s*(?:个)?整天"),
    re.compile(rf"\b(?P<n>{_W})[- ](?:full )?days?\b", re.IGNORECASE),
    re.compile(
        r"(?:旅行天数|天数|travel days|duration of travel)\s*[:：]?\s*(?P<n>\d+)", re.IGNORECASE
    ),
]
_ONE_DAY = re.compile(r"\bfor (?:just )?a day\b", re.IGNORECASE)
_WEEKS = re.compile(
    rf"(?P<n>{_N})\s*个?(?:周(?![一二三四五六日末])|星期(?![一二三四五六日天]))|\b(?P<w>a"
    rf"|{_W}) weeks?\b",
    re.IGNORECASE,
)
_AMOUNT = r"(?P<a>\d[\d,，]*(?:\.\d+)?)\s*(?P<u>万|千|k\b)?"
_BUDGET = [
    re.compile(
        rf"(?:预算|花费|费用|开销|经费|控制在|不超过|最多花|总共花)[^\d，。；,;]{{0,12}}{_AMOUNT}"
    ),
    re.compile(rf"{_AMOUNT}\s*(?:元|块|人民币)"),
    re.compile(rf"(?:RMB|CNY|¥|￥|yuan)\s*{_AMOUNT}", re.IGNORECASE),
    re.compile(rf"{_AMOUNT}\s*(?:RMB|CNY|yuan)", re.IGNORECASE),
    re.compile(rf"{_AMOUNT}\s*[A-Z]{{3}}\b"),
    re.compile(rf"budget[^\d.;]{{0,20}}{_AMOUNT}", re.IGNORECASE),
]
_CODE = re.compile(r"\d\s*([A-Z]{3})\b")
_DATE = re.compile(r"(\d{4})(?:年|-|/)(\d{1,2})(?:月|-|/)(\d{1,2})")
_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December"]  # fmt: skip
_ANY_MONTH = "|".join(_MONTHS)
_TO = r"\s*(?:to|until|till|through|and|[-–—])\s*"
#: Patterns for two dates; a year or month that is written once is that of both.
_RANGES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<y1>\d{4})年(?P<m1>\d{1,2})月(?P<d1>\d{1,2})[日号]?\s*(?:到|至|[-–—~～])+\s*"
        r"(?:(?P<y2>\d{4})年)?(?:(?P<m2>\d{1,2})月)?(?P<d2>\d{1,2})[日号]",
        rf"\b(?P<d1>\d{{1,2}})(?: (?P<m1>{_ANY_MONTH}))?(?:,? (?P<y1>\d{{4}}))?{_TO}"
        rf"(?P<d2>\d{{1,2}}) (?P<m2>{_ANY_MONTH}),? (?P<y2>\d{{4}})",
        rf"\b(?P<m1>{_ANY_MONTH}) (?P<d1>\d{{1,2}})(?:, (?P<y1>\d{{4}}))?{_TO}"
        rf"(?:(?P<m2>{_ANY_MONTH}) )?(?P<d2>\d{{1,2}}), (?P<y2>\d{{4}})",
    )
)

_KINDS = {
    "adults": (
        rf"(?P<n>{_N})\s*(?:[个位名])?(?:大人|成人|成年人|大(?=[\d一二两三四五六、，,+）)小老]|$))",
        rf"\b(?P<n>{_W}) adults?\b",
    ),
    "children": (
        rf"(?P<n>{_N})\s*(?:[个位名])?(?:小孩|孩子|儿童|小朋友|娃|宝宝"
        rf"|小(?=[\d一二两三四五六、，,+）)老]|$))",
        rf"\b(?P<n>{_W}) (?:child(?:ren)?|kids?)\b",
    ),
    "seniors": (
        rf"(?P<n>{_N})\s*(?:[个位名])?(?:老人|长辈|老(?=[\d一二两三四五六、，,+）)]|$))",
        rf"\b(?P<n>{_W}) (?:seniors?|elderly)\b",
    ),
}
_PARTY = {kind: [re.compile(f, re.IGNORECASE) for f in forms] for kind, forms in _KINDS.items()}
_PEOPLE = [
    re.compile(r"(?:旅行人数|number of travell?ers)\s*[:：]?\s*(?P<n>\d+)", re.IGNORECASE),
    re.compile(
        rf"(?:我们|咱们|一行|共|一家|全家|人数|和我)?\s*(?P<n>{_N})\s*(?:个人|口之家|口人|位|人|口"
        rf"|个朋友|个闺蜜|个同学|个成年人|个大人|名)"
    ),
    re.compile(r"(?:我们|一家|全家)(?P<n>[一两二三四五六七八九俩仨])(?:口|个)?"),
    re.compile(rf"\b(?:family|party|group) of (?P<n>{_W})\b", re.IGNORECASE),
    re.compile(rf"\b(?P<n>{_W}) of us\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:we|for|us) (?:are )?(?P<n>{_W})(?: people| friends| persons"
        rf"| travell?ers)?\b(?! ?days?\b|-)",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<n>{_W}) (?:people|persons|friends|travell?ers)\b", re.IGNORECASE),
]
_ALL_ADULTS = re.compile(r"\b(?:all|both) adults\b|都是(?:大人|成人|成年人)", re.IGNORECASE)
#: Patterns that count the travellers without the writer.
_OTHERS = [
    re.compile(
        rf"我?(?:和|跟|与|带着?)(?:我的?)?(?P<n>{_N})\s*[个位名](?:好?朋友|闺蜜|同学|同事|室友"
        rf"|小伙伴|家人)(?![一两二三四五六七八九\d]*\s*[个人])"
    ),
    re.compile(
        rf"\bmy (?P<n>{_W}) (?:friends|classmates|colleagues|roommates) and I\b", re.IGNORECASE
    ),
    re.compile(
        rf"\bI\b[^.]{{0,40}}\bwith (?:my )?(?P<n>{_W}) (?:friends|classmates|colleagues"
        rf"|roommates)\b",
        re.IGNORECASE,
    ),
]
_PAIR = re.compile(
    r"情侣(?!房)|夫妻|夫妇|我俩|我们俩|两口子|闺蜜俩|我和(?!.{0,4}[三四五六])|\bcouple\b(?!')"
    r"|my (?:friend|partner|wife|husband|girlfriend|boyfriend) and I",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"一个人|独自|单人|我自己|\balone\b|\bsolo\b|by myself|on my own|just me", re.IGNORECASE
)
_ME_WITH = re.compile(
    r"我带|我和|我陪|\b(?:I|I'm|I am)\b.{0,40}\bwith\b|\b(?:I|I'm|I am|I want to"
    r"|I'd like to).{0,25}\btak(?:e|ing)\b",
    re.IGNORECASE,
)
_ONE_SENIOR = re.compile(
    r"老人|妈妈|爸爸|母亲|父亲|奶奶|爷爷|外婆|外公|\bsenior\b|elderly|\bparent\b|my (?:mother"
    r"|father|mom|dad|grandmother|grandfather)",
    re.IGNORECASE,
)
_ONE_CHILD = re.compile(
    r"孩子|小孩|儿子|女儿|带娃|宝宝|\bchild\b|\bkid\b|\bson\b|\bdaughter\b", re.IGNORECASE
)

#: All patterns except those for cities; the longest forms come first.
_READ = (
    *_RANGES,
    _DATE,
    *_BUDGET,
    *_DAYS,
    _ONE_DAY,
    _WEEKS,
    *_OTHERS,
    *_PEOPLE,
    *(p for forms in _PARTY.values() for p in forms),
    _PAIR,
    _ALONE,
    _ONE_SENIOR,
    _ONE_CHILD,
)


def read_request(text: str, cities: CityNames) -> ReadRequest:
    """Read all values in a travel request."""
    start, rest = cities.start(text)
    party = read_party(text)
    return ReadRequest(
        days=read_days(text),
        people=read_people(text, party),
        party=party,
        start=start,
        targets=cities.targets(rest),
        budget=read_budget(text),
        currency=read_currency(text),
        dates=read_dates(text),
    )


def read_days(text: str) -> int | None:
    """Return the number of days in a request; weeks are converted to days."""
    days = _first_number(_DAYS, text)
    if days is None and _ONE_DAY.search(text):
        return 1
    weeks = _WEEKS.search(text) if days is None else None
    if weeks is None:
        return days
    written = weeks["n"] or weeks["w"]
    return 7 * (1 if written.lower() == "a" else number(written))


def blank_words(text: str, cities: CityNames) -> str:
    """Return a text without the words that ``read_request`` understands."""
    for pattern in _READ:
        text = pattern.sub(" ", text)
    return cities.any.sub(" ", text)


def _first_number(patterns: list[re.Pattern[str]], text: str) -> int | None:
    for pattern in patterns:
        match = pattern.search(text)
        if match:
            return number(match["n"])
    return None


def read_budget(text: str) -> int | None:
    """Return the amount of the budget in a text; 1.2万 means 12,000."""
    for pattern in _BUDGET:
        match = pattern.search(text)
        if match:
            amount = float(match["a"].replace(",", "").replace("，", ""))
            factor = {"万": 10_000, "千": 1_000, "k": 1_000}.get((match["u"] or "").lower(), 1)
            return round(amount * factor)
    return None


def read_currency(text: str) -> str:
    """Return the currency code after the first amount that has one; the default is CNY."""
    match = _CODE.search(text)
    return "CNY" if match is None or match[1] == "RMB" else match[1]


def read_dates(text: str) -> tuple[dt.date, dt.date] | None:
    """Return the first and the last day of the trip, or None if the text does not contain both."""
    for pattern in _RANGES:
        match = pattern.search(text)
        if match:
            return _range(match.groupdict())
    return _days([tuple(map(int, match)) for match in _DATE.findall(text)])


def _range(said: dict[str, str | None]) -> tuple[dt.date, dt.date] | None:
    """Return both dates in a match; a month or year that is given only once applies to both."""
    year = said["y1"] or said["y2"] or ""
    month = said["m1"] or said["m2"] or ""
    first = (year, month, said["d1"] or "")
    last = (said["y2"] or year, said["m2"] or month, said["d2"] or "")
    return _days([(int(y), _month(m), int(d)) for y, m, d in (first, last)])


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.index(text.title()) + 1


def _days(found: list[tuple[int, ...]]) -> tuple[dt.date, dt.date] | None:
    try:
        dates = [dt.date(*parts) for parts in found]
    except ValueError:
        return None
    return (dates[0], dates[1]) if len(dates) == 2 else None


def read_party(text: str) -> tuple[int, int, int] | None:
    """Return the numbers of adults, children and seniors, or None if the text does not give a
    number of adults.
    """
    counts = {kind: _first_number(patterns, text) for kind, patterns in _PARTY.items()}
    if counts["adults"] is None and _ALL_ADULTS.search(text):
        counts["adults"] = _first_number(_PEOPLE, text)
    if counts["adults"] is None:
        return None
    return (counts["adults"], counts["children"] or 0, counts["seniors"] or 0)


def read_people(text: str, party: tuple[int, int, int] | None) -> int | None:
    """Return the number of travellers, given as a number or by words like "solo" or "couple"."""
    if party is not None:
        return sum(party)
    others = _first_number(_OTHERS, text)
    if others is not None and not _PEOPLE[0].search(text):
        return others + 1
    for place, pattern in enumerate(_PEOPLE):
        match = pattern.search(text)
        # The first three patterns also match the Chinese words for travelling alone.
        if match and not (place < 3 and _ALONE.search(match[0])):
            return number(match["n"])
    if _ALONE.search(text):
        return 1
    if _PAIR.search(text) and not _ME_WITH.search(text):
        return 2
    return _me_and_mine(text)


def _me_and_mine(text: str) -> int | None:
    """Count the author and their companions, assuming one person of each kind if no number is
    given.
    """
    if not _ME_WITH.search(text):
        return 1 if re.search(r"^我(?!们)|\bI\b", text) else None
    total = 1
    for kind, named in (("children", _ONE_CHILD), ("seniors", _ONE_SENIOR)):
        counted = _first_number(_PARTY[kind], text)
        total += counted if counted is not None else int(bool(named.search(text)))
    return total if total > 1 else 2 if _PAIR.search(text) else None
