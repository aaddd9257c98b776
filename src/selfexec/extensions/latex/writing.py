"""Tables for a paper in LaTeX: booktabs, numbers as siunitx aligns them, nothing scaled, names as they are."""

import re
import string
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from selfexec.report.figures.figure import Figure
from selfexec.text.numbers import Printed, with_zeros
from selfexec.text.printable import harmless
from selfexec.text.regex import regex

ROOM, COLUMN = 395.0, 218.0  # points: the narrowest text of a page, and of one of two columns on it, of common styles
LINES, HEADS = 48, 3  # of one table, at most, and of the head of a block of it
SIZE, SMALL, GAP = 8.3, 7.3, 8.0  # points: of \footnotesize and \scriptsize, and between columns
HEAD = 14  # letters in a line of a heading
LONG = 24  # letters of a text, behind which it stands below the table
WIDE = 120.0  # points: of a name in one line
NEEDS = "% needs \\usepackage{booktabs,siunitx}"


def as_latex(figure: Figure) -> str:
    """The table behind a figure, with caption and label. One of many rows comes as several tables; columns that have no
    room beside each other stand in blocks below each other.
    """
    table = _Table.of(figure)
    parts = [
        (blocks, rows)
        for rows in _shared(len(figure.cells), (LINES - HEADS) // table.lines)
        for blocks in _shared(len(table.blocks), LINES // (HEADS + table.lines * len(rows)))
    ]
    made: list[str] = []
    for n, (blocks, rows) in enumerate(parts, 1):
        place = f" ({n} of {len(parts)})" if len(parts) > 1 else ""
        label = f"tab:{figure.id}{f'-{n}' if n > 1 else ''}"
        made += _floated(table, table.blocks[blocks.start : blocks.stop], rows, place, label)
    text = "\n".join([NEEDS, *_letters_used(made), *made])
    return f"{text}\n"


def _shared(whole: int, most: int) -> Iterator[range]:
    """So many things in parts of like size, of no more than `most`."""
    parts = -(-whole // max(1, most)) or 1
    size = -(-whole // parts)
    yield from (range(n, min(n + size, whole)) for n in range(0, max(whole, 1), max(size, 1)))


def _floated(
    table: "_Table", blocks: Sequence[Sequence["_Column"]], rows: range, place: str, label: str
) -> Iterator[str]:
    tabulars = [list(table.tabular(block, rows)) for block in blocks]
    float_ = "table" if table.width <= COLUMN else "table*"
    yield from (f"\\begin{{{float_}}}", "\\centering\\footnotesize", "\\setlength{\\tabcolsep}{4pt}")
    yield f"\\caption{{{prose(table.caption + place)}}}"
    yield f"\\label{{{label}}}\\par\\smallskip"
    for n, tabular in enumerate(tabulars):
        yield from ("\\par\\medskip", *tabular) if n else tabular
    for text, mark in table.notes.items():
        if any(text in table.figure.cells[row] for row in rows):
            note = f"\\textsuperscript{{{mark}}} {prose(text)}"
            yield f"\\par\\smallskip\\parbox{{0.95\\linewidth}}{{\\raggedright {note}}}"
    yield f"\\end{{{float_}}}"


def includes(figures: Sequence[Figure], page: bool) -> str:
    """Every drawing with its caption and label, at its own size."""
    float_ = "figure*" if page else "figure"
    parts = [
        line
        for figure in figures
        for line in (
            f"\\begin{{{float_}}}",
            "\\centering",
            f"\\includegraphics{{{figure.id}}}",
            f"\\caption{{{prose(_ended(figure.headline))} {prose(figure.caption)}}}",
            f"\\label{{fig:{figure.id}}}",
            f"\\end{{{float_}}}",
        )
    ]
    return "\n".join(["% needs \\usepackage{graphicx}", *_letters_used(parts), *parts]) + "\n"


# --- columns ---------------------------------------------------------------------------------------------------------

# .56 [.51, .62] label, 12 of 1,250
VALUE = regex(r"([-+]?[\d.,]+)(?: \[([-+]?[\d.,]+), ([-+]?[\d.,]+)\])?.*", re.DOTALL)


@dataclass(frozen=True)
class _Column:
    """One quantity. `beside`: what stands behind each number (its interval, of how many it is, whose it is)."""

    head: str
    cells: Sequence[str]

    @cached_property
    def is_number(self) -> bool:
        return any(isinstance(cell, Printed) for cell in self.cells)

    @cached_property
    def values(self) -> list[str]:
        return [_parts(cell)[0] if isinstance(cell, Printed) else "" for cell in self.cells]

    @cached_property
    def beside(self) -> list[str]:
        return [" ".join(filter(None, _behind(cell))) for cell in self.cells]

    @property
    def format(self) -> str:
        """Room for the longest number, as siunitx wants it."""
        known = [value.split(".") for value in self.values if value]
        sign = "-" if any(value.startswith("-") for value in self.values) else ""
        whole = max((len(parts[0].lstrip("-")) for parts in known), default=1)
        behind = max((len(parts[1]) for parts in known if len(parts) > 1), default=0)
        return f"{sign}{whole}.{behind}" if behind else f"{sign}{whole}"

    @property
    def heading(self) -> list[str]:
        return textwrap.wrap(self.head, HEAD, break_long_words=False, break_on_hyphens=False)

    def width(self, stacked: bool) -> float:
        own = _breadth(self.values if self.is_number else [cell[:LONG] for cell in self.cells], SIZE)
        more = _breadth((part for cell in self.cells for part in _behind(cell)) if stacked else self.beside, SMALL)
        return max(_breadth(self.heading, SIZE), max(own, more) if stacked else own + more) + GAP


@dataclass(frozen=True)
class _Table:
    figure: Figure
    keys: int
    columns: Sequence[_Column]
    notes: Mapping[str, str]

    @classmethod
    def of(cls, figure: Figure) -> "_Table":
        keys = figure.keys
        named = {row[0]: str(n) for n, row in enumerate(figure.cells, 1)}
        found = [_Column(head, [row[n] for row in figure.cells]) for n, head in enumerate(figure.columns)][keys:]
        if set(named).issuperset(column.head for column in found if column.is_number and not _ends(column)):
            found = [_Column(named.get(column.head, column.head), column.cells) for column in found]
        long = dict.fromkeys(cell for row in figure.cells for cell in row[keys:] if _is_long(cell))
        shown = [column for column in found if not all(_is_long(cell) or not cell for cell in column.cells)]
        return cls(figure, keys, shown, dict(zip(long, _marks(), strict=False)))

    @property
    def numbered(self) -> bool:
        """Whether columns are called by the numbers of rows."""
        return any(column.head == "1" for column in self.columns)

    @property
    def caption(self) -> str:
        intervals = any(isinstance(cell, Printed) and cell.low is not None for c in self.columns for cell in c.cells)
        return f"{_ended(self.figure.title)}{' In brackets: 95% intervals.' if intervals else ''}"

    @cached_property
    def stacked(self) -> bool:
        """Whether intervals stand below their numbers, since there is no room beside them."""
        return self._label + sum(column.width(stacked=False) for column in self.columns) > ROOM

    @property
    def lines(self) -> int:
        """Of one row."""
        return 1 + (self.stacked and max((len(_behind(c)) for column in self.columns for c in column.cells), default=0))

    @property
    def _label(self) -> float:
        rows = self.figure.cells
        wide = sum(min(_breadth((row[n] for row in rows), SIZE), WIDE) + GAP for n in range(self.keys))
        return wide + SIZE * (self.numbered + bool(self.notes))

    @cached_property
    def blocks(self) -> list[Sequence[_Column]]:
        """Columns that have room beside each other, as many in each block."""
        columns = self.columns
        room = ROOM - self._label
        for most in range(len(columns), 0, -1):
            found = [columns[part.start : part.stop] for part in _shared(len(columns), most)]
            if all(sum(column.width(self.stacked) for column in block) <= room for block in found):
                return found
        return [[column] for column in columns]

    @property
    def width(self) -> float:
        return self._label + max(
            (sum(column.width(self.stacked) for column in block) for block in self.blocks), default=0.0
        )

    def tabular(self, block: Sequence[_Column], rows: range) -> Iterator[str]:
        beside = [not self.stacked and any(column.beside) for column in block]
        layout = "".join(
            [self._name_layout(n) for n in range(self.keys)]
            + [_layout(column, more) for column, more in zip(block, beside, strict=True)]
        )
        heads = [latex(head) for head in self.figure.columns[: self.keys]]
        heads += [_heading(column, more) for column, more in zip(block, beside, strict=True)]
        yield f"\\begin{{tabular}}{{{layout}}}"
        yield from ("\\toprule", f"{' & '.join(heads)} \\\\", "\\midrule")
        for row in rows:
            yield from self._row(block, beside, row)
        yield from ("\\bottomrule", "\\end{tabular}")

    def _name_layout(self, key: int) -> str:
        if _breadth((row[key] for row in self.figure.cells), SIZE) <= WIDE:
            return "l"
        return f">{{\\raggedright\\arraybackslash}}p{{{WIDE:.0f}pt}}"

    def _row(self, block: Sequence[_Column], beside: Sequence[bool], row: int) -> Iterator[str]:
        names = [name(str(key)) for key in self.figure.cells[row][: self.keys]]
        if self.numbered:
            names[0] = f"{row + 1} {names[0]}"
        names[0] += self._marked(row)
        cells = [*names]
        for column, more in zip(block, beside, strict=True):
            cells.append(self._cell(column, row))
            if more:
                cells.append(_typeset(column.beside[row]))
        yield f"{' & '.join(cells)} \\\\"
        if not self.stacked:
            return
        below = [_behind(column.cells[row]) for column in block]
        for n in range(max(map(len, below), default=0)):
            parts = [f"{{\\scriptsize {_typeset(found[n])}}}" if n < len(found) else "" for found in below]
            yield f"{' & ' * self.keys}{' & '.join(parts)} \\\\"
        yield "\\addlinespace[2pt]"

    def _marked(self, row: int) -> str:
        """The marks of what is said of a row below the table, in columns that say nothing else."""
        shown = {text for column in self.columns for text in column.cells}
        said = dict.fromkeys(self.notes[text] for text in self.figure.cells[row] if text in self.notes)
        apart = [mark for mark in said if not any(self.notes.get(text) == mark for text in shown)]
        return f"\\textsuperscript{{{','.join(apart)}}}" if apart else ""

    def _cell(self, column: _Column, row: int) -> str:
        """A number, or text in braces, which siunitx leaves as it is."""
        if value := column.values[row]:
            return value
        text = str(column.cells[row])
        said = f"\\textsuperscript{{{self.notes[text]}}}" if text in self.notes else prose(text)
        return f"{{{said}}}" if said else ""


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(("?", ".")) else f"{sentence}."


def _is_long(cell: str) -> bool:
    return not isinstance(cell, Printed) and len(cell) > LONG


def _ends(column: _Column) -> bool:
    return any(column.beside)


def _parts(cell: Printed) -> list[str]:
    """The number and the ends of its interval, as they are printed: .56 as 0.56, 1,204 as 1204."""
    found = VALUE.fullmatch(cell.replace("−", "-"))
    assert found, cell
    return [with_zeros(part.replace(",", "").lstrip("+")) for part in found.groups() if part]


def _behind(cell: str) -> list[str]:
    """What stands behind a number, part by part, in LaTeX."""
    if not isinstance(cell, Printed):
        return []
    _, *ends = _parts(cell)
    interval = "[{}, {}]".format(*(f"\\num{{{end}}}" for end in ends)) if ends else ""
    of = "" if cell.of is None else f"of \\num{{{cell.of}}}"
    return [part for part in (interval or of, latex(cell.baseline)) if part]


def _typeset(behind: str) -> str:
    return f"{{}}{behind}" if behind else ""


def _breadth(texts: Iterable[str], size: float) -> float:
    """How wide the widest of these comes out, about: a digit is half as wide as the letters are high."""
    bare = (re.sub(r"\\[a-z]+|[{}]", "", text) for text in texts)
    return size * max((sum(_em(letter) for letter in text) for text in bare), default=0.0)


def _em(letter: str) -> float:
    if letter not in _KNOWN and letter not in _COMMANDS:
        return 3.6  # U+6A21
    return 0.28 if letter in ".,;:[]()'|!ijlt " else 0.78 if letter in "-−+mwMW%" else 0.7 if letter.isupper() else 0.52


def _layout(column: _Column, beside: bool) -> str:
    number = f"S[table-format={column.format}]" if column.is_number else "l"
    return number + ("@{\\ }>{\\scriptsize}l" if beside else "")


def _heading(column: _Column, beside: bool) -> str:
    lines = "\\\\".join(name(line) for line in column.heading)
    said = f"\\shortstack{{{lines}}}" if len(column.heading) > 1 else lines
    return f"\\multicolumn{{2}}{{c}}{{{said}}}" if beside else f"{{{said}}}"


def _marks() -> Iterator[str]:
    """a, b, ..., z, aa, ab, ..."""
    letters = string.ascii_lowercase
    yield from letters
    yield from map("".join, product(letters, repeat=2))


# --- text ------------------------------------------------------------------------------------------------------------

_COMMANDS = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "`": "\\textasciigrave{}",
    '"': "\\texttt{\\char34}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "−": "$-$",
    "×": "$\\times$",
    "±": "$\\pm$",
    "≥": "$\\geq$",
    "≤": "$\\leq$",
    "→": "$\\rightarrow$",
    "†": "\\dag{}",
    "↓": "$\\downarrow$",
    "–": "--",
    "—": "---",
    "…": "\\dots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
# letters that every LaTeX has: ASCII, and those of Western Europe but for a few that its oldest encoding lacks
_KNOWN = {*string.printable, *map(chr, range(0xC0, 0x100))} - set("ÐðÞþ")
_STRANGE = "\\sxletter"
_LETTERS = (
    f"\\providecommand{{{_STRANGE}}}[2]{{\\ifdefined\\Umathcode#1\\else U+#2\\fi}}"
    "% letters that only XeLaTeX and LuaLaTeX know"
)


def latex(text: str) -> str:
    """The text with everything that LaTeX would take for a command of its own, or join to another sign, as it is. A
    letter that pdfLaTeX lacks is its number there.
    """
    made = ""
    for letter in re.sub(r"\s+", " ", harmless(text)):
        # two of these are another sign: a dash, a quotation mark
        made += "{}" if letter in "-'" and made.endswith(letter) else ""
        made += _written(letter)
    return made


def prose(text: str) -> str:
    """A sentence, with numbers as they are in the table."""
    return latex(with_zeros(text))


def _written(letter: str) -> str:
    known = _COMMANDS.get(letter) or (letter if letter in _KNOWN else "")
    return known or f"{_STRANGE}{{{letter}}}{{{ord(letter):04X}}}"


def name(text: str) -> str:
    """The text at the start of a cell, where a bracket or a star would be taken for the end of the line before. A long
    one may be broken anywhere.
    """
    if _breadth([text], SIZE) > WIDE:
        step = 8 if _KNOWN.issuperset(text) else 1
        parts = (text[n : n + step] for n in range(0, len(text), step))
        made = "\\allowbreak{}".join(map(latex, parts))
    else:
        made = latex(text)
    return f"{{}}{made}" if made.startswith(("[", "*")) else made


def _letters_used(lines: Sequence[str]) -> list[str]:
    return [_LETTERS] if any(_STRANGE in line for line in lines) else []
