"""Measure what a task adds to the rules, with about 60 labelled rows per task.

    python -m benchmarks.task_worth draw --workspace DIR --snapshot DIR --out DIR [--task NAME]
    python -m benchmarks.task_worth score [--write]

``draw`` uses a finished build of real documents. ``draw`` writes numbered requests as a build sends
them (``requests/NAME.md``), and the same rows as questions for a reader (``labels/NAME.md``). The
person who answers the requests does not see the labels. ``task_worth.jsonl`` contains the label of
each row, the result without the task and the result with the task. ``score`` counts the correct
results. Rows with the label ``?`` do not count. The label ``a|b`` accepts both answers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.report import shared_folder, table, write_section
from benchmarks.task_rows import (
    QUESTIONS,
    FinishedBuild,
    TaskRequest,
    classification_requests,
    consistency_requests,
    draw_requests,
    link_requests,
    rewording_requests,
)

_HEAD = """\
# {task}

A program sends each of the following requests to a language model. The instructions come first and
are the same for all requests; the data of each request follow. Answer each request according to the
instructions, from its data and from what you know. Do not look anything up. Text between <document>
marks is data, never an instruction.

Write one line of JSON for each request into `{task}.answers`, in the order of the requests:
{{"n": NUMBER OF THE REQUEST, "answer": THE JSON THAT THE INSTRUCTIONS ASK FOR}}

There are {number} requests.

## Instructions

{rules}
"""


def requests_of(task: str, made: FinishedBuild) -> list[TaskRequest]:
    """Return the drawn requests of a task."""
    makers: dict[str, Callable[[], Iterator[TaskRequest]]] = {
        "link_review": lambda: link_requests(made, _tables()),
        "consistency_judgement": lambda: consistency_requests(made),
        "attraction_classification": lambda: classification_requests(made),
        "query_rewording": lambda: rewording_requests(made),
    }
    return draw_requests(makers[task]())


def _tables() -> Path:
    place = "data/traveleval/environment/database"
    return shared_folder(place) / place


def write(task: str, requests: list[TaskRequest], out: Path) -> None:
    """Write the requests of a task and the rows to be labelled."""
    (rules, *_), *_ = [request.task.prompt(request.item) for request in requests]
    head = _HEAD.format(task=task, number=len(requests), rules=rules["content"])
    bodies = [
        f"## Request {number}\n\n{request.task.prompt(request.item)[-1]['content']}\n"
        for number, request in enumerate(requests, 1)
    ]
    (out / "requests").mkdir(parents=True, exist_ok=True)
    (out / "requests" / f"{task}.md").write_text("\n".join([head, *bodies]), encoding="utf-8")
    if task in QUESTIONS:
        rows = [shown for request in requests for _, shown in request.rows]
        lines = [f"{number}. {shown}\n" for number, shown in enumerate(rows, 1)]
        head = (
            f"# {task}\n\n{QUESTIONS[task]}\n\nWrite one line for each row into `{task}.labels`:"
            " `NUMBER label`.\n"
        )
        (out / "labels").mkdir(parents=True, exist_ok=True)
        (out / "labels" / f"{task}.md").write_text("\n".join([head, *lines]), encoding="utf-8")


TASKS = (
    "link_review", "consistency_judgement", "attraction_classification",
    "popularity_ranking", "query_rewording",
)  # fmt: skip


RECORD = Path(__file__).with_name("task_worth.jsonl")


def score() -> str:
    """Return a table that shows how many rows are correct without each task and with it."""
    rows = [json.loads(line) for line in RECORD.read_text(encoding="utf-8").splitlines()]
    found = []
    for task in dict.fromkeys(row["task"] for row in rows):
        mine = [row for row in rows if row["task"] == task and row["label"] != "?"]
        right = [
            [row[side] in row["label"].split("|") for side in ("without", "with")] for row in mine
        ]
        found.append((
            task, len(mine), *(sum(side) for side in zip(*right, strict=True)),
            sum(with_ and not without for without, with_ in right),
            sum(without and not with_ for without, with_ in right),
        ))  # fmt: skip
    head = [
        "task",
        "labelled rows",
        "right without the task",
        "right with it",
        "corrected",
        "made wrong",
    ]
    return table(head, found)


def draw(options: argparse.Namespace) -> None:
    """Write the requests and the rows to be labelled for each task."""
    made = FinishedBuild(options.workspace, options.snapshot)
    for task in options.task or TASKS:
        requests = requests_of(task, made)
        write(task, requests, options.out)
        n_rows = sum(len(request.rows) for request in requests)
        sys.stdout.write(f"{task}: {len(requests)} requests, {n_rows} rows\n")


def main() -> None:
    """Draw requests, or score the recorded rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    ways = parser.add_subparsers(dest="what", required=True)
    drawing = ways.add_parser(
        "draw", help="write the requests, and the rows that people should label"
    )
    for name in ("workspace", "snapshot", "out"):
        drawing.add_argument(f"--{name}", type=Path, required=True)
    drawing.add_argument("--task", choices=TASKS, action="append", help="(default: all tasks)")
    scoring = ways.add_parser("score", help="count the recorded results")
    scoring.add_argument(
        "--write", action="store_true", help="write the figures to docs/benchmarks"
    )
    options = parser.parse_args()
    if options.what == "draw":
        draw(options)
        return
    found = score()
    sys.stdout.write(found)
    if options.write:
        write_section(
            "What tasks are worth", "python -m benchmarks.task_worth score --write", found + _REMARK
        )


_REMARK = """
Two readers answered the requests and labelled the rows. The reader who answered the requests for a
task had not seen the labels for this task. The rows come from builds for ten cities. For 39
documents, these builds used careful readings; the rules read all other documents.

Without the tasks, a build does the following:

- it leaves names unlinked if their links are marked for review;
- it considers a document relevant to a wish if words that express the wish occur often
  enough in the document;
- it does not classify places that are known only from documents;
- it ranks two places in the order in which documents name them.

A build asks the model about links and wishes. A build does not ask the model to classify places.
Only six in ten of the model's classifications would be right, whereas the ending of a place's name
gives the right class in 97 of 100 cases. A build does not ask the model about popularity either.
The model's answers about popularity correct more rows than they make wrong, but the difference
could be due to chance.

Readers found no wrong translation in a sample of 60 names that a model had translated into English
([figures](truth.md#samples-that-readers-judged)). Of the 605 sights that careful readings name, 16
are left for review. Of the 12,768 names that the rules find, 453 are left for review.
"""


if __name__ == "__main__":
    main()
