"""What is printed: somebody else's text (replies, names, errors) on a terminal, on a page, in a table, which is shown
and does nothing; and commands of ours, whole, so that they can be pasted into a shell.
"""

import json
import shlex
import unicodedata

from selfexec.text.regex import regex

# C0 and C1 controls but for line feed and tab; soft hyphens and other blanks of no width; line separators; what turns
# the writing direction of the text behind it; lone surrogates; noncharacters; tags. Joiners stay: scripts and emoji are
# spelt with them.
HARMFUL = (
    *((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E)),
    *((0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xD800, 0xDFFF)),
    *((0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xFFFE, 0xFFFF), (0xE0000, 0xE007F)),
)
_PATTERN = regex("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in HARMFUL) + "]")

# the same characters, as the report's script looks for them (a RegExp with the flag `u`)
SCRIPT_PATTERN = "[" + "".join(rf"\u{{{first:x}}}-\u{{{last:x}}}" for first, last in HARMFUL) + "]"


def harmless(text: str) -> str:
    """A text whose control characters are seen instead of obeyed: an escape is shown as \\x1b."""
    if text.isprintable():  # none of these characters is, and of what a page says nearly everything
        return text
    return _PATTERN.sub(lambda found: _written_out(ord(found[0])), text.replace("\r\n", "\n"))


STYLE = regex(r"\x1b\[[\d;]*m")  # a control sequence that makes what follows bold, dim or coloured, or ends that


def harmless_styled(text: str) -> str:
    """The same, but for the control sequences of styles, which stay. What somebody else wrote is made harmless before
    it is put among them.
    """
    styles = STYLE.findall(text)
    pieces = STYLE.split(text)
    return "".join(f"{harmless(piece)}{style}" for piece, style in zip(pieces, [*styles, ""], strict=True))


def harmless_line(text: str) -> str:
    """The same in one line, for names in a table."""
    return harmless(" ".join(text.split()))


def in_short(text: str, length: int = 110) -> str:
    """In one line, and cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


PLAIN_SIGNS = {"…": "...", "±": "+-", "×": "x", "†": "*", "•": "*", "·": ".", "→": "->", "↓": "v", "≤": "<=", "≥": ">="}
PLAIN_SIGNS |= (
    {"−": "-", "‹": "<", "›": ">", "\xa0": " ", "\u202f": " "}
    | dict.fromkeys("‘’‚‛", "'")
    | dict.fromkeys("“”„‟«»", '"')
)


def in_ascii(text: str) -> str:
    """A text in ASCII alone, for an output that has no other characters: dashes, quotation marks and the signs of
    tables become the nearest plain ones, and each other character is written as JSON does (é as \\u00e9), so that no
    name is lost.
    """
    return "".join(char if char.isascii() else _in_ascii(char) for char in text)


def _in_ascii(char: str) -> str:
    if plain := PLAIN_SIGNS.get(char):
        return plain
    if unicodedata.category(char) == "Pd":
        return "-"
    name = unicodedata.name(char, "")
    if name.startswith("BOX DRAWINGS"):
        directions = set(name.split())
        if not directions & {"VERTICAL", "UP", "DOWN"}:
            return "-"
        return "+" if directions & {"HORIZONTAL", "LEFT", "RIGHT"} else "|"
    return json.dumps(char)[1:-1]


def _written_out(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# --- commands --------------------------------------------------------------------------------------------------------

HOLE = "{}"
PLACEHOLDER = regex(r"RUNS?|MODEL|FILE|FOLDER|TERM|SOURCE|DIR")  # what a help may write, and a command may not


def command_line(template: str, *values: object) -> str:
    """A command with its values filled in, each quoted for the shell.

    Args:
        template: What follows `selfexec`, with `{}` for each value: `read {} --claim wrong --show`.
        values: The values, in their order; a list or tuple is so many words. One that begins with a dash is written
            so that it is taken for no option.

    Raises:
        ValueError: A value is lacking or too many are given, or a placeholder of the help stands in the template.
    """
    words = template.split()
    if words.count(HOLE) != len(values):
        raise ValueError(f"{template}: {len(values)} values for {words.count(HOLE)} places")
    if bare := next(filter(PLACEHOLDER.fullmatch, words), None):
        raise ValueError(f"{template}: {bare} cannot be pasted. Fill it in")
    given = iter(values)
    typed = ["selfexec"]
    for before, word in zip(["", *words], words, strict=False):
        if word != HOLE:
            typed.append(word)
            continue
        value = next(given)
        filled = map(str, value if isinstance(value, list | tuple) else [value])
        is_argument = not before.startswith("-")  # which is a path where it begins with a dash
        typed += [shlex.quote(f"./{each}" if is_argument and each.startswith("-") else each) for each in filled]
    return " ".join(typed)
