"""Read an order of the labels Q1 to Q4."""

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from selfexec.readers.alternatives import left_open
from selfexec.readers.conclusion import conclude, ends, unreadable
from selfexec.readers.directions import begins_hard, grows_with, names_a_direction, runs_down
from selfexec.readers.nesting import names_an_answer, place, quoted_key, the_answers, whole_key
from selfexec.readers.notation import plain_text
from selfexec.readers.placed import in_places
from selfexec.readers.reordered import REACH, reordered
from selfexec.readers.result import Commitment, Reading, last_of
from selfexec.readers.scan import AT_MOST, lines, matches
from selfexec.readers.shown import mentioned
from selfexec.readers.suppositions import counterfactual
from selfexec.readers.tentative import breaks_off, on_the_way
from selfexec.readers.withdrawal import asks_for_what_is_missing
from selfexec.text.regex import regex

LABELS = ("Q1", "Q2", "Q3", "Q4")
MENTION = regex(r"[Qq](?<!\w.)(?:uestion\s?#?|_?\{?|[\s.])([0-9]+)\b")
ORDINALS = {
    "easiest": 1,
    "simplest": 1,
    "shortest": 1,
    "hardest": 4,
    "longest": 4,
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 4,
}
# what may stand between two labels of an order: list marks, arrows, "then", "is the quickest, followed by"
BETWEEN = regex(
    r"""(?: [\s"'“”„«»‘`*_\\,;<>(){}$&、،] | -> | => | → | ⇒ | \\rightarrow | \\to | \\text
          | \b(?:then|dann|danach|zuletzt|luego|después|y|por\súltimo|am\sschwersten|and|followed\sby|finally)\b
          | \b(?:lastly|next|after\sthat)\b
          | \b(?:puis|ensuite|enfin|et|est|d['’]abord|al\sfinal|erst|finalmente)\b | \([^()\nQq]{1,40}\)
          | ثم | 然后 | 最后
          | :?\b(?:first|1st|2nd|3rd|4th|second|third|fourth|last)\b:?
          | \b(?:is|are|takes?|requires?|needs?|comes?)\b[^.\nQq]{0,60}?\b(?:followed\sby|and\sthen)\b
    ){1,24}""",
    re.VERBOSE,
)
KEYED = regex(r"(?:anking|ANKING)\\?[\"'“”»`*]{0,3}\s{0,12}[:=]\s{0,12}\\?[\"'`]?\[(?P<body>[^\[\]{}]{0,400})\]?")
CLOSING = regex(
    r"\{\s{0,8}\"(?P<key>ranking)\"\s{0,4}:\s{0,4}(?P<list>\[(?P<body>[^\[\]{}/#]{0,100})\])\s{0,8}\}[\s`]*\Z"
)
# {"Q1": 2, "Q2": 1, ...} or {"1": "Q2", "2": "Q1", ...}: which place each label has
BY_PLACE = regex(r"(?:anking|ANKING)\\?[\"'“”»`*]{0,3}\s{0,12}:\s{0,12}\{(?P<body>[^{}\[\]]{10,400})\}")
PAIR = regex(
    r"[\"'“]?(?:[Qq](?:uestion)?[ _]?([1-4])[\"'”]?\s*:\s*[\"'“]?([1-4])\b|([1-4])[\"'”]?\s*:\s*[\"'“]?[Qq]([1-4])\b)"
)
IN_OBJECTS = regex(
    r"(?:anking|ANKING)\\?[\"'“”»`*]{0,3}\s{0,12}:\s{0,12}\[(?P<body>\s{0,12}\{[^\[\]]{10,800}\})\s{0,12}\]"
)
# "Make that Q1, Q2, Q3, Q4."
ANEW = regex(
    r"\b(?:make\s+(?:that|it)|correction|corrected(?:\s+order)?|it\s+should\s+be)\s*[:,]?[\s\"'*_`\[(]{0,6}[Qq][1-4]\b",
    re.IGNORECASE,
)
BY_A_CRITERION = regex(r"(?:by|per|for|in)[_ A-Z]")
COMMENT = regex(r"//[^\n]{0,200}|/\*[^*]{0,200}\*/|#[^\n\"]{0,200}(?=\n)")
MEDALS = {"🥇": 1, "🥈": 2, "🥉": 3, "①": 1, "②": 2, "③": 3, "④": 4}
BRACKETED = regex(r"\[(?P<body>[\s\"'“”\\1-4,Qq]{7,80})\]")
# "1. **Q3**", "First: Q3", "| 1 | Q3", "- Q3"
ORDINAL = r"(?i:easiest|simplest|shortest|hardest|longest|first|second|third|fourth|last|[1-4](?:st|nd|rd|th))"
LISTED = regex(
    rf"""[\s#>*_|-]{{0,12}}(?:(?i:rank|place|position|platz|rang|puesto)\s{{1,2}})?
        (?: (?: (?P<n>\d{{1,2}})(?:\s?\([a-z ]{{3,20}}\))?\s?[.):|]
              | (?P<medal>[🥇🥈🥉①②③④])
              | (?P<ordinal>{ORDINAL})[\s:)*_-] ) [\s*_"'`(\[{{:|-]{{0,8}}
          | [\s*_(•–-]{{0,8}} )
        [Qq](?:uestion)?\s?(?P<label>[0-9]+)\b""",
    re.VERBOSE,
)
OTHER_KEY = regex(r"\"(?![\w ]*(?i:ranking|order))\w+\"\s?:\s?\"[^\"]{0,100}$")
PIECE = 18  # no longer than 'ranking": ["Q1"]': a piece of a list that names its members one by one
ORDERS = (
    *("<", "→", "⇒", "->", "=>", "followed by", ", then ", " dann ", "luego ", " puis ", "después ", "ثم"),
    *("然后", "2nd", "second"),
)
CUE = regex(
    r"rank|hardest|toughest|longest|difficulty|\b(?:final|my)\s+answer\b|difficile|facile|最难|最容易"
    r"|\border(?:ed)?\b(?! of the q)|(?<!at )\bleast|fewest|easiest|sorted|sequence"
    r"|rangfolge|reihenfolge|classe?ment|\bord(?:re|en|ine|em)\b|clasificación|classifica|порядок|рейтинг"
    r"|leicht(?:est|\s+(?:zu|nach))|schwerst|schwierigkeit|(?:zu|nach)\s+schwer|schwer\s+(?:zu|nach)|aufsteigend|fácil|dificultad|difícil|易到难|简单到|难到易|الأسهل|الأصعب|ترتيب"
    r"|排序|排名|顺序|順序|順位|순위|순서",
    re.IGNORECASE,
)
# "when I am not: ..." rejects nothing
REJECTED = regex(r"(?:rather\s+than|instead\s+of|(?<!I'm )(?<!I’m )(?<!\bI am )\bnot)\W{0,6}$", re.IGNORECASE)
# "Q3 (about 20 tokens)", and nothing else on the line
ESTIMATE = regex(r"[\s*_\"'`\]:–-]{0,8}\([^()\d\n]{0,40}(?P<tokens>\d[\d,]{0,8})[^()\n]{0,60}\)[\s*_.,;]{0,6}$")
# what announces a look at each question, not an order of them
LOOK_AT_EACH = regex(
    r"\b(?:let me|let's|let us|i will|i'll|i need)\b"
    r"(?!\s+(?:to\s+|now\s+|then\s+)*(?:rank|order|sort|arrange|put)\b(?!.*\beach\b))"
    r"|\b(?:to rank|look at|consider|analy[sz]e|examine|going through|think)\b",
    re.IGNORECASE,
)


WORDS_OF_KEY = regex(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
HARD_END = {"hardest", "longest", "slowest", "toughest", "most", "descending", "decreasing"}
MERE_WORDS = {
    *("questions", "question", "to", "from", "by", "of", "in", "the", "my", "first", "last", "labels", "final"),
} | {*("and", "expected", "estimated", "correctness", "count", "usage", "number")}
ORDER_WORDS = (
    HARD_END
    | MERE_WORDS
    | {"ranking", "rankings", "ranked", "rank", "order", "ordered", "ordering", "sorted", "sort", "sorting", "sequence"}
    | {"easiest", "shortest", "quickest", "fastest", "simplest", "fewest", "least", "ascending", "increasing"}
    | {
        *("difficulty", "difficult", "tokens", "token", "length", "effort", "list", "arranged", "arrangement"),
        *("answer", "increasing"),
    }
    | {"reihenfolge", "rangfolge", "orden", "clasificación", "classement", "ordre", "ordine", "classifica", "ordem"}
    | {"порядок", "рейтинг", "排序", "排名", "顺序", "順序", "順位", "순위", "순서", "ترتيب", "الترتيب"}
)


def read_ranking(text: str, *, truncated: bool | None = None) -> Reading:
    """The order, from fewest to most tokens, that a reply commits to: all four labels once each.

    Orders stated in one piece come before numbered or bulleted lists. A last statement of two or three labels only
    shows that the list before it was no ranking of all four. `truncated` is whether the reply was cut off; None where
    only its own letters can show that.
    """
    plain = plain_text(text, formulas=False)
    if (last := _closing(plain)) and plain.find('"ranking"') >= last.start - 1:
        return conclude(text, [last._replace(value=_turned(plain, last.start, last.end, last.value))])
    keyed = list(_keyed(plain))
    at_the_end = keyed and keyed[0].value and ends(plain, keyed[0])
    # what stands before the last order under the key cannot replace it
    whole = [c for c in keyed if c.value and not _only_shown(plain, c)]
    truncated = breaks_off(plain) if truncated is None else truncated
    runs = [] if at_the_end else list(_runs(plain, last_of(whole).start if whole else 0))
    stated = [*keyed, *(c for c in runs if not on_the_way(plain, c, truncated=truncated, weak=True))]
    if left_open(plain, orders := [c for c in stated if c.value]):
        return unreadable(text, last_of(orders))
    orders = sorted(orders, key=lambda c: (-c.end, c.start))
    complete = list(islice((c for c in orders if not _only_shown(plain, c)), 1))  # the last of them
    said = [] if complete else [c for c in stated if not _only_shown(plain, c)]
    last = max(said, key=lambda c: c.end, default=None)
    placed = [] if keyed else [c for c in in_places(plain) if not mentioned(plain, c.start, c.end)]
    placed = [
        c
        for c in placed
        if not counterfactual(plain, c.start)
        and not on_the_way(plain, c, truncated=truncated, weak="\n" not in plain[c.start : c.end])
    ]
    if placed and (not complete or last_of(placed).end >= last_of(complete).end):
        found = last_of(placed)
        return conclude(text, [_final(plain, found, placed=True)])
    if "{" not in plain and asks_for_what_is_missing(plain):
        return unreadable(text)
    if not complete and not (last and last.end - last.start > PIECE):
        complete = [c for c in _listed(plain) if not on_the_way(plain, c, truncated=truncated, weak=False)]
        if left_open(plain, complete):
            return unreadable(text, last_of(complete))
    if complete:
        last = last_of(complete)
        last = _final(plain, last)
    return conclude(text, [last] if last else [])


def _only_shown(text: str, c: Commitment) -> bool:
    root = place(text, c.start).root
    shown = counterfactual(text, c.start) or mentioned(text, min(c.start, root), c.end)
    return shown or _one_of_several(text, c, root)


def _one_of_several(text: str, c: Commitment, root: int) -> bool:
    """Whether an order by one criterion stands next to another: {"by_tokens": [...], "by_risk": [...]}."""
    start = text.rfind("[", root, c.start + 1)
    if start < 0 or not BY_A_CRITERION.match(quoted_key(text, start) or ""):
        return False
    others = [match for match in matches(text, BRACKETED, "[") if root < match.start() != start]
    orders = [_whole([_label(member) for member in match["body"].split(",")]) for match in others]
    return any(order is not None and order != c.value for order in orders)


def _closing(text: str) -> Commitment | None:
    """The object that was asked for where it ends a reply, as most do, and holds an order that is not only shown."""
    brace = text.rfind("{", max(len(text) - 240, 0))
    found = CLOSING.match(text, brace) if brace >= 0 else None
    order = _whole([_label(member) for member in found["body"].split(",")]) if found else None
    if found is None or order is None:
        return None
    start, end = found.start("key"), found.end("list")
    where = place(text, start + 1)
    shown = mentioned(text, min(start, where.root), end) or counterfactual(text, start)
    return Commitment(start, end, order) if where.answers and not shown else None


def _keyed(text: str) -> Iterator[Commitment]:
    """What stands under the key "ranking". Bare digits there are labels."""
    return the_answers((said, place(text, said.start + 1)) for said in _under(text))


def _under(text: str) -> Iterator[Commitment]:
    """What stands under the key, or in brackets, wherever it is."""
    for found in (*matches(text, KEYED, "anking", "ANKING"), *matches(text, BRACKETED, "[")):
        start = max(found.start() - (found[0][0] in "aA"), 0)
        if found.re.pattern == KEYED.pattern and text[found.end() : found.end() + 1] == "{":
            continue  # a list of objects, below
        if _is_rejected(text, start) or not _ranks(_key(text, start, found)):
            continue
        body = COMMENT.sub("", found["body"]) if "/" in found["body"] or "#" in found["body"] else found["body"]
        body = body.rstrip(" \t\r\n,")
        yield Commitment(start, found.end(), _whole([_label(member) for member in body.split(",")]))
    if "{" not in text:
        return
    for found in matches(text, BY_PLACE, "anking", "ANKING"):
        pairs = PAIR.findall(COMMENT.sub("", found["body"]))
        ranked = sorted((int(n or m), f"Q{label or other}") for label, n, m, other in pairs)
        order = _whole([label for _, label in ranked])
        if order and [n for n, _ in ranked] == [1, 2, 3, 4]:
            yield Commitment(max(found.start() - 1, 0), found.end(), order)

    for found in matches(text, IN_OBJECTS, "anking", "ANKING"):
        labels = [MENTION.findall(member) for member in found["body"].split("}")[:-1]]
        if order := _whole([f"Q{named[0]}" for named in labels if len(named) == 1]):
            yield Commitment(max(found.start() - 1, 0), found.end(), order)


def _is_rejected(text: str, start: int) -> bool:
    before = text[max(start - 30, 0) : start]
    return REJECTED.search(before) is not None


def _key(text: str, start: int, found: re.Match[str]) -> str:
    """The key that a list stands under, whole; of a list without a key, what is always the answer."""
    if found.re.pattern == KEYED.pattern:
        before = text[max(start - 1, 0) : start]
        return whole_key(text, start) + "ranking" if before in ("_", "-", " ") and before else "ranking"
    return quoted_key(text, start) or "ranking"


def _label(member: str) -> str:
    """The one label that a member of a list is; "" if it is none, or several."""
    named = MENTION.findall(member) or re.findall(r"\b[0-9]+\b", member)
    return f"Q{named[0]}" if len(named) == 1 and "/" not in member and "=" not in member else ""


def _runs(text: str, since: int = 0) -> Iterator[Commitment]:
    """Four labels in a row, from a place on, that are given as an order."""
    for row in _rows(text, since):
        within = _in_a_string(text, row.start) or _under_another_key(text, row.start)
        if row.value and not within and _is_order(text, row.start, row.end) and place(text, row.start).answers:
            yield row


def _rows(text: str, since: int) -> Iterator[Commitment]:
    """Four labels or more with nothing but list marks between them, from a place on."""
    mentions = list(deque(MENTION.finditer(text, since), maxlen=AT_MOST))
    at = 0
    while at < len(mentions):
        end = at + 1
        while end < len(mentions) and BETWEEN.fullmatch(text, mentions[end - 1].end(), mentions[end].start()):
            end += 1
        if end - at >= 4:
            labels = [f"Q{m[1]}" for m in mentions[at:end]]
            yield Commitment(mentions[at].start(), mentions[end - 1].end(), _whole(labels))
        at = end


def _under_another_key(text: str, start: int) -> bool:
    """Whether labels open a list under a key in quotes that names no order."""
    bracket = text.rfind("[", max(start - 12, 0), start)
    if bracket < 0 or text[bracket + 1 : start].strip(" \t\r\n\"'\\"):
        return False
    key = quoted_key(text, bracket)
    return key is not None and not _ranks(key)


@lru_cache(maxsize=1024)
def _ranks(key: str) -> bool:
    """Whether a key says that its value is an order: it names an answer, or is made of the words for orders alone. One
    that names the hard end must say which way the order runs.
    """
    words = [word.lower() for word in WORDS_OF_KEY.findall(key)]
    if HARD_END.intersection(words):
        return ORDER_WORDS.issuperset(words) and names_a_direction(" ".join(words), 0, 200)
    return names_an_answer(key) or (ORDER_WORDS.issuperset(words) and not MERE_WORDS.issuperset(words))


def _in_a_string(text: str, start: int) -> bool:
    """Whether labels stand in the value of another JSON key: '"reasoning": "Q1 Q2 Q3 Q4"'."""
    before = text[max(start - 140, 0) : start]
    return '"' in before and OTHER_KEY.search(before) is not None


def _is_order(text: str, start: int, stop: int) -> bool:
    """Whether four labels in a row are an order, not just a mention of all four."""
    body = text[start:stop]
    before = text[max(start - 160, 0) : start]
    if REJECTED.search(before):
        return False
    if ">" in body.replace("->", "").replace("=>", ""):
        # a chain of > says nothing until it is said which end is easy, or of what there is more
        return names_a_direction(text, max(start - 160, 0), stop + 80) or grows_with(text, start, stop) is not None
    if before.rstrip(" \"'“„«\\`*\n")[-1:] in ("[", "{", "(") or any(mark in body for mark in ORDERS):
        return True
    line = before[before.rfind("\n") + 1 :]
    if line.strip(" *_`-\"'"):
        return bool(
            CUE.search(line) and re.search(r"(?:[:：>|→]|\bis|\bbe|\bas|\bto|\bthem|\border)[\s\"'“„«*`(\\]*$", line)
        )
    return not text[stop : stop + 40].split("\n")[0].strip(" *_`.\"'")


def _listed(text: str) -> list[Commitment]:
    """Lines that each begin with a label: numbered 1 to 4, or else bulleted under words that announce a ranking.

    A numbered list in question order ranks only where it is announced: mostly it goes through the questions. Where each
    label has an estimate in brackets, and nothing else, the list is an order if the estimates rise, announced or not.
    """
    numbered: list[Commitment] = []
    bulleted: list[Commitment] = []
    run: list[tuple[int, int, str]] = []
    estimates: list[int] = []
    lead = ""
    counts = False
    for at, line in lines(text):
        found = LISTED.match(line)
        if found:
            number = int(found["n"] or MEDALS.get(found["medal"]) or ORDINALS.get((found["ordinal"] or "").lower(), 0))
            if bool(number) != counts or (number and number != len(run) + 1):
                run, counts = [], bool(number)
            if not run:
                looks = LOOK_AT_EACH.search(lead) is not None
                announced = CUE.search(lead) is not None and not looks
                estimates = []
            run.append((at, at + found.end(), f"Q{found['label']}"))
            if estimate := ESTIMATE.match(line, found.end()):
                estimates.append(int(estimate["tokens"].replace(",", "")))
            value = _whole([label for _, _, label in run])
            rises = len(estimates) == 4 and estimates == sorted(estimates) and not looks
            if value and (announced or rises or (counts and value != list(LABELS))):
                kind = numbered if counts else bulleted
                kind.append(Commitment(run[0][0], run[-1][1], value))
            elif len(run) == 5 and counts:
                # a fifth place: the list ranks no four labels, whatever its first four are
                numbered = [ranking for ranking in numbered if ranking.start != run[0][0]]
        elif line.strip():
            lead = line[-300:]
            # what stands below a numbered line belongs to it; bulleted lines must follow one another
            run = run if counts else []
    return numbered or bulleted


def _final(text: str, found: Commitment, *, placed: bool = False) -> Commitment:
    """An order with what is said behind it: changed by words, or stated anew where words change it. `placed` is for one
    whose direction is known from its places.
    """
    order = reordered(text, found)
    perhaps = any(cue in text for cue in ("ake ", "orrect", "hould be"))
    announced = perhaps and ANEW.search(text, found.end, found.end + REACH) is not None
    if (order != found.value or announced) and (anew := _stated_anew(text, found.end)):
        return anew._replace(value=_turned(text, *anew))
    return found._replace(value=order if placed or order is None else _turned(text, found.start, found.end, order))


def _stated_anew(text: str, since: int) -> Commitment | None:
    """The last four labels in a row behind a place."""
    rows = [row for row in _rows(text, since) if row.value and ">" not in text[row.start : row.end]]
    return rows[-1] if rows else None


def _turned(text: str, start: int, stop: int, labels: list[str]) -> list[str] | None:
    """The order from fewest to most, where the words around it say that it runs the other way; None where these
    contradict each other, or its signs.
    """
    chain = text[start:stop].replace("->", "").replace("=>", "")
    grows = grows_with(text, start, stop) if ">" in chain or "<" in chain else None
    if grows is not None and not names_a_direction(text, max(start - 160, 0), stop + 80):
        # "Q3 > Q1 in difficulty" begins with the hard end, "Q3 > Q1 in ease" with the easy one
        return labels[::-1] if grows == (">" in chain) else labels
    down = runs_down(text, start, stop)
    if down is None or (down and "<" in chain and ">" not in chain and text[start] in "Qq"):
        return None  # "from hardest to easiest: Q2 < Q1": the less comes first, and so does the more
    return labels[::-1] if down or (text[start] in "Qq" and begins_hard(text, start, stop)) else labels


def _whole(labels: list[str]) -> list[str] | None:
    return labels if len(labels) == 4 and sorted(labels) == list(LABELS) else None
