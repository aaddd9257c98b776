"""What is published: the addresses in it, what it says of itself, and the files. `make links` (this file as a script)
points all links to the repository that pyproject.toml names. SELFEXEC_DIST names a folder with a wheel and an sdist.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfexec import extras

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
ADDRESS = re.compile(r"https://github\.com/[\w.-]+/selfexec\b")
LINKING = ("README.md", "pyproject.toml")
DIST = os.environ.get("SELFEXEC_DIST")
built = pytest.mark.skipif(not DIST, reason="SELFEXEC_DIST names no folder with what was built")


@pytest.mark.parametrize("name", LINKING)
def test_all_links_to_the_repository_have_its_one_address(name: str) -> None:
    found = set(ADDRESS.findall((ROOT / name).read_text("utf-8")))
    assert found == {REPOSITORY}, "run `make links`"


def test_the_readme_has_no_link_that_an_index_could_not_follow() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert links and [link for link in links if not link.startswith("https://")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="a script of a Unix shell")
def test_a_release_is_refused_as_long_as_nobody_owns_the_address() -> None:
    if "/OWNER/" not in REPOSITORY:
        pytest.skip("the address has its owner")
    done = subprocess.run([ROOT / ".ci" / "release"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "OWNER in the address of the repository" in done.stderr


def test_every_supported_python_is_a_classifier() -> None:
    named = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", name)]
    assert named == ["3.11", "3.12", "3.13"] and PROJECT["requires-python"] == f">={named[0]}"


def test_no_page_installs_the_package_by_a_name_that_is_not_on_the_index_yet() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    by_name = re.compile(r"pip install (?:-\S+ )*['\"]?selfexec\b")
    assert [page.name for page in pages if by_name.search(page.read_text("utf-8"))] == []


ORIGINS: dict[str, tuple[Any, str]] = {
    "an index": (None, "pip install 'selfexec[local]'"),
    "a folder": ({"url": "file://HERE", "dir_info": {}}, "pip install 'HERE[local]'"),
    "a folder that is edited": (
        {"url": "file://HERE", "dir_info": {"editable": True}},
        "pip install -e 'HERE[local]'",
    ),
    "a folder that is gone": ({"url": "file:///gone/for/good", "dir_info": {}}, "pip install 'selfexec[local]'"),
    "a repository": (
        {"url": "https://x.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "0", "requested_revision": "v1"}},
        "pip install 'selfexec[local] @ git+https://x.org/a.git@v1'",
    ),
}


@pytest.mark.parametrize("origin", ORIGINS)
def test_an_extra_is_installed_from_where_the_package_is_from(
    origin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded, command = ORIGINS[origin]
    text = json.dumps(recorded).replace("HERE", tmp_path.as_posix()) if recorded else None
    monkeypatch.setattr(extras, "distribution", lambda name: SimpleNamespace(read_text=lambda file: text))
    assert extras.to_install("local") == command.replace("HERE", str(tmp_path))


def test_a_package_that_is_not_installed_is_installed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", none)
    assert extras.to_install("ray") == "pip install 'selfexec[ray]'"


@built
def test_the_wheel_has_no_content_twice() -> None:
    [path] = Path(str(DIST)).glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        digests = Counter(hashlib.sha256(wheel.read(file)).hexdigest() for file in wheel.infolist() if file.file_size)
        names = wheel.namelist()
    assert max(digests.values()) == 1
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"selfexec"}
    assert "selfexec/py.typed" in names and "selfexec/items/starter/LICENSE" in names


@built
def test_the_source_archive_has_the_package_and_its_documents_and_no_studies() -> None:
    [path] = Path(str(DIST)).glob("*.tar.gz")
    with tarfile.open(path) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert {"src", "docs", "README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"} <= tops
    assert not tops & {"studies", "tests", "benchmarks", ".ci", ".github"}
    assert path.stat().st_size < 2_000_000


if __name__ == "__main__":
    for linking in LINKING:
        page = ROOT / linking
        page.write_text(ADDRESS.sub(REPOSITORY, page.read_text("utf-8")), "utf-8")
