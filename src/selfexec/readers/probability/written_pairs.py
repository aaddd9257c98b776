"""Options with their numbers by notation: keys, cells, lines and members of a row, wherever in a reply these are."""

import re
from collections.abc import Iterator, Mapping

from selfexec.readers.probability.amounts import Amount, in_odds, only_amount
from selfexec.readers.probability.denials import KEYS, LAST, is_torn
from selfexec.readers.probability.spoken_pairs import as_named, spelled
from selfexec.readers.shown import mentioned
from selfexec.text.regex import regex

# between a name and its number, perhaps with the noun before that: "<cup>0.8", "**cup**\n  Probability: 0.8"
BETWEEN = (
    r"[\s\"'“”*_`)\]}]{0,100}(?::|=|：|->|→|–|—|\||\(|>|\s-\s|\s(?=[\d.~≈])|(?=\n?[\s*_\"'-]{0,8}probability\b))[\s*_`\"'“|]{0,10}"
    rf"(?:[-•]?\s?{KEYS}[\"'*_]{{0,3}}\s?(?:[:=≈~]|\s(?:of|is)\s)[\s*_`\"']{{0,6}})?"
)

NESTED = regex(
    r"\{\s{0,12}(?:[\"']\w{1,20}[\"']\s{0,4}:\s{0,4}(?:true|false|\"[^\"\n]{0,40}\")\s{0,4},\s{0,8})?"
    rf"[\"']{KEYS}[\"']\s{{0,4}}:\s{{0,4}}",
    re.IGNORECASE,
)

OPENS = regex(
    r"(?:^|[\n{,;:|\"'“$<]|[.!?]\s|\bP\s?(?=\())[\s*_`\"'“(\[]{0,8}(?:[-*•–]\s{1,3}|\d{1,2}[.)]\s{1,3})?[*_`\"'“]{0,4}\Z"
)

IN_A_RECORD = regex(
    rf"[\"'](?:word|option|term|name)[\"']\s{{0,4}}:\s{{0,4}}[\"'](?P<word>[^\"'\n]{{1,80}})[\"']\s{{0,4}},\s{{0,12}}"
    rf"[\"']{KEYS}[\"']\s{{0,4}}:\s{{0,4}}(?P<value>\"[^\"\n]{{0,40}}\"|[^,}}\n]{{1,40}})",
    re.IGNORECASE,
)

TO_THE_END = regex(r"[^,;}\]|\n<]{0,60}(?:,\d{1,6}[^,;}\]|\n<]{0,20})?")

EXPLAINED = regex(r"\s{1,3}(?:[-–—(]|because\b|since\b|as\b)", re.IGNORECASE)


def written_pairs(text: str, whose: Mapping[str, str]) -> Iterator[tuple[str, Amount]]:
    """Each option with what is stated behind it, wherever that is."""
    known = {as_named(name): owner for name, owner in whose.items()}
    if not known:
        return
    names = "|".join(spelled(name) for name in sorted(whose, key=len, reverse=True))
    odds = in_odds(text)
    pattern = re.compile(rf"(?<![\w-])(?P<name>{names}){BETWEEN}", re.IGNORECASE)
    listed = re.compile(
        rf"(?<![\w-])(?:{names})[\"'*_`)]{{0,4}}\s?(?:[,/&]|and\b|or\b)\s?(?:and\s)?[\"'*_`(]{{0,4}}\Z", re.IGNORECASE
    )
    for match in pattern.finditer(text, max(len(text) - LAST, 0)):
        if listed.search(text[max(match.start() - 100, 0) : match.start()]):
            continue  # what follows is of several
        option = known.get(as_named(match["name"]))
        if option and _begins_a_part(text, match.start()):
            amount = _behind(text, match.end(), odds)
            if amount and not mentioned(text, match.start(), amount.end):
                yield option, amount
    for match in IN_A_RECORD.finditer(text):
        option, amount = known.get(as_named(match["word"])), only_amount(match["value"])
        if option and amount:
            at = match.start("value")
            yield option, amount._replace(start=at + amount.start, end=at + amount.end)


def _begins_a_part(text: str, at: int) -> bool:
    """Whether a name opens a key, a cell, a line or a member of a row: else it stands in a sentence on something."""
    return OPENS.search(text[max(at - 24, 0) : at]) is not None


def _behind(text: str, at: int, odds: bool = False) -> Amount | None:
    nested = NESTED.match(text, at)
    at = nested.end() if nested else at
    rest = TO_THE_END.match(text, at)
    words = rest[0] if rest else ""
    if is_torn(text, at + len(words)):
        return None
    explained = EXPLAINED.search(words, 1)
    # "0.6 - 0.7" is a range; "0.6 - it is common" has its reason behind it
    if explained and not re.match(r"\W*\d", words[explained.start() :]):
        words = words[: explained.start()]
    amount = only_amount(words, odds=odds)
    return amount and amount._replace(start=at + amount.start, end=at + amount.end)
