"""Read marks, and read a list of words.

Most replies are nothing but the object that they were asked for, at most in a fence: JSON says what it means, and there
is nothing around it that could take it back. Replies in which there is anything else, blanks and signs in the words
included, are weighed (`weighed_marks.weigh_marks`, `weighed_words.weigh_words`). Of a key that stands twice in an
object the last value counts.
"""

import json
import re
from collections.abc import Sequence

from msgspec import structs

from selfexec.readers import late_imports
from selfexec.readers.folding import fold
from selfexec.readers.result import EVIDENCE_LENGTH, Reading

WORD = r"\"[A-Za-z]{1,40}\""
MARK = rf"{WORD}: ?(?:true|false)"


def _alone(content: str) -> re.Pattern[str]:
    """A pattern for a reply that is an object with this content, and nothing else."""
    return re.compile(
        rf"\s{{0,12}}(?:```(?:json)?\s)?(?P<object>\{{\s{{0,12}}{content}\s{{0,12}}\}})(?:\s```)?\s{{0,12}}"
    )


MARKED = _alone(rf"{MARK}(?:,\s{{0,12}}{MARK}){{0,39}}")
LISTED = _alone(rf"\"words\": ?\[\s{{0,12}}{WORD}(?:,\s{{0,12}}{WORD}){{0,19}}\s{{0,12}}\]")


def read_bare(text: str, form: re.Pattern[str]) -> Reading | None:
    """What an object of this form says, where it is the whole reply; None where it is not."""
    match = form.fullmatch(text)
    return Reading("read", json.loads(match["object"]), evidence=match["object"][:EVIDENCE_LENGTH]) if match else None


def read_marks(text: str, options: Sequence[str]) -> Reading:
    """Which words a reply marks true or false: by its object, if that marks all the options and is the whole reply.

    Otherwise the last object that marks every option counts; without one, objects and lines that mark some of them, all
    together if no word is marked twice, else the last; then one list in brackets of some of the options, in reply to
    the question which of them it would list, which marks those true and the others false; then an object that marks
    other
    words.
    """
    bare = read_bare(text, MARKED)
    every_option = bare and set(map(fold, options)).issubset(map(fold, bare.value))
    return bare if bare and every_option else late_imports.weigh_marks(text, options)


def read_words(text: str) -> Reading:
    """The words that a reply lists: those of its object, if that is the whole reply; otherwise under the key "words",
    else in brackets, else as a list of lines or commas. An object counts with any number of words; of other lists those
    with as many as were asked for come first.
    """
    bare = read_bare(text, LISTED)
    return structs.replace(bare, value=bare.value["words"]) if bare else late_imports.weigh_words(text)
