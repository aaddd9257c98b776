"""Percentages and fractions in East Asian numerals, as figures: 百分之二十 is 20%, 九成五 is .95, 三分之二 is 2/3."""

import re

from selfexec.text.regex import regex

DIGITS = {character: n for n, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
NUMERAL = r"(?:\d{1,3}(?:\.\d{1,3})?|[零〇一二两三四五六七八九十百]{1,5}(?:点[零〇一二三四五六七八九]{1,3})?)"
SHARE = regex(
    rf"(?P<whole>{NUMERAL})分之(?P<part>{NUMERAL})"
    # 成 is a syllable of many words, too
    r"|(?P<tenths>[一二三四五六七八九1-9])[成割](?P<more>[一二三四五六七八九]?)分?(?=[\s\W的左以几概可把のはで]|\Z)"
    r"|(?<=\d)\s?(?:パーセント|プロ|퍼센트|프로)",
)


def in_figures(text: str) -> str:
    """The text, place for place, with its shares in figures; one that takes more room stays as it is."""
    return text if text.isascii() else SHARE.sub(_figures, text)


def _figures(share: re.Match[str]) -> str:
    if share["tenths"]:
        figures = f".{_number(share['tenths']):g}" + (f"{_number(share['more']):g}" if share["more"] else "")
    elif share["whole"] is None:
        figures = "%"
    elif _number(share["whole"]) == 100:
        figures = f"{_number(share['part']):g}%"
    else:
        figures = f"{_number(share['part']):g}/{_number(share['whole']):g}"
    return figures.rjust(len(share[0])) if len(figures) <= len(share[0]) else share[0]


def _number(numeral: str) -> float:
    """The number that figures or numerals up to a few hundred stand for: 九十五点五 is 95.5."""
    if numeral[0].isdigit() and numeral.isascii():
        return float(numeral)
    whole, _, decimals = numeral.partition("点")
    total = 0
    for part in re.findall(r"([零〇一二两三四五六七八九]*)([十百]?)", whole):
        digits, unit = part
        many = DIGITS[digits[-1]] if digits else 1 if unit else 0
        total += many * {"": 1, "十": 10, "百": 100}[unit]
    return total + (float("0." + "".join(str(DIGITS[d]) for d in decimals)) if decimals else 0)
