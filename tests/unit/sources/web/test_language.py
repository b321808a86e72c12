"""Languages by script and small words: what decides, and what does not."""

from __future__ import annotations

import pytest

from sources.web.language import detect_language
from sources.web.main_text import parse_document

CHINESE = "上午去看了灯塔,下午在茶山散步,晚上回到城里吃饭。"
JAPANESE = "朝は灯台を見に行きました。午後は茶畑を歩いて、夜は町に戻りました。"
ENGLISH = "In the morning we went to the lighthouse, and in the evening we were back in town."


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        (CHINESE, "zh"),
        (ENGLISH, "en"),
        (JAPANESE, "ja"),
        ("아침에는 등대를 보러 갔습니다. 오후에는 차밭을 걸었습니다.", "ko"),
        ("Le matin nous avons visité le phare, et dans la ville il y a une fête.", "fr"),
        ("Am Morgen sind wir zu der Stadt gefahren und haben den Turm nicht gesehen.", "de"),
        ("Por la mañana fuimos al faro, y en la ciudad hay una fiesta para los niños.", "es"),
        ("La mattina siamo andati al faro e nella città c'è anche una festa della birra.", "it"),
        ("De manhã fomos ao farol, e na cidade não há mais uma festa para os meninos.", "pt"),
        ("In de ochtend gingen wij naar het strand en een toren, maar niet met de bus.", "nl"),
        ("Утром мы ходили к маяку, а вечером вернулись в город.", "ru"),
        ("Вранці ми ходили до маяка, а ввечері повернулися до міста, і їли.", "other"),
        ("ذهبنا في الصباح إلى المنارة وعدنا في المساء إلى المدينة.", "ar"),
        ("ตอนเช้าเราไปดูประภาคาร", "th"),
        ("Το πρωί πήγαμε στον φάρο.", "el"),
        ("בבוקר הלכנו אל המגדלור.", "he"),
        ("2026 / 31.30, 120.70", "other"),
        ("", "other"),
    ],
)
def test_each_language(text: str, lang: str) -> None:
    assert detect_language(text) == lang


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        # Japanese names and signs in a Chinese guide, more kana than a tenth.
        (
            f"{CHINESE}\n晚上住在「ホテルグランヴィア」,旁边是「お好み焼き」和「カフェ・ド・ラペ」。",
            "zh",
        ),
        (f"优衣库の新店\n{CHINESE}", "zh"),
        # A Chinese guide below a Japanese title, and a Japanese one below a Chinese one.
        (f"京都の旅へようこそ\n{CHINESE}\n{CHINESE}", "zh"),
        (f"京都三日游\n{JAPANESE}\n{JAPANESE}", "ja"),
        # Korean names in Chinese, Chinese names in English, names alone.
        (f"{CHINESE}\n明洞(명동)和景福宫(경복궁)都在首尔。", "zh"),
        (f"{ENGLISH} The tower is 灯塔 and the hill is 茶山.", "en"),
        ("Da Yan Ta\nDi Tan\nLa La Guan\nXi Hu", "en"),
        ("Rue de la Paix, Place de la Concorde and the Louvre are in the same part of town", "en"),
    ],
)
def test_names_of_elsewhere_decide_nothing(text: str, lang: str) -> None:
    assert detect_language(text) == lang


def test_code_blocks_and_titles_decide_nothing() -> None:
    code = "```python\n" + "print('the end of the road for you and for me')\n" * 30 + "```\n"
    page = f"# ようこそ Welcome to the city\n\n{CHINESE}\n\n{code}\n{CHINESE}\n"
    assert parse_document(page.encode(), "a.md").lang == "zh"
