"""A run as people work with it: replies, what they commit to, tables, and the same under one condition or source."""

import hashlib
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from selfexec import items
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.facets import (
    DEFAULT,
    DEFAULT_NAME,
    Condition,
    canonical,
    condition_name,
    condition_named,
    parts_of,
    touching,
)
from selfexec.files.frames import to_pandas
from selfexec.items import ItemSet
from selfexec.options import Names, names
from selfexec.prompts import kept_prompts, shipped_sentences, texts_in
from selfexec.readers import Reading
from selfexec.runs.design import asked, unfolded
from selfexec.runs.ends import (
    ends_named,
    is_accepted,
    refuse_other_words,
    way_to_texts,
    with_accepted_ends,
    words_in,
    words_of_judges,
)
from selfexec.runs.folder import (
    LOST,
    PROMPTS,
    REPLIES,
    SHARDS,
    Manifest,
    check_fit,
    items_of_run,
    load_manifest,
    simulated_of,
)
from selfexec.runs.journal import ends_torn, line_of, read_journal
from selfexec.runs.journal_writer import unchecked_warning
from selfexec.runs.judgements import (
    JUDGEMENTS,
    Judgement,
    JudgementKey,
    load_judgements,
    of_replies,
    with_judgements,
)
from selfexec.runs.readings import read_replies
from selfexec.runs.reply import ByPart, BySession, GivenReading, Reply
from selfexec.runs.share import refuse_unjoined
from selfexec.text.matching import Named, listed
from selfexec.text.numbers import joined, number_of
from selfexec.text.tables import as_html

if TYPE_CHECKING:
    import polars as pl

    from selfexec.claims import Tables
    from selfexec.runs.server_notices import Notice


# --- from its folder -------------------------------------------------------------------------------------------------


def load(folder: str | Path, *, accept_ends: Names = ()) -> "Run":
    """A run from its folder, which is read and never written to.

    Args:
        folder: The run's folder: text or a path.
        accept_ends: Words for unknown ends with which replies count, besides those that the run itself accepts.

    Raises:
        InputError: No run is there, its shards are not joined (`sx.merge` joins them), a file of it is damaged (it
            names the line), or no reply has such an end.
    """
    [found] = load_all([folder], accept_ends)
    return found


def several_runs(given: Any) -> list[Any]:
    """What is given as several runs. InputError where it is none and no list: None, a number."""
    if not isinstance(given, Iterable):
        raise InputError(f"expected a run, its folder, or a list of these, not {_kind(given)}.")
    return list(given)


def _kind(value: object) -> str:
    """What somebody gave, in as few words as tell it from what was expected."""
    return (
        repr(value)
        if value is None or isinstance(value, bool | int | float)
        else f"a value of type {type(value).__name__}"
    )


def load_all(given: "Run | str | Path | Iterable[Run | str | Path]", accept_ends: Names = ()) -> "list[Run]":
    """The runs that are given, each as it is or from its folder, with these ends accepted in all of them. A warning
    names the unknown ends that are left. InputError: none of the runs has a reply with one of these ends.
    """
    words = names(accept_ends)
    several = [given] if isinstance(given, Run | str | Path) else several_runs(given)
    found = [one if isinstance(one, Run) else read_run(one, words) for one in several]
    if words:
        found = [run.with_accepted_ends(words) for run in found]
        known = (w for run in found for w in {*run.manifest.accept_ends, *words_in(run.replies.values())})
        of_judges = (w for run in found for w in words_of_judges(run.folder))
        refuse_other_words(words, {*known, *of_judges}, " and ".join(str(run.folder) for run in found))
    for one, run in zip(several, found, strict=True):
        if not isinstance(one, Run):
            warn_of_unknown_ends(run)
    return found


def read_run(folder: str | Path, accept_ends: Iterable[str] = ()) -> "Run":
    """One run from its folder, with the ends that it accepts itself, and these. Which unknown ends are left is said by
    `load_all`, not here. InputError: its shards are not joined.
    """
    if folder == "":
        raise InputError("which run? The name of its folder is empty. Is a variable not set?")
    if not isinstance(folder, str | Path):
        raise InputError(f"expected a run or its folder, not {_kind(folder)}.")
    folder = Path(folder)
    if (folder / SHARDS).is_dir():
        refuse_unjoined(folder)
    return read_without_shards(folder, accept_ends)


def warn_of_unknown_ends(run: "Run") -> None:
    """Warn of the unknown ends of replies that nobody has accepted."""
    for text in ends_named(run.replies.values(), way_to_texts(run.folder)):
        warnings.warn(text, stacklevel=4)


def read_without_shards(folder: Path, accept_ends: Iterable[str] = ()) -> "Run":
    """What `read_run` reads, from files of the folder itself: what its shards have, joined or not, is passed over."""
    manifest = load_manifest(folder)
    item_set = items_of_run(folder)
    accepted = tuple(dict.fromkeys([*manifest.accept_ends, *accept_ends]))
    replies = read_journal(folder / REPLIES)
    if accepted:
        replies = with_accepted_ends(replies, accepted)
    check_fit(replies, item_set, lambda key: f"{folder / REPLIES}:{line_of(folder / REPLIES, key)}", LOST)
    if ends_torn(folder / REPLIES):
        warnings.warn(
            f"{folder / REPLIES}: the last line is cut off, and passed over: its session is as if nothing had come. "
            "The command that asked asks for it again",
            stacklevel=2,
        )
    if said := unchecked_warning(folder, replies.values(), folder):
        warnings.warn(said, stacklevel=2)
    if manifest.origin == "run" and _is_older(manifest, replies) and (said := _mixed(item_set)):
        warnings.warn(f"{folder}: {said}", stacklevel=2)
    judged = folder / JUDGEMENTS
    judgements = _judgements(judged, item_set, replies) if judged.is_file() else {}
    return Run(folder, manifest, item_set, replies, judgements=judgements, accept_ends=accepted)


def _judgements(path: Path, item_set: ItemSet, replies: Mapping[Key, Reply]) -> dict[JudgementKey, Judgement]:
    found, places = load_judgements(path)
    check_fit(places, item_set, places.__getitem__)
    return of_replies(found, places, item_set, replies)


def _is_older(manifest: Manifest, replies: Mapping[Key, Reply]) -> bool:
    """Whether a run was begun by a version that wrote no invocations: it has replies from before the first of them."""
    first = manifest.invocations[0].begin if manifest.invocations else None
    return first is None or any(reply.time is not None and reply.time < first for reply in replies.values())


def _mixed(item_set: ItemSet) -> str | None:
    """What to say of a run into which the items of two sets went, as versions that wrote no invocations let them."""
    for name in ("starter", "paper"):
        try:
            known = items.load(name).items
        except InputError:  # not fetched
            continue
        for experiment, by_id in item_set.items.items():
            shared = sum(known.get(experiment, {}).get(id) == item for id, item in by_id.items())
            if 0 < shared < len(by_id):
                return (
                    f"{shared} of its {len(by_id)} {experiment} items are of the set {name}, and the others are not. "
                    "If items of two sets were asked into it, its scores pool both."
                )
    return None


# --- a run -----------------------------------------------------------------------------------------------------------


Line = TypeVar("Line", Reply, GivenReading, Judgement)  # of a session


@dataclass(frozen=True)
class Run:
    """A run as it lies on disk. Readings and tables are made when they are first wanted.

    `replies` are those of the journal by Key(model, experiment, item, epoch, session), `items` what was asked by
    experiment and id; `given` are the readings that stand in the place of ours. `judgements` are those of stored
    replies by session and source, and `chosen_sources` names who says what was done, by experiment, where it is not the
    experiment's own source. `condition` is the one that the run was narrowed to, where it was (`under`), and
    `asked_here` what was asked in it. `accept_ends` are the words for unknown ends with which replies count here.
    """

    folder: Path
    manifest: Manifest
    items: ItemSet
    replies: Mapping[Key, Reply]
    given: Mapping[Key, GivenReading] | None = None
    judgements: Mapping[JudgementKey, Judgement] = field(default_factory=dict)
    chosen_sources: Mapping[str, str] = field(default_factory=dict)
    condition: str | None = None
    asked_here: Mapping[tuple[str, str, Condition], Mapping[str, Sequence[int]]] | None = field(
        default=None, repr=False, compare=False
    )
    accept_ends: tuple[str, ...] = ()

    @cached_property
    def readings(self) -> Mapping[Key, Reading]:
        """What each reply commits to, by session."""
        own_prompts = [name for name in shipped_sentences(self.items.experiments) if name in self.manifest.prompts]
        if lost := [name for name in own_prompts if self.prompts.get(name) is None]:
            warnings.warn(
                f"{self.folder}: {PROMPTS} no longer has {', '.join(lost)} as it was asked with. Replies are read by "
                "the sentence that is shipped, which may be another: restore the file",
                stacklevel=2,
            )
        here = DEFAULT if self.condition is None else condition_named(self.condition)
        found = read_replies(self.items, self.replies, self.given, self.prompts if own_prompts else {}, here)
        return with_judgements(found, self.judgements.values()) if self.judgements else found

    @cached_property
    def tables(self) -> "Tables":
        """The tables, `observations`, `sessions` and `outcomes`, and the same as arrays, for counting."""
        from selfexec.claims import observe

        found = observe(self.items, self.readings, self.asked, self.chosen_sources, self.condition)
        return replace(found, simulated=self.simulated, people=self.people)

    @property
    def observations(self) -> "pl.DataFrame":
        """One row per claim about a model's own behaviour."""
        return self.tables.observations

    @property
    def sessions(self) -> "pl.DataFrame":
        """One row per session: state, tokens, correctness."""
        return self.tables.sessions

    @property
    def outcomes(self) -> "pl.DataFrame":
        """One row per claim and further source of what was done, beside the one that the observations have."""
        return self.tables.outcomes

    def to_pandas(self, table: Literal["observations", "sessions", "outcomes"] = "observations") -> Any:
        """One of the tables as a pandas data frame. It takes pandas, and nothing else.

        Args:
            table: Which one: `observations`, `sessions` or `outcomes`.

        Raises:
            InputError: There is no such table, or pandas is not installed.
        """
        tables = {"observations": self.observations, "sessions": self.sessions, "outcomes": self.outcomes}
        if table not in tables:
            raise InputError(f"to_pandas: there is no table {table!r}. There are {joined(list(tables))}.")
        return to_pandas(tables[table])

    @property
    def all_conditions(self) -> list[Condition]:
        """In which anything was asked, or is to be."""
        listed = unfolded([*(self.manifest.design or ()), *self.manifest.planned], self.items)
        there = dict.fromkeys([*map(condition_named, self.conditions), *(condition for _, _, condition in listed)])
        return list(there) or [DEFAULT]

    @property
    def conditions(self) -> tuple[str, ...]:
        """In which anything was asked, the default one first."""
        if self.condition is not None:
            return (self.condition,)
        asked = sorted({condition for _, _, condition in self.asked})
        return tuple(condition_name(condition) if condition else DEFAULT_NAME for condition in asked)

    def under(self, condition: str) -> "Run":
        """The run as if it had been asked in this condition alone: the replies that count in it, those that it shares
        with others included, as a run without facets has them.
        """
        if condition not in self.conditions:
            condition = canonical(condition)
        if self.conditions in ((), (condition,)) and not any(key.facets for key in self.replies):
            return self
        if condition not in self.conditions:
            raise InputError(f"{self.folder}: nothing was asked in {condition}. There is {'; '.join(self.conditions)}.")
        meant = condition_named(condition)
        found = {(model, experiment): by_id for (model, experiment, c), by_id in self.asked.items() if c == meant}

        def here(lines: Mapping[Key, Line]) -> BySession[Line]:
            return BySession(
                (key._replace(facets=()), msgspec.structs.replace(line, facets={}) if key.facets else line)
                for key, line in lines.items()
                if key.epoch in found.get(key[:2], {}).get(key.item, ())
                if key.facets == touching(meant, key.experiment, key.session_kind)
            )

        judged = {s: {key: j for (key, by), j in self.judgements.items() if by == s} for _, s in self.judgements}
        return replace(
            self,
            items=self.items.cut([e for e in self.items.experiments if any(e == part for _, part in found)]),
            replies=here(self.replies),
            given=None if self.given is None else here(self.given),
            judgements={(key, source): j for source, lines in judged.items() for key, j in here(lines).items()},
            condition=condition,
            asked_here={(*place, DEFAULT): by_id for place, by_id in found.items()},
        )

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that there are replies of, in the order in which they were named when they were first asked."""
        replied = dict.fromkeys(key.model for key in self.replies)  # in the order in which replies came
        named = [model for model in self.manifest.models if model in replied]
        return tuple(dict.fromkeys([*named, *replied]))

    @cached_property
    def prompts(self) -> Mapping[str, str | None]:
        """The templates that were asked with, by name: 'restriction.predict'. None where a text was not kept."""
        kept = kept_prompts(self.folder / PROMPTS, self.manifest.prompts)
        return Named(kept if self.condition is None else texts_in(kept, condition_named(self.condition)))

    @cached_property
    def simulated(self) -> frozenset[str]:
        """The models that are simulated, as the run or its replies say: what they do says nothing of others."""
        told = {key.model for key, reply in self.replies.items() if reply.simulated}
        return frozenset(told | {*simulated_of(self.manifest)})

    @property
    def all_simulated(self) -> bool:
        """Whether no model is real."""
        return self.simulated.issuperset(self.models)

    @cached_property
    def people(self) -> frozenset[str]:
        """Those that are no models, but people who filled in a form, as their replies say."""
        return frozenset(key.model for key, reply in self.replies.items() if reply.person)

    @cached_property
    def replies_sha256(self) -> str | None:
        """SHA-256 of the file of replies as it is when this is first asked for; None where it is not on disk."""
        path = self.folder / REPLIES
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @cached_property
    def server_notices(self) -> "Sequence[Notice]":
        """What servers said of the replies, and what these show beside each other, by model; of simulated models
        nothing. Each text is looked at, so this takes a while where there are many.
        """
        asked = [reply for reply in self.replies.values() if reply.model not in self.simulated]
        if not asked:
            return ()
        from selfexec.runs.server_notices import notices_among

        invocations = self.manifest.invocations
        addresses = {model: where for invocation in invocations for model, where in invocation.addresses.items()}
        return tuple(notices_among(asked, addresses, self.folder, self.items.items))

    @cached_property
    def keys(self) -> Mapping[tuple[str, str], list[Key]]:
        """The sessions of each model in each experiment."""
        found: ByPart[tuple[str, str], list[Key]] = ByPart()
        for key in self.replies:
            found.setdefault((key.model, key.experiment), []).append(key)
        return found

    @cached_property
    def asked(self) -> Mapping[tuple[str, str, Condition], Mapping[str, Sequence[int]]]:
        """By model, experiment and condition: each item that was asked, and in which epochs."""
        if self.asked_here is not None:
            return ByPart(self.asked_here)
        return ByPart(asked(self.manifest.design, self.items, self.replies))

    @cached_property
    def unasked(self) -> dict[str, int]:
        """How many items each model was to be asked and has no reply of, counted in each epoch and condition; for
        models that have such items. They count as missing.
        """
        asked_jobs = {
            key[:4] + key[5:] for key in self.replies if key.session_kind not in EXPERIMENTS[key.experiment].recorded
        }
        left: Counter[str] = Counter()
        for (model, experiment, condition), epochs in self.asked.items():
            here = parts_of(condition, experiment) if condition else {condition}
            left[model] += sum(
                not any((model, experiment, id, epoch, part) in asked_jobs for part in here)
                for id, some in epochs.items()
                for epoch in some
            )
        return {model: items for model, items in left.items() if items}

    @property
    def as_counted(self) -> str:
        """What stands behind a number of `unasked` items that is no number of different items: nothing where it is."""
        once = self.manifest.epochs == 1 and len(self.conditions) < 2
        return "" if once else " (each epoch and condition counted)"

    @cached_property
    def unanswered(self) -> dict[str, tuple[str, ...]]:
        """By model, the experiments that it was to be asked in this run and has no reply in; of whom there are any."""
        there = {(key.model, key.experiment) for key in self.replies}
        listed = unfolded(self.manifest.design or (), self.items)
        wanted = dict.fromkeys((model, experiment) for (model, experiment, _), by_id in listed.items() if by_id)
        lacking: dict[str, tuple[str, ...]] = {}
        for model, experiment in wanted:
            if (model, experiment) not in there:
                lacking[model] = (*lacking.get(model, ()), experiment)
        return lacking

    def with_readings(self, given: Mapping[Key, GivenReading | Reading | Any]) -> "Run":
        """The same run, read as somebody else read it wherever they did.

        `given` are the lines of `load_readings`, or readings of this run put right by hand: a Reading or its bare
        value, None for unreadable. What was given before stands where nothing is given anew.
        """
        if self.condition is not None:
            given = self._of_condition(given, condition_named(self.condition))
        if not given.keys() & self.replies.keys():
            raise InputError(
                f"{self.folder}: none of the given readings is of a session of this run. Are they another's?"
            )
        lines = {key: self._line(Key(*key), reading) for key, reading in given.items()}
        return replace(self, given={**(self.given or {}), **lines})

    def _of_condition(self, given: Mapping[Key, Any], condition: Condition) -> dict[Key, Any]:
        """Lines of files name sessions with their facets: those of this condition, as the narrowed run names them. A
        reading that was put right by hand names a session as it stands here.
        """
        found: dict[Key, Any] = {}
        for named, reading in given.items():
            key = Key(*named)
            whole = isinstance(reading, GivenReading) or bool(key.facets)
            if not whole or key.facets == touching(condition, key.experiment, key.session_kind):
                found[key._replace(facets=())] = reading
        return found

    def with_accepted_ends(self, words: Names) -> "Run":
        """The same run, in which replies count that ended with one of these words, besides those accepted before."""
        accepted = tuple(dict.fromkeys([*self.accept_ends, *names(words)]))
        if accepted == self.accept_ends:
            return self
        if not any(reply.ended_unknown and is_accepted(reply.unknown_end, accepted) for reply in self.replies.values()):
            return replace(self, accept_ends=accepted)
        if self.condition is not None:
            raise InputError(
                f"{self.folder}: ends are accepted before a run is narrowed to one condition: "
                "sx.load(folder, accept_ends=...).under(condition)"
            )
        replies = with_accepted_ends(self.replies, accepted)
        judgements = _judgements(self.folder / JUDGEMENTS, self.items, replies)  # of texts that count only now, too
        return replace(self, replies=replies, judgements={**judgements, **self.judgements}, accept_ends=accepted)

    @property
    def only_recorded(self) -> bool:
        """Whether all there is was taken from logs, and no prediction was asked."""
        return bool(self.replies) and all(
            key.session_kind in EXPERIMENTS[key.experiment].recorded for key in self.replies
        )

    @property
    def sources(self) -> Mapping[str, tuple[str, ...]]:
        """By experiment, who says what was done: first the experiment's own source."""
        later: dict[str, dict[str, None]] = {}
        for (key, source), judgement in self.judgements.items():
            if not isinstance(judgement.value, str):
                later.setdefault(key.experiment, {})[source] = None
        own = {e: EXPERIMENTS[e] for e in self.items.experiments}
        return {e: (*one.sources, *one.on_request, *sorted(later.get(e, ()))) for e, one in own.items()}

    def with_source(self, source: str) -> "Run":
        """The same run, with what was done as this source has it: self, rule, human or judge:NAME. An experiment of
        which it says nothing at all keeps its own source; where it speaks of some claims only, the others are missing.
        """
        return with_source([self], source)[0]

    def _line(self, key: Key, reading: Any) -> GivenReading:
        if isinstance(reading, GivenReading):
            return reading  # from a file, which may hold lines for other runs too
        if key not in self.replies:
            raise InputError(f"{self.folder}: there is no session {key}. Check its name.")
        if isinstance(reading, Reading):
            given = {"value": reading.value, "reason": reading.reason, "probability": reading.probability}
            return GivenReading(**key.fields(), **given)
        return GivenReading(**key.fields(), value=reading)

    def __repr__(self) -> str:
        missing = sum(reply.failed for reply in self.replies.values())
        who = f"{len(self.models)} models" if len(self.models) > 1 else "".join(self.models) or "no models"
        replies = f"{number_of(len(self.replies) - missing, 'reply', 'replies')}, {missing:,} missing"
        if unasked := sum(self.unasked.values()):
            replies += f", {number_of(unasked, 'item')}{self.as_counted} without any reply"
        if self.unanswered:
            replies += f", nothing answered by {', '.join(f'{m} ({joined(e)})' for m, e in self.unanswered.items())}"
        return f"Run({str(self.folder)!r}: {who}, items {self.items.sizes}, {replies})"

    def _repr_html_(self) -> str:
        counts: dict[str, Counter[str]] = {experiment: Counter() for experiment in self.items.experiments}
        for key, reply in self.replies.items():
            counts[key.experiment]["missing" if reply.failed else "replies"] += 1
        rows = [
            [experiment, f"{len(self.items[experiment]):,}", *(f"{counted[name]:,}" for name in ("replies", "missing"))]
            for experiment, counted in counts.items()
        ]
        notes = [listed("models", self.models)]
        if len(self.conditions) > 1:
            notes.append(listed("conditions", self.conditions))
        if unasked := sum(self.unasked.values()):
            notes.append(f"{number_of(unasked, 'item')}{self.as_counted} without any reply")
        return as_html(f"Run {self.folder}", ["experiment", "items", "replies", "missing"], rows, notes)


def with_source(runs: Sequence[Run], source: str) -> list[Run]:
    """Runs that are counted together, with what was done as one source has it, in all of them or in none."""
    there = {(experiment, name) for run in runs for experiment, names in run.sources.items() for name in names}
    told = {experiment: source for experiment, name in sorted(there) if name == source}
    if not told:
        known = ", ".join(f"{name} ({experiment})" for experiment, name in sorted(there))
        raise InputError(
            f"source {source!r}: it has no outcomes in this run. There are {known}. Judgements made later go "
            f"into {runs[0].folder / JUDGEMENTS}."
        )
    return [_by_sources(run, told) for run in runs]


def _by_sources(run: Run, chosen: Mapping[str, str]) -> Run:
    found = replace(run, chosen_sources=chosen)
    if "readings" in vars(run):
        vars(found)["readings"] = run.readings  # what replies commit to does not depend on who judges them
    return found


def refuse_silent(run: Run) -> None:
    """InputError where nothing of a run has been answered yet, so that there is nothing to be said of it."""
    if not run.replies:
        raise InputError(
            f"{run.folder}: nothing has been answered in this run yet. The command that began it continues it."
        )
