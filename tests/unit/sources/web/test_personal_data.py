from __future__ import annotations

import pytest

from sources.web.personal_data import MASK, mask


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("打13812345678问", "13812345678", "mobile"),
        ("打 138-1234-5678 问", "138-1234-5678", "mobile"),
        ("+86 138 1234 5678", "+86 138 1234 5678", "mobile"),
        ("客栈0816-2277922前台", "0816-2277922", "landline"),
        ("(010)62345678", "(010)62345678", "landline"),
        ("客服400-888-6608", "400-888-6608", "landline"),
        ("景区电话：028-88881234。", "", ""),
        ("咨询热线 400-888-6608", "", ""),
        ("Visitor centre tel: 010 6234 5678", "", ""),
        ("Ticket office: 0816-2277922", "", ""),
        ("景区电话：13812345678", "13812345678", "mobile"),
        ("老板电话：028-88881234。", "028-88881234", "landline"),
        ("电话：028-1234。", "028-1234", "phone"),
        ("Tel: +33 1 23 45 67 89.", "+33 1 23 45 67 89", "phone"),
        ("写信 first.last+x@mail.travel.cn 吧", "first.last+x@mail.travel.cn", "email"),
        ("身份证11010519491231002X。", "11010519491231002X", "id_number"),
        ("身份证110105194912310021。", "", ""),
        ("微信号：tea_hill88", "tea_hill88", "handle"),
        ("加V: teahill", "teahill", "handle"),
        ("感谢 @sea_walker 的照片", "@sea_walker", "handle"),
        ("和@小海 一起", "", ""),
        ("和 @小海 一起", "@小海", "handle"),
        ("票价130元，8:00-17:30，2023-05-01", "", ""),
        ("海拔1381234米，编号 20230501123456789", "", ""),
        ("G1381 次 13812345678901234", "", ""),
    ],
)
def test_personal_data_is_masked_in_place(text: str, secret: str, kind: str) -> None:
    masked, counts = mask(text)
    assert len(masked) == len(text)
    if not secret:
        assert (masked, dict(counts)) == (text, {})
        return
    at = text.index(secret)
    assert masked == text[:at] + MASK * len(secret) + text[at + len(secret) :]
    assert dict(counts) == {kind: 1}


def test_masking_twice_changes_nothing_more() -> None:
    once, _ = mask("13812345678 a@b.cn 微信：abcdef1")
    assert mask(once) == (once, {})


@pytest.mark.slow
@pytest.mark.timeout(10)
@pytest.mark.parametrize("piece", ["a", "1", "1-", "a@", "a.", "微信", " ", "(0", "@a", "电话 "])
def test_masking_takes_linear_time(piece: str) -> None:
    text = piece * 200_000
    assert len(mask(text)[0]) == len(text)
