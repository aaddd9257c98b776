"""What import contracts cannot say: `lint-imports` holds the others (pyproject.toml)."""

import grimp


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
