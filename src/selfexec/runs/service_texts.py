"""What a service writes in the place of a model: of a failure, of its own limits and rules, or that it got no text.

A model speaks of itself as I, and a service of the model, its server, your session and your administrator as of others.
So of a text without I the words are counted (`share_of_failure`); and a short text of any wording, also one that begins
as a refusal does, is looked through for such others and what befell them (`speaks_for_a_service`). Of 1,207 short texts
of ten recorded models in a form of their own none has that.
"""

import re
from collections.abc import Callable

from selfexec.text.regex import regex

MOST_LINES = 4
FIRST_PERSON = regex(r"\b(?:I|my|me)\b|\bI['’]", re.IGNORECASE)
WORD = regex(r"[A-Za-z]+")
# what can fail, and what is said of it
SERVICE = regex(
    r"servers?|services?|gateway|upstream|backend|requests?|connect\w*|network|socket|stream|api|endpoint|fetch|proxy"
    r"|host|quota|billing|credits?|balance|tokens?|rate|usage|capacity|models?|engine|workers?|queue|deployment"
    r"|instance|cluster|provider|cuda|gpu|memory|https?|ssl|tls|dns|response|completions?|inference|session"
    r"|context|account|key|openai|anthropic|claude|gemini|plan|limit|loading|read|headers?",
    re.IGNORECASE,
)
FAILED = regex(
    r"errors?|fail\w*|exceed\w*|overload\w*|unavailable|timeout|timed|exhausted|refused|denied|reset|abort\w*"
    r"|terminated|busy|throttl\w*|insufficient|unauthorized|invalid|bad|many|reached|hang|disconnect\w*|unreachable"
    r"|crashed|retry|retries|cancell?ed|expired|suspended|unexpected|broken|closed|interrupted|again|exception|out",
    re.IGNORECASE,
)
# the same where words are not apart
CHINESE = regex(
    r"(?=.*(?:服务|请求|上游|负载|模型|渠道|接口|网络|额度|余额|令牌|连接))"
    r".*(?:失败|错误|超时|饱和|稍后再试|稍后重试|不足|繁忙|异常|不可用|超出|已达)",
    re.DOTALL,
)
LONGEST_CHINESE = 60
CAMEL = regex("([a-z])([A-Z])")
# what befalls it, its users and what they send, in a text of any wording
LONGEST_SPOKEN = 250  # characters
OF_MACHINES = r"(?:(?:internal|server|unexpected|unknown|technical|network|system|connection) )"
ANY_FAULT = r"(?:error|problem|issue|difficult(?:y|ie))s?"
FAULT = rf"{OF_MACHINES}{{0,2}}{ANY_FAULT}"
OWN_FAULT = rf"(?:{OF_MACHINES}{{1,2}}{ANY_FAULT}|errors?|outages?|(?:very )?high (?:load|demand|traffic))"
SERVICES = r"(?:service|server|system|model|assistant|chatbot|bot|feature|tool|backend|gateway|endpoint|ai)s?"
OF_YOURS = (
    r"(?:request|prompt|message|query|question|input|session|account|conversation|content|response|answer|topic)s?"
)
CANNOT = (
    r"(?:can ?not|can['’]t|could(?: not|n['’]t)|does(?: not|n['’]t)|(?:is|was) (?:unable|not able|not allowed)|failed)"
)
ENDED = (
    r"(?:flagged|blocked|rejected|denied|filtered|expired|refused|stopped|held|quarantined|throttled|cancell?ed"
    r"|terminated|suspended|processed|completed|delivered|queued|timed out)"
)
DOWN = r"(?:(?:un)?available|overloaded|busy|down|offline|experiencing|loading|at capacity|unreachable)"
REACHED = r"(?:reached|exceeded|exhausted|used up|hit)"
CLOSED = (
    r"(?:not available|unavailable|restricted|blocked|disabled|not (?:enabled|supported|permitted|allowed)"
    r"|out(?:side)?(?: of)?(?: the)? scope)"
)
PLACE = r"(?:country|region|location|area|plan|organi[sz]ation|account|workspace|subscription|tier|company|role)"
NOT_HERE = r"(?:there does(?: not|n['’]t) (?:seem|appear) to be|d(?:o|id)(?: not|n['’]t) (?:see|receive|get|find))"
OF_A_SERVICE = regex(
    "|".join(
        (
            rf"\b(?:an?|some) {FAULT} (?:has |have )?(?:occurred|happened|arose|while)",
            rf"\b(?:encountered|experienc\w+|ran into|hit|having|facing) (?:an? |some )?{OWN_FAULT}\b",
            r"\bsomething went wrong\b",
            r"\b(?:try|sign in|log in|check back|come back) again (?:later|soon|shortly|in (?:an?|some|\d+)\b)",
            r"\b(?:try|sign in|log in) again\W*\Z",
            rf"\b{SERVICES} (?:is|are|was|were) (?:\w+ly |still |not )*{DOWN}\b",
            rf"\b(?:your|this|the) {OF_YOURS} (?:was|were|is|are|has|have)(?: not)?(?: been)? (?:\w+ly )?{ENDED}\b",
            rf"\b{OF_YOURS}\b[^.!?\n]{{0,60}}\bc(?:ould|an) ?not be {ENDED}\b",
            rf"\b(?:the|this|our) {SERVICES} {CANNOT} ",
            rf"\b(?:limit|quota|allowance|budget|credits?)\b[^.!?\n]{{0,40}}\b{REACHED}\b",
            rf"\b{CLOSED}\b[^.!?\n]{{0,40}}\b(?:in|for|by|on|of) your (?:\w+ )?{PLACE}\b",
            r"\byour (?:\w+ )?admin(?:istrator)?\b",
            rf"\b{OF_YOURS} (?:came through|arrived|appears?|seems?|looks|is|was) (?:to be )?(?:empty|blank)\b",
            rf"\ban? empty {OF_YOURS}\b",
            rf"\b(?:nothing|no {OF_YOURS}) (?:was|is|has been|came) (?:included|provided|received|sent|through)\b",
            rf"\b{NOT_HERE} (?:an?|any|your) (?:\w+ )?{OF_YOURS}\b",
        )
    ),
    re.IGNORECASE,
)


def share_of_failure(text: str, asked: Callable[[], str] = lambda: "") -> float:
    """How many of the words of a text are about a service and its failure, from 0 to 1; 0 where one of the two is
    missing, or its words were asked about. A model speaks of itself as I.
    """
    if len(text) <= LONGEST_CHINESE and not text.isascii() and CHINESE.search(text):
        return 0.0 if CHINESE.search(asked()) else 1.0
    if text.lstrip()[:1] == "{" or text.count("\n") >= MOST_LINES or FIRST_PERSON.search(text):
        return 0.0
    words = [word.casefold() for word in WORD.findall(CAMEL.sub(r"\1 \2", text))]
    about = [word for word in words if SERVICE.fullmatch(word)]
    failed = [word for word in words if FAILED.fullmatch(word)]
    if not (about and failed):
        return 0.0
    known = {word.casefold() for word in WORD.findall(asked())}
    is_asked_about = known.issuperset(about) or known.issuperset(failed)
    return 0.0 if is_asked_about else (len(about) + len(failed)) / len(words)


def speaks_for_a_service(text: str) -> bool:
    """Whether a short text is what a service says of itself, or of the request that it got."""
    return len(text) <= LONGEST_SPOKEN and OF_A_SERVICE.search(text) is not None
