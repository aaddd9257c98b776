.PHONY: check test notebook reference links

check:
	python -m ruff check .
	python -m ruff format --check .
	python -m mypy
	lint-imports

test:
	python -m pytest

# run docs/notebook.ipynb anew, in place
notebook:
	PYTHONPATH=tests python tests/docs/test_notebook.py

# write docs/reference.md anew from the docstrings
reference:
	PYTHONPATH=tests python tests/docs/test_reference.py

# point the README's links to the repository that pyproject.toml names
links:
	PYTHONPATH=tests python tests/docs/test_packaging.py
