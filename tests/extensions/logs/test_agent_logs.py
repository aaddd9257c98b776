"""Agents' logs by the real Inspect: the prediction is shown how they began, and the outcome is the sample's score."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import selfexec as sx
from selfexec.errors import InputError
from selfexec.extensions.logs.importing import import_logs
from selfexec.extensions.logs.samples import Turn
from selfexec.runs.transcripts import prompts_sent

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
pytestmark = pytest.mark.slow

from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log  # noqa: E402
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model  # noqa: E402
from inspect_ai.scorer import includes  # noqa: E402
from inspect_ai.solver import generate, solver, system_message, use_tools  # noqa: E402
from inspect_ai.tool import tool  # noqa: E402

from selfexec.extensions.logs.inspect import read  # noqa: E402

STORED = Path(__file__).parent / "agent.json"
NAME = "mockllm/model"
ME = "sim/coin"
TOOLS = Turn(
    "tools",
    "These tools can be called, over several turns:\n"
    "- add: Add two whole numbers.\n"
    "- look_up: Look a word up in the encyclopaedia.",
)


@tool
def add() -> Any:
    async def execute(x: int, y: int) -> str:
        """Add two whole numbers.

        Args:
            x: The first number.
            y: The second number.
        """
        return f"LATER: {x + y}"

    return execute


@tool
def look_up() -> Any:
    async def execute(word: str) -> str:
        """Look a word up in the encyclopaedia.

        Args:
            word: What to look up.
        """
        return f"LATER: {word}"

    return execute


def calls(name: str, **arguments: Any) -> ModelOutput:
    return counted(ModelOutput.for_tool_call(NAME, name, arguments))


def says(text: str) -> ModelOutput:
    return counted(ModelOutput.from_content(NAME, text))


def counted(output: ModelOutput) -> ModelOutput:
    output.usage = ModelUsage(input_tokens=3, output_tokens=7, total_tokens=10)
    return output


def evaluated(folder: Path, samples: Sequence[Sample], *outputs: ModelOutput, solvers: Any = ()) -> Path:
    task = inspect_ai.Task(
        dataset=MemoryDataset(list(samples)),
        solver=list(solvers) or [system_message("You are an agent."), use_tools([add(), look_up()]), generate()],
        scorer=includes(),
        name="agent",
    )
    model = get_model(NAME, custom_outputs=list(outputs))
    [log] = inspect_ai.eval(task, model=model, log_dir=str(folder), display="none", max_connections=1, max_samples=1)
    return Path(log.location.removeprefix("file://"))


def as_json(path: Path) -> Path:
    other = path.with_suffix(".json")
    write_eval_log(read_eval_log(str(path)), str(other))
    return other


SUMS = [Sample(id=f"s{n}", input=f"What is {n} + {n}?", target=f"{2 * n}-TARGET") for n in (1, 2)]
OUTPUTS = [calls("add", x=1, y=1), says("LATER 2-TARGET"), calls("add", x=2, y=2), says("LATER 5")]


def test_a_prediction_is_shown_how_the_agent_began_and_its_tools_and_nothing_that_came_later(tmp_path: Path) -> None:
    path = evaluated(tmp_path, SUMS, *OUTPUTS)
    for log in (path, as_json(path)):
        found = read(log)
        assert [one.shown for one in found.samples] == [
            (TOOLS, Turn("system", "You are an agent."), Turn("user", f"What is {n} + {n}?")) for n in (1, 2)
        ]
        assert [one.turns for one in found.samples] == ["with calls of tools"] * 2
    import_logs(path, tool="inspect", experiment="correctness", out=tmp_path / "r", model=ME)
    run = sx.run(out=tmp_path / "r")
    # the first reply holds its target, the second does not
    assert Counter(run.observations["observed"]) == {True: 1, False: 1}
    sent = [str(text) for key, text in prompts_sent(run, list(run.replies)).items() if key.session == "predict"]
    assert len(sent) == 2 and all("- look_up: Look a word up in the encyclopaedia.\n" in text for text in sent)
    assert not any(word in text for text in sent for word in ("LATER", "TARGET", "includes", '"C"'))


def test_tools_are_shown_whether_they_were_used_or_not(tmp_path: Path) -> None:
    # whether a model calls a tool is its behaviour: a prompt that differed by it would give it away
    [used] = read(evaluated(tmp_path / "a", SUMS[:1], *OUTPUTS[:2])).samples
    [unused] = read(evaluated(tmp_path / "b", SUMS[:1], says("2-TARGET"))).samples
    assert used.shown == unused.shown and (used.turns, unused.turns) == ("with calls of tools", None)


def test_other_experiments_than_correctness_leave_agents_out_by_reason(tmp_path: Path) -> None:
    path = evaluated(tmp_path, SUMS, *OUTPUTS)
    for experiment in ("refusal", "length"):
        with pytest.raises(InputError, match="2 with calls of tools"):
            import_logs(path, tool="inspect", experiment=experiment, out=tmp_path / "r")


def test_several_turns_without_tools_are_shown_up_to_the_first_reply(tmp_path: Path) -> None:
    @solver
    def twice() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state = await generate(state)
            state.messages.append(ChatMessageUser(content="LATER: are you sure?"))
            return await generate(state)

        return solve

    path = evaluated(tmp_path, SUMS[:1], says("3"), says("2-TARGET"), solvers=[twice()])
    [one] = read(path).samples
    assert one.shown == (Turn("user", "What is 1 + 1?"),)
    assert (one.turns, one.reply.text, one.reply.output_tokens) == ("of several turns", "2-TARGET", None)


def test_an_agent_whose_beginning_the_log_does_not_show_is_left_out(tmp_path: Path) -> None:
    path = evaluated(tmp_path, SUMS[:1], *OUTPUTS[:2])
    log: EvalLog = read_eval_log(str(path))
    assert log.samples
    log.samples[0].events = []
    write_eval_log(log, str(path))
    found = read(path)
    assert found.samples == []
    assert dict(found.left_out) == {"with calls of tools, where the log does not show how they began": 1}


@pytest.mark.parametrize("responses", [1, 2])
def test_a_summary_of_earlier_turns_is_never_shown_as_the_beginning(tmp_path: Path, responses: int) -> None:
    # as where a context that grew too long is replaced by a summary of it
    path = evaluated(tmp_path, SUMS[:1], *OUTPUTS[:2])
    log: EvalLog = read_eval_log(str(path))
    assert log.samples
    last = log.samples[0].messages[-1]
    more = [last.model_copy(update={"id": f"another-{n}"}) for n in range(1, responses)]
    log.samples[0].messages = [ChatMessageUser(content="LATER: so far, 1 + 1 was added"), last, *more]
    write_eval_log(log, str(path))
    found = read(path)
    assert found.samples == [] and found.left_out.total() == 1


def test_a_stored_log_of_an_agent_becomes_a_run(tmp_path: Path) -> None:
    found = import_logs(STORED, tool="inspect", experiment="correctness", out=tmp_path / "r", model=ME)
    [item] = found.run.items["correctness"].values()
    tools, system, user = item.shown  # type: ignore[attr-defined]
    assert tools.role == "tools" and [line.partition(":")[0] for line in tools.content.splitlines()[1:]] == [
        "- add",
        "- look_up",
        "- submit",
    ]
    assert system.role == "system" and user.content == "What is 1 + 1? Use the tools."
    run = sx.run(out=tmp_path / "r")
    assert list(run.observations["observed"]) == [True] and list(run.observations["source"]) == ["log"]
