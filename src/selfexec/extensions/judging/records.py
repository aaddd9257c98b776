"""What a run keeps of judges, beside its replies and judgements.

judge_replies.jsonl   what each judge replied, verbatim, a line as it comes: from it all else can be made again
judges.json           by name: the model, the settings and prompts that it judges with, and when it did
judgements.jsonl      what the replies come to: decision 21
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, JUDGE, Item, Key, Keying
from selfexec.files import jsonl
from selfexec.files.replacing import put
from selfexec.prompts import digest
from selfexec.readers import Reading, read_choice
from selfexec.renamed import with_new_names
from selfexec.runs.ends import with_accepted_end
from selfexec.runs.invocations import Invocation
from selfexec.runs.judgements import JUDGEMENTS, Judgement, JudgementKey, load_judgements
from selfexec.runs.reply import Name, Reply
from selfexec.runs.run import Run

JUDGES = "judges.json"


class JudgeReply(Reply, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the journal of judges: `model` is the judge, `name` what it goes by. Judged was the reply of
    `subject` in the session `judged`, of the same experiment, item, epoch and facets.
    """

    name: Name
    subject: Name
    judged: Name

    @property
    def judged_key(self) -> Key:
        """The session whose reply was judged."""
        return self.key._replace(model=self.subject, session=self.judged)


class Judge(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One judge of a run. `prompts` are those that it was asked with, by experiment, whole."""

    model: str
    settings: dict[str, object] = {}
    prompts: dict[str, str] = {}
    invocations: list[Invocation] = []


def load_judges(folder: Path) -> dict[str, Judge]:
    """The judges of a run by name; none without a file."""
    path = folder / JUDGES
    if not path.is_file():
        return {}
    try:
        return msgspec.convert(with_new_names(msgspec.json.decode(path.read_bytes())), type=dict[str, Judge])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise InputError(f"{path}: damaged. Restore it, or remove it to judge under new names.") from None


def write_judges(folder: Path, judges: Mapping[str, Judge]) -> None:
    put(folder / JUDGES, [msgspec.json.format(msgspec.json.encode(judges), indent=2), b"\n"])


def read_judge_replies(path: Path, name: str, accept_ends: Collection[str] = ()) -> dict[Key, JudgeReply]:
    """What a judge replied, by the session that it judged; the last line for each counts, those too that ended with
    one of these words.
    """
    if not path.is_file():
        return {}
    lines = (reply for reply in jsonl.values(path, JudgeReply) if reply.name == name)
    return {reply.judged_key: with_accepted_end(reply, accept_ends) for reply in lines}


# --- what replies come to --------------------------------------------------------------------------------------------


def read_class(item: Item, reply: JudgeReply) -> Reading:
    """The class that a judge's reply commits to, by name; to a question, its answer in the question's terms."""
    judging = EXPERIMENTS[reply.experiment].rejudged
    if reply.failed or judging is None:
        return Reading("missing")
    if reply.withheld_by or reply.text is None:
        return Reading("withheld")
    if isinstance(judging, Keying):
        return judging.read(item, reply.text)
    found = read_choice(reply.text, judging.options, key="choice")
    return msgspec.structs.replace(found, value=judging.classes.get(str(found.value)))


def judgements_of(run: Run, said: Iterable[JudgeReply]) -> list[Judgement]:
    """What judges' replies make of the replies that they judged, where they can be read."""
    found = []
    for reply in said:
        judging, judged = EXPERIMENTS[reply.experiment].rejudged, run.replies.get(reply.judged_key)
        reading = read_class(run.items[reply.experiment][reply.item], reply)
        if judging and judged and judged.text is not None and reading.state == "read":
            named = str(reading.value)
            found.append(
                Judgement(
                    **reply.judged_key.fields(),
                    source=f"{JUDGE}{reply.name}",
                    value=named if isinstance(judging, Keying) else judging.outcomes[named],
                    reason=None if isinstance(judging, Keying) else named,
                    time=reply.time,
                    reply_sha256=digest(judged.text),
                )
            )
    return found


def classes_said(judgements: Mapping[JudgementKey, Judgement], source: str) -> Counter[str]:
    """How many replies a judge put into which class."""
    said = (j.value if isinstance(j.value, str) else j.reason for (_, by), j in judgements.items() if by == source)
    return Counter(one for one in said if one)


def keep_judgements(folder: Path, judgements: Iterable[Judgement]) -> None:
    """Add to the journal of judgements what it does not say already."""
    path = folder / JUDGEMENTS
    known, _ = load_judgements(path)
    new = [j for j in judgements if _without_time(known.get((j.key, j.source))) != _without_time(j)]
    if not new:
        return
    lines = b"".join(msgspec.json.encode(j) + b"\n" for j in new)
    before = path.read_bytes() if path.is_file() else b""
    try:
        with path.open("ab") as file:  # a line that a person wrote last may have no end
            file.write(b"\n" * (bool(before) and not before.endswith(b"\n")) + lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        raise InputError(
            f"{path}: cannot be written ({fault.strerror}). What judges replied is kept; the same command goes on."
        ) from None


def _without_time(judgement: Judgement | None) -> Judgement | None:
    return judgement and msgspec.structs.replace(judgement, time=None)
