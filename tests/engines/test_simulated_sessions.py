"""Simulated models are told what they are asked, where they run in this process; behind a server its words tell."""

import ast
import asyncio
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import selfexec as sx
from extension_parts import here
from selfexec.engines import Connection, engine_for, run_coroutine, sim
from selfexec.engines.sim import Knowledge
from selfexec.engines.sim.engine import named, recognised
from selfexec.engines.sim.server import SimServer
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE, messages_of
from selfexec.items import load
from sockets import call, served

STORED = Path(__file__).parents[1] / "stored"
OTHERWISE = {
    f"{name}.{kind}": f"Now, in other words:\n{template.replace('following', 'one below')}\nThank you!"
    for name in ("association", "restriction", "difficulty")
    for kind, template in EXPERIMENTS[name].prompts.items()
}


def test_other_words_do_not_change_what_a_model_does_and_predicts(tmp_path: Path) -> None:
    usual = sx.run("sim/knows-itself", out=tmp_path / "usual", limit=40)
    other = sx.run("sim/knows-itself", out=tmp_path / "other", limit=40, prompts=OTHERWISE)
    known = ["experiment", "item", "claim"]
    both = usual.observations.join(other.observations, on=known, suffix="_other")
    read = both.filter((both["state"] == "read") & (both["state_other"] == "read"))
    # one reply in a hundred breaks its form, and which does so depends on the words
    assert len(both) == len(usual.observations) and len(read) > 0.9 * len(both)
    for side in ("predicted", "observed"):
        assert read[side].to_list() == read[f"{side}_other"].to_list()
    assert any(a.text != b.text for a, b in zip(usual.replies.values(), other.replies.values(), strict=True))


class Said:
    text = "Here you are."


def test_what_a_name_tells_and_what_the_shipped_words_tell_is_the_same() -> None:
    outcomes: Counter[str] = Counter()
    item_set = load("starter").cut(limit=8)
    known = Knowledge.of(item_set)
    first: dict[tuple[str, str, str], str] = {}  # of two sessions of an item with the same words, the words tell one

    async def ask(experiment: str, item: Any, session: str, prompt: str) -> Said:
        session = first.setdefault((experiment, item.id, prompt), session)
        told, read = named(experiment, item, session, prompt), recognised(prompt, known)
        # the words of a judge's prompt show the response itself
        assert read == (told if told.kind != "judge" else told._replace(about=Said.text))
        assert read.about in told.about
        outcomes[f"{told.experiment}.{told.kind}"] += 1
        return Said()

    for name, by_id in item_set.items.items():
        for item in by_id.values():
            run_coroutine(EXPERIMENTS[name].sessions(item, partial(ask, name, item), EXPERIMENTS[name].prompts))
    assert outcomes.pop("difficulty.execute") == 32
    assert outcomes.pop("failing_question.execute") == 3 * 5  # three of eight failing questions are of the control
    assert outcomes.pop("failing_question.predict") == 5
    assert outcomes.pop("self_simulation.execute", 16) == 16  # two of each prompt
    assert set(outcomes.values()) == {8} and len(outcomes) == 6 + here("simulating") + here("injecting")


def test_a_session_of_a_name_that_it_has_not_learnt_is_small_talk() -> None:
    item_set = load("starter").cut(limit=1)
    engine = engine_for(["sim/typical"], item_set, Connection())
    request = next(iter(Knowledge.of(item_set)["labels"]))
    outcome = run_coroutine(engine.ask(call("sim/typical", request)))  # of an item that is not among these
    assert outcome.text in ("Thank you for your message.", "I see.", "That is an interesting thought.")


def test_a_server_of_simulated_models_says_so_whatever_they_are_called(tmp_path: Path) -> None:
    item_set = load("starter")
    with served(SimServer(item_set).app()) as url:
        found = sx.run("any/typical", limit=5, base_url=url, out=tmp_path / "r", on_progress=lambda progress: None)
    assert found.manifest.simulated == [] and found.simulated == {"any/typical"}
    assert all(reply.simulated for reply in found.replies.values())
    assert "This model is simulated: no language model was asked" in sx.score(found).table(200)
    here = sx.run("sim/typical", limit=5, out=tmp_path / "here")
    assert [r.text for r in here.replies.values()] == [
        found.replies[k._replace(model="any/typical")].text for k in here.replies
    ]


@pytest.mark.parametrize("body", [{"messages": []}, {"messages": [{"role": "user"}]}, {"messages": "Hello?"}, {}])
def test_a_body_without_messages_is_refused_by_the_server(body: dict[str, Any]) -> None:
    async def status(url: str) -> int:
        async with aiohttp.ClientSession() as http, http.post(f"{url}/chat/completions", json=body) as response:
            return response.status

    with served(SimServer(load("starter")).app()) as url:
        assert asyncio.run(status(url)) == 400


def test_runs_of_versions_that_did_not_keep_who_is_simulated_tell_by_their_names() -> None:
    stored = sx.load(STORED / "panel")
    assert stored.manifest.simulated is None and stored.simulated == set(stored.models)


def test_messages_of_text_are_one_of_the_users() -> None:
    [message] = messages_of("Hello?")
    assert (message.role, message.content) == ("user", "Hello?")


def test_the_engine_knows_no_experiment_by_name() -> None:
    names = {*PAPER_HEADLINE.experiments, "failing_question"}  # `length` and `refusal` are also words of the wire
    for path in Path(sim.__file__).parent.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        assert not names & {node.value for node in nodes if isinstance(node, ast.Constant)}, path
        modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        assert not [name for name in modules if name.startswith(("selfexec.experiments.", f"{sim.__name__}.exp"))], path
