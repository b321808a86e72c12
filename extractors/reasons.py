"""Why one goes to a place, in the document's own words beside its name.

A reason is a range of the document: the sentence that names the place and says that it is worth a
visit, or what it is known for. A document that only names a place gives no reason.
"""

from __future__ import annotations

import re

from schemas.reading import Span

#: Characters between a name and a reason that a model gives for it.
BESIDE = 200
#: Most characters of a reason that is looked for here.
_MOST = 160
_END = re.compile(r"[。！？!?；;\n]|\.(?=\s|$)")
_WORTH = {
    "zh": re.compile(
        r"推荐|必[去看游打玩逛到]|值得|不容错过|不可错过|一定要[去看来逛]|不妨|首选|最[美佳大高长古老]|"
        r"著名|闻名|有名|知名|网红|地标|标志|世界遗产|遗产|适合|特色|好看|漂亮|美丽|很美|太美|壮观|震撼|"
        r"惊艳|宏伟|雄伟|历史悠久|夜景|风景|景色|观景|俯瞰|拍照|出片|打卡|喜欢|免费|始建|建于"
    ),
    "en": re.compile(
        r"\b(?:must[- ](?:see|visit|do)|worth|recommend\w*|don['’]t miss|not to be missed|unmissable|"
        r"famous|iconic|best|favou?rite|highlight|beautiful|stunning|spectacular|breathtaking|amazing|"
        r"impressive|gorgeous|lovely|magnificent|charming|picturesque|scenic|landmark|world heritage|"
        r"unesco|historic\w*|ancient|oldest|largest|biggest|tallest|views?|perfect|ideal|great for|"
        r"popular|known for|renowned|free (?:entry|admission))\b",
        re.IGNORECASE,
    ),
}


def reason_for(name: Span, text: str, lang: str) -> Span | None:
    """The sentence around a name where it says why one goes there; None where it does not."""
    earliest = max(0, name.end - _MOST)
    ends = [found.end() for found in _END.finditer(text, earliest, name.start)]
    start = ends[-1] if ends else earliest
    closing = _END.search(text, name.end)
    end = (
        closing.end()
        if closing and closing[0] != "\n"
        else closing.start()
        if closing
        else len(text)
    )
    end = min(end, name.start + _MOST)
    sentence = text[start:end]
    if not _WORTH["zh" if lang == "zh" else "en"].search(sentence):
        return None
    start += len(sentence) - len(sentence.lstrip())
    return Span(start=start, end=start + len(sentence.strip()))


def stands_beside(reason: Span, name: Span, text: str) -> bool:
    """Whether a reason that was claimed stands in the text, near the name it is for."""
    near = reason.start - BESIDE < name.end and name.start < reason.end + BESIDE
    return reason.end <= len(text) and near
