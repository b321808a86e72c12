"""Tasks on lists of names: purification, classification, translation, popularity.

After TP-RAG, appendix E.1 (what is removed) and TravelEval, appendix C (14 base and 10 trending
types). A list is one request, whatever its length: nothing is asked name by name.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from extractors.tasks.prompting import asked, numbered, one_line, read_as, rows, text_of
from extractors.text import fold, locate
from schemas.reading import Span
from schemas.tasks import Grounded, Ungrounded
from schemas.taxonomy import BASE_TYPES, TREND_TYPES, codes

_FROZEN = ConfigDict(frozen=True)
DropReason = Literal["wrong_city", "not_attraction", "duplicate", "part"]


class Names(BaseModel):
    """Names of places that documents about a city gave."""

    model_config = _FROZEN
    city: str
    names: tuple[str, ...] = Field(min_length=1)


class KeptName(BaseModel):
    """A name that stands for an attraction of the city."""

    model_config = _FROZEN
    name: str


class DroppedName(BaseModel):
    """A name that is left out; ``of`` is the kept name that it repeats or is a part of."""

    model_config = _FROZEN
    name: str
    reason: DropReason
    of: str | None = None


class Purified(BaseModel):
    """A list of names divided in two."""

    model_config = _FROZEN
    kept: tuple[KeptName, ...] = ()
    dropped: tuple[DroppedName, ...] = ()


class PoiPurification:
    """Leaves out what is no attraction of the city, a repetition, or a part of another."""

    name = "poi_purification"
    version = 1
    input_model = Names
    output_model = Purified

    def prompt(self, item: Names) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "The document lists names of places. Name those to leave out: wrong_city (in another "
            "city), not_attraction (hotel, restaurant, station, shop, spa, cinema ..), duplicate "
            "(another form or entrance of a name that stays; of = that name), part (a sight inside "
            "one that stays; of = that name). All others stay. "
            'Answer: {"drop": [{"name": as listed, "reason": .., "of": name or null}]}.'
        )
        return asked(rules, f"City: {item.city}\n{numbered(item.names)}")

    def parse(self, raw: dict[str, Any], item: Names) -> Purified:
        """Read a raw answer; raises ValueError. Whatever is not dropped is kept."""
        dropped = [
            {"name": text_of(row, "name"), "reason": row.get("reason"), "of": row.get("of")}
            for row in rows(raw, "drop")
        ]
        gone = {fold(str(row["name"])) for row in dropped}
        kept = [{"name": name} for name in dict.fromkeys(item.names) if fold(name) not in gone]
        return read_as(Purified, {"kept": kept, "dropped": dropped})

    def check(self, item: Names, output: Purified) -> Grounded[Purified]:
        """Each listed name once: what is dropped without ground is kept, and told."""
        listed = {fold(name): name for name in reversed(item.names)}
        kept = {fold(k.name): listed[fold(k.name)] for k in output.kept if fold(k.name) in listed}
        claimed = [k.name for k in output.kept] + [d.name for d in output.dropped]
        missing = [
            Ungrounded(what=name, why="is not in the list")
            for name in claimed
            if fold(name) not in listed
        ]
        gone: dict[str, DroppedName] = {}
        for found in output.dropped:
            key = fold(found.name)
            if key not in listed or key in gone:
                continue
            stays = found.of is not None and fold(found.of) in kept and fold(found.of) != key
            if found.reason in ("duplicate", "part") and not stays:
                missing.append(Ungrounded(what=found.name, why=f"{found.reason} of no kept name"))
                continue
            of = kept[fold(found.of)] if stays and found.of else None
            gone[key] = DroppedName(name=listed[key], reason=found.reason, of=of)
            kept.pop(key, None)
        names = {k: n for k, n in listed.items() if k not in gone}
        ordered = [n for n in dict.fromkeys(item.names) if names.get(fold(n)) == n]
        return Grounded(
            output=Purified(
                kept=tuple(KeptName(name=n) for n in ordered), dropped=tuple(gone.values())
            ),
            ungrounded=tuple(missing),
        )


class Described(BaseModel):
    """A name and what documents say of it."""

    model_config = _FROZEN
    name: str
    description: str = ""


class Attractions(BaseModel):
    """Attractions to classify."""

    model_config = _FROZEN
    places: tuple[Described, ...] = Field(min_length=1)


class Trend(BaseModel):
    """A trending type, with the words that show it."""

    model_config = _FROZEN
    code: str
    evidence: str


class Classified(BaseModel):
    """Types of one attraction; ``base`` is None where nothing tells it."""

    model_config = _FROZEN
    name: str
    base: str | None = None
    trends: tuple[Trend, ...] = ()


class Classification(BaseModel):
    """Types of attractions."""

    model_config = _FROZEN
    places: tuple[Classified, ...] = ()


class AttractionClassification:
    """One of 14 base types, and those of 10 trending types that the text itself shows."""

    name = "attraction_classification"
    version = 1
    input_model = Attractions
    output_model = Classification

    def prompt(self, item: Attractions) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            f"Classify each attraction. base: one of {', '.join(codes(BASE_TYPES))}, or null. "
            f"trends: of {', '.join(codes(TREND_TYPES))} those that its name or description "
            'states, each with the exact words. Answer: {"places": [{"name": as listed, "base": '
            '.., "trends": [{"code": .., "evidence": quote}]}]}.'
        )
        return asked(rules, numbered(f"{p.name}: {p.description}" for p in item.places))

    def parse(self, raw: dict[str, Any], item: Attractions) -> Classification:
        """Read a raw answer; raises ValueError."""
        return read_as(Classification, {"places": rows(raw, "places")})

    def check(self, item: Attractions, output: Classification) -> Grounded[Classification]:
        """Keep known codes on listed names, and trends whose words stand with the name."""
        listed = {fold(place.name): place for place in reversed(item.places)}
        kept: dict[str, Classified] = {}
        missing: list[Ungrounded] = []
        for found in output.places:
            place = listed.get(fold(found.name))
            if place is None:
                missing.append(Ungrounded(what=found.name, why="is not in the list"))
                continue
            base = found.base if found.base in codes(BASE_TYPES) else None
            if found.base and base is None:
                missing.append(Ungrounded(what=f"{found.name}: {found.base}", why="no such type"))
            text = f"{place.name}\n{place.description}"
            trends: dict[str, Trend] = {}
            for trend in found.trends:
                if trend.code in codes(TREND_TYPES) and locate(trend.evidence, text):
                    trends.setdefault(trend.code, trend)
                else:
                    what = f"{found.name}: {trend.code}"
                    missing.append(Ungrounded(what=what, why="its words do not stand in the text"))
            kept.setdefault(
                fold(place.name),
                Classified(name=place.name, base=base, trends=tuple(trends.values())),
            )
        return Grounded(
            output=Classification(places=tuple(kept.values())), ungrounded=tuple(missing)
        )

    def unsure(self, item: Attractions, output: Classification) -> bool:
        """Whether a place has no base type."""
        told = {place.name for place in output.places if place.base}
        return any(place.name not in told for place in item.places)


class TranslationRequest(BaseModel):
    """Texts to translate, and translations that are already known."""

    model_config = _FROZEN
    source: Literal["zh", "en"]
    #: Where the texts are names of places: the city in which these lie.
    city: str | None = None
    texts: tuple[str, ...] = Field(min_length=1)
    glossary: tuple[tuple[str, str], ...] = ()

    @property
    def target(self) -> str:
        """The other language."""
        return "en" if self.source == "zh" else "zh"


class Translated(BaseModel):
    """A text in the other language; None where it is unknown."""

    model_config = _FROZEN
    text: str
    translation: str | None = None
    origin: Literal["known", "translated", "transcribed", "unknown"] = "translated"


class Translations(BaseModel):
    """Translated texts."""

    model_config = _FROZEN
    texts: tuple[Translated, ...] = ()


_HAN = re.compile(r"[\u4e00-\u9fff]")
_DIGITS = re.compile(r"\d+")


class Translation:
    """Texts between Chinese and English; numbers stay, and known pairs win."""

    name = "translation"
    version = 2
    input_model = TranslationRequest
    output_model = Translations

    def prompt(self, item: TranslationRequest) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "Translate each numbered text between Chinese and English. Names of places by their "
            "usual name; null where you do not know one: never spell out how a name sounds. "
            "Numbers stay as they are. "
            'Answer: {"texts": [{"number": .., "translation": .. or null}]}, in their order.'
        )
        known = "".join(f"\n{a} = {b}" for a, b in item.glossary)
        glossary = f"\nKnown:{known}" if known else ""
        where = f"\nNames of places in {item.city}" if item.city else ""
        return asked(
            rules, f"From {item.source} to {item.target}{where}{glossary}\n{numbered(item.texts)}"
        )

    def parse(self, raw: dict[str, Any], item: TranslationRequest) -> Translations:
        """Read a raw answer; raises ValueError."""
        found = []
        for row in rows(raw, "texts"):
            number = row.get("number")
            if type(number) is not int or not 1 <= number <= len(item.texts):
                raise ValueError(f"{number!r} is the number of no text")
            text = row.get("translation")
            origin = "translated" if text else "unknown"
            found.append(
                {"text": item.texts[number - 1], "translation": text or None, "origin": origin}
            )
        return read_as(Translations, {"texts": found})

    def check(self, item: TranslationRequest, output: Translations) -> Grounded[Translations]:
        """Keep what is in the other language and has the same numbers; known pairs stand."""
        known = {fold(a): b for a, b in item.glossary}
        kept: dict[str, Translated] = {}
        missing: list[Ungrounded] = []
        for found in output.texts:
            text, given = found.text, found.translation
            if text not in item.texts or text in kept:
                continue
            if fold(text) in known:
                kept[text] = Translated(text=text, translation=known[fold(text)], origin="known")
                continue
            problem = self._problem(item, text, given) if given else None
            if problem:
                missing.append(Ungrounded(what=text, why=problem))
            kept[text] = Translated(text=text, origin="unknown") if problem else found
        for text in dict.fromkeys(item.texts):
            held = known.get(fold(text))
            kept.setdefault(
                text,
                Translated(text=text, translation=held, origin="known" if held else "unknown"),
            )
        ordered = tuple(kept[text] for text in dict.fromkeys(item.texts))
        return Grounded(output=Translations(texts=ordered), ungrounded=tuple(missing))

    def _problem(self, item: TranslationRequest, text: str, given: str) -> str | None:
        has_han = bool(_HAN.search(given))
        if has_han != (item.target == "zh"):
            return f"is not {item.target}"
        if sorted(_DIGITS.findall(text)) != sorted(_DIGITS.findall(given)):
            return "has other numbers"
        if item.city and fold(given) == fold(_in_pinyin(text)):
            return "is how the name sounds"
        return "is far longer than its text" if len(given) > 40 + 8 * len(text) else None

    def unsure(self, item: TranslationRequest, output: Translations) -> bool:
        """Whether a text has no translation that somebody uses."""
        return any(found.origin not in ("known", "translated") for found in output.texts)


def _in_pinyin(name: str) -> str:
    # pypinyin takes a quarter of a second to import.
    from pypinyin import lazy_pinyin

    return "".join(lazy_pinyin(name))


class RankingRequest(BaseModel):
    """Candidates and the lists and guides that may rank them."""

    model_config = _FROZEN
    city: str
    names: tuple[str, ...] = Field(min_length=1)
    texts: tuple[str, ...] = Field(min_length=1)


class Ranked(BaseModel):
    """A candidate and its rank; the span is its name's in text number ``source``."""

    model_config = _FROZEN
    name: str
    rank: int = Field(ge=1)
    source: int = Field(ge=0)
    span: Span


class Ranking(BaseModel):
    """Candidates by popularity, best first."""

    model_config = _FROZEN
    names: tuple[Ranked, ...] = ()


class PopularityRanking:
    """Candidates in the order of their popularity, as far as the texts name them."""

    name = "popularity_ranking"
    version = 1
    input_model = RankingRequest
    output_model = Ranking

    def prompt(self, item: RankingRequest) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "Order the candidates by how popular the texts say they are: places in ranked lists "
            "first, then how often and how warmly they are recommended. Leave out candidates that "
            'no text names. Answer: {"ranking": [names as listed, best first]}.'
        )
        shown = "\n".join(f"Text {n}: {one_line(text)}" for n, text in enumerate(item.texts, 1))
        return asked(rules, f"City: {item.city}\nCandidates:\n{numbered(item.names)}\n{shown}")

    def parse(self, raw: dict[str, Any], item: RankingRequest) -> Ranking:
        """Read a raw answer; raises ValueError."""
        found = raw.get("ranking")
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            raise ValueError("'ranking' is not a list of names")
        return ranking(item, found)

    def check(self, item: RankingRequest, output: Ranking) -> Grounded[Ranking]:
        """Keep candidates that a text names, each once, and count the ranks anew."""
        listed = {fold(name): name for name in reversed(item.names)}
        kept: dict[str, Ranked] = {}
        missing: list[Ungrounded] = []
        for found in sorted(output.names, key=lambda ranked: ranked.rank):
            key = fold(found.name)
            text = item.texts[found.source] if found.source < len(item.texts) else ""
            if key not in listed:
                missing.append(Ungrounded(what=found.name, why="is no candidate"))
            elif fold(text[found.span.start : found.span.end]) != key:
                missing.append(Ungrounded(what=found.name, why="stands in no text"))
            elif key not in kept:
                update = {"name": listed[key], "rank": len(kept) + 1}
                kept[key] = found.model_copy(update=update)
        return Grounded(output=Ranking(names=tuple(kept.values())), ungrounded=tuple(missing))


def ranking(item: RankingRequest, ordered: list[str]) -> Ranking:
    """Names in an order, each with the place where a text first names it."""
    found = []
    for rank, name in enumerate(ordered, 1):
        source, span = next(
            ((n, at) for n, text in enumerate(item.texts) if (at := locate(name, text))),
            (0, (len(item.texts[0]), len(item.texts[0]) + 1)),
        )
        found.append(
            Ranked(name=name, rank=rank, source=source, span=Span(start=span[0], end=span[1]))
        )
    return Ranking(names=tuple(found))
