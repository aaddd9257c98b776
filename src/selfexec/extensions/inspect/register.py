"""Our tasks as the register of inspect_evals finds them: functions in a file, recognised by their decorator. Each makes
what `selfexec/NAME` makes: `inspect eval src/selfexec/extensions/inspect/register.py@restriction -T preset=quick`.
"""

from typing import Any

from inspect_ai import Task, task

from selfexec.experiments.association import ASSOCIATION
from selfexec.experiments.difficulty import DIFFICULTY
from selfexec.experiments.failing_question import FAILING_QUESTION
from selfexec.experiments.restriction import RESTRICTION
from selfexec.extensions.inspect.tasks import maker_of


@task
def association(**options: Any) -> Task:
    """Which words a model will list."""
    return maker_of(ASSOCIATION)(**options)


@task
def restriction(**options: Any) -> Task:
    """Which requests a model will answer."""
    return maker_of(RESTRICTION)(**options)


@task
def difficulty(**options: Any) -> Task:
    """Which questions a model will find hard."""
    return maker_of(DIFFICULTY)(**options)


@task
def failing_question(**options: Any) -> Task:
    """Whether a model can write a question that it will fail."""
    return maker_of(FAILING_QUESTION)(**options)
