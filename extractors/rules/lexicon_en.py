"""English words that make or unmake the name of a sight. General words only, no places."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Last word of a name that is a sight wherever it stands.
HEAD = _words("""
    temple temples park museum museums palace garden gardens lake lakes mountain mountains pagoda
    pagodas tower towers town grottoes grotto cave caves wall gate bridge market bazaar village
    valley gorge gorges island islands shrine shrines castle mosque markets towers villages squares monastery lamasery nunnery church
    cathedral basilica mausoleum tomb tombs pool falls waterfall waterfalls terraces terrace
    peak peaks hill hills buddha zoo aquarium crossing ropeway mansion pavilion theatre theater
    opera plaza square beach bay observatory warriors army quarter alley hutong hutongs lane
    base forest reserve springs spring canyon desert dunes fort fortress altar stupa dagoba
    stele palaces ruins site sites memorial monument statue causeway summit cliff cliffs ridge
    trail path walk plank pier lighthouse gallery galleries studios resort glacier grassland
    grasslands wetland wetlands scenic dam carvings building dome arch promenade esplanade
    crescent oasis pass mount sanctuary library university academy observation deck wheel
    harbour harbor villa residence hall halls stadium nest cube city temple-complex planetarium
    arboretum cemetery college grove fields bamboo castle-town vault elevator chapel""")
#: Heads that need more: something that speaks of a visit, a heading, a Chinese name beside them.
WEAK_HEAD = _words("""
    street st district river wall city hall town building village site pass library university
    college academy path walk trail base bay center centre area mall pier canal avenue house
    complex gate quarter lane""")
FIRST = _words("""
    mount mt mt. lake temple hall tower isle museum palace garden gardens park pagoda tomb tombs""")

DECOY = re.compile(
    r"\b(?:docks?|wharf|hotels?|hostels?|inn|guest ?houses?|homestays?|ryokan|resort & spa|restaurants?|caf[eé]|coffee|bar|pub|bistro|eatery|izakaya|kitchen|noodles?|dumplings?|hotpot|hot pot|duck|tea houses?"
    r"|stations?|airport|terminal|metro|subway|line|railway|rail|express|bus|highway|expressway|road|rd|avenue|ave|boulevard|freeway|train|maglev|shuttle"
    r"|province|county|prefecture|region|municipality|airlines?|airways|bank|hospital|school|embassy|consulate|company|office|ltd|inc|group"
    r"|dynasty|plateau|emperor|empress|war|revolution|festival|show|tour|tours|cruise|cruises|project|app|pay|card|visa|club|store|shop|supermarket|7-eleven|exploration|nightlife|experience|homestays|hostel|food|day|week|month|year|guide|itinerary|trip|accommodations?|options?|warning)$",
    re.IGNORECASE,
)
#: Words anywhere in a name that make it that of a place to eat or to sleep.
EATS = re.compile(
    r"\b(?:noodles?|ramen|udon|sushi|restaurant|hotel|hostel|guest ?house|caf[eé]|bakery|pancakes?|izakaya|steakhouse|burger|pizza|teahouse|tea house)\b",
    re.IGNORECASE,
)
#: First words that only open a sentence or a line.
LEAD = _words("""
    the a an our my your their his her its this that these those we i you they it there here
    then next after before today tomorrow yesterday visit walk explore see tour stroll taxi
    metro bus train tram ferry ropeway ride drive head go transfer take hike climb enjoy
    discover wander check experience try shop shopping start begin end finish return arrive
    depart leave continue stop lunch dinner breakfast morning afternoon evening night day option
    optional early late first second third last final from to in at on near inside outside
    around along through with and or but also include including famous beautiful historic key major main
    ancient best most more great-value both all some many any each every other another one two
    three four five six seven eight nine ten when where while if as for by of via about how what
    why who not no yes home land fly flight board once since later finally instead however
    although though because so get getting had have has was were is are be been do did does make
    made book photography photo photos half full entry enter exit pair combine add skip avoid
    spend allow budget free walking biking cycling climbing hiking seeing visiting exploring
    strolling heading driving frozen cherry golden must-see must top things highlights highlight
    pass featured beyond traditional descend ascend cross follow catch board admire watch browse sample taste join hop rent buy book photograph
    nearby surrounding entrance admission tickets ticket tip tips note recommended overall trip trips quick
    relax rest sunset sunrise view views""")
GENERIC = frozenset(
    """old town|ancient town|great hall|main hall|main gate|north gate|south gate|east gate|west gate|city wall|city walls|town square|main square|city centre|city center|downtown
    the park|the museum|national park|scenic area|world heritage|world heritage site|unesco world heritage|unesco world heritage site|unesco site|cable car|new town|night market|food street|flower market
    ming tombs site|entrance gate|visitor center|visitor centre|tourist center|historic site|buddhist temple|tea house|train station|bus station|parking lot|shopping mall|art gallery|city park|public park
    golden week|spring festival|new year|world city|first town|east|west|north|south|mountain|lake|temple|park|museum|palace|tower|bridge|market|village|city|town|river|street|square|garden|island|beach|wall|valley|gorge|cave|peak|summit|plaza|temples|museums|gardens|parks|markets|villages|mountains|hutong|hutongs
    tang dynasty|ming dynasty|qing dynasty|world war|tier|where|google maps|baidu maps|han city|open city|capital city|host city|home base|base|basecamp|base camp|national museum|history museum|art museum|historic quarter|water town|fishing village""".replace(
        "\n", "|"
    )
    .replace("    ", "")
    .split("|")
)
NOT_NAME = _words("""
    monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december mon tue wed thu fri sat sun jan feb mar
    apr jun jul aug sep sept oct nov dec spring summer autumn winter fall chinese english
    japanese mandarin cantonese tibetan class buddhist buddhism taoist taoism unesco rmb cny usd gmt
    utc wechat alipay didi uber vpn google facebook starbucks mcdonalds kfc airbnb trip.com
    ctrip booking.com michelin youtube tripadvisor i'm i'd i've i'll it's uk us usa eu am pm ok
    tv hsr qr wifi yes no hello china japan chinese-style western international asia asian
    europe european america american british french german russian italian orthodox gothic catholic protestant christian islamic
    sichuan yunnan guizhou guangdong guangxi hunan hubei henan hebei shandong shanxi shaanxi zhejiang jiangsu
    jiangxi anhui fujian hainan qinghai gansu ningxia xinjiang tibet heilongjiang jilin liaoning western eastern
    northern southern central""")

VISIT = re.compile(
    r"(?:visits?(?:ed|ing|s)?(?: to)?|check(?:ed|ing)? out|set (?:out|off) for|(?:head(?:ed|ing)?|walked|made (?:our|my) way)(?: \w+)? towards?|(?:side-?trip|trip|excursion|detour)s? to|transit(?:ing)? through|walk(?:ed|ing)?(?: (?:to|through|around|along|up|down|across|in|into|on|over|back|round to)){0,2}|stroll(?:ed|ing)?(?: (?:to|through|around|along|in))?|explor(?:e|ed|ing)|tour(?:ed|ing)?(?: of)?"
    r"|(?:go|went|going|get|got|continued?|carried on|popped|head|headed|heading|set off|moved?|drove|drive|cycled?|rode|ride|taxi|metro|ferry|tram|ropeway|cab|hike|hiked|climb|climbed|bike|transfer|travell?ed|came|come|made our way|taken|take us|took us|led)(?:[\w/ ]{0,18})? (?:to|up|into|onto|through|around|for)"
    r"|saw|see|seeing|arriv(?:e|ed|ing) (?:at|in)|reached|entered|climbed|climb|hike[d]?|crossed|stop(?:ped)?(?: off)? (?:at|was|is)|started? (?:the day |our day )?(?:at|with|in)|wander(?:ed|ing)?(?: \w+)?|spent [\w ]{0,24}(?:at|in)|enter|enjoy|discover|shopping (?:in|at)|sightseeing (?:in|at)|lunch (?:at|in)|next stop[\w ,]{0,20} was|destination was|include|floor of)"
    r"(?: (?:the|a|an|our|nearby|famous|beautiful|old|ancient|local|huge|vast expanse of|vast|main|amazing|impressive|observation ball of))*\s*[\"“*]*$",
    re.IGNORECASE,
)
#: Verbs whose object is a sight even where its name does not end like one.
SEES = re.compile(
    r"\b(?:visit(?:ed|ing)?|(?:took|led|brought) us (?:to|through|past|into)|explor(?:e|ed|ing)|tour(?:ed|ing)?|climbed|(?:walk|stroll|wander)(?:ed|ing)?(?: \w+)? (?:through|around|along|in|into|to|over)|(?:walk|stroll|wander) (?:through|around|along)|sightseeing (?:at|in)|saw|see)"
    r"(?: (?:the|a|our|nearby|famous|beautiful|old|ancient|local|huge|main|amazing|impressive|outside|wall|walls|of))*\s*$",
    re.IGNORECASE,
)
#: What praises the place before it ("X and Y are highlights").
PRAISED = re.compile(
    r"(?:,? (?:and|&) (?:the )?[A-Z][\w ’'-]{2,40}?)? (?:is|are) (?:both |all |one of |among |an? |the |our |its )*(?:\w+ )?(?:highlights?|must[- ](?:see|visit|do)s?|worth (?:a |the )?(?:visit|trip|detour|seeing|visiting|climb\w*))\b"
)
#: A heading over what the author has not done but would like to.
WISHES = re.compile(
    r"\b(?:next time|wish ?list|bucket list|would (?:like|love) to (?:re)?(?:visit|see)|(?:did(?:n.t| not)) (?:get to|make it|see|visit)|(?:places|things|sights) (?:I|we) (?:missed|skipped))\b",
    re.IGNORECASE,
)
#: A stroll told in an item of a day's list.
STROLLED = re.compile(
    r"\b(?:wandered|strolled|walked|browsed|explored|visited|popped (?:in|into)|(?:top|summit|roof|observation deck) (?:in|of|at))"
    r"(?: (?:around|through|along|into|in|up|to|the|by))*(?: [A-Z]\w+ (?:and|&))?\s*$"
)
_TYPE = r"(?:temple|park|museum|palace|pagoda|monastery|water town|old town|ancient town|village|lake|mountain|square|market|street|tower|garden|gardens|bridge|gorge|valley|island|mosque|church|cathedral|shrine|castle|fortress|grottoes|cave|caves|waterfall|wall|neighbou?rhood|hutong|hutongs|alley|theme park|zoo|memorial|tomb|mausoleum|residence|complex|stadium|beach|viewpoint|cliff|ruins)"
#: What says that the name before it is a sight's ("X, a small water town that …", "X is a park").
APPOSED = re.compile(
    rf"(?:\s*[(（][^()（）]*[)）])?(?:,? (?:which )?(?:is|was)|,) (?:an?|the|one of the|another)(?: [\w’'-]+,?){{0,4}}? {_TYPE}s?\b(?! (?:of|in|near|called|named|area|city|town|district) [A-Z])"
)
#: "did not visit X": the verb of visiting before a name is denied.
NOT_GONE = re.compile(
    r"\b(?:did(?:n.t| not)|never|without|couldn.t|could not|won.t|not)\s+(?:\w+\s+)?(?:visit|visiting|go|going|see|seeing|make it|reach|enter|climb)(?:\s+(?:to|into|up|the))*\s*$",
    re.IGNORECASE,
)
AFTER_VISIT = re.compile(
    r"^\s*(?:was|were) (?:our|the) (?:first|next|last|second|final)|^,? where we|^ and (?:walked|wandered|explored)",
    re.IGNORECASE,
)
#: A place gone to for a meal alone.
FOR_A_MEAL = re.compile(r"^ for (?:a (?:quick |late )?)?(?:dinner|lunch|breakfast|brunch|drinks)\b")
REJECT = re.compile(
    r"(?<!hard to )(?<!difficult to )(?<!impossible to )(?<!can.t )\b(?:avoid|skip(?:ped|ping)?|missed|did(?:n.t| not) (?:go|visit|see|make|have time)|never made it|was closed|were closed|is closed for|closed for|couldn.t (?:go|visit|get)|not worth|overrated|too (?:far|late)|ran out of time|no time)\b",
    re.IGNORECASE,
)
ASIDE = re.compile(
    r"(?:\bnear(?:by|est)?|(?:flanked|surrounded|backed|framed) by|confused with|liken(?:ed)?(?: it)?(?: maybe)? to|\bfrom|outside(?: of)?|next to|unlike|\blike|similar to|than|overlooking|views? (?:of|over|towards?)|showcas(?:e|es|ing)|skylines?(?: including)?|towards?|between|opposite|behind|close(?:st|r)? to|compared (?:to|with)|metro:|station:|instead of|side of|part of|formerly|minutes? to|km (?:from|to)|drive to|bus to|train to|hsr to|flights? to|fly to|en route to|way to|just off|(?:located|situated|lies|lying|tip|outskirts|province|source)\b[^.,;]{0,30})"
    r"(?: the)?\s*$",
    re.IGNORECASE,
)
LOGISTICS = re.compile(
    r"\b(?:where to stay|accommodation|hotels?|getting (?:there|around|to|in)|transport(?:ation)?|language|communication|internet|how to get|border|crossings?|immigration|customs|caf[eé]|coffee|nightlife|health|safety|visa|budget|cost|packing|essential|gear|digital|apps?\b|money|payment|food|eat|drink|restaurant|dining|cuisine|dish|key stations|airport|source|further reading|references|blog|reading list|links|contact|insurance|weather|climate)(?:s|es)?\b",
    re.IGNORECASE,
)
HEADING_WORDS = re.compile(
    r"\b(?:tips?|facts?|overview|introduction|conclusion|summary|notes?|guide|itinerar\w+|day trips?|things to|top \d+|best|how|why|what|when|where|option|tier|quick|practical|highlights?|schedule|plan|planning|strategy|must|morning|afternoon|evening|route|routes|classes|culture|history|warning|alternatives?|section|final|thoughts|resources|extended|recommended|combined|circuit|comparison|part|update|season|seasons|spring|summer|autumn|winter|hiking|cycling|photography|nightlife|shopping|survival|language|exploration|season)\b",
    re.IGNORECASE,
)
MEAL = re.compile(
    r"\b(?:overnight|lunch|dinner|breakfast|brunch|ramen|sushi|restaurant|hotel|check[- ]?in|check[- ]?out|drop bags|airport|depart|rest at|return to)\b",
    re.IGNORECASE,
)
LONG_HAUL = re.compile(
    r"\b(?:train|bus|shinkansen|flight|fly|express|limousine|hsr|rail|land|depart|arrive|coach)\b[\w /]{0,20}(?:to|at|in|from)\s*$",
    re.IGNORECASE,
)
