"""Command lines of every kind, drawn from what the commands say of themselves: right ones, odd ones, broken ones."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import click

from selfexec.cli import root

STORED = Path(__file__).parent / "stored"
RUNS = ("panel", "own-prompts", "imported", "two-epochs", "served", "grown")
BROKEN_RUNS = ("torn", "no-manifest", "bad-manifest", "no-items", "binary", "empty-run")
FILES = {
    "empty.jsonl": b"",
    "binary.bin": bytes(range(256)) * 8,
    "broken.json": b'{"a": [1, 2',
    "list.json": b"[1, 2, 3]",
    "text.json": b'"text"',
    "deep.json": b"[" * 50_000 + b"]" * 50_000,
    "numbers.csv": b"model,x,y\nsim/typical,1,2\nsim/coin,2,1\nsim/says-yes,.5,.25\nsim/knows-itself,,3\n",
    "rates.csv": b"model,x,y,z\na,.9,.5,\nb,.4,.2,.3\nc,,.6,.7\n",
    "odd.csv": b"model,x\nsim/typical,nan\nsim/coin,inf\nsim/says-yes,1e400\n",
    "quoted.csv": b'model,x\n"sim/typical,1\n',
    "latin.csv": "model,größe\nsim/typical,1\n".encode("latin-1"),
    "tags.csv": b"model,family,size\nsim/typical,one,1\nsim/coin,two,2\n",
    "prompts.json": b'{"restriction.predict": "Answer? $request {\\"choice\\": \\"A\\"}"}',
    "replies.jsonl": b'{"model": "m", "experiment": "restriction", "item": "1", "session": "predict", "text": "A"}\n',
    "other.jsonl": b'{"model": "m", "experiment": "restriction", "item": "1", "session": "predict", "value": "A"}\n',
    "half.jsonl": b'{"model": "m", "exp',
    "\u00fcml\u00e4ut \u2028 name.jsonl": b"\xff\xfe{}\n",
}
TEXTS = (
    "",
    " ",
    ",",
    "a,b",
    "a,,b",
    "-",
    "--",
    "-1",
    "nan",
    "\u202eabc",
    "\U0001f600",
    "x" * 5000,
    "a=b",
    "=",
    "{}",
    "%s{0}$x",
)
NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "-1",
    "1.5",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "1e-300",
    "99999999",
    "9" * 40,
    "",
    "x",
    "\u0661",
)
PATHS = (
    *RUNS,
    *BROKEN_RUNS,
    *FILES,
    "items",
    "bad-items",
    "readings",
    "nowhere",
    "nowhere/x.json",
    "panel/manifest.json",
    "panel/replies.jsonl",
    ".",
    "",
    "panel/replies.jsonl/x",
    "x" * 300,
    "locked/x",
)
OUTPUTS = (
    "out/a",
    "out/b.html",
    "nowhere/x",
    "panel",
    "torn",
    "items",
    "empty.jsonl",
    "x" * 300,
    "",
    "panel/manifest.json/x",
)
MODELS = (
    "sim/typical",
    "sim/coin",
    "sim/coin,sim/typical",
    "sim/coin@x",
    "sim/nobody",
    "openai/m",
    "vllm/m",
    "foo/bar",
    "m",
)
NAMES = {
    "models": MODELS,
    "model": MODELS,
    "experiments": ("association", "restriction,difficulty", "overall", "refusal"),
    "metrics": ("skill", "accuracy,coverage", "baseline_margin", "tau", "guesser_skill"),
    "items": ("items", "starter", "bad-items", "nowhere", "panel/items", "panel", "empty.jsonl"),
    "item_source": ("items", "starter", "panel/items", "bad-items", "nowhere"),
    "base_url": (
        "http://127.0.0.1:9/v1",
        "127.0.0.1:9",
        "ftp://x",
        "http://",
        "http://[::1",
        "http://127.0.0.1:99999/v1",
    ),
    "api_key_env": ("NO_SUCH_NAME", "", "a b", "sk-123"),
    "headers": ("X-Team=research", "Authorization=x", "X Y=1", "=", "X=\n"),
    "settings": (
        "temperature=0",
        "execute.temperature=1",
        "temperature",
        "excute.a=1",
        "model=x",
        "a.b.c.d=1",
        "top_p=[[[",
    ),
    "extra_body": ('{"user": "x"}', "[1]", "{", '{"model": "x"}', "null"),
    "fail_if": (
        "overall.skill drops 0.1",
        "skill drops",
        "overall.skill drops nan",
        "a.b rises -1",
        "overall.skill rises 9",
    ),
    "host": ("127.0.0.1", "999.1.1.1", "", "no such host", "x" * 300),
    "port": ("0", "99999", "-1", "x"),
    "price": ("2,8", "2", "x,y", "nan,1", "-1,1"),
    "sessions": ("predict", "execute.Q1", "judge,predict", "nothing"),
    "ids": ("1", "nothing"),
    "states": ("read", "unreadable,missing", "nothing"),
    "table": ("paper", "rates.csv", "numbers.csv", *FILES),
    "add": ("rates.csv", *FILES),
    "tables": ("numbers.csv", "rates.csv", *FILES),
    "source": PATHS,
    "name": ("paper", "nothing"),
    "out": OUTPUTS,
    "output": OUTPUTS,
    "figures": ("out/figures", "panel", "empty.jsonl", "nowhere/x"),
}

FAIR_FILES = {
    "readings": ("readings", "other.jsonl"),
    "replies": ("replies.jsonl", "imported/replies.jsonl"),
    "prompts": ("prompts.json",),
    "file": ("prompts.json",),
    "tags": ("tags.csv",),
    "groups": ("tags.csv",),
    "abilities": ("rates.csv",),
    "folder": ("out/new", "."),
}


def commands(group: click.Group = root, *names: str) -> Iterator[tuple[str, click.Command]]:
    """Every command by its name, groups and the root themselves among them."""
    yield " ".join(names), group
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield " ".join([*names, name]), command


COMMANDS = dict(commands())


def make_place(place: Path) -> None:
    """A folder of runs, whole and broken, and of files that are right, odd and no files at all."""
    for name in RUNS:
        shutil.copytree(STORED / name, place / name)
    for name in BROKEN_RUNS:
        shutil.copytree(STORED / "imported", place / name)
    replies = place / "torn" / "replies.jsonl"
    replies.write_bytes(replies.read_bytes()[:-40] + b'{"model"\n\xff\n')
    (place / "no-manifest" / "manifest.json").unlink()
    (place / "bad-manifest" / "manifest.json").write_bytes(b'{"format": "x"')
    shutil.rmtree(place / "no-items" / "items")
    (place / "binary" / "replies.jsonl").write_bytes(FILES["binary.bin"])
    (place / "empty-run" / "replies.jsonl").write_bytes(b"")
    for name, content in FILES.items():
        (place / name).write_bytes(content)
    shutil.copytree(STORED / "imported" / "items", place / "items")
    for folder in ("bad-items", "readings", "out", "locked"):
        (place / folder).mkdir()
    (place / "bad-items" / "restriction.jsonl").write_bytes(b'{"id": 1}\n\xff')
    lines = (place / "panel" / "replies.jsonl").read_text("utf-8").splitlines()
    read = [json.loads(line) for line in lines if '"restriction"' in line and '"predict"' in line]
    keys = ("model", "experiment", "item", "epoch", "session")
    given = [json.dumps({key: line[key] for key in keys if key in line} | {"value": "A"}) for line in read]
    (place / "readings" / "a.jsonl").write_text("\n".join(given))
    (place / "locked").chmod(0o500)


def command_lines(seed: int, count: int) -> Iterator[list[str]]:
    chance = random.Random(seed)
    commands = [(name.split(), command) for name, command in COMMANDS.items() if name]
    for _ in range(count):
        words, command = chance.choice(commands)
        odd = chance.choice((0.0, 0.0, 0.1, 0.4))
        yield [*words, *_arguments(chance, command, odd), *_bounds(words)]


def _bounds(words: list[str]) -> list[str]:
    """What keeps a run short. Of an option that is given twice the last counts."""
    return ["--max-calls", "4"] if words == ["run"] else []


def _arguments(chance: random.Random, command: click.Command, odd: float) -> list[str]:
    """Arguments mostly, a few options, in any order. Of the values such a share is `odd`: drawn from all, and not from
    those that are mostly right.
    """
    groups: list[list[str]] = []
    for param in command.params:
        several = chance.choice((1, 1, 1, 2, 3)) if param.multiple or param.nargs == -1 else 1
        needed = isinstance(param, click.Argument) or param.required
        wanted = (0.8 if odd else 0.98) if needed else 0.12
        times = several if chance.random() < wanted else 0
        groups += [_given(chance, param, odd) for _ in range(times)]
    if chance.random() < odd / 4:
        groups.append([chance.choice(("--modle", "-x", "--help", "extra", "--", *TEXTS))])
    chance.shuffle(groups)
    return [word for group in groups for word in group]


def _given(chance: random.Random, param: click.Parameter, odd: float) -> list[str]:
    value = _odd_value(chance, param) if chance.random() < odd else _fair_value(chance, param)
    if isinstance(param, click.Argument):
        return [value]
    name = chance.choice(param.opts)
    return [name] if getattr(param, "is_flag", False) else [name, value]


def _fair_value(chance: random.Random, param: click.Parameter) -> str:
    """A value that may well be right."""
    if isinstance(param.type, click.Choice):
        return str(chance.choice(list(param.type.choices)))
    if param.name in ("source", "runs", "run", "sources"):
        return chance.choice(RUNS)
    if param.name in NAMES:
        return chance.choice(NAMES[param.name][:2])
    if isinstance(param.type, click.Path):
        return chance.choice(FAIR_FILES.get(param.name or "", ("other.jsonl",)))
    return chance.choice(NUMBERS[1:4])


def _odd_value(chance: random.Random, param: click.Parameter) -> str:
    if chance.random() < 0.3:
        return chance.choice(TEXTS)
    if isinstance(param.type, click.Choice):
        return "nothing"
    if param.name in NAMES:
        return chance.choice(NAMES[param.name])
    if isinstance(param.type, click.Path):
        return chance.choice(PATHS)
    if isinstance(param.type, click.types.IntParamType | click.types.FloatParamType):
        return chance.choice(NUMBERS)
    return chance.choice((*TEXTS, *NUMBERS))
