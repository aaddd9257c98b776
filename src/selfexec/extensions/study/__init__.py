"""A study in one file: which models, each reached and asked in its own way, which items, and what is wanted of it."""

from selfexec.extensions.study.planning import Study, load_study
from selfexec.extensions.study.saving import save
