"""Commands of ours as they are printed: whole, so that they can be pasted into a shell."""

import re
import shlex

HOLE = "{}"
PLACEHOLDER = re.compile(r"RUNS?|MODEL|FILE|FOLDER|TERM|SOURCE|DIR")  # what a help may write, and a command may not


def command_line(template: str, *values: object) -> str:
    """A command with its values filled in, each quoted for the shell.

    Args:
        template: What follows `selfexec`, with `{}` for each value: `read {} --claim wrong --show`.
        values: The values, in their order.

    Raises:
        ValueError: A value is lacking or too many are given, or a placeholder of the help stands in the template.
    """
    words = template.split()
    if words.count(HOLE) != len(values):
        raise ValueError(f"{template}: {len(values)} values for {words.count(HOLE)} places")
    if bare := next(filter(PLACEHOLDER.fullmatch, words), None):
        raise ValueError(f"{template}: {bare} cannot be pasted. Fill it in")
    given = iter(values)
    return " ".join(["selfexec", *(shlex.quote(str(next(given))) if word == HOLE else word for word in words)])
