"""Texts about a service and its failure, which it writes in the place of a model."""

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
