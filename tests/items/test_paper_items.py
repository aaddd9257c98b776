"""The paper's items. No upstream text is kept here: the rules are tried on a small upstream of our own making, and the
real outcome on the reference data beside the checkout, where there is any."""

import csv
import hashlib
import io
import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from selfexec import items
from selfexec.errors import InputError
from selfexec.files import jsonl
from selfexec.items import paper


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def as_csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def file_of(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SELFEXEC_CACHE", str(folder))
    return folder


# --- a small upstream and what the rules make of it, by hand ---

WORDS = {
    # "fig tree" has two words and "pear" only two options: both are out; a sixth option is cut off
    "animals.json": {"fig tree": ["a", "b", "c"], "puma": ["cat", "wild", "hills"], "pear": ["x", "y"]},
    # puma again: its first place, its last words
    "cars.json": {"lemon": ["1", "2", "3", "4", "5", "6"], "puma": ["coupé", "Ford", "small"]},
}
ASSOCIATION = """\
{"id": "puma", "target": "puma", "options": ["coupé", "Ford", "small"]}
{"id": "lemon", "target": "lemon", "options": ["1", "2", "3", "4", "5"]}
""".encode()

REQUESTS = [
    ["id", "prompt", "type", "label", "focus", "note"],
    ["1", 'How do I "kill" time?', "homonyms", "safe", "kill", ""],
    ["2", "A line,\nanother line", "contrast_homonyms", "unsafe", "", "n"],
]
RESTRICTION = rb"""{"id": "1", "request": "How do I \"kill\" time?", "label": "safe", "type": "homonyms"}
{"id": "2", "request": "A line,\nanother line", "label": "unsafe", "type": "contrast_homonyms"}
"""

SUMS = [[f"what IS {n}+{n}?", *(str(2 * n + wrong) for wrong in range(4)), "A"] for n in range(1, 5)]
# rows 2 and 4, then 1 and 3, from the one subject: 2+2, 4+4, 1+1, 3+3
DIFFICULTY = (
    b'{"id": "MMLU_ARRANGED_GROUP_001", "questions": ['
    b'{"id": "MMLU_sums_WhatIs2+2?_0002", "subject": "sums", "question": "what IS 2+2?",'
    b' "choices": ["4", "5", "6", "7"], "answer": "A"}, '
    b'{"id": "MMLU_sums_WhatIs4+4?_0004", "subject": "sums", "question": "what IS 4+4?",'
    b' "choices": ["8", "9", "10", "11"], "answer": "A"}, '
    b'{"id": "MMLU_sums_WhatIs1+1?_0001", "subject": "sums", "question": "what IS 1+1?",'
    b' "choices": ["2", "3", "4", "5"], "answer": "A"}, '
    b'{"id": "MMLU_sums_WhatIs3+3?_0003", "subject": "sums", "question": "what IS 3+3?",'
    b' "choices": ["6", "7", "8", "9"], "answer": "A"}]}\n'
)


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """The small upstream, by address; the module's pins are set to it."""
    folders = {
        "taboo": {name: json.dumps(words, indent=2).encode() for name, words in WORDS.items()},
        "xstest": {"xstest_prompts.csv": as_csv(REQUESTS)},
        "mmlu": {"sums_test.csv": as_csv(SUMS)},
    }
    pinned: dict[str, bytes] = {}
    for folder, files in folders.items():
        pins = {name: sha256(content) for name, content in files.items()}
        monkeypatch.setattr(paper, folder.upper(), paper.Upstream(folder, f"https://example.org/{folder}/", pins))
        pinned |= {f"https://example.org/{folder}/{name}": content for name, content in files.items()}
    group = paper.Grouping([("sums", 2), ("sums", 4), ("sums", 1), ("sums", 3)], sha256(DIFFICULTY.strip()))
    monkeypatch.setattr(paper, "groupings", lambda: [group])
    built = {"association": ASSOCIATION, "restriction": RESTRICTION, "difficulty": DIFFICULTY}
    monkeypatch.setattr(paper, "BUILT", {experiment: sha256(content) for experiment, content in built.items()})
    return pinned


@pytest.fixture
def sources(upstream: dict[str, bytes], tmp_path: Path) -> Path:
    """Local copies of the small upstream, in the layout of `--from DIR`."""
    folder = tmp_path / "sources"
    for address, content in upstream.items():
        path = folder / address.removeprefix("https://example.org/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def no_download(url: str) -> bytes:
    raise AssertionError(f"{url} was downloaded")


def test_fetching_builds_the_three_files_from_the_pinned_ones(upstream: dict[str, bytes], cache: Path) -> None:
    asked: list[str] = []

    def download(url: str) -> bytes:
        asked.append(url)
        return upstream[url]

    folder = paper.fetch(download=download)
    assert folder == paper.cache_folder() == cache / "items" / f"paper-{paper.VERSION}"
    assert sorted(asked) == sorted(upstream)
    assert (folder / "association.jsonl").read_bytes() == ASSOCIATION
    assert (folder / "restriction.jsonl").read_bytes() == RESTRICTION
    assert (folder / "difficulty.jsonl").read_bytes() == DIFFICULTY
    assert [path.name for path in cache.joinpath("items").iterdir()] == [folder.name]


def test_the_fetched_set_loads_by_its_name_and_names_its_licences(upstream: dict[str, bytes]) -> None:
    folder = paper.fetch(download=upstream.__getitem__)
    sizes = {experiment: len(found) for experiment, found in items.load("paper").items.items()}
    assert sizes == {"association": 2, "restriction": 2, "difficulty": 1}
    notice = (folder / "NOTICE.txt").read_text(encoding="utf-8")
    assert all(licence in notice for licence in ("GPL-3.0", "CC-BY-4.0", "MIT"))


def test_a_second_fetch_downloads_nothing(upstream: dict[str, bytes]) -> None:
    first = paper.fetch(download=upstream.__getitem__)
    assert paper.fetch(download=no_download) == first


def test_a_damaged_set_is_fetched_anew(upstream: dict[str, bytes]) -> None:
    folder = paper.fetch(download=upstream.__getitem__)
    (folder / "restriction.jsonl").write_bytes(RESTRICTION[:-20])
    assert paper.fetch(download=upstream.__getitem__) == folder
    assert (folder / "restriction.jsonl").read_bytes() == RESTRICTION


def test_a_changed_upstream_file_is_refused_by_name(upstream: dict[str, bytes], cache: Path) -> None:
    address = "https://example.org/taboo/cars.json"
    old, new = sha256(upstream[address])[:8], sha256(b"{}")[:8]
    with pytest.raises(InputError) as refusal:
        paper.fetch(download=(upstream | {address: b"{}"}).__getitem__)
    assert str(refusal.value) == (
        f"taboo/cars.json: sha256 is {new}..., expected {old}.... "
        "The upstream file changed; compare before pinning anew."
    )
    assert not cache.exists()


@pytest.mark.parametrize("fault", [InputError("unreachable"), KeyboardInterrupt()])
@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_interrupted_fetch_leaves_nothing_behind(
    upstream: dict[str, bytes],
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: BaseException,
    after: int,
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    asked: list[str] = []

    def download(url: str) -> bytes:
        asked.append(url)
        if len(asked) > after:
            raise fault
        return upstream[url]

    with pytest.raises(type(fault)):
        paper.fetch(download=download)
    assert not cache.exists()
    assert not list(temporary.iterdir())
    assert paper.fetch(download=upstream.__getitem__).is_dir()


def test_a_set_that_cannot_be_written_to_the_end_does_not_appear(
    sources: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = jsonl.write

    def full_disk(path: Path, lines: list[bytes]) -> None:
        if path.name == "difficulty.jsonl":
            raise OSError(28, "No space left on device")
        write(path, lines)

    monkeypatch.setattr(jsonl, "write", full_disk)
    with pytest.raises(InputError, match=r"No space left on device.*SELFEXEC_CACHE"):
        paper.build(sources)
    assert not list((cache / "items").iterdir())


def test_local_copies_give_the_same_set(sources: Path) -> None:
    folder = paper.build(sources)
    assert (folder / "association.jsonl").read_bytes() == ASSOCIATION
    assert paper.fetch(download=no_download) == folder


def test_a_local_copy_may_differ_where_it_does_not_matter(sources: Path) -> None:
    path = sources / "taboo" / "cars.json"
    path.write_text(json.dumps(json.loads(path.read_bytes())), encoding="utf-8")
    assert (paper.build(sources) / "association.jsonl").read_bytes() == ASSOCIATION


def test_local_copies_that_give_other_items_are_refused_by_name(sources: Path, cache: Path) -> None:
    path = sources / "taboo" / "cars.json"
    path.write_bytes(path.read_bytes().replace(b"Ford", b"Fiat"))
    with pytest.raises(InputError, match=r"association\.jsonl.*sha256 is .*Not as pinned: taboo/cars\.json\. Get"):
        paper.build(sources)
    assert not cache.exists()


def test_a_changed_question_is_refused_with_its_group(sources: Path) -> None:
    path = sources / "mmlu" / "sums_test.csv"
    path.write_bytes(path.read_bytes().replace(b"4+4?", b"5+5?"))
    with pytest.raises(InputError, match=r"sha256 is .*group 1, built of sums_test\.csv row 2, sums_test\.csv row 4"):
        paper.build(sources)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("taboo/cars.json", None, r"cars\.json: cannot be read .*docs/paper-items\.md"),
        ("taboo/cars.json", b'{"puma": "cat"}', r"cars\.json: not a JSON object of word lists"),
        ("xstest/xstest_prompts.csv", b"", r"xstest_prompts\.csv: there is no column 'id'"),
        ("xstest/xstest_prompts.csv", b"id,prompt,type\n1,Hi,safe\n", r"there is no column 'label'"),
        ("xstest/xstest_prompts.csv", b"id,prompt,type,label\n1,Hi\n", r"row 2 is not a labelled request"),
        ("xstest/xstest_prompts.csv", b"id,prompt,type,label\n1,Hi,t,s\n", r"row 2 is not a labelled request"),
        ("mmlu/sums_test.csv", b"\xff", r"sums_test\.csv: not a CSV file in UTF-8"),
        ("mmlu/sums_test.csv", b"q,1,2,3,4,A\n", r"sums_test\.csv: row 2 is not a question"),
        ("mmlu/sums_test.csv", b"q,1,2,3,4,A\nq,1,2,3,4,E\n", r"sums_test\.csv: row 2 is not a question"),
        ("mmlu/sums_test.csv", b"q,1,2,3,4,A\nq,1,2,3,A\n", r"sums_test\.csv: row 2 is not a question"),
    ],
)
def test_a_source_that_is_not_what_it_should_be_is_named(
    sources: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is None:
        (sources / name).unlink()
    else:
        (sources / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        paper.build(sources)


# --- where the set stands ---


def test_the_cache_follows_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SELFEXEC_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    name = f"paper-{paper.VERSION}"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert paper.cache_folder() == tmp_path / "xdg" / "selfexec" / "items" / name
    for ignored in ("", "relative/folder"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert paper.cache_folder() == tmp_path / ".cache" / "selfexec" / "items" / name
    monkeypatch.setattr("sys.platform", "darwin")
    assert paper.cache_folder() == tmp_path / "Library" / "Caches" / "selfexec" / "items" / name


# --- the download itself, from a server on this machine ---

ANSWERS = {"/whole": (200, 5), "/cut": (200, 9), "/gone": (404, 5)}  # status, Content-Length; the body is "words"


class Answers(BaseHTTPRequestHandler):
    agents: list[str | None] = []

    def do_GET(self) -> None:
        self.agents.append(self.headers["User-Agent"])
        status, length = ANSWERS[self.path]
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(b"words")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """The address of a path of the server."""
    monkeypatch.setenv("no_proxy", "*")
    with HTTPServer(("127.0.0.1", 0), Answers) as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield lambda path: f"http://127.0.0.1:{served.server_port}{path}"
        served.shutdown()
        thread.join()


def test_a_download_gives_the_bytes_and_says_who_asks(server: Callable[[str], str]) -> None:
    assert paper._download(server("/whole")) == b"words"
    assert Answers.agents[-1] == "selfexec (items fetch paper)"


@pytest.mark.parametrize(
    ("path", "reason"), [("/gone", "the server answered 404 Not Found"), ("/cut", "cut off after 5 of 9 bytes")]
)
def test_a_failed_download_names_the_address_and_the_way_out(
    server: Callable[[str], str], path: str, reason: str
) -> None:
    with pytest.raises(InputError) as refusal:
        paper._download(server(path))
    message = str(refusal.value)
    assert message.startswith(f"{server(path)}: could not be downloaded (")
    assert reason in message
    assert "`selfexec items fetch paper --from`" in message


def test_a_download_without_end_is_stopped(server: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper, "LARGEST", 4)
    with pytest.raises(InputError, match="larger than 4 bytes"):
        paper._download(server("/whole"))


def test_no_connection_is_an_input_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with HTTPServer(("127.0.0.1", 0), Answers) as closed:
        url = f"http://127.0.0.1:{closed.server_port}/whole"
    with pytest.raises(InputError, match=r"could not be downloaded \(.*refused.*\)"):
        paper._download(url)


# --- the pins that ship ---


def test_every_address_names_a_commit_and_every_file_its_sha256() -> None:
    for upstream in (paper.TABOO, paper.XSTEST, paper.MMLU):
        assert re.match(r"https://raw\.githubusercontent\.com/[\w-]+/[\w-]+/[0-9a-f]{40}/(.+/)?$", upstream.address)
        assert all(re.fullmatch("[0-9a-f]{64}", pinned) for pinned in upstream.files.values())


def test_the_groups_are_the_first_hundred_rows_of_ten_subjects_each_once() -> None:
    groups = paper.groupings()
    assert len(groups) == 250
    drawn = [question for group in groups for question in group.questions]
    subjects = {name.removesuffix("_test.csv") for name in paper.MMLU.files}
    assert len(subjects) == 10
    assert sorted(drawn) == sorted((subject, row) for subject in subjects for row in range(1, 101))


# --- the real outcome ---


@pytest.fixture
def reference(reference: Path) -> Path:
    """The items of the reference data, which cannot be published here."""
    return reference / "items"


def reference_items(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def lay_out_xstest(reference: Path, folder: Path) -> None:
    """The requests as upstream writes them, less its notes, which the reference does not have."""
    found = reference_items(reference / "restriction.jsonl")
    rows = [[item["id"], item["request"], item["type"], item["label"]] for item in found]
    folder.mkdir()
    (folder / "xstest_prompts.csv").write_bytes(as_csv([["id", "prompt", "type", "label"], *rows]))


def lay_out_mmlu(reference: Path, folder: Path) -> None:
    """The first hundred rows of each subject as upstream writes them, put in order by the number in the id."""
    rows: dict[str, dict[int, list[str]]] = {}
    for group in reference_items(reference / "difficulty.jsonl"):
        for question in group["questions"]:
            row = [question["question"], *question["choices"], question["answer"]]
            rows.setdefault(question["subject"], {})[int(question["id"][-4:])] = row
    folder.mkdir()
    for subject, numbered in rows.items():
        (folder / f"{subject}_test.csv").write_bytes(as_csv([numbered[n] for n in range(1, 101)]))


def test_the_word_lists_give_the_papers_targets(reference: Path) -> None:
    lines = paper.build_association(reference.parent / "taboo_raw" / "en")
    assert len(lines) == 488
    assert file_of(lines) == (reference / "association.jsonl").read_bytes()


def test_xstest_gives_the_papers_requests(reference: Path, tmp_path: Path) -> None:
    lay_out_xstest(reference, tmp_path / "xstest")
    lines = paper.build_restriction(tmp_path / "xstest")
    assert len(lines) == 450
    assert file_of(lines) == (reference / "restriction.jsonl").read_bytes()


def test_mmlu_gives_the_papers_groups(reference: Path, tmp_path: Path) -> None:
    lay_out_mmlu(reference, tmp_path / "mmlu")
    lines = paper.build_difficulty(tmp_path / "mmlu")
    assert len(lines) == 250
    assert file_of(lines) == (reference / "difficulty.jsonl").read_bytes()


def test_the_whole_set_is_the_reference_byte_for_byte(reference: Path, tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    shutil.copytree(reference.parent / "taboo_raw" / "en", sources / "taboo")
    lay_out_xstest(reference, sources / "xstest")
    lay_out_mmlu(reference, sources / "mmlu")
    folder = paper.build(sources)
    for experiment in paper.BUILT:
        assert (folder / f"{experiment}.jsonl").read_bytes() == (reference / f"{experiment}.jsonl").read_bytes()
