"""What is sent beside a prompt, and what may be. A setting that would reach no session, or replace what is asked, is
refused.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.options import WHAT_IS_SENT, Declared, declared, option
from selfexec.text.matching import nearest
from selfexec.text.redaction import bare, digested, holds_text, kept, key_texts, secret_words_in

_PROMPTS = "What is asked are the prompts of the experiments: change them with --prompts."
_SYSTEM = "Give a system prompt with --system."
_ONE = "A session has one reply: ask more often with --epochs."
# fields of a request body that are not free, each with the way out
OURS: Mapping[str, str] = {
    "model": "Name the model with --model.",
    "models": "It would let other models answer: name each with --model.",
    **dict.fromkeys(("messages", "contents", "input", "prompt"), _PROMPTS),
    **dict.fromkeys(("cachedContent", "cached_content", "conversation", "previous_response_id"), _PROMPTS),
    **dict.fromkeys(("system", "instructions", "systemInstruction", "system_instruction"), _SYSTEM),
    "stream": "Have replies sent in pieces with --stream.",
    "background": "Replies are waited for.",
    **dict.fromkeys(("n", "best_of", "candidateCount", "candidate_count"), _ONE),
    "store": "Nothing is left with a provider, since no session may know of another.",
}
EFFORT = "effort"  # how hard a model thinks: each provider has a field of its own, into which the engine puts it
EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")
CONFIGS = ("generationConfig", "generation_config")  # where Gemini keeps its sampling settings
GEMINI_NAMES: Mapping[str, str] = {  # and what it calls them
    **{"temperature": "temperature", "top_p": "topP", "max_tokens": "maxOutputTokens", "seed": "seed"},
    **{"logprobs": "responseLogprobs", "top_logprobs": "logprobs"},
}
# what may be set, as far as documents of the three wire formats and of servers that speak them name it; other names are
# sent too, but for those that look like one of these misspelt
KNOWN: Sequence[str] = (
    # OpenAI chat completions
    EFFORT,
    *("temperature", "top_p", "max_tokens", "max_completion_tokens", "frequency_penalty", "presence_penalty", "seed"),
    *("stop", "logit_bias", "logprobs", "top_logprobs", "reasoning_effort", "verbosity", "response_format", "user"),
    *("metadata", "service_tier", "tools", "tool_choice"),
    # OpenAI responses
    *("max_output_tokens", "text", "truncation", "include", "stream_options"),
    # Anthropic messages
    *("top_k", "stop_sequences", "thinking", "output_config"),
    # Gemini
    *("topP", "topK", "maxOutputTokens", "stopSequences", "presencePenalty", "frequencyPenalty", "thinkingConfig"),
    *("generationConfig", "safetySettings", "responseLogprobs"),
    # gateways and local servers
    *(
        "min_p",
        "top_a",
        "typical_p",
        "min_tokens",
        "max_new_tokens",
        "repetition_penalty",
        "repeat_penalty",
        "length_penalty",
    ),
    *(
        "reasoning",
        "reasoning_format",
        "include_reasoning",
        "enable_thinking",
        "thinking_budget",
        "provider",
        "chat_template_kwargs",
    ),
    *("ignore_eos", "stop_token_ids", "mirostat", "mirostat_tau", "mirostat_eta", "think", "options", "keep_alive"),
)
NEAR = 0.87  # likeness by difflib: seeds for seed has .89, top_k and top_p have .80
DEEPEST = 100  # levels of a value: what is read and written step by step has to end somewhere
RESERVED = {field.casefold(): way_out for field, way_out in OURS.items()}


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """What is sent beside prompts and changes the replies: part of what a run is.

    Settings go by scopes: `temperature` holds for all sessions, `execute.temperature` for one kind of session,
    `difficulty.temperature` for one experiment, `difficulty.execute.temperature` for both; the narrower one wins.
    """

    settings: Mapping[str, Any] = option(
        {},
        "A sampling setting, such as temperature=0 or execute.temperature=1. None is sent by default.",
        flag="--set",
        metavar="NAME=VALUE",
        form="settings",
        section=WHAT_IS_SENT,
    )
    system: str | None = option(None, "A system prompt to send in every session.", metavar="TEXT", section=WHAT_IS_SENT)
    extra_body: Mapping[str, Any] = option(
        {},
        "Further fields for the request body, as a JSON object.",
        metavar="JSON",
        form="object",
        section=WHAT_IS_SENT,
    )

    def of(self, experiment: str, kind: str) -> Mapping[str, Any]:
        """What is sent with each session of a kind, by the field's name; `system` is the system prompt."""
        found = dict(self.extra_body)
        for scope in ("", f"{kind}.", f"{experiment}.", f"{experiment}.{kind}."):
            for name, value in self.settings.items():
                if name.startswith(scope) and "." not in name[len(scope) :]:
                    found[name[len(scope) :]] = value
        return found | {each.body_field: value for each, value in given_fields(self)}


FREE = ("settings", "extra_body")  # options that hold fields of the request body by their names


@cache
def field_options() -> Mapping[str, Declared]:
    """The options of `Sampling` that are one field of the request body each, by name."""
    return {each.name: each for each in declared(Sampling) if each.name not in FREE}


def given_fields(sampling: Sampling) -> list[tuple[Declared, Any]]:
    """The options that are one field of the request body each, with their values, as far as they are given. What is
    empty is not sent, so that a model of a study may be sent none where all others are.
    """
    values = [(each, getattr(sampling, each.name)) for each in field_options().values()]
    return [(each, value) for each, value in values if value != each.default and value not in ("", [], {})]


def kept_field(name: str, value: Any) -> Any:
    """A field of the request body as a run keeps it.

    What stands under the name of a known setting is kept as `kept` has it: a run has to say what was sent. A value
    under another name may be a secret if it is a text or holds one: of that only the digest is kept, from which the
    same value is known again. Numbers, true, false and null stay. The outermost name alone decides.
    """
    return digested(value) if _is_digested(name, value) else kept(name, value)


def secrets_sent(sampling: Mapping[str, Any]) -> Iterator[str]:
    """The texts in a request's settings that neither a reply nor a file of requests may show: what is a key by its name
    or its beginning, and whatever looks like one in a field whose digest alone the manifest keeps.
    """
    for name, value in sampling.items():
        yield from key_texts(name, value)
        if _is_digested(name, value):
            yield from secret_words_in(value)


def _is_digested(name: str, value: Any) -> bool:
    return name not in KNOWN and holds_text(value)


def kept_setting(name: str, value: Any) -> Any:
    """A setting by its name in a manifest, as a run keeps it: `extra_body.NAME` for more fields of the request body.
    An option of `Sampling`, like the system prompt, stays as it is: a run has to say what was sent.
    """
    if name in field_options():
        return value
    field = name.removeprefix("extra_body.")
    return kept(name, value) if field == name else kept_field(field, value)


def check_settings(
    sampling: Sampling, experiments: Collection[str], origins: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Raise InputError where a setting cannot be sent, reaches no session, replaces what is ours, is given in two
    places, has a value that no server takes, or looks misspelt: most servers would ignore it without a word.

    Args:
        sampling: What is to be sent.
        experiments: The names of those that are asked. What else is installed makes no difference.
        origins: The option that brought a setting, by the setting's name, where that is not `--set`.
    """
    settings, extra_body = sampling.settings, sampling.extra_body
    for each, value in given_fields(sampling):
        refuse_unsendable(each.flag, value)
        refuse_value(each.flag, each.body_field, value)
    refuse_sent_twice(sampling)
    for name, value in settings.items():
        refuse_unsendable(f"--set {_plain(name)}", {name: value})
    for name, value in extra_body.items():
        refuse_unsendable(f"--extra-body: the field {_plain(name)!r}", {name: value})
    for name in settings:
        *scope, field = name.split(".")
        _refuse_scope(name, scope, field)
        if way_out := _reserved(field):
            raise InputError(f"--set {name}: the field {field!r} is not free. {way_out}")
        if meant := _misspelt(field):
            raise InputError(f"--set {name}: did you mean {meant}? To send {field!r} anyway, use --extra-body.")
        if field == EFFORT:
            _refuse_no_effort(name, settings[name])
        refuse_value(f"--set {name}", field, settings[name])
    for name in settings:
        if by := _replaced_by(name, settings, experiments):
            _refuse_replaced(name, by, origins)
    given = {name.rpartition(".")[2]: name for name in settings}
    for place, field in _fields(extra_body):
        if place == EFFORT:
            raise InputError(f"--extra-body: {EFFORT!r} is a setting of its own. Write --set {EFFORT}=low.")
        if way_out := _reserved(field):
            raise InputError(f"--extra-body: the field {place!r} is not free. {way_out}")
        refuse_value(f"--extra-body: {place}", field, _value_at(extra_body, place))
        if also := given.get(field):
            origin = origins.get(also, f"--set {also}")
            raise InputError(f"--extra-body: {place!r} is set by {origin} already. Give one of them.")


def refuse_sent_twice(sampling: Sampling) -> None:
    """Raise InputError where a setting is a field that an option of its own sends, or is called as such an option."""
    given = {each.body_field: each.flag for each, _ in given_fields(sampling)}
    called = {each.name: each.flag for each in field_options().values() if each.name != each.body_field}
    places = [(f"--set {name}", name.rpartition(".")[2]) for name in sampling.settings]
    places += [(f"--extra-body: {place!r}", field) for place, field in _fields(sampling.extra_body)]
    for place, field in places:
        if flag := given.get(field):
            raise InputError(f"{place}: the field {field!r} is sent by {flag} already. Give one of them.")
        if flag := called.get(field):
            raise InputError(f"{place}: {field!r} is an option of its own. Give it with {flag}.")


def _refuse_replaced(name: str, by: Sequence[str], origins: Mapping[str, str]) -> None:
    """Raise InputError for a setting that others replace, saying where those come from that nobody typed."""
    message = f"--set {name}: it would never be sent: {', '.join(by)} would be in its place"
    brought = list(dict.fromkeys(origins[replacing] for replacing in by if replacing in origins))
    if not brought:
        raise InputError(f"{message}. Drop it.")
    raise InputError(
        f"{message} ({', '.join(brought)}). Drop one of the two, or change what is sent in an experiment by its name: "
        f"--set {next(replacing for replacing in by if replacing in origins)}=..."
    )


def _refuse_no_effort(name: str, value: Any) -> None:
    """Raise InputError for a level that nobody has. Not to think at all is a control of its own."""
    if value in ("none", "off", 0, False, None):
        raise InputError(
            f"--set {name}={value}: not to think at all is asked by --thinking off and --behaviour-thinking off."
        )
    if value not in EFFORTS:
        raise InputError(f"--set {name}={value}: there are {', '.join(EFFORTS)}; not every provider has all of them.")


@dataclass(frozen=True)
class Values:
    """What a setting may be: its types, and from where to where, as far as that is so with every server."""

    called: str
    kinds: tuple[type, ...]
    least: float | None = None
    most: float | None = None

    def refuse(self, value: Any) -> str | None:
        """What is wrong with a value; None where nothing is."""
        if not isinstance(value, self.kinds) or (isinstance(value, bool) and bool not in self.kinds):
            return f"it is {self.called}"
        if isinstance(value, int | float) and not isinstance(value, bool):
            too_little = self.least is not None and value < self.least
            too_much = self.most is not None and value > self.most
            return f"it is {self.called}" if too_little or too_much else None
        return None


_COUNT = Values("a whole number from 1 on", (int,), 1)
_SHARE = Values("a number from 0 to 1", (int, float), 0, 1)
_SWITCH = Values("true or false", (bool,))
_WHOLE = Values("a whole number", (int,))
_NUMBER = Values("a number", (int, float))
_FACTOR = Values("a number above 0", (int, float), math.ulp(0.0))
_TEXT = Values("text", (str,))
_TEXTS = Values("text, or a list of texts", (str, list))
_OBJECT = Values("a JSON object", (dict,))
_TOP_K = Values("a whole number from -1 on", (int,), -1)  # of some servers -1 stands for all
# setting -> what it may be. Limits are those of its meaning; what a provider allows within them, it says itself
VALUES: Mapping[str, Values] = {
    "temperature": Values("a number from 0 to 100", (int, float), 0, 100),
    **dict.fromkeys(("top_p", "topP", "min_p", "top_a", "typical_p"), _SHARE),
    **dict.fromkeys(("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"), _COUNT),
    "max_new_tokens": _COUNT,
    "min_tokens": Values("a whole number from 0 on", (int,), 0),
    "thinking_budget": Values("a whole number from -1 on", (int,), -1),
    **dict.fromkeys(("frequency_penalty", "presence_penalty", "frequencyPenalty", "presencePenalty"), _NUMBER),
    **dict.fromkeys(("repetition_penalty", "repeat_penalty"), _FACTOR),
    "length_penalty": _NUMBER,
    **dict.fromkeys(("top_k", "topK"), _TOP_K),
    "seed": _WHOLE,
    "top_logprobs": Values("a whole number from 0 on", (int,), 0),
    "logprobs": Values("true, false, or a whole number from 0 on", (bool, int), 0),
    **dict.fromkeys(("ignore_eos", "enable_thinking", "include_reasoning", "responseLogprobs"), _SWITCH),
    **dict.fromkeys(("stop", "stop_sequences", "stopSequences"), _TEXTS),
    "stop_token_ids": Values("a list of whole numbers", (list,)),
    **dict.fromkeys(("logit_bias", "chat_template_kwargs", "response_format", "stream_options"), _OBJECT),
    **dict.fromkeys(("reasoning_effort", "verbosity", "service_tier", "user"), _TEXT),
    "mirostat": Values("0, 1 or 2", (int,), 0, 2),
    **dict.fromkeys(("mirostat_tau", "mirostat_eta"), Values("a number from 0 on", (int, float), 0)),
}


def refuse_value(what: str, field: str, value: Any) -> None:
    """Raise InputError for a value that a setting cannot have anywhere. What is not known by name may be anything, and
    null stands for nothing.

    Args:
        what: How the setting was given, as a message names it.
        field: The setting's own name.
        value: What it is to be.
    """
    known = VALUES.get(field)
    if known is None or value is None:
        return
    if wrong := known.refuse(value):
        shown = bare(field, value)  # somebody may have written a key there
        raise InputError(f"{what}: {shown!r} cannot be its value: {wrong}.")


def _value_at(extra_body: Mapping[str, Any], place: str) -> Any:
    """What stands at a place of a body, as `_fields` names it."""
    if place in extra_body:
        return extra_body[place]
    outer, _, inner = place.partition(".")
    return extra_body[outer][inner]


def merged(sent: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with others over them; what is an object in both is merged."""
    both = {name for name in sent.keys() & more.keys() if isinstance(sent[name], dict) and isinstance(more[name], dict)}
    return {**sent, **more, **{name: merged(sent[name], more[name]) for name in both}}


def _reserved(field: str) -> str | None:
    """The way out where a field is ours, however it is spelt: some servers do not mind blanks and capitals."""
    return RESERVED.get(field.strip().casefold())


def _misspelt(field: str) -> str | None:
    """The known setting that is meant where a name is none, but nearly one, or one but for capitals and hyphens."""
    if field in KNOWN:
        return None
    if alike := [known for known in KNOWN if _letters(known) == _letters(field)]:
        return alike[0]
    return nearest(field, KNOWN, NEAR)


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def refuse_unsendable(what: str, value: Any) -> None:
    """Refuse numbers that JSON does not have (they go out as null), text that UTF-8 cannot hold, endless nesting."""
    left = [(value, 0)]
    while left:
        part, depth = left.pop()
        if depth > DEEPEST:
            raise InputError(f"{what}: nested more than {DEEPEST} levels deep. Make it flatter.")
        if isinstance(part, Mapping):
            left += [(inner, depth + 1) for inner in (*part, *part.values())]
        elif isinstance(part, list | tuple):
            left += [(inner, depth + 1) for inner in part]
        elif isinstance(part, float) and not math.isfinite(part):
            raise InputError(f"{what}: {part} is no number that JSON has. Give a finite one.")
        elif isinstance(part, str) and _plain(part) != part:
            raise InputError(f"{what}: not text that can be sent: half a surrogate pair is in it. Write it in UTF-8.")


def _plain(text: str) -> str:
    """Text without what UTF-8 cannot hold."""
    return text.encode(errors="replace").decode()


def _fields(extra_body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each field of a body: where it stands, and what it is called in a setting."""
    for name, value in extra_body.items():
        yield name, name
        if name in CONFIGS and isinstance(value, Mapping):
            names = {sent: name for name, sent in GEMINI_NAMES.items()}
            yield from ((f"{name}.{inner}", names.get(inner, inner)) for inner in map(str, value))


def _kinds() -> list[str]:
    """Kinds of sessions: predict, execute and so on."""
    return list(dict.fromkeys(kind for module in EXPERIMENTS.values() for kind in module.prompts))


def _refuse_scope(name: str, scope: list[str], field: str) -> None:
    scopes = [*_kinds(), *EXPERIMENTS]
    if not field or "" in scope:
        raise InputError(f"--set {name}: a part of the name is empty. Write it like execute.temperature.")
    if len(scope) > 2:
        raise InputError(f"--set {name}: too many parts. Write it like restriction.execute.temperature.")
    if not scope:
        return
    experiment, *kind = scope
    if experiment not in scopes:
        near = nearest(experiment, scopes)
        meant = f" Did you mean {near!r}?" if near else ""
        raise InputError(
            f"--set {name}: there is no session or experiment {experiment!r}. There are {', '.join(scopes)}.{meant}"
        )
    if kind and experiment not in EXPERIMENTS:
        raise InputError(f"--set {name}: the experiment comes first, as in restriction.{experiment}.{field}.")
    if kind and kind[0] not in (known := EXPERIMENTS[experiment].prompts):
        near = nearest(kind[0], known)
        meant = f" Did you mean {near!r}?" if near else ""
        raise InputError(f"--set {name}: {experiment} has no session {kind[0]!r}. There are {', '.join(known)}.{meant}")


def _replaced_by(name: str, settings: Mapping[str, Any], experiments: Collection[str]) -> list[str]:
    """The narrower settings that take a setting's place in every session of these experiments; none where it is sent in
    some session.
    """
    field = name.rpartition(".")[2]
    found: list[str] = []
    for experiment in experiments:
        for kind in EXPERIMENTS[experiment].prompts:
            scopes = ("", f"{kind}.", f"{experiment}.", f"{experiment}.{kind}.")  # the narrowest is last
            given = [f"{scope}{field}" for scope in scopes if f"{scope}{field}" in settings]
            if given and given[-1] == name:
                return []
            if name in given:
                found.append(given[-1])
    return list(dict.fromkeys(found))
