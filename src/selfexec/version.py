"""The version: kept in every run, card and result."""

__version__ = "0.1.0"
