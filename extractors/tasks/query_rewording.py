"""Task on a planned query: the same request in other words, with nothing added or left out."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from extractors.tasks.prompting import one_line, read_as, write_messages
from extractors.tasks.query_tasks import texts
from extractors.text import fold
from schemas.tasks import Grounded, Ungrounded

_FROZEN = ConfigDict(frozen=True)
LONGEST_REQUEST = 600
#: Amounts, years and names of places stay as they are; small numbers may become words.
_KEPT = re.compile(r"\d{3,}|[「“][^」”]+[」”]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


class RewordingRequest(BaseModel):
    """A planned request, and how many wordings of it are wanted."""

    model_config = _FROZEN
    text: str = Field(min_length=1, max_length=LONGEST_REQUEST)
    lang: Literal["zh", "en"]
    number: int = Field(default=3, ge=1, le=10)
    refused: tuple[str, ...] = Field(
        default=(), description="wordings from which a reader did not recover the request"
    )


class Wording(BaseModel):
    """One wording."""

    model_config = _FROZEN
    text: str = Field(min_length=1, max_length=LONGEST_REQUEST)


class Wordings(BaseModel):
    """Wordings of one request."""

    model_config = _FROZEN
    texts: tuple[Wording, ...] = ()


class QueryRewording:
    """A request in other words; every amount, date and name of the request must stand in each."""

    name = "query_rewording"
    version = 1
    input_model = RewordingRequest
    output_model = Wordings

    def prompt(self, item: RewordingRequest) -> list[dict[str, str]]:
        """Chat messages."""
        rules = (
            "Reword a travel request as different people would write it. Keep its language and "
            "everything it says: cities, number of days, dates, who travels, money, and every wish "
            "and refusal in its own words; keep one wish to a clause. Add nothing. "
            'Answer: {"texts": [..]}.'
        )
        missed = "".join(f"\nNot clear enough: {one_line(text)}" for text in item.refused)
        return write_messages(
            rules, f"Wordings wanted: {item.number}{missed}\nRequest: {item.text}"
        )

    def parse(self, raw: dict[str, Any], item: RewordingRequest) -> Wordings:
        """Read a raw answer; raises ValueError."""
        return read_as(Wordings, {"texts": texts(raw, "texts")})

    def check(self, item: RewordingRequest, output: Wordings) -> Grounded[Wordings]:
        """Keep the wordings that hold every amount and name of the request and no other."""
        kept: list[Wording] = []
        missing: list[Ungrounded] = []
        wanted = sorted(_KEPT.findall(item.text))
        for one in {fold(found.text): found for found in output.texts}.values():
            if sorted(_KEPT.findall(one.text)) != wanted:
                missing.append(Ungrounded(what=one.text, why="other amounts, dates or names"))
            elif bool(_HAN.search(_KEPT.sub("", one.text))) != (item.lang == "zh"):
                missing.append(Ungrounded(what=one.text, why="another language"))
            else:
                kept.append(one)
        found = Wordings(texts=tuple(kept[: item.number]))
        return Grounded(output=found, ungrounded=tuple(missing))
