"""Long texts that stand in replies to several prompts of one model: a cache gave them, or answers were exchanged.

    the same text         several prompts got one text: one text three prompts, or two texts two prompts each
    two texts in one      a text begins or ends with the whole reply to another prompt
    the end of another    a text begins with the end of the reply to another prompt, as where a buffer was not emptied

Only long texts count, which do not refuse: a model refuses many things in one sentence. Where a prompt asks for a
letter, as a judge's does, or for an order of a few, its answers may be the same as well. Both count, and one text for
two prompts is enough, where the server counted as many tokens of prompts that differ in length: the counts were copied
with the text. Of 33,000 recorded replies of ten models none is named.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from selfexec.experiments import EXPERIMENTS
from selfexec.readers import refuses
from selfexec.runs.reply import Reply

LEAST_BYTES = 80
LEAST_PROMPTS, LEAST_TEXTS = 3, 2
UNEQUAL = 1.12  # times the length of a request
CLOSING = ".,;:!?)]}\"'"
LEAST_END, LONGEST_END = 24, 400  # characters of an end that another text begins with


def copied_texts(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of a model with a long text that came to other prompts, too."""
    groups = [those for those in _by_text(replies).values() if len(_prompts(those)) > 1]
    certain = [those for those in groups if _are_counted_alike(those)]
    likely = [those for those in groups if not (_have_few_answers(those) or refuses(those[0].text or ""))]
    is_enough = len(likely) >= LEAST_TEXTS or any(len(_prompts(those)) >= LEAST_PROMPTS for those in likely)
    counted = certain + [those for those in likely if those not in certain] if certain or is_enough else []
    return [reply for those in counted for reply in those]


def joined_texts(replies: Iterable[Reply]) -> list[Reply]:
    """The replies whose text begins or ends with the whole reply to another prompt, or begins with the end of one."""
    by_text = _by_text(replies)
    backwards = {text[::-1]: those for text, those in by_text.items()}
    found = (*_begun_with_another(by_text), *_begun_with_another(backwards), *_begun_with_an_end(by_text))
    joined = [*{reply.key: reply for reply in found}.values()]
    return joined if len(joined) > 1 else []


def _begun_with_another(by_text: Mapping[str, list[Reply]]) -> Iterator[Reply]:
    """In the order of texts what begins with one stands behind it."""
    beginnings = list[str]()
    for text in sorted(by_text):
        while beginnings and not text.startswith(beginnings[-1]):
            beginnings.pop()
        if beginnings and _is_begun_by(by_text[text], by_text[beginnings[-1]]):
            yield from by_text[text]
        beginnings.append(text)


def _begun_with_an_end(by_text: Mapping[str, list[Reply]]) -> Iterator[Reply]:
    """What begins in the middle of a sentence, as hardly any text does, may begin with the end of another one."""
    by_end: dict[str, list[str]] = defaultdict(list)
    for text in by_text:
        by_end[text[-LEAST_END:]].append(text)
    for text in by_text:
        if text[0].islower() or text[0] in CLOSING:
            ends = range(LEAST_END, min(LONGEST_END, len(text) - 1) + 1)
            before = (
                other
                for end in ends
                for other in by_end.get(text[end - LEAST_END : end], ())
                if other.endswith(text[:end])
            )
            if any(_is_begun_by(by_text[text], by_text[other]) for other in before):
                yield from by_text[text]


def _by_text(replies: Iterable[Reply]) -> Mapping[str, list[Reply]]:
    by_text: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        text = (reply.text or "").strip()
        if len(text.encode(errors="replace")) >= LEAST_BYTES:
            by_text[text].append(reply)
    return by_text


def _is_begun_by(longer: list[Reply], shorter: list[Reply]) -> bool:
    """Whether a text can only begin with another one, or its end, by accident of a server."""
    are_others = not _prompts(longer) & _prompts(shorter)
    return are_others and not _have_few_answers([*longer, *shorter]) and not refuses(shorter[0].text or "")


def _are_counted_alike(replies: list[Reply]) -> bool:
    """Whether two replies have one count of prompt tokens, though the requests differ in length."""
    lengths: dict[int, list[int]] = defaultdict(list)
    for reply in replies:
        if reply.input_tokens and reply.prompt_bytes:
            lengths[reply.input_tokens].append(reply.prompt_bytes)
    return any(max(those) > UNEQUAL * min(those) for those in lengths.values())


def _prompts(replies: Iterable[Reply]) -> set[tuple[str, ...]]:
    """The prompts that replies answer, as far as they are known."""
    return {(reply.prompt_sha256,) if reply.prompt_sha256 else (reply.experiment, reply.item) for reply in replies}


def _have_few_answers(replies: Iterable[Reply]) -> bool:
    """Whether all of these replies answer prompts that ask for a letter or an order, of which there are few."""
    letters = {(name, kind) for name, known in EXPERIMENTS.items() for kind in (*known.options, known.answers)}
    orders = {
        (name, kind) for name, known in EXPERIMENTS.items() if known.claim_kind == "order" for kind in known.predictions
    }
    return {(reply.experiment, reply.key.session_kind) for reply in replies} <= letters | orders
