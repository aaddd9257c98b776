"""Where in nested objects a key stands, and whether what stands there is the reply's answer.

An answer counts at the top level of an object, inside one object under a key that names an answer ("response",
"final_answer"), and in the arguments of a tool call, which are an envelope. Under any other key ("example",
"rejected", "user_expected") it is somebody else's, or nobody's.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from selfexec.readers.result import Commitment
from selfexec.text.regex import regex

WINDOW = 6_000  # characters that are searched for enclosing brackets, from the key backwards
# a key that names an answer is made of these words alone, one of them a noun: "final_answer", "my best choice"
NOUN = regex(
    r"answers?|choices?|solution|options?|predictions?|selection|results?|response|letter|conclusion|verdict|decision"
    r"|rankings?|order|words|output|reply|judge?ments?|marks|associations|json|data|object|value|list|final"
    r"|respuesta|antwort|réponse|risposta|resposta|ответ|答案|答え|回答|정답",
    re.IGNORECASE,
)
MODIFIER = regex(
    r"my|the|correct|right|best|chosen|selected|predicted|own|most|likely|models?|overall|our|multiple|is|word|sorted"
    r"|full|complete|association|associated|related|five|actual|true|closest",
    re.IGNORECASE,
)
ENVELOPE = regex(
    r"arg(?:ument)?s|param(?:eter)?s|inputs?|function(?:_?call)?|tools?|tool_?calls?|tool_use|action(?:_input)?|content"
    r"|messages?|payload|body|kwargs",
    re.IGNORECASE,
)
# a call whose name says that it hands in an answer; one to "reject_option" or "search" hands in none
CALLED = regex(
    r"\\?[\"'](?:name|tool|function|tool_name|recipient_name)\\?[\"']\s{0,4}:\s{0,4}\\?[\"']([^\"'\\\n]{1,60})"
)
HANDS_IN = regex(
    r"answer|submit|final|respon|reply|choose|choice|select|predict|rank|order|output|json|return|provide|record"
    r"|report|mark|list|give|judge|complet|finish|word",
    re.IGNORECASE,
)
HANDS_NOTHING_IN = regex(r"reject|example|search|exclude|wrong|discard|eliminat|draft|test|mock", re.IGNORECASE)
BRACKET = regex(r"[{}\[\]]")
# '"name": {', 'name: [{', '"arguments": "{'
NAMED = regex(
    r"""(?:\\?[\"'“„«](?P<quoted>[^\"'“”„«»\n\\]{1,60})\\?[\"'”“»]|(?P<bare>\b[^\W\d][\w-]{0,60}))
        \s{0,12}:\s{0,12}\\{0,3}[\"']?\s{0,12}$""",
    re.VERBOSE,
)
KEY_FOLLOWS = "{[,\n`(:\"'“”}]>"  # what a key may stand behind
OBJECT = regex(
    r"""\{\s{0,40}(?:(?://|\#)[^\n]{0,200}\s{1,40}|/\*[^*]{0,200}\*/\s{0,40})?
        \\{0,3}[\"'“„«]?\s{0,12}[^\W\d][\w\ .-]{0,60}\\{0,3}[\"'”“»]?\s{0,12}:""",
    re.VERBOSE,
)
LIST_OF_OBJECTS = regex(r"\[\s{0,40}\{")
PART_OF_NAME = regex(r"[\W_]+|(?<=[a-z])(?=[A-Z])")


class Place(NamedTuple):
    """Where a key stands: `root` is where the outermost object or list around it begins, `depth` in how many objects it
    lies that are no envelopes; `answers` is whether an answer there is the reply's.
    """

    root: int
    depth: int
    answers: bool


@lru_cache(maxsize=1024)
def names_an_answer(name: str) -> bool:
    """Whether a key says that its value is the answer: "Final Answer" does, "not_my_answer" does not."""
    words = [word for word in PART_OF_NAME.split(name) if word]
    nouns = [word for word in words if NOUN.fullmatch(word)]
    return bool(nouns) and all(word in nouns or MODIFIER.fullmatch(word) for word in words)


def whole_key(text: str, at: int) -> str:
    """What stands before the last word of a key, back to where the key begins: "final_" of "final_answer"."""
    before = text[max(at - 48, 0) : at]
    return before[max(before.rfind(mark) for mark in "\"“„«{,;:.(|>*`\n'") + 1 :]


def place(text: str, at: int) -> Place:
    """The place of a key that begins at `at`, or some characters behind its brace."""
    brace = text.rfind("{", 0, at)
    if brace < 0:
        return Place(at, 0, True)
    closed = text.find("}", brace, at) >= 0
    alone = text.find("{") == brace  # as in most texts
    begin = max(at - WINDOW, 0)
    open_before = 1 - closed if alone else text.count("{", begin, at) - text.count("}", begin, at)
    if closed:
        return _searched(text, at) if open_before > 0 else Place(at, 0, True)
    before = text[max(brace - 24, 0) : brace].rstrip()[-1:]
    under_a_key = before == ":" and not (OBJECT.match(text, brace) and quoted_key(text, brace) is None)
    if open_before <= 1 and before not in ("[", ",", '"', "'") and not under_a_key:
        return Place(brace, 1, True)  # most answers
    return _searched(text, at)


def _searched(text: str, at: int) -> Place:
    root, depth, answers, named = at, 0, True, 0
    escaped = any(mark in text[max(at - 2, 0) : at + 2] for mark in "\\'")
    for outer in (opening for opening in _open_before(text, at) if _holds_keys(text, opening)):
        if depth:
            name = _name_before(text, root)
            if name is None and text[max(root - 40, 0) : root].rstrip()[-1:] not in ("[", "{", ",", "("):
                if not escaped:
                    break  # the outer one was never closed: this is another attempt
                answers = False  # it stands in a string of the outer object
            elif name is not None and not _is_envelope(text, name, outer):
                named += 1
                answers = answers and names_an_answer(name)
        root, depth = outer, depth + 1
    else:
        name = quoted_key(text, root) if depth else None
        if name is not None and not ENVELOPE.fullmatch(name):  # a piece of an object
            named += 1
            answers = answers and names_an_answer(name)
    return Place(root, depth, answers and named <= 1)


def the_answers(found: Iterable[tuple[Commitment, Place]]) -> Iterator[Commitment]:
    """Those that stand where answers do: of each object the outermost; where these differ, none."""
    every = list(found)
    if len(every) == 1:  # as mostly
        if every[0][1].answers:
            yield every[0][0]
        return
    by_root: dict[int, list[tuple[Commitment, Place]]] = {}
    for commitment, where in every:
        if where.answers:
            by_root.setdefault(where.root, []).append((commitment, where))
    for together in by_root.values():
        outermost = min(where.depth for _, where in together)
        said = [commitment for commitment, where in together if where.depth == outermost]
        if any(commitment.value != said[0].value for commitment in said):
            yield Commitment(min(c.start for c in said), max(c.end for c in said), None)
        else:
            yield from said


def _open_before(text: str, at: int) -> Iterator[int]:
    """The brackets that are open at a place, from the innermost outwards; those of LaTeX are none."""
    closed = 0
    for found in reversed(list(BRACKET.finditer(text, max(at - WINDOW, 0), at))):
        if found[0] in "}]":
            closed += 1
        elif closed:
            closed -= 1
        elif not _of_latex(text, found.start()):
            yield found.start()


def _of_latex(text: str, at: int) -> bool:
    command = text[max(at - 16, 0) : at]
    return command[-1:] == "\\" or re.search(r"\\[a-z]{1,14}\s?$", command) is not None


def _holds_keys(text: str, opening: int) -> bool:
    """Whether a bracket opens an object, or a list of objects: "{1, 2" and "[0, 1)" are formulas."""
    return (OBJECT if text[opening] == "{" else LIST_OF_OBJECTS).match(text, opening) is not None


def _name_before(text: str, at: int) -> str | None:
    """The key whose value begins here."""
    found = _named(text, at)
    return None if found is None else found["quoted"] or found["bare"]


def _named(text: str, at: int) -> re.Match[str] | None:
    before = text[max(at - 30, 0) : at].rstrip().rstrip("\\\"'").rstrip()
    if before[-1:] != ":":
        return None
    key = before[:-1].rstrip()  # on one line
    begin = at - (len(text[max(at - 30, 0) : at]) - key.rfind("\n") - 1) if "\n" in key else max(at - 80, 0)
    return NAMED.search(text, begin, at)


def quoted_key(text: str, at: int) -> str | None:
    """The key in quotes whose value begins here. A quoted word is none where prose leads up to it ('five words
    for "Pizza": {') or its line ends with the colon, as a heading does.
    """
    name = _named(text, at)
    if name is None or not name["quoted"]:
        return None
    before = text[max(name.start() - 80, 0) : name.start()].rstrip(" \t\r*_")
    opens = not before or before[-1] in KEY_FOLLOWS
    return name["quoted"] if opens and ("{" in before or "\n" not in text[name.end("quoted") : at]) else None


def _is_envelope(text: str, name: str, outer: int) -> bool:
    """Whether a key holds what a tool is called with, and the call hands in an answer."""
    if not ENVELOPE.fullmatch(name):
        return False
    called = CALLED.search(text, outer, outer + 2_000)
    return called is None or (bool(HANDS_IN.search(called[1])) and not HANDS_NOTHING_IN.search(called[1]))
