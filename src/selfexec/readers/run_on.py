"""Replies that run on: behind its answer a base model writes a further prompt and answers that, too.

Of answers that differ a later one counts only where it answers the same question: where what stands between them says
that it revises or concludes, or where the earlier one is part of the thoughts that lead up to it. Behind a further
prompt none does, whatever is said there.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

from selfexec.readers.notation import plain_text
from selfexec.readers.result import Commitment, Reading
from selfexec.text.regex import regex

OPENING_WORDS = 6  # of a sentence of a prompt, by which it is known again
LEAST_WORDS = 6  # between two answers
OBJECT = regex(r"\{[^{}]{1,2000}\}")
WORD = regex(r"[^\W\d_]{2,}")
TRIES = 8  # places that a further prompt may begin at
BEFORE_AN_OBJECT = regex(r"[\s`*_]*(?:json\b\s*)?(?=\{)", re.IGNORECASE)
ENDS_A_LINE = regex(r"[ \t`*_]*(?:\n|\Z)")
PARAGRAPH = regex(r"\s*\S.*?(?=\n[ \t]*\n|\Z)", re.DOTALL)
# "User:", "### Instruction 2:"; a request in quotes on a line of its own; a rule of equals signs, as in our prompts
PROMPTS_BEGIN = (
    r"(?P<turn>^[\W_]{0,6}"
    r"(?:(?:user|human|instructions?|input|prompt|request|task|exercise)(?:[ \t]?\#?\d{1,2})?QUESTION)[*_]{0,2}[ \t]?:)"
    r"|^[ \t]{0,8}[\"“](?:[^\"“”\s]+[ \t]+){2,}[^\"“”\n]*[\"”][ \t]*$|^[ \t]*={5,}[ \t]*$"
)
QUESTION = r"|question(?=[*_]{0,2}[ \t]?:[*_]{0,2}\s{0,4}(?:\S+[ \t]+){2})"  # "question: yes" answers one
SIGN_OF_A_PROMPT = regex(r"\w[*_]{0,2}[ \t]?:|^[ \t]{0,8}[\"“=]|^[ \t]{0,3}\#", re.MULTILINE)
HEADING = r"(?P<heading>^[ \t]{0,3}\#{1,6}[ \t]+\S)"
GOES_BACK = regex(
    r"\b(?:(?<!your\s)final(?:ly)?|overall|in\s+conclusion|conclud\w+|correct(?:ion|ed)|actually|wait|hmm+|oops|sorry|edit|instead"
    r"|or\s+rather|misread|on\s+(?:second\s+thoughts?|reflection|balance)|reconsider\w*|revis\w+|updated?|I\s+meant"
    r"|make\s+(?:it|that)|let\s+me|I(?:['’](?:d|ll)|\s+(?:would|will|should))?\s+(?:\w+\s+)?"
    r"(?:lower|raise|change|adjust|correct|go\s+(?:lower|higher)))\b"
    r"|(?:\A|(?<=[.!?\n]))[\s}`]*(?:however|so|but|therefore|thus|hence)\b",
    re.IGNORECASE,
)


def up_to_a_further_prompt(
    read: Callable[[str], Reading], text: str, templates: tuple[str, ...], *, drafts: bool = False
) -> Reading:
    """What `read` makes of a reply, with nothing that stands behind a further prompt.

    Where a prompt follows an answer and another answer follows that, the first one counts if it is bare: an object, or
    all of the first paragraph. Where the prompt begins with who speaks, so does one that the reply begins with in more
    words; otherwise nobody knows which of them is meant there, and the reply is unreadable. `templates` are the prompts
    of the experiment: who repeats a sentence of one of them may write a further prompt, or think about ours. A prompt
    of another wording may stand between objects that answer differently: that is unreadable, too, unless earlier
    objects may be `drafts` of the last.
    """
    whole = read(text)
    for start, is_turn in _prompts_in(text, templates):
        before = text[:start]
        first = read(before)
        if first.state != "read":
            continue
        if _says_the_same(first, whole):
            return whole
        paragraph = PARAGRAPH.match(plain_text(before))
        opening = paragraph[0] if paragraph else ""
        if _is_bare(before, opening, first) or (is_turn and _says_the_same(first, read(opening))):
            return first
        if is_turn or _is_object(first):
            return Reading("unreadable", reason="format", evidence=first.evidence)
    if whole.state == "read" and not drafts and answers_twice(plain_text(text)):
        return Reading("unreadable", reason="format", evidence=whole.evidence)
    return whole


def answers_twice(text: str) -> bool:
    """Whether the last object gives other values under the same keys than all before it, the one before it ends its
    line, and words stand between them that neither revise nor conclude.
    """
    *earlier, (start, _, last) = [*objects_in(text)] or [(0, 0, {})]
    if not earlier or any(_agree(last, own) for _, _, own in earlier):
        return False
    _, end, _ = earlier[-1]
    if not ENDS_A_LINE.match(text, end):
        return False
    return len(WORD.findall(text, end, start)) >= LEAST_WORDS and not GOES_BACK.search(text, end, start)


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two objects have no key in common, or the same value under each."""
    return all(one[key] == other[key] for key in one.keys() & other.keys())


def objects_in(text: str) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """The plain objects of a text, each with its place."""
    for match in OBJECT.finditer(text) if text.count("}") > 1 else ():
        try:
            value = msgspec.json.decode(match[0])
        except (msgspec.DecodeError, UnicodeError, RecursionError):  # half a character, or brackets without end
            continue
        yield match.start(), match.end(), value


def settled(text: str, answers: Sequence[Commitment]) -> list[Commitment]:
    """Objects of a reply with what the last of them counts for: nothing where it differs from one that the reply begins
    with, and nothing between them revises or concludes.
    """
    several = sorted((c for c in answers), key=lambda c: c.start)
    lead = BEFORE_AN_OBJECT.match(text)
    opens = several and lead is not None and several[0].start <= text.find("}", lead.end())
    for earlier, later in pairwise(several) if opens else ():
        unlike = earlier.value is not None and earlier.value != later.value
        if unlike and not GOES_BACK.search(text, earlier.end, later.start):
            return [*several[:-1], several[-1]._replace(value=None)]
    return several


@lru_cache(maxsize=64)
def prompts_begin(templates: tuple[str, ...]) -> re.Pattern[str]:
    """Where a prompt begins: in a form that prompts have, or with how a sentence of a template begins. Where a reply
    is to write a question, "Question:" begins its answer.
    """
    known = [r"\W+".join(opening) for opening in _openings(templates)]
    asks_for_one = any('"question"' in text for text in templates)
    begin = PROMPTS_BEGIN.replace("QUESTION", "" if asks_for_one else QUESTION)
    ours = rf"|(?:^|(?<=[.:?!]\s))[ \t]{{0,8}}(?:{'|'.join(known)})\b" if known else ""
    return re.compile(rf"{begin}{ours}|{HEADING}", re.IGNORECASE | re.MULTILINE)


@lru_cache(maxsize=64)
def _openings(templates: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The first words of each sentence of some templates that has enough of them before a field is filled in."""
    sentences = [sentence.partition("$")[0] for text in templates for sentence in re.split(r"[.:?!]\s|\n", text)]
    words = (tuple(re.findall(r"\w+", sentence)[:OPENING_WORDS]) for sentence in sentences)
    return tuple(sorted({opening for opening in words if len(opening) == OPENING_WORDS}))


def _may_hold_a_prompt(text: str, templates: tuple[str, ...]) -> bool:
    """Whether a text may have what `prompts_begin` finds, whose pattern takes long to compile: most have no sign."""
    if SIGN_OF_A_PROMPT.search(text):
        return True
    words = text.casefold()
    return any(f"{one} {two}".casefold() in words for one, two, *_ in _openings(templates))


def _prompts_in(text: str, templates: tuple[str, ...]) -> Iterator[tuple[int, bool]]:
    """Where further prompts may begin, behind something else. A heading begins none where the answer may be laid out
    under headings, or something is revised or concluded below it.
    """
    plain = plain_text(text)
    if not _may_hold_a_prompt(plain, templates):
        return
    laid_out = BEFORE_AN_OBJECT.match(plain) is None
    tries = 0
    for match in prompts_begin(templates).finditer(plain):
        if tries == TRIES:
            return
        is_own = match["heading"] and (laid_out or GOES_BACK.search(plain, match.start()))
        if plain[: match.start()].strip() and not is_own:
            tries += 1
            yield match.start(), bool(match["turn"])


def _is_bare(text: str, opening: str, answer: Reading) -> bool:
    """Whether an answer is the whole of the first paragraph; or an object that the text begins with, or that ends its
    line, with nothing behind it that revises it or concludes.
    """
    words = (answer.evidence or "").strip()
    if BEFORE_AN_OBJECT.match(text):
        return "}" in text
    at = text.rfind(words) if words.startswith("{") else -1
    ends_its_line = at >= 0 and ENDS_A_LINE.match(text, at + len(words)) is not None
    return words == opening.strip(" \n*_`\"'.") or (ends_its_line and not GOES_BACK.search(text, at + len(words)))


def _is_object(answer: Reading) -> bool:
    return (answer.evidence or "").lstrip().startswith("{")


def _says_the_same(one: Reading, other: Reading) -> bool:
    return (one.state, one.value, one.probability) == (other.state, other.value, other.probability)
