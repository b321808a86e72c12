from __future__ import annotations

import pytest

from geocoding.names import NameReader, fold, language, name_key, pinyin, stem, words
from tests.support.geocoding.builders import CITY

READER = NameReader.of(CITY)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("灵峰寺（东院）", "灵峰寺(东院)"),
        ("靈峰寺", "灵峰寺"),
        ("灵峰 寺", "灵峰寺"),
        ("灵峰寺—东院", "灵峰寺-东院"),
        ("灵峰•寺", "灵峰·寺"),
        ("ＡＢＣ乐园", "abc乐园"),
        ("“灵峰”寺", "灵峰寺"),
        ("Lingfeng  Temple", "lingfeng temple"),
        ("Língfēng Temple", "lingfeng temple"),
    ],
)
def test_fold_evens_out_spellings(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_fold_keeps_spaces_between_latin_words_in_a_chinese_name() -> None:
    assert fold("灵峰 (Big Rock Park)") == "灵峰(big rock park)"


def test_name_key_drops_article_and_marks_only() -> None:
    assert name_key("The Prince's Garden") == name_key("prince garden")
    assert name_key("灵峰寺(东院)") != name_key("灵峰寺")


def test_language() -> None:
    assert [language(t) for t in ("灵峰Live", "Live", "Ωμέγα")] == ["zh", "en", "other"]


def test_pinyin_has_no_tones_and_no_marks() -> None:
    assert pinyin("绿岛·西路") == "lvdaoxilu"


def test_words_stem_plurals_and_drop_possessives() -> None:
    assert words("The Prince's Gardens and Six Harmonies") == ("prince", "garden", "six", "harmony")
    assert stem("glass") == "glass"


def test_city_in_front_is_no_part_of_the_name() -> None:
    assert READER.read("云州灵峰寺").bare == READER.read("云州市灵峰寺").bare == "灵峰寺"
    assert READER.read("Yunchow Lingfeng Temple").bare == "lingfeng temple"


def test_city_stays_where_nothing_but_a_kind_would_remain() -> None:
    assert READER.read("云州博物馆").bare == "云州博物馆"
    assert READER.read("Yunchow Museum").words == ("yunzhou", "museum")


def test_parts_of_a_name() -> None:
    name = READER.read("青莲湖景区-望月亭")
    assert (name.bare, name.core, name.ending, name.tail) == (
        "青莲湖景区",
        "青莲湖",
        "景区",
        "望月亭",
    )
    assert name.kind is not None
    assert name.kind.code == "scenic"
    bracketed = READER.read("银环（云州体育馆）")
    assert (bracketed.main, bracketed.brackets) == ("银环", ("云州体育馆",))


def test_longest_ending_decides_the_kind() -> None:
    kinds = [READER.read(n).kind for n in ("野岭动物园", "野岭花园", "野岭公园", "野岭湿地公园")]
    assert [k.code for k in kinds if k] == ["zoo", "garden", "park", "park"]


def test_a_reader_without_city_strips_nothing() -> None:
    assert NameReader.of(None).read("云州灵峰寺").bare == "云州灵峰寺"
