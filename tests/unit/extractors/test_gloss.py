"""Documents in languages without rules of their own:
their structure is read, their prose is not.
"""

from __future__ import annotations

import pytest

from extractors.rules.common.gazetteer import NameGazetteer
from extractors.rules.gloss import Gloss, structure_languages
from schemas.reading import GazetteerEntry
from tests.support.extractors.reading_documents import Reading, document, read, route

_KNOWN = (
    GazetteerEntry(standard="Torre del Grillo"),
    GazetteerEntry(standard="Museo de la Sal"),
    GazetteerEntry(standard="Bazar del Domingo"),
)


def _facts(found: Reading) -> set[tuple[str, str, str, str]]:
    return {(f.poi, f.field, f.value, f.valid_when) for f in found.facts if f.is_general}


@pytest.mark.parametrize(
    ("lang", "table", "told"),
    [
        (
            "es",
            (
                "| Sitio | Entrada | Horario\n| Museo Alba | 90 pesos; niños 40 pesos | martes a"
                " domingo 9:00–17:00"
            ),
            {
                ("Museo Alba", "ticket_price", "90 pesos", "always"),
                ("Museo Alba", "opening_hours", "09:00-17:00", "Tue-Sun"),
            },
        ),
        (
            "pt",
            (
                "| Monumento | Bilhete | Horário | Encerra\n| Museu da Cortiça | 6 € | 10h00 às"
                " 17h30 | segunda-feira"
            ),
            {
                ("Museu da Cortiça", "ticket_price", "6 €", "always"),
                ("Museu da Cortiça", "opening_hours", "10:00-17:30", "always"),
                ("Museu da Cortiça", "closed_days", "Mon", "always"),
            },
        ),
        (
            "ja",
            (
                "| 名称 | 拝観料 | 拝観時間 | 休み\n| 青山寺 | 大人600円、小人300円 | 9時〜17時30分"
                " | 月曜日"
            ),
            {
                ("青山寺", "ticket_price", "600 円", "always"),
                ("青山寺", "opening_hours", "09:00-17:30", "always"),
                ("青山寺", "closed_days", "Mon", "always"),
            },
        ),
        (
            "ar",
            (
                "| المكان | سعر التذكرة | المواعيد\n| قصر الزهور | ٢٠٠ جنيه | من ٩ صباحا إلى ٥"
                " مساء، مغلق الجمعة"
            ),
            {
                ("قصر الزهور", "ticket_price", "200 EGP", "always"),
                ("قصر الزهور", "opening_hours", "09:00-17:00", "always"),
                ("قصر الزهور", "closed_days", "Fri", "always"),
            },
        ),
    ],
)
def test_rows_of_tables_are_read(
    lang: str, table: str, told: set[tuple[str, str, str, str]]
) -> None:
    assert _facts(read(table, lang)) == told


def test_evidence_stands_in_the_document_itself() -> None:
    text = "| Sitio | Entrada\n| Museo Alba | gratuita"
    (fact,) = read(text, "es").facts
    written = document(text, "es").text
    assert (fact.value, written[fact.span.start : fact.span.end]) == ("0", "gratuita")


def test_days_of_headings_have_the_known_names_that_no_word_denies() -> None:
    found = read(
        "# Dos días\n## Sábado\nSubimos a la Torre del Grillo. No entramos al Museo de la Sal.\n"
        "## Domingo\nPor la mañana, Museo de la Sal.",
        "es",
        _KNOWN,
    )
    assert route(found) == {1: ["Torre del Grillo"], 2: ["Museo de la Sal"]}


def test_names_of_prose_that_no_table_knows_are_not_taken() -> None:
    found = read("# Paseo\nVisitamos el Museo del Viento y la Torre del Grillo.", "es", _KNOWN)
    assert {mention.name for mention in found.mentions} == {"Torre del Grillo"}


def test_prose_states_no_facts() -> None:
    assert read("# Paseo\nTorre del Grillo: entrada 90 pesos.", "es", _KNOWN).facts == ()


def test_known_names_keep_their_words_and_offsets_lead_back() -> None:
    text = "# Hoy\nBazar del Domingo, domingo gratis, Torre del Grillo"
    gloss = Gloss(document(text, "es"), NameGazetteer(_KNOWN))
    assert gloss.document.text == "Hoy\nBazar del Domingo, Sunday free, Torre del Grillo"
    found = read(text, "es", _KNOWN)
    assert [document(text, "es").text[m.span.start : m.span.end] for m in found.mentions] == [
        "Bazar del Domingo",
        "Torre del Grillo",
    ]


def test_languages_are_those_of_the_list() -> None:
    assert structure_languages() == {"es", "pt", "ja", "ar"}
