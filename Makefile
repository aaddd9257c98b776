.PHONY: check test notebook

check:
	python -m ruff check .
	python -m ruff format --check .
	python -m mypy
	lint-imports

test:
	python -m pytest

# run docs/notebook.ipynb anew, in place
notebook:
	python tests/docs/test_notebook.py
