"""The card of a run says what the run supports, calls the rest unknown, and shows no key."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import selfexec as sx
from selfexec.analysis.answers import answers
from selfexec.analysis.findings import which_ones
from selfexec.analysis.score import Score, Scores, score
from selfexec.analysis.score_table import every_answer, labelled
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.extensions.card.front_matter import front_matter
from selfexec.extensions.card.sections import results
from selfexec.items import PAPER_FILES, Origin, origin
from selfexec.runs import Run, load, write_manifest
from selfexec.runs.importing import run_of_replies
from selfexec.text.numbers import interval
from selfexec.text.printable import harmless
from selfexec.text.redaction import HIDDEN, hides, shown
from selfexec.text.tables import bullets


@pytest.fixture(scope="module")
def panel(tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("runs") / "panel"
    return sx.run(["sim/typical", "sim/coin", "sim/breaks-format"], limit=30, out=out)


def imported(folder: Path, lines: list[dict[str, Any]], items: list[dict[str, Any]]) -> Run:
    (folder / "items").mkdir(parents=True)
    (folder / "items" / "restriction.jsonl").write_text("\n".join(map(json.dumps, items)))
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return run_of_replies([folder / "replies.jsonl"], item_source=folder / "items", out=folder / "mine")[0]


EXPERIMENTS_OF_TEN = ("association", "restriction", "difficulty")
ITEMS = [{"id": str(n), "request": f"Request {n}?", "label": "safe", "type": "t"} for n in range(3)]
LINES: list[dict[str, Any]] = [
    {
        "model": "acme/one|<b>",
        "experiment": "restriction",
        "item": str(n),
        "session": session,
        "text": '{"choice": "A"}',
    }
    for n in range(3)
    for session in ("predict", "execute", "judge")
]


def with_settings(run: Run, folder: Path, settings: Mapping[str, Any]) -> Run:
    """A copy of the run that was made with these settings."""
    (folder / "items").mkdir(parents=True)
    for path in [run.folder / "replies.jsonl", *(run.folder / "items").iterdir()]:
        (folder / path.relative_to(run.folder)).write_bytes(path.read_bytes())
    write_manifest(folder, msgspec.structs.replace(run.manifest, settings=dict(settings)))
    return load(folder)


# --- what it says ----------------------------------------------------------------------------------------------------


def test_every_number_of_the_card_is_the_one_of_the_score(panel: Run) -> None:
    table = sx.card(panel).section("Scores")
    for row in score(panel):
        if row.metric in ("accuracy", "self_execution_score") and row.value is not None:
            assert f"| {row.model} | {row.experiment} | {row.value:.3f}".replace("0.", ".") in table


def test_claims_that_were_read_and_lost_add_up(panel: Run) -> None:
    lines = [line.split("|") for line in sx.card(panel).section("What came back").splitlines() if "sim/" in line]
    assert len(lines) == 9
    for cells in lines:
        claims, *states = (int(cell.split()[0].replace(",", "")) for cell in cells[3:8])
        assert claims == sum(states)


def test_items_are_recognised_by_their_lines(panel: Run) -> None:
    found = sx.card(panel).section("Items")
    assert "the set starter, 30 of 300 items" in found and "CC-BY-4.0" in found
    for digest in panel.manifest.items.values():
        assert digest in found


def test_the_card_says_how_often_items_were_to_be_asked_and_by_which_cut(panel: Run, tmp_path: Path) -> None:
    assert "The run asks each of these items once.\n" in sx.card(panel).section("Items") + "\n"
    twice = sx.run("sim/coin", preset="quick", epochs=2, experiments="difficulty", out=tmp_path / "twice")
    said = sx.card(twice).section("Items")
    assert "The run asks each of these items 2 times. They are the subset that --preset quick selects." in said


def test_a_changed_item_is_of_unknown_origin(panel: Run, tmp_path: Path) -> None:
    run = with_settings(panel, tmp_path / "run", {})
    path = run.folder / "items" / "restriction.jsonl"
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([first.replace('"request": "', '"request": "Please: '), *rest]))
    found = sx.card(run.folder).section("Items")
    assert "the set starter, 29 of 176 items; 1 unknown" in found
    assert "not those of the manifest" in found


def test_what_an_import_does_not_tell_is_unknown(tmp_path: Path) -> None:
    card = sx.card(imported(tmp_path, LINES, ITEMS))
    for section in ("Prompts", "Settings"):
        assert card.section(section).startswith("Unknown")
    model = next(line for line in card.section("Models").splitlines() if "acme" in line)
    # served as, first and last reply, tokens and cost
    assert model.count("unknown") == 5
    assert "| unknown | unknown |" in card.section("Items")
    assert "simulated" not in card.markdown()
    assert "not recorded" in card.section("What the scores do not show")


def test_what_the_journal_tells_is_said(tmp_path: Path) -> None:
    more = {"served_model": "one-2026-01-01", "output_tokens": 5, "cost_usd": 0.5}
    lines = [line | more | {"time": f"2026-0{n % 9 + 1}-01T00:00:00+00:00"} for n, line in enumerate(LINES)]
    lines[-1]["output_tokens"] = None
    model = next(
        line for line in sx.card(imported(tmp_path, lines, ITEMS)).section("Models").splitlines() if "acme" in line
    )
    # 8 replies of 5 tokens and one without a count; 9 of half a dollar
    cells = ["one-2026-01-01", "9", "0", "2026-01-01T00:00:00+00:00", "2026-09-01T00:00:00+00:00"]
    assert model.endswith(f"| {' | '.join(cells)} | 40 (of 8 of 9 replies) | 4.50 USD |")


def test_scores_have_the_verdicts_on_own_excess_or_what_they_take(panel: Run, scores_of_ten: Scores) -> None:
    scores = results(scores_of_ten, "strict")
    assert "  - difficulty: unresolved, .040 [.018, .061] (9 models, 250 groups; 80% power to detect .031): " in scores
    assert "  - restriction: no verdict, .038" in scores
    few = sx.card(panel).section("Scores").count("requires 6 models, each with at least 60 items asked")
    assert few == 1


def test_limits_are_those_of_this_run(panel: Run, tmp_path: Path) -> None:
    def limits(run: Run) -> str:
        return sx.card(run).section("What the scores do not show")

    assert "asked once" in limits(panel) and "needs at least three other models" in limits(panel)
    models = [f"sim/typical@{n}" for n in range(4)]
    four = sx.run(models, limit=30, experiments=["association"], out=tmp_path / "four")
    assert "needs at least three other models" not in limits(four)
    alone = sx.run(["sim/typical"], limit=5, epochs=2, experiments=["association"], out=tmp_path / "alone")
    assert "needs at least three other models" in limits(alone)
    assert "asked once" not in limits(alone) and "Restriction" not in limits(alone)


def test_a_prompt_that_was_changed_is_said_to_be(tmp_path: Path) -> None:
    prompts = {"association.execute": "Five words for $target, as JSON with the key words, please."}
    run = sx.run(["sim/typical"], limit=3, experiments=["association"], prompts=prompts, out=tmp_path / "run")
    lines = sx.card(run).section("Prompts").splitlines()
    assert ["as shipped |" in line for line in lines if line.startswith("| association")] == [True, False]
    # the text stands whole below
    assert prompts["association.execute"] in lines
    assert "--prompts" in sx.card(run).section("How to repeat it")


def test_a_name_cannot_break_the_page(tmp_path: Path) -> None:
    page = sx.card(imported(tmp_path, LINES, ITEMS)).markdown()
    assert "acme/one\\|&lt;b>" in page
    tables = [line.replace("\\|", "") for line in page.splitlines() if line.startswith("| acme")]
    assert {line.count("|") for line in tables} == {10, 9}  # of scores nine columns, of coverage eight


# --- what machines read of it ----------------------------------------------------------------------------------------


def read_yaml(text: str) -> Any:
    """The part of YAML that a card has: mappings, lists and JSON's scalars, by how far lines are set in."""
    lines: list[tuple[int, str]] = []
    for line in text.splitlines():
        place = len(line) - len(line.lstrip())
        content = line.strip()
        while content.startswith("- "):  # what follows a dash stands two further in
            lines.append((place, "-"))
            place, content = place + 2, content[2:]
        lines.append((place, content))
    value, left = _block(lines)
    assert not left
    return value


def _block(lines: list[tuple[int, str]]) -> tuple[Any, list[tuple[int, str]]]:
    place, first = lines[0]
    if first == "-":
        found = []
        while lines and lines[0] == (place, "-"):
            one, lines = _block(lines[1:])
            found.append(one)
        return found, lines
    if re.match(r"[a-z][a-z0-9_-]*:", first) is None:
        return json.loads(first), lines[1:]
    made: dict[str, Any] = {}
    while lines and lines[0][0] == place and lines[0][1] != "-":
        name, rest = lines[0][1].split(":", 1)
        assert name not in made
        if rest:
            made[name], lines = json.loads(rest), lines[1:]
        else:
            made[name], lines = _block(lines[1:])
    return made, lines


def front(run: Run) -> dict[str, Any]:
    empty, head, page = sx.card(run).markdown().split("---\n", 2)
    assert empty == "" and page.startswith("\n# Run card: ")
    found = read_yaml(head)
    assert isinstance(found, dict)
    return found


def heads(run: Run, scores: Scores) -> Iterator[dict[str, Any]]:
    """The head of the card of each model alone."""
    origins = {e: Origin("paper", len(run.items[e]), len(run.items[e]), "") for e in EXPERIMENTS_OF_TEN}
    for model in scores.models:
        own = Scores([row for row in scores if row.model == model])
        found = read_yaml(front_matter(run, own, origins).removeprefix("---\n").removesuffix("\n---"))
        assert isinstance(found, dict)
        yield found


def test_results_of_several_models_which_would_be_taken_for_those_of_one_are_not_in_the_head(
    ten_models: Run, scores_of_ten: Scores
) -> None:
    origins = {e: Origin("paper", len(ten_models.items[e]), len(ten_models.items[e]), "") for e in EXPERIMENTS_OF_TEN}
    head = front_matter(ten_models, scores_of_ten, origins)
    assert set(read_yaml(head.removeprefix("---\n").removesuffix("\n---"))) == {"language", "tags", "metrics"}


def test_the_head_has_every_score_of_a_real_model_in_full(ten_models: Run, scores_of_ten: Scores) -> None:
    given = {}
    for found in heads(ten_models, scores_of_ten):
        assert set(found) == {"language", "tags", "metrics", "model-index"}  # no licence, no data set: nobody said them
        (model,) = found["model-index"]
        for result in model["results"]:
            assert set(result) == {"task", "dataset", "metrics"} and result["task"]["type"] == "text-generation"
            experiment = result["dataset"]["type"].removeprefix("selfexec").removeprefix("-") or "overall"
            if experiment != "overall":
                assert result["dataset"]["args"]["sha256"] == ten_models.items.hashes[experiment]
            for metric in result["metrics"]:
                given[model["name"], experiment, metric["type"]] = metric
    wanted = {"accuracy", "self_execution_score", "skill", "baseline_margin"}
    wanted |= {"predicted_rate", "rate_bias", "margin_at_own_rate", "ceiling_at_own_rate", "share_of_ceiling"}
    wanted |= {"baseline_share_of_ceiling", "order_bias", "shown_order_share"}
    rows = {(r.model, r.experiment, r.metric): r for r in scores_of_ten if r.metric in wanted and r.value is not None}
    assert given.keys() == rows.keys() and len(rows) > 80
    for key, row in rows.items():
        assert given[key]["value"] == row.value and given[key]["args"] == {"convention": "strict"}
        assert (f"{row.low:.3f}".replace("0.", ".", 1) in given[key]["name"]) == (row.low is not None)
        assert ("with caution" in given[key]["name"]) == bool(row.reason)


def test_a_margin_at_own_rate_in_the_head_says_where_yes_and_no_cannot_tell(
    ten_models: Run, scores_of_ten: Scores
) -> None:
    said = {
        (model["name"], result["dataset"]["type"].removeprefix("selfexec-"))
        for found in heads(ten_models, scores_of_ten)
        for model in found["model-index"]
        for result in model["results"]
        for metric in result["metrics"]
        if metric["type"] == "margin_at_own_rate" and "no room to differ" in metric["name"]
    }
    untold = {
        (finding.subject, experiment)
        for experiment in ("association", "restriction")
        for finding in which_ones(scores_of_ten, experiment)
        if finding.answer == "ceiling"
    }
    assert said == untold and untold


def test_the_card_has_how_often_and_which_ones_and_no_request_that_is_labelled_unsafe(
    ten_models: Run, scores_of_ten: Scores
) -> None:
    whole = sx.card(ten_models)
    page, answer, table = whole.markdown(), whole.section("The answer"), whole.section("Scores")
    assert all(labelled(one) in answer for one in answers(scores_of_ten))
    assert "| rate bias | baseline | margin | at equal rates |" in table
    row = scores_of_ten.row("gpt-4.1", "restriction", "margin_at_own_rate")
    assert f"| {interval(row.value, row.low, row.high)} |" in table
    # margins that are nothing but how often are said to be
    assert "Margins that may reflect only how often a model says yes" in table
    unsafe = [item.request for item in ten_models.items["restriction"].values() if item.label == "unsafe"]
    assert len(unsafe) > 100 and not [request for request in unsafe if request in page]


def test_simulated_models_have_no_results_and_unknown_items_no_language(panel: Run, tmp_path: Path) -> None:
    simulated = front(panel)
    assert set(simulated) == {"language", "tags"} and simulated["tags"][-1] == "simulated"
    assert "language" not in front(imported(tmp_path, LINES, ITEMS))


@pytest.mark.parametrize(
    "name",
    ['a: "b"', "- [x", "'", "yes", "1.5", "#x", "!!python/object:os", "a\nb", "\x1b[31m\u202e", "😀\ud800", "---"],
)
def test_a_name_is_text_in_the_head_whatever_it_is(tmp_path: Path, name: str) -> None:
    run = imported(tmp_path, [line | {"model": "plain"} for line in LINES], ITEMS)
    row = Score(name, "restriction", "accuracy", 0.5, 0.25, 0.75, 3, 3, 0, 0, "strict")
    head = front_matter(run, Scores([row]), {"restriction": Origin("unknown", 0, None, "unknown")})
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", head)
    (model,) = read_yaml(head.removeprefix("---\n").removesuffix("\n---"))["model-index"]
    assert model["name"] == harmless(" ".join(name.split())) and model["results"][0]["metrics"][0]["value"] == 0.5


def test_the_answer_and_what_it_does_not_say_come_before_the_numbers(panel: Run) -> None:
    card = sx.card(panel)
    headings = [heading for heading, _ in card.sections]
    assert headings[:4] == ["The answer", "What the scores do not show", "Scores", "What was measured"]
    assert card.section("The answer") == bullets(every_answer(score(panel).by_condition))


def test_a_reply_that_did_not_come_is_no_reply(tmp_path: Path) -> None:
    lines = [*LINES[:-1], LINES[-1] | {"text": None, "error": "timeout"}]
    said = sx.card(imported(tmp_path, lines, ITEMS)).section("Models")
    assert "| unknown | 8 | 1 |" in said


# --- keys ------------------------------------------------------------------------------------------------------------

SECRET = "sk-proj-0123456789abcdefghij"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api_key", "short"),
        ("extra_body.apiKey", "short"),
        ("extra_body.OPENAI_API_KEY", "short"),
        ("extra_body.auth", {"user": "me"}),
        ("extra_body.headers", {"X-Anything": "short"}),
        ("extra_body.metadata", {"deep": [{"access_token": "short"}]}),
        ("user", SECRET),
        ("extra_body.url", "https://me:pw@host/"),
        ("extra_body.say", "Bearer short"),
    ],
)
def test_what_is_named_or_looks_like_a_key_is_not_shown(name: str, value: Any) -> None:
    told = shown(name, value)
    assert HIDDEN in told and hides(name, value)
    for secret in ("short", SECRET, "pw@", '"me"'):
        assert secret not in told


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", 0.5), ("max_tokens", 512), ("execute.top_k", 40), ("reasoning_effort", "low"), ("stop", ["\n\n"])],
)
def test_other_settings_are_shown(name: str, value: Any) -> None:
    assert json.loads(shown(name, value)) == value


@pytest.mark.slow
def test_no_key_and_no_system_prompt_is_on_the_card(panel: Run, tmp_path: Path) -> None:
    settings = {"temperature": 0.5, "system": f"You are X. {SECRET}", "extra_body.api_key": SECRET, "user": SECRET}
    run = with_settings(panel, tmp_path / "run", settings)
    page = sx.card(run).markdown()
    assert SECRET not in page and "You are X" not in page
    assert "| temperature | 0.5 |" in page and "--set temperature=0.5" in page
    for hint in ("--system", "--extra-body", "not shown"):
        assert hint in sx.card(run).section("How to repeat it")


def test_the_place_of_the_run_on_this_machine_is_not_on_the_card(panel: Run) -> None:
    assert str(panel.folder.parent) not in sx.card(panel).markdown()


# --- again, and the command ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_on_the_card_makes_the_same_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(
        root,
        shlex.split(
            "run --model sim/typical --model sim/coin --preset quick --epochs 2 --set temperature=0 --out first"
        ),
    )
    assert made.exit_code == 0
    lines = sx.card("first").section("How to repeat it").splitlines()
    command = next(line.strip() for line in lines if line.startswith("    selfexec run"))
    assert CliRunner().invoke(root, shlex.split(command)[1:]).exit_code == 0
    first, new = load("first"), load("NEW")
    assert {key: reply.text for key, reply in first.replies.items()} == {k: r.text for k, r in new.replies.items()}
    written = [msgspec.structs.replace(run.manifest, preset=None, invocations=[]) for run in (first, new)]
    assert written[0] == written[1]


def test_what_is_typed_again_is_typed_in_the_folder_that_holds_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(root, ["run", "--model", "sim/coin", "--limit", "2", "--out", "runs/a b"]).exit_code == 0
    page = CliRunner().invoke(root, ["card", "runs/a b"]).output
    commands = [line.strip() for line in page.splitlines() if line.startswith("    selfexec ")]
    assert [shlex.split(line)[1] for line in commands] == ["score", "run"]
    assert "run this in the folder that holds the run's" in page
    monkeypatch.chdir(tmp_path / "runs")
    assert [CliRunner().invoke(root, shlex.split(line)[1:]).exit_code for line in commands] == [0, 0]


@pytest.mark.slow
def test_the_command_writes_a_file_or_to_the_terminal(panel: Run, tmp_path: Path) -> None:
    def card(*more: str) -> Any:
        return CliRunner().invoke(root, ["card", str(panel.folder), *more])

    assert card().output == sx.card(panel).markdown()
    assert "readable: unreadable claims are left out".capitalize() in card("--convention", "readable").output
    assert card("-o", str(tmp_path / "card.md")).exit_code == 0
    assert (tmp_path / "card.md").read_text("utf-8") == sx.card(panel).markdown()
    assert isinstance(card("-o", str(tmp_path)).exception, InputError)
    assert isinstance(card(str(tmp_path)).exception, InputError)


def test_a_run_without_replies_and_an_unknown_convention_are_refused(panel: Run, tmp_path: Path) -> None:
    empty = with_settings(panel, tmp_path / "run", {}).folder
    (empty / "replies.jsonl").write_text("")
    with pytest.raises(InputError, match="nothing has been answered in this run yet"):
        sx.card(empty)
    with pytest.raises(InputError, match="There are strict, readable"):
        sx.card(panel, convention="authors")


@pytest.mark.slow
def test_the_papers_items_are_known_where_they_are_whole_and_not_fetched(
    ten_models: Run, as_the_authors_read_them: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path / "empty"))
    sizes = {"association": 488, "restriction": 450, "difficulty": 250}
    for experiment, size in sizes.items():
        assert ten_models.manifest.items[experiment] == PAPER_FILES[experiment]
        assert origin(experiment, ten_models.items).of(size) == f"the set paper, all {size} items"
    # of a part, only groups of questions are known by themselves
    part = ten_models.items.cut(limit=10)
    assert {e: origin(e, part).known for e in sizes} == {"association": 0, "restriction": 0, "difficulty": 10}
    page = sx.card(as_the_authors_read_them).markdown()
    assert "GPL-3.0" in page and "readings were given from elsewhere" in page
    request = next(iter(ten_models.items["restriction"].values()))
    assert request.request not in page  # type: ignore[union-attr]


def test_the_card_has_the_fields_of_a_benchmark_card_and_claims_no_more_than_the_run(
    panel: Run, tmp_path: Path
) -> None:
    ours, theirs = sx.card(panel), sx.card(imported(tmp_path, LINES, ITEMS))
    for field in ("Users", "Tasks", "Domains", "Languages", "Data", "Similar benchmarks"):
        assert f"| {field} |" in ours.section("Intended use and scope")
    assert "| items: English |" in ours.section("Intended use and scope")
    # of items that somebody else made nobody has said the language, nor whom they are about
    assert "| items: unknown |" in theirs.section("Intended use and scope")
    assert "cannot tell" in theirs.section("Risks and ethics") and "cannot tell" not in ours.section("Risks and ethics")
    # replies from elsewhere may be those of people
    assert "no people took part" in ours.section("Risks and ethics")
    assert "If people gave them" in theirs.section("Risks and ethics")
    # only tasks that were tried
    assert "associations" not in theirs.section("Intended use and scope")
