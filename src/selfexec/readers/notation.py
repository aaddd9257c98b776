"""How a reply is written down, as opposed to what it says."""

import re

from selfexec.readers.scan import AT_MOST, places
from selfexec.text.regex import regex

# one mark, or the same many times: noise may have a million of them
THOUGHT = regex(
    r"(?P<mark><(/?)(?:\w{1,12}:)?(?:think|thinking|thoughts?|reasoning|scratchpad|analysis|reflection)>|\[(/?)think\]"
    r"|◁(/?)think▷|<\|(?:begin|(end))_of_thought\|>|<\|(?:start|(end))_thinking\|>)(?P=mark)*",
    re.IGNORECASE,
)
THOUGHTS = ("hink", "HINK", "hought", "easoning>", "cratchpad>", "nalysis>", "eflection>")
# a channel of a chat template, up to the token that ends it; and the same where the tokens were left out
CHANNEL = regex(
    r"<\|channel\|?>(?P<name>\w+)[^<\n]{0,80}(?:<\|constrain\|>\w+)?(?:<\|message\|>|\n)"
    r"(?P<body>.*?)(?=<\|(?:end|return|call|start|channel)\|>|<channel\|>|\Z)",
    re.DOTALL,
)
CHANNELS_ALONE = regex(r"analysis(?=[A-Z]).*?assistantfinal", re.DOTALL)
THINKING = {"analysis", "thought", "thoughts", "thinking", "reasoning"}
# where a turn begins, with the name of the one who speaks
TURN = regex(
    r"(?:<\|(?:im_start|start|start_header_id|start_of_role|turn)\|?>|<start_of_turn>)\s{0,4}"
    r"(?:(?P<own>assistant|model|ai)|user|human|system|tool)\b|<\|(?:user|human|system)\|>|\[INST\]"
)
SPECIAL = regex(
    r"<[|｜][^<>|｜\n]{1,40}[|｜]>|</?s>|<(?:bos|eos|pad|start_of_turn|end_of_turn)>|<channel\|>|\[/?INST\]"
)
SPECIAL_ENDS = ("|>", "｜>", "<s>", "</s>", "os>", "_turn>", "INST]")
# a comment in an object or a list that holds a string: what it quotes is not said
# (a literal comes first in the pattern: it is found many times faster than a look at what is before it)
COMMENT = regex(
    r"(?://(?<![^\s{\[,\"']..)|\#(?<![^\s{\[,\"'].))[^\n\"]{0,200}\"[^\n]{0,400}|/\*[^*\"]{0,200}\"[^*]{0,400}\*/"
)
ENTITIES = {"&quot;": '"', "&#34;": '"', "&#39;": "'", "&apos;": "'", "&lt;": "<", "&gt;": ">"}
ENTITY = regex("|".join(ENTITIES))
# HTML as the Markdown that it stands for; what is quoted may be somebody's words
TAG = regex(
    r"<(?<![\"'“`]<)(?<!\w<(?=[bipu]>))(/?)"
    r"(b|strong|em|i|p|code|pre|span|u|div|h[1-6]|ul|ol|li|br|table|tbody|thead|tr|td|th|(?:item|word)(?!\s+\w+=))\b[^<>\n]{0,80}>",
    re.IGNORECASE,
)
MARKDOWN = {
    "li": "\n- ",
    "br": "\n",
    "p": "\n",
    "item": "\n- ",
    "word": "\n- ",
    "div": "\n",
    "tr": "\n|",
    "td": "  |",
    "th": "  |",
}
# a passage that is set as a quotation, line by line
QUOTATION = regex(r"(?:[ \t]{0,3}>[^\n]*(?:\n|\Z))+")
QUOTING = regex(r"^[ \t]{0,3}>", re.MULTILINE)
CURLY = "“”„«»＂"
STRAIGHT = str.maketrans(CURLY, '"' * len(CURLY))
LATEX = r"\\(?:(?:text|math)(?:bf|it|rm|sf|tt)?|operatorname)\s?\{"
# around an object or its strings: "\{" and "\text{" that opens a string or another brace
AROUND_AN_OBJECT = regex(rf"{LATEX}(?=\s{{0,2}}\\?[\"'“„«{{\\])|\\(?=[{{}}])")
TEXT_IN_LATEX = regex(LATEX + r"([^{}\\\n]{0,200})\}")
AROUND_A_WORD = regex(rf"{LATEX}|\\(?=[{{}}])")


SPACING = regex(r"\\(?<=[,}].)(?=[ ,;:!])|\\q?quad\b")  # what LaTeX writes for a blank
# what is struck out is taken back; "~~C" alone is a formula
STRUCK = regex(r"(?<![~\w])~~(?=[^\s~])[^~\n]{1,200}(?<=[^\s~])~~(?![~\w])")


def plain_text(text: str, *, formulas: bool = True) -> str:
    """The part of a reply that answers, place for place: reasoning between <think> marks or in a channel of its own,
    the tokens of chat templates, turns of others and comments in objects are blanked out; the marks that byte-level
    tokenizers leave for space and newline, quotes in other shapes than '"' and what LaTeX puts around an object are put
    right. Without `formulas`, all text in LaTeX is taken for plain text.
    """
    plain = text.isascii()
    if not plain and "Ġ" in text:
        text = text.replace("Ġ", " ").replace("Ċ", "\n")
    if "&" in text:
        text = ENTITY.sub(lambda found: ENTITIES[found[0]].ljust(len(found[0])), text, AT_MOST)
    if "\\" in text:
        if not formulas:
            text = SPACING.sub(_blank, TEXT_IN_LATEX.sub(_unwrapped, text, AT_MOST), AT_MOST)
        pattern = AROUND_AN_OBJECT if formulas else AROUND_A_WORD
        text = pattern.sub(_blank, text, AT_MOST)
    if not plain:
        text = text.replace("🅰\ufe0f", "A.").replace("🅱\ufe0f", "B.").replace("🅰", "A").replace("🅱", "B")
        text = text.replace("\ufe0f\u20e3", ". ")
    if "~~" in text:
        text = STRUCK.sub(_blank, text, AT_MOST)
    angled = "<" in text
    squared = "]" in text
    in_brackets = squared and ("hink]" in text or "HINK]" in text)
    if in_brackets or (angled and any(word in text for word in THOUGHTS)) or (not plain and "▷" in text):
        text = _without_thoughts(text)
    if angled or (squared and "INST]" in text) or text.startswith("analysis"):
        text = _without_template(text)
    opening = text.find("{")
    if opening >= 0 and (text.find("#", opening) >= 0 or text.find("//", opening) >= 0 or "/*" in text):
        text = COMMENT.sub(_uncommented, text, AT_MOST)
    if ">" in text:
        if text[:1] == ">" or "\n\n>" in text:
            text = _unquoted(text)
        if "</" in text or "<br" in text:
            text = TAG.sub(_as_markdown, text, AT_MOST)
    if not plain and '"' not in text and any(quote in text for quote in CURLY):
        text = text.translate(STRAIGHT)
    return text


def _without_template(text: str) -> str:
    """A reply without what a chat template puts around it: the final channel of it, and no turn but its own."""
    if text.startswith("analysis"):
        return CHANNELS_ALONE.sub(_blank, text, 1)
    if not any(end in text for end in SPECIAL_ENDS):
        return text
    if "<|channel" in text:
        text = CHANNEL.sub(_channel, text, AT_MOST)
    turns = list(TURN.finditer(text))
    if others := [turn for turn in turns if not turn["own"]]:
        own = [turn for turn in turns if turn["own"] and turn.start() > others[0].start()]
        said_before = text[: others[0].start()].strip()
        end = (
            own[0].start() if own and not said_before else len(text)
        )  # a further question is answered by a further turn
        text = text[: others[0].start()] + " " * (end - others[0].start()) + text[end:]
    return SPECIAL.sub(_blank, TURN.sub(_blank, text, AT_MOST), AT_MOST)


def _channel(found: re.Match[str]) -> str:
    body = "" if found["name"] in THINKING else found["body"]
    return body.rjust(len(found[0]))


def _uncommented(found: re.Match[str]) -> str:
    """Blanks for a comment that stands in an open object or list, and in none of its strings."""
    text, at = found.string, found.start()
    line = text.rfind("\n", 0, at) + 1
    within = any(text.rfind(opening, 0, at) > text.rfind(closing, 0, at) for opening, closing in ("{}", "[]"))
    return _blank(found) if within and text.count('"', line, at) % 2 == 0 else found[0]


def _unwrapped(found: re.Match[str]) -> str:
    return found[1].rjust(len(found[0]) - 1) + " "


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _unquoted(text: str) -> str:
    """Passages that are set as quotations, without the mark before each line."""
    starts = [0] if text[:1] == ">" else []
    starts += sorted(at + 2 for at in places(text, "\n\n>"))
    pieces: list[str] = []
    done = 0
    for at in starts:
        if at >= done and (passage := QUOTATION.match(text, at)):
            pieces += (text[done:at], QUOTING.sub(_blank, passage[0], AT_MOST))
            done = passage.end()
    return "".join(pieces) + text[done:]


def _as_markdown(tag: re.Match[str]) -> str:
    if tag[1] and tag[2].lower() in ("item", "word", "li"):
        return "\n".ljust(len(tag[0]))  # what stands behind the end of a list is not in its last member
    mark = MARKDOWN.get(tag[2].lower(), "")
    return (mark if bool(tag[1]) == (tag[2].lower() in ("td", "th")) else "").ljust(len(tag[0]))


def only_thinks(text: str) -> bool:
    """Whether a text begins with the mark that opens thoughts, and has none that closes them."""
    marks = THOUGHT.finditer(text, len(text) - len(text.lstrip()))
    first = next(marks, None)
    is_opened = first is not None and not text[: first.start()].strip() and not any(first.groups()[1:])
    return is_opened and not any(any(mark.groups()[1:]) for mark in marks)


def _without_thoughts(text: str) -> str:
    pieces: list[str] = []
    at = blank = 0
    thinking = False
    for mark in THOUGHT.finditer(text):
        closes = any(mark.groups()[1:])
        if closes and not thinking:
            # a thought that began with the reply, its opening mark lost: all so far is blank
            pieces, blank = [], mark.end()
        else:
            pieces.append(" " * (mark.end() - at) if thinking else text[at : mark.start()] + " " * len(mark[0]))
        at = mark.end()
        thinking = not closes
    return " " * blank + "".join(pieces) + (" " * (len(text) - at) if thinking else text[at:])
