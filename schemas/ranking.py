"""What rankings are made of: one place for the stage that ranks and the gates that check it."""

from __future__ import annotations

#: Roles of a mention that speak for a place.
LIKED_ROLES = ("visited", "recommended")
#: A stop of a query's trajectories scores this and the number of those that stop there,
TRAJECTORY_SCORE = 2.0
#: a place of its documents this and its share of their mentions, below any stop,
DOCUMENT_SCORE = 1.0
#: and the n-th popular place of the tables, from 0, 1 / (this + n).
TABLE_OFFSET = 2
#: What a day too many or too few costs against a full context score of one.
DAY_PENALTY = 0.15
#: How well a trajectory fits a pace that its text does not name but its stops show.
PACE_FIT = 0.5
