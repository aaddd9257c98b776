"""What a server's error says: is it about this input, about the account, about the request's form, or will it pass?

    policy     a content policy stands against this very input: the model's provider withheld the reply
    account    key, account, region, bill, firewall, address: no call succeeds until somebody acts
    request    this request is not accepted
    passing    too many calls, or a server that is down

Only `policy` is behaviour. It is told by status, error code and error type in their own fields; where a provider gives
a sentence only, by that whole documented sentence, at the beginning of the message, in the message's own field. Never
by single words: "prohibited", "flagged" and "policy" stand in errors about accounts and regions as well. Where each
shape was seen stands in docs/models.md.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from selfexec.engines.http.providers import PROVIDERS, Endpoint

LONGEST = 300  # characters kept of what a server says
READ = 4_000  # characters of a message that are looked at
DEPTH = 4  # errors within errors, as gateways hand them on
POLICY_STATUSES = (400, 403, 422)
WORDS = ("message", "msg", "detail")  # where bodies that are no replies say why


class Verdict(NamedTuple):
    """What an error is. `said` is the server's sentence, where it is a policy."""

    kind: Literal["policy", "account", "request", "passing"]
    said: str = ""


class Error(NamedTuple):
    """An error in the fields in which it came. `names` are the fields beside them that hold something; `nested` is a
    gateway's account of what another server said.
    """

    codes: frozenset[str]
    type: str
    sentences: tuple[str, ...]
    names: frozenset[str]
    nested: bool


class Shape(NamedTuple):
    """How somebody says that a policy stands against this input. Whatever is given here must hold; but beside the whole
    sentence the type may be left out, as gateways do.
    """

    whose: str
    codes: frozenset[str]
    types: frozenset[str]
    names: frozenset[str]
    says: re.Pattern[str] | None
    statuses: tuple[int, ...]

    def fits(self, status: int, error: Error) -> bool:
        return (
            # what status another server gave is not handed on
            (error.nested or status in self.statuses)
            and (not self.codes or not self.codes.isdisjoint(error.codes))
            and (not self.types or error.type in self.types or bool(self.says and not error.type))
            and self.names <= error.names
            and (self.says is None or any(map(self.says.match, error.sentences)))
        )


def _shape(
    whose: str, *, codes: str = "", types: str = "", names: str = "", says: str = "", statuses: tuple[int, ...] = (400,)
) -> Shape:
    """Codes, types and names are given with blanks between them."""
    sentence = re.compile(says) if says else None
    return Shape(
        whose, frozenset(codes.split()), frozenset(types.split()), frozenset(names.split()), sentence, statuses
    )


ANYONE = "the OpenAI format"
SHAPES = (
    _shape(ANYONE, codes="content_filter content_policy_violation moderation_blocked", statuses=POLICY_STATUSES),
    _shape(ANYONE, types="content_filter content_policy_violation", statuses=POLICY_STATUSES),
    # this code is that of malformed prompts too
    _shape(
        "openai",
        codes="invalid_prompt",
        says=r"Invalid prompt: (your prompt was flagged as potentially violating our usage policy\.|"
        r"we['’]ve limited access to this content for safety reasons\.)",
    ),
    _shape("openai", says=r"Your request was rejected as a result of our safety system\."),
    _shape("azure", codes="ResponsibleAIPolicyViolation"),
    _shape(
        "azure",
        says=r"The response was filtered due to the prompt triggering (Azure OpenAI|Microsoft)['’]s content management "
        r"policy\.",
    ),
    _shape("anthropic", types="invalid_request_error", says=r"Output blocked by content filtering policy\.?$"),
    # the code beside it is that of any missing permission
    _shape("xai", says=r"Content violates usage guidelines\.", statuses=(400, 403)),
    _shape("bedrock", says=r"The model returned the following errors: Output blocked by content filtering policy\.?$"),
    _shape("bedrock", says=r"This request has been blocked by our content filters\."),
    _shape("bedrock", says=r"Violated guardrail policy$"),
    _shape(
        "google",
        says=r"(Image generation failed with the following error: )?The prompt could not be submitted\. This prompt "
        r"contains (sensitive )?words that violate (Google|Vertex AI|Gemini API)['’]s "
        r"(Responsible AI practices|usage guidelines)\.",
    ),
    _shape("alibaba", codes="data_inspection_failed DataInspectionFailed"),
    _shape("alibaba", says=r"(<400> )?InternalError\.Algo\.DataInspectionFailed: "),
    _shape("deepseek", says=r"Content Exists Risk\.?$"),
    _shape("zhipu", codes="1301"),
    _shape("minimax", says=r"(input|output) new_sensitive \(102[67]\)$", statuses=(400, 422)),
    _shape("minimax", codes="1026 1027", says=r"(input|output) new_sensitive"),
    _shape(
        "volcengine",
        codes="SensitiveContentDetected SensitiveContentDetected.SevereViolation SensitiveContentDetected.Violence "
        "InputTextSensitiveContentDetected OutputTextSensitiveContentDetected InputTextRiskDetection "
        "OutputTextRiskDetection",
    ),
    _shape("openrouter", names="reasons flagged_input", statuses=(403,)),
    _shape("openrouter", codes="refusal", statuses=(400, 403)),
    _shape("litellm", says=r"litellm\.(\w+: litellm\.)*ContentPolicyViolationError: "),
    _shape("new-api", codes="sensitive_words_detected"),
)
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
LITELLM = re.compile(r"litellm\.\w+: (?:(?:litellm\.)?\w+: )*(?:[\w ]{1,60} - )?(?:b['\"])?")
# xAI puts the team and the key's id into the sentence
IDENTIFIERS = re.compile(r" (?:Team|API key ID): [^,]{1,80},")


def verdict(where: Endpoint, status: int, body: Any) -> Verdict:
    """What an error with this status is. `body` is what was decoded of it, whatever that may be."""
    if status == 429 or status >= 500 or status in (408, 409, 425):
        return Verdict("passing")
    errors = list(_errors(body))
    if any(not ACCOUNT_CODES.isdisjoint(error.codes) for error in errors):
        return Verdict("account")
    if (said := _policy(where, status, errors)) is not None:
        return Verdict("policy", said)
    return Verdict("account" if status in (401, 402, 403, 404, 407, 451) else "request")


def policy_in_reply(where: Endpoint, body: Any) -> str | None:
    """What a server says of a content policy that stands against this input, in a reply with status 200 that holds an
    error instead of a completion; None where it says none.
    """
    given = error_in_reply(body)
    if given is None:
        return None
    status = status_in_reply(body)
    found = verdict(where, max(status, 400), {"error": given})
    return found.said if found.kind == "policy" else None


# the statuses that some of MiniMax's codes would have had elsewhere
MINIMAX = {"1002": 429, "1004": 401, "1008": 402, "2049": 401}


def status_in_reply(body: Any) -> int:
    """The status that an error in a reply with status 200 would have had, as OpenRouter and Zhipu give it in the place
    of its code; 200 where nobody says.
    """
    code = str(_mapping(error_in_reply(body)).get("code"))
    if _mapping(_mapping(body).get("base_resp")).get("status_code"):
        return MINIMAX.get(code, 200)
    return int(code) if re.fullmatch("[45][0-9][0-9]", code) else 200


def error_in_reply(body: Any) -> Any:
    """The error in a reply with status 200: that of its choice, or of the whole; None where there is none. A body
    without any part of a reply is an error by itself where it says something.
    """
    if not isinstance(body, Mapping):
        return None
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(choice, Mapping) and choice.get("error"):
        return choice["error"]
    native = body.get("base_resp")  # MiniMax
    if isinstance(native, Mapping) and native.get("status_code"):
        return {"code": str(native["status_code"]), "message": native.get("status_msg")}
    error = body.get("error")
    if error and isinstance(error, str):  # its code stands beside it
        return {"message": error, "code": body.get("code"), "type": body.get("type")}
    if any(_mapping(error).get(name) for name in ("message", "code", "type")):
        return error
    if any(body.get(name) for name in ("choices", "content", "candidates")):
        return None
    said = next((body[name] for name in WORDS if body.get(name) and isinstance(body[name], str)), None)
    return {"message": said, "code": body.get("code"), "type": body.get("type")} if said else None


def _policy(where: Endpoint, status: int, errors: list[Error]) -> str | None:
    """The sentence in which a policy against this input is given as the reason; None if none is."""
    if status not in POLICY_STATUSES:
        return None
    home = next((name for name in AT_HOME if where.at(urlsplit(PROVIDERS[name].base_url).hostname or "")), None)
    shapes = [shape for shape in SHAPES if shape.whose in (ANYONE, home)] if home else SHAPES
    for error in errors:
        for shape in shapes:
            if shape.fits(status, error):
                return _sentence(shape, error)
    return None


def _sentence(shape: Shape, error: Error) -> str:
    fitting = [text for text in error.sentences if shape.says is None or shape.says.match(text)]
    text = fitting[0] if fitting else ", ".join(sorted(error.codes)) or error.type
    return shortened(IDENTIFIERS.sub("", text))


def shortened(text: str) -> str:
    """What a server says, in one line of at most LONGEST characters. It is cut between words, since half a key would be
    known by nobody for one.
    """
    line = " ".join(text[:READ].split())
    if len(line) < LONGEST and len(text) < READ:
        return line
    return f"{line[: LONGEST - 2].rpartition(' ')[0]} …".strip()


# --- the fields of an error ------------------------------------------------------------------------------------------


def _errors(body: Any, nested: bool = False, depth: int = 0) -> Iterator[Error]:
    """The errors that a body tells of, what another server said within them included."""
    if depth >= DEPTH:
        return
    if isinstance(body, list):
        body = body[0] if body else None  # Google's OpenAI format
    if not isinstance(body, Mapping):
        return
    error = body.get("error")
    if isinstance(error, str):  # xAI: the error is a sentence, the code stands beside it
        error = {**body, "message": error}
    elif not isinstance(error, Mapping):
        error = body
    metadata = _mapping(error.get("metadata"))
    yield Error(
        codes=frozenset(_codes(error, metadata)),
        type=_text(error.get("type")),
        sentences=tuple(_sentences(error)),
        names=frozenset(name for name, value in metadata.items() if value),
        nested=nested,
    )
    for text in (metadata.get("raw"), error.get("message")):  # OpenRouter, LiteLLM
        yield from _within(text, depth)


def _codes(error: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[str]:
    """The codes of an error, also those which Azure, LiteLLM, Google and OpenRouter put one level down."""
    handed_on = _mapping(error.get("provider_specific_fields"))
    inner = [_mapping(error.get(name)) for name in ("innererror", "inner_error")] + [
        _mapping(handed_on.get("innererror"))
    ]
    details = error.get("details")
    reasons = [_mapping(detail).get("reason") for detail in details[:8]] if isinstance(details, list) else []
    found = (
        error.get("code"),
        error.get("status"),
        metadata.get("error_type"),
        *reasons,
        *(i.get("code") for i in inner),
    )
    for code in found:
        if isinstance(code, str | int) and not isinstance(code, bool):
            yield str(code)[:100]


def _sentences(error: Mapping[str, Any]) -> Iterator[str]:
    """What an error says in words. A code with blanks in it is words too, as xAI sends it."""
    message = error.get("message")
    if isinstance(message, Mapping):
        message = message.get("message") or message.get("error")
    for text in (message, error.get("detail"), error.get("code")):
        if isinstance(text, str) and " " in text:
            yield text.strip()[:READ]


def _within(text: Any, depth: int) -> Iterator[Error]:
    """What another server said, in the text in which a gateway hands it on."""
    if isinstance(text, Mapping):
        yield from _errors(text, True, depth + 1)
    if not isinstance(text, str):
        return
    text = text.strip()[: 10 * READ]
    wrapped = LITELLM.match(text)
    rest = text[wrapped.end() :] if wrapped else text
    if rest.startswith(("{", "[")):
        try:
            body, _ = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):
            return
        yield from _errors(body, True, depth + 1)
    elif wrapped:
        yield Error(frozenset(), "", (rest[:READ],), frozenset(), True)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value != "None" else ""  # LiteLLM writes Python's None as a word
