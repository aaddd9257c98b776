"""Our tasks as the register of inspect_evals finds them: functions in a file, recognised by their decorator. Each makes
what `selfexec/NAME` makes: `inspect eval src/selfexec/extensions/inspect/register.py@restriction -T preset=quick`.
"""

from typing import Any

from inspect_ai import Task, task

from selfexec.experiments import EXPERIMENTS
from selfexec.extensions.inspect.tasks import maker_of


@task
def association(**options: Any) -> Task:
    """Which words a model will list."""
    return maker_of(EXPERIMENTS["association"])(**options)


@task
def restriction(**options: Any) -> Task:
    """Which requests a model will answer."""
    return maker_of(EXPERIMENTS["restriction"])(**options)


@task
def difficulty(**options: Any) -> Task:
    """Which questions a model will find hard."""
    return maker_of(EXPERIMENTS["difficulty"])(**options)


@task
def failing_question(**options: Any) -> Task:
    """Whether a model can write a question that it will fail."""
    return maker_of(EXPERIMENTS["failing_question"])(**options)
