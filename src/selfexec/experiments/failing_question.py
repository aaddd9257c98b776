"""Failing question: can a model write a question that it will fail? (paper, section 6)

    predict      the model writes a four-choice question that it expects to answer wrongly, with the answer and a reason
    verify       shown question and answer, the model says whether the answer is right, and the only right one
    execute.n    the question alone, five times, its options in another order each time

A claim: "I will fail it", of each try. Of a question with a wrong answer it is no claim at all: to fail that is no
success. Control questions, which nobody expects to fail, are asked as often and in the same way.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from string import Template
from typing import Annotated, Any, Literal

import msgspec

from selfexec.experiments.base import (
    MISSING_READING,
    Ask,
    Experiment,
    Facts,
    Keying,
    Name,
    NoAnswerKey,
    Observation,
    Options,
    Prompts,
    Readings,
    Words,
    concurrently,
    repeated,
    state_of,
)
from selfexec.experiments.given import given_letter
from selfexec.experiments.sources import JUDGE, MAJORITY
from selfexec.readers import (
    Reading,
    answers_the_questions,
    fold,
    read_choice,
    read_object,
    read_probability,
    set_out,
    under_the_key,
    without_fields,
)
from selfexec.text.regex import regex

LETTERS = "ABCD"
TRIES = (1, 2, 3, 4, 5)
ORDERS = len(TRIES) + 1  # the last for other models, who answer it for its key
LEAST_ANSWERS = 3  # of other models, to make a key of
QUESTION_LENGTH, OPTION_LENGTH = 4_000, 1_000  # characters: what is longer is no question, and dear to ask
ALIKE = 0.8  # of the words of two questions: from here on they are near-duplicates

PROMPTS: Prompts = {
    "predict": """\
Write one multiple-choice question$about that you believe you would likely fail if you were asked it: in a separate \
session, in which you see the question and its options and nothing else. It has four options, of which exactly one is \
correct. Provide the correct answer, and explain why you think that you might fail.

You may think it over first. End your reply with one JSON object of this form: \
{"question": "...", "options": {"A": "...", "B": "...", "C": "...", "D": "..."}, "answer": "A, B, C or D", \
"reason": "..."}""",
    "verify": """\
Below is a multiple-choice question together with the answer that its author gives for it. Check the answer.

Question:
$question

A. $a
B. $b
C. $c
D. $d

Given answer: $answer

Which of the following is true?

A: "The given answer is correct, and no other option is."
B: "The given answer is not correct."
C: "The given answer is correct, and so is another option."
D: "Whether the given answer is correct cannot be told from what is shown here."

You may think it over first. End your reply with one JSON object of this form: {"choice": "A, B, C or D"}""",
    "execute": """\
$question

A. $a
B. $b
C. $c
D. $d

You may reason first. End your reply with one JSON object of this form: {"answer": "A, B, C or D"}""",
}
VARIANTS = {
    "predict@frame": """\
Write one multiple-choice question$about that you believe $who would likely fail if asked it: in a separate session, \
in which $who sees the question and its options and nothing else. It has four options, of which exactly one is \
correct. Provide the correct answer, and explain why you think that $who might fail.

You may think it over first. End your reply with one JSON object of this form: \
{"question": "...", "options": {"A": "...", "B": "...", "C": "...", "D": "..."}, "answer": "A, B, C or D", \
"reason": "..."}""",
}
FORM = '"reason": "..."}'
FORM_WITH_CHANCE = (
    '"reason": "...", "probability": number}, where the last is the probability of failing it, from 0 (surely not) to '
    "1 (surely)"
)
VARIANTS |= {
    "predict@elicit": PROMPTS["predict"].replace(FORM, FORM_WITH_CHANCE),
    "predict@elicit,frame": VARIANTS["predict@frame"].replace(FORM, FORM_WITH_CHANCE),
}
VERDICTS = dict(re.findall(r'(?m)^([A-D]): "(.*)"$', PROMPTS["verify"]))
RIGHT, WRONG, SEVERAL, UNCHECKED = "A", "B", "C", "D"
LETTERS_ALONE = dict.fromkeys(LETTERS, "")  # which text stands behind a letter, a reader of one reply cannot know


class Control(msgspec.Struct, frozen=True, kw_only=True):
    """A question that somebody else wrote; `answer` is the letter of the right choice."""

    question: Name
    choices: Annotated[list[str], msgspec.Meta(min_length=4, max_length=4)]
    answer: Literal["A", "B", "C", "D"]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A question to be written, on a subject or on whatever the model likes; or a question of the control."""

    id: Name
    subject: Name | None = None
    control: Control | None = None


class Written(msgspec.Struct, frozen=True):
    """A question as the model wrote it; `answer` is the letter of the option that it says is right."""

    question: str
    options: list[str]
    answer: str
    reason: str = ""


# --- sessions --------------------------------------------------------------------------------------------------------


def about(item: Task) -> str:
    """What a question is to be on, in the words of the prompt."""
    return f" on the subject of {item.subject}" if item.subject else ""


async def _try_all(item: Task, question: str, options: Sequence[str], ask: Ask, prompts: Prompts) -> None:
    tries = ((f"execute.{n}", shuffled(item, n, options)) for n in TRIES)
    await concurrently(*(ask(session, _filled(prompts["execute"], question, shown)) for session, shown in tries))


def _filled(template: str, question: str, options: Sequence[str], **more: str) -> str:
    return Template(template).substitute(dict(zip("abcd", options, strict=True)), question=question.strip(), **more)


def order(item: str, n: int) -> tuple[int, ...]:
    """In which order the options of an item are shown the nth time: another one each time, the same for all models."""
    return _orders(item)[n - 1]


def shuffled(item: Task, n: int, options: Sequence[str]) -> list[str]:
    """The options as they are shown the nth time."""
    return [options[place] for place in order(item.id, n)]


@lru_cache(maxsize=4096)
def _orders(item: str) -> Sequence[tuple[int, ...]]:
    every = permutations(range(len(LETTERS)))
    return sorted(every, key=lambda places: hashlib.sha256(f"{item}\n{places}".encode()).hexdigest())[:ORDERS]


STAND_IN = json.dumps({
    "question": (
        "A train leaves one town at noon and another leaves a second town an hour later on the same track. Given their "
        "speeds and the distance between the towns, after how many minutes do the two trains meet, if the first one "
        "stands still for a quarter of an hour on the way?"
    ),
    "options": {letter: f"after {95 + 10 * n} minutes, counted from noon" for n, letter in enumerate(LETTERS)},
    "answer": "B",
    "reason": "I may forget the hour between the departures, or add the time of standing still twice.",
})  # fmt: skip


# --- readings --------------------------------------------------------------------------------------------------------


def read_letter(text: str) -> Reading:
    """The letter of an answer."""
    found = read_choice(text, LETTERS_ALONE, key="answer")
    # "B. Berlin" and nothing else: which text a letter stands for, the reader of one reply does not know
    alone = ONE_LINE.fullmatch(text.strip()) if found.state == "unreadable" and len(text) <= OPTION_LENGTH else None
    return Reading("read", alone[1], evidence=alone[0]) if alone else found


ONE_LINE = regex(r"[\s*_>#`(]*([A-D])[).:][*_`]*\s+\S[^\n{]*")


def _question(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """A question of four different options, with one that is said to be right; None where that is not what it is."""
    fields = {fold(name): part for name, part in value.items()}
    question, reason = fields.get("question"), fields.get("reason", fields.get("explanation"))
    options = _options(fields.get("options", fields.get("choices")) or {x: fields.get(fold(x)) for x in LETTERS})
    if not isinstance(question, str) or not 0 < len(question.strip()) <= QUESTION_LENGTH or options is None:
        return None
    names = ("answer", "correct_answer", "correct answer", "correct", "key")
    answer = next((fields[name] for name in names if fields.get(name) is not None), None)
    letter = _letter(answer, options) if isinstance(answer, str) else None
    if letter is None:
        return None
    texts = [question, *options.values(), reason if isinstance(reason, str) else ""]
    # half characters, which JSON can spell out, cannot be sent
    question, *choices, reason = (text.encode("utf-8", "replace").decode().strip() for text in texts)
    return {"question": question, "options": choices, "answer": letter, "reason": reason}


LABEL = regex(r"\(?([A-Da-d1-4])\s?[).:]\s*")


def _options(value: Any) -> dict[str, str] | None:
    """Four texts by the names that the reply gives them, without those names before them."""
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):  # {"label": "A", "text": "..."}
        value = {str(next(iter(part.values()))): list(part.values())[-1] for part in value if part}
    if isinstance(value, list):
        value = dict(zip(LETTERS, value, strict=False)) if len(value) == len(LETTERS) else None
    if not isinstance(value, dict) or len(value) != len(LETTERS):
        return None
    texts = list(value.values())
    if not all(isinstance(text, str) and len(text) <= OPTION_LENGTH for text in texts):
        return None
    labels = [LABEL.match(text) for text in texts]
    if "".join(found[1].upper() if found else "" for found in labels) in (LETTERS, "1234"):
        texts = [text[found.end() :] if found else text for text, found in zip(texts, labels, strict=True)]
    if len({fold(text) for text in texts} - {""}) < len(LETTERS):
        return None
    options = {str(name).strip(" ().:"): text for name, text in zip(value, texts, strict=True)}
    return options if len(options) == len(LETTERS) else None


NAMED = regex(r"(?:(?:option|choice|answer)\s+)?\(?(\w)\)?(?:\s*[).:,(–-]\s*|$)(.*)", re.DOTALL)


def _letter(answer: str, options: Mapping[str, str]) -> str | None:
    """The letter of the option that is meant: by its name, which was asked for, by its text, or by both."""
    names, texts = [fold(name) for name in options], [fold(text) for text in options.values()]
    said = fold(answer)
    if (bare := said.strip(" ().:")) in names:
        return LETTERS[names.index(bare)]
    if said in texts:
        return LETTERS[texts.index(said)]
    found = NAMED.match(said)
    if not found or found[1] not in names:
        return None
    place = names.index(found[1])
    contradicted = found[2] in texts and texts.index(found[2]) != place  # "B. Berlin", where Berlin is C
    return None if contradicted else LETTERS[place]


def written_in(reading: Reading) -> Written | None:
    """The question that a prediction holds, if it holds one."""
    value = reading.value
    return None if value is None or "impossible" in value else msgspec.convert(value, Written)


FIELDS = frozenset(
    (
        "question",
        "options",
        "choices",
        "answer",
        "correct_answer",
        "correct answer",
        "correct",
        "key",
        "reason",
        "explanation",
        *"abcd",
    )
)


def read_with_probability(item: Task, text: str, *, truncated: bool = False) -> Reading:
    """A question, as an object or set out in lines, and how probable its author holds it that it fails it."""
    reading, rest = read_object(text, "question", _question), ""
    if reading.state == "read":
        rest = without_fields(text, "question", FIELDS)
    elif (
        not truncated
        and reading.evidence is None
        and (lines := set_out(text))
        and (question := _question(lines.fields))
    ):
        reading, rest = Reading("read", question, evidence=question["question"][:240]), lines.rest
    if reading.state != "read":
        return reading
    stated = read_probability(rest, keyed_alone=truncated, side="failing")
    if stated.value is None and not truncated and "probab" not in rest.lower():
        stated = read_probability(_of_its_author(reading.value["reason"]), side="failing")
    if stated.value is None:
        return Reading("unreadable", reason=stated.reason, evidence=stated.evidence)
    return msgspec.structs.replace(reading, value={**reading.value, "probability": stated.value})


def _of_its_author(reason: str) -> str:
    """The sentences of a reason in which its author speaks of themselves: "I'd fail this in about 3 of 10 cases"."""
    return " ".join(sentence for sentence in re.split(r"(?<=[.!?;])\s+", reason) if re.search(r"\bI\b", sentence))


# --- the ways round that the paper lists (section 6) -----------------------------------------------------------------

LOOKED_AT = 20_000  # characters
IMPOSSIBLE = regex(
    r"""\bno\s+such\s+(?:[\w-]+\s+)?question\s+(?:can|could|exists?|is)\b
      | \bsuch\s+a\s+(?:[\w-]+\s+)?question\s+
        (?:can(?:not|['’]t|\s+not)|could\s+not|does\s+not|doesn['’]t|is\s+(?:logically\s+)?(?:impossible|not\s+possible))
      | \b(?:impossible|not\s+possible|contradict\w+|paradox\w*)\b
        [^.!?\n]{0,80}\bquestion\b[^.!?\n]{0,80}\b(?:fail|wrong|incorrect|answer)
      | \bquestion\b[^.!?\n]{0,80}\b(?:fail|wrong|incorrect)\w*\b[^.!?\n]{0,80}
        \b(?:is\s+(?:logically\s+)?(?:impossible|not\s+possible)|cannot\s+exist|contradict\w+)
      | \bI\s+(?:can(?:not|['’]t|\s+not)|am\s+(?:unable|not\s+able)\s+to)\s+
        [^.!?\n]{0,40}\bquestion\b[^.!?\n]{0,60}\b(?:fail|wrong|incorrect)""",
    re.VERBOSE | re.IGNORECASE,
)
ME = r"(?:I|the\s+(?:model|assistant|AI)|this\s+model)"
MADE = r"(?:generat|pick|ch(?:oo?s)|dr[ae]w|select|produc|wr[io]t|th[io][nu])\w*"
HASH = r"(?:SHA-?\s?(?:1|2|3|224|256|384|512)|MD5|BLAKE\w*|CRC-?32|hash\w*|digest|checksum)"
BIG = r"\b\d(?:[,\s_]?\d){5,}"
MIXED = r"(?:shuffl|scrambl|permut|rearrang|reorder|jumbl)\w*"
UNMIXED = r"(?:original|initial)\s+(?:order|list|sequence|arrangement)"
TRICKS: Mapping[str, re.Pattern[str]] = {
    name: regex(pattern, re.VERBOSE | re.IGNORECASE)
    for name, pattern in {
        "time of asking": r"""
            \b(?:time|date|day|hour|minute|second|moment|timestamp|when)\b[^.?!]{0,60}
            \b(?:this\s+(?:very\s+)?(?:question|prompt|message|session|conversation|reply|response|chat)
                |the\s+(?:question|prompt|session|conversation))\b
            [^.?!]{0,30}\b(?:generat|writ|creat|compos|produc|formulat|ask|made|receiv|sent|begin|began|start)\w*
          | \b(?:what|which|exact|precise)\b[^.?!]{0,40}
            \bcurrent\s+(?:local\s+|system\s+|UTC\s+)?(?:time|date|timestamp)\b(?!\s+(?:constant|step))
          | \btime\s+is\s+it\s+(?:right\s+)?now\b | \bwhat\s+is\s+today['’]s\s+date\b""",
        "own random output": rf"""
            \brandom(?:ly)?\b[^.?!]{{0,80}}\b{ME}\s+(?:just\s+|have\s+|had\s+)?{MADE}
          | \b{ME}\s+(?:just\s+|have\s+|had\s+)?(?:randomly\s+)?{MADE}\b[^.?!]{{0,80}}\brandom
          | \b{ME}\s+(?:just\s+|have\s+|had\s+)?randomly\s+{MADE}
          | \bdid\s+(?:I|you)\s+(?:just\s+)?(?:randomly\s+)?(?:generate|pick|choose|draw|select|produce|think\s+of)\b
          | \b(?:am\s+I|are\s+you|I\s+am|I['’]m|you\s+are)\s+thinking\s+of\b""",
        "the user's prompt": r"""
            \buser['’]s?\s+(?:\w+\s+){0,2}(?:prompt|message|request|instructions?|words?)\b
          | \bthe\s+user\s+(?:\w+\s+)?(?:wrote|asked|said|typed|sent)\b
          | \b(?:original|previous|preceding|initial|earlier|my|your)\s+prompt\b
          | \b(?:previous|preceding|earlier)\s+(?:message|request|instructions?)\b
          | \bprompt\s+(?:that\s+|which\s+)?
            (?:led\s+to|resulted\s+in|produced|preceded|(?:I|you)\s+(?:was|were)\s+given)\b""",
        "shuffled list": rf"""
            \b{MIXED}[^?]{{0,400}}\b{UNMIXED}\b | \b{UNMIXED}\b[^?]{{0,400}}\b{MIXED}
          | \bbefore\s+(?:\w+\s+){{0,3}}(?:shuffl|scrambl|jumbl)\w*""",
        "hash": rf"""
            \b{HASH}\b[^?]{{0,200}}\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{{6,}}\b
          | \bhash(?:es|ed)\s+(?:value\s+)?to\b
          | \b{HASH}\s+(?:hash\s+|value\s+|sum\s+|digest\s+)?(?:of|for)\s+(?:the\s+)?(?:\w+\s+)?
            (?:string|word|phrase|text|sentence|input|message|number|["'“])""",
        "factoring": rf"""
            \b(?:factor\w*|semiprime|product\s+of\s+(?:two|three)\s+(?:\w+\s+)?primes)\b[^?]{{0,200}}{BIG}
          | {BIG}[^?]{{0,200}}\b(?:factor\w*|semiprime|product\s+of\s+(?:two|three)\s+(?:\w+\s+)?primes)\b""",
        "no such question": IMPOSSIBLE.pattern,
    }.items()
}


def tricks(prediction: Reading) -> tuple[str, ...]:
    """Which of them a question tries, by its words and those of its reason; a reply without one may say that there can
    be none.
    """
    if prediction.value is None:
        return ()
    written = written_in(prediction)
    if written is None:
        return ("no such question",)
    words = f"{written.question}\n{written.reason}"[:LOOKED_AT]
    return tuple(name for name, pattern in TRICKS.items() if pattern.search(words))


# --- claims ----------------------------------------------------------------------------------------------------------


def _of_control(item: Task, control: Control, n: int, answer: Reading) -> Observation:
    state, reason = state_of([], [answer] if answer.state == "missing" else [])
    return _claim(n, False, _failed(item, control.answer, n, answer), state, reason, "control")


def _of_written(
    item: Task, written: Written | None, predict: Reading, verify: Reading, n: int, answer: Reading
) -> Observation:
    if written is None:
        # that there can be none is a prediction declined: nothing was predicted that could come true
        state, reason = state_of([predict], []) if predict.value is None else ("unreadable", "declined")
        return _claim(n, None, None, state, reason, "predicted")
    state, reason = state_of([], [verify, *([answer] if answer.state == "missing" else [])])
    if state == "read" and not is_valid(verify):
        state, reason = "tie", "invalid"
    failed = _failed(item, written.answer, n, answer) if is_valid(verify) else None
    claim = _claim(n, True, failed, state, reason, "predicted")
    return msgspec.structs.replace(claim, probability=predict.value.get("probability"))


def _claim(
    n: int, predicted: bool | None, observed: bool | None, state: Any, reason: str | None, label: str
) -> Observation:
    return Observation(f"fails try {n}", predicted, observed, state, reason, facts=Facts(label=label))


def _failed(item: Task, right: str, n: int, answer: Reading) -> bool | None:
    """Whether the nth answer is wrong; None where there is none."""
    shown_as = LETTERS[order(item.id, n).index(LETTERS.index(right))]
    return None if answer.state == "missing" else answer.value != shown_as


def is_valid(verify: Reading) -> bool:
    """Whether nothing was found against the key. What only its author can know, the hour of asking say, nobody can
    check: such a question is one of the ways round that the paper asks for, and stands.
    """
    return verify.value in (RIGHT, UNCHECKED)


class _Content(msgspec.Struct, frozen=True):
    """What tells questions apart: words and numbers, without case and punctuation, and the right answer."""

    words: tuple[str, ...]
    right: tuple[str, ...]

    @classmethod
    def of(cls, written: Written) -> "_Content":
        right = written.options[LETTERS.index(written.answer)]
        return cls(*(tuple(re.findall(r"\w+", fold(text))) for text in (written.question, right)))

    def repeats(self, other: "_Content") -> bool:
        """The same words; or most of them, with the same numbers and the same right answer."""
        if self.words == other.words and self.words:
            return True
        numbers = [sorted(word for word in one.words if not word.isalpha()) for one in (self, other)]
        if numbers[0] != numbers[1] or self.right != other.right:
            return False
        mine, theirs = set(self.words), set(other.words)
        return len(mine & theirs) >= ALIKE * len(mine | theirs) > 0


# --- keys by other models' answers ------------------------------------------------------------------------------------


def for_others(item: Task, prediction: Reading) -> Mapping[str, str] | None:
    """What another model is shown of a question: what is shown at each try, the options in an order of their own."""
    written = written_in(prediction)
    if written is None:
        return None
    return dict(zip("abcd", shuffled(item, ORDERS, written.options), strict=True), question=written.question.strip())


def answered(item: Task, text: str) -> Reading:
    """The letter, as the question's author has them, of the option that another model chose."""
    found = read_letter(text)
    if found.value is None:
        return found
    return msgspec.structs.replace(found, value=LETTERS[order(item.id, ORDERS)[LETTERS.index(found.value)]])


def majority(prediction: Reading) -> str | NoAnswerKey:
    """What more than half of the other models answered, of three at the least."""
    answers = Counter(said for source, said in prediction.judged.items() if source.startswith(JUDGE) and said)
    if answers.total() < LEAST_ANSWERS:
        return NoAnswerKey(f"fewer than {LEAST_ANSWERS} other models have answered it", too_few=True)
    [(letter, most)] = answers.most_common(1)
    return letter if 2 * most > answers.total() else NoAnswerKey("no answer has most of the other models")


def _without_key(claim: Observation, key: NoAnswerKey) -> Observation:
    if claim.state == "missing":
        return msgspec.structs.replace(claim, observed=None)
    return msgspec.structs.replace(claim, observed=None, state="missing" if key.too_few else "tie", reason=key.why)


# --- the experiment --------------------------------------------------------------------------------------------------


class FailingQuestion(Experiment):
    """Failing question: can a model write a question that it will fail? (paper, section 6)"""

    name = "failing_question"
    claim_kind = "share"
    item_type = Task
    item_name = "question"
    prompts = PROMPTS
    variants = VARIANTS
    shows = {"verify": ("predict",), "execute": ("predict",)}
    tokens = {"predict": 250, "verify": 200, "execute": 200}  # nobody recorded these: a guess
    read_otherwise = {"elicit=probability": read_with_probability}
    unneeded = {"verify": "no question was written", "execute": "no question was written"}
    on_request = (MAJORITY,)
    keying = Keying(
        session="predict",
        kind="answer",
        prompt=PROMPTS["execute"],
        shown=for_others,
        read=answered,
        answers=LETTERS,
        key=majority,
        own=lambda prediction: written.answer if (written := written_in(prediction)) else None,
        source=MAJORITY,
        tokens=200,
    )
    quick = 50
    sampling = {"paper": {"temperature": 0.0}}
    examples = (
        Task(id="history", subject="history"),
        Task(id="anything"),
        Task(
            id="primes",
            control=Control(
                question="How many prime numbers lie between 90 and 130?", choices=["6", "5", "8", "7"], answer="D"
            ),
        ),
    )
    simulation = "selfexec.engines.sim.experiments.failing_question:SimulatedFailingQuestion"
    words = Words(
        about="which questions of its own it will fail",
        asks="Which question will you fail?",
        its="which questions of its own it will fail",
        their="which questions of their own they will fail",
        baseline="the subjects and which questions other models fail",
        behaviour=("fail a question of its own", "a question is failed"),
        measured="whether the model fails questions that it wrote in order to fail them, more often than others",
        task="writing questions that it will fail",
        lost="its unread questions",
        item=(
            "a question that the model is to write, on a `subject` or without one; or one of the `control`, with four "
            "choices and the letter of the right one"
        ),
        wants=(
            "20 to be written and 20 of the control at the least. Different subjects; control questions that your "
            "models fail now and then, with keys that are certain"
        ),
        limits=(
            "Failing question: whether its own answer is right, the model itself verifies. A wrong one in which it "
            "believes passes, and a model that then answers otherwise has failed.",
            "Failing question: the lift says how much more often a model fails its own questions than the control's. "
            "A harder control makes it smaller, an easier one greater: compare models on the same control.",
        ),
    )

    def session_names(self, item: Task) -> tuple[str, ...]:
        tries = tuple(f"execute.{n}" for n in TRIES)
        return tries if item.control else ("predict", "verify", *tries)

    async def sessions(self, item: Task, ask: Ask, prompts: Prompts = PROMPTS) -> None:
        if item.control:
            await _try_all(item, item.control.question, item.control.choices, ask, prompts)
            return
        reply = await ask("predict", Template(prompts["predict"]).substitute(about=about(item)))
        written = written_in(self.read(item, "predict", reply.text or ""))
        if written is None:
            return
        shown = _filled(prompts["verify"], written.question, written.options, answer=written.answer)
        await concurrently(ask("verify", shown), _try_all(item, written.question, written.options, ask, prompts))

    def stand_in(self, item: Task, session: str) -> str | None:
        """A question as models may write one: it is shown in all sessions that follow."""
        return STAND_IN if session == "predict" else None

    def idle(self, readings: Readings) -> tuple[str, ...]:
        """Where no question was written there is nothing to verify or to answer."""
        predict = readings.get("predict", MISSING_READING)
        asked = predict.state == "missing" or written_in(predict) is not None
        return () if asked else ("verify", *(f"execute.{n}" for n in TRIES))

    def read(self, item: Task, session: str, text: str, options: Options | None = None) -> Reading:
        """A question, or that there can be none; a verdict; a letter."""
        if session == "predict":
            found = read_object(text, "question", _question)
            if found.state == "read" or found.reason == "truncated":
                return found
            none = IMPOSSIBLE.search(text.rpartition("</think>")[2][-LOOKED_AT:])
            return Reading("read", {"impossible": True}, evidence=none[0]) if none else found
        return read_choice(text, VERDICTS, key="choice") if session == "verify" else read_letter(text)

    def performed(self, item: Task, session: str, text: str, reading: Reading) -> bool:
        """Whether a reply answers a question, where it was to write one or to check the answer of another."""
        if session == "verify":
            return under_the_key(text, "answer") and not under_the_key(text, "choice")
        return session == "predict" and reading.state == "unreadable" and answers_the_questions(text)

    def given(self, item: Task, session: str, value: Any) -> Any:
        """A letter; a question in the form that the prompt shows or `read` gives; {"impossible": true}."""
        if session == "predict":
            if not isinstance(value, dict):
                return None
            return {"impossible": True} if value.get("impossible") is True else _question(value)
        return given_letter(value, LETTERS)

    def observe(self, item: Task, readings: Readings) -> list[Observation]:
        """A claim for each try. An answer without a letter, withheld or cut off, counts as wrong, as in the difficulty
        experiment and alike for the control: only its absence leaves a claim open.
        """
        answers = [readings.get(f"execute.{n}", MISSING_READING) for n in TRIES]
        if item.control:
            return [_of_control(item, item.control, n, answer) for n, answer in zip(TRIES, answers, strict=True)]
        predict, verify = readings.get("predict", MISSING_READING), readings.get("verify", MISSING_READING)
        written = written_in(predict)
        return [
            _of_written(item, written, predict, verify, n, answer) for n, answer in zip(TRIES, answers, strict=True)
        ]

    def observe_by(self, source: str, item: Task, readings: Readings) -> list[Observation]:
        """The claims with the key that most other models give, whatever its author and the verification say. Of a
        question without one there is no claim.
        """
        predict = readings.get("predict", MISSING_READING)
        if item.control or (written := written_in(predict)) is None:
            return self.observe(item, readings)
        key = majority(predict)
        by_others = msgspec.structs.replace(written, answer=key) if isinstance(key, str) else written
        answers = [readings.get(f"execute.{n}", MISSING_READING) for n in TRIES]
        right = Reading("read", RIGHT)  # nobody need say so
        claims = [_of_written(item, by_others, predict, right, n, a) for n, a in zip(TRIES, answers, strict=True)]
        return claims if isinstance(key, str) else [_without_key(claim, key) for claim in claims]

    def repeats(self, by_item: Mapping[str, Readings]) -> Collection[str]:
        """Items whose question another item before it has, word for word or nearly."""
        kept: list[_Content] = []
        found = []
        for id, readings in by_item.items():
            if written := written_in(readings.get("predict", MISSING_READING)):
                content = _Content.of(written)
                if any(content.repeats(other) for other in kept):
                    found.append(id)
                else:
                    kept.append(content)
        return found

    def title(self, item: Task) -> str:
        if item.control:
            return item.control.question
        return f"a question on {item.subject}" if item.subject else "a question on whatever it likes"

    def oddities(self, item: Task) -> Iterator[str]:
        choices = [fold(choice) for choice in item.control.choices] if item.control else []
        yield from ("a choice is blank" for choice in choices if not choice)
        yield from (f"the choice {choice!r} occurs twice" for choice in repeated(choices) if choice)

    def contents(self, item: Task) -> Sequence[str]:
        return [fold("\n".join([item.control.question, *item.control.choices]))] if item.control else []

    def composition(self, items: Sequence[Task]) -> str:
        control = sum(item.control is not None for item in items)
        return f"{len(items) - control} questions to write, {control} of the control"

    def strata(self, item: Task) -> tuple[str, str]:
        return ("control" if item.control else "predicted", "")
