"""Fit the weights of ``extractors.rules.zh.weighing`` to documents that are new to the rules.

    python -m benchmarks.name_weights DOCUMENTS [--write]

The rules perform too well on documents that were used to correct them. Each batch of
``unseen_labels.jsonl`` is therefore read with rules that are older than the batch (from the
history of this repository), and with the current kinds of evidence. The model is a logistic
regression on standardised evidence. The run measures the model in two ways: by cross-validation
over the earlier batches, and on the newest batch with weights fitted to all earlier batches. The
run prints the F1 for sights and the share of decoys that are accepted, both for the rules alone
and for the model, with a paired bootstrap over documents. ``--write`` writes the weights to
``extractors/rules/zh/lists/name_weights.tsv`` and the table to ``docs/benchmarks``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

_HERE = Path(__file__).resolve().parent
_RULES = Path("extractors/rules")
_WEIGHTS = _RULES / "zh/lists/name_weights.tsv"
#: The current module that weighs names, for revisions that do not have it.
_TODAY = (
    *(
        _RULES / f"zh/{name}.py"
        for name in ("__init__", "verses", "candidates", "evidence", "weighing")
    ),
    _WEIGHTS,
    _RULES / "common/__init__.py",
    Path("schemas/word_lists.py"),
)
#: Modules that the weighing module imports, and their places in revisions with one flat folder.
_FLAT = {
    "common.chinese": ("words_zh", "lexicon_zh"), "common.dictionary": ("words_zh",),
    "common.days": ("days",), "common.grouping": ("grouping",), "common.lines": ("lines",),
    "zh.lexicon": ("lexicon_zh",),
}  # fmt: skip
#: Revisions of the rules, each with the batches that are new to it.
_BEFORE = {
    "fc7454c": tuple(range(1, 10)),
    "37182bd": (10,),
    "49b8ada": (11,),
    "f4e74b6": (12,),
    "8015da4": (13,),
    "c2739d8": (14,),
    "9a1ac77": (15,),
}
_NEWEST = 15
#: The fewest documents for a kind of evidence, and the strength of the regularisation.
_LEAST_DOCUMENTS, _PULL = 8, 100.0
#: A decoy that is accepted as a sight counts as this many errors.
_DECOY = 4.0
#: The lowest probabilities for keeping a name that the rules found, and for adding another name.
_KEPT, _ADDED = 0.2, 0.35
_FOLDS, _DRAWS, _SEED = 7, 2000, 0


@dataclass
class Row:
    """A possible name, with its sight (-1 if none), the rules' decision and the evidence."""

    name: str
    sight: int
    decoy: bool
    place: int
    spans: list[tuple[int, int]]
    evidence: dict[str, float]
    share: float = 0.0


@dataclass
class RulesRead:
    """One document: its possible names, and the sights that the rules accepted."""

    batch: int
    wanted: int  # sights that are visited or recommended
    decoys: int
    rows: list[Row] = field(default_factory=list)
    taken: list[tuple[int, bool]] = field(default_factory=list)


def read(documents: Path, labels: Path, batches: frozenset[int]) -> list[RulesRead]:
    """Read the Chinese documents of some batches with whichever rules are on the import path."""
    _find_flat_rules()
    from extractors.rules import RulesEngine, scan
    from extractors.rules.zh.evidence import evidence
    from extractors.rules.zh.weighing import weighable
    from extractors.tasks import PoiExtraction
    from extractors.text import fold
    from schemas.tasks import DocumentInput
    from sources.web.main_text import parse_document

    files = {
        hashlib.sha256(path.read_bytes()).hexdigest()[:24]: path
        for path in sorted(documents.rglob("*")) if path.is_file()
    }  # fmt: skip
    build, seen = vars(scan)["build_route"], list[Any]()

    def build_and_note(places: Any, lines: Any, days: Any, kind: Any, lang: Any) -> Any:
        found = build(places, lines, days, kind, lang)
        if not seen:  # later passes see names that are already judged
            candidates, page = weighable(lines, days, kind, places, found[0])
            roles = [(place, place.role) for place in places]
            seen.append((page, roles, [(c, evidence(c, page)) for c in candidates]))
        return found

    vars(scan)["build_route"] = build_and_note
    result = []
    for text in labels.read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        if row["lang"] != "zh" or row["batch"] not in batches:
            continue
        path = files[row["sha256"]]
        document = parse_document(path.read_bytes(), str(path.relative_to(documents)))
        seen.clear()
        RulesEngine().run(PoiExtraction(), DocumentInput(document=document))
        going = [p for p in row["pois"] if p["role"] in ("visited", "recommended")]
        sight = {fold(n): i for i, p in enumerate(going) for n in (p["name"], *p["also"])}
        decoys = {fold(name) for name in row["decoys"]}
        one = RulesRead(row["batch"], len(going), len(row["decoys"]))
        for page, roles, found in seen:
            for c, weighed in found:
                place = page.forms.get(c.name)
                starts = [page.lines[s.line].start for s in c.seen]
                spans = [(a + s.start, a + s.end) for a, s in zip(starts, c.seen, strict=True)]
                name = fold(c.name)
                number = place.number if place else -1
                one.rows.append(
                    Row(c.name, sight.get(name, -1), name in decoys, number, spans, weighed)
                )
            for place, role in roles:
                names = [fold(hit.name) for hit in place.hits]
                if role in ("visited", "recommended"):
                    right = next((sight[n] for n in names if n in sight), -1)
                    one.taken.append((right, not decoys.isdisjoint(names)))
        result.append(one)
    return result


def _find_flat_rules() -> None:
    """Let current modules import rules from an old revision that has them in one flat folder."""
    from extractors import rules

    if (Path(rules.__path__[0]) / "lines.py").exists():
        for name, flat in _FLAT.items():
            module = ModuleType(f"extractors.rules.{name}")
            for one in flat:
                vars(module).update(vars(import_module(f"extractors.rules.{one}")))
            sys.modules[f"extractors.rules.{name}"] = module


def read_before(documents: Path) -> list[RulesRead]:
    """Read every batch with rules that are older than the batch."""
    found: list[RulesRead] = []
    root = _HERE.parent
    for revision, batches in _BEFORE.items():
        with tempfile.TemporaryDirectory() as folder:
            kept = ["git", "-C", str(root), "archive", revision, "extractors", "schemas", "sources"]
            packed = subprocess.run(kept, check=True, capture_output=True).stdout
            with tarfile.open(fileobj=BytesIO(packed)) as archive:
                archive.extractall(folder, filter="data")
            for file in _TODAY:
                (Path(folder) / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / file, Path(folder) / file)
            out = Path(folder) / "rows"
            command = [sys.executable, str(Path(__file__).resolve()), str(documents), "--rows",
                       ",".join(map(str, batches)), "--out", str(out)]  # fmt: skip
            subprocess.run(
                command, check=True, cwd=folder, env={**os.environ, "PYTHONPATH": folder}
            )
            found.extend(_load(out))
    return found


def _load(path: Path) -> list[RulesRead]:
    found = []
    for one in pickle.loads(path.read_bytes()):
        found.append(RulesRead(**{**one, "rows": [Row(**row) for row in one["rows"]]}))
    return found


@dataclass(frozen=True)
class Model:
    """A bias and a weight for each piece of evidence."""

    bias: float
    weights: dict[str, float]

    def share(self, evidence: dict[str, float]) -> float:
        """Return the probability that a string is the name of a sight."""
        odds = self.bias + sum(self.weights.get(k, 0.0) * x for k, x in evidence.items())
        return 1 / (1 + math.exp(-odds))


def fit_model(reads: list[RulesRead]) -> Model:
    """Fit a logistic model to the possible names in some documents."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    shown = Counter(k for one in reads for k in {k for r in one.rows for k in r.evidence})
    names = sorted(k for k, documents in shown.items() if documents >= _LEAST_DOCUMENTS)
    rows = [row for one in reads for row in one.rows]
    table = np.array([[row.evidence.get(name, 0.0) for name in names] for row in rows])
    mean, spread = table.mean(axis=0), table.std(axis=0)
    spread[spread < 1e-6] = np.inf
    model = LogisticRegression(C=1 / _PULL, solver="newton-cholesky", max_iter=100)
    model.fit(
        (table - mean) / spread, [row.sight >= 0 for row in rows],
        sample_weight=[_DECOY if row.decoy else 1.0 for row in rows],
    )  # fmt: skip
    weights = model.coef_[0] / spread
    bias = float(model.intercept_[0] - (weights * mean).sum())
    return Model(bias, {k: round(float(w), 4) for k, w in zip(names, weights, strict=True)})


Tally = tuple[int, int, int, int, int]


def by_rules(one: RulesRead) -> Tally:
    """Count the names that the rules got right, got wrong or missed, and the accepted and labelled
    decoys.
    """
    right = {sight for sight, _decoy in one.taken if sight >= 0}
    decoys = sum(decoy for _sight, decoy in one.taken)
    return len(right), len(one.taken) - len(right), one.wanted - len(right), decoys, one.decoys


def count_judged(one: RulesRead) -> Tally:
    """Count the names that the model got right, got wrong or missed, and the accepted and labelled
    decoys.
    """
    from extractors.rules.common.grouping import same_name

    taken: set[int] = set()
    groups: list[list[Row]] = []
    for row in sorted(one.rows, key=lambda row: (-row.share, row.name)):
        free = [span for span in row.spans if taken.isdisjoint(range(*span))]
        if "active" not in row.evidence and ("by rules" in row.evidence or row.share < _ADDED):
            continue
        if row.share < _KEPT or not free:
            continue
        taken.update(at for span in free for at in range(*span))
        mine = (
            group for group in groups
            if any(same_name(row.name, o.name) or 0 <= row.place == o.place for o in group)
        )  # fmt: skip
        group = next(mine, None)
        if group is None:
            groups.append([row])
        else:
            group.append(row)
    right: set[int] = set()
    for group in groups:
        right |= set(sorted({row.sight for row in group if row.sight >= 0} - right)[:1])
    decoys = sum(any(row.decoy for row in group) for group in groups)
    return len(right), len(groups) - len(right), one.wanted - len(right), decoys, one.decoys


def f1(tallies: list[Tally]) -> float:
    """Return the micro-averaged F1 of several documents."""
    right, extra, missed = (sum(t[i] for t in tallies) for i in range(3))
    return 2 * right / max(1, 2 * right + extra + missed)


def weigh(reads: list[RulesRead], model: Model) -> None:
    """Set the probability of every possible name."""
    for one in reads:
        for row in one.rows:
            row.share = model.share(row.evidence)


def left_out(reads: list[RulesRead]) -> None:
    """For each fold of batches, set the probabilities with a model fitted to all other folds."""
    batches = sorted({one.batch for one in reads})
    for i in range(_FOLDS):
        held = set(batches[i::_FOLDS])
        model = fit_model([one for one in reads if one.batch not in held])
        weigh([one for one in reads if one.batch in held], model)


def rows_of(name: str, reads: list[RulesRead]) -> list[list[str]]:
    """Return table rows for the rules, for the model, and for the difference in F1."""
    import numpy as np

    found = []
    pairs = {"rules": [by_rules(o) for o in reads], "judged": [count_judged(o) for o in reads]}
    for who, tallies in pairs.items():
        right, extra, missed, taken, decoys = (sum(t[i] for t in tallies) for i in range(5))
        precision, recall = right / max(1, right + extra), right / max(1, right + missed)
        found.append([f"{name}, {who}", str(len(reads)), f"{precision:.3f}", f"{recall:.3f}",
                      f"{f1(tallies):.3f}", f"{100 * taken / max(1, decoys):.1f} %"])  # fmt: skip
    draw = np.random.default_rng(_SEED)
    a, b = pairs["judged"], pairs["rules"]
    gains = []
    for _ in range(_DRAWS):
        some = draw.integers(0, len(reads), len(reads))
        gains.append(f1([a[i] for i in some]) - f1([b[i] for i in some]))
    low, high = np.percentile(gains, [2.5, 97.5])
    found.append(
        [f"{name}, gain", "", "", "", f"{f1(a) - f1(b):+.3f}", f"{low:+.3f} to {high:+.3f}"]
    )
    return found


def weights_of(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the bias, the thresholds and the weight of each kind of evidence."""
    kept, added = (math.log(share / (1 - share)) for share in (_KEPT, _ADDED))
    for name, odds in (("(bias)", model.bias), ("(kept)", kept), ("(added)", added)):
        yield name, f"{odds:.4f}"
    yield from ((name, str(w)) for name, w in sorted(model.weights.items()) if w)


def main() -> None:
    """Fit and measure the model, and print the results.

    With ``--write``, also write the weights and the section.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", type=Path, help="the folder of documents")
    parser.add_argument(
        "--write",
        action="store_true",
        help="store the weights, and write the figures to docs/benchmarks",
    )
    parser.add_argument(
        "--rows",
        help=(
            "read only the documents in these batches, with the rules that Python finds first on"
            " its import path"
        ),
    )
    parser.add_argument("--out", type=Path, help="file to which --rows writes its result")
    options = parser.parse_args()
    if options.rows:
        from dataclasses import asdict

        batches = frozenset(map(int, options.rows.split(",")))
        rows = read(options.documents, _HERE / "unseen_labels.jsonl", batches)
        options.out.write_bytes(pickle.dumps([asdict(one) for one in rows]))
        return
    from rich.console import Console
    from rich.table import Table

    from benchmarks.report import table, write_section, write_weights

    reads = read_before(options.documents)
    older = [one for one in reads if one.batch != _NEWEST]
    newest = [one for one in reads if one.batch == _NEWEST]
    left_out(older)
    shown = rows_of(f"batches 1 to {_NEWEST - 1}, cross-validated", older)
    weigh(newest, fit_model(older))
    shown += rows_of(f"batch {_NEWEST}, weights from batches 1 to {_NEWEST - 1}", newest)
    header = ["measured on", "documents", "precision", "recall", "F1", "decoys"]
    printed = Table(*header)
    for row in shown:
        printed.add_row(*row)
    Console(width=120).print(printed)
    if options.write:
        write_weights(_HERE.parent / _WEIGHTS, weights_of(fit_model(reads)))
        command = "python -m benchmarks.name_weights DOCS --write"
        write_section("Extraction: names judged", command, f"{_NOTE}\n\n{table(header, shown)}")


_NOTE = (
    "Each Chinese document was read with a version of the rules that is older than the document's"
    " labels. In the rows named *judged*, a logistic regression then decides which strings are"
    " names of sights. In the rows named *gain*, the last column gives a confidence interval,"
    " calculated with a paired bootstrap over documents. The table counts names before they are"
    " combined into places, so the F1 in the table differs slightly from the F1 for complete"
    " readings."
)


if __name__ == "__main__":
    main()
