"""Defines tasks that classify and translate lists of names.

The types are those of TravelEval, appendix C (14 base and 10 trending types). A whole list is sent
as a single request, whatever its length. Requests for single names are never sent.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, Field

from extractors.tasks.prompting import find_numbered, number_texts, read_as, rows, write_messages
from extractors.text import fold, locate
from schemas.tasks import Grounded, Ungrounded
from schemas.taxonomy import BASE_TYPES, TREND_TYPES, codes


class Described(BaseModel, frozen=True):
    """A name and the documents' descriptions of its place."""

    name: str
    description: str = ""


class Attractions(BaseModel, frozen=True):
    """Attractions to classify."""

    places: tuple[Described, ...] = Field(min_length=1)


class Trend(BaseModel, frozen=True):
    """A trending type, with the words that indicate it."""

    code: str
    evidence: str


class Classified(BaseModel, frozen=True):
    """The types of one attraction; ``base`` is None if nothing indicates the base type."""

    name: str
    base: str | None = None
    trends: tuple[Trend, ...] = ()


class Classification(BaseModel, frozen=True):
    """The types of all attractions in a list."""

    places: tuple[Classified, ...] = ()


class AttractionClassification:
    """Gives each attraction one of 14 base types, and those of 10 trending types that its text
    indicates.
    """

    name = "attraction_classification"
    version = 1
    input_model = Attractions
    output_model = Classification

    def prompt(self, item: Attractions) -> list[dict[str, str]]:
        """Return the chat messages."""
        rules = (
            f"Classify each attraction. base: one of {', '.join(codes(BASE_TYPES))}, or null. "
            f"trends: of {', '.join(codes(TREND_TYPES))} those that its name or description "
            'states, each with the exact words. Answer: {"places": [{"name": as listed, "base": '
            '.., "trends": [{"code": .., "evidence": quote}]}]}.'
        )
        return write_messages(
            rules, number_texts(f"{p.name}: {p.description}" for p in item.places)
        )

    def parse(self, raw: dict[str, Any], item: Attractions) -> Classification:
        """Read a raw answer. Raises ValueError if the answer has the wrong form."""
        return read_as(Classification, {"places": rows(raw, "places")})

    def check(self, item: Attractions, output: Classification) -> Grounded[Classification]:
        """Keep known codes for listed names, and trends with quotes from the text about the
        place.
        """
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
        """Check whether a place has no base type; if so, the cascade asks the model."""
        told = {place.name for place in output.places if place.base}
        return any(place.name not in told for place in item.places)


class TranslationRequest(BaseModel, frozen=True):
    """Texts to translate, and translations that are already known."""

    source: Literal["zh", "en"]
    #: The city of the places, if the texts are names of places.
    city: str | None = None
    texts: tuple[str, ...] = Field(min_length=1)
    glossary: tuple[tuple[str, str], ...] = ()

    @property
    def target(self) -> str:
        """Return the other language."""
        return "en" if self.source == "zh" else "zh"


class Translated(BaseModel, frozen=True):
    """A text in the other language; None if its translation is unknown."""

    text: str
    translation: str | None = None
    origin: Literal["known", "translated", "transcribed", "unknown"] = "translated"


class Translations(BaseModel, frozen=True):
    """Translated texts."""

    texts: tuple[Translated, ...] = ()


_HAN = re.compile(r"[\u4e00-\u9fff]")
_DIGITS = re.compile(r"\d+")


class Translation:
    """Translates texts between Chinese and English; numbers are kept, and known pairs take
    precedence.
    """

    name = "translation"
    version = 2
    input_model = TranslationRequest
    output_model = Translations

    def prompt(self, item: TranslationRequest) -> list[dict[str, str]]:
        """Return the chat messages."""
        rules = (
            "Translate each numbered text between Chinese and English. Names of places by their "
            "usual name; null where you do not know one: never spell out how a name sounds. "
            "Numbers stay as they are. "
            'Answer: {"texts": [{"number": .., "translation": .. or null}]}, in their order.'
        )
        known = "".join(f"\n{a} = {b}" for a, b in item.glossary)
        glossary = f"\nKnown:{known}" if known else ""
        where = f"\nNames of places in {item.city}" if item.city else ""
        return write_messages(
            rules,
            f"From {item.source} to {item.target}{where}{glossary}\n{number_texts(item.texts)}",
        )

    def parse(self, raw: dict[str, Any], item: TranslationRequest) -> Translations:
        """Read a raw answer. Raises ValueError if the answer has the wrong form."""
        found = [
            {
                "text": find_numbered(item.texts, row.get("number"), "text"),
                "translation": row.get("translation") or None,
                "origin": "translated" if row.get("translation") else "unknown",
            }
            for row in rows(raw, "texts")
        ]
        return read_as(Translations, {"texts": found})

    def check(self, item: TranslationRequest, output: Translations) -> Grounded[Translations]:
        """Keep texts in the other language with the same numbers as the source; known pairs are
        also kept.
        """
        known = {fold(a): b for a, b in item.glossary}
        kept: dict[str, Translated] = {}
        missing: list[Ungrounded] = []
        for found in output.texts:
            text, given = found.text, found.translation
            if text not in item.texts or text in kept or fold(text) in known:
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
        if item.city and fold(given) == fold(in_pinyin(text)):
            return "is how the name sounds"
        return "is far longer than its text" if len(given) > 40 + 8 * len(text) else None

    def unsure(self, item: TranslationRequest, output: Translations) -> bool:
        """Check whether a text has no established translation; if so, the cascade asks the
        model.
        """
        return any(found.origin not in ("known", "translated") for found in output.texts)


def in_pinyin(name: str) -> str:
    """Return the pinyin of a Chinese name."""
    # Importing pypinyin takes a quarter of a second.
    from pypinyin import lazy_pinyin

    return "".join(lazy_pinyin(name))
