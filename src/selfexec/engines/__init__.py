"""Engines carry sessions out: one prompt in, what came back out."""

from selfexec.engines.base import Call, Engine, EngineOptions, Outcome, Wire, is_simulated
from selfexec.engines.choose import default_models, engine_for, in_process, keys_lacking
from selfexec.engines.settings import check_settings, refuse_unsendable
