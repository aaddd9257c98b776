"""Sentences in which a server says that a content policy stands against this input.

A message is read as a whole, sentence by sentence. Each must be one that a provider published, or one that is made of
PLAIN words alone. A sentence about an account, a key, a team or a field of the request has a word that is not plain.
"""

import re
from collections.abc import Sequence

from selfexec.engines.http.errors import LITELLM, READ
from selfexec.text.regex import regex

ENDS = regex(r"(?<=[.!?。])\s+|\n+")
# where a line is broken, the sentence goes on, unless another one begins
GOES_ON = regex(r":[ \t]*[\r\n]\s*(?=[^\sA-Z])")
# what New API and One API put behind a message, each once more
REQUEST_IDS = regex(r"(?: \(request id: [\w-]+\))+(?=\s*$)", re.MULTILINE | re.IGNORECASE)
WORD = regex(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
UNREAD = regex(r"\[key\]|[\s.,;:!?\"“”()]")  # beside words: the mark of a key, and punctuation

# what providers write beside the sentence that says so, as it was published
REMARKS = (
    # OpenAI
    r"Please try again with a different prompt(: https://\S+)?",
    r"This type of information may be used( to benefit or to harm people)?",
    r"We are continuously refining our work in this area, and you can read more about our approach in our blog post "
    r"\(\S+\) and Model Spec \(\S+\)",
    r"Your prompt may contain text that is not allowed by our safety system",
    r"Your request was rejected by the safety system",
    r"If you believe this is an error, contact us at help\.openai\.com and include the request ID [\w-]+",
    r"safety_violations=\[[\w/, -]*\]",
    # Azure
    r"Please modify your prompt and retry",
    r"To learn more about our content filtering policies please read our documentation(: https://\S+)?",
    # xAI
    r"(Team: [^,]{1,80}, )?(API key ID: [^,]{1,80}, )?(Model: \S+, )?Failed check: \w+",
    # Google
    r"(Image generation failed with the following error: )?The prompt could not be submitted",
    r"Try rephrasing the prompt",
    r"If you think this was an error, send feedback",
    r"Support codes: [\d, ]+",
    # Volcengine
    r"The request failed because the (input|output) (text |image )?may contain sensitive information",
    r"Request id: [\w-]+",
    # Zhipu
    r"系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语，感谢您的配合",
    # MiniMax
    r"(input|output) new_sensitive(, please check| \(102[67]\))?",
    # New API
    r"input contains sensitive words: \[[^\]]*\]",
    # OpenRouter
    r"\S+ requires moderation on [\w .-]{1,60}",
    r"Your input was flagged for \"[\w/, -]*\"",
    r"No credits were charged",
    r"Provider returned error",
    # LiteLLM
    r"((model|context_window_fallbacks?|content_policy_fallbacks?|[Ff]allbacks)=(\S+|\[[\w\s'\"{}\[\],:./@-]*\])(\s+|$))+",
    r"No fallback model group found for original[_ ]model_group=\S+",
    r"Set ('\w+'|\w+) - https://docs\.litellm\.ai/\S+",
    r"(Received Model Group=\S+|Available Model Group Fallbacks=\S+)( LiteLLM Retried: \d+ times)?"
    r"(, LiteLLM Max Retries: \d+)?",
    r"LiteLLM Retried: \d+ times(, LiteLLM Max Retries: \d+)?",
)
KNOWN = regex("|".join(f"(?:{text})" for text in REMARKS))
# what an input and a reply are called, what a policy is called, what it does to them, why, and what stands between
# these words. One request and one policy alone: who speaks of "requests" speaks of an account.
PLAIN = frozenset(
    (
        *("request", "prompt", "input", "output", "response", "reply", "completion", "message", "text", "image"),
        *("content", "data", "words", "information", "generated", "given"),
        *("policy", "policies", "guideline", "guidelines", "filter", "filters", "filtering", "moderation", "safety"),
        *("system", "management", "usage", "provider", "our", "your", "its", "we", "it"),
        *("blocked", "filtered", "flagged", "refused", "rejected", "violates", "violate", "violated", "violating"),
        *("violation", "triggered", "triggering", "detected", "considered", "classified", "contain", "contains"),
        *("hate", "violence", "violent", "sexual", "self-harm", "harmful", "inappropriate", "offensive", "sensitive"),
        *("unsafe", "explicit", "prohibited", "high", "risk", "low", "medium", "severity"),
        *("a", "an", "and", "as", "be", "because", "been", "being", "by", "due", "for", "has", "have", "in", "is"),
        *("may", "might", "of", "on", "or", "potential", "potentially", "possibly", "result", "that", "the", "this"),
        *("to", "was", "were", "which", "with"),
    )
)


def sentences_of(text: str) -> Sequence[str]:
    """The sentences of a message, without the full stops at their ends."""
    text = GOES_ON.sub(": ", REQUEST_IDS.sub("", text))
    return [sentence.rstrip(" .。") for sentence in ENDS.split(text) if sentence.strip(" .。")]


def is_plain(sentence: str) -> bool:
    """Whether a sentence is made of words alone that say of an input that a policy stands against it."""
    words = WORD.findall(sentence.replace("[key]", " "))
    return not UNREAD.sub("", WORD.sub("", sentence.replace("[key]", " "))) and all(
        word.lower() in PLAIN for word in words
    )


def says_nothing_else(message: str, own: re.Pattern[str]) -> bool:
    """Whether every sentence of a message is published or plain, or `own` describes it. A message that is too long to
    be looked at as a whole may say something else. What LiteLLM writes at the head of a message says nothing.
    """
    wrapped = LITELLM.match(message)
    return len(message) < READ and all(
        is_plain(sentence) or KNOWN.fullmatch(sentence) or own.fullmatch(sentence)
        for sentence in sentences_of(message[wrapped.end() :] if wrapped else message)
    )


def is_handed_on(message: str) -> bool:
    """Whether a message holds what another server said, which is read by itself."""
    return message.startswith(("{", "[")) or LITELLM.match(message) is not None
