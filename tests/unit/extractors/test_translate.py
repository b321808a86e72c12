"""English names of places: batches that stay, answers that are kept or refused, and none at all."""

from __future__ import annotations

from typing import Any

from extractors.tasks import Translation
from extractors.tasks.name_tasks import TranslationRequest
from extractors.translate import MOST_NAMES, translate_names
from schemas.tasks import Grounded, Unanswered


class Scripted:
    """An engine that answers from a table, by the task's own parser and check."""

    name, concurrency = "scripted", 3

    def __init__(self, english: dict[str, str], refused: str | None = None) -> None:
        self._english, self._refused = english, refused
        self.asked: list[TranslationRequest] = []

    def run(self, task: Any, item: Any) -> Grounded[Any]:
        self.asked.append(item)
        if self._refused in item.texts:
            raise Unanswered("no usable answer")
        rows = [
            {"number": number, "translation": self._english.get(text)}
            for number, text in enumerate(item.texts, 1)
        ]
        answer: Grounded[Any] = task.check(item, task.parse({"texts": rows}, item))
        return answer


def test_known_names_come_back_and_unknown_ones_stay_unknown() -> None:
    engine = Scripted({"湖心亭": "Mid-Lake Pavilion", "柳巷": "liuxiang", "九号码头": "Pier 8"})
    found = translate_names(engine, "Hangzhou", ["柳巷", "湖心亭", "九号码头", "三号楼2"])
    assert found.known["湖心亭"] == "Mid-Lake Pavilion"
    assert found.known["柳巷"] is None, "how a name sounds is not what the place is called"
    assert found.known["三号楼2"] is None
    assert not found.unanswered


def test_digits_stay_in_a_name() -> None:
    found = translate_names(Scripted({"园区2号门": "Gate 3"}), "Wuhan", ["园区2号门"])
    assert found.known == {"园区2号门": None}


def test_every_name_is_asked_once_and_the_city_is_told() -> None:
    names = [f"第{number}公园" for number in range(400)]
    engine = Scripted({})
    found = translate_names(engine, "Suzhou", [*names, *names])
    asked = [text for item in engine.asked for text in item.texts]
    assert sorted(asked) == sorted(names)
    assert set(found.known) == set(names)
    assert max(len(item.texts) for item in engine.asked) <= MOST_NAMES
    assert {item.city for item in engine.asked} == {"Suzhou"}
    shown = Translation().prompt(engine.asked[0])[-1]["content"]
    assert "Names of places in Suzhou" in shown


def test_one_more_name_changes_one_request() -> None:
    names = [f"第{number}公园" for number in range(400)]
    before, after = Scripted({}), Scripted({})
    translate_names(before, "Suzhou", names)
    translate_names(after, "Suzhou", [*names, "第二百五十公园"])
    kept = {item.texts for item in before.asked} & {item.texts for item in after.asked}
    assert len(kept) >= len(before.asked) - 1


def test_a_request_without_answer_is_told_and_the_others_stand() -> None:
    names = [f"第{number}公园" for number in range(400)]
    found = translate_names(Scripted({}, refused=names[7]), "Suzhou", names)
    assert names[7] in found.unanswered
    assert found.known
    assert set(found.unanswered) | set(found.known) == set(names)
    assert set(found.unanswered.values()) == {"no usable answer"}


def test_nothing_to_translate_asks_nobody() -> None:
    engine = Scripted({})
    found = translate_names(engine, "Suzhou", [])
    assert not engine.asked
    assert not found.known
