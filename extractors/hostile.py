"""Blanks out sentences that give orders to a machine, before any engine reads the document.

Text from the web is treated as data. A sentence that gives orders to a model contains nothing about
a place, so it is neither sent to a model nor counted as evidence. Each character of an order is
replaced by a blank, so all offsets stay the same. The patterns may miss an order, so requests also
mark the remaining text as quoted, and the evidence check still applies.
"""

from __future__ import annotations

import re
from functools import lru_cache

from schemas.documents import Document
from schemas.tasks import DocumentInput
from schemas.word_lists import Lists

_LISTS = Lists("extractors")

_ORDER = re.compile(
    "|".join(
        (
            # English
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?"
            r"|rules?|"
            r"guidelines|directions|above|previous|prior|everything|document|rest)\b",
            r"\byou are (?:now |no longer )?(?:an? |the )?(?:ai|assistant|language model|llm|bot|"
            r"extractor|parser|agent|machine)\b",
            r"\b(?:ai|llms?|language models?|assistants?|extractors?|crawlers?|parsers?|bots?"
            r"|chatbots?)"
            r"\b.{0,30}\b(?:must|should|shall|please|reading this|have to|are to|instead)\b",
            r"\b(?:note|message|attention|instructions?|memo)\s+(?:to|for)\s+(?:the |any |all )?"
            r"(?:ai|llm|model|language model|assistant|extractor|parser|bot|system)s?\b",
            r"(?:^|[。.!?！？；;])\W*(?:system|assistant|developer|user|human)\s*(?:prompt|message"
            r"|note|override)?\s*[:：>\]]",
            r"<\|?\s*/?\s*(?:im_start|im_end|system|assistant|endoftext|document|instructions?)\b"
            r"|\[/?INST\]|"
            r"#{2,}\s*(?:instruction|system|response)",
            r"\b(?:new|updated|real|actual|secret|hidden|final|following) (?:instructions?|task"
            r"|orders?|prompt)\b",
            r"\b(?:respond|reply|answer)\b.{0,20}\b(?:only|with|exactly)\b.{0,40}(?:json|[\[{\"']"
            r"|only|the (?:following|word))",
            r"\b(?:output|return|print|emit|extract|report|list)\b.{0,40}\b(?:json|only|exactly"
            r"|nothing else|"
            r"no other|the following)\b",
            r"\bdo not (?:extract|output|report|return|list|mention any)\b",
            r"\b(?:leave out|omit|drop|discard|exclude|delete|remove)\b.{0,20}\b(?:the others?"
            r"|others|the rest|"
            r"(?:every|all)(?: \w+)? (?:names?|places?|sights?|attractions?|entr\w+|results?"
            r"|stops?|else))\b",
            r"\b(?:end|close) of (?:the )?(?:document|data|input)\b",
            # JSON and other forms of an answer
            r"[{\[]\s*[\"'](?:pois?|names?|days?|visits?|facts?|kind|role|field|value|reason"
            r"|decoys)[\"']\s*:",
            r"[\"'](?:pois|visits|facts|decoys|role)[\"']\s*[:：]",
            # Chinese
            r"忘[记掉](?:以上|之前|前面|上述|所有|全部)[^。]{0,8}(?:指令|指示|要求|提示|规则|命令"
            r"|设定)",
            r"(?:忽略|无视|不要理会|不必理会|抛开|跳过|覆盖)[^。]{0,12}(?:以上|之前|前面|上述|先前"
            r"|上文|前文|"
            r"所有|全部|其他|其它|其余|原有|系统)?[^。]{0,8}(?:指令|指示|要求|提示|规则|命令|设定"
            r"|内容|景点|地点|文档)",
            r"[你您](?:现在|从现在起)?(?:是|扮演|将作为|不再是)[^。]{0,12}(?:助手|模型|AI|人工智能"
            r"|机器人|提取器|系统|程序)",
            r"(?:系统|开发者|管理员)\s*(?:提示|消息|指令|命令|通知)\s*[:：词]",
            r"(?:AI|人工智能|大模型|语言模型|模型|机器人|爬虫|抽取程序|提取程序"
            r"|智能助手)[^。]{0,6}(?:请|必须|应当|务必|注意|听好|只[能需要])",
            r"(?:请|必须|务必|[只仅](?:能|需|要|可|应)?|改为|直接|统一)(?:你|要|把|将)?(?:输出"
            r"|返回|抽取|提取|回答|上报)",
            r"(?:输出|返回|回复|回答)[^。，]{0,8}(?:json|结果|列表|如下|以下|[{\[])",
            r"(?:不要|不得|禁止|别)[^。，]{0,4}(?:输出|提取|抽取|返回|上报|列出)",
            r"(?:删除|去掉|舍弃|丢弃|删掉|剔除|排除)[^。，]{0,6}(?:其他|其它|所有|其余|别的|全部)",
            r"新的?(?:指令|任务|命令)\s*[:：是]|(?:文档|正文|数据)(?:到此)?(?:已经)?结束",
            # Other languages
            r"(?:以前|上記|前|これまで|すべて)の?[^。]{0,8}(?:指示|命令)[^。]{0,6}(?:無視|忘れ)"
            r"|のみ(?:を)?(?:出力|抽出)|出力して",
            r"(?:이전|위|앞|모든)[^.]{0,10}(?:지시|명령)[^.]{0,8}(?:무시|잊)|만\s*출력|출력하",
            r"ignore[zrs]?\b.{0,30}\b(?:instructions|consignes|règles)"
            r"|réponde?[sz]?\b.{0,15}\b(?:uniquement|seulement)",
            r"ignorier\w*\b.{0,40}\b(?:anweisung|vorgabe|regel)\w*|gib\b.{0,30}\baus\b"
            r"|antworte\w*\b.{0,15}\bnur\b",
            r"ignor[ae]\w*\b.{0,40}\b(?:instruccion|indicacion|istruzion|instruç|regra|regla)\w*|"
            r"(?:responde|rispondi|responda)\b.{0,15}\b(?:solo|únicamente|apenas|soltanto)",
            r"(?:игнориру|забуд)\w*.{0,40}(?:инструкц|указан|правил)\w*|(?:выведи|верни"
            r"|отвечай)\w*.{0,20}только|только.{0,20}(?:выведи|верни)",
            r"تجاهل.{0,40}(?:التعليمات|الأوامر)|bỏ qua.{0,30}(?:hướng dẫn|chỉ dẫn)"
            r"|abaikan.{0,30}instruksi",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)
#: Words that continue an order which the sentence before began.
_GOES_ON = re.compile(
    rf"\b(?:{_LISTS.either('further_orders_en')})\b|{_LISTS.either('further_orders')}",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^。！？!?；;\n.]*(?:\.(?=\S)[^。！？!?；;\n.]*)*[。！？!?；;\n.]*\s*")
_BRACKETS = re.compile(r"[（(【\[「『][^（()）【】\[\]「」『』]*[)）】\]」』]")
_LEAST_ASIDE = 12
_SPACES = re.compile(r"[\u200b-\u200f\u2060\ufeff\u00ad]")


@lru_cache(maxsize=64)
def without_orders(document: Document) -> Document:
    """Return the document with the orders to a machine blanked out; if none are found, return it
    unchanged.
    """
    texts = [_blank_orders(block.text) for block in document.blocks]
    if texts == [block.text for block in document.blocks]:
        return document
    blocks = [
        block.model_copy(update={"text": text})
        for block, text in zip(document.blocks, texts, strict=True)
    ]
    return document.model_copy(update={"blocks": tuple(blocks)})


def guard_item(item: DocumentInput) -> DocumentInput:
    """Return a task's input with the orders in its document blanked out."""
    document = without_orders(item.document)
    return item if document is item.document else item.model_copy(update={"document": document})


def gives_orders(text: str, start: int, end: int) -> bool:
    """Check whether a part of a text gives orders to a machine, judging by the whole line."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    line = text[first : last if last >= 0 else len(text)]
    return _blank_orders(line)[start - first : end - first] != text[start:end]


def _blank_orders(text: str) -> str:
    if not _ORDER.search(_plain(text)):
        return text
    text = _BRACKETS.sub(lambda m: _blank(m[0]) if _is_aside(m[0]) else m[0], text)
    pieces: list[str] = []
    ordering = False
    for sentence in (found for found in _SENTENCE.findall(text) if found):
        plain = _plain(sentence)
        ordering = bool(_ORDER.search(plain)) or (ordering and bool(_GOES_ON.search(plain)))
        pieces.append(_blank(sentence) if ordering else sentence)
    return "".join(pieces)


def _is_aside(bracketed: str) -> bool:
    """Check whether a text in brackets contains an order and is not just a short tag."""
    return len(bracketed) >= _LEAST_ASIDE and bool(_ORDER.search(_plain(bracketed)))


def _plain(text: str) -> str:
    """Return text without the invisible characters that hide words."""
    return _SPACES.sub("", text)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
