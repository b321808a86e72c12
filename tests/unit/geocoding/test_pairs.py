from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from geocoding import lexicon, translation
from geocoding.dictionary import read_known
from geocoding.match import match_pairs
from geocoding.names import NameReader
from geocoding.pairs import compare
from tests.support.geocoding.builders import CITY

READER = NameReader.of(CITY)


def label(a: str, b: str, metres: float | None = None) -> str:
    return compare(READER.read(a), READER.read(b), metres).label


@pytest.mark.parametrize(
    ("a", "b", "metres"),
    [
        ("灵峰寺", "靈峰寺", None),
        ("灵峰寺", "云州灵峰寺", 40.0),
        ("青莲湖", "青莲湖风景名胜区", 2_000.0),
        ("青莲湖风景区", "青莲湖旅游度假区", 900.0),
        ("银环(云州体育馆)", "云州体育馆", None),
        ("竹篮巷", "竹篮巷步行街", None),
        ("丹鹤楼", "丹鹤楼公园", None),
        ("归云禅寺", "归云寺", None),
        ("古归云寺", "归云寺", 20.0),
        ("梅园博物馆", "梅园博物院", 30.0),
        ("盐商石室会馆", "石室会馆", 60.0),
        ("云州大学", "云大", None),
        ("自然科学博物馆", "自博", None),
        ("Lingfeng Temple", "灵峰寺", None),
        ("Lingfengsi", "灵峰寺", None),
        ("Green Lotus Lake", "青莲湖风景区", None),
        ("Yunchow Tower", "云州塔", None),
        ("Yunzhou Happy Valley", "云州欢乐谷", None),
        ("National Tea Museum", "茶叶博物馆", None),
        ("Lingfeng Temple", "Lingfeng Monastery", None),
        ("Qinglian", "Qinglian Park", None),
        ("Zhulong Alley", "Bamboo Dragon Alley", None),
        ("Meiyuan", "The Meiyuan", None),
    ],
)  # fmt: skip
def test_same(a: str, b: str, metres: float | None) -> None:
    assert label(a, b, metres) == "same"
    assert label(b, a, metres) == "same"


@pytest.mark.parametrize(
    ("a", "b", "metres"),
    [
        ("灵峰寺", "灵峰寺", 20_000.0),
        ("青莲博物馆", "青莲美术馆", 400.0),
        ("灵峰寺", "灵峰塔", None),
        ("云州博物馆", "云州美术馆", None),
        ("云州博物馆", "云州丝绸博物馆", None),
        ("奉天殿", "奉天门", 120.0),
        ("竹溪坊", "竹溪院", 270.0),
        ("云州美术馆(新馆)", "云州美术馆(旧馆)", 4_000.0),
        ("云州美术馆", "云州美术馆(东馆)", 6_000.0),
        ("金鳞河游船(南桥码头)", "金鳞河游船（北桥码头）", 900.0),
        ("青莲湖-望月亭", "青莲湖-听雨轩", 300.0),
        ("东竹亭", "竹亭", 100.0),
        ("金鳞江大桥", "金鳞江铁桥", None),
        ("Beamish Museum", "云州博物馆", None),
        ("Yunzhou Museum", "云州图书馆", None),
        ("Yunzhou Zoo", "云州植物园", None),
        ("Bell Tower", "Drum Tower", None),
        ("青莲公园", "青莲森林公园", 2_500.0),
        ("Bell Tower", "鼓楼", None),
        ("Tower", "鼓楼", None),
    ],
)  # fmt: skip
def test_different(a: str, b: str, metres: float | None) -> None:
    assert label(a, b, metres) == "different"
    assert label(b, a, metres) == "different"


@pytest.mark.parametrize(
    ("whole", "part", "metres"),
    [
        ("青莲湖公园", "银环茶馆(青莲湖公园)", None),
        ("青莲湖", "青莲湖-望月亭", 3_000.0),
        ("青莲湖", "青莲湖游船", 800.0),
        ("青莲山", "青莲山索道", 1_200.0),
        ("灵峰寺", "灵峰寺北门", 150.0),
        ("竹篮巷", "竹篮巷博物馆", 180.0),
        ("灵隐青莲峰景区", "青莲峰", 300.0),
        ("青莲湖风景名胜区", "青莲湖-望月亭", 2_000.0),
        ("慈云园", "听雨殿", 500.0),
        ("青莲公园", "青莲博物馆", None),
        ("Green Lotus Lake", "青莲湖绿道", None),
        ("Lotus Hall", "Lotus Hall - North Entrance", None),
        ("Lingfeng Temple", "灵峰寺-藏经楼", None),
    ],
)  # fmt: skip
def test_parent_of_and_turned(whole: str, part: str, metres: float | None) -> None:
    assert label(whole, part, metres) == "parent-of"
    assert label(part, whole, metres) == "part-of"


def test_two_cities_are_two_places() -> None:
    row = {"city": "beijing;shanghai", "name_a": "灵峰寺", "name_b": "灵峰寺"}
    (found,) = match_pairs([row])
    assert found["label"] == "different"
    (found,) = match_pairs([{**row, "city": "beijing"}])
    assert found["label"] == "same"


def test_distance_of_a_pair_comes_from_its_coordinates() -> None:
    row = {"city": "", "name_a": "灵峰寺", "name_b": "灵峰寺"}
    far = {"lat_a": "30.0", "lon_a": "110", "lat_b": "30.5", "lon_b": "110"}
    assert match_pairs([{**row, **far}])[0]["label"] == "different"
    assert match_pairs([{**row, **far, "lat_b": ""}])[0]["label"] == "same"


def test_a_part_in_front_of_its_whole_is_not_parent_of() -> None:
    row = {"city": "", "name_a": "青莲湖-望月亭", "name_b": "青莲湖"}
    assert match_pairs([row])[0]["label"] == "different"


def test_a_coordinate_that_is_no_number_is_an_error() -> None:
    row = dict.fromkeys(("lat_a", "lon_a", "lat_b", "lon_b"), "x")
    with pytest.raises(ValueError, match="x"):
        match_pairs([{"city": "", "name_a": "甲寺", "name_b": "乙寺", **row}])


def _labelled(shared: Path) -> list[dict[str, str]]:
    with (shared / "data" / "entity_pairs_dev.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_labelled_pairs(shared: Path) -> None:
    rows = _labelled(shared)
    found = [pair["label"] for pair in match_pairs(rows)]
    truth = [row["label"] for row in rows]
    right = sum(f == t for f, t in zip(found, truth, strict=True))
    hits = sum(f == t == "same" for f, t in zip(found, truth, strict=True))
    assert right / len(rows) >= 0.90
    assert hits / found.count("same") >= 0.97, "a false 'same' loses a place"
    assert 2 * hits / (found.count("same") + truth.count("same")) >= 0.88


def test_no_word_of_the_lexicons_is_a_place_of_the_labelled_list(shared: Path) -> None:
    generic = {"钟楼", "鼓楼"}  # bell tower and drum tower stand in any old town
    listed = {row[column] for row in _labelled(shared) for column in ("name_a", "name_b")} - generic
    chinese = set(translation.glosses()) | {word for kind in lexicon.KINDS for word in kind.zh}
    assert not chinese & listed
    texts = [
        path.read_text(encoding="utf-8") for path in Path(lexicon.__file__).parent.glob("*.py")
    ]
    long_names = {n for n in listed if len(n) >= (3 if re.search("[一-龥]", n) else 6)}
    assert not [n for n in long_names if any(n in text for text in texts)]


@pytest.mark.parametrize(
    ("a", "b"),
    [("山城茶馆", "四川山城茶馆"), ("听雨书院", "SUNNY听雨书院"), ("青莲镇", "青莲古镇"),
     ("九曲码头遗址", "九曲码头旧址")],
)  # fmt: skip
def test_regions_latin_fronts_and_like_endings_leave_a_name_the_same(a: str, b: str) -> None:
    found = compare(READER.read(a), READER.read(b))
    assert (found.label, found.score >= 0.8) == ("same", True)


def test_names_that_only_a_dictionary_joins() -> None:
    """Read by form: translation, nickname, reference and container, all invented."""
    lines = [
        (
            "靈閣 灵阁 [Ling2 ge2] /the Spirit Loft (in Yunzhou)/abbr. for 靈風閣|灵风阁[Ling2"
            " feng1 ge2]/"
        ),
        (
            "靈風閣 灵风阁 [Ling2 feng1 ge2] /Wind Spirit Loft, in the Great Moon Garden"
            " 大月園|大月园[Da4 yue4 yuan2]/"
        ),
        "大月園 大月园 [Da4 yue4 yuan2] /Great Moon Garden, the Old Moon Garden, laid out in 1860/",
        "閣 阁 [ge2] /pavilion/",
        "跑步 跑步 [pao3 bu4] /to run/",
    ]
    known = read_known(lines)
    read = READER.read
    assert known.is_same(read("灵阁"), read("灵风阁"))
    assert known.is_same(read("Spirit Loft"), read("灵风阁"))
    assert known.is_same(read("The Spirit Loft"), read("Wind Spirit Loft"))
    assert known.is_same(read("Old Moon Garden"), read("大月园"))
    assert known.holds(read("大月园"), read("灵阁"))
    assert not known.is_same(read("大月园"), read("灵阁"))
    assert not known.is_same(read("跑步"), read("灵阁"))
    assert not known.is_same(read("灵阁-北门"), read("灵阁"))
