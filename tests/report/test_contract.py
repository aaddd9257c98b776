"""Page, drawings and script agree: `templates/CONTRACT.md` lists the names in which they meet, and nothing else."""

import re
from pathlib import Path

import pytest

from selfexec.report import page

REPORT = Path(page.__file__).parent
TEMPLATES = REPORT / "templates"
SCRIPT = (TEMPLATES / "script.js").read_text("utf-8")
GIVEN_BY = {
    "page": "\n".join(path.read_text("utf-8") for path in (*sorted(TEMPLATES.rglob("*.j2")), REPORT / "cells.py")),
    "drawing": "\n".join(path.read_text("utf-8") for path in sorted((REPORT / "svg").glob("*.py"))),
    "script": SCRIPT,
}
USED, LEFT_ALONE = (TEMPLATES / "CONTRACT.md").read_text("utf-8").split("\n## ")


def listed(text: str) -> dict[str, set[str]]:
    """Name -> who gives it."""
    lines = re.findall(r"^\| `([^`]+)` \| ([a-z, ]+) \| .+ \|$", text, re.MULTILINE)
    assert len(lines) == len(dict(lines)) == text.count("\n| `")
    return {name: set(givers.split(", ")) for name, givers in lines}


def names_in_script(script: str) -> set[str]:
    """Classes, attributes and ids that a script looks for."""
    found = set()
    for selector in re.findall(r"""(?:\ball|querySelector|closest)\(\s*(["'`])(.*?)\1""", script):
        found |= set(re.findall(r"[.#][a-z][\w-]*", selector[1]))
        found |= {f"[{name}]" for name in re.findall(r"\[(data-[\w-]+)", selector[1])}
    found |= {f".{name}" for name in re.findall(r"""classList\.\w+\(["'`]([\w-]+)""", script)}
    found |= {f"#{name}" for name in re.findall(r"""(?:byId\(|unpack\(|\.id === )["']([\w-]+)""", script)}
    found |= {f"#{name}*" for name in re.findall(r"(?:byId\(|unpack\(|\.id === )`([\w-]+)\$\{", script)}
    taken = re.findall(r"\.dataset\.(\w+)", script)
    # taken apart at once, and what a button carries handed on whole
    taken += [part.split(":")[0].strip() for names in apart(script) for part in names.split(",")]
    dashed = [re.sub("([A-Z])", r"-\1", name).lower() for name in taken]
    return found | {f"[data-{name}]" for name in dashed}


def apart(script: str) -> list[str]:
    return re.findall(r"const \{([^{}]+)\} = (?:\w+\.dataset|asked);", script)


def gives(giver: str, name: str) -> bool:
    text, bare = GIVEN_BY[giver], name.strip(".#[]*")
    word = rf"(?<![\w-]){re.escape(bare)}(?![\w-])"
    if name.startswith("["):
        own = rf"\.dataset\.{bare.removeprefix('data-')}\b ?(?:\?\?)?="
        return bool(re.search(own if giver == "script" else rf"{word}(?:=|\")", text))
    if name.startswith("#"):
        return bool(re.search(rf'\bid="{re.escape(bare)}{"" if name.endswith("*") else chr(34)}', text))
    if giver == "script":
        return bool(re.search(rf'(?:className: "[^"]*|classList\.(?:add|toggle)\("){word}', text))
    if giver == "drawing":
        return bool(re.search(rf'"[^"\n]*{word}[^"\n]*"', text))
    return bool(re.search(rf'\bclass="[^>\n]*?{word}', text))


def test_the_script_relies_on_what_is_listed_and_on_nothing_else() -> None:
    assert names_in_script(SCRIPT) == listed(USED).keys()


@pytest.mark.parametrize(("name", "givers"), sorted((listed(USED) | listed(LEFT_ALONE)).items()))
def test_what_is_listed_is_given_by_those_who_are_said_to(name: str, givers: set[str]) -> None:
    assert {giver for giver in GIVEN_BY if gives(giver, name)} >= givers


@pytest.mark.parametrize("giver", ["page", "drawing"])
def test_every_attribute_that_is_given_is_listed(giver: str) -> None:
    given = {f"[{name}]" for name in re.findall(r'(?<![\w-])(data-[a-z-]+)(?:=|")', GIVEN_BY[giver])}
    every = listed(USED) | listed(LEFT_ALONE)
    assert given == {name for name, givers in every.items() if name.startswith("[") and giver in givers}


def test_names_are_found_in_every_form_that_the_script_has() -> None:
    script = """
      all(".a tr[data-b], #c details"); head.closest(".d"); x.classList.toggle("e", y); byId("f");
      byId(`g-${n}`); z.dataset.hI; const { j, k: l } = mark.dataset; document.querySelector('.m');
    """
    expected = [".a", "[data-b]", "#c", ".d", ".e", "#f", "#g-*", "[data-h-i]", "[data-j]", "[data-k]", ".m"]
    assert names_in_script(script) == set(expected)
