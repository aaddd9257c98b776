"""What a reply only shows: an object or a list that it denies, or gives as an example of the form."""

import re

from selfexec.text.regex import regex

# "It is not \\boxed{A}", "for example, {...}", "{...} would be the format": spoken of, not said
NOT_SAID = regex(
    r"""(?:\b(?:not|never|neither|nor|cannot\s+be|n['’]t(?:\s+be)?|rather\s+than|instead\s+of|nicht|no\s+es|for\s+(?:example|instance)|e\.g\.
        |such\s+as|zum\s+beispiel|z\.\s?B\.|por\s+ejemplo)|不是|ليس\w*|例如|比如|مثلا)
        (?:\s+(?:say|answer|reply|choose|be))?(?:\s+(?:the\s+)?(?:answer|option|choice))?[\s,:"'“(\[$\\*`]{0,12}$""",
    re.VERBOSE | re.IGNORECASE,
)
ONLY_SHOWN = regex(
    r"""[\s"'”)\]$*`}]{0,12}(?:would\s+be|is)\s+(?:just\s+|only\s+)?
        (?:an?\s+example|the\s+(?:required\s+|requested\s+)?(?:format|form|shape)\b(?!\s+of\s+my)|what\s+(?:the\s+format|it)\s+would\s+look)""",
    re.VERBOSE | re.IGNORECASE,
)


# the last letters of what the pattern above may find, which is looked for only behind these
ENDS_OF_NOT_SAID = (
    *("not", "never", "neither", "nor", "be", "n't", "than", "of", "nicht", "es", "example", "instance", "e.g.", "as"),
    *("beispiel", "b.", "ejemplo", "say", "answer", "reply", "choose", "option", "choice"),
)


# "For example, an answer could look like {...}", "the object might look like this: {...}"
AS_AN_EXAMPLE = regex(
    r"""(?:\b(?:for\s+(?:example|instance)|e\.g\.|as\s+an\s+example),?(?![^{}]*\b(?:I|my|so|therefore|thus|hence)\b)[^.!?\n{}(),]{0,60}
      | (?:^|[.!?,\n])(?![^{}]*\b(?:I|my|mine)\b)[^.!?,\n{}]{0,60}\b(?:could|might|may)\s+look\s+(?:something\s+)?like
        (?:\s+this|\s+the\s+following)?)[\s:,*`]{0,12}(?:json\s{0,4})?$""",
    re.VERBOSE | re.IGNORECASE,
)
OPENING = " \t\r\n{[(\"'“`*\\$"
REACH = 100  # characters before an object that may say that it is only shown


def mentioned(text: str, start: int, end: int) -> bool:
    """Whether an object, a list or a box is denied, or is only an example."""
    lead = text[max(start - 40, 0) : start].rstrip(" \t\r\n,:\"'“([$\\*`{")
    led_to = lead and (not lead.isascii() or lead.lower().endswith(ENDS_OF_NOT_SAID))
    if led_to and NOT_SAID.search(text, max(start - 40, 0), start):
        return True
    before = text[max(start - REACH, 0) : start]
    example = "xample" in before or "nstance" in before or "e.g." in before or " like" in before
    if example and AS_AN_EXAMPLE.search(before.rstrip(OPENING)):
        return True
    return ONLY_SHOWN.match(text, end) is not None
