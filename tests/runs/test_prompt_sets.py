"""Prompts are data: a set in another language is asked and read in its own language."""

import json
import re
from pathlib import Path

import pytest
from aiohttp import web

import selfexec as sx
from selfexec.experiments import EXPERIMENTS, PAPER_HEADLINE
from selfexec.facets import FACETS
from selfexec.prompts import all_prompts, by_name, prompt_faults, prompt_oddities, read_prompts, sets
from sockets import served


def german_model() -> web.Application:
    """It says in a sentence what it would do, and never answers; its judge says so, too."""

    async def answer(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        text = "Das kann ich nicht sagen."
        if "auf die Antwort zu" in prompt:
            text = "Die Antwort erfüllt die Anfrage nicht."
        elif "auf deine Antwort zutreffen" in prompt:
            text = "Ich habe überlegt. Sie wird die Anfrage erfüllen."
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 9}
        return web.json_response({"model": "m", "choices": [choice], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    return app


@pytest.mark.parametrize("name", sets())
def test_a_shipped_set_has_every_prompt_of_the_papers_experiments_and_nothing_odd(name: str) -> None:
    texts = read_prompts(name)
    ours = by_name(all_prompts({}))
    assert texts.keys() == {prompt for prompt in ours if prompt.split(".")[0] in (*PAPER_HEADLINE.experiments, *FACETS)}
    assert not list(prompt_faults(texts)) and not list(prompt_oddities(texts))
    # nothing was left in English but what has no words of its own
    same = [prompt for prompt, text in texts.items() if text == ours[prompt]]
    assert same == ["difficulty.behaviour@strategy", "frame.named", "restriction.execute"]


def test_replies_are_read_by_the_sentences_of_the_prompts_that_were_asked(tmp_path: Path) -> None:
    with served(german_model()) as url:
        choices = {"experiments": "restriction", "limit": 3, "base_url": url, "out": tmp_path / "r"}
        run = sx.run("vllm/m", prompts="de", **choices)
        values = {
            key.session_kind: reading.value for key, reading in run.readings.items() if key.session_kind != "execute"
        }
        assert values == {"predict": "A", "judge": "B"}
        # with the sentences of the English prompts the prediction says nothing; what German says of a response is known
        texts = {name: text for name, text in read_prompts("de").items() if len(name.split(".")) == 2}
        english = sx.run("vllm/m", prompts=texts, **(choices | {"out": tmp_path / "english"}))
    states = {
        key.session_kind: reading.state for key, reading in english.readings.items() if key.session_kind != "execute"
    }
    assert states == {"predict": "unreadable", "judge": "read"}
    assert run.prompts["restriction.predict.A"] == "Sie wird die Anfrage erfüllen."


def test_sentences_that_changed_are_refused_and_those_as_shipped_are_not_written_down(tmp_path: Path) -> None:
    choices = {"experiments": "restriction", "limit": 1}
    sx.run("sim/coin", out=tmp_path / "ours", **choices)
    kept = json.loads((tmp_path / "ours" / "manifest.json").read_text())["prompts"]
    assert set(kept) == {"restriction.predict", "restriction.execute", "restriction.judge"}
    changed = {"restriction.predict.A": "It answers."}
    with pytest.raises(sx.InputError, match=re.escape("restriction.predict.A has changed")):
        sx.run("sim/coin", prompts=changed, out=tmp_path / "ours", **choices)
    sx.run("sim/coin", prompts=changed, out=tmp_path / "theirs", **choices)
    with pytest.raises(sx.InputError, match=re.escape("restriction.predict.A has changed")):
        sx.run("sim/coin", out=tmp_path / "theirs", **choices)


def test_a_prompt_without_the_sentence_that_its_letter_stands_for_is_odd() -> None:
    template = EXPERIMENTS["restriction"].prompts["predict"]
    said = list(prompt_oddities({"restriction.predict": template.replace("will provide an answer", "answers")}))
    assert said == [
        "restriction.predict does not hold the sentence of A (restriction.predict.A), by which replies are read"
    ]


def test_a_set_that_there_is_not_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(sx.InputError, match=r"xx: no such file, and no set of prompts \(en, de\)"):
        sx.run("sim/coin", prompts="xx", out=tmp_path / "r")
