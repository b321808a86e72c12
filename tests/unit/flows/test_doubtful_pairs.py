"""``tripbed match`` with help: answers of files and engines, and what they cannot change."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from flows.errors import SettingsError
from flows.places.match import COLUMNS, PairHelp, match
from schemas.tasks import Grounded, Unanswered

#: Equal names; unlike names without points; nearly equal, 17 km apart; unlike, near.
PAIRS = (
    ("", "灵峰寺", "灵峰寺", "30.1", "120.1", "30.1001", "120.1"),
    ("", "灵峰寺", "青石庵", "", "", "", ""),
    ("", "望潮寺", "望潮禅寺", "30.1", "120.1", "30.25", "120.1"),
    ("", "九曲园", "听雨轩", "30.1", "120.1", "30.1012", "120.1"),
)
DOUBTFUL = {2, 3, 4}


class Model:
    """A model that gives one answer to every pair, or none."""

    name = "openai"
    spent = (1_200, 340)

    def __init__(self, answer: str | None) -> None:
        self.answer, self.asked, self.requests = answer, 0, 0

    def run(self, task: Any, item: Any) -> Grounded[Any]:
        self.asked += len(item.pairs)
        self.requests += 1
        if self.answer is None:
            raise Unanswered("refused")
        rows = [
            {"number": number, "answer": self.answer, "why": "its old name"}
            for number, _ in enumerate(item.pairs, 1)
        ]
        found: Grounded[Any] = task.check(item, task.parse({"pairs": rows}, item))
        return found


def matched(folder: Path, helped: PairHelp) -> list[dict[str, str]]:
    pairs, out = folder / "pairs.csv", folder / "out.csv"
    with pairs.open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([COLUMNS, *PAIRS])
    match(pairs, out, alone=True, as_json=True, helped=helped)
    with out.open(encoding="utf-8") as lines:
        return [*csv.DictReader(lines)]


def answers(folder: Path, *lines: Any) -> PairHelp:
    path = folder / "answers.jsonl"
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")
    return PairHelp(answers=(path,))


def line(n: int, answer: str = "same", why: str = "its old name") -> dict[str, Any]:
    return {"n": n, "answer": answer, "why": why}


def test_only_doubtful_pairs_are_asked_and_the_row_says_who_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, model = matched(tmp_path, PairHelp()), Model("same")
    capsys.readouterr()
    found = matched(tmp_path, PairHelp(model))
    assert model.asked == len(DOUBTFUL)
    assert found[0] == plain[0]
    assert {row["decided_by"] for row in plain} == {"rules"}
    assert [row["decided_by"] for row in found] == ["rules", "model", "rules", "model"]
    assert (found[1]["label"], found[1]["why"]) == ("same", "its old name")
    told = json.loads(capsys.readouterr().out)
    assert told["doubtful"] == told["asked"] == 3
    assert told["decided_by"] == {"model": 2, "rules": 2}
    assert (told["requests"], told["tokens"], told["usd"]) == (model.requests, 1_200, 0.00034)


def test_points_far_apart_outweigh_an_answer(tmp_path: Path) -> None:
    plain = matched(tmp_path, PairHelp())[2]
    found = matched(tmp_path, PairHelp(Model("same")))[2]
    assert (found["label"], found["score"]) == (plain["label"], plain["score"])
    assert found["why"].endswith("too far apart for the answer same from the model")
    assert matched(tmp_path, PairHelp(Model("different")))[2]["decided_by"] == "model"


@pytest.mark.parametrize(
    ("answer", "told"),
    [("unknown", "unknown to the model"), (None, "no answer from the model: refused")],
)
def test_without_an_answer_the_rules_decide(answer: str | None, told: str, tmp_path: Path) -> None:
    plain, found = matched(tmp_path, PairHelp()), matched(tmp_path, PairHelp(Model(answer)))
    for number, (by_rules, row) in enumerate(zip(plain, found, strict=True), 1):
        also = f"; {told}" if number in DOUBTFUL else ""
        assert row == {**by_rules, "why": by_rules["why"] + also}


def test_questions_are_written_and_their_answers_read(tmp_path: Path) -> None:
    folder = tmp_path / "asked"
    folder.mkdir()
    (folder / "req_9.txt").write_text("of another list")
    (folder / "notes.txt").write_text("mine")
    matched(tmp_path, PairHelp(requests=folder))
    assert sorted(path.name for path in folder.iterdir()) == ["notes.txt", "req_1.txt"]
    text = (folder / "req_1.txt").read_text(encoding="utf-8")
    shown = text.split("\n\n")[1].splitlines()
    assert [int(one.split(".")[0]) for one in shown] == sorted(DOUBTFUL)
    assert shown[2] == "4. city: unknown | 九曲园 | 听雨轩 | distance: 133 m"
    assert '{"n": its number, "answer": "same",' in text
    found = matched(tmp_path, answers(tmp_path, line(2), "", line(4, "part", "its pavilion")))
    assert [row["decided_by"] for row in found] == ["rules", "answers", "rules", "answers"]
    assert [row["label"] for row in found[1::2]] == ["same", "parent-of"]


def test_a_model_is_asked_what_the_answers_leave_out(tmp_path: Path) -> None:
    model = Model("different")
    helped = PairHelp(model, answers(tmp_path, line(2)).answers)
    found = matched(tmp_path, helped)
    assert model.asked == 2
    assert [row["decided_by"] for row in found] == ["rules", "answers", "model", "model"]


def test_an_answer_about_a_sure_pair_is_counted_and_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = matched(tmp_path, answers(tmp_path, line(1, "different", "two temples")))
    assert (found[0]["label"], found[0]["decided_by"]) == ("same", "rules")
    assert json.loads(capsys.readouterr().out)["answers_not_needed"] == 1


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([line(2), "{"], "line 2: "),
        (["[2]"], "line 1: is not a JSON object"),
        ([line(5)], "line 1: there is no pair 5: the list has only 4"),
        ([line(0)], "line 1: there is no pair 0"),
        ([line(2, "alike")], "line 1: not a PairAnswer: answer"),
        ([{"n": 2, "answer": "same"}], "line 1: 'why' is missing"),
        ([line(2), line(2, "part")], "line 2: pair 2 has two answers"),
    ],
)
def test_a_line_that_is_no_answer_is_named_and_nothing_written(
    lines: Sequence[Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as error:
        matched(tmp_path, answers(tmp_path, *lines))
    assert told in str(error.value)
    assert not (tmp_path / "out.csv").exists()


def test_files_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none.jsonl cannot be read: No such file"):
        matched(tmp_path, PairHelp(answers=(tmp_path / "none.jsonl",)))
    (tmp_path / "old.jsonl").write_bytes("是".encode("gb18030"))
    with pytest.raises(SettingsError, match="is not UTF-8"):
        matched(tmp_path, PairHelp(answers=(tmp_path / "old.jsonl",)))
    with pytest.raises(SettingsError, match="cannot be written"):
        matched(tmp_path, PairHelp(requests=tmp_path / "pairs.csv"))


def test_the_share_asked_is_told_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matched(tmp_path, PairHelp())
    pairs, out = tmp_path / "pairs.csv", tmp_path / "out.csv"
    capsys.readouterr()
    match(pairs, out, alone=True, as_json=False)
    assert "doubtful" not in capsys.readouterr().out
    match(pairs, out, alone=True, as_json=False, helped=PairHelp(Model("same")))
    told = capsys.readouterr().out
    assert re.search(
        r"3 doubtful \(75%\); 3 pairs sent to the model in \d requests?, 0 pairs left unanswered\n",
        told,
    )
    assert "decided by model: 2, rules: 2\n1,200 tokens, 0.0003 USD" in told
