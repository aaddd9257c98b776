"""What a judge will be asked, settled before anything is asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from string import Template
from typing import NamedTuple

import msgspec

from selfexec.engines import (
    Call,
    Connection,
    Price,
    Respondent,
    Sampling,
    check_settings,
    engine_for,
    kept_setting,
    list_price,
    prices_of,
    refuse_unsendable,
    refuse_unsent,
    sent_to,
)
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, RULE, Injection, Judging, Key, Keying, Message, messages_of
from selfexec.extensions.judging.records import Judge, JudgeReply, load_judges, read_judge_replies
from selfexec.files import jsonl
from selfexec.options import names, part_of
from selfexec.run_options import JudgeOptions
from selfexec.runs.asking.estimate import RunEstimate, seen_tokens
from selfexec.runs.asking.estimate import part_of as estimated_part
from selfexec.runs.asking.growing import is_set, was_set
from selfexec.runs.asking.plan import AskSession
from selfexec.runs.asking.progress import NO_CAPS, Caps, refuse_unpriced
from selfexec.runs.asking.remaining import Remaining, stored_reply
from selfexec.runs.ends import JUDGE_REPLIES
from selfexec.runs.folder import REPLIES
from selfexec.runs.reply import Reply
from selfexec.runs.run import Run
from selfexec.runs.sampling import kept_settings
from selfexec.text.matching import meant

RULE_ALONE = "the rule judges every run at once, offline: --source rule counts what it says, and nobody need be asked."


class Case(NamedTuple):
    """A stored reply to be judged: its session, the one in which a judge is shown it, and what is asked there."""

    judged: Key
    asked: Key
    messages: tuple[Message, ...]

    @property
    def model(self) -> str:
        """Who is asked."""
        return self.asked.model


@dataclass(frozen=True)
class JudgingPlan:
    """Everything that a judge is asked: a plan of calls (`CallPlan`) whose jobs are cases. Each has one session, which
    goes by the key of the session that is judged. `known` is what the judge has replied already. With `retry_ends`, it
    is asked again where the end of its reply is not known.
    """

    run: Run
    model: str
    name: str
    cases: Sequence[Case]
    known: Mapping[Key, JudgeReply]
    connection: Connection
    sampling: Sampling
    caps: Caps = NO_CAPS
    prices: Mapping[str, Price] = field(default_factory=dict)
    command: str | None = None
    retry_ends: bool = False

    @property
    def folder(self) -> Path:
        return self.run.folder

    @cached_property
    def remaining(self) -> Remaining["JudgingPlan"]:
        """How the plan stands."""
        stored = {case: stored_reply(self.known, case.judged, case.messages) for case in self.cases}
        here = frozenset(case for case, reply in stored.items() if reply and not reply.failed)
        unknown = (case for case, reply in stored.items() if reply and reply.ended_unknown)
        ended = frozenset(() if self.retry_ends else unknown)
        return Remaining(self, self.known, len(here), here, waiting=ended, not_asked_again=len(ended))

    @property
    def here(self) -> Sequence[JudgeReply]:
        """What counts of the judge's replies: to the replies as they are, asked as they are asked now."""
        return [reply for case in self.cases if (reply := self.reply(case)) is not None]

    @property
    def open(self) -> Sequence[Case]:
        """What remains to be asked."""
        return [case for case, _ in self.remaining.jobs()]

    @property
    def respondents(self) -> Sequence[Respondent]:
        return (self.respondent,)

    @property
    def sessions(self) -> int:
        return len(self.cases)

    def jobs(self) -> Iterator[Case]:
        return iter(self.cases)

    def keys(self, job: Case) -> Sequence[Key]:
        return (job.judged,)

    async def play(self, job: Case, ask: AskSession) -> None:
        await ask(job.judged, job.messages, None)

    def call(self, key: Key, messages: tuple[Message, ...], injection: Injection | None = None) -> Call:
        asked = self._asked[key]
        return Call(
            asked,
            messages,
            sent_to(self.model, self.connection, self.sampling.of(asked.experiment, asked.session_kind)),
        )

    @cached_property
    def _asked(self) -> Mapping[Key, Key]:
        return {case.judged: case.asked for case in self.cases}

    def lines(self) -> Sequence[JudgeReply]:
        """All that the judge has replied so far, also the lines that later ones replaced."""
        return [line for line in jsonl.values(self.folder / JUDGE_REPLIES, JudgeReply) if line.name == self.name]

    def line(self, key: Key, reply: Reply) -> JudgeReply:
        """A reply of the judge as the run keeps it."""
        return JudgeReply(**msgspec.structs.asdict(reply), name=self.name, subject=key.model, judged=key.session)

    def reply(self, case: Case) -> JudgeReply | None:
        """What counts of a case."""
        reply = stored_reply(self.known, case.judged, case.messages)
        return reply if reply and not reply.failed else None

    @property
    def judge(self) -> Judge:
        """As the run keeps it."""
        experiments = dict.fromkeys(case.judged.experiment for case in self.cases)
        prompts = {e: judging.prompt for e in experiments if (judging := EXPERIMENTS[e].rejudged)}
        settings = kept_settings(self.sampling) | self.respondent.efforts
        return Judge(model=self.model, settings=settings, prompts=prompts)

    @property
    def respondent(self) -> Respondent:
        return Respondent(self.model, self.model, (self.connection,), self.sampling)

    def estimate(self) -> RunEstimate:
        """What the rest takes: from the judge's own replies where there are enough, else as experiments reckon."""
        n, system = len(self.open), len(self.sampling.system or "")
        characters = sum(system + sum(len(m.content) for m in case.messages) for case in self.open)
        judged = (EXPERIMENTS[case.judged.experiment].rejudged for case in self.open)
        reckoned = sum(judging.tokens for judging in judged if judging)
        return RunEstimate([estimated_part(self.model, n, seen_tokens(self.here), characters, reckoned)], None)


def plan(run: Run, options: JudgeOptions) -> JudgingPlan:
    """What a judge would be asked.

    Raises:
        InputError: Something does not fit, or this judge has judged with other settings before.
    """
    judge, name = options.judge, options.name or options.judge
    if judge == RULE:
        raise InputError(f"--judge {RULE}: {RULE_ALONE}")
    if not (run.folder / REPLIES).is_file():
        raise InputError(f"{run.folder}: no run lies there, so that nothing can be kept. Import the replies first.")
    found = JudgingPlan(
        run,
        judge,
        name,
        list(_cases(run, judge, name, names(options.models or ()), names(options.experiments or ()))),
        read_judge_replies(run.folder / JUDGE_REPLIES, name, run.accept_ends),
        part_of(options, Connection),
        part_of(options, Sampling),
        Caps(options.max_calls, options.max_total_tokens, options.max_cost),
        retry_ends=options.retry_ends,
    )
    refuse_unsendable("--judge", judge)
    check_settings(found.sampling, run.items.experiments)
    refuse_unsent(judge, found.connection, found.sampling)
    if scoped := [setting for setting in found.sampling.settings if "." in setting]:
        plain = scoped[0].rpartition(".")[2]
        raise InputError(f"--set {scoped[0]}: a judge has sessions of one kind only. Write {plain}.")
    sent_to(judge, found.connection, found.sampling.of("", ""))  # refuses what its engine cannot do
    found = replace(
        found, prices=prices_of([judge], names(options.price or ()), partial(list_price, connection=found.connection))
    )
    refuse_unpriced([judge], found.prices, found.caps)
    if found.respondent.simulated:
        engine_for([judge], run.items, found.connection)  # refuses models that nobody simulates
    _refuse_another(found)
    return found


def _cases(run: Run, judge: str, name: str, models: Sequence[str], experiments: Sequence[str]) -> Iterator[Case]:
    """The replies that there are to judge, item by item, so that whenever judging ends all models have their share."""
    judged = {e: judging for e in run.items.experiments if (judging := EXPERIMENTS[e].rejudged)}
    for option, given, known in (("model", models, run.models), ("experiment", experiments, tuple(judged))):
        if strange := [one for one in given if one not in known]:
            what = "has replies to be judged" if option == "experiment" else "is in the run"
            raise InputError(f"--{option} {strange[0]}: no such {option} {what}. {meant(strange[0], known)}")
    usual = [e for e, judging in judged.items() if isinstance(judging, Judging)]  # keys are made where they are wanted
    if not (usual or experiments):
        more = f" For keys to questions that models made up, name {', '.join(judged)}." if judged else ""
        raise InputError(f"{run.folder}: its experiments have no replies that are judged.{more}")
    order = {e: {id: n for n, id in enumerate(by_id)} for e, by_id in run.items.items.items()}
    wanted = [
        key
        for key in run.replies
        if key.experiment in judged
        and key.session_kind == judged[key.experiment].session
        and (not models or key.model in models)
        and key.experiment in (experiments or usual)
        and _is_there(run, key)
    ]
    for key in sorted(wanted, key=lambda key: (key.epoch, order[key.experiment][key.item], key.experiment)):
        if case := _case(run, key, judge, name, judged[key.experiment]):
            yield case


def _is_there(run: Run, key: Key) -> bool:
    """Whether there is anything to judge: what was withheld, or is empty, answers nothing."""
    return bool((run.replies[key].text or "").strip()) and run.readings[key].state == "read"


def _case(run: Run, key: Key, judge: str, name: str, judging: Judging | Keying) -> Case | None:
    """None where a model would answer what it asks itself, or nothing was made up that can be answered."""
    item = run.items[key.experiment][key.item]
    if isinstance(judging, Judging):
        shown: Mapping[str, str] | None = {**judging.shown(item), "response": run.replies[key].text or ""}
    else:
        shown = judging.shown(item, run.readings[key]) if key.model not in (judge, name) else None
    if shown is None:
        return None
    prompt = Template(judging.prompt).substitute(shown)
    session = ".".join([judging.kind, *key.session.split(".")[1:]])
    return Case(key, key._replace(model=judge, session=session), messages_of(prompt))


def _refuse_another(plan: JudgingPlan) -> None:
    """Raise InputError where a judge of this name has judged otherwise: what it said would not compare."""
    judges, now = load_judges(plan.folder), plan.judge
    before = judges.get(plan.name)
    keyed = {e for e in now.prompts if EXPERIMENTS[e].keying}
    for name, other in judges.items():
        if name != plan.name and other.model == plan.model and keyed & other.prompts.keys():
            raise InputError(
                f"--name {plan.name}: {plan.model} has answered as {name} already, and one model has one answer to a "
                "question. Take another model."
            )
    if before is None:
        return
    if before.model != now.model:
        raise InputError(f"--name {plan.name}: this judge was {before.model}, not {now.model}. Choose another --name.")
    for setting in sorted(before.settings.keys() | now.settings.keys()):
        if (was := kept_setting(setting, before.settings.get(setting))) != (wanted := now.settings.get(setting)):
            raise InputError(
                f"judge {plan.name}: the setting {setting} {was_set(was)} when it judged before and {is_set(wanted)} "
                "now. "
                "Choose another --name."
            )
    for experiment, prompt in now.prompts.items():
        if before.prompts.get(experiment, prompt) != prompt:
            raise InputError(f"judge {plan.name}: it was asked in other words before. Choose another --name.")
