"""Long texts that stand in replies to several prompts of one model: a cache gave them, or answers were exchanged.

    the same text         several prompts got one text: one text three prompts, or two texts two prompts each
    two texts in one      a text begins or ends with the whole reply to another prompt
    the end of another    a text begins with the end of the reply to another prompt, as where a buffer was not emptied

Only long texts count, and lists, which do not refuse: a model refuses many things in one sentence. Where a prompt asks
for a letter, as a judge's does, or for an order of a few, its answers may be the same as well. Both count, and one text
for two prompts is enough, where the server counted as many tokens of prompts that differ in length: the counts were
copied with the text. Of 33,000 recorded replies of ten models none is named.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from selfexec.experiments import EXPERIMENTS, session_kind
from selfexec.readers import refuses
from selfexec.runs.exchanged_replies import asked_keys
from selfexec.runs.reply import Reply, prompts_of

LEAST_BYTES, LEAST_LISTED = 80, 40  # of a list that was asked for
LEAST_PROMPTS, LEAST_TEXTS = 3, 2
UNEQUAL = 1.12  # times the length of a request
CLOSING = ".,;:!?)]}\"'"
LEAST_END, LONGEST_END = 24, 400  # characters of an end that another text begins with


def copied_texts(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of a model with a long text that came to other prompts, too."""
    came = [reply for reply in replies if len((reply.text or "").encode(errors="replace")) >= _least(reply)]
    groups = [those for those in _by_text(came, LEAST_LISTED).values() if len(prompts_of(those)) > 1]
    certain = [those for those in groups if _are_counted_alike(those)]
    likely = [those for those in groups if not (_have_few_answers(those) or refuses(those[0].text or ""))]
    is_enough = len(likely) >= LEAST_TEXTS or any(len(prompts_of(those)) >= LEAST_PROMPTS for those in likely)
    counted = certain + [those for those in likely if those not in certain] if certain or is_enough else []
    return [reply for those in counted for reply in those]


def joined_texts(replies: Iterable[Reply]) -> list[Reply]:
    """The replies whose text begins or ends with the whole reply to another prompt, or begins with the end of one."""
    by_text = _by_text(replies)
    begun = (longer for longer, shorter in _beginnings(by_text) if _is_joined(by_text, shorter, longer[len(shorter) :]))
    backwards = _beginnings(text[::-1] for text in by_text)
    ended = (
        longer[::-1]
        for longer, shorter in backwards
        if _is_joined(by_text, shorter[::-1], longer[len(shorter) :][::-1], is_first=False)
    )
    texts = dict.fromkeys((*begun, *ended, *_begun_with_an_end(by_text)))
    joined = [reply for text in texts for reply in by_text[text]]
    return joined if len(joined) > 1 else []


def _beginnings(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each text that begins with another one, and the longest that it begins with. In their order it stands behind."""
    beginnings = list[str]()
    for text in sorted(texts):
        while beginnings and not text.startswith(beginnings[-1]):
            beginnings.pop()
        if beginnings:
            yield text, beginnings[-1]
        beginnings.append(text)


def _is_joined(by_text: Mapping[str, list[Reply]], whole: str, rest: str, *, is_first: bool = True) -> bool:
    """Whether a whole reply and the rest of a text before or behind it were two. Of answers in few words both must end
    with an object: a model may well begin or close all of them alike.
    """
    text = whole + rest if is_first else rest + whole
    both_end = all(part.rstrip("`\n ").endswith("}") for part in (whole, rest))
    return _are_of_others(by_text[text], by_text[whole]) and (both_end or not _have_few_answers(by_text[text]))


def _begun_with_an_end(by_text: Mapping[str, list[Reply]]) -> Iterator[str]:
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
            if any(_are_of_others(by_text[text], by_text[other]) for other in before):
                yield text


def _least(reply: Reply) -> int:
    """The bytes of a text that hardly comes twice by itself. A prediction has few answers where options are few."""
    kind, known = session_kind(reply.session), EXPERIMENTS.get(reply.experiment)
    is_list = known is not None and kind not in known.predictions and asked_keys(reply.experiment, kind)
    return LEAST_LISTED if is_list else LEAST_BYTES


def _by_text(replies: Iterable[Reply], least: int = LEAST_BYTES) -> Mapping[str, list[Reply]]:
    by_text: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        text = (reply.text or "").strip()
        if len(text.encode(errors="replace")) >= least:
            by_text[text].append(reply)
    return by_text


def _are_of_others(longer: list[Reply], shorter: list[Reply]) -> bool:
    """Whether texts came to other prompts, and the shorter one is no refusal in set words."""
    return not prompts_of(longer) & prompts_of(shorter) and not refuses(shorter[0].text or "")


def _are_counted_alike(replies: list[Reply]) -> bool:
    """Whether two replies have one count of prompt tokens, though the requests differ in length."""
    lengths: dict[int, list[int]] = defaultdict(list)
    for reply in replies:
        if reply.input_tokens and reply.prompt_bytes:
            lengths[reply.input_tokens].append(reply.prompt_bytes)
    return any(max(those) > UNEQUAL * min(those) for those in lengths.values())


def _have_few_answers(replies: Iterable[Reply]) -> bool:
    """Whether all of these replies answer prompts that ask for a letter or an order, of which there are few."""
    letters = {(name, kind) for name, known in EXPERIMENTS.items() for kind in (*known.options, known.answers)}
    orders = {
        (name, kind) for name, known in EXPERIMENTS.items() if known.claim_kind == "order" for kind in known.predictions
    }
    return {(reply.experiment, reply.key.session_kind) for reply in replies} <= letters | orders
