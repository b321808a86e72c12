"""A fact keeps its condition, or is not read at all: it never holds always."""

from __future__ import annotations

import pytest

from extractors.read import read_in_one_form
from extractors.rules import RulesEngine
from schemas.document_reading import DocumentReading, NamedPlace, StatedFact
from schemas.reading import Span
from schemas.tasks import DocumentInput
from tests.support.extractors.reading_documents import document

#: Sentences under the heading of a temple, and all facts that a right reading gives: field, value,
#: whom for, when, [any further condition], with which places. A fact less would be set aside.
CHINESE = {
    "学生票30元。": {"ticket_price_cny 30 student"},
    "门票：成人60元，学生半价。": {"ticket_price_cny 60 adult"},
    "成人票60元，儿童票20元。": {"ticket_price_cny 60 adult", "ticket_price_cny 20 child"},
    "65岁以上老人免费参观。": {"ticket_price_cny 0 senior"},
    "身高1.2米以下儿童免费入园。": {"ticket_price_cny 0 child"},
    "老人、儿童门票10元。": {"ticket_price_cny 10 [老人、儿童]"},
    "学生凭学生证，门票25元。": {"ticket_price_cny 25 student"},
    "旺季门票80元，淡季门票40元。": {
        "ticket_price_cny 80 peak season", "ticket_price_cny 40 off season"},
    "4月至10月开放时间8:00-18:00，11月至次年3月开放时间9:00-16:30。": {
        "opening_hours 08:00-18:00 Apr-Oct", "opening_hours 09:00-16:30 Nov-Mar"},
    "冬季（12月至2月）：门票20元；开放时间9:00-16:00。": {
        "ticket_price_cny 20 Dec-Feb", "opening_hours 09:00-16:00 Dec-Feb"},
    "4月16日至10月15日门票50元。": {"ticket_price_cny 50 [4月16日至10月15日]"},
    "周末门票90元，平日门票70元。": {"ticket_price_cny 90 Sat-Sun", "ticket_price_cny 70 Mon-Fri"},
    "开放时间：周二至周日9:00-17:00，周一闭馆。": {
        "opening_hours 09:00-17:00 Tue-Sun", "closed_days Mon"},
    "每周一闭馆（法定节假日除外）。": {"closed_days Mon [法定节假日除外]"},
    "门票60元，与镜水湖公园的联票80元。": {
        "ticket_price_cny 60", "镜水湖公园: ticket_price_cny 80 with 松风寺"},
    "套票120元。": {"ticket_price_cny 120 [套票]"},
    "开放时间8:30-17:00，16:00停止入园。": {
        "opening_hours 08:30-17:00", "last_admission 16:00"},
    "夏季最晚入园时间17:30。": {"last_admission 17:30 summer"},
    "门票免费，须提前三天预约。": {"ticket_price_cny 0 [须提前三天预约]"},
    "本地居民门票10元。": {"ticket_price_cny 10 [本地居民]"},
}  # fmt: skip
ENGLISH = {
    "Tickets: adults 60 RMB, students 30 RMB.": {
        "ticket_price_cny 60 adult", "ticket_price_cny 30 student"},
    "Admission is 40 yuan for adults and 20 yuan for children.": {
        "ticket_price_cny 40 adult", "ticket_price_cny 20 child"},
    "Student tickets cost 15 RMB.": {"ticket_price_cny 15 student"},
    "Entry 50 RMB (students 25).": {"ticket_price_cny 50"},
    "Admission 30 RMB (seniors).": {"ticket_price_cny 30 senior"},
    "Seniors and students pay 20 RMB admission.": {
        "ticket_price_cny 20 [Seniors and students]"},
    "Tickets cost 80 RMB from April to October and 50 RMB from November to March.": {
        "ticket_price_cny 80 Apr-Oct", "ticket_price_cny 50 Nov-Mar"},
    "In summer, tickets are 70 RMB.": {"ticket_price_cny 70 summer"},
    "Entrance fee: 60 RMB (high season), 40 RMB (low season).": {
        "ticket_price_cny 60 peak season", "ticket_price_cny 40 off season"},
    "Open 8:00-18:00 in July and August.": {"opening_hours 08:00-18:00 Jul, Aug"},
    "Open Tuesday to Sunday, hours 9:00-17:00.": {"opening_hours 09:00-17:00 Tue-Sun"},
    "Weekend tickets cost 90 RMB.": {"ticket_price_cny 90 Sat-Sun"},
    "Entry is free on Wednesdays.": {"ticket_price_cny 0 Wed"},
    "Closed Mondays except public holidays.": {"closed_days Mon [except public holidays]"},
    "A combined ticket with Copper Museum costs 100 RMB.": {
        "ticket_price_cny 100 with Copper Museum"},
    "Tickets: 60 RMB, or 90 RMB (combined).": {
        "ticket_price_cny 60", "ticket_price_cny 90 [combined]"},
    "Open 9:00-17:00, last entry 16:00.": {
        "opening_hours 09:00-17:00", "last_admission 16:00"},
    "Last entry 15:30 in winter.": {"last_admission 15:30 winter"},
    "Free entry, by reservation only.": {"ticket_price_cny 0 [by reservation only]"},
    "Admission 20 RMB for local residents.": {"ticket_price_cny 20 [local residents]"},
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "right"), CHINESE.items())
def test_chinese_facts_keep_their_conditions(sentence: str, right: set[str]) -> None:
    assert (
        facts(f"# 云州\n## 镜水湖公园\n湖边有长廊。\n## 松风寺\n{sentence}", "zh", "松风寺")
        == right
    )


@pytest.mark.parametrize(("sentence", "right"), ENGLISH.items())
def test_english_facts_keep_their_conditions(sentence: str, right: set[str]) -> None:
    text = f"# Testford guide\n## Copper Museum\nSmall.\n## Willow Temple\n{sentence}"
    assert facts(text, "en", "Willow Temple") == right


def facts(text: str, lang: str, name: str) -> set[str]:
    """All facts of a text with their conditions; those of a place of this name without it."""
    item = DocumentInput(document=document(text, lang))
    reading, _ = read_in_one_form(RulesEngine(), item)
    return {told(fact, reading).removeprefix(f"{name}: ") for fact in reading.facts}


def told(fact: StatedFact, reading: DocumentReading) -> str:
    """A fact in one line, with its place."""
    when = None if fact.valid_when == "always" else fact.valid_when
    others = [reading.place(n).name for n in fact.with_places]
    parts = (
        f"{reading.place(fact.place).name}:",
        fact.field,
        fact.value,
        fact.audience,
        when,
        f"[{fact.condition}]" if fact.condition else None,
        *(f"with {o}" for o in others),
    )
    return " ".join(part for part in parts if part)


def test_what_the_tables_have_no_form_for_is_a_condition() -> None:
    """The price for an adult is the price; that for a child or of several sights is not."""
    span = Span(start=0, end=2)
    places = tuple(NamedPlace(n=n, name=name, spans=(span,)) for n, name in enumerate("甲乙", 1))
    reading = DocumentReading(doc_id="d", kind="guide", places=places)
    ticket = StatedFact(place=1, field="ticket_price", value="60", spans=(span,))
    facts = [
        ticket.model_copy(update=update)
        for update in (
            {}, {"audience": "adult"}, {"audience": "child"}, {"with_places": (2,)},
            {"audience": "student", "condition": "凭证", "with_places": (2,)},
        )
    ]  # fmt: skip
    assert [(fact.only_for, reading.condition_of(fact)) for fact in facts] == [
        (None, None), (None, None), ("child", None), (None, "with 乙"),
        ("student", "凭证; with 乙"),
    ]  # fmt: skip
