"""Simulated models reply by the rates of their profile: over thousands of made-up items, as often as worked out."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from selfexec.engines.sim import Knowledge, questions, traits
from selfexec.engines.sim.engine import SimRespondent
from selfexec.engines.sim.experiments import failing_question
from selfexec.engines.sim.experiments.association import FILLERS, listed
from selfexec.engines.sim.experiments.association import marks as marks_of
from selfexec.engines.sim.experiments.failing_question import tried as tried_question
from selfexec.engines.sim.experiments.failing_question import written
from selfexec.engines.sim.experiments.restriction import answers
from selfexec.engines.sim.questions import RIGHT_BELOW, hardness, question_id, solved, tokens_for
from selfexec.engines.sim.questions import letter as letter_of
from selfexec.engines.sim.questions import ranked as ranked_by
from selfexec.engines.sim.shapes import BROKEN, DECLINED, REFUSALS
from selfexec.engines.sim.simulation import ShownResult, SimTask, simulation_of
from selfexec.engines.sim.traits import EVERYONE, How, Profile
from selfexec.engines.sim.truth import cells, lookings, order_accuracy, recalling
from selfexec.experiments import Message, messages_of
from selfexec.experiments.restriction import JUDGING, OPTIONS
from selfexec.readers import read_choice, read_marks, read_object, read_ranking, read_words

REQUESTS = [f"Request {n}?" for n in range(400)]
CHOICES = ["w", "x", "y", "z"]
KNOWN = Knowledge(
    {
        "options": {"Moon": ["tide", "cheese"]},
        "labels": dict.fromkeys(REQUESTS, "unsafe"),
        "keys": {question_id(f"Question {n}?", CHOICES): "ABCD"[n % 4] for n in range(600)},
        "controls": {f"Control {n}?": CHOICES[n % 4] for n in range(600)},
    }
)
SURE = Profile("sure", "knows all of itself, and never errs in form", breaks=0.0, common=0.0, noise=0.0, ranks=1.0)
SURE = replace(SURE, recall=1.0, specificity=1.0)
SURE = replace(SURE, lists_recall=1.0, lists_specificity=1.0)
MIXED = replace(SURE, common=0.5, kind="mine", kindred=0.4, noise=0.2, knows_common=0.7, answers_unsafe=0.4, ranks=0.8)
MIXED = replace(MIXED, recall=0.9, specificity=0.7, heeds_frame=0.5, unthinking=0.4, learns=0.5)


def task(name: str, about: str, *parts: str, **more: object) -> SimTask:
    """What is asked in the session of this name, by `association.predict`."""
    return SimTask(*name.split("."), about, parts, **more)  # type: ignore[arg-type, misc]


def said(
    profile: Profile, name: str, about: str, *parts: str, epoch: int = 1, thinks: bool = True, **more: object
) -> str:
    asked = task(name, about, *parts, **more)
    return SimRespondent(profile, 7, KNOWN).reply(messages_of("Well?"), epoch, asked, thinks).text or ""


def near(found: int, n: int, rate: float) -> bool:
    return abs(found - n * rate) <= 4 * math.sqrt(n * rate * (1 - rate)) + 1e-9


# --- requests --------------------------------------------------------------------------------------------------------


def predicts(model: SimRespondent, request: str, epoch: int = 1, thinks: bool = True, **more: object) -> bool:
    asked = task("restriction.predict", request, **more)
    text = model.reply(messages_of(f"Would you? {request}"), epoch, asked, thinks).text or ""
    return read_choice(text, OPTIONS["predict"], key="choice").value == "A"


OWN, OTHERS = "itself is shown", "another is shown"


@pytest.mark.parametrize(
    ("looks_at", "told"),
    [
        *(("itself", told) for told in ("as usual", "of another", "at once", OWN, OTHERS)),
        *(("models", "as usual"), ("kind", "as usual"), ("kind", "of another")),
    ],
)
def test_predictions_and_outcomes_go_together_as_often_as_the_rates_say(looks_at: str, told: str) -> None:
    profile = replace(MIXED, looks_at=looks_at)
    model = SimRespondent(profile, 7, KNOWN)
    results = []
    for n in range(3):
        does = answers(model, REQUESTS[n], 1) == (told == OWN)
        results.append(ShownResult("restriction", REQUESTS[n], OPTIONS["judge"]["A" if does else "B"]))
    more = {"who": "another model"} if told == "of another" else {"shown": tuple(results)} if "shown" in told else {}
    found: Counter[tuple[bool, bool]] = Counter()
    for request in REQUESTS:
        found[predicts(model, request, thinks=told != "at once", **more), answers(model, request, 1)] += 1
    # of what models in general and its kind do, four ways are possible; each is as often as chance has it
    expected = np.zeros(4)
    looking = lookings(recalling(profile) if told == OWN else profile, told == "of another", told != "at once")
    for share, one in looking:
        for generally, by_kind in ((True, True), (True, False), (False, True), (False, False)):
            weight = np.prod([0.4 if way else 0.6 for way in (generally, by_kind)])
            expected += share * weight * np.array(cells(one, "answers", generally, by_kind, 0.4, early=True))
    counts = [found[cell] for cell in ((True, True), (True, False), (False, True), (False, False))]
    assert all(near(count, len(REQUESTS), rate) for count, rate in zip(counts, expected, strict=True))


def test_who_knows_itself_surely_predicts_each_request() -> None:
    model = SimRespondent(replace(SURE, answers_unsafe=0.5), 7, KNOWN)
    outcomes = [answers(model, request, 1) for request in REQUESTS[:100]]
    assert [predicts(model, request) for request in REQUESTS[:100]] == outcomes
    assert outcomes == [answers(model, request, 2) for request in REQUESTS[:100]]  # nothing is drawn afresh
    assert near(sum(outcomes), 100, 0.5)
    # of a request that it does not know it takes three in four for answered
    assert near(sum(predicts(model, f"Unheard of {n}") for n in range(400)), 400, 0.75)


def test_who_does_what_all_do_and_does_not_know_what_that_is_predicts_by_a_coin() -> None:
    requests = REQUESTS[:400]
    for knows, rate in ((0.0, 0.5), (0.4, 0.7), (1.0, 1.0)):
        model = SimRespondent(replace(SURE, answers_unsafe=0.5, common=1.0, knows_common=knows), 7, KNOWN)
        agree = sum(predicts(model, request) == answers(model, request, 1) for request in requests)
        assert near(agree, len(requests), rate)


def test_results_of_its_own_are_those_of_the_first_epoch() -> None:
    # wrong about each request, but where it knows results of its own when it sees them
    wrong = replace(SURE, answers_unsafe=0.5, recall=0.0, specificity=0.0, learns=1.0)
    steady, noisy = SimRespondent(wrong, 7, KNOWN), SimRespondent(replace(wrong, noise=0.5), 7, KNOWN)
    changing = [request for request in REQUESTS if answers(noisy, request, 1) != answers(noisy, request, 2)]
    assert len(changing) > 50
    for request in changing[:20]:
        for epoch, learns in ((1, True), (2, False)):
            told = OPTIONS["judge"]["A" if answers(noisy, request, epoch) else "B"]
            predicted = predicts(noisy, REQUESTS[0], shown=(ShownResult("restriction", request, told),))
            assert (predicted == answers(steady, REQUESTS[0], 1)) == learns


def test_another_epoch_seed_or_frame_is_another_draw_and_the_same_one_is_the_same() -> None:
    profile = replace(MIXED, recall=0.5, specificity=0.5, unthinking=1.0)

    def all_of(seed: int = 7, **told: object) -> list[bool]:
        model = SimRespondent(profile, seed, KNOWN)
        return [predicts(model, request, **told) for request in REQUESTS[:60]]  # type: ignore[arg-type]

    told: Sequence[dict[str, object]] = ({}, {"seed": 8}, {"epoch": 2}, {"who": "a"}, {"who": "b"}, {"thinks": False})
    drawn = [all_of(**one) for one in told]  # type: ignore[arg-type]
    assert all(one != other for n, one in enumerate(drawn) for other in drawn[:n])
    assert all_of() == drawn[0]


def test_a_judge_knows_a_refusal_from_an_answer() -> None:
    model = SimRespondent(replace(SURE, answers_unsafe=0.5), 7, KNOWN)
    for request in REQUESTS[:20]:
        response = model.reply(messages_of(request), 1, task("restriction.execute", request)).text or ""
        assert any(refusal in response for refusal in REFUSALS) != answers(model, request, 1)
        judged = read_choice(said(SURE, "restriction.judge", response), OPTIONS["judge"], key="choice").value
        assert judged == ("A" if answers(model, request, 1) else "B")


# --- form ------------------------------------------------------------------------------------------------------------


def test_predictions_are_declined_and_break_as_often_as_they_should_and_behaviour_never_does() -> None:
    profile = replace(SURE, declines=0.3, breaks=0.2)
    model = SimRespondent(profile, 7, KNOWN)
    texts = [model.reply(messages_of(r), 1, task("restriction.predict", r)).text for r in REQUESTS]
    assert near(sum(text in DECLINED for text in texts), len(texts), 0.3)
    assert near(sum(text in BROKEN for text in texts), len(texts), 0.2)
    outcomes = [model.reply(messages_of(r), 1, task("restriction.execute", r)).text for r in REQUESTS[:100]]
    assert not set(outcomes) & {*DECLINED, *BROKEN}


def test_a_word_that_it_was_told_is_remembered_when_it_is_asked_for_later_in_the_conversation() -> None:
    model = SimRespondent(SURE, 7, KNOWN)
    told = [Message("user", f'The code word is "{word}".') for word in ("kelp", "moss")]
    wanted = Message("user", "What was the code word?")
    assert model.reply([told[0], Message("assistant", "I see."), told[1], wanted]).text == "moss"
    assert model.reply([told[0], wanted]).output_tokens == 2  # four letters are a token, and one more
    # not where it is told and asked in one, nor where it is not asked, nor where it was never told
    assert model.reply([Message("user", f"{told[0].content} What was the code word?")]).text != "kelp"
    assert model.reply([told[0], Message("user", "Well?")]).text != "kelp"
    assert model.reply([Message("user", "Hello!"), wanted]).text


# --- words -----------------------------------------------------------------------------------------------------------


def test_five_words_are_listed_the_options_that_it_lists_first_and_none_twice() -> None:
    options = [f"option {n}" for n in range(8)]
    targets = [f"target {n}" for n in range(100)] + ["Echo"]
    known = Knowledge({"options": dict.fromkeys(targets[:-1], options) | {"Echo": ["Signal", *options[:2]]}})
    model = SimRespondent(replace(SURE, lists=0.3), 7, known)
    total = 0
    for target in targets:
        words = listed(model, target, 1)
        own = [word for word in known["options"][target] if word in words]
        assert words[: len(own)] == own and len(words) == max(5, len(own)) == len(set(words))
        assert set(words[len(own) :]) <= set(FILLERS) - {
            "echo" if target == "Echo" else "",
            "signal" if target == "Echo" else "",
        }
        total += sum(word in options for word in own) if target != "Echo" else 0
        asked = task("association.predict", target, *known["options"][target])
        predicted = read_marks(model.reply(messages_of("Well?"), 1, asked).text or "", known["options"][target]).value
        assert predicted == {word: word in own for word in known["options"][target]}
    assert near(total, 8 * 100, 0.3)
    assert len({tuple(listed(model, f"nothing is known of {n}", 1)) for n in range(100)}) == len(FILLERS)
    reply = model.reply(messages_of("List!"), 1, task("association.execute", targets[0])).text or ""
    assert read_words(reply).value == listed(model, targets[0], 1)


def test_who_copies_says_yes_to_the_first_half_and_to_requests_and_ranks_as_shown() -> None:
    copies = replace(SURE, copies=True)
    marks = read_marks(said(copies, "association.predict", "Sun", "a1", "b2", "c3"), ["a1", "b2", "c3"]).value
    assert marks == {"a1": True, "b2": True, "c3": False}
    assert predicts(SimRespondent(copies, 7, KNOWN), "Anything")
    assert read_ranking(said(copies, "difficulty.predict", "some", "i", "j", "k", "l")).value == [
        "Q1",
        "Q2",
        "Q3",
        "Q4",
    ]


# --- questions -------------------------------------------------------------------------------------------------------


def test_tokens_grow_with_hardness_and_start_again_among_the_wrong_ones() -> None:
    # 40 e^(4.6 x) + 1000 x, where x goes from 0 to 1 up to .75, and again from there to 1
    assert (tokens_for(0.0), tokens_for(0.375), tokens_for(0.75)) == (40, 898, 4979)
    assert (tokens_for(0.875), tokens_for(1.0)) == (898, 4979)
    assert tokens_for(0.7501) < 45


def test_one_question_in_four_is_answered_wrongly_with_any_other_letter() -> None:
    model = SimRespondent(SURE, 7, KNOWN)
    off: Counter[int] = Counter()
    for n in range(600):
        letter, tokens = solved(model, f"Question {n}?", CHOICES, 1)
        off[("ABCD".index(letter) - n) % 4] += 1
        assert 40 <= tokens <= 4979
        reply = model.reply(messages_of("Well?"), 1, task("difficulty.execute", f"Question {n}?", *CHOICES))
        if n < 50:
            given = read_choice(reply.text or "", dict(zip("ABCD", CHOICES, strict=True)), key="answer").value
            assert (given, reply.output_tokens) == (letter, tokens)
    assert near(off[0], 600, RIGHT_BELOW)
    assert all(near(off[n], 600, 0.25 / 3) for n in (1, 2, 3))
    # a question that nobody knows has some key, each as often
    unknown = Counter(solved(model, f"Unheard of {n}", CHOICES, 1)[0] for n in range(600))
    assert all(near(unknown[letter], 600, 0.25) for letter in "ABCD")


def test_who_knows_itself_ranks_by_what_it_takes_wrong_answers_last() -> None:
    model = SimRespondent(SURE, 7, KNOWN)
    for first in range(0, 60, 4):
        questions = [f"Question {n}?" for n in range(first, first + 4)]
        took = [solved(model, question, CHOICES, 1) for question in questions]
        wrong = ["ABCD".index(letter) != (first + n) % 4 for n, (letter, _) in enumerate(took)]
        order = sorted(range(4), key=lambda n: (wrong[n], took[n][1]))
        ids = tuple(question_id(question, CHOICES) for question in questions)
        ranked = read_ranking(
            model.reply(messages_of("Rank!"), 1, task("difficulty.predict", str(first), *ids)).text or ""
        ).value
        assert ranked == [f"Q{n + 1}" for n in order]


@pytest.mark.parametrize("looks_at", ["itself", "models", "kind"])
@pytest.mark.parametrize("thinks", [True, False])
def test_pairs_are_ranked_rightly_as_often_as_the_rates_say(looks_at: str, thinks: bool) -> None:
    profile = replace(MIXED, looks_at=looks_at)
    model = SimRespondent(profile, 7, KNOWN)
    right = 0
    for first in range(0, 600, 2):
        questions = [f"Question {n}?" for n in (first, first + 1)]
        hard = []
        for n, question in enumerate(questions, first):
            letter, tokens = solved(model, question, CHOICES, 1)
            hard.append(("ABCD".index(letter) != n % 4, tokens))
        ids = tuple(question_id(question, CHOICES) for question in questions)
        text = model.reply(messages_of("Rank!"), 1, task("difficulty.predict", str(first), *ids), thinks).text or ""
        right += (text.rfind("Q1") < text.rfind("Q2")) == (hard[0] < hard[1])
    rate = sum(share * order_accuracy(one) for share, one in lookings(profile, thinks=thinks))
    assert near(right, 300, rate)


def test_questions_of_the_control_are_failed_as_often_as_it_errs_and_its_own_as_often_as_it_fails() -> None:
    profile = replace(SURE, errs=0.3, fails=0.6, noise=0.5)
    model = SimRespondent(profile, 7, KNOWN)

    def missed(question: str, right: str, choices: Sequence[str]) -> int:
        reply = model.reply(messages_of("Well?"), 1, task("failing_question.execute", question, *choices))
        letters = dict(zip("ABCD", choices, strict=True))
        assert 40 <= (reply.output_tokens or 0) <= 4979
        given = read_choice(reply.text or "", letters, key="answer").value
        return (list(letters).index(given) - list(choices).index(right)) % 4

    control = Counter(missed(f"Control {n}?", CHOICES[n % 4], CHOICES) for n in range(600))
    sums = [(f"What is {n} + {n + 1}?", str(2 * n + 1)) for n in range(1000, 1400)]
    own = Counter(missed(question, right, ["1", right, "3", "4"]) for question, right in sums)
    for found, n, rate in ((control, 600, 0.3), (own, 400, 0.6)):
        assert near(n - found[0], n, rate)
        assert all(near(found[off], n, rate / 3) for off in (1, 2, 3))


def test_what_it_writes_is_verified_as_right_wrong_or_beyond_checking() -> None:
    profile = replace(SURE, own_random=0.3, wrong_keys=0.25)
    model = SimRespondent(profile, 7, KNOWN)
    verdicts: Counter[tuple[str, bool]] = Counter()
    for epoch in range(1, 301):
        text = model.reply(messages_of("Write!"), epoch, task("failing_question.predict", "law")).text or ""
        found = read_object(text, "question", lambda value: value).value
        options = list((found.get("options") or {}).values()) or found["choices"]
        letter, question = found["answer"][0], found["question"]
        random = question.startswith("Which letter")
        if not random:
            one, two = (int(word.strip("?")) for word in question.split() if word[0].isdigit())
            assert 1000 <= min(one, two) <= max(one, two) < 10_000
            assert options == [str(one + two - 10), str(one + two), str(one + two + 10), str(one + two + 100)]
        asked = task("failing_question.verify", question, *options, letter)
        reply = model.reply(messages_of("Well?"), 1, asked).text or ""
        verdict = read_choice(reply, {"A": "It is right.", "B": "It is wrong.", "C": "-", "D": "-"}, key="choice").value
        right = random or options["ABCD".index(letter)] == str(one + two)
        assert (verdict in "AD") if right and not random else True
        verdicts[verdict, random] += 1
    assert near(verdicts["A", False], 300, 0.7 * 0.75) and near(verdicts["B", False], 300, 0.7 * 0.25)
    assert near(verdicts["D", True], 300, 0.3 * 0.75) and near(verdicts["B", True], 300, 0.3 * 0.25)
    assert not verdicts["C", True] + verdicts["C", False] + verdicts["A", True] + verdicts["D", False]


# --- draw by draw ----------------------------------------------------------------------------------------------------

USUAL = How(1)


def drawing(monkeypatch: pytest.MonkeyPatch, other: float = 0.5, **drawn: float) -> None:
    """From now on a draw comes out as is said of the first word in it that something is said of."""

    def draw(*parts: object) -> float:
        return next((drawn[str(part)] for part in parts if str(part) in drawn), other)

    patch_draw(monkeypatch, draw)


def patch_draw(monkeypatch: pytest.MonkeyPatch, draw: Callable[..., float]) -> None:
    for module in (traits, questions, failing_question):
        monkeypatch.setattr(module, "draw", draw)


def test_predictions_are_drawn_apart_by_their_epoch_and_by_what_is_asked_otherwise() -> None:
    assert How(3).apart == (3,)
    assert How(3, "another model", False, "its own").apart == (3, "of another model", "at once", "its own")
    assert (How(1, thinks=False).apart, How(1, shown="its own").apart) == ((1, "at once"), (1, "its own"))


def test_it_writes_sums_with_four_options_of_which_it_names_the_right_one_or_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = SimRespondent(replace(SURE, own_random=0.3, wrong_keys=0.2), 7, KNOWN)
    slip = "I may slip when I carry."
    for wrong, letter in ((0.2, "B"), (0.1, "C")):
        drawing(monkeypatch, other=0.25, **{"0": 0.0, "1": 0.5, "2": 0.999, "own random": 0.3, "wrong key": wrong})
        # 1000 + 9000 * 0 and 1000 + 9000 / 2
        question = ("What is 1000 + 5500?", ["6490", "6500", "6510", "6600"], letter, slip)
        assert written(model, "Moon", 9) == question
    for wrong, picked, letter in ((0.2, 0.0, "A"), (0.2, 0.99, "D"), (0.1, 0.99, "A"), (0.1, 0.25, "C")):
        drawing(monkeypatch, **{"2": 0.999, "own random": 0.29, "wrong key": wrong, "picked": picked})
        question = "Which letter did I pick at random when I wrote question 9991?"
        assert written(model, "Moon", 9) == (question, list("KRTW"), letter, "I will not remember it.")


def test_a_question_is_too_hard_above_the_bound_and_not_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model, asked = SimRespondent(SURE, 7, KNOWN), question_id("Question 1?", CHOICES)
    for hard, right in ((RIGHT_BELOW, True), (RIGHT_BELOW + 1e-9, False)):
        drawing(monkeypatch, hardness=hard)
        # B is right; a slip of 0.5 leads past the half of the other three: C, D, A
        assert letter_of(model, asked, hard, model.own) == ("B" if right else "D")
    for slip, letter in ((0.0, "C"), (0.34, "D"), (0.99, "A")):
        drawing(monkeypatch, slip=slip)
        assert letter_of(model, asked, 1.0, model.own) == letter
    drawing(monkeypatch, key=0.99)
    assert letter_of(model, "unheard of", 0.0, model.own) == letter_of(model, "unheard of", 0.0, model.own, "X") == "D"
    assert letter_of(model, "unheard of", 0.0, model.own, "C", "ABC") == "C"
    assert letter_of(model, "unheard of", 0.0, model.own, letters="ABC") == "C"


def test_a_question_of_the_control_is_failed_by_what_is_drawn_of_it_or_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SimRespondent(replace(SURE, errs=0.2, fails=0.6, noise=0.1), 7, KNOWN)

    def tried(question: str, right: str = "x", **drawn: float) -> str:
        drawing(monkeypatch, **{"stirs": 0.1, "slip": 0.0, **drawn})
        return tried_question(model, question, CHOICES, right, 1)[0]

    # Control 1? has the right choice x, which is B
    assert [tried("Control 1?", fails=rate) for rate in (0.19, 0.2)] == ["C", "B"]
    assert [tried("Its own?", fails=rate) for rate in (0.59, 0.6)] == ["C", "B"]
    assert [tried("Control 1?", fails=0.0, slip=slip) for slip in (0.0, 0.4, 0.99)] == ["C", "D", "A"]
    assert [tried("Control 1?", right=right, fails=0.0) for right in "wz"] == ["B", "A"]
    # drawn afresh it fails or not whatever it does else
    assert [tried("Control 1?", stirs=0.09, afresh=rate, fails=1 - rate) for rate in (0.0, 1.0)] == ["C", "B"]
    drawing(monkeypatch, stirs=1.0, fails=1.0, tokens=0.5)
    assert tried_question(model, "Control 1?", CHOICES, "x", 1) == ("B", tokens_for(0.5 * RIGHT_BELOW))


def test_control_questions_are_shared_with_others_and_its_own_are_not() -> None:
    general = SimRespondent(replace(SURE, common=1.0, errs=0.5, fails=0.5), 7, KNOWN)
    another = SimRespondent(replace(SURE, name="another", common=1.0, errs=0.5, fails=0.5), 8, KNOWN)

    def failed(model: SimRespondent, question: str) -> bool:
        return tried_question(model, question, CHOICES, "w", 1)[0] != "A"

    def alike(kind: str) -> int:
        return sum(failed(general, f"{kind} {n}?") == failed(another, f"{kind} {n}?") for n in range(100))

    assert alike("Control") == 100 and near(alike("Its own"), 100, 0.5)


def test_results_of_a_question_are_its_tokens_also_where_nobody_knows_it() -> None:
    model = SimRespondent(SURE, 7, KNOWN)
    known = str(solved(model, "Question 1?", CHOICES, 1)[1])
    assert model._did(ShownResult("difficulty", "Question 1?", "")) == known
    assert model._did(ShownResult("difficulty", "Unheard of?", "")) == str(solved(model, "Unheard of?", [""] * 4, 1)[1])
    assert model._did(ShownResult("association", "Moon", "")) == ", ".join(listed(model, "Moon", 1))


def test_who_has_said_what_shapes_a_reply_and_one_message_alone_is_the_message() -> None:
    model = SimRespondent(SURE, 7, KNOWN)
    asked = task("restriction.execute", "Unheard of?")
    alone = model.reply(messages_of("Well?"), 1, asked)
    heard: list[str] = []

    def replied(asked: SimTask, said: str, epoch: int, thinks: bool) -> tuple[str, int | None]:
        heard.append(said)
        return "A", None

    model._replied = replied  # type: ignore[method-assign]
    model.reply([Message("user", "Well?")], 1, asked)
    model.reply([Message("user", "Well?"), Message("assistant", "So."), Message("user", "And?")], 1, asked)
    assert heard == ["Well?", "user: Well?\nassistant: So.\nuser: And?"] and alone.text
    assert model.reply(messages_of("Well?"), 1, asked).output_tokens == 1  # of one character


def test_a_judge_and_a_classifier_answer_by_the_options_of_their_own_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, object]] = []

    def choice(key: str, letter: str, options: object, shape: float) -> str:
        asked.append((letter, options))
        return letter

    monkeypatch.setattr("selfexec.engines.sim.shapes.choice", choice)
    for kind in ("judge", "classify"):
        assert [said(SURE, f"restriction.{kind}", about) for about in ("So.", REFUSALS[0])] == ["A", "B"]
    judging, classifying = OPTIONS["judge"], JUDGING.options
    assert judging != classifying
    assert asked == [("A", judging), ("B", judging), ("A", classifying), ("B", classifying)]


def test_a_rate_is_reached_by_draws_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SimRespondent(
        replace(MIXED, unthinking=0.4, noise=0.2), 7, KNOWN
    )  # half is common, 0.4 of the rest its kind's
    for shares, who in ((0.49, "everyone"), (0.5, "by_kind"), (0.69, "by_kind"), (0.7, "own")):
        drawing(monkeypatch, shares=shares)
        assert model.who("lists", "x") == {"everyone": EVERYONE, "by_kind": "kind mine", "own": model.own}[who]
    for blind, shares, found in ((0.69, 0.0, False), (0.7, 0.0, True), (0.7, 0.5, False)):
        drawing(monkeypatch, blind=blind, shares=shares)
        assert model.is_blind_to("lists", "x") == found
    for heeds, found in ((0.49, True), (0.5, False)):
        drawing(monkeypatch, heeds=heeds)
        assert model.heeds(How(1, "another"), "x") == found and not model.heeds(How(1), "x")
    for drawn, found in ((0.39, False), (0.4, True)):
        drawing(monkeypatch, unthinking=drawn)
        assert model.guesses(How(1, thinks=False), "x") == found and not model.guesses(How(1), "x")
    for stirs, afresh, drawn, does in ((0.19, 0.29, 1.0, True), (0.19, 0.3, 0.0, False), (0.2, 1.0, 0.29, True)):
        drawing(monkeypatch, other=drawn, stirs=stirs, afresh=afresh, shares=0.9)
        assert model.does("lists", "x", 0.3, 1) == does
    drawing(monkeypatch, other=0.3, stirs=0.2, shares=0.9)
    assert not model.does("lists", "x", 0.3, 1)
    for stirs, hard in ((0.19, 0.1), (0.2, 0.6)):
        drawing(monkeypatch, stirs=stirs, afresh=0.1, hardness=0.6)
        assert hardness(model, "x", 1) == (hard if stirs < 0.2 else 0.6)


def test_what_is_seen_is_said_at_the_rates_of_recall_and_specificity_and_guessed_by_a_coin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # restriction: recall .9, specificity .7; learning takes half of what is left to right
    model = SimRespondent(replace(MIXED, unthinking=0.4), 7, KNOWN)

    def says(does: bool, drawn: float, how: How = USUAL, **others: float) -> bool:
        drawing(monkeypatch, **{"blind": 0.0, "unthinking": 0.9, "predicts": drawn, **others})
        return model.says(does, "answers", "x", how)

    def rate(does: bool, how: How = USUAL, **others: float) -> float:
        """Of a hundred draws, evenly spread, the share at which it says yes."""
        return sum(says(does, (n + 0.5) / 100, how, **others) for n in range(100)) / 100

    assert rate(True) == pytest.approx(0.9) and rate(False) == pytest.approx(0.3)
    learnt = How(1, shown="its own")
    assert rate(True, learnt) == pytest.approx(0.95) and rate(False, learnt) == pytest.approx(0.15)
    at_once, blind = How(1, thinks=False), {"blind": 0.9, "shares": 0.0}
    for does in (True, False):
        assert rate(does, at_once) == rate(does, **blind) == rate(does, at_once, **blind) == pytest.approx(0.5)
    assert says(True, 0.9 - 1e-9) and not says(True, 0.9)
    assert model.learnt(0.25, How(1)) == 0.25 and model.learnt(0.25, learnt) == 0.625


def test_it_looks_at_models_its_kind_or_itself_and_where_it_heeds_at_models(monkeypatch: pytest.MonkeyPatch) -> None:
    whose = {"itself": [EVERYONE, "kind mine", "sure@7"], "models": [EVERYONE] * 3}
    whose["kind"] = [EVERYONE, "kind mine", "kind mine"]
    for looks_at, seen in whose.items():
        model = SimRespondent(replace(MIXED, looks_at=looks_at), 7, KNOWN)  # type: ignore[arg-type]
        for shares, who in zip((0.0, 0.5, 0.9), seen, strict=True):
            drawing(monkeypatch, shares=shares)
            assert model.seen("lists", "x", heeds=False) == who
            assert model.seen("lists", "x", heeds=True) == EVERYONE


def predicted(model: SimRespondent, asked: SimTask, fate: float) -> str:
    simulation = simulation_of(asked.experiment)
    assert simulation
    return model._prediction(simulation, asked, 0.0, fate, USUAL)


def test_a_prediction_is_declined_or_broken_by_one_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SimRespondent(replace(SURE, declines=0.25, breaks=0.25), 7, KNOWN)
    asked = task("restriction.predict", REQUESTS[0])
    kinds = []
    for fate in (0.24, 0.25, 0.49, 0.5):
        text = predicted(model, asked, fate)
        kinds.append("declined" if text in DECLINED else "broken" if text in BROKEN else "said")
    assert kinds == ["declined", "broken", "broken", "said"]


def test_what_is_predicted_of_answers_is_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    def letter(model: Profile, **drawn: float) -> str:
        drawing(monkeypatch, **{"blind": 0.0, "predicts": 0.5, **drawn})
        text = predicted(SimRespondent(model, 7, KNOWN), task("restriction.predict", REQUESTS[0]), 1.0)
        return str(read_choice(text, OPTIONS["predict"], key="choice").value)

    unsafe = replace(SURE, answers_unsafe=0.5)
    assert [letter(unsafe, answers=drawn) for drawn in (0.49, 0.5)] == ["A", "B"]
    assert letter(replace(unsafe, copies=True), answers=1.0) == "A"


def test_who_copies_says_yes_to_the_first_half_of_what_is_shown_rounded_up() -> None:
    model = SimRespondent(replace(SURE, copies=True), 7, KNOWN)
    for n, yes in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3)):
        marks = marks_of(model, "unheard of", "vwxyz"[:n], How(1))
        assert list(marks.values()) == [True] * yes + [False] * (n - yes)
    # words of its own list are held against what is shown
    assert marks_of(model, "Moon", ["cheese", "x", "tide"], How(1)) == {"tide": False, "cheese": True}


def test_it_ranks_by_what_it_sees_or_by_its_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SimRespondent(replace(MIXED, looks_at="itself"), 7, KNOWN)

    def ranked(how: How = USUAL, **drawn: float) -> list[str]:
        def draw(*parts: object) -> float:
            words = [str(part) for part in parts]
            if words[-1] in "ab" or "guess" in words:
                about = next(word for word in words if word in ("a", "b"))
                seen = {"a": 0.9, "b": 0.1}[about]
                if "guess" in words:
                    return 1 - seen
                if words[-2:] == ["hardness", about] and len(words) == 3:
                    return seen
            return next((drawn[word] for word in words if word in drawn), 0.0)

        patch_draw(monkeypatch, draw)
        return ranked_by(model, "shown", ["a", "b"], how)

    by_sight, by_guess = ["Q2", "Q1"], ["Q1", "Q2"]
    assert ranked(ranks=0.79, shares=0.9) == by_sight and ranked(ranks=0.8, shares=0.9) == by_guess
    assert ranked(ranks=0.89, shares=0.9) == by_guess
    assert ranked(How(1, shown="its own"), ranks=0.89, shares=0.9) == by_sight  # half of what was left is learnt
    assert ranked(How(1, thinks=False), ranks=0.0, shares=0.9, unthinking=0.4) == by_guess
    assert ranked(How(1, thinks=False), ranks=0.0, shares=0.9, unthinking=0.39) == by_sight
    assert ranked(ranks=0.0, shares=0.0, blind=0.7) == by_guess  # what all do, and it does not know
    assert ranked(ranks=0.0, shares=0.0, blind=0.69) == by_sight
