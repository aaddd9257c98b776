"""What a server's error says: is it about this input, about the account, about the request's form, or will it pass?

    policy     a content policy stands against this very input: the model's provider withheld the reply
    account    key, account, region, bill, firewall, address: no call succeeds until somebody acts
    request    this request is not accepted
    passing    too many calls, or a server that is down

Only `policy` is behaviour. It is recognised by status, error code and error type in their own fields; where a provider
gives a sentence only, by that whole published sentence, in the message's own field. Whatever else the error says must
be neutral: a code, a type or a status word that stands beside it in published errors, a field of the request that holds
the prompt, a message that speaks of the input alone. One that says anything else is about an account, a permission or
the form of the request, whatever code it has. Where each shape was seen stands in docs/models.md.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from selfexec.engines.http.ends import end_of
from selfexec.engines.http.errors import (
    LITELLM,
    READ,
    WORDS,
    Error,
    error_beside,
    errors_in,
    list_of,
    mapping_of,
    says_something,
)
from selfexec.engines.http.leaves import Leaf, TooMuch, is_label, leaves_of, names_other_trouble
from selfexec.engines.http.policy_sentences import is_handed_on, says_nothing_else, sentences_of
from selfexec.engines.http.providers import PROVIDERS, Endpoint
from selfexec.text.regex import regex

LONGEST = 300  # characters kept of what a server says
POLICY_STATUSES = (400, 403, 422)
# 421, 423, 424, 425, 449 and 460 say that a server behind the one that was asked was not ready or not there; 498 is
# Groq's "try again", 499 a gateway that gave up
PASSING = frozenset((408, 409, 421, 423, 424, 425, 429, 449, 460, 498, 499))
BUSY = frozenset((429, 503, 529))  # after these the pace is slowed


class Verdict(NamedTuple):
    """What an error is. `said` is the server's sentence, where it is a policy, and what blocked the request, where
    somebody set that up at a gateway; `cause` names the failure, where it may pass.
    """

    kind: Literal["policy", "account", "request", "passing"]
    said: str = ""
    cause: str = ""


class Shape(NamedTuple):
    """How somebody says that a policy stands against this input. Whatever is given here must hold, and whatever else an
    error says must be `neutral`; but beside the whole sentence the type may be left out, as gateways do.
    """

    whose: str
    codes: frozenset[str]
    types: frozenset[str]
    names: frozenset[str]
    says: re.Pattern[str] | None
    statuses: tuple[int, ...]
    neutral: frozenset[str]

    def fits(self, status: int, error: Error) -> bool:
        return (
            # what status another server gave is not handed on
            (error.nested or status in self.statuses)
            and (not self.codes or not self.codes.isdisjoint(error.codes))
            and (not self.types or error.type in self.types or bool(self.says and not error.type))
            and self.names <= error.names
            and (self.says is None or any(self.says.fullmatch(one) for one in _all_sentences(error)))
            and self.allows(error)
        )

    def allows(self, error: Error, *, wraps: bool = False) -> bool:
        """Whether an error says nothing that is not neutral beside this shape.

        Args:
            error: The error.
            wraps: Whether another server's error stands in its message, which is looked at by itself.
        """
        texts = dict.fromkeys((*error.messages, *error.sentences))  # a code with blanks in it, as xAI sends it
        words = [*(code for code in error.codes if " " not in code), error.type, *error.beside]
        return (
            all(self._is_neutral(word) for word in words)
            and (not says_something(error.param) or PROMPT.fullmatch(error.param) is not None)
            and all(
                self._is_neutral(text) or (wraps and is_handed_on(text)) or says_nothing_else(text, PUBLISHED)
                for text in texts
            )
        )

    def allows_beside(self, leaf: Leaf) -> bool:
        """Whether a word anywhere in a body says nothing beside this shape."""
        text = leaf.value.strip()
        wrapped = LITELLM.match(text)
        if wrapped and names_other_trouble(wrapped[0]):
            return False
        rest = text[wrapped.end() :] if wrapped else text
        if names_other_trouble(rest) and leaf.name in OF_ITS_OWN and self._is_neutral(rest):
            return True  # xAI says so of its policies, in these fields
        is_neutral = self._is_neutral(rest) and not names_other_trouble(rest)
        return is_neutral or is_label(Leaf(leaf.name, rest)) or says_nothing_else(rest, PUBLISHED)

    def _is_neutral(self, word: str) -> bool:
        """Whether a code, a type or a word in another field says nothing beside this shape."""
        return not says_something(word) or _letters(word) in self.neutral


OF_ITS_OWN = ("code", "error")  # fields in which a word of a shape says only what its provider means by it


def _all_sentences(error: Error) -> list[str]:
    return [sentence for text in (*error.sentences, *error.messages) for sentence in sentences_of(text)]


def _letters(word: str) -> str:
    """A code or a type by its letters and digits alone: `bad_request` and `BadRequest` are one."""
    return "".join(filter(str.isalnum, word)).lower()


# the fields of a request that hold the prompt
PROMPT = regex(r"(prompt|messages?|input|contents?)([.\[][\w.\[\]]*)?|4(00|03|22)")  # or the status, as New API's
# codes, types and status words that say beside a policy only that it is an error, or the same once more
NEUTRAL = (
    *("200", "400", "403", "422", "error", "bad_request", "bad_request_error", "invalid_request"),
    *("invalid_request_error", "INVALID_ARGUMENT", "unprocessable_entity", "unprocessable_entity_error"),
    *("content_filter", "content_policy_violation", "ContentPolicyViolationError", "moderation_blocked", "refusal"),
    *("ResponsibleAIPolicyViolation", "image_generation_user_error", "user_error"),
    *("upstream_error", "openai_error", "one_api_error", "new_api_error", "bad_response_status_code"),
)


NEUTRAL_OF_HEADERS = frozenset(
    "".join(filter(str.isalnum, word)).lower() for word in (*NEUTRAL, "model_error", "ValidationException")
)


def is_word_of_a_policy(word: str) -> bool:
    """Whether a word in a header of a policy error says no more than that it is one, as those of Azure and Bedrock."""
    code = word.partition(":")[0]
    return _letters(code) in NEUTRAL_OF_HEADERS or end_of(code).kind == "withheld"


def _shape(
    whose: str,
    *,
    codes: str = "",
    types: str = "",
    names: str = "",
    says: str = "",
    statuses: tuple[int, ...] = (400,),
    neutral: Sequence[str] = (),
) -> Shape:
    """Codes, types and names are given with blanks between them. `says` is a sentence without its full stop."""
    sentence = re.compile(says) if says else None
    beside = frozenset(map(_letters, (*NEUTRAL, *codes.split(), *types.split(), *neutral)))
    return Shape(
        whose, frozenset(codes.split()), frozenset(types.split()), frozenset(names.split()), sentence, statuses, beside
    )


ANYONE = "the OpenAI format"
SHAPES = (
    _shape(ANYONE, codes="content_filter content_policy_violation moderation_blocked", statuses=POLICY_STATUSES),
    _shape(ANYONE, types="content_filter content_policy_violation", statuses=POLICY_STATUSES),
    # this code is that of malformed prompts too
    _shape(
        "openai",
        codes="invalid_prompt",
        says=r"Invalid prompt: (your prompt was flagged as potentially violating our usage policy|"
        r"we['’]ve limited access to this content for safety reasons)",
    ),
    _shape("openai", says=r"Your request was rejected as a result of our safety system"),
    _shape("azure", codes="ResponsibleAIPolicyViolation"),
    _shape(
        "azure",
        says=r"The response was filtered due to the prompt triggering (Azure OpenAI|Microsoft)['’]s content management "
        r"policy",
    ),
    _shape("anthropic", types="invalid_request_error", says=r"Output blocked by content filtering policy"),
    _shape(
        "xai",
        says=r"Content violates usage guidelines",
        statuses=(400, 403),
        neutral=(
            *("permission-denied", "The caller does not have permission to execute the specified operation"),
            *("Client specified an invalid argument", "Forbidden"),
        ),
    ),
    _shape("bedrock", says=r"The model returned the following errors: Output blocked by content filtering policy"),
    _shape("bedrock", says=r"This request has been blocked by our content filters"),
    _shape("bedrock", says=r"Violated guardrail policy"),
    _shape(
        "google",
        says=r"This prompt contains (sensitive )?words that violate (Google|Vertex AI|Gemini API)['’]s "
        r"(Responsible AI practices|usage guidelines)",
    ),
    _shape("alibaba", codes="data_inspection_failed DataInspectionFailed"),
    _shape(
        "alibaba",
        says=r"(<400> )?InternalError\.Algo\.DataInspectionFailed: (Input|Output) (text |image )?data may contain "
        r"inappropriate content",
    ),
    _shape("deepseek", says=r"Content Exists Risk"),
    _shape("zhipu", codes="1301"),
    _shape("minimax", says=r"(input|output) new_sensitive \(102[67]\)", statuses=(400, 422)),
    _shape("minimax", codes="1026 1027", says=r"(input|output) new_sensitive(, please check| \(102[67]\))?"),
    _shape(
        "volcengine",
        codes="SensitiveContentDetected SensitiveContentDetected.SevereViolation SensitiveContentDetected.Violence "
        "InputTextSensitiveContentDetected OutputTextSensitiveContentDetected InputTextRiskDetection "
        "OutputTextRiskDetection",
    ),
    _shape("openrouter", names="reasons flagged_input", statuses=(403,)),
    _shape("openrouter", codes="refusal", statuses=(400, 403)),
    _shape(
        "litellm", says=r"litellm\.(\w+: litellm\.)*ContentPolicyViolationError: .*"
    ),  # and what follows says nothing else
    _shape("new-api", codes="sensitive_words_detected"),
)
# all sentences that say so, which may also stand beside a code
PUBLISHED = regex("|".join(f"(?:{shape.says.pattern})" for shape in SHAPES if shape.says and shape.whose != "litellm"))
# what each of them has in it
OF_A_POLICY = ("polic", "filter", "flagged", "iolat", "safety", "guardrail", "sensitive", "inappropriate", "Risk")
# At their addresses their own shapes count. Anybody else (a host of many models, a gateway, a server behind --base-url)
# may hand on those of all.
AT_HOME = ("openai", "anthropic", "google", "mistral", "deepseek", "groq", "xai")

# errors with other statuses than 401 to 404 that are about the account all the same
ACCOUNT_CODES = frozenset(
    (
        *("invalid_api_key", "API_KEY_INVALID", "account_deactivated", "access_terminated", "Arrearage"),
        *("billing_not_active", "billing_hard_limit_reached", "unsupported_country_region_territory"),
        "FAILED_PRECONDITION",  # Google: this region, or no billing
    )
)
# xAI puts the team and the key's id into the sentence
IDENTIFIERS = regex(r" (?:Team|API key ID): [^,]{1,80},")


# how the codes and types begin, of their letters alone, by which servers say that calls come too fast
TOO_FAST = ("throttl", "ratelimit", "toomanyrequests", "requestlimitexceeded", "resourceexhausted", "slowdown")
GUARDRAIL = "a guardrail that was set up at the gateway blocked it"
CLOUDFLARE = ("2016", "2017")  # its codes for prompts and for responses that a guardrail blocked


def verdict(where: Endpoint, status: int, body: Any, whole: Any = None) -> Verdict:
    """What an error with this status is. `body` is what was decoded of it, whatever that may be, and `whole` the reply
    within which it came.
    """
    errors = list(errors_in(body))
    whole = body if whole is None else whole
    if status < 500 and status != 429 and _is_guardrail(status, errors):
        said = _policy(where, status, errors, whole)
        return Verdict("request", GUARDRAIL) if said is None else Verdict("policy", said)
    if status in PASSING or status >= 500:
        return Verdict("passing", cause=_cause(status))
    if any(not ACCOUNT_CODES.isdisjoint((*error.codes, error.type)) for error in errors):
        return Verdict("account")
    if (said := _policy(where, status, errors, whole)) is not None:
        return Verdict("policy", said)
    if any(map(_is_too_fast, errors)):
        return Verdict("passing", cause="rate limit")
    return Verdict("account" if status in (401, 402, 403, 404, 407, 451) else "request")


def _cause(status: int) -> str:
    """What kind of failure a status stands for that may pass."""
    return "rate limit" if status == 429 else "server error" if status >= 500 else f"status {status}"


def _is_too_fast(error: Error) -> bool:
    """Whether a code or type says that calls come too fast, as those of AWS and Alibaba with status 400."""
    return any(re.sub("[^a-z]", "", word.lower()).startswith(TOO_FAST) for word in (*error.codes, error.type))


def _is_guardrail(status: int, errors: list[Error]) -> bool:
    """Whether somebody's own guardrail at a gateway blocked it: by Portkey's status, Cloudflare's code, or the name of
    a field or code, as at Databricks.
    """
    names = (name for error in errors for name in (*error.fields, *error.codes, error.type))
    return (
        status == 446
        or any(not error.codes.isdisjoint(CLOUDFLARE) for error in errors)
        or any("guardrail" in name.lower() for name in names)
    )


def is_rate_limit(where: Endpoint, body: Any) -> bool:
    """Whether the error in a reply with status 200 says that calls come too fast."""
    error = error_in_reply(body)
    if error is None:
        return False
    return status_in_reply(body) in BUSY or any(map(_is_too_fast, errors_in({"error": error})))


def policy_in_reply(where: Endpoint, body: Any) -> str | None:
    """What a server says of a content policy that stands against this input, in a reply with status 200 that holds an
    error instead of a completion; None where it says none.
    """
    given = error_in_reply(body)
    if given is None:
        return None
    status = status_in_reply(body)
    whole = {name: value for name, value in body.items() if not (name in REPEATED and body.get("object") == "response")}
    found = verdict(where, max(status, 400), {"error": given}, whole=whole)
    return found.said if found.kind == "policy" else None


def policy_in_text(text: str) -> str | None:
    """The same of a text that a server sends in the place of a reply: it is one of the sentences that providers publish
    for a policy, alone or with what they write beside it, as the message of an error would be. None for all others.
    """
    if len(text) > LONGEST or not any(part in text for part in OF_A_POLICY):
        return None
    if not says_nothing_else(text.strip(), PUBLISHED):
        return None
    return shortened(text) if any(map(PUBLISHED.fullmatch, sentences_of(text.strip()))) else None


# the settings of a request that a response of the Responses format repeats, whatever became of it
REPEATED = frozenset(
    (
        *("background", "instructions", "max_output_tokens", "max_tool_calls", "parallel_tool_calls", "prompt"),
        *("prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store"),
        *("temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user"),
    )
)
# the statuses that some of MiniMax's codes would have had elsewhere
MINIMAX = {"1002": 429, "1004": 401, "1008": 402, "2049": 401}


def status_in_reply(body: Any) -> int:
    """The status that an error in a reply with status 200 would have had, as OpenRouter and Zhipu give it in the place
    of its code; 200 where nobody says.
    """
    code = str(mapping_of(error_in_reply(body)).get("code"))
    if mapping_of(mapping_of(body).get("base_resp")).get("status_code"):
        return MINIMAX.get(code, 200)
    return int(code) if re.fullmatch("[45][0-9][0-9]", code) else 200


def error_in_reply(body: Any) -> Any:
    """The error in a reply with status 200: that of its choice, of its message, or of the whole; None where there is
    none. A body without any part of a reply is an error by itself where it says something.
    """
    if not isinstance(body, Mapping):
        return None
    choices = [*list_of(body.get("choices")), *list_of(body.get("candidates"))]
    messages = [one.get(name) for one in choices if isinstance(one, dict) for name in ("message", "delta", "content")]
    native = mapping_of(body.get("base_resp"))  # MiniMax
    if native.get("status_code") and not error_beside(*choices):
        return {"code": str(native["status_code"]), "message": native.get("status_msg")}
    if (error := error_beside(*choices, *messages, body)) is not None:
        return error
    if any(body.get(name) for name in ("choices", "content", "candidates", "output")):
        return None
    said = next((body[name] for name in WORDS if body.get(name) and isinstance(body[name], str)), None)
    return {"message": said, "code": body.get("code"), "type": body.get("type")} if said else None


def _policy(where: Endpoint, status: int, errors: list[Error], body: Any) -> str | None:
    """The sentence in which a policy against this input is given as the reason; None if none is, or if the body says
    something else as well.
    """
    if status not in POLICY_STATUSES:
        return None
    home = next((name for name in AT_HOME if where.at(urlsplit(PROVIDERS[name].base_url).hostname or "")), None)
    shapes = [shape for shape in SHAPES if shape.whose in (ANYONE, home)] if home else SHAPES
    for error in errors:
        for shape in shapes:
            others = [other for other in errors if other is not error]
            if (
                shape.fits(status, error)
                and all(shape.allows(other, wraps=True) for other in others)
                and _says_nothing_beside(shape, body)
            ):
                return _sentence(shape, error)
    return None


def _says_nothing_beside(shape: Shape, body: Any) -> bool:
    """Whether no word of the whole body says anything else. A body that is too large to be looked at may."""
    try:
        return all(map(shape.allows_beside, leaves_of(body)))
    except TooMuch:
        return False


def _sentence(shape: Shape, error: Error) -> str:
    fitting = [
        text for text in error.sentences if shape.says is None or any(map(shape.says.fullmatch, sentences_of(text)))
    ]
    text = fitting[0] if fitting else ", ".join(sorted(error.codes)) or error.type
    return shortened(IDENTIFIERS.sub("", text))


def shortened(text: str) -> str:
    """What a server says, in one line of at most LONGEST characters. It is cut between words, since half a key would be
    known by nobody for one.
    """
    line = "".join(
        sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in " ".join(text[:READ].split())
    )
    if len(line) < LONGEST and len(text) < READ:
        return line
    return f"{line[: LONGEST - 2].rpartition(' ')[0]} …".strip()
