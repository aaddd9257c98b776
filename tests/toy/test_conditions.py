"""Facets of a package that is not ours: what they touch is asked once for each level, what they do not is shared.

Two models are asked which questions they answer briefly (brevity, 60 items, n is the number of an item):

quiet   answers briefly on odd n, says so of itself on all but n up to 6, where it says the opposite (54 of 60 right);
        of somebody else it always says yes (30 of 60)
hasty   answers briefly on odd n, and on all n when told to be quick; of itself it says odd n, however it is asked
        (60 of 60, and 30 of 60 when told to be quick)
"""

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from aiohttp import web
from click.testing import CliRunner

import selfexec as sx
from build import write
from respondents import items
from selfexec.cli import root
from selfexec.experiments import Key
from selfexec.facets import FACETS, conditions_of, crossed_levels, touching
from selfexec.runs import Run, list_runs, load_readings, reading_lines
from selfexec.runs.design import asked
from selfexec.runs.transcripts import prompts_sent
from sockets import served

pytestmark = pytest.mark.usefixtures("toys")

QUIET, HASTY = "vllm/quiet", "vllm/hasty"
ANOTHER = (("asker", "another"),)
QUICK = (("haste", "quick"),)
BOTH = (("asker", "another"), ("haste", "quick"))


def reply(model: str, prompt: str) -> str:
    found = re.search(r"Question (\d+) on", prompt)
    assert found
    n, quick = int(found[1]), "Be quick." in prompt
    if "at most" not in prompt:
        return "Yes." if n % 2 or (quick and model == "hasty") else "word " * 20
    if "somebody else" in prompt:
        return '{"choice": "A"}'
    said = (n % 2 == 1) != (model == "quiet" and n <= 6)
    return json.dumps({"choice": "A" if said else "B"})


def server(calls: Counter[str]) -> web.Application:
    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        calls[body["model"]] += 1
        prompt = body["messages"][-1]["content"]
        assert body.get("temperature") == (0.25 if "Be quick." in prompt else None)
        text = reply(body["model"], prompt)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 3 + len(prompt) // 4, "completion_tokens": max(len(text) // 4, 1)}
        return web.json_response({"model": body["model"], "choices": [choice], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    return app


@pytest.fixture(scope="module")
def questions(toys: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conditions") / "questions"
    folder.mkdir()
    write(folder / "brevity.jsonl", items()["brevity"])
    return folder


@pytest.fixture(scope="module")
def crossed(questions: Path) -> Run:
    """Both models, in every combination of both facets."""
    with served(server(Counter())) as url:
        return sx.run(
            [QUIET, HASTY],
            items=questions,
            base_url=url,
            facets={"asker": ["self", "another"], "haste": ["none", "quick"]},
            out=questions.parent / "crossed",
        )


def accuracy(run: Run, condition: str, model: str) -> float:
    """By hand, from the table of observations."""
    rows = [
        row for row in run.observations.iter_rows(named=True) if (row["condition"], row["model"]) == (condition, model)
    ]
    assert len(rows) == 60
    return sum(row["predicted"] == row["observed"] for row in rows) / 60


def test_both_facets_are_found_by_their_entry_points_alone() -> None:
    assert {"asker", "haste"} <= {*FACETS}
    assert crossed_levels({"asker": ["self", "another"], "haste": ["quick"]}) == [QUICK, BOTH]
    assert touching(BOTH, "brevity", "execute") == QUICK and touching(BOTH, "brevity", "predict") == BOTH
    assert conditions_of([(), ANOTHER], "habit") == [()]  # asker makes no difference there


def test_what_a_facet_does_not_touch_is_asked_once_for_all_its_levels(crossed: Run) -> None:
    # 60 items: 4 predictions, and 2 executions, as haste alone touches these
    assert Counter((key.session_kind, key.facets) for key in crossed.replies if key.model == QUIET) == {
        **{("predict", facets): 60 for facets in ((), ANOTHER, QUICK, BOTH)},
        **{("execute", facets): 60 for facets in ((), QUICK)},
    }


def test_claims_are_held_against_what_was_done_in_their_own_condition(crossed: Run) -> None:
    found = {
        (condition, model): accuracy(crossed, condition, model)
        for condition in crossed.conditions
        for model in (QUIET, HASTY)
    }
    assert found == {
        ("default", QUIET): 54 / 60,
        ("default", HASTY): 1,
        ("asker=another", QUIET): 0.5,
        ("asker=another", HASTY): 0.5,
        ("haste=quick", QUIET): 54 / 60,
        ("haste=quick", HASTY): 0.5,
        ("asker=another,haste=quick", QUIET): 0.5,
        ("asker=another,haste=quick", HASTY): 1,
    }


def test_a_shared_session_stands_once_in_the_table_and_is_of_every_condition_that_shares_it(crossed: Run) -> None:
    assert len(crossed.sessions) == len(crossed.replies) == 2 * 6 * 60
    assert Counter(zip(crossed.sessions["session"], crossed.sessions["condition"], strict=True)) == {
        **{("predict", condition): 120 for condition in crossed.conditions},
        **{("execute", condition): 120 for condition in ("default", "haste=quick")},
    }


@pytest.mark.parametrize("condition", ["default", "asker=another", "haste=quick", "asker=another,haste=quick"])
def test_a_run_under_one_condition_is_as_if_it_had_been_asked_in_it_alone(crossed: Run, condition: str) -> None:
    narrowed = crossed.under(condition)
    assert narrowed.conditions == (condition,) and not narrowed.unasked
    assert Counter(key.session_kind for key in narrowed.replies) == {"predict": 120, "execute": 120}
    assert not any(key.facets for key in narrowed.replies)
    columns = crossed.observations.columns
    assert narrowed.observations.sort(columns).equals(crossed.observations.filter(condition=condition).sort(columns))
    assert set(narrowed.sessions["condition"]) == {condition}
    sent = prompts_sent(narrowed, narrowed.replies)
    whole = prompts_sent(crossed, crossed.replies)
    assert Counter(sent.values()) <= Counter(whole.values()) and None not in sent.values()


def test_a_run_grows_by_conditions_and_asks_nothing_twice(questions: Path, tmp_path: Path) -> None:
    calls = Counter[str]()
    with served(server(calls)) as url:
        choices = {"items": questions, "base_url": url, "out": tmp_path / "r"}
        sx.run(QUIET, **choices)
        assert calls.total() == 120
        grown = sx.run(QUIET, facets={"asker": "another"}, **choices)
        assert calls.total() == 180  # the executions are there
        again = sx.run(QUIET, facets={"asker": ["self", "another"]}, epochs=2, **choices)
        assert calls.total() == 360
        sx.run(QUIET, facets={"asker": "another"}, epochs=2, **choices)
    assert calls.total() == 360
    assert {condition for *_, condition in grown.asked} == {(), ANOTHER}
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    assert manifest["design"] == [
        {"models": [QUIET], "experiment": "brevity", "epochs": 2},
        {"models": [QUIET], "experiment": "brevity", "epochs": 2, "condition": {"asker": "another"}},
    ]
    assert not again.unasked and list_runs(tmp_path / "r").runs[0].missing == 0


def test_growing_one_condition_by_epochs_makes_nothing_missing_in_another(questions: Path, tmp_path: Path) -> None:
    with served(server(Counter())) as url:
        choices = {"items": questions, "base_url": url, "out": tmp_path / "r"}
        sx.run(QUIET, facets={"asker": "another"}, limit=5, **choices)
        run = sx.run(QUIET, epochs=3, limit=4, **choices)
    states = Counter(zip(run.observations["condition"], run.observations["state"], strict=True))
    assert states == {("default", "read"): 12, ("asker=another", "read"): 5}
    assert list_runs(tmp_path / "r").runs[0].missing == 0


def test_a_run_without_the_default_condition_has_no_claims_in_it(questions: Path, tmp_path: Path) -> None:
    with served(server(Counter())) as url:
        run = sx.run(QUIET, facets={"asker": "another"}, items=questions, base_url=url, out=tmp_path / "r")
    assert run.conditions == ("asker=another",) and len(run.observations) == 60
    imported = asked(None, run.items, run.replies)
    assert list(imported) == [(QUIET, "brevity", ANOTHER)]


def test_replies_that_were_imported_are_of_the_conditions_that_their_facets_tell(crossed: Run, tmp_path: Path) -> None:
    again = sx.import_replies(crossed.folder / "replies.jsonl", items=crossed.folder / "items", out=tmp_path / "i")
    assert again.observations.sort(again.observations.columns).equals(
        crossed.observations.sort(crossed.observations.columns)
    )


def test_prompts_are_kept_as_they_were_asked_in_each_condition(crossed: Run) -> None:
    sent = prompts_sent(crossed, crossed.replies)
    assert all(prompt is not None for prompt in sent.values())
    assert {(key.facets, "somebody else" in str(text), "Be quick." in str(text)) for key, text in sent.items()} == {
        ((), False, False),
        (ANOTHER, True, False),
        (QUICK, False, True),
        (BOTH, True, True),
    }
    assert {name.partition("@")[2] for name in crossed.prompts} == {
        "",
        "asker=another",
        "haste=quick",
        "asker=another,haste=quick",
    }


def test_a_run_of_default_conditions_keeps_its_bytes(questions: Path, tmp_path: Path) -> None:
    with served(server(Counter())) as url:
        run = sx.run(QUIET, items=questions, base_url=url, limit=2, out=tmp_path / "r")
    for name in ("replies.jsonl", "manifest.json", "prompts.json"):
        assert not re.search(r'"(facets|condition)"|\w@', (run.folder / name).read_text())


@pytest.mark.parametrize(
    ("facets", "said"),
    [
        ({"tone": "rude"}, f"unknown facet 'tone'. There are {', '.join(FACETS)}, asker, haste."),
        ({"asker": "nobody"}, "asker nobody: there is no such level. There are self, another."),
    ],
)
def test_a_facet_or_a_level_that_there_is_not_is_refused_by_name(
    facets: dict[str, str], said: str, questions: Path, tmp_path: Path
) -> None:
    with pytest.raises(sx.InputError, match=re.escape(said)):
        sx.run(QUIET, items=questions, base_url="http://127.0.0.1:9/v1", facets=facets, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("facets", "session", "said"),
    [
        ({"tone": "rude"}, "predict", "unknown facet 'tone'"),
        ({"haste": "slow"}, "predict", "the facet 'haste' has no level 'slow'"),
        ({"asker": "another"}, "execute", "makes no difference to brevity execute: leave it out"),
    ],
)
def test_a_line_with_facets_that_its_session_cannot_have_is_refused(
    facets: dict[str, str], session: str, said: str, questions: Path, tmp_path: Path
) -> None:
    line = {"model": "m", "experiment": "brevity", "item": "q1", "session": session, "facets": facets, "text": "Yes."}
    write(tmp_path / "lines.jsonl", [line])
    with pytest.raises(sx.InputError, match=re.escape(said)):
        sx.import_replies(tmp_path / "lines.jsonl", items=questions, out=tmp_path / "i")


def test_a_level_that_is_the_default_one_leaves_no_trace(questions: Path, tmp_path: Path) -> None:
    line = {"model": "m", "experiment": "brevity", "item": "q1", "session": "predict", "text": "{}"}
    write(tmp_path / "lines.jsonl", [line | {"facets": {"asker": "self"}}])
    with pytest.warns(UserWarning, match="59 of the items"):
        run = sx.import_replies(tmp_path / "lines.jsonl", items=questions, out=tmp_path / "i")
    assert [key.facets for key in run.replies] == [()]


def test_what_a_batch_lacks_is_exported_condition_by_condition(questions: Path, tmp_path: Path) -> None:
    arguments = ["export", "--model", "m", "--items", str(questions), "--limit", "2"]
    found = CliRunner().invoke(root, [*arguments, "--facet", "asker=self", "--facet", "asker=another"])
    assert found.exit_code == 0, found.output
    lines = [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]
    assert Counter((line["session"], json.dumps(line.get("facets"))) for line in lines) == {
        ("predict", "null"): 2,
        ("execute", "null"): 2,
        ("predict", '{"asker": "another"}'): 2,
    }
    assert len({line["custom_id"] for line in lines}) == 6


def test_a_dry_run_counts_what_is_shared_once(questions: Path, tmp_path: Path) -> None:
    arguments = ["run", "--model", QUIET, "--base-url", "http://127.0.0.1:9/v1", "--items", str(questions), "--dry-run"]
    facets = ["--facet", "asker=self", "--facet", "asker=another"]
    found = CliRunner().invoke(root, [*arguments, *facets, "--out", str(tmp_path / "r")])
    assert found.exit_code == 0, found.output
    assert "at most 180 sessions" in found.output


def test_a_response_that_several_conditions_share_is_judged_once_for_all_of_them(crossed: Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(crossed.folder, tmp_path / "judged"))
    key = Key(HASTY, "brevity", "q2", 1, "execute")  # at length, and briefly when told to be quick
    line = {**key.fields(), "source": "human", "value": True}
    lines = [
        line | {"text": crossed.replies[key].text},
        line | {"text": "Yes.", "facets": {"haste": "quick"}, "value": False},
    ]
    write(folder / "judgements.jsonl", lines)
    run = sx.load(folder).with_source("human")
    rows = run.observations.filter((pl.col("item") == "q2") & (pl.col("model") == HASTY))
    by_condition = dict(rows.select("condition", "observed").iter_rows())
    assert by_condition == {condition: "haste=quick" not in condition for condition in crossed.conditions}
    by_rule = run.outcomes.filter((pl.col("item") == "q2") & (pl.col("model") == HASTY))
    assert set(by_rule.select("source", "observed").rows()) == {("rule", False), ("rule", True)} and len(by_rule) == 4


def test_what_a_facet_sends_is_kept_and_may_not_change(crossed: Run, questions: Path, tmp_path: Path) -> None:
    settings = json.loads((crossed.folder / "manifest.json").read_text())["settings"]
    assert settings == {
        f"brevity.{kind}@{part}.temperature": 0.25
        for kind, part in (
            ("predict", "asker=another,haste=quick"),
            ("predict", "haste=quick"),
            ("execute", "haste=quick"),
        )
    }
    with served(server(Counter())) as url:
        choices = {"items": questions, "base_url": url, "limit": 2, "out": tmp_path / "r"}
        sx.run(QUIET, **choices)
        sx.run(QUIET, facets={"haste": "quick"}, **choices)  # a run grows by it
        sx.run(QUIET, **choices)
        manifest = tmp_path / "r" / "manifest.json"
        manifest.write_text(manifest.read_text().replace("0.25", "0.5"))
        with pytest.raises(
            sx.InputError, match=re.escape("the setting brevity.execute@haste=quick.temperature was 0.5")
        ):
            sx.run(QUIET, facets={"haste": "quick"}, **choices)


def narrowed_is_as_counted(run: Run) -> None:
    """A run under each condition has the claims of the whole run in it, no more and no fewer."""
    columns = run.observations.columns
    for condition in run.conditions:
        mine = run.observations.filter(condition=condition).sort(columns)
        assert run.under(condition).observations.sort(columns).equals(mine), condition


@pytest.mark.parametrize(
    "steps",
    [
        [{"limit": 8}, {"limit": 4, "facets": {"asker": "another"}}],
        [{"limit": 4, "epochs": 2}, {"limit": 4, "facets": {"asker": "another"}}],
        [{"limit": 4, "facets": {"asker": "another"}}, {"limit": 8, "epochs": 2}],
        [
            {"limit": 8, "epochs": 2, "facets": {"haste": "quick"}},
            {"limit": 8, "epochs": 2, "facets": {"asker": ["self", "another"]}, "max_calls": 5},
        ],
    ],
)
def test_what_another_condition_was_asked_is_not_missing_in_a_narrowed_run(
    steps: list[dict[str, Any]], questions: Path, tmp_path: Path
) -> None:
    with served(server(Counter())) as url:
        for step in steps:
            run = sx.run(QUIET, items=questions, base_url=url, out=tmp_path / "r", **step)
    narrowed_is_as_counted(run)
    assert {row.missing for row in sx.score(run) if row.metric == "coverage"} == {0}


def test_readings_of_a_file_go_to_the_condition_that_they_name(crossed: Run, tmp_path: Path) -> None:
    lines = list(map(json.loads, reading_lines(crossed.readings, crossed.replies)))
    write(tmp_path / "readings.jsonl", [{"facets": {}, **line} for line in lines])
    narrowed = crossed.under("asker=another")
    again = narrowed.with_readings(load_readings([tmp_path / "readings.jsonl"]))
    assert again.observations.equals(narrowed.observations)
    by_hand = narrowed.with_readings({key: "B" for key in narrowed.replies if key.session_kind == "predict"})
    assert set(by_hand.observations["predicted"]) == {False}


def test_a_run_in_several_conditions_without_the_default_one_is_scored_in_each(questions: Path, tmp_path: Path) -> None:
    levels = {"haste": ["quick", "very-quick"]}
    with served(rude()) as url:
        run = sx.run(QUIET, items=questions, base_url=url, limit=4, facets=levels, out=tmp_path / "r")
    assert sx.score(run).conditions == ["haste=quick", "haste=very-quick"]
    with pytest.raises(sx.InputError, match="which condition"):
        sx.cross_prediction(run)


def rude() -> web.Application:
    """It asks nothing of its prompts."""

    async def answer(request: web.Request) -> web.Response:
        choice = {"index": 0, "message": {"role": "assistant", "content": '{"choice": "A"}'}, "finish_reason": "stop"}
        return web.json_response({"model": "m", "choices": [choice], "usage": {"completion_tokens": 9}})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    return app


def test_a_run_that_was_not_asked_in_the_condition_is_named_and_not_dropped(
    crossed: Run, questions: Path, tmp_path: Path
) -> None:
    with served(server(Counter())) as url:
        quick = sx.run("vllm/new", items=questions, base_url=url, facets={"haste": "quick"}, out=tmp_path / "quick")
    assert sx.score([crossed, quick]).under("haste=quick").models == [*crossed.models, "vllm/new"]
    for analysed in (sx.compare, sx.cross_prediction):
        with pytest.raises(sx.InputError, match="quick: nothing was asked in default, only in haste=quick"):
            analysed([crossed, quick])
    assert "Condition: haste=quick." in sx.score(quick).table()


def test_a_condition_that_is_named_twice_is_one(crossed: Run) -> None:
    one, two = (sx.compare(crossed, conditions=["default"] * n).differences for n in (1, 2))
    assert one == two


def test_a_level_with_a_comma_is_refused(questions: Path, tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match="A level has no comma in it"):
        sx.run("sim/coin", items=questions, facets={"haste": "very-a,b"}, out=tmp_path / "r")


@pytest.mark.parametrize("facets", ["asker=another", ["asker=another"], {"asker": None}, {"asker": []}])
def test_facets_that_are_written_otherwise_are_refused_with_the_form(facets: Any, tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match=r"facets .*: write "):
        sx.run("sim/coin", facets=facets, out=tmp_path / "r")
