"""Texts that came to prompts which have nothing in common: what a gateway writes in the place of a model.

A model gives one text to many prompts lawfully: the letter of a choice, a refusal in set words, the same answer to the
same question. So a text is taken note of only where it came three times or more, to two items at least, and

- to prompts that ask for replies of different forms, as a prediction, which is to end in an object, and a request, or
  to prompts of different experiments; or
- to three different prompts that leave the form of the reply to the model, where it is no refusal; or
- from two models of the run or more, to three items, where it is longer than what models share and does not refuse; or
- to all prompts of a model, of three kinds: then of any length.

Texts are compared by their words without digits, so that times, counts and ids do not matter. The first or last line of
a text is compared as well where it begins with a bracket or has an address, and the first one where it begins with a
pictograph, as notices do that stand before or behind a reply; with a pictograph in its last line a model says goodbye.
So is a long first line, a label in brackets that a text begins with ("[m-small] ..."), a first or last line whose
numbers differ from reply to reply and whose words do not ("Thought for 7 seconds"), and one that often stands behind
the object with which replies were to end.
None of this holds for one of the 34,000 replies of ten models that were recorded for the paper: their texts to prompts
of different forms differ, and the longest that two of them gave to different items without refusing has 56 bytes.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from selfexec.experiments import EXPERIMENTS
from selfexec.facets import is_call
from selfexec.readers import refuses
from selfexec.runs.readings import is_free
from selfexec.runs.reply import Reply, prompts_of
from selfexec.text.regex import regex

LEAST_REPLIES, LEAST_ITEMS = 3, 2
LEAST_BYTES = 20  # of the words: what is shorter may be an answer in any form
LINE_BYTES = 12  # of the words of a line that looks like a notice
SHARED_BYTES, SHARED_ITEMS = 80, 3  # of a text from several models
COMPARED = 600  # characters of a text, from its beginning
WORD = regex(r"\w+")  # one with a digit may be an id
HEAD_BYTES = 50  # of the words of a first line: models often begin with "Let me think through this step by step"
LABELLED = 5  # prompts that leave the form to the model: it may label its reply now and then
LONGEST_CLOSING = 160  # characters behind an object
CLOSING_SHARE = 0.02  # of all replies: now and then a model says goodbye there
FIRST_PERSON = frozenset(("i", "me", "my", "mine"))  # who speaks so is the model: "Let me know if you need more"
LABEL = regex(r"[\[(<{【]{1,2}([^\[\](){}<>【】\"',\n]{3,40})[\])>}】]{1,2}\s+(?=\S)")
NAME = regex(r"(?=\S*[A-Za-z])\w+(?:[-/:.]\w+)+")  # acme-mini
BRACKETS, PICTOGRAPHS = "[(", ("So",)  # the latter is a category of Unicode


def repeated_texts(replies: Iterable[Reply]) -> dict[str, list[list[Reply]]]:
    """The replies of each model that hold a text which is not its own, those of one text in a list of their own."""
    came = [reply for reply in replies if reply.text and not is_call(reply.session)]
    behind = Counter(words for reply in came if (words := words_behind_object(reply)))
    least = max(LEAST_REPLIES, CLOSING_SHARE * len(came))
    closing = {words for words, number in behind.items() if number >= least and FIRST_PERSON.isdisjoint(words.split())}
    marks = [tuple(marks_of(reply, closing)) for reply in came]
    times = Counter(mark for those in marks for mark in those)
    groups: dict[int, list[Reply]] = defaultdict(list)
    for reply, those in zip(came, marks, strict=True):
        for mark in those:
            if times[mark] >= LEAST_REPLIES:
                groups[mark].append(reply)
    numbers = Counter(reply.model for reply in came)
    repeated: dict[str, list[list[Reply]]] = defaultdict(list)
    for group in groups.values():
        of_models: dict[str, list[Reply]] = defaultdict(list)
        for reply in group:
            of_models[reply.model].append(reply)
        is_shared = _is_of_several_models(group)
        for model, own in of_models.items():
            of_one = _answers_unlike_prompts(own) or _answers_in_place_of_model(own) or _is_marked(own)
            if is_shared or of_one or _answers_everything(own, numbers[model]):
                repeated[model].append(own)
    return repeated


def numbered_lines(reply: Reply) -> tuple[str, str]:
    """The first and the last of several lines of a text in a form of the model's own, where they have numbers beside
    enough words, else "". A first one that is a heading or a part of a sentence is not meant.
    """
    text = (reply.text or "").strip() if is_free(reply.key) else ""
    first, _, behind = text[: HEAD_BYTES + 2].partition("\n")
    is_apart = behind.startswith("\n") and first[:1].isalpha() and first[-1:].isalnum()
    before, _, last = text[-LONGEST_CLOSING:].rpartition("\n")
    is_first = is_apart and _has_numbers(first, LINE_BYTES)
    return first if is_first else "", last if before and _has_numbers(last, LEAST_BYTES) else ""


def _has_numbers(line: str, least: int) -> bool:
    return any(map(str.isdigit, line)) and len(words_of(line).encode(errors="replace")) >= least


def words_behind_object(reply: Reply) -> str:
    """The words of the last line of a text, where it stands behind the object with which such a reply is to end."""
    before, _, last = (reply.text or "").rstrip()[-LONGEST_CLOSING:].rpartition("\n")
    return words_of(last) if "}" in before and "}" not in last else ""


def marks_of(reply: Reply, closing: Collection[str] = ()) -> Iterator[int]:
    """What a text is recognised by, and a line at its beginning or its end that looks like a notice, or has the words
    of one that is `closing` where models have no reason to write.
    """
    text = (reply.text or "").strip()
    yield hash(words_of(text))
    if label := LABEL.match(text):
        yield hash(("label", label[1]))
    yield from (hash(("numbered", n, words_of(line))) for n, line in enumerate(numbered_lines(reply)) if line)
    head, tail = text[:COMPARED].partition("\n")[0], text[-COMPARED:].rpartition("\n")[2]
    for line, signs in {tail: (), head: PICTOGRAPHS}.items() if "\n" in text else ():
        may_be_notice = _may_be_a_notice(line, signs)
        is_long_head = line is head and len(line) >= HEAD_BYTES
        words = words_of(line) if closing or may_be_notice or is_long_head else ""
        size = len(words.encode(errors="replace"))
        if (size >= LINE_BYTES and (may_be_notice or words in closing)) or (is_long_head and size >= HEAD_BYTES):
            yield hash(("line", words))


def text_of(group: Sequence[Reply]) -> str:
    """What such replies have in common: the whole text, the label that it begins with, or the line at its beginning or
    its end.
    """
    texts = [(reply.text or "").strip() for reply in group]
    if len({*map(words_of, texts)}) == 1:
        return texts[0]
    labels = {label and label[0] for label in map(LABEL.match, texts)}
    if len(labels) == 1 and (label := labels.pop()):
        return label.strip()
    heads = {words_of(text.partition("\n")[0]) for text in texts}
    return texts[0].partition("\n")[0] if len(heads) == 1 else texts[0].rpartition("\n")[2]


def words_of(text: str) -> str:
    """The words of a text in small letters, without those that have digits: times, counts and ids."""
    return " ".join(filter(str.isalpha, WORD.findall(text[:COMPARED].casefold())))


def _may_be_a_notice(line: str, signs: Collection[str]) -> bool:
    """Whether a line has an address, or begins with a bracket or with a sign of one of these categories."""
    sign = line.lstrip()[:1]
    return bool(sign) and ("://" in line or sign in BRACKETS or unicodedata.category(sign) in signs)


def _is_long(reply: Reply, least: int) -> bool:
    return len(words_of(reply.text or "").encode(errors="replace")) >= least


def _items(replies: Sequence[Reply]) -> set[tuple[str, str]]:
    return {(reply.experiment, reply.item) for reply in replies}


def _answers_unlike_prompts(replies: Sequence[Reply]) -> bool:
    """Whether one text came to prompts that ask for replies of different forms. Kinds that ask for a letter, questions
    with choices among them, are of one form, and a text in their form may be the answer to each.
    """
    letters = {
        (name, kind) for name, definition in EXPERIMENTS.items() for kind in (*definition.options, definition.answers)
    }
    kinds = {(reply.experiment, reply.key.session_kind) for reply in replies}
    is_enough = len(replies) >= LEAST_REPLIES and len(_items(replies)) >= LEAST_ITEMS
    return is_enough and len(kinds) > 1 and not kinds <= letters and _is_long(replies[0], LEAST_BYTES)


def _answers_in_place_of_model(replies: Sequence[Reply]) -> bool:
    """Whether one text that does not refuse came to different prompts that leave the form of the reply to the model."""
    free = [reply for reply in replies if is_free(reply.key)]
    return (
        len(prompts_of(free)) >= LEAST_REPLIES
        and _is_long(free[0], LEAST_BYTES)
        and len({words_of(reply.text or "") for reply in free}) == 1
        and not refuses(free[0].text or "")
    )


def _is_marked(replies: Sequence[Reply]) -> bool:
    """Whether one label stands before the replies to different prompts that leave their form to the model, or one that
    looks like the name of a model before replies of any form; or one line before them or behind them whose numbers
    differ.
    """
    if len(prompts_of(replies)) >= LABELLED and NAME.fullmatch(next(iter(_labels(replies))) or ""):
        return len(_labels(replies)) == 1
    free = [reply for reply in replies if is_free(reply.key)]
    labels = _labels(free)
    is_one_line = any(map(_are_one_line, zip(*map(numbered_lines, free), strict=True)))
    return len(prompts_of(free)) >= LABELLED and (is_one_line or (len(labels) == 1 and None not in labels))


def _labels(replies: Iterable[Reply]) -> set[str | None]:
    labels = (LABEL.match((reply.text or "").strip()) for reply in replies)
    return {label and label[1] for label in labels}


def _are_one_line(lines: Collection[str]) -> bool:
    """Whether lines differ in their numbers alone, and do so."""
    numbers = {tuple(filter(str.isdigit, line)) for line in lines}
    return len({*map(words_of, lines)}) == 1 and len(numbers) >= LEAST_REPLIES and "" not in lines


def _is_of_several_models(replies: Sequence[Reply]) -> bool:
    """Whether several models gave one long text, which does not refuse, to different items."""
    text = replies[0].text or ""
    return (
        len({reply.model for reply in replies}) > 1
        and len(_items(replies)) >= SHARED_ITEMS
        and _is_long(replies[0], SHARED_BYTES)
        and len({words_of(reply.text or "") for reply in replies}) == 1
        and not refuses(text)
    )


def _answers_everything(replies: Sequence[Reply], number: int) -> bool:
    """Whether one text, however short, came to all prompts of a model, of three kinds and more."""
    kinds = {(reply.experiment, reply.key.session_kind) for reply in replies}
    is_one = len(replies) == number and len({reply.text for reply in replies}) == 1
    return is_one and len(kinds) >= LEAST_REPLIES and len(_items(replies)) >= LEAST_ITEMS
