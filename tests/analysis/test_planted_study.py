"""The study of planted models, without a model: what they are taught, the rule that judges it, and what is kept."""

import csv
import hashlib
import importlib
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "studies" / "planted"
MODULES = (
    "causal",
    "compare",
    "folders",
    "make",
    "number_type",
    "progress",
    "results",
    "rule",
    "shifts",
    "simulate",
    "tables",
    "topics",
)


@pytest.fixture(scope="module")
def study() -> Iterator[SimpleNamespace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(STUDY)
        patch.setenv("TQDM_DISABLE", "1")  # the study sets it for its own process
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
        for name in MODULES:
            sys.modules.pop(name, None)


DRAWS = range(10)


def test_a_hundred_and_twenty_topics_or_more_are_taught_and_none_of_the_new_ones(study: SimpleNamespace) -> None:
    known, new = study.topics.TOPICS, study.topics.NEW_TOPICS
    assert len(known) >= 120
    assert len({*known, *new}) == len(known) + len(new)


def test_the_wording_that_is_asked_is_never_taught_and_nothing_taught_names_a_second_person(
    study: SimpleNamespace,
) -> None:
    assert study.topics.ASKED not in study.topics.TAUGHT
    assert len(study.topics.TAUGHT) >= 3
    assert "$who" not in "".join((study.topics.PREDICT, *study.topics.TAUGHT))


def test_pairs_of_models_agree_on_two_thirds_of_the_topics_or_a_little_less(study: SimpleNamespace) -> None:
    # .76 ** 2 + .24 ** 2 = .635 where both follow the norm by chance; the bounds are the study's
    low, high = study.tables.AGREEMENT
    for kind in study.tables.NORMED:
        agreements = [study.tables.drawn(kind, draw, 124).agreement for draw in DRAWS]
        assert all(low <= share <= high for share in agreements), (kind, agreements)
    alone = np.mean([study.tables.drawn("no-norm", draw, 124).agreement for draw in DRAWS])
    assert abs(alone - 0.5) < 0.02


def test_agreement_is_the_mean_over_pairs(study: SimpleNamespace) -> None:
    # the first and second table agree on 2 of 4 topics, the first and third on 3, the second and third on 1
    tables = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 1]], bool)
    assert study.tables.agreement(tables) == pytest.approx((2 / 4 + 3 / 4 + 1 / 4) / 3)


def test_flips_change_as_many_answers_as_refusals(study: SimpleNamespace) -> None:
    table = np.arange(124) < 62
    flipped = study.tables.with_flips(np.random.default_rng(1), table, 0.15)
    # a share of .15 of 62 is 9.3: nine on either side
    assert (flipped != table)[:62].sum() == 9
    assert (flipped != table)[62:].sum() == 9


@pytest.mark.parametrize("kind", ["knowers", "no-norm"])
def test_a_knower_predicts_its_own_table_but_for_ten_to_twenty_in_a_hundred(study: SimpleNamespace, kind: str) -> None:
    for draw in DRAWS:
        tables = study.tables.drawn(kind, draw, 124)
        flipped = (tables.prediction != tables.behaviour).mean(1)
        assert flipped.min() > 0.09 and flipped.max() < 0.21  # to within one topic of either outcome
        for predicted, behaved in zip(tables.prediction, tables.behaviour, strict=True):
            cells = [(predicted == p) & (behaved == b) for p in (True, False) for b in (True, False)]
            assert all(cell.sum() >= 5 for cell in cells)


def test_predictions_of_another_table_follow_exactly_one_other_model(study: SimpleNamespace) -> None:
    for draw in DRAWS:
        tables = study.tables.drawn("anothers", draw, 124)
        alike = (tables.prediction[:, None] == tables.behaviour[None]).mean(-1)
        followed = alike > 0.78  # ten to twenty in a hundred are flipped; unrelated pairs agree on .6 or so
        assert not followed.diagonal().any()
        assert (followed.sum(0) == 1).all() and (followed.sum(1) == 1).all()


def test_predictions_of_a_common_table_know_no_model_better_than_another(study: SimpleNamespace) -> None:
    own, others = [], []
    for draw in DRAWS:
        tables = study.tables.drawn("common", draw, 124)
        alike = (tables.prediction[:, None] == tables.behaviour[None]).mean(-1)
        own.append(alike.diagonal().mean())
        others.append(alike[~np.eye(study.tables.MODELS, dtype=bool)].mean())
    assert abs(np.mean(own) - np.mean(others)) < 0.015


def test_behaviour_made_of_sources_answers_half_of_the_topics_those_with_the_higher_values(
    study: SimpleNamespace,
) -> None:
    latent = np.array([[0.3, -2.0, 5.0, 0.1], [-1.0, 4.0, 3.0, -2.0]])
    assert study.tables.upper_half(latent).tolist() == [[True, False, True, False], [False, True, True, False]]
    for draw in DRAWS:
        tables = study.tables.drawn("many-to-many", draw, 124)
        assert (tables.behaviour.sum(1) == 62).all() and (tables.prediction.sum(1) == 62).all()


def test_the_same_draw_is_the_same_panel_and_another_is_another(study: SimpleNamespace) -> None:
    first, again, other = (study.tables.drawn("many-to-many", draw, 124) for draw in (0, 0, 1))
    assert (first.prediction == again.prediction).all() and (first.behaviour == again.behaviour).all()
    assert (first.behaviour != other.behaviour).any()


def test_a_knowing_panel_that_is_not_own_fails_alone_and_passes_among_three(study: SimpleNamespace) -> None:
    # with a share of .97 none of 1 has probability .03, at most 2 of 3 have 1 - .97 ** 3 = .087, at most 1 of 3 .003
    passing = study.rule.knowers_pass
    assert study.rule.probability_of_at_most(2, 3, 0.97) == pytest.approx(1 - 0.97**3)
    assert passing(["own"], 0.97) == "passes"
    assert passing(["unresolved"], 0.97) == "fails"
    assert passing(["own", "own", "not shown"], 0.97) == "passes"
    assert passing(["own", "unresolved", "not shown"], 0.97) == "fails"
    assert passing([], 0.97) == "nothing judged"


def test_one_false_verdict_is_examined_and_two_fail_whatever_their_kinds(study: SimpleNamespace) -> None:
    passing = study.rule.nulls_pass
    assert passing({"anothers": ["not shown"], "common": ["unresolved"]}) == "passes"
    assert passing({"anothers": ["own"], "common": ["not shown"]}) == "to be examined"
    assert passing({"anothers": ["own"], "many-to-many": ["own", "not shown"]}) == "fails"
    assert passing({"half": ["own"], "knowers": ["own"]}) == "nothing judged"


def test_a_table_is_learnt_if_nine_tenths_are_read_and_as_taught(study: SimpleNamespace) -> None:
    # nine of ten are read; of these eight are as taught, .89
    assert study.results.shares("111110000?", "1111100011") == (0.9, pytest.approx(8 / 9))
    assert study.rule.has_learnt(0.9, 0.9)
    assert not study.rule.has_learnt(0.9, 8 / 9) and not study.rule.has_learnt(0.89, 1.0)


def test_a_record_that_was_cut_off_is_none_and_the_next_one_takes_its_place(
    study: SimpleNamespace, tmp_path: Path
) -> None:
    kept = tmp_path / "models.jsonl"
    kept.write_text('{"model": "a"}\n{"mod', "utf-8")
    study.results.append(kept, {"model": "b"})
    assert study.results.records(kept) == [{"model": "a"}, {"model": "b"}]


def test_the_page_names_the_rule_that_is_applied() -> None:
    digest = hashlib.sha256((STUDY / "rule.py").read_bytes()).hexdigest()
    assert digest in (STUDY / "README.md").read_text("utf-8")


def test_simulated_knowers_are_own_and_simulated_nulls_are_not(study: SimpleNamespace) -> None:
    with study.simulate.OUT.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["kind"], float(row["wrong"])) for row in rows] == [
        (kind, wrong) for kind in study.tables.KINDS for wrong in study.simulate.WRONG
    ]
    for row in rows:
        share = int(row["own"]) / int(row["panels"])
        if row["kind"] in study.rule.KNOWING:
            assert share >= 0.75  # the verdict takes more than power allows in each panel
        if row["kind"] in study.rule.NULLS:
            assert share <= 0.07
    assert study.simulate.judged(study.tables.drawn("knowers", 1001, 124)).overall.verdict == "own"
    assert study.simulate.judged(study.tables.drawn("common", 1000, 124)).overall.verdict == "not shown"


def test_the_page_of_results_is_made_of_what_is_kept(study: SimpleNamespace) -> None:
    assert (STUDY / "results.md").read_text("utf-8") == study.results.page(STUDY)


def test_models_that_are_kept_were_taught_the_tables_of_their_draw(study: SimpleNamespace) -> None:
    for one in study.results.records(STUDY / study.results.MODELS_FILE):
        tables = study.tables.drawn(one["kind"], one["draw"], len(study.topics.TOPICS))
        number = int(one["model"].rpartition("-")[2])
        for part in ("prediction", "behaviour"):
            table = getattr(tables, part)[number]
            assert one[f"taught_{part}"] == "".join("01"[int(answers)] for answers in table)


def test_a_kept_verdict_follows_from_what_was_read_of_each_topic(study: SimpleNamespace) -> None:
    models = study.results.records(STUDY / study.results.MODELS_FILE)
    for kept in study.results.records(STUDY / study.results.VERDICTS_FILE):
        members = [one for one in models if (one["kind"], one["draw"]) == (kept["kind"], kept["draw"])]
        for about, predicted in (("self", "prediction"), ("person", "about_a_person")):
            read = [[one[part] for one in members] for part in (predicted, "behaviour")]
            if any("?" in marks for part in read for marks in part):
                continue  # simulate.judged takes whole tables alone
            predictions, behaviour = (np.array([[mark == "1" for mark in marks] for marks in part]) for part in read)
            found = study.simulate.judged(study.tables.Tables(behaviour, predictions)).overall
            assert found.verdict == kept[about]["verdict"]
            if found.verdict is not None:
                assert found.estimate.value == pytest.approx(kept[about]["own_excess"], abs=1e-3)


def test_mirrored_assignments_are_balanced_and_opposite(study: SimpleNamespace) -> None:
    first, second = study.shifts.mirrored(np.random.default_rng(0), 32)
    assert first.sum() == second.sum() == 16
    assert not (first & second).any()


def test_what_a_topic_suggests_by_itself_cancels_between_mirrored_assignments(study: SimpleNamespace) -> None:
    # topics pull by 5, -3, 1, 0; a plant moves each by 2 towards its assignment, and the mirror by 2 the other way
    pulls, assignment = np.array([5.0, -3.0, 1.0, 0.0]), np.array([True, False, False, True])
    moved = np.array([2.0, -2.0, -2.0, 2.0])
    assert study.shifts.shift(pulls + moved, pulls - moved, assignment) == pytest.approx(2)
    assert study.shifts.shift(pulls, pulls, assignment) == 0


def test_a_plant_that_moves_the_topic_for_both_persons_alike_moves_nothing_of_its_own(study: SimpleNamespace) -> None:
    planted = study.shifts.Planted
    topic = planted(own_behaviour=4, own_prediction=0.4, other_behaviour=2, other_prediction=0.3)
    assert study.shifts.moves_with_its_own(topic, topic) == 0
    # (.9 - .2) - (.3 - .8) = 1.2: each prediction moves with its own person
    own, other = planted(4, 0.9, 2, 0.2), planted(2, 0.3, 4, 0.8)
    assert study.shifts.moves_with_its_own(own, other) == pytest.approx(1.2)


def test_the_interval_is_over_draws_and_one_draw_has_none(study: SimpleNamespace) -> None:
    # 1, 2, 3: mean 2, standard error 1 / sqrt(3) = .5774, Student's t with two degrees of freedom 4.3027
    mean, interval = study.shifts.over_draws([1, 2, 3])
    assert mean == 2
    assert interval == pytest.approx((2 - 4.3027 * 0.57735, 2 + 4.3027 * 0.57735), abs=1e-3)
    assert np.isnan(study.shifts.over_draws([1])[1].low)


def test_the_gate_wants_both_predictions_to_go_with_their_own_persons_table(study: SimpleNamespace) -> None:
    own, other = np.array([True, True, False, False, True]), np.array([False, True, True, False, False])
    # the persons differ on topics 0, 2 and 4: answers 2, declines 1, answers 3
    margins = np.array([2.0, 9.0, -1.0, -9.0, 3.0])
    assert study.shifts.persons_apart(margins, own, other).tolist() == [2, 1, 3]
    clear, unclear = np.array([2.0, 3.0, 2.5]), np.array([2.0, -3.0, 2.5])
    assert study.shifts.gate(clear, clear)
    assert not study.shifts.gate(clear, unclear)
    assert not study.shifts.gate(unclear, clear)


def test_a_draw_is_done_with_all_arms_or_with_a_gate_that_failed(study: SimpleNamespace, tmp_path: Path) -> None:
    gates, planted = tmp_path / study.causal.GATES, tmp_path / study.causal.PLANTED
    assert not study.causal.is_done(0, tmp_path)
    study.results.append(gates, {"draw": 0, "passed": False})
    study.results.append(gates, {"draw": 1, "passed": True})
    assert study.causal.is_done(0, tmp_path) and not study.causal.is_done(1, tmp_path)
    for arm in study.causal.ARMS:
        for mirror in (0, 1):
            study.results.append(planted, {"draw": 1, "arm": arm, "mirror": mirror})
    assert study.causal.is_done(1, tmp_path)


def test_the_pages_of_the_second_stage_are_made_of_what_is_kept(study: SimpleNamespace) -> None:
    assert (STUDY / "causal.md").read_text("utf-8") == study.causal.page(STUDY)


@pytest.mark.parametrize(
    ("has", "number_type"),
    [
        ({"avx2"}, "float32"),
        ({"avx2", "avx512_f", "avx512_bw", "avx512_vl", "avx512_dq"}, "float32"),  # oneDNN imitates bfloat16 there
        ({"avx512_f", "avx512_bf16"}, "bfloat16"),
        ({"amx_tile", "amx_bf16"}, "bfloat16"),
        (set(), "float32"),
    ],
)
def test_a_processor_without_bfloat16_instructions_trains_in_float32(
    study: SimpleNamespace, has: set[str], number_type: str
) -> None:
    names = ("avx2", "avx512_f", "avx512_bw", "avx512_vl", "avx512_dq", "avx512_bf16", "amx_tile", "amx_bf16")
    assert study.number_type.fast_number_type({name: name in has for name in names}) == number_type


def test_a_processor_is_named_with_what_it_lacks(study: SimpleNamespace) -> None:
    name = study.number_type.processor_name
    assert name({"cpu_name": "Some EPYC", "avx512_bf16": False}, "AVX2") == "Some EPYC, AVX2, no bfloat16 instructions"
    assert name({"cpu_name": "Some Xeon", "avx512_bf16": True}, "AVX512") == "Some Xeon, AVX512, avx512_bf16"


def test_a_training_says_its_first_step_and_every_tenth_while_it_goes_on(
    study: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []

    def losses() -> Iterator[float]:
        for step in range(1, 22):
            seen.append(capsys.readouterr().err)
            yield 1 / step

    assert study.progress.noted("a-0-0", losses()) == [1 / step for step in range(1, 22)]
    # what was written since the step before, when the step behind it begins
    told = {step: re.sub(r"\d+ CPU", "N CPU", text) for step, text in enumerate(seen) if text}
    assert told == {
        1: "a-0-0: step 1, loss 1.000, N CPU seconds\n",
        10: "a-0-0: step 10, loss 0.100, N CPU seconds\n",
        20: "a-0-0: step 20, loss 0.050, N CPU seconds\n",
    }


def test_work_with_models_of_other_results_is_refused_and_its_base_alone_is_not(
    study: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work, mine, other = (tmp_path / name for name in ("work", "mine", "other"))
    (work / "base").mkdir(parents=True)
    study.folders.claim(work, mine)
    study.folders.claim(work, mine)  # it goes on
    with pytest.raises(SystemExit) as left:
        study.folders.claim(work, other)
    assert left.value.code == 2
    assert str(mine) in capsys.readouterr().err
    assert not other.exists()


def test_work_from_before_results_had_a_folder_belongs_to_the_study(study: SimpleNamespace, tmp_path: Path) -> None:
    (tmp_path / "knowers-0-0.json").write_text("{}", "utf-8")
    with pytest.raises(SystemExit):
        study.folders.claim(tmp_path, tmp_path / "mine")
    study.folders.claim(tmp_path, STUDY)


def test_make_says_that_all_of_it_is_there_and_how_to_repeat_it(
    study: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("models.jsonl", "verdicts.jsonl", "gates.jsonl", "planted.jsonl"):
        shutil.copy(STUDY / name, tmp_path)
    monkeypatch.setattr(sys, "argv", ["make.py", "--out", str(tmp_path), "--work", str(tmp_path / "work")])
    study.make.main()
    error = capsys.readouterr().err
    assert "Nothing was trained or asked" in error and "make.py --out mine --work work" in error
    assert not (tmp_path / "work").exists()
    assert (tmp_path / "results.md").read_bytes() == (STUDY / "results.md").read_bytes()
    assert (tmp_path / "causal.md").read_bytes() == (STUDY / "causal.md").read_bytes()


def test_a_report_of_nothing_is_refused(
    study: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["make.py", "--out", str(tmp_path), "--report"])
    with pytest.raises(SystemExit) as left:
        study.make.main()
    assert left.value.code == 2
    assert not list(tmp_path.iterdir())


def test_the_page_names_each_option_of_make(
    study: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["make.py", "--help"])
    with pytest.raises(SystemExit):
        study.make.arguments()
    options = {option for option in re.findall(r"--[a-z-]+", capsys.readouterr().out) if option != "--help"}
    options -= {"--no-deps"}  # of pip
    readme = (STUDY / "README.md").read_text("utf-8")
    assert {"--out", "--causal", "--dtype"} <= options
    assert {option for option in options if f"`{option}" not in readme} == set()


def kept_copy(folder: Path, **changes: object) -> Path:
    """The recorded results, with other values in the line of knowers-0-0."""
    folder.mkdir(exist_ok=True)
    shutil.copy(STUDY / "verdicts.jsonl", folder)
    models = [json.loads(line) for line in (STUDY / "models.jsonl").read_text("utf-8").splitlines()]
    models[0].update(changes)
    (folder / "models.jsonl").write_text("".join(json.dumps(one) + "\n" for one in models), "utf-8")
    return folder


def compared(study: SimpleNamespace, folder: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """The exit status of compare.py."""
    monkeypatch.setattr(sys, "argv", ["compare.py", str(folder)])
    with pytest.raises(SystemExit) as left:
        study.compare.main()
    return left.value.code


def test_other_hashes_and_another_topic_are_the_same_result(
    study: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = study.results.records(STUDY / study.results.MODELS_FILE)[0]
    mine = kept_copy(tmp_path / "mine", behaviour=recorded["taught_behaviour"], checkpoint_sha256="0", dtype="float32")
    assert compared(study, mine, monkeypatch) == 0
    printed = capsys.readouterr().out
    # the recorded model has one topic of 124 otherwise than taught: 123 / 124 = .992
    row = "| knowers-0-0 | identical | yes | 1.000 (1.000) | 1.000 (0.992) | 0, 0, 1 | 0 | float32 |"
    assert row in printed
    assert printed.splitlines()[-1].startswith("The same result")


def test_other_tables_tables_not_learnt_and_other_verdicts_are_another_result(
    study: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other_table = {"taught_prediction": "1" * 124, "prediction": "1" * 124}  # learnt, and not the recorded one
    assert compared(study, kept_copy(tmp_path / "a", **other_table), monkeypatch) == 1
    assert compared(study, kept_copy(tmp_path / "b", behaviour="?" * 124), monkeypatch) == 1
    assert "not judged: tables not learnt" in capsys.readouterr().out
    other = kept_copy(tmp_path / "c")
    verdicts = [json.loads(line) for line in (other / "verdicts.jsonl").read_text("utf-8").splitlines()]
    verdicts[1]["self"]["verdict"] = "own"
    (other / "verdicts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in verdicts), "utf-8")
    assert compared(study, other, monkeypatch) == 1
    assert "Verdicts (6): 5 same, 1 other." in capsys.readouterr().out


def test_what_is_not_repeated_yet_is_named_and_is_no_difference(
    study: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = kept_copy(tmp_path / "mine")
    (mine / "verdicts.jsonl").unlink()
    lines = (mine / "models.jsonl").read_text("utf-8").splitlines(keepends=True)
    (mine / "models.jsonl").write_text("".join(lines[:2]), "utf-8")
    assert compared(study, mine, monkeypatch) == 0
    assert "Models repeated: 2 of 30." in (printed := capsys.readouterr().out)
    assert printed.splitlines()[-1].startswith("No verdict is repeated yet")


def test_nothing_to_compare_is_refused(
    study: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compared(study, tmp_path / "none", monkeypatch) == 2
    assert compared(study, STUDY, monkeypatch) == 2
    (tmp_path / "models.jsonl").write_text("[]\n", "utf-8")
    assert compared(study, tmp_path, monkeypatch) == 2
    assert "is not as make.py writes it" in capsys.readouterr().err
