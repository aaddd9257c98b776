"""A run's folder, which stands alone: its manifest, how it is made, and how it grows.

manifest.json    what was asked of whom, with which settings, by which commands
prompts.json     the prompts, whole
items/           one file per experiment
replies.jsonl    one line per session, append-only; the last line per session counts
connections.jsonl which replies are known to answer their own prompts, where connections carried several calls
study.toml       the study file of the last such command, where there was one
judgements.jsonl what people or other models said of replies afterwards, where anybody did
shards/          the shares that several machines asked, where they did, each a run of its own
"""

import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from selfexec import items
from selfexec.engines import Wire
from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Key
from selfexec.facets import may_nest, misfit, nested
from selfexec.files import jsonl
from selfexec.files.replacing import NO_RENAME, current, put
from selfexec.items import ItemSet
from selfexec.prompts import kept_prompts, prompts_file
from selfexec.renamed import IN_RUNS, with_new_names
from selfexec.runs.design import Block, Design, joined, unfolded
from selfexec.runs.hypotheses import DeclaredHypotheses
from selfexec.runs.invocations import Invocation
from selfexec.runs.reply import Reply
from selfexec.text.matching import meant
from selfexec.text.printable import command_line, harmless_line

MANIFEST = "manifest.json"
REPLIES = "replies.jsonl"
CONNECTIONS = "connections.jsonl"
ITEMS = "items"
PROMPTS = "prompts.json"
STUDY = "study.toml"
BATCHES = "batches"  # the folder of what went out in batch files
SHARDS = "shards"  # the folder of the shards of a run
FORMAT = 3
SIMULATED = "sim/"  # how the names of simulated models begin that are ours
IMPORT = "import"  # replies that somebody else asked for
LOGS = "logs"  # where what was done stands: to such a run only predictions are asked
SHOWN = 10  # runs that a message names
LOST = "Put back the files that this run began with; its manifest has their SHA-256."


class ShareOf(msgspec.Struct, frozen=True, kw_only=True):
    """Of what a run is a share: number `index` of `of`, from 0. `design` and `planned` are those of the whole."""

    index: int
    of: int
    design: list[Block] = []
    planned: list[Block] = []


class ImportedLog(msgspec.Struct, frozen=True, kw_only=True):
    """A log that was imported: from which tool's file, for which model and task, by which score; how many of its
    samples were used for which experiment, and how many were not, by reason.
    """

    file: str
    sha256: str
    tool: str
    model: str
    tasks: list[str]
    experiment: str
    score: str | None = None
    used: int
    left_out: dict[str, int] = {}


class Reached(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a model was reached, as far as it may be written down.

    Attributes:
        base_url: Its addresses, where they are not the provider's own.
        whole: Whether these are all of what was given, or a part was left out that may be a secret.
        wire: The wire format that was named.
        api_key_env: The variable that held the key, where one was named.
        headers: The names of the headers that every call had.
        options: The other options of the connection that were not what holds anyway, by name. Of one whose value may
            be a secret, there is only that it was given.
    """

    base_url: list[str] = []
    whole: bool = True
    wire: Wire | None = None
    api_key_env: str | None = None
    headers: list[str] = []
    options: dict[str, Any] = {}


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is. What grows with it are `models`, `experiments`, `epochs`, `items`, `design`, `prompts`, `preset`
    and `invocations`: the commands that asked. `preset_order` names the order of its presets, for good; None where that
    is the stratified one, or there never was a preset. Of prompts it has the SHA-256. `design` is what was asked of
    whom; None where it was not kept (format 1, imported replies). `planned` is what commands with so many calls were to
    ask: it is not missing where they did not come to it. `own_settings` are those of models that are asked with others
    than
    `settings`, in their place. `simulated` are the models that an engine simulated; None where that was not kept.
    `shard` says of what whole it is a share; None where it is none. `reached` says how models were reached that were
    not just asked at their provider's own address. `logs` are those that what was done was taken from.
    `hypotheses` are those that were written down before the first call.
    `accept_ends` are the words for unknown ends that replies may have and count all the same; it only ever grows.
    """

    format: int = FORMAT
    selfexec: str
    origin: str
    models: list[str]
    experiments: list[str]
    epochs: int
    items: dict[str, str]
    design: list[Block] | None = None
    planned: list[Block] = []
    simulated: list[str] | None = None
    sources: dict[str, str] = {}
    prompts: dict[str, str] = {}
    settings: dict[str, Any] = {}
    own_settings: dict[str, dict[str, Any]] = {}
    preset: str | None = None
    preset_order: str | None = None
    invocations: list[Invocation] = []
    shard: ShareOf | None = None
    logs: list[ImportedLog] = []
    accept_ends: list[str] = []
    reached: dict[str, Reached] = {}
    hypotheses: DeclaredHypotheses | None = None

    def settings_of(self, model: str) -> dict[str, Any]:
        """What is sent to a model, but for what its conditions send."""
        common = {name: value for name, value in self.settings.items() if "@" not in name}
        return self.own_settings.get(model, common)

    @property
    def all_settings(self) -> list[tuple[str, str, Any]]:
        """Each setting: how it is called where all stand together, its name, and its value. What a model is sent that
        all others are not stands with the model; None: it is not sent.
        """
        found = [(name, name, value) for name, value in sorted(self.settings.items())]
        for model, own in sorted(self.own_settings.items()):
            names = sorted({name for name in self.settings if "@" not in name} | own.keys())
            differ = [name for name in names if own.get(name) != self.settings.get(name)]
            found += [(f"{name} of {model}", name, own.get(name)) for name in differ]
        return found


def load_manifest(folder: Path) -> Manifest:
    path = current(folder / MANIFEST)
    if not path.is_file():
        path = folder / MANIFEST  # what stood beside it has just been put in place
    if not path.is_file():
        raise InputError(f"{folder}: no run found (there is no {MANIFEST}). {_runs_inside(folder)}")
    try:
        text = path.read_bytes()
        kept = msgspec.json.decode(text)
        if IN_RUNS.search(text):
            kept = with_new_names(kept)
        manifest = msgspec.convert(kept, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise InputError(f"{path}: {fault}. The manifest is damaged. {_way_to_replies(folder)}") from None
    if manifest.format > FORMAT:
        raise InputError(f"{path}: format {manifest.format} is newer than this version of selfexec. Upgrade it.")
    return manifest


def design_to_ask(manifest: Manifest, item_set: ItemSet) -> Design | None:
    """What a run has asked or was to ask; None where it did not keep that, and where its logs say what can be asked."""
    whole = manifest.shard or manifest
    if whole.design is None or manifest.origin == LOGS:
        return None
    return joined(unfolded(whole.design, item_set), unfolded(whole.planned, item_set))


def _way_to_replies(folder: Path) -> str:
    """How replies are saved that a damaged manifest stands before: they have been paid for."""
    if not (folder / REPLIES).is_file() or not (folder / ITEMS).is_dir():
        return "Restore it, or start a new run."
    saved = command_line("import {} --items {} --out NEW", folder / REPLIES, folder / ITEMS)
    return f"The replies are not: {saved}"


def simulated_of(manifest: Manifest) -> list[str]:
    """The models of a run that are simulated. Where that was not kept, their names tell: there were none but ours."""
    if manifest.simulated is not None:
        return manifest.simulated
    return [model for model in manifest.models if model.startswith(SIMULATED)]


def _runs_inside(folder: Path) -> str:
    """Which folder to give where this one is none of a run: the runs in it, if there are any."""
    with suppress(OSError):
        if runs := sorted(path.parent for path in folder.glob(f"*/{MANIFEST}")):
            shown, more = runs[:SHOWN], len(runs) - SHOWN
            others = f" and {more} more ({command_line('list {}', folder)})" if more > 0 else ""
            listed = ", ".join(map(str, shown)) + others
            return f"It holds {'the run' if len(runs) == 1 else 'the runs'} {listed}. Give one of them."
    return "Give the folder of a run."


def of_logs(folder: Path) -> Manifest | None:
    """The manifest of a run whose behaviour comes from logs, where there is one here."""
    manifest = load_manifest(folder) if (folder / MANIFEST).is_file() else None
    return manifest if manifest and manifest.origin == LOGS else None


def refuse_taken(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: this is a file. Give a new folder to --out.")
    if out.is_dir() and any(out.iterdir()):
        what = "another run" if (out / MANIFEST).exists() else "something else"
        raise InputError(f"{out}: the folder holds {what} already; nothing was changed. Give a new folder to --out.")


def create(
    out: Path, manifest: Manifest, item_set: ItemSet, replies: Iterable[Reply], prompts: Mapping[str, str] | None = None
) -> None:
    """Make the folder of a run. It is built beside its place and moved there whole. `prompts` are None where nobody
    knows them.
    """
    refuse_harmful_names(manifest.models)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent, ignore_cleanup_errors=True) as beside:
            building = Path(beside)
            encode = msgspec.json.Encoder().encode
            jsonl.write(building / REPLIES, map(encode, replies))
            item_set.write(building / ITEMS)
            if prompts is not None:
                (building / PROMPTS).write_bytes(prompts_file(prompts))
            write_manifest(building, manifest)
            building.chmod(0o755)
            if out.is_dir():
                out.rmdir()  # it is empty; Windows moves nothing onto a folder
            _move(building, out)
    except OSError as fault:
        if (out / MANIFEST).exists():
            raise InputError(
                f"{out}: another process has just begun a run here; nothing was changed. Give the command again, or "
                "another folder to --out."
            ) from None
        raise InputError(f"{out}: cannot be written ({fault.strerror}). Nothing was kept.") from None


def refuse_harmful_names(
    models: Iterable[str], option: str = "the model ", way_out: str = "Write it without them."
) -> None:
    """Raise InputError for a name that would do something to a terminal, or cannot be seen there as it is.

    Args:
        models: Names of models.
        option: How the message begins, up to the name.
        way_out: How it ends.
    """
    for name in models:
        if harmless_line(name) != name:
            raise InputError(
                f"{option}{harmless_line(name)}: control characters, odd blanks or what turns the direction of writing "
                f"stand in this name. {way_out}"
            )


def _move(building: Path, out: Path) -> None:
    """Move a folder to its place; where the file system moves none, file by file, the manifest, which makes it a run,
    last.
    """
    try:
        building.replace(out)
    except OSError as refused:
        if refused.errno not in NO_RENAME:
            raise
        shutil.copytree(building, out, ignore=shutil.ignore_patterns(MANIFEST))
        shutil.copy(building / MANIFEST, out / MANIFEST)


def refuse_other_items(folder: Path, wanted: ItemSet, whole: ItemSet) -> None:
    """Raise InputError where items would be mixed into a run that are of another set than its own.

    It is the same set where each item of the run is in the `whole` set that is given, with the same text; what more
    there is lets the run grow. Where all that is `wanted` of a set is in the run already, nothing is mixed.
    """
    have = items.load(folder / ITEMS)
    for experiment, by_id in have.items.items():
        given = whole.items.get(experiment, {})
        if changed := [id for id, item in by_id.items() if id in given and given[id] != item]:
            raise InputError(
                f"{folder}: the {experiment} item {changed[0]!r} has changed since this run began. "
                "Choose another folder with --out."
            )
    if all(by_id.keys() <= have.items.get(experiment, {}).keys() for experiment, by_id in wanted.items.items()):
        return
    for experiment, by_id in have.items.items():
        if strange := [id for id in by_id if id not in whole.items.get(experiment, {})]:
            common = len(by_id) - len(strange)
            few = f"only {common} of the run's {len(by_id)}" if common else f"none of the run's {len(by_id)}"
            is_are = "is" if common < 2 else "are"
            raise InputError(
                f"{folder}: {few} {experiment} items {is_are} in {whole.name!r} "
                f"({strange[0]!r} is the first that is not). The sets of items differ, and scores would mix them. "
                "Give --items as before, or choose another folder with --out."
            )


def grow_items(folder: Path, more: ItemSet) -> ItemSet:
    """Add items to those of a run, which stay as they are."""
    old = items.load(folder)
    for experiment, lines in more.lines.items():
        have = old.lines.get(experiment, {})
        if all(id in have for id in lines):
            continue
        merged = {**lines, **have}
        ordered = items.fixed_order(experiment, merged)
        put(folder / f"{experiment}.jsonl", [merged[id] + b"\n" for id in ordered], synced=True)
    return items.load(folder)


def grow_prompts(folder: Path, asked: Mapping[str, str], more: Mapping[str, str]) -> None:
    """Keep the prompts of a run whole, as far as they are known: `asked` has the SHA-256 of each, `more` texts."""
    content = prompts_file({**kept_prompts(folder / PROMPTS, asked), **more})
    if not (folder / PROMPTS).exists() or (folder / PROMPTS).read_bytes() != content:
        put(folder / PROMPTS, [content])


def keep_old_manifest(folder: Path, manifest: Manifest) -> None:
    """Keep the manifest of an older format beside the new one, before that takes its place."""
    kept = folder / f"manifest.{manifest.format}.json"
    if manifest.format < FORMAT and not kept.exists():
        kept.write_bytes((folder / MANIFEST).read_bytes())


def write_manifest(folder: Path, manifest: Manifest) -> None:
    put(folder / MANIFEST, [msgspec.json.format(msgspec.json.encode(manifest), indent=2), b"\n"])


def prompts_of_run(folder: Path) -> dict[str, str | None]:
    """The templates that the run in a folder asked with, by name; None: not kept."""
    return kept_prompts(folder / PROMPTS, load_manifest(folder).prompts)


# --- whether replies and items belong together ----------------------------------------------------------------------


def items_of_run(folder: Path) -> ItemSet:
    """The items that a run keeps. InputError: they are gone."""
    if not (folder / ITEMS).is_dir():
        raise InputError(f"{folder}: the run's items are gone (there is no {ITEMS}/). {LOST}")
    return items.load(folder / ITEMS)


def check_fit(
    replies: Iterable[Key],
    item_set: ItemSet,
    place: Callable[[Key], str],
    way_out: str = "Are these the right --items?",
) -> None:
    """Every reply must belong to a session of an item; `place` tells where a reply was read from."""
    fitting: set[tuple[object, ...]] = set()  # whatever the model: ten are often asked the same
    for key in replies:
        if key[1:] in fitting:
            continue
        if fault := _misfit(key, item_set, way_out):
            raise InputError(f"{place(key)}: {fault}")
        fitting.add(key[1:])


def _misfit(key: Key, item_set: ItemSet, way_out: str) -> str | None:
    if key.experiment not in EXPERIMENTS:
        return f"unknown experiment {key.experiment!r}. {meant(key.experiment, EXPERIMENTS)}"
    if key.experiment not in item_set.items:
        return f"the items {item_set.name} have none for {key.experiment}. {way_out}"
    item = item_set.items[key.experiment].get(key.item)
    if item is None:
        return f"no {key.experiment} item has the id {key.item!r}. {way_out}"
    experiment = EXPERIMENTS[key.experiment]
    within = nested(key.session) if key.facets else None
    if within and experiment.accepts(item, within.base) and may_nest(key.facets, key.experiment, within):
        return misfit(key.facets, key.experiment, key.session_kind)
    if not experiment.accepts(item, key.session):
        return f"{key.experiment} has no session {key.session!r}, only {', '.join(experiment.session_names(item))}."
    return misfit(key.facets, key.experiment, key.session_kind) if key.facets else None
