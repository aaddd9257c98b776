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
HOSTS = ("vllm", "sglang", "llamacpp", "ollama", "lmstudio", "groq", "together", "openrouter", "azure", "a")


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


@pytest.mark.parametrize("host", [pytest.param(name, marks=[pytest.mark.slow] * (name != "vllm")) for name in HOSTS])
@pytest.mark.parametrize("called", [NAMES, UNKNOWN], ids=["known", "unknown"])
def test_none_of_six_unrelated_models_of_one_host_is_own(
    renamed: Callable[..., sx.Run], called: Sequence[str], host: str
) -> None:
    scores = sx.score(renamed(f"{host}/{{}}", called))
    assert verdicts(scores) == ["unresolved"] * 6  # they know themselves, and nobody like them was there to compare
    assert {judged.against for own in scores.own for judged in own.found.each.values()} == {
        ("1:no family", "2:no family")  # by the fit of one factor and by that of two
    }
    assert {row.value for row in scores if row.metric in ("family_predictions", "family_behaviour")} == {None}


def test_the_same_replies_are_own_where_families_are_known(renamed: Callable[..., sx.Run], tmp_path: Path) -> None:
    # so that the test above fails for no other reason than the families
    run = renamed("vllm/{}")
    (tmp_path / "families.csv").write_text("model,family\n" + "".join(f"{model},one\n" for model in run.models))
    assert verdicts(sx.score(run, groups=tmp_path / "families.csv")) == ["own"] * 6
    (tmp_path / "apart.csv").write_text("model,family\n" + "".join(f"{model},{model}\n" for model in run.models))
    assert verdicts(sx.score(run, groups=tmp_path / "apart.csv")) == ["unresolved"] * 6


def test_models_of_one_organisation_are_one_family_at_any_host(renamed: Callable[..., sx.Run]) -> None:
    assert verdicts(sx.score(renamed("vllm/acme/forge-{}"))) == ["own"] * 6
