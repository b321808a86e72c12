"""What a fact's condition limits."""

from __future__ import annotations

import pytest

from flows.pipeline.stages.fact_checks import limit_of


@pytest.mark.parametrize(
    ("field", "condition", "left"),
    [
        ("ticket_price", None, None),
        ("ticket_price", "需要提前三天在微信上预约", None),
        ("ticket_price", "requires advance booking", None),
        ("ticket_price", "child; booking required", "child"),
        ("ticket_price", "联票", "联票"),
        ("ticket_price", "法定节假日", "法定节假日"),
        ("ticket_price", "预约讲解的团队", "预约讲解的团队"),
        ("closed_days", "除法定节假日", None),
        ("closed_days", "except public holidays", None),
        ("closed_days", "每月最后一周的", "每月最后一周的"),
        ("opening_hours", "法定节假日", "法定节假日"),
    ],
)
def test_only_what_limits_a_fact_is_left(
    field: str, condition: str | None, left: str | None
) -> None:
    assert limit_of(field, condition) == left
