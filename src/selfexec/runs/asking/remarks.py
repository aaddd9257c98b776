"""What the replies of a run say about the server that sent them: one line for each model and thing that is odd.

It is read from the replies themselves, so that what earlier commands brought counts as well.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from selfexec.experiments import Key
from selfexec.facets import OFF, THINKING, is_call, settings_in
from selfexec.runs.reply import Reply
from selfexec.text.numbers import number_of
from selfexec.text.printable import harmless_line

if TYPE_CHECKING:
    from selfexec.runs.server_notices import Notice  # its rules are many, and needed once all is asked

NAMES_SHOWN = 5
MUCH_EMPTY = 0.2  # of the replies of a model


def remarks(
    replies: Iterable[Reply],
    sent: Callable[[Key], Mapping[str, Any]] = lambda key: {},
    notices: "Iterable[Notice]" = (),
) -> Iterator[str]:
    """`sent` has the settings that a session was asked with, `notices` what else is odd about the replies."""
    by_model: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        # what a model has executed may be answered by another one, and says what its own behaviour says: that is meant
        if not reply.failed and not is_call(reply.session):
            by_model[reply.model].append(reply)
    for model, came in by_model.items():
        for look in (
            _several_served,
            _several_upstreams,
            _sent_before,
            _cut,
            _thought_alone,
            _disobeyed,
            _miscounted,
            _empty,
        ):
            if said := look(came):
                yield f"{model}: {said}"
        if said := _untold(came, sent):
            yield f"{model}: {said}"
    for notice in notices:
        came = by_model.get(notice.model, [])
        is_said = notice.about == "prompt_cut" or (notice.about == "served" and _several_served(came) is not None)
        if came and not is_said:
            yield notice.text


def _several_served(came: Sequence[Reply]) -> str | None:
    """That the model behind the name changed."""
    names = Counter(reply.served_model for reply in came if reply.served_model)
    if len(names) < 2:
        return None
    shown = [f"{harmless_line(name)} ({n:,})" for name, n in names.most_common(NAMES_SHOWN)]
    more = [f"{len(names) - len(shown):,} more"] if len(names) > len(shown) else []
    return f"served by {', '.join([*shown, *more])}. These replies are not of one model"


def _several_upstreams(came: Sequence[Reply]) -> str | None:
    """That a gateway had the model's replies from several providers."""
    names = Counter(reply.upstream for reply in came if reply.upstream)
    if len(names) < 2:
        return None
    shown = [f"{harmless_line(name)} ({n:,})" for name, n in names.most_common(NAMES_SHOWN)]
    more = [f"{len(names) - len(shown):,} more"] if len(names) > len(shown) else []
    return (
        f"behind the gateway {', '.join([*shown, *more])} answered. They may run it with other weights, templates and "
        "limits, so that these replies may not be of one model: have one of them asked alone (at OpenRouter "
        """--extra-body '{"provider": {"only": ["NAME"]}}')"""
    )


def _cut(came: Sequence[Reply]) -> str | None:
    """That prompts were cut to what the server has room for."""
    found = [reply for reply in came if reply.prompt_cut]
    if not found:
        return None
    return (
        f"of {len(found):,} of {number_of(len(came), 'prompt', 'prompts')} the server counted fewer tokens than they "
        "have words: it cut them to its context, and the model saw a part only (in Ollama: a greater "
        "OLLAMA_CONTEXT_LENGTH). These replies are to other prompts than were sent; choose another folder with --out"
    )


def _sent_before(came: Sequence[Reply]) -> str | None:
    """That replies came a second time, by the ids of their completions: from a cache, say.

    A server that gives one id to different texts, as some do that draw a small number, names nothing by it.
    """
    texts: dict[str, str | None] = {}
    repeated = 0
    for reply in came:
        if reply.completion_id is None:
            continue
        if reply.completion_id not in texts:
            texts[reply.completion_id] = reply.text
        elif texts[reply.completion_id] == reply.text:
            repeated += 1
        else:
            return None
    if not repeated:
        return None
    return (
        f"{number_of(repeated, 'reply carries', 'replies carry')} the id of an earlier one, with the same text: "
        "something on the way, like a gateway with a cache, sends again what it has sent. Repeated epochs then say "
        "nothing about chance. Turn it off and choose another folder with --out"
    )


def _thought_alone(came: Sequence[Reply]) -> str | None:
    """That replies which ended by themselves hold thoughts and no answer."""
    found = [r for r in came if r.reasoning and not r.text and not r.refusal and r.stop_reason in (None, "stop")]
    if not found:
        return None
    return (
        f"{len(found):,} of {number_of(len(came), 'reply holds', 'replies hold')} thoughts and no answer. The server "
        "may take answers for thoughts (in vLLM: the wrong --reasoning-parser); a request so answered counts as not "
        "answered"
    )


def _disobeyed(came: Sequence[Reply]) -> str | None:
    """That replies carry thoughts of a model that was told not to think."""
    told = [r for r in came if settings_in(r.key.facets, r.experiment, r.key.session_kind).get(THINKING) == OFF]
    found = [r for r in told if r.reasoning or r.reasoning_tokens]
    if not found:
        return None
    return (
        f"{len(found):,} of {number_of(len(told), 'reply', 'replies')} that it was to give without thinking carry "
        "thoughts: server or model pass over that, so that these say nothing of what it does without"
    )


def _miscounted(came: Sequence[Reply]) -> str | None:
    """That more thoughts were counted than output, which is to hold them."""
    counted = [r for r in came if r.reasoning_tokens is not None and r.output_tokens is not None]
    found = [r for r in counted if (r.reasoning_tokens or 0) > (r.output_tokens or 0)]
    if not found:
        return None
    return (
        f"{len(found):,} of {number_of(len(counted), 'reply', 'replies')} have more tokens of thoughts than of output: "
        "the server counts thoughts apart, or wrong. What goes by tokens, as costs and the order of difficulty do, is "
        "then of the answers alone, if of anything"
    )


def _untold(came: Sequence[Reply], sent: Callable[[Key], Mapping[str, Any]]) -> str | None:
    """That log-probabilities did not come though they were asked for."""
    asked = [reply for reply in came if (reply.text or "").strip() and sent(reply.key).get("logprobs")]
    found = [reply for reply in asked if not reply.logprobs]
    if not found:
        return None
    return (
        f"{len(found):,} of {number_of(len(asked), 'reply', 'replies')} came without the log-probabilities that were "
        "asked for: the server passes over that setting, or has none of this model"
    )


def _empty(came: Sequence[Reply]) -> str | None:
    """That much of what came was no text at all, which a model seldom means."""
    silent = [r for r in came if not (r.text or "").strip() and not r.withheld_by and not r.reasoning]
    if not silent or len(silent) < MUCH_EMPTY * len(came):
        return None
    many = f"{len(silent):,} of {number_of(len(came), 'reply', 'replies')}"
    return f"{many} held no text. They are kept as what the model said: look whether the server is at fault"
