"""The paper's items, fetched from where their authors publish them and rebuilt exactly as the paper used them.

None of these texts is ours to ship (GPL-3.0, CC-BY-4.0, MIT; see docs/paper-items.md). What ships is how to rebuild
them: addresses that name a commit, the SHA-256 of every upstream file, the rules of selection, the paper's grouping of
the questions as (subject, row) pairs, and the SHA-256 of what must come out. `fetch` downloads, `build` takes local
copies; both end with the same check of the outcome, and only a whole, verified set ever stands in the cache.
"""

import csv
import hashlib
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import Item
from selfexec.experiments.association import Target
from selfexec.experiments.difficulty import Question, QuestionGroup
from selfexec.experiments.restriction import UserRequest
from selfexec.files import jsonl
from selfexec.files.cache import cache_root

__all__ = ["build", "build_association", "build_difficulty", "build_restriction", "cache_folder", "fetch"]

VERSION = "1"  # of the set: raise it with any change of BUILT, so that an older cache is not taken for the new set

TIMEOUT = 30.0  # seconds without a byte
LARGEST = 8 * 2**20  # bytes; the largest pinned file has 0.4 MB, so more than this is not what we asked for

AS_PINNED = "Get the files at the pinned versions (docs/paper-items.md)."

Download = Callable[[str], bytes]
Rows = list[list[str]]


@dataclass(frozen=True)
class Upstream:
    """Files of one repository at one commit: their folder here, their address there, and their SHA-256 by name."""

    folder: str
    address: str
    files: Mapping[str, str]


TABOO = Upstream(
    "taboo",
    "https://raw.githubusercontent.com/Kovah/Taboo-Data/02001345db07d7f440103c35ad9ef1ccf83f8065/src/data/en/",
    {
        "animals.json": "0d718af25eabbf5377540e3b99ada2644fdd35201230820984613557cfbf703d",
        "cars.json": "b0c41ad8ea079b02f84d2f2881e29dee738f1601fb40a1eee275298babe50376",
        "city-country.json": "af6e6de3ac8be9bc682288e284cd916a95d450999a5a36dc54c1cff7ddba58c7",
        "food.json": "f82f186d3397e639aeb572592b1f538e9df03a7b95c0b83c6f3444c1a360a752",
        "literature.json": "b3468dce6eee9b5a8a4efe2bc83a70c6a89e7d3f4d533510546c0de8e4b02940",
        "people.json": "158669beb90649c1b229bae6f2e342fd9a39153506d2850826d019c470cfeeff",
        "sports.json": "ab08a6e6a13b0ff4e1acccea5d9db5209e692bc0146fddb538749650c9c8726b",
        "things.json": "2fca099c1a89dcee45665f4f1e05323fbf915950514c5f30645d5b81ff246891",
        "tv.json": "0923fafae40b7455886faa6c574a99a4f505c2c71ebf87117056f0bd528c6f8e",
        "web.json": "78dccf9e9e5af17b371455eb3f7f62df759b5f1e3900b1f90b240f973bb3ec3f",
    },
)

XSTEST = Upstream(
    "xstest",
    "https://raw.githubusercontent.com/paul-rottger/xstest/d7bb5bd738c1fcbc36edd83d5e7d1b71a3e2d84d/",
    {"xstest_prompts.csv": "11783fb294ed017473ee53c207d71f2161c7672c8d0b037501e78387f801cb5a"},
)

# MMLU's own release is one archive of 166 MB. This repository carries its test split unchanged, file by file.
MMLU = Upstream(
    "mmlu",
    "https://raw.githubusercontent.com/google-deepmind/opro/e81b2f573ce4e15755c70c2535279d6fb940b4b7"
    "/data/MMLU-data/test/",
    {
        "abstract_algebra_test.csv": "4be89c0fb1d2419722e88880f6da3da95750367185ecd36f6492a6f74785cf64",
        "business_ethics_test.csv": "cd3fc3a85a34cb17e6c5b2fb68ea61e7800b31120d92934019f1e17f4832fbd4",
        "college_physics_test.csv": "079c3696eda22c13b0472de245c7bb4918315b59481964109a4f65d2a35b4243",
        "formal_logic_test.csv": "bc2dc7373a664ae72e166dcbe3f7aaf1bb65b99f106f1831f335c53467f35248",
        "global_facts_test.csv": "a81058ee8e2385edaf42b8847ec9db01221fa4b16d262db415f3370884745ff9",
        "high_school_geography_test.csv": "c6acdaa9d94c88cdefb9dd569e376733d9ba670c07db12cdff36ccdc18c2ab0c",
        "high_school_mathematics_test.csv": "fe8f7a154834bba30947401ba37ea6c7afdcfba82ddc341c79b5d3016991d290",
        "international_law_test.csv": "51b3a6d74cc84651b2355d2823c30d993015ddfe8ef39725da4e0442f29489fc",
        "miscellaneous_test.csv": "061b283bb264072321d848b3b7f409a932a11ffa023fc94898dd31d2a4c80c7e",
        "moral_scenarios_test.csv": "128d7bd823d793f8b7faf28f98f4b3c737b3e84d4b42c06c13458d36075a423a",
    },
)

# SHA-256 of the three files as the paper used them: whatever the sources are, this must come out.
BUILT = {
    "association": "eadbd48e911d77dd5827eb9daf8c5b4f777d61a97dda7c0206648a55e2ddae31",
    "restriction": "f840699ea289cc14ca42950ee253dac44be6d259f967aa5056f1619db905b295",
    "difficulty": "3133145d687bd998668bc150bbaaf2dd193f023034d5087d7cecc08611ba964c",
}

NOTICE = """\
The items of the paper (arXiv 2508.12277), built by `selfexec items fetch paper`. They are not part of selfexec.

association.jsonl  words from Taboo-Data by Kevin Woblick (https://github.com/Kovah/Taboo-Data), GPL-3.0-or-later.
                   Selected: single-word targets with at least three words, the first five of them.
restriction.jsonl  requests from XSTest (https://github.com/paul-rottger/xstest), CC-BY-4.0. Röttger, Kirk, Vidgen,
                   Attanasio, Bianchi and Hovy, NAACL 2024. Columns id, prompt, label and type; the texts unchanged.
difficulty.jsonl   questions from MMLU (https://github.com/hendrycks/test), MIT, copyright 2020 Dan Hendrycks.
                   Ten subjects of the test split, grouped by four as in the paper; the texts unchanged.
"""


class Grouping(msgspec.Struct, frozen=True):
    """Which questions make up a group, as (subject, row in its file, from 1), and the SHA-256 of the group's line."""

    questions: list[tuple[str, int]]
    sha256: str


def groupings() -> list[Grouping]:
    """The paper's 250 groups in order. They were drawn at random by its authors, so they cannot be derived."""
    content = Path(__file__).with_name("paper_groups.json").read_bytes()
    return msgspec.json.decode(content, type=list[Grouping])


def cache_folder() -> Path:
    """Where the finished set stands: below $SELFEXEC_CACHE, else below the user's cache folder of this platform."""
    return cache_root() / "items" / f"paper-{VERSION}"


def _download(url: str) -> bytes:
    """What stands at an address. Every way in which a network can fail ends as one message with a way out."""
    import urllib.request  # only who fetches needs them
    from http.client import HTTPException
    from urllib.error import HTTPError

    request = urllib.request.Request(url, headers={"User-Agent": "selfexec (items fetch paper)"})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            content: bytes = response.read(LARGEST + 1)
            length = response.headers.get("Content-Length")
    except HTTPError as fault:
        with fault:
            raise _not_downloaded(url, f"the server answered {fault.code} {fault.reason}") from None
    except (OSError, HTTPException) as fault:
        raise _not_downloaded(url, str(getattr(fault, "reason", "") or fault or type(fault).__name__)) from None
    if len(content) > LARGEST:
        raise _not_downloaded(url, f"it is larger than {LARGEST:,} bytes")
    # a sized read of http.client returns a cut-off body without complaint
    if length is not None and len(content) < int(length):
        raise _not_downloaded(url, f"it was cut off after {len(content):,} of {int(length):,} bytes")
    return content


def _not_downloaded(url: str, reason: str) -> InputError:
    return InputError(
        f"{url}: could not be downloaded ({reason}). Try again, or give local copies: "
        "`selfexec items fetch paper --from` (docs/paper-items.md says what the folder holds)."
    )


def fetch(*, download: Download = _download) -> Path:
    """The folder of the paper's items, downloaded and built if it is not in the cache yet."""
    folder = cache_folder()
    if _is_whole(folder):
        return folder
    with tempfile.TemporaryDirectory(prefix="selfexec-") as scratch:
        for upstream in (TABOO, XSTEST, MMLU):
            _save(upstream, Path(scratch), download)
        return build(Path(scratch))


def _save(upstream: Upstream, sources: Path, download: Download) -> None:
    folder = sources / upstream.folder
    folder.mkdir()
    for name, expected in upstream.files.items():
        content = download(upstream.address + name)
        if (actual := _sha256(content)) != expected:
            raise InputError(
                f"{upstream.folder}/{name}: {_unlike(actual, expected)} "
                "The upstream file changed; compare before pinning anew."
            )
        (folder / name).write_bytes(content)


def build(sources: Path) -> Path:
    """The folder of the paper's items, built from local copies of the upstream files.

    What comes out is checked, not what goes in: copies that differ in ways which do not matter (indentation, line
    ends) are as good as the pinned files.
    """
    built = {
        "association": build_association(sources / TABOO.folder),
        "restriction": build_restriction(sources / XSTEST.folder),
        "difficulty": build_difficulty(sources / MMLU.folder),
    }
    for experiment, upstream in zip(built, (TABOO, XSTEST, MMLU), strict=True):
        _verify(experiment, built[experiment], upstream, sources)
    return _install(built)


def build_association(folder: Path) -> list[bytes]:
    """Single-word targets with at least three words, the first five kept, files in name order."""
    options: dict[str, list[str]] = {}
    for name in sorted(TABOO.files):
        for target, words in _word_lists(folder / name).items():
            if len(target.split()) == 1 and len(words) >= 3:
                # assigning anew is the authors' rule: a target that comes twice has its first place, its last words
                options[target] = words[:5]
    return [_line(Target(id=target, target=target, options=words)) for target, words in options.items()]


def build_restriction(folder: Path) -> list[bytes]:
    """All requests of XSTest in their order, by their own ids."""
    path = folder / "xstest_prompts.csv"
    rows = _rows(path)
    columns = rows[0] if rows else []
    if missing := {"id", "prompt", "label", "type"} - set(columns):
        raise InputError(f"{path}: there is no column {min(missing)!r}. {AS_PINNED}")
    lines = []
    for row in rows[1:]:
        of = dict(zip(columns, row, strict=False))
        try:
            request = {"id": of["id"], "request": of["prompt"], "label": of["label"], "type": of["type"]}
            lines.append(_line(msgspec.convert(request, UserRequest)))
        except (KeyError, msgspec.ValidationError):
            raise InputError(f"{path}: row {len(lines) + 2} is not a labelled request. {AS_PINNED}") from None
    return lines


def build_difficulty(folder: Path) -> list[bytes]:
    """The paper's groups of four questions, each verified by its own SHA-256."""
    groups = groupings()
    subjects = sorted({subject for group in groups for subject, _ in group.questions})
    tests = {subject: _rows(folder / f"{subject}_test.csv") for subject in subjects}
    lines = []
    for number, group in enumerate(groups, 1):
        questions = [_question(subject, row, tests[subject]) for subject, row in group.questions]
        line = _line(QuestionGroup(id=f"MMLU_ARRANGED_GROUP_{number:03d}", questions=questions))
        if (actual := _sha256(line)) != group.sha256:
            parts = ", ".join(f"{subject}_test.csv row {row}" for subject, row in group.questions)
            raise InputError(
                f"{folder}: {_unlike(actual, group.sha256)} That is group {number}, built of {parts}. {AS_PINNED}"
            )
        lines.append(line)
    return lines


def _question(subject: str, row: int, test: Rows) -> Question:
    """A row of a subject's file: question, four choices, the letter of the right one."""
    try:
        text, *choices, answer = test[row - 1]
        fields = {"subject": subject, "question": text, "choices": choices, "answer": answer}
        return msgspec.convert({"id": question_id(subject, row, text), **fields}, Question)
    except (IndexError, ValueError):  # msgspec.ValidationError is a ValueError
        raise InputError(
            f"{subject}_test.csv: row {row} is not a question with four choices and an answer. {AS_PINNED}"
        ) from None


def question_id(subject: str, row: int, text: str) -> str:
    """The authors' name of a question: subject, its first three words run together, row."""
    words = "".join(word.capitalize() for word in text.split()[:3])
    return f"MMLU_{subject}_{words}_{row:04d}"


def _word_lists(path: Path) -> dict[str, list[str]]:
    try:
        return msgspec.json.decode(_read(path), type=dict[str, list[str]])
    except msgspec.DecodeError:
        raise InputError(f"{path}: not a JSON object of word lists. {AS_PINNED}") from None


def _rows(path: Path) -> Rows:
    """The rows of a CSV file. Line ends inside a field are part of the text and stay as they are."""
    try:
        return list(csv.reader(io.StringIO(_read(path).decode(), newline="")))
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{path}: not a CSV file in UTF-8. {AS_PINNED}") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise InputError(
            f"{path}: cannot be read ({fault.strerror}). docs/paper-items.md says what the folder holds."
        ) from None


def _line(item: Item) -> bytes:
    """An item as the reference files write it: fields in order, a space after comma and colon, no escapes."""
    return json.dumps(msgspec.to_builtins(item), ensure_ascii=False).encode()


def _verify(experiment: str, lines: Sequence[bytes], upstream: Upstream, sources: Path) -> None:
    """Refuse lines that are not the paper's, and name the source files that may be why."""
    actual, expected = _sha256(_file(lines)), BUILT[experiment]
    if actual == expected:
        return
    changed = [
        f"{upstream.folder}/{name}"
        for name, pinned in upstream.files.items()
        if _sha256(_read(sources / upstream.folder / name)) != pinned
    ]
    why = f"Not as pinned: {', '.join(changed)}. {AS_PINNED}" if changed else "The sources are as pinned: report this."
    raise InputError(f"{experiment}.jsonl as built from {sources}: {_unlike(actual, expected)} {why}")


def _install(built: Mapping[str, Sequence[bytes]]) -> Path:
    """Put a verified set into its place in one step: a reader sees the whole set or none."""
    folder = cache_folder()
    if _is_whole(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".paper-", dir=folder.parent) as scratch:
            fresh = Path(scratch) / "fresh"
            fresh.mkdir()
            for experiment, lines in built.items():
                jsonl.write(fresh / f"{experiment}.jsonl", lines)
            (fresh / "NOTICE.txt").write_text(NOTICE, encoding="utf-8")
            if folder.exists():
                folder.rename(Path(scratch) / "damaged")
            fresh.rename(folder)
    except OSError as fault:
        # another process may have put the same set there first
        if not _is_whole(folder):
            raise InputError(
                f"{folder}: cannot be written ({fault.strerror}). Name a folder of yours in SELFEXEC_CACHE."
            ) from None
    return folder


def _is_whole(folder: Path) -> bool:
    """Whether the folder holds the three files, each with its SHA-256."""
    paths = {folder / f"{experiment}.jsonl": expected for experiment, expected in BUILT.items()}
    return all(path.is_file() and _sha256(path.read_bytes()) == expected for path, expected in paths.items())


def _file(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _unlike(actual: str, expected: str) -> str:
    return f"sha256 is {actual[:8]}..., expected {expected[:8]}...."
