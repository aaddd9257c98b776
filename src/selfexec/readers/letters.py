"""What a stated value means: which of a question's letters, if any."""

import re
from collections.abc import Mapping
from functools import lru_cache

from selfexec.readers.folding import fold
from selfexec.text.regex import regex

MARKUP = " \t\r\n*_`\"'“”„‘’«»$()[]{}\\<>#|"
# kana, Chinese characters, hangul: no blank parts them from a letter
SCRIPT = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
# these scripts have no case, and to fold thousands of characters takes longer than all else of the pattern
LETTER = regex(
    r"(?:(?:la|el|die)\s+)?(?:(?:option|choice|answer|antwort|opción|respuesta|letra|选项|الخيار|الإجابة)\s*:?\s*)?"
    r"[(\[*\"'`]*([A-Za-zＡ-Ｄأابجد])(?!(?-i:[^\W" + SCRIPT + r"])|['’](?=\w))",
    re.IGNORECASE,
)
ARABIC = {"أ": "A", "ا": "A", "ب": "B", "ج": "C", "د": "D"}
LETTER_ENDS = regex(
    r"\s*(?:$|[.,:;)\]}\"'“”»*`(!<$|\n–—。，、）：；！]|-\s|[" + SCRIPT + "]"
    r"|(?:because|since|as|is|for|due|which|would|here|but|and not)\b)"
)
SECOND = regex(r"[)\]*\"'`\s]*(?:,|/|&|\||and\b(?!\s+not)|or\b)\s*(?:option\s+)?[(\[*\"'`]*[A-Z](?!\w|['’]\w)")
IN_BRACKETS = regex(r"[^.\n(]{1,80}(?:\.\d[^.\n(]{0,40})?\((?:(?:answer\s+)?(?:option|choice)\s+)?([A-Z])\)")
NOT_BUT = regex(r"not\s+(?:option\s+)?[(*\"'`]*[A-Z][)*\"'`]*,?\s+but\s+(?=.)", re.IGNORECASE)
LATEX_TEXT = regex(r"\\(?:text|textbf|mathrm|mathbf|mathsf|operatorname)\s*\{")


class Letters:
    """The options of one question, ready for comparison."""

    def __init__(self, options: Mapping[str, str], text_over_letter: bool) -> None:
        self.options = options
        self.text_over_letter = text_over_letter
        self._known: dict[str, str | None] = {}
        folded = [plain(text) for text in options.values()]
        self.by_text = {
            text: letter
            for letter, text in zip(options, folded, strict=True)
            # a choice that is itself a letter ("c") must not shadow the letters of the options
            if folded.count(text) == 1 and text.upper() not in {"", *options}
        }

    def of(self, raw: str) -> str | None:
        """The letter that a stated value means, None if it means no single one of them."""
        if len(raw) > 12:
            return self._meant(raw)
        if raw not in self._known:  # '"A' comes thousands of times
            self._known[raw] = self._meant(raw)
        return self._known[raw]

    def _meant(self, raw: str) -> str | None:
        value = LATEX_TEXT.sub("", raw).strip(MARKUP + ",;")
        value = NOT_BUT.sub("", value)
        if letter := self.by_text.get(plain(value)):
            return letter
        found = LETTER.match(value)
        if not found or (letter := ARABIC.get(found[1]) or fold(found[1]).upper()) not in self.options:
            return None
        rest = value[found.end() :]
        if SECOND.match(rest):
            return None
        named = self.by_text.get(plain(rest.lstrip(".:) ")))
        if self.text_over_letter and named:
            return named
        if named == letter:
            return letter
        if not LETTER_ENDS.match(rest):
            return None  # it goes on like "A treaty" or "A ∨ B"
        return letter if found[1].isupper() or found[1] in ARABIC or _stands_out(raw, rest) else None

    def in_brackets(self, value: str) -> str | None:
        """The letter of '150 nm (option A)'."""
        found = IN_BRACKETS.match(value)
        return found[1] if found and found[1] in self.options else None


def _stands_out(raw: str, rest: str) -> bool:
    """Whether a small letter is marked as one, by quotes or brackets around it or a stop behind it."""
    return raw.lstrip()[:1] in ("'", '"', "“", "(", "*", "`", "\\") or rest[:1] in (".", ")")


@lru_cache(maxsize=4096)
def letters_of(letters: tuple[str, ...], texts: tuple[str, ...], text_over_letter: bool) -> Letters:
    """Options are the same for many replies; they are prepared once."""
    return Letters(dict(zip(letters, texts, strict=True)), text_over_letter)


def plain(text: str) -> str:
    """A text without what does not tell options apart: case, markup around it, final stops, runs of blanks."""
    bare = fold(text.strip(MARKUP).rstrip(".;,:。．").strip(MARKUP))
    bare = bare.replace("\\{", " ").replace("\\}", " ") if "\\" in bare else bare
    return " ".join(bare.replace("{", "").replace("}", "").replace("\\%", "%").replace("−", "-").split())
