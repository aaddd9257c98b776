"""Read a list of words from a reply that says more than that."""

import json
import re
from collections.abc import Iterator

from selfexec.readers.alternatives import left_open
from selfexec.readers.amendments import amended_words
from selfexec.readers.conclusion import conclude, unreadable
from selfexec.readers.nesting import names_an_answer, place, quoted_key, whole_key
from selfexec.readers.notation import plain_text
from selfexec.readers.result import Commitment, Reading, last_of, quoted
from selfexec.readers.scan import lines, matches, places
from selfexec.readers.withdrawal import declines
from selfexec.text.regex import regex

MARKUP = " \t\r*_`\"'“”‘’\\"
LIST = regex(r"\[(?P<body>[^\[\]{}]{0,2000})(?P<close>\])?")
KEYED_LIST = regex(r"words\\?[\"'“”]?\s{0,4}:\s{0,4}\[(?P<body>[^\[\]{}]{0,2000})(?P<close>\])?")
KEYED_STRING = regex(r"words\\?[\"'“”]?\s{0,4}:\s{0,4}\\?\"(?P<body>[^\"\\\n]{1,400})\\?\"(?!\s*,\s*\\?\")")
ALL_QUOTED = regex(r"(?:[\s,]{0,40}\"[^\"'“”\\\n]{0,100}\"){1,60}[\s,]{0,40}")
INLINE = regex(r"(?:^|\s)\(?\d[.)]\s{0,2}([^\d.)\n]{1,60}?)(?=\s+\(?\d[.)]|$)")
QUOTED = regex(
    r"\\?\"((?:[^\"\\\n]|\\[^\"\n]){0,300})\\?\"|[“”]([^“”\n]{0,100})[“”]|(?<!\w)'((?:[^'\n\\]|\\.){0,100})'(?!\w)"
)
BULLET = regex(
    r"[ \t]{0,12}(?:(?:\d{1,2}[.):]|[-*•–]|\|[ \t]{0,4}\d{1,2}[ \t]{0,4}\|)[ \t]{1,8}|\d{1,2}[、．])"
    r"(?P<word>[^\n]{1,200})"
)
EXPLANATION = regex(r"\s+[-–—]\s|\s*[:：(–—|]|\s*->")
COMMAS = regex("[,、،，·;；]|\\s[/|]\\s")
DASHES = regex(r"\s+[-–—•]\s+")
# what leads up to the first word of a row: "I'd say boat, ...", "Harbor makes me think of boat, ..."
LEAD = regex(
    r"^(?:[^,.!]{0,30}[!.]\s+)?[^,]{0,60}?(?:\bI(?:['’]d|['’]ll|\s+would|\s+will)?\s+(?:say|list|choose|pick|name|associate(?:\s+with\s+it|\s+(?:it|this|that|them)\s+with)?|think\s+of|go\s+with)"
    r"|\bmakes\s+me\s+think\s+of|\bbrings\s+to\s+mind|\bcomes?\s+to\s+mind:?|\b(?:words|associations|ones|list|five)\s+(?:are|would\s+be|is)|\bdenke\s+ich\s+an|\bich\s+(?:denke\s+an|nenne|würde\s+\w+)|\bmir\s+fallen\b|\bich\s+(?:assoziiere\s+\w+\s+mit|würde\s+sagen)"
    r"|\bme\s+vienen\s+a\s+la\s+(?:mente|cabeza)|\b(?:yo\s+)?diría|\bje\s+dirais|\bme\s+viennent?\s+à\s+l['’]esprit|\bpienso\s+en|\bje\s+pense\s+à"
    r"|我会?(?:想到|列出|说)(?:的?是)?)\s*",
    re.IGNORECASE,
)
THAT_WOULD_BE = regex(r"(?:that|those|these|they)(?:['’]d|\s+would)\s+be\s+", re.IGNORECASE)
SEPARATED_VERB = regex(r"(?<=\w)\s+ein$")  # "Mir fallen ... ein"
ONE_WORD_SENTENCES = regex(r"\s*(?:[^\W\d_][\w'’-]{0,30}[.!]\s*){5}$")
ENCIRCLED = regex(r"[①-⑤]\s{0,2}([^①-⑤\n]{1,40})")
ORDINAL = regex(
    r"^[ \t]{0,12}(?:[-*•]\s)?[*_]{0,2}(?:first|second|third|fourth|fifth|word\s\d)[*_]{0,2}\s?[:：][*_]{0,2}\s?(?=\S)",
    re.IGNORECASE,
)
# the first column of a table whose head says that it holds the words
COLUMN = regex(
    r"\|\s{0,6}[*_]{0,2}(?:words?|wort|palabra|mot|词语?|associations?)[*_]{0,2}\s{0,6}\|[^\n]{0,200}\n"
    r"[ \t]{0,4}\|[\s|:-]{3,200}\n(?P<rows>(?:[ \t]{0,4}\|[^\n]{1,300}(?:\n|$)){5})(?![ \t]*\|)",
    re.IGNORECASE,
)
AND = regex(r"^(?:and|und|y|e|et)\s+|^和")
AND_LAST = regex(r"\s+(?:and|und|y|e|et)\s+|和")
PLACEHOLDER = regex(r"[.…_\s]*|word\s?\d", re.IGNORECASE)
ASKED_FOR = 5  # words
OPENING = 300  # characters: a reply that refuses says so early
LINE_OF_ITS_OWN = regex(r"[\w’' -]{1,40}[.,]?$")


# pictures before and behind a word, with what joins and varies them
OPENER = regex(
    r"^(?:sure(?:\s+thing)?|ok(?:ay)?|certainly|of\s+course|great|alright|gladly|claro|gerne|bien\s+sûr|好的)\s*[!,.:，！]\s*",
    re.IGNORECASE,
)
# a member with one of these is a piece of a sentence
OF_A_SENTENCE = regex(r"\b(?:I|you|they|it|are|is|was|were|can['’]t|don['’]t)\b")
ENDS_A_ROW = regex(r"\s+[–—]\s+|(?<=[a-z])[.!]\s+(?=[A-Z])")  # "..., and sea. Let me know if"
DECORATION = regex(
    r"^(?:[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]\ufe0f?\u200d?)+\s*(?=\S)"
    r"|(?<=\S)\s*(?:[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]\ufe0f?\u200d?)+$"
)
# {"word1": "...", "word2": "..."}, and a list of objects with a word each
NUMBERED_KEY = regex(
    r"[\"'](?:word)?[ _]?(?P<n>[1-5])[\"']\s{0,4}:\s{0,4}[\"'](?P<word>[^\"'\n{}\[\]]{1,60})[\"']", re.IGNORECASE
)
LIST_OF_OBJECTS = regex(r"words\\?[\"'“”]?\s{0,4}:\s{0,4}\[(?P<body>\s{0,12}\{[^\[\]]{0,2000}\})\s{0,12},?\s{0,12}\]")
WORD_OF_OBJECT = regex(
    r"[\"'](?:word|term|name)[\"']\s{0,4}:\s{0,4}[\"'](?P<word>[^\"\n{}]{1,60}?)[\"'](?=\s{0,4}[,}])"
)


ELEMENT = regex(r"<(?P<tag>\w{1,20})(?:\s[^<>\n]{0,60})?>\s{0,8}(?P<word>[^<>\n]{1,60}?)\s{0,8}</(?P=tag)>")


def weigh_words(text: str) -> Reading:
    """The words that a reply lists: under the key "words", else in brackets, else as a list of lines or commas."""
    plain = plain_text(text, formulas=False)
    for source in (_keyed, _keyed_apart, _in_elements, _bracketed, _bulleted, _separated, _bare_lines):
        if found := [c for c in source(plain) if c.value]:
            if source is not _keyed and declines(plain[:OPENING]):
                # helplines below a refusal are no answer, unless words are announced
                found = [c for c in found if "word" in plain[: c.start].lower()]
            if found and all(_was_cut(plain, c) for c in found):
                return Reading("unreadable", reason="truncated", evidence=quoted(text, found[-1]))
            # where several lists are found, those of the five words that were asked for come before others
            found = [c for c in found if len(c.value) == ASKED_FOR] or found
            if source is _keyed and left_open(plain, found):
                return unreadable(text, last_of(found))
            return conclude(text, [amended_words(plain, last_of(found))] if found else [])
    return conclude(text, [])


def _was_cut(text: str, found: Commitment) -> bool:
    """Whether a list in brackets stops with the reply, before its fifth word."""
    stretch = text[found.start : found.end]
    return len(found.value) < ASKED_FOR and "[" in stretch and "]" not in stretch and not text[found.end :].strip()


def _keyed(text: str) -> Iterator[Commitment]:
    """What stands under the key "words"."""
    for at in places(text, "words"):
        if match := KEYED_LIST.match(text, at):
            words = members(match)
        elif match := KEYED_STRING.match(text, at):
            words = _words(match["body"].split(","))
        else:
            continue
        if _answers(text, at):
            yield Commitment(match.start(), match.end(), words)


def _keyed_apart(text: str) -> Iterator[Commitment]:
    """Five words, each under a key of its own, numbered or in an object of its own."""
    if "{" not in text:
        return
    numbered = [found for found in matches(text, NUMBERED_KEY, '"', "'") if place(text, found.start() + 1).answers]
    numbered.sort(key=re.Match.start)
    if [found["n"] for found in numbered] == list("12345"):
        yield Commitment(numbered[0].start(), numbered[-1].end(), _words([found["word"] for found in numbered]))
    for found in matches(text, LIST_OF_OBJECTS, "words"):
        members_of = [WORD_OF_OBJECT.findall(member) for member in found["body"].split("}")[:-1]]
        if all(len(named) == 1 for named in members_of) and _answers(text, found.start()):
            yield Commitment(found.start(), found.end(), _words([named[0] for named in members_of]))


def _in_elements(text: str) -> Iterator[Commitment]:
    """Five elements of one name, each with a word: "<w>boat</w>"."""
    found = list(ELEMENT.finditer(text)) if "</" in text else []
    if len(found) == ASKED_FOR and len({one["tag"] for one in found}) == 1:
        yield Commitment(found[0].start(), found[-1].end(), _words([one["word"] for one in found]))


def _answers(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    named = not before or before not in "_- " or names_an_answer(whole_key(text, at) + "words")
    return named and place(text, at).answers


def _bracketed(text: str) -> Iterator[Commitment]:
    """Lists in brackets: of themselves, or under a key that names an answer."""
    for found in matches(text, LIST, "["):
        key = quoted_key(text, found.start())
        named = key is None or names_an_answer(key)
        if named and place(text, found.start()).answers:
            yield Commitment(found.start(), found.end(), members(found))


def members(found: re.Match[str]) -> list[str]:
    """The members of a list in brackets that are whole."""
    body = found["body"]
    if ALL_QUOTED.fullmatch(body):  # as most are
        quoted = [word.strip() for word in body.split('"')[1::2]]
    else:
        quoted = [unescaped(next(filter(None, m.groups()), "")) for m in QUOTED.finditer(body)]
    if len(quoted) == 1 and quoted[0].count(",") > 1:
        return _words(quoted[0].split(","))
    if quoted:
        bare = [undecorated(word.strip("*`") if word[:1] in "*`" else word) for word in quoted]
        return [word for word in bare if not PLACEHOLDER.fullmatch(word)]
    # an unquoted member counts only where what follows it shows that it is whole
    parts = body.split(",") if found["close"] else body.split(",")[:-1]
    return _words(parts) if len(parts) > 1 else []


def unescaped(word: str) -> str:
    """A string as JSON means it: 'caf\\u00e9' is 'café'."""
    if "\\" not in word:
        return word.strip()
    try:
        return str(json.loads('"' + word.replace("\\'", "'") + '"')).strip()
    except ValueError:
        return word.strip()


def _bulleted(text: str) -> Iterator[Commitment]:
    """Runs of numbered or bulleted lines at one indentation."""
    run: list[tuple[int, int, str]] = []
    indent = 0
    for at, line in [*lines(text), (len(text), "end")]:
        if found := BULLET.match(ORDINAL.sub("- ", line)):
            depth = len(line) - len(line.lstrip())
            indent = indent if run else depth
            if depth <= indent:
                word = EXPLANATION.split(found["word"].replace("**", ""), maxsplit=1)[0]
                run.append((at, at + len(line), word))
        elif line.strip(" \t,;") and run:
            if len(run) > 1:
                yield _run(run)
            run = []


def _run(run: list[tuple[int, int, str]]) -> Commitment:
    words = _words([word for _, _, word in run])
    # whole sentences are no words
    return Commitment(run[0][0], run[-1][1], words if all(len(word.split()) <= 4 for word in words) else [])


def _separated(text: str) -> Iterator[Commitment]:
    """A line of words with commas between them, alone or behind a colon."""
    for table in COLUMN.finditer(text) if "|" in text else ():
        cells = [row.strip(" |").split("|")[0] for row in table["rows"].strip().split("\n")]
        yield Commitment(table.start(), table.end(), _words(cells))
    if ONE_WORD_SENTENCES.match(text):
        yield Commitment(0, len(text), _words(text.replace("!", ".").split(".")))
    for at, line in lines(text):
        if len(line) > 400 or "?" in line or declines(line) or '":' in line:
            continue  # a refusal, or a piece of an object
        if len(encircled := ENCIRCLED.findall(line)) == ASKED_FOR:
            yield Commitment(at, at + len(line), _words(encircled))
        if len(numbered := INLINE.findall(line)) > 2:
            yield Commitment(at, at + len(line), _words(numbered))
        start = max(line.rfind(":"), line.rfind("：")) + 1
        row = re.sub(r"\*\*|</?\w+>|\([^)]{0,60}\)|[{}]|\$|\\(?:boxed|text)", "", line[start:])
        row = LEAD.sub("", OPENER.sub("", row.strip(" \t|")))
        if (announced := THAT_WOULD_BE.match(row)) and len(COMMAS.split(row)) in (ASKED_FOR, ASKED_FOR - 1):
            row = row[announced.end() :]
        if len(DASHES.split(row.strip(" •"))) != ASKED_FOR:
            row = ENDS_A_ROW.split(row, maxsplit=1)[0]
        parts = _parted(SEPARATED_VERB.sub("", row.strip().rstrip(".。")))
        words = _words([AND.sub("", part.strip()) for part in parts])
        if (
            3 <= len(words) == len(parts) <= 15
            and not (len(words) > 3 and len(words[0].split()) > 2 and all(" " not in word for word in words[1:-1]))
            and not any(map(OF_A_SENTENCE.search, words))
            and all(len(w.split()) <= 3 and len(w) <= 40 for w in words)
        ):
            yield Commitment(at + start, at + len(line), words)


def _parted(row: str) -> list[str]:
    """The members of a row, with the commas of other scripts; "y", "und" and their like part the last two."""
    parts = COMMAS.split(row)
    if len(parts) == 1 and len(apart := DASHES.split(row.strip(" •"))) == ASKED_FOR:
        return apart
    last = AND_LAST.split(parts[-1]) if len(parts) == ASKED_FOR - 1 else []
    return [*parts[:-1], *last] if len(last) == 2 else parts


def _bare_lines(text: str) -> Iterator[Commitment]:
    """A reply that is nothing but a few short lines, or five of them below a line that ends with a colon."""
    found = [undecorated(line.strip(MARKUP)) for _, line in lines(text) if line.strip()]
    if len(found) == ASKED_FOR + 1 and found[0][-1:] in (":", "："):
        del found[0]
        if any(map(OF_A_SENTENCE.search, found)):
            return
    if 3 <= len(found) <= 12 and all(LINE_OF_ITS_OWN.match(line) and len(line.split()) <= 3 for line in found):
        yield Commitment(0, len(text), _words(found))


def undecorated(word: str) -> str:
    """A word without the pictures around it; pictures alone stay."""
    return word if word.isascii() or not any(map(str.isalnum, word)) else DECORATION.sub("", word)


def _words(parts: list[str]) -> list[str]:
    stripped = [undecorated(part.strip(MARKUP + ".,;()\n")).strip(MARKUP + ".,;()\n") for part in parts]
    return [word for word in stripped if not PLACEHOLDER.fullmatch(word)]
