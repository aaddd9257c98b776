"""What import contracts cannot say: `lint-imports` holds the others (pyproject.toml)."""

import ast
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]


def test_no_module_imports_a_package_that_it_lies_in_even_inside_a_function() -> None:
    # the contract against cycles compares modules and folders side by side, and never a folder with what lies in it
    graph = grimp.build_graph("selfexec", cache_dir=None)
    inward = {
        f"{module} -> {imported}"
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if module.startswith(f"{imported}.")
    }
    assert len(graph.modules) > 100
    assert not inward


def test_a_run_that_asks_imports_nothing_that_only_wrong_names_packed_files_or_other_commands_need() -> None:
    asking = "selfexec.runs.asking"
    experiments = "from selfexec.experiments import EXPERIMENTS; [*EXPERIMENTS.values()]"
    program = f"import sys, {asking}, selfexec.engines.http.client; {experiments}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = {*run.stdout.split()}
    assert f"{asking}.carrying_out" in imported
    assert imported.isdisjoint(("difflib", "gzip", "statistics", "tomllib", "dotenv"))
    assert imported.isdisjoint((f"{asking}.checks", f"{asking}.estimate"))
    assert imported.isdisjoint(f"selfexec.runs.{name}" for name in ("exporting", "importing", "toml", "transcripts"))
    # the readers whose patterns are large, which experiments import when a reply is read
    assert "selfexec.readers" in imported
    assert imported.isdisjoint(
        f"selfexec.readers.{name}" for name in ("conclusion", "performed", "withdrawal", "words")
    )


def test_studies_and_benchmarks_import_only_what_the_package_has() -> None:
    scripts = [path for folder in ("studies", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    assert len(scripts) > 20
    lacking = []
    for script in scripts:
        for node in ast.walk(ast.parse(script.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "selfexec":
                names = {alias.name for alias in node.names} - {*dir(import_module(str(node.module)))}
                lacking += [f"{script.name}: {node.module}.{name}" for name in names if not _is_module(node, name)]
    assert not lacking


def _is_module(node: ast.ImportFrom, name: str) -> bool:
    module = import_module(str(node.module))
    return hasattr(module, "__path__") and find_spec(f"{node.module}.{name}") is not None
