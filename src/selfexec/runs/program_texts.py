"""Texts, or parts of them, that programs write around and in the place of what models say.

    marks of templates    `<|im_start|>assistant`, `[/INST]`, `<tool_call>`, `◁tool▷` at the beginning of a line: any
                          mark around a word of those by which templates name turns and tools; and `assistantfinal`,
                          where the marks were lost. Thoughts that are closed are read as such, and are no sign
    speakers              a line for each who speaks, as a model writes that goes on for the user; the user's alone, at
                          the end; or a name at the beginning, as of a bot
    citations             what tools for searching put into a text for a page to show
    placeholders          `<PERSON>` or `[NAME_1]`, two kinds, or one in replies to three prompts, as what hides names
                          writes; or a whole text that is the place of a template which was not filled
    thoughts              a beginning that speaks of the user, as thoughts do whose marks were lost
    filler                words of the Latin that stands where a text is yet to be written
    masked words          `[REDACTED]` or asterisks in the place of a word, or of all but the first letter of two
    notes of a cut        a number of characters, bytes, tokens or lines that were left out, in brackets
    failures              a short text all about a service and its failure, or such a bracket at the end, and what a
                          service says of itself: see `service_texts`
    stand-ins             a short text that says of itself that it is a mock, a dummy, or filling
    pages                 a whole page in HTML, one tag around a text, tags behind the object that a text ends with, at
                          the end of each line, or in the place of Markdown in some of the texts
    logs of agents        what a program did (Action, Observation), before the answer
    what was not sent     words about documents that the prompt does not have, or about an earlier conversation
    other replies         two to choose from, drafts before one, a judgement of one, an object in the place of a text,
                          or a text with an ellipsis where its middle was
    edges                 a first or last line about the reply, or of the way it came by: see `odd_edges`
    objects               an object in JSON around one text, beside flags, words and numbers at most

A model may write each of these, and base models do with marks and speakers; so they are only named. What the item that
was asked about has in it is no sign.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from selfexec.experiments import EXPERIMENTS
from selfexec.runs.exchanged_replies import asked_keys
from selfexec.runs.odd_edges import CLOSED, MORE, NOTE, edges_of
from selfexec.runs.readings import is_free
from selfexec.runs.reply import Reply, prompts_of
from selfexec.runs.service_texts import share_of_failure, speaks_for_a_service
from selfexec.text.regex import regex

LEAST, LEAST_SHARE = 2, 0.005  # replies, and how many of a model's: now and then one writes so itself
# by which chat templates name turns and calls; of several words in a mark one is enough
TURN_WORDS = (
    "user|assistant|system|human|inst|sys|turn|header|eot|eos|bos|im|eom|tools?|functions?|invoke|calls?|parameter"
    "|python_tag|commentary|ipython|observation"
)
IN_MARK = rf"/?(?:\w+[ :_-])*?(?:{TURN_WORDS})(?:[_:-]\w+)*"
TOKEN = regex(r"<[|｜][^<>|｜\n]{1,40}[|｜]>|<<?/?SYS>>?|\[/?INST\]|</?(?:start|end)_of_turn>")
TOKEN_ENDS = ("|>", "｜>", "SYS>", "INST]", "_turn>")
MARK = regex(
    rf"^\s?(?:<{IN_MARK}(?: [^<>\n]*)?>|\[{IN_MARK}\]|◁{IN_MARK}▷|【{IN_MARK}】)", re.MULTILINE | re.IGNORECASE
)
BRACKETS = ("<", "[", "◁", "【")
LINE_STARTS = tuple(f"\n{bracket}" for bracket in BRACKETS)
CHANNEL = regex(r"\A\s*analysis(?=[A-Z])|assistant(?:final|analysis|commentary)(?=\W|[A-Z]|\Z)|\Aassistant\n")
FIRST_SPEAKER = regex(
    r"\W{0,4}(?:(?:[\w-]+ )?(?:assistant|chatbot)|ai|bot|model)\W{0,4}:\s"
    r"|(?-i:[A-Z]\w*(?:AI|Bot|GPT|LLM))(?: ?\[[^\]\n]{1,30}\])?: ",
    re.IGNORECASE,
)
LAST_USER = regex(r"\n\s*\W{0,4}(?:user|human)\W{0,4}:\s[^\n]{1,200}\Z", re.IGNORECASE)
BARE_TURN = regex(r"^(user|human|assistant)$", re.MULTILINE)
SPEAKER = regex(r"^\W{0,4}(?:(user|human)|assistant|ai|bot|model|chatbot)\W{0,4}:\s", re.IGNORECASE | re.MULTILINE)
USERS = ("ser:", "man:", "SER:", "MAN:", "ser**", "man**")
CITATION = regex(
    r"【\d+(?::\d+)?†[^】\n]*】|:\w+\[[^\]\n]*\]\{[^}\n]*\}|[\ue200-\ue2ff]|\[\^\d+\^\]|\[doc\d+\]|</?cite\b|\bturn\d+[a-z]+\d+"
)
CITING = ("†", "]{", "[^", "[doc", "cite", "turn0", "\ue200", "\ue201", "\ue202")
# in LaTeX a word in braces stands behind a name or a sign
HIDDEN_NAME = regex(r"<([A-Z][A-Z_]{2,})(?:_\d+)?>|(?<![\w\\^}])[\[{]([A-Z][A-Z_]{2,})(?:_\d+)?[\]}]")
HIDING = tuple(regex(rf"{bracket}[A-Z]{{2}}") for bracket in (r"<", r"\[", r"\{"))  # quick to look for
LEAST_KINDS, LEAST_PROMPTS = 2, 3  # of one kind
# a word in whose place something stands: signs alone, in quotation marks or between words, or a word for what was done
MASK = regex(
    r"█{3,}|[\[<](?i:redacted|masked|hidden|censored|anonymi[sz]ed)[\]>]|[\"'“](?:\*{3,}|X{4,}|\#{4,})[\"'”]"
    r"|(?<=[\w,] )\*{4,}(?![\w*])|(?<![\w*])\*{4,}(?= \w)|(?<=[\w,] )(?:X{4,}|#{4,})(?![\w-])"
)
MASKED_WORD = regex(r"(?<![\w*])[A-Za-z]\*{3,}(?![\w*])")
# how thoughts about a request begin, whose end was lost with the answer
OF_THE_USER = regex(
    r"\W{0,4}(?:(?:okay|ok|alright|all right|hmm+|so|well|now|first|let me see|let['’]s see)\b\W{1,4}){0,3}"
    r"(?:the|this) user(?:['’]s)? (?:is|are|was|wants?|asks?|asked|says?|said|needs?|seems?|has|request|question|query"
    r"|prompt|message)\b"
    r"|\W{0,4}(?:好的|嗯|那么)?[，,\s]*用户(?:的|在|想|要|问|说|希望)",
    re.IGNORECASE,
)
THOUGHTS = "thoughts about the user"
# beginnings of words in that Latin: hardly any stands in another text
FILLER = ("consectetur", "adipisc", "eiusmod", "incidid", "incidunt", "ullamco", "volupta", "aliquip", "doloremque")
LEAST_FILLER = 2
MASKING = ("***", "█", "XXXX", "####", "ed]", "ED]", "en]", "EN]", "ed>", "ED>")
LEAST_MASKS = 2
LAST_BRACKET = regex(r"[\[(<{*]([^\[\](){}<>*\n]{3,})[\])>}*]\W{0,2}\Z")
LONGEST_BRACKET = 120  # characters of the end of a text in which it stands
PART = r"\b\d[\d,.]*\s?(?:more )?(?:chars?|characters?|bytes?|tokens?|words?|lines?|kb)\b"
LEFT_OUT = r"\b(?:truncat|snip|omit|elid|shorten|trimm|skipp|dropp|clipp|cut|redact)\w*"
BETWEEN = r"[^\[\](){}<>\n]{0,40}?"
CUT_NOTE = regex(
    rf"[\[(<{{…*]{BETWEEN}(?:{LEFT_OUT}{BETWEEN}{PART}|{PART}{BETWEEN}{LEFT_OUT}){BETWEEN}[\])>}}…*]", re.IGNORECASE
)
CUTTING = ("runcat", "snip", "mit", "lid", "horten", "rimm", "kipp", "ropp", "lipp", "cut", "edact")
UNITS = ("char", "byte", "token", "word", "line", "kb", "KB")
UNFILLED = regex(
    r"\W{0,2}(?:\{\{[^{}\n]{1,80}\}\}|\$\{[^{}\n]{1,80}\}|\{%[^%\n]{1,80}%\}|<%=?[^%\n]{1,80}%>|%\(\w+\)s|\{\w+(?:\.\w+)*\})\W{0,2}"
)
PAGE = regex(r"(?:<!doctype html|<html)\b.*</html>", re.IGNORECASE | re.DOTALL)
UNSENT_WORDS = "words about documents or a conversation that were not sent"
IN_HTML = "HTML in the place of Markdown"
HABIT = 0.75  # of the replies in sessions of one kind: then it is how the model writes there
FENCED = regex(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
BLOCK_TAG, LEAST_TAGS = regex(r"</?(?:p|li|ul|ol|h[1-6]|strong|em|div)\b[^<>]{0,80}>|<br\s?/?>", re.IGNORECASE), 2
MARKDOWN = regex(r"^(?:[ \t]*(?:[-*+]|\d+\.)[ \t]|\#{1,6}[ \t]|[ \t]*\|)|\*\*", re.MULTILINE)
OBJECT_WITHIN = regex(r"\}\s*</(?:p|div|span|pre|li)>\Z")
LINE_IN_HTML, LEAST_LINES = regex(r"<br ?/?>\s*?\n"), 2
LEAST_BLANKS = 6  # of a text within an object
OF_PAGES = regex("html|page|site|css", re.IGNORECASE)
LONGEST_FAILURE, LONGEST_STAND_IN = 300, 100  # characters
LEAST_ABOUT, MOST_ABOUT = 0.2, 0.5  # of the words of a text
STAND_IN = regex(r"\b(?:mock\w*|dummy|stub\w*|placeholder|canned|lorem ipsum|fallback|sample)\b", re.IGNORECASE)
REPLY = regex(r"\b(?:response|reply|request|completion|answer|text|output|model|content|ipsum)\b", re.IGNORECASE)
AGENT_LOG = regex(
    r"^(?:Action(?: Input)?|Tool(?: Call)?):.*?^(?:Observation|Tool (?:Output|Result)):", re.MULTILINE | re.DOTALL
)
DOCUMENTS = (
    r"(?:context|documents?|sources?|passages?|excerpts?|search\s+results|articles?|files?|knowledge\s+base|handbook)"
)
GIVEN = r"(?:provided|given|retrieved|supplied|attached|uploaded|available)"
UNSENT = regex(
    rf"\b(?:based\s+on|according\s+to|from|in|using)\s+the\s+(?:{GIVEN}\s+{DOCUMENTS}|{DOCUMENTS}\s+(?:that\s+(?:were|was|are|is)\s+|you\s+){GIVEN})"
    rf"|\bthe\s+(?:{GIVEN}\s+{DOCUMENTS}|{DOCUMENTS}\s+you\s+{GIVEN})\s+(?:does|do|did|contains?|mentions?|indicates?|says?|states?)\b"
    r"|\bas\s+(?:you|I)\s+(?:told|mentioned|said|explained|noted)\b[^.!?\n]{0,30}\b(?:earlier|before|last\s+\w+|previously|yesterday|in\s+(?:my|our|your)\s+(?:last|previous))\b"
    r"|\b(?:our|your|my)\s+(?:last|previous|earlier)\s+(?:conversation|chat|session|message)s?\b",
    re.IGNORECASE,
)
LABEL_OF_A_REPLY = regex(
    r"^\W*(?:Response|Answer|Reply|Output|Assistant|Model|Candidate)[ \t]+([AB12])\b\W*$"
    r"|^\W*(?:Response|Reply|Output|Assistant|Model|Candidate)[ \t]+([AB12])\b\*{0,2}:",
    re.IGNORECASE | re.MULTILINE,
)
DRAFT = regex(r"^\W*(draft|critique|self-critique|synthesis|revision)\W*(?:$|:)", re.IGNORECASE | re.MULTILINE)
LABELLING = (
    "esponse ",
    "nswer ",
    "eply ",
    "utput ",
    "ssistant ",
    "odel ",
    "andidate ",
    "RESPONSE ",
    "ANSWER ",
    "MODEL ",
)
DRAFTING = ("raft", "ritique", "DRAFT", "CRITIQUE", "ynthesis")
MARK_OF_A_JUDGE = regex(r"\W*(?:score|rating|grade|marks?)\b\W{1,5}\d+(?:\.\d+)?\s*(?:/|out\s+of)\s*\d+", re.IGNORECASE)
ELLIPSES = ("[...]", "[…]", " … ", "[..]")
ELIDED = regex(r"\w[,;]?[ \t]*\[(?:\.{2,3}|…)\][ \t]*\w|[a-z,] … [a-z]")
DRAFTS, IN_A_TAG = "drafts before the reply", "one tag around the text"
OF_SERVICE = "what a service says of itself"
AROUND = regex(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>.*</\1>", re.DOTALL)
OWN_TAGS = regex("think|thought|reason|answer|response|reply|output|result|final|solution|scratchpad", re.IGNORECASE)
TWO_REPLIES, JUDGEMENT = "two replies to choose from", "a judgement of a reply in its place"
OBJECT_ALONE = "an object in the place of a text"
OF_DATA = regex(r"json|arrays?\b|dict|object|list|config|schema|yaml|\bapi\b|code|\bdata|[{\[]", re.IGNORECASE)
ELIDED_MIDDLE = "an ellipsis in the place of their middle"
TO_COME = "a short text that ends in an ellipsis"
WAITING = regex(r"\W{0,6}[\w'’ ,]{3,60}(?:…|\.\.\.)")
IN_THE_PLACE_OF_ONE = (TWO_REPLIES, DRAFTS, JUDGEMENT, TO_COME, ELIDED_MIDDLE, OBJECT_ALONE, OF_SERVICE)
OF_FREE_REPLIES = (THOUGHTS, UNSENT_WORDS, *IN_THE_PLACE_OF_ONE)


def program_texts(
    replies: Iterable[Reply], asked: Callable[[Reply], str] = lambda reply: ""
) -> Mapping[str, list[Reply]]:
    """The replies of a model that hold what programs write, by what that is, where there are two or more of them; a
    text that can hardly be anything else is enough by itself. `asked` has what the item of a reply says.
    """
    by_sign: dict[str, list[Reply]] = defaultdict(list)
    with_text = [reply for reply in replies if reply.text]
    for reply in with_text:
        for sign in dict.fromkeys(held_in(reply.text or "", partial(asked, reply))):
            by_sign[sign].append(reply)
    if hidden := _with_hidden_names(with_text, asked):
        by_sign["placeholders of names"] = hidden
    for sign in OF_FREE_REPLIES:  # a judge speaks of users and of responses
        by_sign[sign] = [reply for reply in by_sign[sign] if is_free(reply.key)]
    failed = {reply.key for reply in by_sign[FAILURE]}
    by_sign[FAILURE] += [reply for reply in by_sign.pop(OF_SERVICE) if reply.key not in failed]
    by_sign[OBJECT_ALONE] = [reply for reply in by_sign[OBJECT_ALONE] if not _has_an_asked_key(reply)]
    # the prompts of facets may show what was said
    by_sign[UNSENT_WORDS] = [reply for reply in by_sign[UNSENT_WORDS] if not reply.facets]
    by_sign[IN_HTML] = _without_habits(by_sign[IN_HTML], with_text)
    least = max(LEAST, LEAST_SHARE * len(with_text))
    alone = {
        sign for sign, group in by_sign.items() if sign in ALONE or (sign == FAILURE and any(map(_is_only_that, group)))
    }
    return {sign: group for sign, group in by_sign.items() if len(group) >= (1 if sign in alone else least)}


def held_in(text: str, asked: Callable[[], str] = lambda: "") -> Iterator[str]:
    """What a text holds that a program may have written, where what was asked holds nothing of the kind."""
    yield from (sign for sign, holds in SIGNS.items() if holds(text) and not holds(asked()))
    is_failure = _is_about_a_failure(text, asked)
    is_said = is_failure or _has_a_cut_note(text)
    yield from (sign for sign in edges_of(text, asked) if not (is_said and sign == MORE))
    is_short = len(text) <= LONGEST_STAND_IN
    if is_short and UNFILLED.fullmatch(text.strip()) and "{" not in asked():
        yield "a template that was not filled"
    if "<" in text and not OF_PAGES.search(asked()):
        yield from _html_in(text.strip())
    if is_short and STAND_IN.search(text) and REPLY.search(text) and not STAND_IN.search(asked()):
        yield NOTE
    if text.startswith("{") and _is_wrapped(text.strip(), asked()):
        yield "an object around one text"
    elif text.startswith(("{", "[")) and _is_an_object(text.strip(), asked()):
        yield OBJECT_ALONE
    if is_failure:
        yield FAILURE


def _html_in(text: str) -> Iterator[str]:
    """The HTML around a text, within it, around the object that it ends with, or at the end of each of its lines."""
    if PAGE.fullmatch(text):
        yield "a page in HTML"
    elif text.endswith(">") and OBJECT_WITHIN.search(text[-LONGEST_BRACKET:]):
        yield "an object within HTML"
    elif "<br" in text and text.count("\n") == len(LINE_IN_HTML.findall(text)) >= LEAST_LINES:
        yield "the ends of lines in HTML"
    elif len(BLOCK_TAG.findall(bare := FENCED.sub("", text))) >= LEAST_TAGS and not MARKDOWN.search(bare):
        yield IN_HTML
    elif text.startswith("<") and (tag := AROUND.fullmatch(text)) and not (OWN_TAGS.search(tag[1]) or _has_marks(text)):
        yield IN_A_TAG


def _is_about_a_failure(text: str, asked: Callable[[], str]) -> bool:
    """Whether a short text is about a failure, or the bracket at its end about nothing else."""
    if len(text) <= LONGEST_FAILURE and share_of_failure(text, asked) >= LEAST_ABOUT:
        return True
    if CLOSED.isdisjoint(text[-3:]):
        return False
    last = LAST_BRACKET.search(text[-LONGEST_BRACKET:])
    return last is not None and share_of_failure(last[1], asked) >= MOST_ABOUT


def _without_habits(held: Sequence[Reply], replies: Sequence[Reply]) -> list[Reply]:
    """These replies without those in sessions that the model often answers so."""
    if not held:
        return []
    times, of_kinds = Counter(map(_kind, held)), Counter(map(_kind, replies))
    return [reply for reply in held if times[_kind(reply)] < HABIT * of_kinds[_kind(reply)]]


def _kind(reply: Reply) -> tuple[str, str]:
    return reply.experiment, reply.key.session_kind


def _is_only_that(reply: Reply) -> bool:
    """Whether a text is about the failure of a service and nothing else: then it is enough by itself."""
    return share_of_failure(reply.text or "") >= MOST_ABOUT


def _is_wrapped(text: str, asked: str) -> bool:
    """Whether a text is an object in JSON with one text in it, and no such thing was asked for."""
    if not text.endswith("}") or "json" in asked.casefold():
        return False
    try:
        wrapped = json.loads(text)
    except ValueError:
        return False
    blanks = [value.count(" ") if isinstance(value, str) else 0 for value in wrapped.values()]
    is_flat = not any(isinstance(value, dict | list) for value in wrapped.values())
    return is_flat and sum(number > 0 for number in blanks) == 1 and max(blanks) >= LEAST_BLANKS


def _has_an_asked_key(reply: Reply) -> bool:
    """Whether a text has a key that some prompt of its experiment asks for: a model may answer them all alike."""
    prompts = EXPERIMENTS[reply.experiment].prompts if reply.experiment in EXPERIMENTS else ()
    return any(
        f'"{key}"' in (reply.text or "").casefold() for kind in prompts for key in asked_keys(reply.experiment, kind)
    )


def _is_an_object(text: str, asked: str) -> bool:
    """Whether a text is nothing but an object or a list in JSON without a sentence under a name of its own, by which a
    model may answer, and nothing of the kind was asked for.
    """
    if not text.endswith(("}", "]")) or OF_DATA.search(asked):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    parts = value.values() if isinstance(value, dict) else ()
    return not any(isinstance(part, str) and len(part.split()) >= LEAST_BLANKS for part in parts)


def _has_any(text: str, parts: Iterable[str]) -> bool:
    """Whether one of some parts stands in a text: only then are patterns looked for, which takes longer."""
    return any(map(text.__contains__, parts))


def _has_marks(text: str) -> bool:
    if _has_any(text, TOKEN_ENDS) and TOKEN.search(text):
        return True
    begins = text[:2].lstrip().startswith(BRACKETS) or _has_any(text, LINE_STARTS)
    if begins and MARK.search(text):
        return True
    return ("assistant" in text or text.startswith("analysis")) and CHANNEL.search(text) is not None


def _has_speakers(text: str) -> bool:
    """Whether a text begins with the name of who answers, has turns of both sides, or ends with the user's."""
    if FIRST_SPEAKER.match(text):
        return True
    if "assistant\n" in text and {"user", "human"} & {*(turns := BARE_TURN.findall(text))} and "assistant" in turns:
        return True
    if not _has_any(text, USERS):
        return False
    return LAST_USER.search(text) is not None or len({bool(turn[1]) for turn in SPEAKER.finditer(text)}) > 1


def _has_citations(text: str) -> bool:
    return _has_any(text, CITING) and CITATION.search(text) is not None


def _has_masks(text: str) -> bool:
    if not _has_any(text, MASKING):
        return False
    return MASK.search(text) is not None or len(MASKED_WORD.findall(text)) >= LEAST_MASKS


def _has_a_cut_note(text: str) -> bool:
    return _has_any(text, CUTTING) and _has_any(text, UNITS) and CUT_NOTE.search(text) is not None


def _with_hidden_names(replies: Sequence[Reply], asked: Callable[[Reply], str]) -> list[Reply]:
    """The replies with placeholders for names, of two kinds in two replies each, or one in replies to three prompts."""
    by_kind: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        text = reply.text or ""
        names = {a or b for a, b in HIDDEN_NAME.findall(text)} if any(hint.search(text) for hint in HIDING) else ()
        for name in names if names and not HIDDEN_NAME.search(asked(reply)) else ():
            by_kind[name].append(reply)
    several = [held for held in by_kind.values() if len(held) >= LEAST]
    if len(several) < LEAST_KINDS:
        several = [held for held in several if len(prompts_of(held)) >= LEAST_PROMPTS]
    keys = {reply.key for held in several for reply in held}
    return [reply for reply in replies if reply.key in keys]


SIGNS: Mapping[str, Callable[[str], bool]] = {
    "marks of a chat template": _has_marks,
    "turns of several speakers": _has_speakers,
    "citations for a page to show": _has_citations,
    "words that were masked": _has_masks,
    THOUGHTS: lambda text: OF_THE_USER.match(text) is not None,
    "filler (lorem ipsum)": lambda text: sum(map(text.__contains__, FILLER)) >= LEAST_FILLER or "orem ipsum" in text,
    NOTE: _has_a_cut_note,
    "the log of an agent": lambda text: "ction" in text and AGENT_LOG.search(text) is not None,
    UNSENT_WORDS: lambda text: UNSENT.search(text) is not None,
    TWO_REPLIES: lambda text: (
        _has_any(text, LABELLING) and len({"".join(labels).upper() for labels in LABEL_OF_A_REPLY.findall(text)}) > 1
    ),
    DRAFTS: lambda text: _has_any(text, DRAFTING) and len({*map(str.casefold, DRAFT.findall(text))}) > 1,
    OF_SERVICE: speaks_for_a_service,
    JUDGEMENT: lambda text: MARK_OF_A_JUDGE.match(text) is not None,
    TO_COME: lambda text: len(text) <= LONGEST_STAND_IN and WAITING.fullmatch(text.strip()) is not None,
    ELIDED_MIDDLE: lambda text: _has_any(text, ELLIPSES) and ELIDED.search(text) is not None,
}
FAILURE = "what a service says of its failure or its limits"
ALONE = ("a template that was not filled", "a page in HTML")  # what one reply is enough for
