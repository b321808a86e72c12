"""Fit and cross-validate the weights of ``geocoding.asked`` on the labelled pairs.

    python -m benchmarks.pair_weights [--write]

The pairs come from the development list and from every sample (``TRIPBED_SHARED``). Both places in
a pair have coordinates, and their Chinese names are not similar. The model decides whether the
second place is a part of the first. The model is a logistic regression (L2, C = 1), and is compared
with the rules about kinds and distances. The run leaves out each sample in turn, and then uses
ten-fold cross-validation. ``--write`` writes the weights to
``geocoding/lists/containment_weights.tsv`` and the table to ``docs/benchmarks``.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.pairs import LABELS, Pair, known_names, pairs_of
from benchmarks.report import shared_folder, table, write_section, write_weights
from geocoding.asked import evidence
from geocoding.match import distance_of, reader_of
from geocoding.pairs import compare

WEIGHTS = Path(__file__).resolve().parents[1] / "geocoding/lists/containment_weights.tsv"
_FOLDS, _SEED, _STRENGTH = 10, 0, 1.0


_NOTE = (
    "The table covers pairs whose names do not show whether one place is a part of the other. The"
    " last three columns give the number of right answers from the rules, from weights fitted to"
    " all other samples, and from weights tested by ten-fold cross-validation."
)


@dataclass(frozen=True)
class PairCase:
    """A pair with its sample, its features, the correct answer and the rules' answer."""

    sample: str
    features: Mapping[str, float]
    holds: bool
    guessed: bool


def cases_of(sample: str, pairs: Sequence[Pair]) -> list[PairCase]:
    """Return the pairs that the rules can judge only by kinds and distances."""
    found = []
    for pair in pairs:
        distance = distance_of(pair)
        cities = pair["city"].split(";")
        if distance is None or len(set(cities)) > 1:
            continue
        a, b = (reader_of(cities[0]).read(pair[key]) for key in ("name_a", "name_b"))
        verdict = compare(a, b, distance)
        if verdict.guess:
            holds = pair["label"] == "parent-of"
            features = evidence(a, b, distance)
            found.append(PairCase(sample, features, holds, verdict.label == "parent-of"))
    return found


def fit_model(cases: Sequence[PairCase]) -> Any:
    """Fit a logistic model to the cases."""
    from sklearn.linear_model import LogisticRegression

    rows = [[*case.features.values()] for case in cases]
    return LogisticRegression(C=_STRENGTH, max_iter=5_000).fit(rows, [c.holds for c in cases])


def hits(cases: Sequence[PairCase], groups: Sequence[Any]) -> dict[str, int]:
    """Count the correct answers in each sample; each group is judged by a model fitted to all other
    groups.
    """
    right = dict.fromkeys((case.sample for case in cases), 0)
    for group in sorted(set(groups)):
        held = [c for c, g in zip(cases, groups, strict=True) if g == group]
        model = fit_model([c for c, g in zip(cases, groups, strict=True) if g != group])
        for case, said in zip(
            held, model.predict([[*c.features.values()] for c in held]), strict=True
        ):
            right[case.sample] += bool(said) == case.holds
    return right


def _folds(n: int) -> list[int]:
    import numpy as np

    return [int(fold) for fold in np.random.default_rng(_SEED).integers(0, _FOLDS, n)]


def weights_of(model: Any, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the bias and the weight of each feature."""
    yield "(bias)", f"{model.intercept_[0]:.2f}"
    yield from ((name, f"{w:.2f}") for name, w in zip(names, model.coef_[0], strict=True))


def _samples(shared: Path) -> dict[str, list[Pair]]:
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    cities = {slug for sample in labels.values() for row in sample for slug in row[1].split(";")}
    known = known_names(shared, sorted(cities))
    with (shared / "data" / "entity_pairs_dev.csv").open(encoding="utf-8") as handle:
        listed = [*csv.DictReader(handle)]
    drawn = {name: pairs_of(sample, known) for name, sample in labels.items()}
    new = {name: [p for p in pairs if p["kind"] != "again"] for name, pairs in drawn.items()}
    return {"development list": listed, **new}


def main() -> int:
    """Print the correct answers by sample; the exit code is 2 if the shared data are missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the weights and the table")
    options = parser.parse_args()
    shared = shared_folder("data/docs/poi")
    samples = _samples(shared)
    cases = [case for name, pairs in samples.items() for case in cases_of(name, pairs)]
    left_out = hits(cases, [case.sample for case in cases])
    folds = hits(cases, _folds(len(cases)))
    rows = []
    for name in samples:
        own = [case for case in cases if case.sample == name]
        guessed = sum(case.guessed == case.holds for case in own)
        counts = (len(own), sum(case.holds for case in own), guessed, left_out[name], folds[name])
        rows.append((name, *map(str, counts)))
    sums = [sum(int(row[i]) for row in rows) for i in range(1, 6)]
    rows.append(("all", *map(str, sums)))
    head = (
        "sample",
        "pairs",
        "part of the other",
        "rules right",
        "weights right, sample left out",
        "weights right, ten folds",
    )
    body = f"{_NOTE}\n\n{table(head, rows)}"
    sys.stdout.write(body)
    if options.write:
        write_weights(WEIGHTS, weights_of(fit_model(cases), [*cases[0].features]))
        write_section("Weights for unlike names", "python -m benchmarks.pair_weights --write", body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
