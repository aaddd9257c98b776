"""Sessions of a run that were to be asked, or waited for others, and that have no reply at all."""

from collections.abc import Mapping

from selfexec.experiments import EXPERIMENTS, Key
from selfexec.facets import in_condition
from selfexec.readers import Reading
from selfexec.runs.run import Run

ABSENT = Reading("missing")


def absent_sessions(run: Run) -> Mapping[Key, Reading]:
    """The sessions without a reply, of the models and experiments that there is any reply of. What an item turned out
    not to need is not among them.
    """
    found: dict[Key, Reading] = {}
    for (model, name, condition), epochs_by_item in run.asked.items():
        experiment = EXPERIMENTS[name]
        for id, epochs in epochs_by_item.items():
            item = run.items[name][id]
            for epoch in epochs:
                keys = [
                    in_condition(Key(model, name, id, epoch, session), condition)
                    for session in experiment.asked_names(item)
                ]
                readings = {key.session: run.readings[key] for key in keys if key in run.readings}
                idle = experiment.idle(readings)
                found |= {key: ABSENT for key in keys if key not in run.replies and key.session not in idle}
    return found
