"""What a user can do to have more in a run, which depends on where its replies come from: a run that asks can ask more,
what models did in finished logs is in no other log of ours, and imported replies grow by what somebody else asks.
"""

from collections.abc import Iterable, Mapping

from selfexec.runs.folder import IMPORT, LOGS
from selfexec.text.printable import command_line

REPEAT: Mapping[str, str] = {
    LOGS: "import another log of the same model on the same samples",
    IMPORT: "import replies of a second epoch (selfexec export --epochs 2 writes what to ask)",
}
CONDITION: Mapping[str, str] = {
    IMPORT: "Import replies in this condition: {export} writes what to ask",
}
ABOUT: Mapping[str, str] = {
    IMPORT: "Import another model's replies about it: {export} writes what to ask",
}


def to_repeat(origins: Iterable[str]) -> str:
    """How everything comes to be there twice, in runs of these origins."""
    return _ways(REPEAT, "ask every item twice (--epochs 2)", origins)


def to_ask_in(condition: str, origins: Iterable[str]) -> str:
    """How runs of these origins come to a condition that they lack."""
    asked = "A run grows by conditions: selfexec run with its --model and --out, and --facet {condition}"
    export = command_line("export --facet {}", condition)
    return _ways(CONDITION, asked, origins).format(condition=condition, export=export)


def to_ask_about(subject: str, origins: Iterable[str]) -> str:
    """How runs of these origins come to another model's predictions about one of theirs."""
    asked = "Ask another model about it on the same items: {run}, with its --out"
    named = f"named:{subject}"
    run, export = (
        command_line("run --model OTHER --frame {}", named),
        command_line("export --model OTHER --frame {}", named),
    )
    return _ways(ABOUT, asked, origins).format(run=run, export=export)


def _ways(by_origin: Mapping[str, str], asked: str, origins: Iterable[str]) -> str:
    """The way out for each origin, once; `asked` is that of all which can ask."""
    return " or ".join(dict.fromkeys(by_origin.get(origin, asked) for origin in origins)) or asked
