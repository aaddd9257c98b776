.PHONY: check test

check:
	python -m ruff check .
	python -m ruff format --check .
	python -m mypy

test:
	python -m pytest
