"""Defines English words and patterns that show whether a name belongs to a sight and was
visited.
"""

from __future__ import annotations

import re

from schemas.word_lists import Lists

_LISTS = Lists("extractors.rules.en")

#: Heads that need more evidence: a sign of a visit, a heading, or a Chinese name beside them.
WEAK_HEAD = frozenset(_LISTS.words("weak_heads"))
FIRST = frozenset(_LISTS.words("first_words"))

DECOY = re.compile(
    rf"\b(?:{_LISTS.either('decoy_endings')})$",
    re.IGNORECASE,
)
#: A name with one of these words is that of a place to eat or to sleep.
EATS = re.compile(
    r"\b(?:noodles?|ramen|udon|sushi|restaurant|hotel|hostel|guest ?house|caf[eé]|bakery|pancakes?"
    r"|izakaya|steakhouse|burger|pizza|teahouse|tea house)\b",
    re.IGNORECASE,
)
#: First words that only begin a sentence or a line.
LEAD = frozenset(_LISTS.words("lead_words"))
GENERIC = frozenset(_LISTS.words("generic_names"))
NOT_NAME = frozenset(_LISTS.words("no_names"))

VISIT = re.compile(
    r"(?:visits?(?:ed|ing|s)?(?: to)?|check(?:ed|ing)? out|set (?:out|off) for|(?:head(?:ed|ing)?"
    r"|walked|made (?:our|my) way)(?: \w+)? towards?|(?:side-?trip|trip|excursion|detour)s? to"
    r"|transit(?:ing)? through|walk(?:ed|ing)?(?: (?:to|through|around|along|up|down|across|in"
    r"|into|on|over|back|round to)){0,2}|stroll(?:ed|ing)?(?: (?:to|through|around|along|in))?"
    r"|explor(?:e|ed|ing)|tour(?:ed|ing)?(?: of)?"
    r"|(?:"
    + _LISTS.either("going_verbs")
    + r")(?:[\w/ ]{0,18})? (?:to|up|into|onto|through|around|for)"
    r"|saw|see|seeing|arriv(?:e|ed|ing) (?:at|in)|reached|entered|climbed|climb|hike[d]?|crossed"
    r"|stop(?:ped)?(?: off)? (?:at|was|is)|started? (?:the day |our day )?(?:at|with|in)"
    r"|wander(?:ed|ing)?(?: \w+)?|spent [\w ]{0,24}(?:at|in)|enter|enjoy|discover|shopping (?:in"
    r"|at)|sightseeing (?:in|at)|lunch (?:at|in)|next stop[\w ,]{0,20} was|destination was|include"
    r"|floor of)"
    r"(?: (?:the|a|an|our|nearby|famous|beautiful|old|ancient|local|huge|vast expanse of|vast|main"
    r"|amazing|impressive|observation ball of))*\s*[\"“*]*$",
    re.IGNORECASE,
)
#: Verbs whose object is a sight even if its name does not end like a sight's.
SEES = re.compile(
    r"\b(?:visit(?:ed|ing)?|(?:took|led|brought) us (?:to|through|past|into)|explor(?:e|ed|ing)"
    r"|tour(?:ed|ing)?|climbed|(?:walk|stroll|wander)(?:ed|ing)?(?: \w+)? (?:through|around|along"
    r"|in|into|to|over)|(?:walk|stroll|wander) (?:through|around|along)|sightseeing (?:at|in)|saw"
    r"|see)"
    r"(?: (?:the|a|our|nearby|famous|beautiful|old|ancient|local|huge|main|amazing|impressive"
    r"|outside|wall|walls|of))*\s*$",
    re.IGNORECASE,
)
#: Words that praise the place before them ("X and Y are highlights").
PRAISED = re.compile(
    r"(?:,? (?:and|&) (?:the )?[A-Z][\w ’'-]{2,40}?)? (?:is|are) (?:both |all |one of |among |an? "
    r"|the |our |its )*(?:\w+ )?(?:highlights?|must[- ](?:see|visit|do)s?|worth (?:a "
    r"|the )?(?:visit|trip|detour|seeing|visiting|climb\w*))\b"
)
#: A heading above things that the author has not done but would like to do.
WISHES = re.compile(
    r"\b(?:next time|wish ?list|bucket list|would (?:like|love) to (?:re)?(?:visit|see)"
    r"|(?:did(?:n.t| not)) (?:get to|make it|see|visit)|(?:places|things|sights) (?:I"
    r"|we) (?:missed|skipped))\b",
    re.IGNORECASE,
)
#: A stroll in an item of a day's list.
STROLLED = re.compile(
    r"\b(?:wandered|strolled|walked|browsed|explored|visited|popped (?:in|into)|(?:top|summit|roof"
    r"|observation deck) (?:in|of|at))"
    r"(?: (?:around|through|along|into|in|up|to|the|by))*(?: [A-Z]\w+ (?:and|&))?\s*$"
)
_TYPE = rf"(?:{_LISTS.either('sight_types')})"
#: Shows that the name before it is a sight's ("X, a small water town that …", "X is a park").
APPOSED = re.compile(
    rf"(?:\s*[(（][^()（）]*[)）])?(?:,? (?:which )?(?:is|was)|,) (?:an?|the|one of the"
    rf"|another)(?: [\w’'-]+,?){{0,4}}? {_TYPE}s?\b(?! (?:of|in|near|called|named|area|city|town"
    rf"|district) [A-Z])"
)
#: Denies the verb of visiting before a name: "did not visit X".
NOT_GONE = re.compile(
    r"\b(?:did(?:n.t| not)|never|without|couldn.t|could not|won.t|not)\s+(?:\w+\s+)?(?:visit"
    r"|visiting|go|going|see|seeing|make it|reach|enter|climb)(?:\s+(?:to|into|up|the))*\s*$",
    re.IGNORECASE,
)
AFTER_VISIT = re.compile(
    r"^\s*(?:was|were) (?:our|the) (?:first|next|last|second|final)|^,? where we|^ and (?:walked"
    r"|wandered|explored)",
    re.IGNORECASE,
)
#: A place that is visited only for a meal.
FOR_A_MEAL = re.compile(r"^ for (?:a (?:quick |late )?)?(?:dinner|lunch|breakfast|brunch|drinks)\b")
REJECT = re.compile(
    r"(?<!hard to )(?<!difficult to )(?<!impossible to )(?<!can.t )\b(?:avoid|skip(?:ped|ping)?"
    r"|missed|did(?:n.t| not) (?:go|visit|see|make|have time)|never made it|was closed|were closed"
    r"|is closed for|closed for|couldn.t (?:go|visit|get)|not worth|overrated|too (?:far|late)"
    r"|ran out of time|no time)\b",
    re.IGNORECASE,
)
ASIDE = re.compile(
    r"(?:\bnear(?:by|est)?|(?:flanked|surrounded|backed|framed) by|confused with"
    r"|liken(?:ed)?(?: it)?(?: maybe)? to|\bfrom|outside(?: of)?|next to|unlike|\blike|similar to"
    r"|than|overlooking|views? (?:of|over|towards?)|showcas(?:e|es|ing)|skylines?(?: including)?"
    r"|towards?|between|opposite|behind|close(?:st|r)? to|compared (?:to|with)|metro:|station:"
    r"|instead of|side of|part of|formerly|minutes? to|km (?:from|to)|drive to|bus to|train to"
    r"|hsr to|flights? to|fly to|en route to|way to|just off|(?:located|situated|lies|lying|tip"
    r"|outskirts|province|source)\b[^.,;]{0,30})"
    r"(?: the)?\s*$",
    re.IGNORECASE,
)
LOGISTICS = re.compile(
    rf"\b(?:{_LISTS.either('logistics_words')})(?:s|es)?\b",
    re.IGNORECASE,
)
HEADING_WORDS = re.compile(
    rf"\b(?:{_LISTS.either('heading_words')})\b",
    re.IGNORECASE,
)
MEAL = re.compile(
    r"\b(?:overnight|lunch|dinner|breakfast|brunch|ramen|sushi|restaurant|hotel|check[- ]?in"
    r"|check[- ]?out|drop bags|airport|depart|rest at|return to)\b",
    re.IGNORECASE,
)
LONG_HAUL = re.compile(
    r"\b(?:train|bus|shinkansen|flight|fly|express|limousine|hsr|rail|land|depart|arrive"
    r"|coach)\b[\w /]{0,20}(?:to|at|in|from)\s*$",
    re.IGNORECASE,
)
