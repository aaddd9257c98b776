"""Texts that break off though their servers say that they came to their end, by what several of them have in common,
or by how many they are; texts that begin within a sentence; and those that a limit cut, where they are not read but
judged.

    a note at the end    the same sentence behind texts that break off in the middle of one: what cut them says so
    one count            the largest count of tokens is that of several texts that break off: a limit cut them
    one length           so is the largest number of characters, or of bytes; or as many words stand before an ellipsis

A text breaks off where its last sign is a letter, a digit or one that a sentence goes on after. Many whole replies end
so, with a word or a name; so this alone says nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from selfexec.runs.odd_counts import tokens_of_text
from selfexec.runs.readings import is_free, is_kept
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

LEAST_ALIKE, MOST = 3, 2 / 3  # texts with one ending, and how many of them break off at least
LEAST_SHARE = 0.01  # of a model's texts
LEAST_REPLIES = 12  # among which a count is the largest
LEAST_SIGNS, LEAST_BYTES, LEAST_WORDS = 20, 30, 4  # of a note; a script without blanks has one word
LEAST_FIRST = 3  # letters of its first word: no "I", and no letter of a choice
GOING_ON = ",;:(-\N{EN DASH}\N{EM DASH}"  # signs with which no sentence ends
MARK = regex(r"\n\s*(?:\d{1,3}[.)]|[*\u2022#>]+)\Z")  # of a line of a list that has nothing else
LONGEST_NOTE = 400
LEAST_CUT_COUNT, LEAST_CUT_ALIKE = 32, 5  # tokens, and texts of a length of their own that share so many
LEAST_COUNT = 16  # tokens, or words: a lower limit would not be one
LEAST_LENGTH = 160  # characters, or bytes
ROUND = (50, 64)  # of a multiple of these, two texts are enough: limits are
LEAST_FREE = 80  # characters: a word may begin with a small letter and end without a dot
CLOSING = ",.;:)]}'\N{RIGHT SINGLE QUOTATION MARK}"
NEW_SENTENCE = regex(r"[a-z][.!?:] +[A-Z]|\n[^\w\n]*[A-Z]")
LEAST_BROKEN, MANY_BROKEN = 4, 0.25
LEAST_CUT = 0.02  # of the replies that are judged
ELLIPSES = ("…", "...")


def cut_and_judged(replies: Iterable[Reply]) -> list[Reply]:
    """The replies that a limit of tokens cut, of those that another session judges: it sees a beginning. What was to
    be read shows by itself that it is cut, and what an experiment cut is meant so.
    """
    meant = (reply for reply in replies if reply.injection is None and reply.forced is None)
    kept = [reply for reply in meant if is_kept(reply.key)]
    cut = [reply for reply in kept if reply.stop_reason == "length" and reply.text]
    return cut if len(cut) > LEAST_CUT * len(kept) else []


def begun_within(replies: Iterable[Reply]) -> list[Reply]:
    """The replies in a form of the model's own that begin within a sentence, though others within them begin with a
    capital letter: of 3,780 recorded ones none does.
    """
    texts = ((reply, (reply.text or "").strip()) for reply in _free_texts(replies))
    begun = [reply for reply, text in texts if (text[0].islower() or text[0] in CLOSING) and NEW_SENTENCE.search(text)]
    return begun if len(begun) >= LEAST_ALIKE else []


def broken_off(replies: Iterable[Reply]) -> list[Reply]:
    """The replies in a form of the model's own that break off, where these are many: of recorded models it is a
    twentieth at most.
    """
    free = [reply for reply in _free_texts(replies) if _came_to_its_end(reply)]
    broken = [reply for reply in free if breaks_off(reply.text or "")]
    return broken if len(broken) >= max(LEAST_BROKEN, MANY_BROKEN * len(free)) else []


def _free_texts(replies: Iterable[Reply]) -> list[Reply]:
    """The texts of some length whose prompt leaves their form to the model."""
    return [reply for reply in replies if is_free(reply.key) and len((reply.text or "").strip()) >= LEAST_FREE]


def with_one_note(replies: Iterable[Reply]) -> list[Reply]:
    """The replies with a note behind a text that breaks off, which others have as well."""
    whole = [reply for reply in replies if _came_to_its_end(reply)]
    with_note = list[Reply]()
    for group in _with_one_end(whole):
        note = _note(_common_end(group))
        broken = [reply for reply in group if note and breaks_off((reply.text or "").rstrip().removesuffix(note))]
        is_frequent = LEAST_SHARE * len(whole) < len(group) < len(whole) / 2
        if is_frequent and not _is_form(group, whole) and len(broken) >= max(LEAST_ALIKE, MOST * len(group)):
            with_note += group
    return with_note


def _is_form(group: Sequence[Reply], whole: Sequence[Reply]) -> bool:
    """Whether all replies in the same sessions end so: then it is how the model answers there."""
    sessions = {(reply.experiment, reply.session) for reply in group}
    return len(group) == sum((reply.experiment, reply.session) in sessions for reply in whole)


def with_one_count(replies: Iterable[Reply]) -> list[Reply]:
    """The replies at the largest count of tokens that any reply has: if their texts break off, or if they are many of
    those in a form of the model's own, whose lengths differ.
    """
    counts = [(tokens, reply) for reply in replies if reply.stop_reason == "stop" and (tokens := tokens_of_text(reply))]
    most = max((tokens for tokens, _ in counts), default=0)
    longest = [reply for tokens, reply in counts if tokens == most]
    if most < LEAST_COUNT or len(counts) < LEAST_REPLIES:
        return []
    broken = [reply for reply in longest if breaks_off(reply.text or "")]
    if len(broken) >= max(LEAST_ALIKE, MOST * len(longest)) and not _is_form(longest, [reply for _, reply in counts]):
        return longest
    lengths = {len(reply.text or "") for reply in _free_texts(longest)}
    is_cut = most >= LEAST_CUT_COUNT and len(lengths) >= LEAST_CUT_ALIKE and len(longest) < len(counts) / 2
    return longest if is_cut else []


def with_one_length(replies: Iterable[Reply]) -> list[Reply]:
    """The replies whose text breaks off, or ends with an ellipsis, at the largest length that any has; or those that
    end with an ellipsis behind as many words or characters, where most that end with one do.
    """
    whole = [reply for reply in replies if _came_to_its_end(reply)]
    for length_of in (len, _number_of_bytes):
        lengths = [length_of(reply.text or "") for reply in whole]
        most = max(lengths, default=0)
        longest = [reply for reply, length in zip(whole, lengths, strict=True) if length == most]
        texts = {reply.text or "" for reply in longest}
        are_cut = sum(breaks_off(text) or _ends_with_ellipsis(text) for text in texts) >= MOST * len(texts)
        least = LEAST_ALIKE if all(most % limit for limit in ROUND) else LEAST_ALIKE - 1
        if most >= LEAST_LENGTH and len(whole) >= LEAST_REPLIES and len(texts) >= least and are_cut:
            return longest
    trailing_off = [reply for reply in whole if _ends_with_ellipsis(reply.text or "")]
    return next(filter(None, (_of_one_length(trailing_off, measure) for measure in (_number_of_words, len))), [])


def _of_one_length(trailing_off: Sequence[Reply], length_of: Callable[[str], int]) -> list[Reply]:
    """The replies that end with an ellipsis at one length, where most that end so have it."""
    by_length: dict[int, list[Reply]] = defaultdict(list)
    for reply in trailing_off:
        by_length[length_of(reply.text or "")].append(reply)
    length = max(by_length, key=lambda length: len(by_length[length]), default=0)
    texts = {reply.text for reply in by_length[length]} if length >= LEAST_COUNT else set()
    is_limit = len(texts) >= LEAST_ALIKE and len(by_length[length]) >= MOST * len(trailing_off)
    return by_length[length] if is_limit else []


def _number_of_words(text: str) -> int:
    return len(text.replace("…", " ").replace("...", " ").split())


def _ends_with_ellipsis(text: str) -> bool:
    return text.rstrip().endswith(ELLIPSES)


def _number_of_bytes(text: str) -> int:
    return len(text.encode(errors="replace"))


def breaks_off(text: str) -> bool:
    """Whether a text ends in the middle of a sentence, as far as its last sign shows."""
    text = text.rstrip()
    last = text[-1:]
    return last.isalnum() or (bool(last) and last in GOING_ON) or MARK.search(text, len(text) - 9) is not None


def _came_to_its_end(reply: Reply) -> bool:
    return len(reply.text or "") > LEAST_SIGNS and reply.stop_reason in (None, "stop")


def _with_one_end(replies: Sequence[Reply]) -> Iterable[list[Reply]]:
    """Groups of replies whose last characters are the same: in order of their texts from behind they stand together."""
    ordered = sorted(((reply.text or "").rstrip()[: -LONGEST_NOTE - 1 : -1], n) for n, reply in enumerate(replies))
    group = list[Reply]()
    before = ""
    for text, n in ordered:
        if text[:LEAST_SIGNS] != before:
            if len(group) >= LEAST_ALIKE:
                yield group
            group, before = [], text[:LEAST_SIGNS]
        group.append(replies[n])
    if len(group) >= LEAST_ALIKE:
        yield group


def _common_end(replies: Sequence[Reply]) -> str:
    """The characters with which all texts end."""
    texts = [(reply.text or "").rstrip()[: -LONGEST_NOTE - 1 : -1] for reply in replies]
    alike = takewhile(lambda signs: len({*signs}) == 1, zip(*texts, strict=False))
    return "".join(signs[0] for signs in alike)[::-1]


def _note(end: str) -> str:
    """What of a common ending can be a note of its own: it begins after a blank, with a capital letter or a sign, and
    is a sentence. What goes on in small letters is the end of a sentence that the texts have in common.
    """
    start = next((n for n, sign in enumerate(end) if sign.isspace()), len(end))
    note = end[start:].lstrip()
    first = next(iter(note.split()), "")
    is_begun = bool(note) and not (
        note[0].islower() or note[0] in ",;:)]}" or len(first) < LEAST_FIRST or first[:2] == "I'"
    )
    words = [word for word in note.split() if word.strip(".,:;!?").isalpha()]
    is_long = len(note.encode(errors="replace")) >= LEAST_BYTES and (len(words) >= LEAST_WORDS or not note.isascii())
    return note if is_begun and len(note) >= LEAST_SIGNS and is_long else ""
