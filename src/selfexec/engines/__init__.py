"""Engines carry sessions out: messages in, what came back out. To add one, write it as an EngineType and list it in
`registry`, or have a package of your own announce it under the entry point `selfexec.engines`."""

from typing import TYPE_CHECKING

from selfexec.engines.base import (
    Address,
    Call,
    CallResult,
    Checking,
    Connection,
    ConnectionCheck,
    Engine,
    EngineType,
    Experienced,
    Notices,
    Waiting,
    Wire,
    run_coroutine,
    without_garbage_sweeps,
)
from selfexec.engines.http.providers import is_at_home, makers_own, names_organisations
from selfexec.engines.prices import Price, in_batch, list_price, prices_of
from selfexec.engines.registry import (
    ENGINES,
    Respondent,
    default_models,
    engine_for,
    engine_in_words,
    engine_of,
    engine_type,
    keys_lacking,
    loaded,
    refuse_unable,
    refuse_unable_in,
    refuse_unsent,
    sent_to,
    thinking_in,
    why_unaskable,
)
from selfexec.engines.settings import (
    EFFORT,
    FREE,
    Sampling,
    check_settings,
    field_options,
    given_fields,
    kept_field,
    kept_setting,
    merged,
    refuse_sent_twice,
    refuse_unsendable,
)
from selfexec.renamed import module_getattr

if not TYPE_CHECKING:  # names that are nowhere are errors to a type checker
    __getattr__ = module_getattr(__name__)
