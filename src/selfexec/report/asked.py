"""Prompts as they were sent, of the sessions whose prompt needs no reply before it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from selfexec.experiments import EXPERIMENTS, Key
from selfexec.runs import first_sessions
from selfexec.runs.transcripts import prompt_text, prompts_sent

if TYPE_CHECKING:
    from selfexec.runs import Run

Place = tuple[str, str, str]  # experiment, item, session


@dataclass(frozen=True)
class PromptsShown:
    """`shared`: what models were asked alike, None where it was not kept. `own`: what a session was asked otherwise."""

    shared: Mapping[Place, str | None]
    own: Mapping[Key, str | None]

    @property
    def nested(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """What is shared and kept, by experiment, item and session."""
        found: dict[str, dict[str, dict[str, str]]] = {}
        for (experiment, item, session), text in self.shared.items():
            if text is not None:
                found.setdefault(experiment, {}).setdefault(item, {})[session] = text
        return found


def asked(run: "Run", keys: Iterable[Key]) -> PromptsShown:
    """Each prompt is worked out once for all models that were sent the same, as its SHA-256 tells."""
    opened: dict[tuple[str, str], frozenset[str]] = {}
    first: dict[Place, Key] = {}
    others = []
    for key in keys:
        item = (key.experiment, key.item)
        if item not in opened:
            opened[item] = frozenset(first_sessions(EXPERIMENTS[key.experiment], run.items[key.experiment][key.item]))
        if key.session in opened[item]:
            one = first.setdefault((*item, key.session), key)
            if run.replies[key].prompt_sha256 != run.replies[one].prompt_sha256:
                others.append(key)
    sent = prompts_sent(run, [*first.values(), *others])
    texts = {key: None if prompt is None else prompt_text(prompt) for key, prompt in sent.items()}
    return PromptsShown({place: texts[key] for place, key in first.items()}, {key: texts[key] for key in others})
