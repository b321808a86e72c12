"""robots.txt as RFC 9309 reads it: groups by user agent, the longest matching rule wins."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sources.web.lines import clean

_MAX_RULE_CHARS = 2000
_MAX_RULES = 10_000


@dataclass
class _Group:
    agents: list[str] = field(default_factory=list)
    rules: list[tuple[str, bool]] = field(default_factory=list)
    delay_s: float | None = None


@dataclass(frozen=True)
class Robots:
    """Rules of one host for one user agent; ``delay_s`` is the crawl delay that it asks for."""

    rules: tuple[tuple[str, bool], ...] = ()
    delay_s: float | None = None

    def allows(self, path: str) -> bool:
        """Whether a path with its query may be asked; of rules as long, allow wins."""
        matching = [
            (len(pattern), allowed) for pattern, allowed in self.rules if _matches(pattern, path)
        ]
        return max(matching, default=(0, True))[1]


#: What a host that may not be asked at all looks like.
FORBID_ALL = Robots(rules=(("/", False),))


def parse_robots(text: str, agent: str) -> Robots:
    """Rules for a user agent (its product name), else those for everybody."""
    groups = _groups(text)
    agent = agent.lower()
    own = [group for group in groups if agent in group.agents]
    chosen = own or [group for group in groups if "*" in group.agents]
    rules = tuple(rule for group in chosen for rule in group.rules)[:_MAX_RULES]
    delays = [group.delay_s for group in chosen if group.delay_s is not None]
    return Robots(rules, max(delays, default=None))


def _groups(text: str) -> list[_Group]:
    groups: list[_Group] = []
    in_agents = False
    for line in text.splitlines():
        key, colon, value = clean(line.partition("#")[0]).partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            if not in_agents:
                groups.append(_Group())
            groups[-1].agents.append(value.lower().partition("/")[0].strip())
            in_agents = True
            continue
        in_agents = False
        if not groups:
            continue
        if key in ("allow", "disallow") and value and len(value) <= _MAX_RULE_CHARS:
            groups[-1].rules.append((value, key == "allow"))
        elif key == "crawl-delay" and re.fullmatch(r"\d{1,6}(?:\.\d+)?", value):
            groups[-1].delay_s = float(value)
    return groups


def _matches(pattern: str, path: str) -> bool:
    """Prefix match with `*` for anything and `$` for the end, without backtracking."""
    anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not anchored or path == first
    at = len(first)
    *middle, last = rest
    for part in middle:
        at = path.find(part, at)
        if at < 0:
            return False
        at += len(part)
    if anchored:
        return len(path) - len(last) >= at and path.endswith(last)
    return path.find(last, at) >= 0
