"""Replies that run on: behind its answer a base model writes a further prompt and answers that, too.

Of answers that differ a later one counts only where it answers the same question: where what stands between them says
that it revises or concludes, or where the earlier one is part of the thoughts that lead up to it. Behind a further
prompt none does, whatever is said there.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from selfexec.readers.notation import plain_text
from selfexec.readers.result import Commitment, Reading
from selfexec.text.regex import regex

OPENING_WORDS = 6  # of a sentence of a prompt, by which it is known again
TRIES = 8  # places that a further prompt may begin at
BEFORE_AN_OBJECT = regex(r"[\s`*_]*(?:json\b\s*)?(?=\{)", re.IGNORECASE)
PARAGRAPH = regex(r"\s*\S.*?(?=\n[ \t]*\n|\Z)", re.DOTALL)
FIRST_SENTENCE = regex(r"\s*[^\n]*?(?:(?<=[.!?])(?=\s)|\n|\Z)")
# "User:", "### Instruction 2:"; a request in quotes on a line of its own; a rule of equals signs, as in our prompts
PROMPTS_BEGIN = (
    r"^[\W_]{0,6}(?:(?:user|human|instructions?|input|prompt|request|task|exercise)(?:[ \t]?\#?\d{1,2})?|question)"
    r"[*_]{0,2}[ \t]?:"
    r"|^[ \t]{0,8}[\"“](?:[^\"“”\s]+[ \t]+){2,}[^\"“”\n]*[\"”][ \t]*$|^[ \t]*={5,}[ \t]*$"
)
HEADING = r"(?P<heading>^[ \t]{0,3}\#{1,6}[ \t]+\S)"
GOES_BACK = regex(
    r"\b(?:(?<!your\s)final(?:ly)?|overall|in\s+conclusion|conclud\w+|correct(?:ion|ed)|actually|wait|hmm+|oops|sorry|edit|instead"
    r"|or\s+rather|misread|on\s+(?:second\s+thoughts?|reflection|balance)|reconsider\w*|revis\w+|updated?|I\s+meant"
    r"|make\s+(?:it|that)|let\s+me|I(?:['’](?:d|ll)|\s+(?:would|will|should))?\s+(?:\w+\s+)?"
    r"(?:lower|raise|change|adjust|correct|go\s+(?:lower|higher)))\b"
    r"|(?:\A|(?<=[.!?\n]))[\s}`]*(?:however|so|but|therefore|thus|hence)\b",
    re.IGNORECASE,
)


def up_to_a_further_prompt(read: Callable[..., Reading], templates: Iterable[str]) -> Callable[..., Reading]:
    """A way to read replies as `read` does, with nothing that stands behind a further prompt.

    Where a prompt follows an answer and another answer follows that, the first one counts if the reply begins with it;
    otherwise nobody knows which of them is meant, and the reply is unreadable. `templates` are the prompts that the
    reply may answer: a reply that repeats a sentence of one of them writes a prompt.
    """
    opens = _pattern_of(tuple(templates))

    def read_first(item: Any, text: str, *, truncated: bool = False) -> Reading:
        whole: Reading = read(item, text, truncated=truncated)
        for start in _prompts_in(text, opens):
            first = read(item, text[:start], truncated=truncated)
            opening = _opening(text[:start])
            is_no_answer = first.state != "read" and not (first.evidence and opening == "")
            if is_no_answer or _says_the_same(first, whole):
                continue
            if opening is None or (opening and not _says_the_same(first, read(item, opening, truncated=truncated))):
                return Reading("unreadable", reason="format", evidence=first.evidence)
            return first
        return whole

    return read_first


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
def _pattern_of(templates: tuple[str, ...]) -> re.Pattern[str]:
    """Where a prompt begins: in a form that prompts have, or with how a sentence of a template begins. Where a reply
    is to write a question, "Question:" begins its answer.
    """
    sentences = [sentence.partition("$")[0] for text in templates for sentence in re.split(r"[.:?!]\s|\n", text)]
    words = (re.findall(r"\w+", sentence)[:OPENING_WORDS] for sentence in sentences)
    known = sorted({r"\W+".join(opening) for opening in words if len(opening) == OPENING_WORDS})
    begin = PROMPTS_BEGIN.replace("|question", "") if any('"question"' in text for text in templates) else PROMPTS_BEGIN
    ours = rf"|(?:^|(?<=[.:?!]\s))[ \t]{{0,8}}(?:{'|'.join(known)})\b" if known else ""
    return re.compile(rf"{begin}{ours}|{HEADING}", re.IGNORECASE | re.MULTILINE)


def _prompts_in(text: str, opens: re.Pattern[str]) -> Iterator[int]:
    """Where further prompts may begin, behind something else. A heading begins none where the answer may be laid out
    under headings, or something is revised or concluded below it.
    """
    plain = plain_text(text)
    laid_out = BEFORE_AN_OBJECT.match(plain) is None
    tries = 0
    for match in opens.finditer(plain):
        if tries == TRIES:
            return
        is_own = match["heading"] and (laid_out or GOES_BACK.search(plain, match.start()))
        if plain[: match.start()].strip() and not is_own:
            tries += 1
            yield match.start()


def _opening(text: str) -> str | None:
    """What must state the answer of a reply that begins with it: nothing more of one that begins with an object, else
    the first paragraph. None where its first sentence has no number, so that it leads up to an answer.
    """
    plain = plain_text(text)
    if BEFORE_AN_OBJECT.match(plain):
        return ""
    paragraph, sentence = PARAGRAPH.match(plain), FIRST_SENTENCE.match(plain.lstrip())
    return paragraph[0] if paragraph and sentence and any(c.isdigit() for c in sentence[0]) else None


def _says_the_same(one: Reading, other: Reading) -> bool:
    return (one.state, one.value, one.probability) == (other.state, other.value, other.probability)
