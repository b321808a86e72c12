from __future__ import annotations

import pytest

from sources.web.decoding import decode
from sources.web.errors import UnreadableDocument
from sources.web.main_text import parse_document

SIMPLIFIED = "早上去灯塔看海，门票三十元。下午到茶山喝茶，晚上回旧城住一夜。"
TRADITIONAL = "早上去燈塔看海，門票三十元。下午到茶山喝茶，晚上回舊城住一夜。"
SHORT = ("灯塔", "旧城一日", "第二天：茶山", "海边Day1")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "gbk"])
@pytest.mark.parametrize("text", [SIMPLIFIED, *SHORT])
def test_simplified_chinese_undeclared(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).removeprefix("\ufeff") == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "big5", "gb18030"])
def test_traditional_chinese_undeclared(encoding: str) -> None:
    assert decode(TRADITIONAL.encode(encoding)).removeprefix("\ufeff") == TRADITIONAL


@pytest.mark.parametrize(
    ("text", "encoding", "declared"),
    [
        (SIMPLIFIED, "gb18030", "gb2312"),
        (SIMPLIFIED, "gb18030", "utf-8"),
        (SIMPLIFIED, "gb18030", "big5"),
        (SIMPLIFIED, "utf-8", "gb2312"),
        (TRADITIONAL, "big5", "big5"),
        (TRADITIONAL, "big5", "utf-8"),
        (TRADITIONAL, "big5", "gbk"),
        ("Déjà vu à la crêperie près du café", "cp1252", "iso-8859-1"),
        ("Déjà vu à la crêperie près du café", "cp1252", None),
        ("“Café” – 5 €", "utf-8", "gbk"),
        (SIMPLIFIED, "gb18030", "no-such-charset"),
        (SIMPLIFIED, "gb18030", "utf-16"),
    ],
)
def test_declared_rightly_and_wrongly(text: str, encoding: str, declared: str | None) -> None:
    assert decode(text.encode(encoding), declared) == text


def test_gb18030_beyond_gbk() -> None:
    assert decode((SIMPLIFIED + "㐀𠀀").encode("gb18030")) == SIMPLIFIED + "㐀𠀀"


def test_a_page_declares_its_charset_in_a_meta_tag() -> None:
    page = f"<html><head><meta charset='gb2312'></head><body><p>{SIMPLIFIED}</p></body></html>"
    assert parse_document(page.encode("gb18030"), "a.html").text == SIMPLIFIED
    big5 = (
        f"<html><head><meta http-equiv=x content='text/html; charset=big5'></head><p>{TRADITIONAL}"
    )
    assert parse_document(big5.encode("big5"), "a.html").text == TRADITIONAL


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_one_broken_character_does_not_cost_the_document(encoding: str) -> None:
    raw = (SIMPLIFIED * 20).encode(encoding)
    text = decode(raw[:-1])
    assert text.startswith(SIMPLIFIED * 19)


def test_other_languages_by_statistics() -> None:
    japanese = "朝から灯台を見に行きました。とてもきれいな海でした。" * 5
    assert decode(japanese.encode("shift_jis")) == japanese


@pytest.mark.parametrize(
    "raw",
    [
        bytes((7 * n * n + 128) % 127 + 129 for n in range(500)),
        SIMPLIFIED.encode("gb18030") * 3 + SIMPLIFIED.encode() * 3,
    ],
)
def test_what_fits_no_charset_is_refused(raw: bytes) -> None:
    with pytest.raises(UnreadableDocument) as caught:
        decode(raw)
    assert caught.value.reason_code in ("encoding", "binary")
