"""Every kind of run: it goes on with its own models or says how else, and every command that reads a run reads it."""

import json
import shlex
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import selfexec as sx
from batch_api import BatchApi, fine
from extension_parts import here, needs
from selfexec.cli import root
from selfexec.engines.sim.server import SimServer
from selfexec.items import load as load_items
from selfexec.prompts import digest
from selfexec.runs.folder import MANIFEST
from sockets import served

MODELS = ["vllm/typical", "vllm/coin"]
SIMULATED = ["sim/knows-itself", "sim/coin"]
OUT = Path("run")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(SimServer(load_items("starter")).app()) as address:
        yield address


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "k")


# --- kinds of run, each of which lacks something ---------------------------------------------------------------------


def asked(url: str) -> None:
    sx.run(MODELS, out=OUT, base_url=url, limit=3, max_calls=25)


def simulated(url: str) -> None:
    sx.run(SIMULATED, out=OUT, limit=3, max_calls=25)


def in_conditions(url: str) -> None:
    levels = {"frame": ["self", "another-model"]}
    sx.run(MODELS, out=OUT, base_url=url, limit=2, facets=levels, epochs=2, max_calls=25)


def of_a_study(url: str) -> None:
    Path("study.toml").write_text(
        f'out = "run"\nlimit = 3\nmax_calls = 25\nmodels = {json.dumps(MODELS)}\nbase_url = "{url}"\n'
    )
    sx.load_study("study.toml").run()


def joined_shards(url: str) -> None:
    """It is whole, or could not be joined."""
    for shard in ("0/2", "1/2"):
        sx.run(MODELS, out=OUT, base_url=url, limit=3, shard=shard)
    sx.merge(OUT)


def judged(url: str) -> None:
    asked(url)
    lines = [
        {**key.fields(), "source": "human", "value": True, "reply_sha256": digest(reply.text)}
        for key, reply in sx.load(OUT).replies.items()
        if key.experiment == "restriction" and key.session == "execute" and reply.text
    ]
    assert lines
    (OUT / "judgements.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def of_a_batch(url: str) -> None:
    """One round of it is back: what the replies of that round lead to was not asked yet."""
    found = sx.export_batch("openai/typical", to="openai", out=OUT, base_url=url, limit=3)
    for n, file in enumerate(found.files):
        results, errors = BatchApi("openai").work(file.path, fine)
        Path(f"{n}.jsonl").write_text("".join(f"{line}\n" for line in [*results, *errors]))
        sx.import_batch(f"{n}.jsonl", out=OUT)


def of_logs(url: str) -> None:
    from extensions.logs.quiz import generated, log

    documents = [
        generated(n, f"Question {n}? Tell A or B.", "A" if n % 3 else "B", target="A", acc=1.0) for n in range(6)
    ]
    sx.import_logs(log(Path("log"), documents), tool="lm-eval", experiment="correctness", out=OUT, model="vllm/typical")


def of_replies(url: str) -> None:
    sx.run(MODELS, out="other", base_url=url, limit=3, max_calls=25)
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # of what is missing
        sx.import_replies("other/replies.jsonl", items="other/items", out=OUT)


def of_our_logs(url: str) -> None:
    pytest.importorskip("inspect_ai", reason="Inspect AI is an extra, and not installed here")
    from selfexec.extensions.inspect.exporting import parts_of, write_logs

    sx.run(MODELS, out="other", base_url=url, limit=3, max_calls=25)
    sx.import_task_logs(write_logs(parts_of(sx.load("other")), Path("logs")), out=OUT)


Kind = Callable[[str], None]
GOING_ON = (
    *(asked, simulated, in_conditions, judged),
    pytest.param(of_a_study, marks=needs("study")),
    pytest.param(joined_shards, marks=needs("shards")),
    pytest.param(of_a_batch, marks=needs("batch")),
    pytest.param(of_logs, marks=needs("logs")),
)
IMPORTED = (of_replies, pytest.param(of_our_logs, marks=needs("inspect")))
EVERY = (*GOING_ON, *IMPORTED)


def named(kind: Kind) -> str:
    return kind.__name__


# --- going on --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GOING_ON, ids=named)
def test_it_goes_on_with_its_own_models_and_lacks_nothing_then(kind: Kind, url: str) -> None:
    kind(url)
    before = sx.load(OUT)
    where = {} if kind in (simulated, of_a_study) else {"base_url": url}
    more: dict[str, Any] = {"limit": 4} if kind is joined_shards else {}
    after = sx.run(out=OUT, **where, **more)
    assert after.models == before.models
    if kind not in (of_a_batch, of_logs):  # whose first replies do not say that our server's models are simulated
        assert after.simulated == before.simulated == {*before.models}
    assert len(after.replies) > len(before.replies)
    assert {key: after.replies[key] for key in before.replies} == dict(before.replies)
    assert dict(after.judgements) == dict(before.judgements)
    assert not [key for key, reading in after.readings.items() if reading.state == "missing"] and not after.unasked
    # nor does anything come in, or is asked again, when it goes on once more
    assert dict(sx.run(out=OUT, **where).replies) == dict(after.replies)


@pytest.mark.parametrize("kind", IMPORTED, ids=named)
def test_imported_replies_stay_as_they_are_and_what_is_missing_can_be_exported(kind: Kind, url: str) -> None:
    kind(url)
    before = {path: path.read_bytes() for path in OUT.rglob("*") if path.is_file()}
    with pytest.raises(sx.InputError, match="selfexec export run") as fault:
        sx.run(out=OUT)
    assert {path: path.read_bytes() for path in OUT.rglob("*") if path.is_file()} == before
    assert "cannot be continued" in str(fault.value)
    lines = CliRunner().invoke(root, ["export", "run"]).stdout.splitlines()
    missing = {(line["model"], line["item"], line["session"]) for line in map(json.loads, lines)}
    here = {(key.model, key.item, key.session) for key in sx.load(OUT).replies}
    assert missing and not missing & here and {model for model, _, _ in missing} <= {*MODELS}


@pytest.mark.parametrize("kind", EVERY, ids=named)
def test_no_simulated_model_comes_into_it_by_a_command_without_models(kind: Kind, url: str) -> None:
    kind(url)
    models = sx.load(OUT).models
    for words in ("run --out run --limit 4", "run --out run --preset quick --dry-run", "run --out run --epochs 2"):
        CliRunner().invoke(root, [*shlex.split(words), *([] if kind is simulated else ["--base-url", url])])
        assert sx.load(OUT).models == models, words


# --- reading ---------------------------------------------------------------------------------------------------------

READING = (
    *("read run", "read run --show", "read run --state missing", "score run", "score run --format json"),
    *(["card run"] if here("card") else []),
    *(
        "report run -o page.html",
        "compare run",
        *(f"analyze {name} run" for name in ("trend", "cross", "ladder", "correlate")),
    ),
    *(["analyze ledger run"] if here("published") else []),
    *(["judge run"] if here("judging") else []),
    *("list .", "prompts run", "export run", "export run --to panel -o panel.json"),
)


@pytest.mark.parametrize("kind", EVERY, ids=named)
@pytest.mark.filterwarnings("ignore")
def test_every_command_that_reads_a_run_reads_it_or_says_why_not_and_changes_nothing(kind: Kind, url: str) -> None:
    kind(url)
    before = {path: path.read_bytes() for path in OUT.rglob("*") if path.is_file()}
    refused = {}
    for line in READING:
        result: Any = CliRunner().invoke(root, shlex.split(line), standalone_mode=False)
        wrong = result.exception
        assert wrong is None or isinstance(wrong, sx.InputError | click.ClickException), (line, wrong)
        if wrong is None:
            assert result.return_value in (None, 0, 3, 4) and result.output.strip(), line
        else:
            assert "\n" not in str(wrong)
            refused[line] = str(wrong)
    assert {path: path.read_bytes() for path in OUT.rglob("*") if path.is_file()} == before
    # what takes several models, or items in common, has the right to refuse
    # what takes several models, or items in common, has the right to refuse; the rest only where there is nothing yet
    nothing_yet = "no predictions yet. Ask for them: selfexec run --out run", "its prompts are not kept"
    for line, message in refused.items():
        if line.split()[0] in ("read", "score", "card", "report", "list", "prompts"):
            assert kind in (of_logs, of_replies) and any(reason in message for reason in nothing_yet), (line, message)


def test_the_kinds_differ_in_what_their_manifests_say(url: str) -> None:
    # so that the tests above are of as many kinds as they say
    origins = set()
    for kind in (asked, *([of_logs] if here("logs") else []), of_replies):
        kind(url)
        origins.add(json.loads((OUT / MANIFEST).read_text())["origin"])
        OUT.rename(kind.__name__)
    assert origins == {"run", "import"} | ({"logs"} if here("logs") else set())
