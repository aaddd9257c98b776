"""The conversations of a run: which calls each prediction made, what was refused, what it took and what it saw."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selfexec.experiments import EXPERIMENTS, Key, Message, Prompt
from selfexec.extensions.tool.facet import NAME, calls_at, turns_at
from selfexec.extensions.tool.history import Exchange, seen_outcomes, session_asked
from selfexec.extensions.tool.protocol import BESIDE, NO_CALLS, decide, passed_over, request_in
from selfexec.facets import call_of, turn_of
from selfexec.runs import Reply, Run
from selfexec.runs.asking.progress import tokens_of
from selfexec.runs.replay import ReplayedItem, prompts_of
from selfexec.runs.transcripts import prompts_sent


@dataclass(frozen=True)
class Conversation:
    """One prediction with the tool: its executions, the sessions that it took, and its refused requests by reason."""

    first: Key
    exchanges: Sequence[Exchange]
    sessions: Sequence[Key]
    refused: Counter[str]


def conversation_of(replies: Mapping[Key, Reply], first: Key) -> Conversation:
    """The conversation that a prediction begins, as far as it went."""
    level = dict(first.facets)[NAME]
    left, refused = calls_at(level), Counter[str]()
    exchanges: list[Exchange] = []
    sessions = [first]
    for number in range(1, turns_at(level) + 1):
        turn = first._replace(session=turn_of(first.session, number))
        if turn not in replies:
            break
        sessions += [turn] if number > 1 else []
        text = replies[turn].text or ""
        request = request_in(text)
        if request is None:
            refused[BESIDE] += passed_over(text)
            break
        if number == turns_at(level):
            refused[NO_CALLS] += request.number
            break
        decision = decide(request, left)
        refused.update(decision.refused)
        if decision.prompt is None:
            continue
        call = first._replace(session=call_of(first.session, number))
        if call not in replies or replies[call].failed:
            break
        left -= 1
        sessions.append(call)
        exchanges.append(Exchange(decision.prompt, replies[call].text, replies[call].output_tokens))
    return Conversation(first, exchanges, sessions, +refused)


class ItemPrompts:
    """The prompts by which the models of a run are asked for the behaviour of an item, by session, and their templates.
    Of behaviour that stands in a log nothing is known.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known: dict[tuple[str, str], Mapping[str, str]] = {}

    def templates(self, experiment: str) -> Mapping[str, str]:
        """The templates of an experiment as the run asked with them."""
        kept = self._run.prompts if self._run.manifest.prompts else {}
        shipped = EXPERIMENTS[experiment].prompts
        return {kind: kept.get(f"{experiment}.{kind}") or template for kind, template in shipped.items()}

    def of(self, experiment: str, item: str) -> Mapping[str, str]:
        """The prompts of an item's sessions that need no reply first."""
        if (experiment, item) not in self._known:
            job = ReplayedItem(experiment, self._run.items[experiment][item], self.templates(experiment), {})
            [opened] = prompts_of([job])
            of_predictions = EXPERIMENTS[experiment].predictions
            self._known[experiment, item] = {
                session: prompt
                for session, prompt in opened.items()
                if isinstance(prompt, str) and session.partition(".")[0] not in of_predictions
            }
        return self._known[experiment, item]

    def asked_by(self, conversation: Conversation) -> list[bool]:
        """For each execution, whether its prompt is one by which the model is asked for the predicted behaviour."""
        _, experiment, item = conversation.first[:3]
        behaviour, templates = self.of(experiment, item), self.templates(experiment)
        return [
            session_asked(exchange.prompt or "", behaviour, templates) is not None
            for exchange in conversation.exchanges
        ]

    def seen_in(self, conversation: Conversation) -> Mapping[str, bool]:
        """What a prediction saw of its outcomes, by claim."""
        _, experiment, item = conversation.first[:3]
        behaviour, templates = self.of(experiment, item), self.templates(experiment)
        return seen_outcomes(
            experiment, self._run.items[experiment][item], behaviour, conversation.exchanges, templates
        )


def tokens_by_session(run: Run, keys: Iterable[Key]) -> dict[Key, int]:
    """Tokens in and out of each session; where nobody counted, from the characters of prompt and reply."""
    keys = [key for key in keys if key in run.replies]
    uncounted = [key for key in keys if None in (run.replies[key].input_tokens, run.replies[key].output_tokens)]
    prompts = prompts_sent(run, uncounted)
    return {key: sum(tokens_of(run.replies[key], _messages(prompts.get(key)))) for key in keys}


def _messages(prompt: Prompt | None) -> Sequence[Message]:
    if prompt is None:
        return ()
    return (Message("user", prompt),) if isinstance(prompt, str) else prompt


def predicted_outcomes(run: Run, key: Key) -> Iterator[tuple[str, bool | None]]:
    """What a prediction says of each claim of its item; None where that could not be read."""
    experiment = EXPERIMENTS[key.experiment]
    readings = {key.session: run.readings[key]} if key in run.readings else {}
    for o in experiment.observe(run.items[key.experiment][key.item], readings):
        yield o.claim, o.predicted
