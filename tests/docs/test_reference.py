"""The reference is what the docstrings say. `make reference` (this file as a script) writes docs/reference.md anew."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import selfexec as sx
from extension_parts import OURS, needs
from selfexec.options import default_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference.md"
# what extensions are made of, in the order in which one meets it
PUBLIC = {
    "selfexec.experiments": (
        *("Experiment", "Words", "Naive", "Spread", "Facts", "Observation", "state_of", "MISSING_READING"),
        *("ClaimState", "Ask", "Prompt", "Message", "Answer", "Prompts", "Options", "Readings", "Capability"),
        *("Baseline", "FactColumns", "repeated", "thresholded"),
    ),
    "selfexec.readers": (
        *("Reading", "Commitment", "State", "read_choice", "Equivalents", "read_words", "read_marks", "read_ranking"),
        *("read_object", "refuses", "fold"),
    ),
    "selfexec.facets": ("Facet",),
    "selfexec.engines": ("EngineType", "Engine", "Call", "CallResult", "Connection", "Wire"),
}
INTRODUCTION = """\
# Reference

Every public name with its signature, from the docstrings (`make reference` writes it).
The guide is [python.md](python.md).
"""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = Function | ast.ClassDef | ast.Assign


# --- where a name is defined -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """A module of the package as it is written."""

    name: str
    source: str
    tree: ast.Module


@cache
def module_named(name: str) -> Module:
    spec = find_spec(name)
    assert spec and spec.origin
    source = Path(spec.origin).read_text("utf-8")
    return Module(name, source, ast.parse(source))


def home(module_name: str, name: str) -> tuple[Module, Node] | None:
    """Where a name is defined that a module has: there, or in what it imports it from. None for what is not ours."""
    if node := defined(module_name).get(name):
        return module_named(module_name), node
    return home(*origin) if (origin := imported(module_name).get(name)) else None


@cache
def defined(module_name: str) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in module_named(module_name).tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, node)
        elif isinstance(node, ast.Assign):
            found.setdefault(ast.unparse(node.targets[0]), node)
    return found


@cache
def imported(module_name: str) -> dict[str, tuple[str, str]]:
    """What a module has of ours: its name there, the module that it is taken from, and its name in that."""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(module_named(module_name).tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("selfexec"):
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, (str(node.module), alias.name))
    return found


# --- what is said of it ----------------------------------------------------------------------------------------------


def entry(title: str, module_name: str, name: str, depth: str = "###") -> str:
    found = home(module_name, name)
    assert found, f"{module_name}.{name}"
    module, node = found
    if isinstance(node, ast.Assign):
        return f"{depth} {title}\n\n{block(f'{name} = {ast.unparse(node.value)}')}{said_of(module, node)}"
    if isinstance(node, ast.ClassDef):
        bases = list(with_bases(module, node))
        fields = dict(pair for _, part in reversed(bases) for pair in fields_of(part))
        members = {each.name: (owner, each) for owner, part in reversed(bases) for each in members_of(part)}
        shown = block("\n".join([f"class {name}:", *(f"    {text}" for text in fields.values())])) if fields else ""
        methods = "\n".join(member(*each) for each in members.values())
        return f"{depth} {title}\n\n{shown}{prose(ast.get_docstring(node))}{methods and methods + chr(10)}"
    if options := options_class(module, node):
        shown = lines_of(title, list(option_parameters(*options)), node.returns)
        return f"{depth} {title}\n\n{block(shown)}{prose(getattr(sx, name).__doc__)}"
    return f"{depth} {title}\n\n{block(signature(title, node))}{prose(ast.get_docstring(node))}"


def said_of(module: Module, node: ast.Assign) -> str:
    """What stands below an assignment as text, or behind it as a comment."""
    follower = module.tree.body[module.tree.body.index(node) + 1]
    if isinstance(follower, ast.Expr) and isinstance(follower.value, ast.Constant):
        return prose(str(follower.value.value))
    behind = module.source.splitlines()[(node.end_lineno or node.lineno) - 1].partition("  # ")[2]
    return prose(behind[:1].upper() + behind[1:] + "." if behind else None)


def with_bases(module: Module, node: ast.ClassDef) -> Iterator[tuple[Module, ast.ClassDef]]:
    """A class, and those of ours that it is made of."""
    yield module, node
    for base in node.bases:
        if found := home(module.name, ast.unparse(base).split("[")[0]):
            assert isinstance(found[1], ast.ClassDef)
            yield from with_bases(found[0], found[1])


def fields_of(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and not (name := ast.unparse(each.target)).startswith("_"):
            value = each.value
            hidden = value is not None and "init=False" in ast.unparse(value)
            if isinstance(value, ast.Call) and ast.unparse(value.func) == "option":
                yield name, f"{name}: {ast.unparse(each.annotation)} = {ast.unparse(value.args[0])}"
                continue
            yield name, ast.unparse(each).split(" = ")[0] if hidden else ast.unparse(each)


def options_class(module: Module, node: Function) -> tuple[Module, ast.ClassDef] | None:
    """The class of options that a function takes (`@takes(RunOptions, ...)`), where it takes one."""
    for each in node.decorator_list:
        if isinstance(each, ast.Call) and ast.unparse(each.func) == "takes":
            found = home(module.name, ast.unparse(each.args[0]))
            assert found and isinstance(found[1], ast.ClassDef)
            return found[0], found[1]
    return None


def option_parameters(module: Module, node: ast.ClassDef) -> Iterator[str]:
    """The parameters of a class of options as its fields are written, in the order in which Python has them."""
    written = {
        ast.unparse(each.target): each.annotation
        for _, part in with_bases(module, node)
        for each in part.body
        if isinstance(each, ast.AnnAssign)
    }
    kind = getattr(import_module(module.name), node.name)
    by_name = True
    for each in sorted(fields(kind), key=lambda each: bool(each.kw_only)):
        if each.kw_only and by_name:
            by_name = False
            yield "*"
        default = "" if each.default is each.default_factory is MISSING else f" = {default_of(each)!r}"
        yield f"{each.name}: {unquoted(written[each.name])}{default}"


def members_of(node: ast.ClassDef) -> Iterator[Function]:
    for each in node.body:
        if isinstance(each, Function) and (each.name == "__call__" or not each.name.startswith("_")):
            yield each


def member(module: Module, node: Function) -> str:
    """A method or a property in one line."""
    decorators = {ast.unparse(each) for each in node.decorator_list}
    said = " ".join((ast.get_docstring(node) or "").partition("\n\nArgs:")[0].split())
    name = node.name if decorators & {"property", "cached_property"} else signature(node.name, node, wrapped=False)
    if options := options_class(module, node):
        name = lines_of(node.name, list(option_parameters(*options)), node.returns, wrapped=False)
    return f"- `{name}`{': ' if said else ''}{said}"


def signature(name: str, node: Function, wrapped: bool = True) -> str:
    return lines_of(name, list(parameters(node.args)), node.returns, wrapped)


def lines_of(name: str, parts: list[str], returns: ast.expr | None, wrapped: bool = True) -> str:
    end = f") -> {unquoted(returns)}" if returns else ")"
    line = f"{name}({', '.join(parts)}{end}"
    return line if not wrapped or len(line) <= 100 else "\n".join([f"{name}(", *(f"    {p}," for p in parts), end])


def parameters(arguments: ast.arguments) -> Iterator[str]:
    def told(argument: ast.arg, default: ast.expr | None = None) -> str:
        shown = f"{argument.arg}: {unquoted(argument.annotation)}" if argument.annotation else argument.arg
        return f"{shown} = {ast.unparse(default)}" if default else shown

    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults]
    for argument, default in zip(plain, defaults, strict=True):
        if argument.arg not in ("self", "cls"):
            yield told(argument, default)
    if arguments.vararg:
        yield f"*{told(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield told(argument, default)
    # what is not known is refused: `**unknown` is no choice


def unquoted(annotation: ast.expr | None) -> str:
    """An annotation; those that stand as text, since they are imported for types alone, as what they say."""
    return annotation.value if isinstance(annotation, ast.Constant) and annotation.value else ast.unparse(annotation)


def aliases(name: str) -> Iterator[tuple[str, str]]:
    """The names for several types in the signature of a function of ours: the module that has it, and the name."""
    found = home("selfexec", name)
    assert found and isinstance(found[1], ast.FunctionDef)
    module, node = found
    if options := options_class(module, node):
        written = [
            (owner, each.annotation)
            for owner, part in with_bases(*options)
            for each in part.body
            if isinstance(each, ast.AnnAssign)
        ]
    else:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        written = [(module, argument.annotation) for argument in arguments if argument.annotation]
    for owner, annotation in written:
        for part in ast.walk(ast.parse(unquoted(annotation))):
            there = home(owner.name, part.id) if isinstance(part, ast.Name) else None
            if there and isinstance(there[1], ast.Assign):
                yield there[0].name, ast.unparse(part)


# --- as Markdown -----------------------------------------------------------------------------------------------------


def block(code: str) -> str:
    return f"```python\n{code}\n```\n\n"


def prose(text: str | None) -> str:
    """A docstring as Markdown: its columns of names and what they mean become lists."""
    if re.search(r"(?m)^(Args|Returns|Raises|Attributes):$", inspect.cleandoc(text or "")):
        return google_prose(inspect.cleandoc(text or ""))
    lines: list[str] = []
    column = 0  # in which what a name means begins; 0 outside of such columns
    for line in inspect.cleandoc(text or "").splitlines():
        row = re.match(r"( *)(\S(?:.*?\S)?)  +(?=\S)", line)
        if row:
            column = row.end()
            if lines and lines[-1] and not lines[-1].startswith("- "):
                lines.append("")
            lines.append(f"- `{row[2].strip('`')}`: {line[column:]}")
        elif column and line.startswith(" " * column):
            lines[-1] += " " + line.strip()
        elif column and re.match(r" +`?\w+`?$", line):
            lines.append(f"- `{line.strip().strip('`')}`")
        else:
            if column and line and lines[-1].startswith("- "):
                lines.append("")
            column = 0
            lines.append(line)
    return "\n".join([*lines, "", ""]) if text else ""


def google_prose(text: str) -> str:
    """A docstring in Google's style as Markdown: lists of arguments and attributes, sentences on results and errors."""
    first, *sections = re.split(r"(?m)^(Args|Returns|Raises|Attributes):\n", text)
    parts = [first.strip()]
    for heading, body in zip(sections[::2], sections[1::2], strict=True):
        entries = re.split(r"\n(?=\S)", textwrap.dedent(body).strip())
        if heading == "Returns":
            parts.append("Returns: " + " ".join(inspect.cleandoc(body).split()))
            continue
        named = [each.partition(":") for each in entries]
        rows = [f"- `{name}`: {' '.join(meaning.split())}" for name, _, meaning in named]
        if heading == "Raises":
            rows = [f"Raises `{name}`: {' '.join(meaning.split())}" for name, _, meaning in named]
        parts.append("\n".join(rows))
    whole = "\n\n".join(parts)
    return f"{whole}\n\n"


def reference() -> str:
    """The page as it should be."""
    functions = [name for name in sx.__all__ if not name.startswith("_") and not isinstance(getattr(sx, name), type)]
    classes = [name for name in sx.__all__ if isinstance(getattr(sx, name), type)]
    parts = ["## Functions\n\n", *(entry(f"sx.{name}", "selfexec", name) for name in functions)]
    named = {name: module_name for function in functions for module_name, name in aliases(function)}
    parts += ["## What they take\n\n", *(entry(name, named[name], name) for name in sorted(named))]
    parts += ["## What comes back\n\n", *(entry(f"sx.{name}", "selfexec", name) for name in sorted(classes))]
    for module_name, names in PUBLIC.items():
        parts += [
            f"## {module_name}\n\n",
            f"{inspect.cleandoc(ast.get_docstring(module_named(module_name).tree) or '')}\n\n",
        ]
        parts += [entry(name, module_name, name) for name in names]
    page = "\n".join([INTRODUCTION, *parts])
    return re.sub(r"\n{3,}", "\n\n", page).rstrip() + "\n"


# --- tests -----------------------------------------------------------------------------------------------------------


@needs(*OURS)
def test_the_reference_is_what_the_docstrings_say() -> None:
    assert PAGE.read_text("utf-8") == reference(), "docs/reference.md is out of date: run `make reference`"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "toy" / "package" / "toy").glob("*.py")), ids=lambda p: p.name
)
def test_the_reference_has_what_a_package_of_somebody_elses_imports(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in PUBLIC:
            assert {alias.name for alias in node.names} <= set(PUBLIC[node.module])


def test_a_docstring_in_googles_style_becomes_lists_and_sentences() -> None:
    text = """What it is.

    Args:
        one: The first,
            in two lines.

    Returns:
        A thing,
        or none.

    Raises:
        InputError: It is wrong.
    """
    assert prose(text) == (
        "What it is.\n\n- `one`: The first, in two lines.\n\nReturns: A thing, or none.\n\n"
        "Raises `InputError`: It is wrong.\n\n"
    )


def test_columns_of_a_docstring_become_a_list_and_what_stands_below_does_not() -> None:
    text = """What it is.

        one    the first,
               in two lines
        two    the second

    And more.
    """
    assert prose(text) == "What it is.\n\n- `one`: the first, in two lines\n- `two`: the second\n\nAnd more.\n\n"


if __name__ == "__main__":
    PAGE.write_text(reference(), "utf-8")
