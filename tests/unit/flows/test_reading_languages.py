"""Who of an engine reads a document, by its language."""

from __future__ import annotations

import pytest

from extractors.read import unread_why
from flows.pipeline.stages.read import _reader_of
from schemas.documents import LANGUAGE_NAMES, Document, DocumentLanguage, code_language


@pytest.mark.parametrize(
    ("lang", "engine", "reader"),
    [
        ("zh", "rules", "rules"),
        ("en", "rules", "rules"),
        ("ja", "rules", "rules"),
        ("ko", "rules", None),
        ("other", "rules", None),
        ("ja", "openai", "openai"),
        ("zh", "cascade", "cascade"),
        ("fr", "cascade", "openai"),
        ("es", "cascade", "openai"),
    ],
)
def test_rules_read_two_languages_and_the_structure_of_some_and_a_model_all(
    lang: DocumentLanguage, engine: str, reader: str | None
) -> None:
    assert _reader_of(Document(doc_id="d", path="a.md", lang=lang), engine) == reader


def test_each_language_has_a_name_and_a_code_for_the_tables() -> None:
    for lang, name in LANGUAGE_NAMES.items():
        assert unread_why(Document(doc_id="d", path="a", lang=lang)).startswith(f"in {name}, ")
        assert code_language(lang) == (lang if lang in ("zh", "en") else "other")
