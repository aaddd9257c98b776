"""Short texts that have nothing to do with their prompts, or are nothing but these: what a server or a gateway says in
the place of a model.

There is no list of such texts. The rule is about replies: a text is one if any of these holds.

    it is long                     what stands in the place of a reply is a sentence or two
    it has the form asked for      one of the keys or marks that its prompt demands, or what the reader of it reads
    it takes up the prompt         a word of the item, by its first letters, a number of it, or letters of its script
    it speaks for somebody         in the first person, it refuses as models do, or it asks something
    it refers to what was asked    none of them, both

Where many replies of a kind have none of these, as the names and numbers with which short questions are answered, it is
how the model answers there, and nothing is named, unless the same few texts come to many different requests, as the
labels of a classifier do. Of 34,760 recorded replies of ten models seven have none, five of them of one model.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from selfexec.experiments import EXPERIMENTS, session_kind
from selfexec.readers import refuses
from selfexec.runs.exchanged_replies import asked_keys, asks_for_marks
from selfexec.runs.item_words import Items, longest_text_in, stems_in, texts_by_reply
from selfexec.runs.readings import is_free, is_kept, read_reply
from selfexec.runs.reply import Reply, prompts_of
from selfexec.text.regex import regex

LEAST, LEAST_SHARE = 2, 0.002  # replies, and how many of a model's
MOST_SHARE = 1 / 3  # of a kind
LEAST_ALIKE, MOSTLY = 3, 2 / 3  # prompts that one text comes to, and how many of those without a form are so
LONGEST = 200  # characters
MARKS = ('": true', '": false')
IN_A_FORM = ("in a form",)
LEAST_ECHO, MOST_BESIDE_ECHO = 20, 80  # characters of what was asked, and of what stands beside it
KNOWN_AT_ONCE = 4096
NAMED = regex(r"(?<!\w)[^\W\d_]{4,}(?!\w)|[^\x00-\u024f\W]")  # a word, or a letter of another script than Latin
OTHER_SCRIPT = regex(r"[^\x00-\u036f\W\d_]")
# I and me, and "I can" or "I am sorry" where the verb alone says so
FIRST_PERSON = regex(
    r"\bI\b|(?i:\b(?:me|my|mine|myself|ich|mir|mich|mein\w*|je|moi|mon|mes|yo|mi|puedo|siento|lamento|eu|meu|minha|posso"
    r"|desculpe|mio|mia|dispiace|ik|mij|mijn|jag|mig|jeg|meg|mog\u0119|nie|m\u016f\u017eu|mohu)\b|\bj['’])"
)
SHORT_WORD = regex(r"[^\W\d_]+")
KEY = regex(r'"(\w+)"\s*:')
REFERS = regex(r"\b(?:them|both|neither|none)\b", re.IGNORECASE)
ASKS = regex(r"[?？؟](?=[\s\"'”’»)*_]|\Z)")


def echoes(replies: Iterable[Reply], items: Items) -> list[Reply]:
    """The replies of a model that are what they were asked, in full, and hardly anything else: what a mock does. Only
    requests are looked at, since an answer to a question may be one of its choices.
    """
    free = (reply for reply in replies if reply.experiment in EXPERIMENTS and is_free(reply.key))
    requests = ((reply, items.get(reply.experiment, {}).get(reply.item)) for reply in free)
    return [
        reply for reply, item in requests if item and _is_echo(reply.text or "", longest_text_in(item).strip(" .?!"))
    ]


def begun_with_the_request(replies: Iterable[Reply], items: Items) -> list[Reply]:
    """The replies in a form of the model's own that begin with the whole request and go on: of ten recorded models none
    does.
    """
    begun = []
    for reply in replies:
        item = items.get(reply.experiment, {}).get(reply.item) if is_free(reply.key) else None
        asked = longest_text_in(item).strip() if item else ""
        text = (reply.text or "").lstrip()
        if len(asked) >= LEAST_ECHO and text.startswith(asked) and len(text) > len(asked) + MOST_BESIDE_ECHO:
            begun.append(reply)
    return begun


def _is_echo(text: str, asked: str) -> bool:
    return LEAST_ECHO <= len(asked) <= len(text) <= len(asked) + MOST_BESIDE_ECHO and asked in text


def unrelated_texts(replies: Iterable[Reply], items: Items) -> list[Reply]:
    """The replies of a model that have nothing to do with what they were asked, where the items are known."""
    text_of = texts_by_reply(items)

    @lru_cache(KNOWN_AT_ONCE)
    def stems_of(asked: str) -> frozenset[str]:
        return frozenset(stems_in(asked))

    came = [reply for reply in replies if reply.text and reply.experiment in EXPERIMENTS]
    unrelated: dict[tuple[str, ...], list[Reply]] = defaultdict(list)
    for reply in came:
        text, free = reply.text or "", is_free(reply.key)
        if len(text) > LONGEST or not (_is_bare(text, reply) and (free or _names_something(text))):
            continue
        asked = text_of(reply)
        if asked and not (_takes_up(text, asked, stems_of(asked)) if free else _is_read(reply, items)):
            unrelated[_kind(reply)].append(reply)
    numbers = Counter(map(_kind, came)) if unrelated else Counter[tuple[str, ...]]()
    some = [reply for kind, those in unrelated.items() for reply in _no_way_of_answering(those, numbers[kind])]
    return some if len(some) >= max(LEAST, LEAST_SHARE * len(came)) else []


def _kind(reply: Reply) -> tuple[str, ...]:
    """Replies that are compared with each other: all that are to have a form, and else those of one kind of session."""
    return (reply.experiment, reply.key.session_kind) if is_free(reply.key) else IN_A_FORM


def _no_way_of_answering(replies: Sequence[Reply], number: int) -> Sequence[Reply]:
    """The replies of a kind, with `number` in all, that are not how the model answers there: a few that name something,
    unless they are read for what is true of any text, or the same few texts again and again.
    """
    is_read_as_it_is = is_free(replies[0].key) and not is_kept(replies[0].key)
    are_many = len(replies) > MOST_SHARE * number
    naming = [] if is_read_as_it_is else [reply for reply in replies if _names_something(reply.text or "")]
    if naming and len(naming) <= MOST_SHARE * number:
        return naming
    alike: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies if is_free(replies[0].key) else ():
        alike[_without_values(reply.text or "")].append(reply)
    again = [reply for those in alike.values() if len(prompts_of(those)) >= LEAST_ALIKE for reply in those]
    are_most = len(again) >= MOSTLY * len(replies)
    return again if are_most and (are_many or not is_read_as_it_is) else []


def _without_values(text: str) -> str:
    """The keys of an object, and the words of another text."""
    return " ".join(KEY.findall(text) or SHORT_WORD.findall(text.casefold()))


def _names_something(text: str) -> bool:
    return NAMED.search(text) is not None and not REFERS.search(text)


def _is_bare(text: str, reply: Reply) -> bool:
    """Whether a text neither looks like the form that was asked for nor speaks for somebody."""
    if any(key in text for key in asked_keys(reply.experiment, session_kind(reply.session))):
        return False
    if any(mark in text for mark in MARKS) and asks_for_marks(reply):
        return False
    return not (FIRST_PERSON.search(text) or ASKS.search(text) or refuses(text))


def _takes_up(text: str, asked: str, stems: frozenset[str]) -> bool:
    """Whether a text has something of what it was asked about, or says nothing but words of that, as yes or no."""
    if not stems.isdisjoint(stems_in(text)) or (OTHER_SCRIPT.search(text) and OTHER_SCRIPT.search(asked)):
        return True
    words = {*SHORT_WORD.findall(text.casefold())}
    return bool(words) and words <= {*SHORT_WORD.findall(asked.casefold())}


def _is_read(reply: Reply, items: Items) -> bool:
    """Whether a reply that was to have a form says something in it."""
    return not is_kept(reply.key) and read_reply(items[reply.experiment][reply.item], reply).state == "read"
