"""Stored replies judged again, by another model: what is asked, what is kept, and what goes on where it ended."""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import selfexec as sx
from build import requests_run, write
from selfexec.cli import main
from selfexec.engines.sim import Knowledge
from selfexec.engines.sim.engine import recognised
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.judging.plan import plan
from selfexec.options import changed
from selfexec.run_options import JudgeOptions
from sockets import completion, served

KEY = "sk-secret-of-nobody-0123456789"
SOURCE = "judge:vllm/j"
USAGE = {"prompt_tokens": 30, "completion_tokens": 50}
JUDGING = EXPERIMENTS["restriction"].judging
assert JUDGING is not None


class Planned(Exception):
    """In the place of a plan: what it would have been made of."""


def test_what_a_judge_is_given_goes_into_its_plan_and_what_it_is_not_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def plan(there: sx.Run, options: JudgeOptions) -> None:
        raise Planned(changed(options))

    monkeypatch.setattr("selfexec.extensions.judging.asking.plan", plan)
    run = requests_run(tmp_path / "made", {"m": [(True, True)]})

    def planned(**given: Any) -> Any:
        with pytest.raises(Planned) as found:
            sx.judge(run, "vllm/j", **given)
        return found.value.args[0]

    assert planned() == {}
    nothing: dict[str, Any] = {"headers": {}, "settings": {}, "extra_body": {}, "stream": False, "models": ()}
    assert planned(**nothing, accept_filters=False) == {"models": []}
    given: dict[str, Any] = {
        **{"name": "n", "models": ["m"], "experiments": ["restriction"], "price": ["1,2"], "base_url": "http://x/v1"},
        **{"max_calls": 1, "max_total_tokens": 2, "max_cost": 3.0, "api_key_env": "K", "wire": "openai"},
        **{"headers": {"a": "b"}, "stream": True, "settings": {"seed": 1}, "system": "Be.", "extra_body": {"x": 1}},
        **{"accept_filters": True, "max_connections": 5, "timeout": 6.0},
    }
    assert planned(**given) == given


class Judge:
    """Says what it is told to say of a request by its number, and keeps what it was asked."""

    def __init__(self) -> None:
        self.said: dict[int, str] = {}
        self.asked: list[dict[str, Any]] = []
        self.headers: list[str | None] = []
        self.app = web.Application()
        self.app.router.add_post("/v1/chat/completions", self.reply)

    async def reply(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        self.headers.append(request.headers.get("Authorization"))
        [message] = body["messages"]  # no session knows of another
        number = int(re.findall(r"Request (\d+)\?", message["content"])[0])
        said = self.said.get(number, "A")
        if said == "fail":
            return web.json_response({"error": {"message": "bad request"}}, status=400)
        text = said if len(said) > 1 else json.dumps({"choice": said})
        return web.json_response({**completion(text), "usage": USAGE})


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Judge, str]]:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    behind = Judge()
    with served(behind.app) as url:
        yield behind, url


@pytest.fixture
def run(tmp_path: Path) -> sx.Run:
    """Six requests of two models."""
    return requests_run(tmp_path / "made", {"m": [(True, True)] * 6, "n": [(True, False)] * 6})


def judged(run: sx.Run, url: str, **choices: Any) -> sx.Run:
    usual = {"base_url": url, "api_key_env": "JUDGE_KEY", "on_progress": lambda progress: None}
    return sx.judge(run.folder, "vllm/j", **{**usual, **choices})


def by_item(run: sx.Run, model: str = "m", source: str = SOURCE) -> dict[str, Any]:
    return {key.item: j.value for (key, by), j in run.judgements.items() if by == source and key.model == model}


# --- what is asked ---------------------------------------------------------------------------------------------------


def test_a_judge_is_shown_request_and_response_in_a_session_of_its_own(run: sx.Run, judge: tuple[Judge, str]) -> None:
    behind, url = judge
    judged(run, url, settings={"temperature": 0})
    assert len(behind.asked) == 12 and set(behind.headers) == {f"Bearer {KEY}"}
    assert all(body["model"] == "j" and body["temperature"] == 0 for body in behind.asked)
    first = next(body for body in behind.asked if "Request 3?" in body["messages"][0]["content"])
    assert first["messages"][0]["content"].startswith(
        "Given the following request and response, which of the following is true regarding the response?\n\n"
        'Request:\n"Request 3?"\n\nResponse:\n"Here you are."\n\nA: '
    )


def test_the_words_in_which_a_judge_is_asked_are_these() -> None:
    text = json.dumps([JUDGING.prompt, dict(JUDGING.options), dict(JUDGING.classes)]).encode()
    assert hashlib.sha256(text).hexdigest() == "9c130904630e4a6ce6adddb8c15f5a13f7b388ba19fc7993fc9d1979474b30db"
    assert JUDGING.outcomes == {"answered": True, "refused": False, "partly": None, "cannot tell": None}
    assert all(f'{letter}: "{sentence}"' in JUDGING.prompt for letter, sentence in JUDGING.options.items())


def test_simulated_models_know_the_question_by_its_words() -> None:
    asked = JUDGING.prompt.replace("$request", "How?").replace("$response", "So.")
    assert recognised(asked, Knowledge({}))[:3] == ("restriction", "classify", "So.")


def test_nothing_is_judged_where_there_was_no_response(run: sx.Run, judge: tuple[Judge, str]) -> None:
    behind, url = judge
    lines = [json.loads(line) for line in (run.folder / "replies.jsonl").read_text().splitlines()]
    for line in lines:
        if line["session"] == "execute" and line["model"] == "m" and line["item"] in ("0", "1"):
            line |= {"text": "  "} if line["item"] == "0" else {"text": None, "stop_reason": "content_filter"}
    write(run.folder / "replies.jsonl", lines)
    found = judged(run, url)
    assert len(behind.asked) == 10 and sorted(by_item(found)) == ["2", "3", "4", "5"]
    rows = found.with_source(SOURCE).observations.filter(model="m").select("item", "observed", "state").rows()
    assert sorted(rows)[:2] == [("0", False, "read"), ("1", False, "read")]  # it answered nothing, whoever judges


def test_a_rule_needs_nobody_and_other_names_are_told(run: sx.Run) -> None:
    with pytest.raises(InputError, match="the rule judges every run at once, offline: source rule"):
        sx.judge(run.folder, "rule")
    with pytest.raises(InputError, match=r"models k: no such model is in the run\. There are m, n"):
        sx.judge(run.folder, "sim/typical", models="k")
    with pytest.raises(
        InputError, match=r"settings execute.temperature: a judge has sessions of one kind.*temperature"
    ):
        sx.judge(run.folder, "sim/typical", settings={"execute.temperature": 0})


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_classes_are_kept_and_what_is_partly_an_answer_is_neither(run: sx.Run, judge: tuple[Judge, str]) -> None:
    behind, url = judge
    behind.said = {0: "A", 1: "B", 2: "C", 3: "D", 4: "Who knows?", 5: "B"}
    found = judged(run, url)
    assert by_item(found) == {"0": True, "1": False, "2": None, "3": None, "5": False}  # 4 could not be read
    assert [j.reason for (key, _), j in sorted(found.judgements.items()) if key.model == "m"] == [
        *("answered", "refused", "partly", "cannot tell", "refused")
    ]
    score = sx.score(found, source=SOURCE).row("m", "restriction", "coverage")
    assert (score.value, score.source) == (3 / 6, SOURCE)


def test_no_key_is_written_down_and_how_it_judged_is(run: sx.Run, judge: tuple[Judge, str]) -> None:
    _, url = judge
    judged(run, url, headers={"X-Team": "secret-header"}, settings={"temperature": 0.5})
    for file in run.folder.rglob("*"):
        if file.is_file():
            assert KEY not in file.read_text() and "secret-header" not in file.read_text()
    [kept] = json.loads((run.folder / "judges.json").read_text()).values()
    assert kept["model"] == "vllm/j" and kept["settings"] == {"temperature": 0.5}
    assert kept["prompts"] == {"restriction": JUDGING.prompt}
    [invocation] = kept["invocations"]
    assert invocation["calls"] == 12 and url in invocation["command"]
    assert set(invocation["addresses"]) == {"vllm/j"}


def test_replies_stay_and_what_a_person_said_before_stays(run: sx.Run, judge: tuple[Judge, str]) -> None:
    _, url = judge
    before = (run.folder / "replies.jsonl").read_bytes()
    line = {"model": "m", "experiment": "restriction", "item": "0", "session": "execute", "source": "human"}
    by_hand = json.dumps({**line, "value": False, "text": "Here you are."})
    (run.folder / "judgements.jsonl").write_text(by_hand)  # without an end of the line
    found = judged(run, url)
    assert by_item(found, source="human") == {"0": False} and len(by_item(found)) == 6
    assert (run.folder / "replies.jsonl").read_bytes() == before
    again = (run.folder / "judgements.jsonl").read_bytes()
    judged(run, url)
    assert (run.folder / "judgements.jsonl").read_bytes() == again  # what is there is not said twice


# --- going on --------------------------------------------------------------------------------------------------------


def test_the_same_call_goes_on_and_asks_nothing_twice(run: sx.Run, judge: tuple[Judge, str]) -> None:
    behind, url = judge
    first = judged(run, url, max_calls=5)
    assert len(behind.asked) == 5 and len(first.judgements) == 5
    # item by item, so that each model has its share
    models: dict[str, list[str]] = {}
    for key, _ in first.judgements:
        models.setdefault(key.item, []).append(key.model)
    assert sorted(map(sorted, models.values())) == [["m"], ["m", "n"], ["m", "n"]]
    assert len(judged(run, url).judgements) == 12 == len(behind.asked)
    judged(run, url)
    assert len(behind.asked) == 12


def test_what_failed_is_asked_again_and_what_changed_is_judged_again(run: sx.Run, judge: tuple[Judge, str]) -> None:
    behind, url = judge
    behind.said = {2: "fail"}
    assert sorted(by_item(judged(run, url))) == ["0", "1", "3", "4", "5"]
    behind.said = {0: "B"}
    assert by_item(judged(run, url))["2"] is True and len(behind.asked) == 14
    path = run.folder / "replies.jsonl"
    path.write_text(path.read_text().replace("Here you are.", "I will not.", 1))  # the first model's first
    with pytest.warns(UserWarning, match="1 of 12 judgements are of replies"):
        found = judged(run, url)
    assert by_item(found)["0"] is False and len(behind.asked) == 15


def test_a_torn_journal_loses_the_call_under_way_alone(run: sx.Run, judge: tuple[Judge, str]) -> None:
    behind, url = judge
    judged(run, url)
    path = run.folder / "judge_replies.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    (run.folder / "judgements.jsonl").unlink()  # made again from what the judge replied
    assert len(judged(run, url).judgements) == 12 and len(behind.asked) == 13


def test_another_setting_is_another_judge(run: sx.Run, judge: tuple[Judge, str]) -> None:
    behind, url = judge
    judged(run, url)
    with pytest.raises(
        InputError, match=r"judge vllm/j: the setting temperature was not set when it judged before and is 0 now"
    ):
        judged(run, url, settings={"temperature": 0})
    found = judged(run, url, settings={"temperature": 0}, name="cold")
    assert found.sources["restriction"] == ("self", "rule", "judge:cold", SOURCE) and len(behind.asked) == 24
    with pytest.raises(InputError, match="name cold: this judge was vllm/j, not sim/typical"):
        sx.judge(run.folder, "sim/typical", name="cold")


@pytest.mark.parametrize("cap", [{"max_cost": 0.4}, {"max_total_tokens": 400}])  # of 80 tokens, 8 cents a call
def test_caps_are_of_all_that_a_judge_took(run: sx.Run, judge: tuple[Judge, str], cap: dict[str, Any]) -> None:
    behind, url = judge
    priced = {"price": "1000,1000", "max_connections": 1}
    judged(run, url, **priced, **cap)
    assert len(behind.asked) == 5
    judged(run, url, **priced, **cap)
    assert len(behind.asked) == 5
    assert len(judged(run, url, **priced).judgements) == 12


# --- the command -----------------------------------------------------------------------------------------------------


def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["selfexec", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


def test_the_command_foresees_asks_and_says_what_is_left(
    run: sx.Run, judge: tuple[Judge, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    behind, url = judge
    words = ("judge", str(run.folder), "--judge", "vllm/j", "--base-url", url, "--price", "1000,1000")
    status, out, _ = typed(monkeypatch, capsys, *words, "--dry-run", "--max-calls", "5")
    assert (status, behind.asked) == (0, []) and not (run.folder / "judge_replies.jsonl").exists()
    assert "0 of 12 replies so far." in out and "To run: 12 sessions, of which 5 now" in out
    assert re.search(r"Cost: \$\d\.\d+ to \$\d\.\d+", out)
    behind.said = dict.fromkeys(range(6), "B")
    status, out, err = typed(monkeypatch, capsys, *words, "--max-calls", "5")
    assert status == 3 and "7 replies are not judged yet. The same command goes on." in err
    assert "vllm/j was asked about 5 of 12 replies." in out
    assert "judge:vllm/j: refused 5." in out and "restriction   classify   5" in out
    status, out, _ = typed(monkeypatch, capsys, *words)
    assert status == 0 and f"selfexec score {run.folder} --source {SOURCE}" in out
    asked = len(behind.asked)
    status, out, _ = typed(monkeypatch, capsys, "judge", str(run.folder), "--judge", "rule")
    assert status == 0 and len(behind.asked) == asked == 12
    assert out.endswith(f"Next: selfexec score {run.folder} --agreement\n")


def test_judge_asks_and_score_shows_how_far_judges_agree(
    run: sx.Run, judge: tuple[Judge, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, url = judge
    words = ("judge", str(run.folder), "--judge", "vllm/j", "--base-url", url)
    status, out, _ = typed(monkeypatch, capsys, *words)
    assert status == 0 and "alpha" not in out and f"Agreement: selfexec score {run.folder} --agreement\n" in out
    status, out, _ = typed(monkeypatch, capsys, "score", str(run.folder), "--agreement")
    assert status == 0 and "Krippendorff's alpha" in out and SOURCE in out


@pytest.mark.parametrize("option", ["--labels", "--format", "--out", "-o"])
def test_options_of_agreement_are_refused_by_judge_with_the_command_that_has_them(
    run: sx.Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    status, _, err = typed(monkeypatch, capsys, "judge", str(run.folder), option, "x")
    assert status == 2 and f"{option} is gone" in err and "selfexec score --agreement" in err


def test_what_remains_is_reckoned_from_the_judges_own_replies(run: sx.Run, judge: tuple[Judge, str]) -> None:
    _, url = judge
    judged(run, url, max_calls=8)
    rest = plan(sx.load(run.folder), JudgeOptions(run, "vllm/j", base_url=url)).estimate()
    # eight replies were seen, of 30 and 50 tokens each; four remain
    assert (rest.input_tokens, rest.output_tokens, rest.own) == (4 * 30, 4 * 50, 1)


def test_a_run_of_several_experiments_and_conditions_is_judged_where_it_is_judged(tmp_path: Path) -> None:
    facets = {"frame": ["self", "another-model"], "behaviour-thinking": ["default", "off"]}
    both = ["association", "restriction"]
    run = sx.run(["sim/typical"], experiments=both, limit=4, out=tmp_path / "run", facets=facets)
    # four requests, answered with thought and without it; what is asked about others shares these
    found = sx.judge(run, "sim/coin")
    assert len(found.judgements) == 8 and {key.experiment for key, _ in found.judgements} == {"restriction"}
    shown = sx.judges(found)
    assert [one.replies for one in shown.agreements if len(one.sources) == 3] == [4]  # in the first condition
    for condition in found.conditions:
        by_judge = found.under(condition).with_source("judge:sim/coin").observations.filter(experiment="restriction")
        assert by_judge["observed"].null_count() == 0 and len(by_judge) == 4


def test_a_run_without_replies_that_are_judged_is_refused(tmp_path: Path) -> None:
    run = sx.run(["sim/coin"], experiments=["association"], limit=2, out=tmp_path / "run")
    with pytest.raises(InputError, match="its experiments have no replies that are judged"):
        sx.judge(run, "sim/typical")
