"""Six models of six makers behind one address: their host makes no family of them, and where no model of a model's own
family is in the panel, no verdict says that what it knows is its own.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import selfexec as sx

NAMES = ("llama-3-8b", "gemma-3-9b", "mistral-7b", "qwen2-7b", "phi-3-mini", "olmo-7b")
UNKNOWN = ("good", "mid", "bad", "other", "late", "early")  # whose makers nobody knows
HOSTS = ("sglang", "llamacpp", "ollama", "lmstudio", "groq", "together", "openrouter", "azure", "a")


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., sx.Run]:
    """The replies of six models that know themselves under other names, as if those had been asked."""
    folder = tmp_path_factory.mktemp("six")
    asked = sx.run(
        [f"sim/knows-itself@{n}" for n in range(1, 7)], experiments="association", limit=150, out=folder / "0"
    )
    lines = [json.loads(line) for line in (folder / "0" / "replies.jsonl").read_text("utf-8").splitlines()]

    def under(pattern: str, called: Sequence[str] = NAMES) -> sx.Run:
        out = folder / pattern.format(called[0]).replace("/", "-")
        if not out.exists():
            names = {model: pattern.format(name) for model, name in zip(asked.models, called, strict=True)}
            file = out.with_suffix(".jsonl")
            file.write_text("".join(json.dumps(line | {"model": names[line["model"]]}) + "\n" for line in lines))
            sx.import_replies(file, items=folder / "0" / "items", out=out)
        return sx.load(out)

    return under


def verdicts(scores: sx.Scores) -> list[str | None]:
    return [row.verdict for row in scores if row.metric == "own_excess"]


@pytest.mark.parametrize(
    ("host", "called"),
    [
        *(("vllm", called) for called in (NAMES, UNKNOWN)),
        *(pytest.param(host, NAMES, marks=pytest.mark.slow) for host in HOSTS),
    ],
)
def test_none_of_six_unrelated_models_of_one_host_is_own(
    renamed: Callable[..., sx.Run], host: str, called: Sequence[str]
) -> None:
    scores = sx.score(renamed(f"{host}/{{}}", called))
    assert verdicts(scores) == ["unresolved"] * 6  # they know themselves; what absent models share is not ruled out
    assert {own.found.overall.verdict for own in scores.own} == {"unresolved"}  # six models are too few for own
    for own in scores.own:
        known = [family for family in own.found.compared.families if family]
        assert len(set(known)) == len(known)  # no two of them are one family
    assert {row.value for row in scores if row.metric in ("family_predictions", "family_behaviour")} == {None}


def families(scores: sx.Scores) -> set[tuple[str | None, ...]]:
    return {tuple(own.found.compared.families) for own in scores.own}


def test_families_are_what_a_file_or_an_organisation_says(renamed: Callable[..., sx.Run], tmp_path: Path) -> None:
    # so that the test above fails for no other reason than the families
    run = renamed("vllm/{}")
    (tmp_path / "families.csv").write_text("model,family\n" + "".join(f"{model},one\n" for model in run.models))
    assert families(sx.score(run, groups=tmp_path / "families.csv")) == {("one",) * 6}
    assert families(sx.score(renamed("vllm/acme/forge-{}"))) == {("acme",) * 6}
