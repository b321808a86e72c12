"""Task: everything that one document says about places, journeys and facts, in one request."""

from __future__ import annotations

from typing import Any

from extractors.tasks.document_answer import FRAME, RULES, Schema, document_schema
from extractors.tasks.document_check import check_reading
from extractors.tasks.document_parse import parse_reading
from extractors.tasks.prompting import delimit
from schemas.document_reading import DocumentReading
from schemas.tasks import DocumentInput, Grounded


class DocumentTask:
    """The reading of a document. No city and no known name is part of the question."""

    name = "document_reading"
    version = 2
    input_model = DocumentInput
    output_model = DocumentReading

    def prompt(self, item: DocumentInput) -> list[dict[str, str]]:
        """Chat messages; the document comes last."""
        return [
            {"role": "system", "content": FRAME + RULES},
            {"role": "user", "content": delimit(item.document.text)},
        ]

    def schema(self, item: DocumentInput) -> Schema:
        """The form of the raw answer, with the rows that the document can fill."""
        return document_schema(len(item.document.text))

    def parse(self, raw: dict[str, Any], item: DocumentInput) -> DocumentReading:
        """Read a raw answer; raises ValueError with the reason when it has another form."""
        return parse_reading(raw, item.document)

    def check(self, item: DocumentInput, output: DocumentReading) -> Grounded[DocumentReading]:
        """Keep what stands in the document; name the rest, and the answer's rows without sense."""
        kept, aside = check_reading(output, item.document)
        return Grounded(output=kept, ungrounded=aside)
