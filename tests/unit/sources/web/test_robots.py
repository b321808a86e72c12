from __future__ import annotations

import pytest

from sources.web.robots import FORBID_ALL, Robots

RULES = """
User-agent: otherbot
Disallow: /

User-agent: *
Crawl-delay: 2
Disallow: /admin
Disallow: /*.pdf$
Disallow: /search?q=
Allow: /admin/open
Disallow:

User-agent: tripbed/1.0
User-agent: friend
Disallow: /tmp/*/raw  # not for machines
"""


@pytest.mark.parametrize(
    ("agent", "path", "allowed"),
    [
        ("otherbot", "/x", False),
        ("anybot", "/x", True),
        ("anybot", "/admin/users", False),
        ("anybot", "/admin/open/1", True),
        ("anybot", "/a/b.pdf", False),
        ("anybot", "/a/b.pdf?x=1", True),
        ("anybot", "/search?q=tea", False),
        ("tripbed", "/admin", True),
        ("tripbed", "/tmp/1/raw/2", False),
        ("tripbed", "/tmp/raw", True),
        ("friend", "/tmp/1/raw", False),
    ],
)
def test_the_longest_rule_of_the_own_group_wins(agent: str, path: str, allowed: bool) -> None:
    assert Robots(RULES, agent).allows(path) is allowed


def test_crawl_delay_is_that_of_the_chosen_group() -> None:
    assert Robots(RULES, "anybot").delay_s == 2.0
    assert Robots(RULES, "tripbed").delay_s is None


def test_noise_allows_and_forbid_all_forbids() -> None:
    assert Robots("<html>not a robots file</html>", "tripbed").allows("/x")
    assert Robots("\ufeffUser-agent: *\r\nDisallow: /x", "tripbed").allows("/x") is False
    assert not FORBID_ALL.allows("/anything")
