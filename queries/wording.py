"""Write requests in both languages, with the party, the dates, the budget, and a sentence for each
wish.

The sentences come from the lists ``openings``, ``wishes`` and ``asides``. The seed of a request
determines which sentences are used. If possible, no two sentences of a request begin with the same
word.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from queries.drawing import pick, shuffle
from schemas.money import YUAN
from schemas.word_lists import Lists

Party = tuple[int, int, int]
_LISTS = Lists("queries")
_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December"]  # fmt: skip
_NUMBERS_EN = (
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
)
#: English words that occur only in sentences about trips of several days.
_OF_DAYS = re.compile(r"\b(?:days|each day)\b")
_NUMBERS_ZH = "零一两三四五六七八九十"
_GROUP = {
    "We": "We", "we": "we", "us": "us", "our": "our", "Our": "Our", "We'd": "We'd", "we'd": "we'd",
    "We're": "We're", "we're": "we're", "We've": "We've", "We'll": "We'll", "我们": "我们",
}  # fmt: skip
_ONE = {
    "We": "I", "we": "I", "us": "me", "our": "my", "Our": "My", "We'd": "I'd", "we'd": "I'd",
    "We're": "I'm", "we're": "I'm", "We've": "I've", "We'll": "I'll", "我们": "我",
}  # fmt: skip


@dataclass(frozen=True)
class WishPhrase:
    """A wish to express: its kind and mode as used in the lists, and the values for the
    sentence.
    """

    kind: str
    mode: str
    values: Mapping[str, str]


@cache
def forms_of(name: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the sentences in a list, grouped by the first and the second-to-last cell of their
    rows.
    """
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for *keys, form in _LISTS.table(name):
        key = (keys[0], keys[-1])
        found[key] = (*found.get(key, ()), form)
    return found


def request_en(
    family: str,
    filled: Mapping[str, object],
    wishes: Sequence[WishPhrase],
    seed: str,
    *,
    alone: bool,
) -> str:
    """Write a request in English: an opening, the wishes in random order, and a closing."""
    pronouns = _ONE if alone else _GROUP
    forms = forms_of("openings_en")[family, "one" if alone else "group"]
    opening = pick(forms, seed, "form_en").format_map({**pronouns, **filled})
    one_day = filled.get("days") == 1
    parts = [_one_day(opening), *_say_wishes("wishes_en", wishes, pronouns, seed, one_day=one_day)]
    closing = _closing("asides_en", opening, seed, ("?", "lease", "looking for"))
    return " ".join([*parts, *([closing.format_map(pronouns)] if closing else [])])


def request_zh(
    family: str,
    filled: Mapping[str, object],
    wishes: Sequence[WishPhrase],
    seed: str,
    *,
    alone: bool,
) -> str:
    """Write a request in Chinese: an opening, the wishes in random order, and a closing."""
    pronouns = _ONE if alone else _GROUP
    opening = pick(forms_of("openings_zh")[family, "any"], seed, "form").format_map(filled)
    said = _say_wishes("wishes_zh", wishes, pronouns, seed)
    break_after = bool(said) and pick((True, False), seed, "break")
    text = f"{opening}。{'，'.join(said)}" if break_after else "，".join([opening, *said])
    closing = _closing("asides_zh", opening, seed, ("帮", "安排")).format_map(pronouns)
    if not closing:
        return f"{text}。"
    return f"{text}。{closing}{'？' if closing.endswith(('吗', '比较好')) else '。'}"


def _say_wishes(
    table: str,
    wishes: Sequence[WishPhrase],
    pronouns: Mapping[str, str],
    seed: str,
    *,
    one_day: bool = False,
) -> list[str]:
    """Write the wishes as sentences that, if possible, all begin with different words.

    For a one-day trip, no sentence mentions several days.
    """
    forms = forms_of(table)
    said: list[str] = []
    begun: set[str] = set()
    liked: set[str] = set()
    for wish in _by_topic(wishes, seed, table):
        # A refusal after a wish of the same kind does not name the topic again.
        again = wish.mode == "avoid" and wish.kind in liked and (wish.kind, "but") in forms
        mode = "but" if again else wish.mode
        liked.add(wish.kind)
        fitting = [f for f in forms[wish.kind, mode] if not (one_day and _OF_DAYS.search(f))]
        options = shuffle(fitting, seed, table, wish.kind, mode)
        form = next((o for o in options if _start(o) not in begun), options[0])
        begun.add(_start(form))
        said.append(form.format_map({**pronouns, **wish.values}))
    return said


#: The topics of wishes, by the beginning of the kind; any other kind is a topic of its own.
_TOPICS = {
    "transport": "way",
    "time": "way",
    "city_transport": "way",
    "goal/transport_time": "way",
    "hotel": "stay",
    "rooms": "stay",
    "goal/hotel_cost": "stay",
    "cuisine": "food",
    "restaurant": "food",
    "goal/restaurant_time": "food",
    "goal/food_share": "food",
    "attraction": "sights",
    "goal/attractions": "sights",
    "goal/near": "sights",
    "rhythm": "pace",
    "pacing": "pace",
    "physical_effort": "pace",
    "intensity": "pace",
}


def _topic(wish: WishPhrase) -> str:
    return next((t for begin, t in _TOPICS.items() if wish.kind.startswith(begin)), wish.kind)


def _by_topic(wishes: Sequence[WishPhrase], seed: str, table: str) -> list[WishPhrase]:
    """Order the wishes by topic and kind, with each refusal after the wishes of its kind."""
    topics = shuffle(sorted({_topic(wish) for wish in wishes}), seed, "topics", table)
    mixed = shuffle(wishes, seed, "order", table)
    return sorted(
        mixed, key=lambda w: (topics.index(_topic(w)), w.kind.partition("/")[0], w.mode == "avoid")
    )


def _start(form: str) -> str:
    return form.split(" ", maxsplit=1)[0] if " " in form else form[:2]


def _closing(table: str, opening: str, seed: str, asked: Sequence[str]) -> str:
    """Draw a closing: nothing, thanks, or a request for the plan if the opening does not contain
    one.
    """
    forms = forms_of(table)
    asks = any(word in opening for word in asked)
    options = (
        forms["thanks", "thanks"]
        if asks
        else (*forms["plain", "plain"], *forms["thanks", "thanks"])
    )
    return pick((*options, *[""] * len(options)), seed, "closing", table)


def _one_day(text: str) -> str:
    return text.replace(" 1 days", " 1 day").replace("1 days ", "1 day ")


def who_zh(party: Party, seed: str) -> str:
    """Describe the party in Chinese, with the number of people of each kind."""
    if party == (1, 0, 0):
        return pick(("我一个人", "我自己一个人", "我独自一人"), seed, "who")
    digits = pick((True, False), seed, "digits")
    people = sum(party)
    spelled = _spell_zh(party, digits=digits, measure=pick("个位", seed, "measure"))
    total = (
        str(people) if digits else _NUMBERS_ZH[people] if people < len(_NUMBERS_ZH) else str(people)
    )
    if party[1:] == (0, 0):
        return f"我们{spelled}"
    forms = [f"我们{total}个人（{spelled}）", f"我们{spelled}"]
    if people > 2:
        forms += [f"我们一行{total}人（{spelled}）", f"我们一家{total}口（{spelled}）"]
    return pick(forms, seed, "who")


def _spell_zh(party: Party, *, digits: bool, measure: str) -> str:
    def some(n: int, noun: str) -> str:
        return f"{n if digits or n > 10 else _NUMBERS_ZH[n]}{noun}"

    nouns = (f"{measure}{'大人' if measure == '个' else '成人'}", "个孩子", "位老人")
    parts = [some(n, noun) for n, noun in zip(party, nouns, strict=True) if n]
    return parts[0] if len(parts) == 1 else "、".join(parts[:-1]) + "和" + parts[-1]


def party_en(party: Party, seed: str) -> str:
    """Describe the party in English, such as "two adults, one child and one senior"."""
    words = pick((True, False), seed, "words")
    names = (("adult", "adults"), ("child", "children"), ("senior", "seniors"))
    counted = [
        f"{few_en(n) if words else n} {name[n > 1]}"
        for n, name in zip(party, names, strict=True)
        if n
    ]
    return counted[0] if len(counted) == 1 else ", ".join(counted[:-1]) + " and " + counted[-1]


def fill_party(party: Party, seed: str) -> dict[str, str]:
    """Return the values of those placeholders in the English openings that describe the party."""
    people = few_en(sum(party))
    counted = party_en(party, seed)
    kinds = counted if any(party[1:]) else "both adults" if sum(party) == 2 else "all adults"
    return {"party": counted, "n": people, "N": people.capitalize(), "kinds": kinds}


def few_en(number: int) -> str:
    """Format a number up to ten as an English word, and any larger number in digits."""
    return _NUMBERS_EN[number] if number < len(_NUMBERS_EN) else str(number)


def money_zh(amount: int, seed: str, currency: str = YUAN) -> str:
    """Format an amount of money in Chinese; if the currency is not yuan, add its ISO 4217 code."""
    if currency != YUAN:
        return f"{amount} {currency}"
    forms = [f"{amount}元", f"{amount}元", f"{amount}块"]
    if amount >= 10_000 and amount % 1_000 == 0:
        forms += [f"{amount / 10_000:g}万元", f"{amount / 10_000:g}万"]
    return pick(forms, seed, "money")


def money_en(amount: int, seed: str, currency: str = YUAN) -> str:
    """Format an amount of money in English; if the currency is not yuan, add its ISO 4217 code."""
    if currency != YUAN:
        return f"{amount} {currency}"
    return pick(
        (f"{amount:,} yuan", f"{amount:,} RMB", f"RMB {amount:,}", f"¥{amount:,}"), seed, "money_en"
    )


def budget_zh(amount: int, seed: str, currency: str = YUAN) -> str:
    """Write a clause about the budget in Chinese."""
    form = pick(forms_of("asides_zh")["budget", "budget"], seed, "budget")
    return form.format(money=money_zh(amount, seed, currency))


def budget_en(amount: int, seed: str, currency: str = YUAN, *, alone: bool) -> str:
    """Write a sentence about the budget in English."""
    form = pick(forms_of("asides_en")["budget", "budget"], seed, "budget_en")
    return form.format_map(
        {**(_ONE if alone else _GROUP), "money": money_en(amount, seed, currency)}
    )


def dates_zh(first: dt.date, last: dt.date, seed: str) -> str:
    """Format both dates in Chinese; a year or month that both dates share may be written only
    once.
    """
    to = pick(("到", "至"), seed, "to")
    month = "" if first.month == last.month else f"{last.month}月"
    if first.year != last.year:
        month = f"{last.year}年{last.month}月"
    brief = f"{first.year}年{first.month}月{first.day}日{to}{month}{last.day}日"
    whole = f"{first.year}年{first.month}月{first.day}日{to}{last.year}年{last.month}月{last.day}日"
    return pick((brief, brief, whole), seed, "dates")


def dates_en(first: dt.date, last: dt.date, seed: str) -> str:
    """Format both dates in English, such as "from 3 to 6 May 2026"."""
    a, b = _MONTHS[first.month - 1], _MONTHS[last.month - 1]
    if first.year != last.year:
        forms = [f"from {first.day} {a} {first.year} to {last.day} {b} {last.year}",
                 f"from {a} {first.day}, {first.year} to {b} {last.day}, {last.year}"]  # fmt: skip
    elif a == b:
        forms = [
            f"from {first.day} to {last.day} {b} {last.year}",
            f"from {a} {first.day} to {last.day}, {last.year}",
            f"from {a} {first.day} to {b} {last.day}, {last.year}",
        ]
    else:
        forms = [f"from {first.day} {a} to {last.day} {b} {last.year}",
                 f"from {a} {first.day} to {b} {last.day}, {last.year}"]  # fmt: skip
    return pick(forms, seed, "dates_en")
