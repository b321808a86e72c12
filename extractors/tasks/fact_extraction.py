"""Task: what a document states about its POIs: hours, prices, durations, seasons."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from extractors.evidence import fact_problem, field_problem
from extractors.tasks.outputs import FactReading
from extractors.tasks.prompting import messages, rows, span_of, text_of
from schemas.reading import Fact, Span
from schemas.tasks import DocumentInput, Grounded, Ungrounded

_RULES = """List what the document states about single attractions. Fields and values:
opening_hours "HH:MM-HH:MM"; last_admission "HH:MM"; closed_days "Mon".."Sun"; ticket_price_cny
number in yuan, free = "0"; duration_hours decimal, "2-3" for a range, a whole day 8, half a day 4,
an evening 3; arrival_time "HH:MM" or an explicit best time such as "dusk"; season
"spring".."winter" or "all year". Prices of transport, bicycles, meals, guides and shows are no
ticket prices. valid_when is "always" unless the text limits the value to months ("Apr-Oct") or a
season. Only what a sentence of the document says is a fact: quote the sentence first.
Answer: {"facts": [{"evidence": exact quote, "poi": as written, "field": .., "value": ..,
"valid_when": ..}]}. Nothing stated: {"facts": []}."""


class FactExtraction:
    """Facts about POIs, each with its quote."""

    name = "fact_extraction"
    version = 2
    input_model = DocumentInput
    output_model = FactReading

    def prompt(self, item: DocumentInput) -> list[dict[str, str]]:
        """Chat messages; the document comes last."""
        return messages(_RULES, item)

    def parse(self, raw: dict[str, Any], item: DocumentInput) -> FactReading:
        """Read a raw answer; raises ValueError with the reason when it has another form."""
        text = item.document.text
        facts = [
            {
                "poi": text_of(row, "poi"),
                "field": text_of(row, "field"),
                "value": text_of(row, "value"),
                "valid_when": row.get("valid_when") or "always",
                "span": span_of(text_of(row, "evidence"), text),
            }
            for row in rows(raw, "facts")
        ]
        try:
            return FactReading.model_validate({"facts": facts})
        except ValidationError as error:
            raise ValueError(f"not a list of facts: {error.errors()[0]['msg']}") from error

    def check(self, item: DocumentInput, output: FactReading) -> Grounded[FactReading]:
        """Keep the facts whose POI is named and whose numbers stand in their quote."""
        blocks = item.document.blocks
        rows_of_tables = [Span(start=b.start, end=b.start + len(b.text)) for b in blocks
                          if b.kind == "table_row" and b.text]  # fmt: skip
        kept: list[Fact] = []
        missing: list[Ungrounded] = []
        for fact in output.facts:
            problem = _problem(fact, item, rows_of_tables)
            if problem is None:
                kept.append(fact)
            else:
                what = f"{fact.poi}: {fact.field} = {fact.value}"
                missing.append(Ungrounded(what=what, why=problem))
        return Grounded(output=FactReading(facts=tuple(kept)), ungrounded=tuple(missing))


def _problem(fact: Fact, item: DocumentInput, tables: list[Span]) -> str | None:
    """Why a fact has no evidence, or None."""
    text = item.document.text
    found = fact_problem(fact, text, item.gazetteer)
    if found or any(row.start <= fact.span.start < row.end for row in tables):
        return found
    return field_problem(fact, text[fact.span.start : fact.span.end])
