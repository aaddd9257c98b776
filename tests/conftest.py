"""What many tests share: reference data, replies of ten real models, which are not part of this repository; a panel
of simulated models; and experiments of a package that is not ours, for the tests that ask for them."""

import foreign_plugins  # noqa: F401  before anything of selfexec is imported

# isort: split
import gc
import hashlib
import os
from collections.abc import Iterator
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import build
from browser import Browser, browsing, chromium
from build import SEVEN, Command, installed
from effort import examples
from extension_parts import here
from selfexec.analysis.score import Scores, Selection, score
from selfexec.engines.http import routes
from selfexec.engines.http.scrubbing import Scrubber
from selfexec.experiments import EXPERIMENTS
from selfexec.readers import Reading
from selfexec.report.data import Data, Options
from selfexec.runs import Reply, Run, load_readings, readings
from selfexec.runs.asking import run
from selfexec.runs.importing import run_of_replies
from selfexec.stats import Array, Features, ridge_logistic

# what many tests share is a million objects that stay: the garbage collector, which by itself looks through them again
# and again for a tenth of the time that the tests take, looks less often
gc.set_threshold(50_000, 20, 100)


def pytest_sessionfinish() -> None:
    gc.collect()  # what nobody closed is told of, once; pytest and Python would look through all of it again
    gc.freeze()


# how long an example takes is the machine's affair
settings.register_profile("unhurried", deadline=None, max_examples=examples(100))
settings.load_profile("unhurried")


collect_ignore_glob = [] if here("shards") else ["extensions/ray/*"]  # a run over a cluster is one in shards
TOYS = Path(__file__).parent / "toy" / "package"
WHERE = os.environ.get("SELFEXEC_REFERENCE")  # whoever says where it is wants no test skipped
REFERENCE = Path(WHERE) if WHERE else Path(__file__).parents[2] / "shared" / "reference"


@pytest.fixture(scope="session", autouse=True)
def _fits() -> Iterator[None]:
    """The same regression on the same numbers is worked out once for all tests, which score the same runs again and
    again; it depends on nothing else.
    """
    known: dict[tuple[object, ...], Any] = {}

    def digest(*parts: Array) -> bytes:
        numbers = hashlib.sha256()
        for part in parts:
            numbers.update(np.ascontiguousarray(part))
        return numbers.digest()

    def fitted(features: Any, shares: Array, weights: Array, **how: float) -> Array:
        rows = features.rows if isinstance(features, Features) else features
        sparse = not isinstance(rows, np.ndarray)
        facts = (rows.data, rows.indices, rows.indptr) if sparse else (rows,)
        key = (digest(*facts, shares, weights), rows.shape, shares.shape, *sorted(how.items()))
        if key not in known:
            known[key] = ridge_logistic(features, shares, weights, **how)
        return np.array(known[key])

    with pytest.MonkeyPatch.context() as patch:
        for name in ("stacked", "text"):
            patch.setattr(import_module(f"selfexec.metrics.baselines.{name}"), "ridge_logistic", fitted)
        yield


@pytest.fixture(scope="session", autouse=True)
def _readings() -> Iterator[None]:
    """What words commit to is read once for all tests, which load the same runs again and again: as a run does for
    models that say the same (`Known`), by the experiment itself and all of an item.
    """
    known: dict[tuple[object, ...], readings.Known] = {}
    read = readings._read

    @wraps(read)
    def remembered(item: Any, reply: Reply, session: str, options: Any, _: Any, form: str) -> Reading:
        asked = (EXPERIMENTS[reply.experiment], repr(item), repr(options), reply.known_stop)
        return read(item, reply, session, options, known.setdefault(asked, {}), form)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readings, "_read", remembered)
        yield


@pytest.fixture(scope="session", autouse=True)
def _scrubbers() -> Iterator[None]:
    """What is looked for of a secret is worked out once for all engines, nearly all of which have one of a few keys."""
    known = cache(Scrubber)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "Scrubber", lambda *secrets: known(*map(tuple, secrets)))
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_outlives_the_machine() -> Iterator[None]:
    """No test pulls the plug, so none waits until what was written is on the disk; what is no open file is refused as
    before.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture
def selfexec(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command: its status, and what it says on both channels."""

    def ran(*arguments: str) -> tuple[int, str, str]:
        status = build.selfexec(monkeypatch, *arguments)
        return status, *capsys.readouterr()

    return ran


@pytest.fixture(scope="session")
def reference() -> Path:
    if not REFERENCE.is_dir():
        message = f"the reference data ({REFERENCE}) is not here"
        if WHERE:
            pytest.fail(message)
        pytest.skip(message)
    return REFERENCE


@pytest.fixture(scope="session")
def ten_models(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The recorded replies of ten models, imported."""
    out = tmp_path_factory.mktemp("runs") / "ten"
    run, warnings = run_of_replies(
        sorted((reference / "replies").glob("*.jsonl")), item_source=reference / "items", out=out
    )
    assert not warnings
    return run


@pytest.fixture(scope="session")
def as_the_authors_read_them(ten_models: Run, reference: Path) -> Run:
    found = ten_models.with_readings(load_readings(sorted((reference / "readings").glob("*.jsonl"))))
    vars(found)["server_notices"] = ten_models.server_notices  # which are about replies
    return found


@pytest.fixture(scope="session")
def scores_of_ten(ten_models: Run) -> Scores:
    """As our readers read them, strict."""
    return score(ten_models)


@pytest.fixture(scope="session")
def data_of_ten(ten_models: Run, scores_of_ten: Scores) -> Data:
    """What a page of them is made from, without their sessions."""
    data = Data(Selection.of(ten_models), Options("none"))
    vars(data)["scores"] = scores_of_ten
    return data


@pytest.fixture(scope="session")
def scores_as_the_authors_read_them(as_the_authors_read_them: Run) -> Scores:
    """Without what is unreadable."""
    return score(as_the_authors_read_them, "readable")


@pytest.fixture(scope="session")
def whole_panel(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Seven simulated models on the whole starter set. Nothing is to be written to it."""
    return run(SEVEN, out=tmp_path_factory.mktemp("runs") / "panel")


@pytest.fixture(scope="session")
def small_panel(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same models on 120 items of each experiment. Nothing is to be written to it."""
    return run(SEVEN, limit=120, out=tmp_path_factory.mktemp("runs") / "small")


@pytest.fixture(scope="session")
def scores_of_the_small_panel(small_panel: Run) -> Scores:
    return score(small_panel)


@pytest.fixture(scope="session")
def scores_of_the_panel(whole_panel: Run) -> Scores:
    return score(whole_panel)


@pytest.fixture(scope="module")
def toys() -> Iterator[Path]:
    """As if tests/toy/package were installed, in this process."""
    with installed(TOYS):
        yield TOYS


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium, without network, for the tests of one file."""
    program = chromium()
    if program is None:
        missing = "Chromium is not here (apt-get install chromium), so no page can be opened"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    with browsing(program) as found:
        yield found
