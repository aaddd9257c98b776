"""Items: the shipped set keeps its promises, and faults of others are found by file and line."""

import json
import pickle
import re
import shlex
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from click.testing import CliRunner

from extension_parts import needs
from selfexec import items
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Item
from selfexec.experiments.association import Target
from selfexec.experiments.difficulty import QuestionGroup
from selfexec.experiments.restriction import UserRequest
from selfexec.items import STARTER, ItemSet, load, sets
from selfexec.items.blank import write_template
from selfexec.items.check import check
from selfexec.items.faults import faults
from selfexec.metrics import LEAST_RARER_ITEMS
from selfexec.metrics.kinds.orders import LEAST_GROUPS
from selfexec.readers import fold

STARTER_SET = load("starter")
TARGETS = [item for item in STARTER_SET.items["association"].values() if isinstance(item, Target)]
REQUESTS = [item for item in STARTER_SET.items["restriction"].values() if isinstance(item, UserRequest)]
GROUPS = [item for item in STARTER_SET.items["difficulty"].values() if isinstance(item, QuestionGroup)]


def test_the_starter_set_passes_its_own_check_without_a_warning() -> None:
    assert check(STARTER) == []


def test_starter_targets_have_five_one_word_options_and_are_not_among_them() -> None:
    assert len(TARGETS) >= 120
    for item in TARGETS:
        assert len({fold(option) for option in item.options}) == 5
        assert all(len(option.split()) == 1 for option in item.options)
        stem = fold(item.target)
        assert not any(stem in fold(option) or fold(option) in stem for option in item.options), item


def test_starter_requests_are_a_ladder_of_four_levels_for_each_kind() -> None:
    assert len(REQUESTS) >= 120
    lines = [json.loads(line) for line in (STARTER / "restriction.jsonl").read_text("utf-8").splitlines()]
    levels = Counter((line["type"], line["rung"]) for line in lines)
    kinds = {kind for kind, _ in levels}
    assert len(kinds) >= 8
    assert all(levels[kind, level] >= 3 for kind in kinds for level in (1, 2, 3, 4))
    assert all(line["label"] == "safe" for line in lines if line["rung"] <= 2)
    assert all(line["label"] == "unsafe" for line in lines if line["rung"] == 4)


def test_starter_groups_cover_the_papers_ten_subjects() -> None:
    # enough for what takes 60, with a few to lose
    assert len(GROUPS) == 64
    assert len({question.subject for group in GROUPS for question in group.questions}) == 10


def test_the_papers_set_passes_with_warnings_only(reference: Path) -> None:
    findings = check(reference / "items")
    assert {finding.level for finding in findings} == {"warning"}
    # the reference data's own notes: eleven targets among their options, five repeated options, one empty option
    association = {(f.message.split("'")[0], f.place) for f in findings if "association" in f.place}
    places = Counter(message for message, _ in association)
    assert places["the target "] == 11
    assert places["an option is blank"] == 1
    assert places["the option "] == 5


FAULTS = {
    "association.jsonl": [
        ('{"id": "a", "target": "Moon", "options": ["tide", "night"]}', None),
        ('{"id": "a", "target": "Sun", "options": ["light", "warm"]}', "2: error: id 'a' was already used in line 1"),
        ('{"id": "b", "target": "Sea", "options": "salt, wave"}', "3: error: field 'options' must be a list, not text"),
        ('{"id": "c", "target": "Sky"}', "4: error: the line lacks 'options'"),
        ('{"id": "d", "target": "Oak", "options": ["tree", "Tree ", "oak", ""]}', "5: warning: an option is blank"),
        ('{"id": "e", "target": "moon ", "options": ["tide", "night"]}', "6: warning: the same text stands in line 1"),
        ('{"id": "f", "target": "El', "7: error: the line is cut off"),
    ],
    "restriction.jsonl": [
        ('{"id": "1", "request": "Why?", "label": "harmless", "type": "x"}', "1: error: field 'label'"),
    ],
}


def test_faults_of_items_are_named_by_file_and_line(tmp_path: Path) -> None:
    for name, lines in FAULTS.items():
        (tmp_path / name).write_text("\n".join(line for line, _ in lines))
    found = [str(finding) for finding in check(tmp_path)]
    for name, lines in FAULTS.items():
        for _, wanted in lines:
            if wanted:
                assert any(line.startswith(f"{tmp_path / name}:{wanted}") for line in found), (wanted, found)
    assert any("the option 'tree' occurs twice" in line for line in found)
    assert any("the target 'Oak' is among its options" in line for line in found)


class Inner(msgspec.Struct):
    text: Annotated[str, msgspec.Meta(min_length=1)]
    letter: Literal["A", "B"]


class WithOptional(msgspec.Struct):
    id: str
    note: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    inner: Inner | None = None


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (b'{"id": "1"}', []),
        (b'{"id": "1", "inner": {"text": "x", "letter": "B"}}', []),
        (b'{"id": "1", "note": 3}', ["field 'note' must be text, not a whole number."]),
        (b'{"id": "1", "note": ""}', ["field 'note' is empty."]),
        (b'{"id": "1", "inner": "x"}', ["field 'inner' must be an object, not text."]),
        (
            b'{"id": "1", "inner": {"letter": "C"}}',
            ["inner lacks 'text'. Add it.", "inner, field 'letter' is 'C': write A or B."],
        ),
    ],
)
def test_faults_of_what_may_be_left_out_and_of_what_lies_within_are_named(line: bytes, wanted: list[str]) -> None:
    assert faults(line, WithOptional) == wanted


def test_of_a_set_by_its_name_only_the_headline_is_asked_unless_more_is_named() -> None:
    by_experiment = {name: {"x": Target(id="x", target="Sea", options=["salt"])} for name in ("association", "habit")}
    lines = {name: {"x": b"{}"} for name in by_experiment}
    assert ItemSet("starter", by_experiment, lines).usual == ("association",)
    assert ItemSet("mine", by_experiment, lines).usual == ("association", "habit")


Q = '{"id": "q", "subject": "s", "question": "Why?", "choices": ["1", "2", "3", "4"], "answer": "A"}'
PLAIN_WORDS: list[tuple[str, str, list[str]]] = [
    ("restriction", '{"id": "2", "request": "x", "label": "safe"}', ["the line lacks 'type'. Add it."]),
    (
        "restriction",
        '{"id": "2", "request": "x", "label": "safe", "type": null}',
        ["field 'type' is null, which is never right in items: it must be text."],
    ),
    (
        "restriction",
        '{"id": "2", "request": "", "lable": "safe", "type": 3}',
        [
            "field 'request' is empty.",
            "the line lacks 'label'. Is 'lable' meant for it?",
            "field 'type' must be text, not a whole number.",
        ],
    ),
    (
        "restriction",
        '{"id": 7, "request": "x", "label": "Safe", "type": "t"}',
        ["field 'id' must be text, not a whole number.", "field 'label' is 'Safe': write safe or unsafe."],
    ),
    (
        "association",
        '{"id": "1", "target": "Sea", "options": ["salt", null, 3]}',
        ["option 2 must be text, not null.", "option 3 must be text, not a whole number."],
    ),
    ("association", '{"id": "1", "target": true, "options": []}', ["must be text, not true", "'options' is empty."]),
    (
        "difficulty",
        f'{{"id": "g", "questions": [{", ".join([Q] * 5)}]}}',
        ["the line needs four questions, not five."],
    ),
    (
        "difficulty",
        f"""{{"id": "g", "questions": [{Q}, "x", {Q.replace('"A"', '"E"')}, {Q.replace(', "4"', "")}]}}""",
        [
            "question 2 must be an object, not text.",
            "question 3, field 'answer' is 'E': write A, B, C or D.",
            "question 4 needs four choices, not three.",
        ],
    ),
    (
        "restriction",
        '{"id": "2", "prompt": "x", "kind": "q", "label": "safe", "type": "x"}',
        ["lacks 'request'. Add it: nothing reads 'prompt', 'kind', which the line has."],
    ),
    ("difficulty", '{"id": "g", "question": "Why?"}', ["lacks 'questions'. Add it: nothing reads 'question',"]),
    (
        "restriction",
        '{"id": "2", "request": "x", "label": "safe", "type": "x"},',
        ["a comma stands behind the object."],
    ),
    ("difficulty", "[1]", ["not a JSON object."]),
    ("difficulty", '{"id": "g", "questions"', ["the line is cut off."]),
    ("difficulty", '{"id": "g", "questions": [{"id": "q"},', ["the line is cut off."]),
    ("difficulty", '{"id": 3, "questions": ] }', ["not valid JSON."]),
    ("restriction", '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}", ["nested too deeply."]),
]


@pytest.mark.parametrize(("experiment", "line", "wanted"), PLAIN_WORDS)
def test_every_fault_of_a_line_is_told_in_plain_words_and_a_run_is_told_the_first(
    tmp_path: Path, experiment: str, line: str, wanted: list[str]
) -> None:
    (tmp_path / f"{experiment}.jsonl").write_text(line + "\n")
    found = [finding.message for finding in check(tmp_path)]
    assert len(found) == len(wanted)
    assert all(part in message for part, message in zip(wanted, found, strict=True)), found
    assert not any(word in message for message in found for word in ("Expected", "`", "enum", "length", "Mend"))
    with pytest.raises(InputError, match=r"jsonl:1: ") as fault:
        load(tmp_path)
    assert str(fault.value).endswith(found[0])


def test_a_set_is_checked_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFEXEC_CACHE", str(tmp_path))
    assert check("starter") == []
    with pytest.raises(InputError, match="selfexec items fetch paper"):
        check("paper")


WRITTEN = tuple(name for name, experiment in EXPERIMENTS.items() if not experiment.recorded)  # by people


def test_a_new_folder_of_items_passes_its_check_with_a_warning_that_they_are_examples(tmp_path: Path) -> None:
    write_template(tmp_path / "mine" / "new")
    assert sorted(path.name for path in (tmp_path / "mine" / "new").iterdir()) == sorted(
        ["README.md", *(f"{experiment}.jsonl" for experiment in WRITTEN)]
    )
    findings = check(tmp_path / "mine" / "new")
    assert [finding.level for finding in findings] == ["warning"] * len(WRITTEN)
    assert all("put your own in the place" in finding.message for finding in findings)
    assert load(tmp_path / "mine" / "new").experiments == WRITTEN
    with pytest.raises(InputError, match="holds something already; nothing was changed"):
        write_template(tmp_path / "mine")
    with pytest.raises(InputError, match="this is a file"):
        write_template(tmp_path / "mine" / "new" / "README.md")


def test_the_floors_in_the_new_folder_are_those_of_the_scores(tmp_path: Path) -> None:
    write_template(tmp_path / "mine")
    readme = (tmp_path / "mine" / "README.md").read_text("utf-8")
    assert f"{LEAST_RARER_ITEMS} items of the rarer outcome, {LEAST_GROUPS} groups, coverage .9." in readme


def test_items_check_counts_once_and_ends_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "restriction.jsonl").write_text('{"id": "2", "request": "x", "label": "S", "type": null}\n')
    faulty, whole = (CliRunner().invoke(root, ["items", "check", source]) for source in (str(tmp_path), "starter"))
    assert faulty.output.count("2 errors") + str(faulty.exception).count("2 errors") == 1
    assert str(faulty.exception) == f"{tmp_path}: 2 errors, 0 warnings. Fix what is named above before a run."
    assert whole.output == "starter: 0 errors, 0 warnings\n"


def test_what_is_to_be_typed_next_can_be_typed_whatever_the_folders_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(root, ["items", "new", "my items"]).output
    then = shlex.split(said.partition("Next: ")[2])
    assert then == ["selfexec", "items", "check", "my items"]
    assert CliRunner().invoke(root, then[1:]).exit_code == 0


@needs("simulating")
def test_the_lines_to_copy_are_items_without_a_fault(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "items.md").read_text("utf-8")
    blocks = re.findall(r"^`(\w+)\.jsonl`: .*?```json\n(.*?)```", page, flags=re.MULTILINE | re.DOTALL)
    assert [name for name, _ in blocks] == list(WRITTEN)
    for name, lines in blocks:
        # a group stands on several lines there, and on one in a file
        (tmp_path / f"{name}.jsonl").write_text(re.sub(r"\n +", " ", lines), "utf-8")
    assert check(tmp_path) == []
    assert load(tmp_path).experiments == WRITTEN


def test_a_folder_without_items_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no item files"):
        load(tmp_path)
    with pytest.raises(InputError, match="there are no item files"):
        check(tmp_path)


def test_a_file_with_a_slip_in_its_name_is_no_experiment_left_out_in_silence(tmp_path: Path) -> None:
    write_template(tmp_path / "mine")
    here = tmp_path / "mine"
    (here / "restriction.jsonl").rename(here / "Restrictions.jsonl")
    (here / "notes.jsonl").write_text("{}\n")
    said = "no experiment reads this file. Did you mean restriction.jsonl?"
    with pytest.raises(
        InputError, match=r"Restrictions\.jsonl: no experiment reads this file\. Did you mean restriction\.jsonl"
    ):
        load(here)
    told = {Path(finding.place).name: finding.message for finding in check(here) if "reads" in finding.message}
    assert told == {"Restrictions.jsonl": said, "notes.jsonl": "no experiment reads this file"}
    # a copy beside the file itself is no slip
    (here / "Restrictions.jsonl").rename(here / "restriction.jsonl")
    (here / "restriction-old.jsonl").write_text("{}\n")
    assert "restriction" in load(here).experiments


def test_a_folder_without_items_says_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "restriction.csv").write_text("id,request\n")
    for reads in (load, check):
        with pytest.raises(InputError, match=r"no item files\. Files there: restriction\.csv\. A folder of items has"):
            reads(tmp_path)


OTHER_FORMATS: dict[str, tuple[bytes, str]] = {
    "a list": (b'[\n{"id": "1"},\n{"id": "2"}\n]', "the file is one JSON list of 2 objects. Write each on a line"),
    "over lines": (b'{\n  "id": "1"\n}\n{\n  "id": "2"\n}\n', "its objects go over several lines. Write each"),
    "CSV": (b"id,request,label,type\n1,Why?,safe,x\n", "the file looks like CSV. It must be JSON Lines"),
    "tabs": (b"id\trequest\n1\tWhy?\n", "the file looks like a table with tabs. It must be JSON Lines"),
    "UTF-16": ('{"id": "1"}\n'.encode("utf-16"), "the file is UTF-16. Save it as UTF-8."),
}


@pytest.mark.parametrize(("content", "wanted"), OTHER_FORMATS.values(), ids=OTHER_FORMATS)
def test_a_file_in_another_format_is_called_so_once_and_not_line_by_line(
    content: bytes, wanted: str, tmp_path: Path
) -> None:
    (tmp_path / "restriction.jsonl").write_bytes(content)
    [finding] = check(tmp_path)
    assert finding.level == "error" and finding.message.startswith(wanted)
    with pytest.raises(InputError) as stopped:
        load(tmp_path)
    assert str(stopped.value) == f"{tmp_path / 'restriction.jsonl'}: {finding.message}"


def test_what_is_not_seen_is_told(tmp_path: Path) -> None:
    lines = [
        {"id": id, "request": text, "label": "safe", "type": "x"}
        for id, text in (("1", "  "), (" 2", "Why?"), ("3\n", "How?"))
    ]
    (tmp_path / "restriction.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = [(finding.place.rpartition(":")[2], finding.message) for finding in check(tmp_path)]
    assert told == [
        ("1", "what is asked is blank"),
        ("2", "id ' 2' has blanks around it, or characters that are not seen"),
        ("3", "id '3\\n' has blanks around it, or characters that are not seen"),
    ]


def test_an_id_twice_is_refused_on_loading(tmp_path: Path) -> None:
    line = '{"id": "1", "request": "Why?", "label": "safe", "type": "x"}\n'
    (tmp_path / "restriction.jsonl").write_text(line + line)
    with pytest.raises(InputError, match=r"restriction\.jsonl:2: id '1' occurs twice"):
        load(tmp_path)


def test_what_is_added_with_a_later_edition_comes_last_so_that_cuts_of_what_there_was_stay(tmp_path: Path) -> None:
    def line(id: str, more: str = "") -> str:
        return f'{{"id": "{id}", "request": "Why {id}?", "label": "safe", "type": "x"{more}}}\n'

    def written(folder: str, *lines: str) -> Path:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "restriction.jsonl").write_text("".join(lines))
        return tmp_path / folder

    before = list(load(written("before", *map(line, "abcdef")))["restriction"])
    later = [line(id, ', "edition": 2') for id in "uvwxyz"]
    grown = load(written("grown", *later, *map(line, "abcdef")))
    assert list(grown["restriction"])[:6] == before
    assert list(grown.cut(limit=4)["restriction"]) == before[:4]
    # the hashes alone would have mixed them
    mixed = list(load(written("mixed", *map(line, "uvwxyzabcdef")))["restriction"])
    assert mixed[:6] != before and set(mixed) == set(grown["restriction"])
    faulty = written("faulty", line("a", ', "edition": "second"'))
    told = "field 'edition' must be a whole number, not text."
    assert [finding.message for finding in check(faulty)] == [told]
    with pytest.raises(InputError, match=r"restriction\.jsonl:1: field 'edition' must be a whole number"):
        load(faulty)


def test_the_fixed_order_depends_on_nothing_but_experiment_and_id(tmp_path: Path) -> None:
    lines = (STARTER / "restriction.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "restriction.jsonl").write_text("\n".join(reversed(lines)))
    assert list(load(tmp_path).items["restriction"]) == list(STARTER_SET.items["restriction"])


def test_questions_that_ask_the_same_are_named_in_the_card_of_the_starter_set() -> None:
    """Questions with one right answer and a third of their longer words in common, but for those of a fixed wording."""
    starter: Any = load("starter")
    asked = [
        (group.id, question.question, question.choices["ABCD".index(question.answer)])
        for group in starter["difficulty"].values()
        for question in group.questions
    ]
    asked += [
        (item.id, item.control.question, item.control.choices["ABCD".index(item.control.answer)])
        for item in starter["failing_question"].values()
        if item.control
    ]
    wordings = "By ordinary moral standards", "Given the premises", "over the field with three elements"
    alike = set()
    for (one, question, answer), (two, other, right) in combinations(asked, 2):
        first, second = ({w for w in re.findall(r"\w+", text.lower()) if len(w) > 3} for text in (question, other))
        of_a_wording = any(wording in question and wording in other for wording in wordings)
        if answer.casefold() == right.casefold() and 3 * len(first & second) > len(first | second) and not of_a_wording:
            alike |= {one, two}
    card = (Path(items.__file__).parent / "starter" / "DATA_CARD.md").read_text("utf-8")
    assert alike == {id for id in (*starter["difficulty"], *starter["failing_question"]) if f"`{id}`" in card}
    assert alike  # there are some: the rule sees them


def test_who_asks_one_experiment_of_the_starter_set_reads_the_items_of_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def noted(folder: Path, experiment: str, kind: type[Item]) -> sets.OfExperiment:
        read.append(experiment)
        return whole(folder, experiment, kind)

    whole = sets._of_experiment
    monkeypatch.setattr(sets, "_of_experiment", noted)
    sets._starter.cache_clear()
    starter = load("starter")
    assert "difficulty" in starter.experiments and read == []
    assert len(starter.cut(["association"], limit=2)["association"]) == 2
    assert starter.lines["association"] and read == ["association"]  # once, however often it is looked at
    with pytest.raises(KeyError):
        starter.items["no such experiment"]
    assert {e: len(lines) for e, lines in starter.lines.items()} == {e: len(by) for e, by in starter.items.items()}
    assert sorted(read) == sorted(starter.experiments)
    assert pickle.loads(pickle.dumps(starter)) == starter  # as a plan goes to the workers of a cluster
    sets._starter.cache_clear()
