"""The card of a run: benchmark card and data card in one page, of what its folder supports and nothing else."""

from dataclasses import dataclass
from pathlib import Path

from selfexec.analysis.selection import OURS, Runs, Selection, refuse_unknown
from selfexec.errors import InputError
from selfexec.runs import Files, tells_wrong_names
from selfexec.text.tables import in_markdown

__all__ = ["Card", "card"]


@dataclass(frozen=True, repr=False)
class Card:
    """A page in Markdown, by section. What the run does not tell is said to be unknown. `front` is what machines read
    of it, in YAML.
    """

    title: str
    sections: tuple[tuple[str, str], ...]
    front: str = ""

    def section(self, name: str) -> str:
        """The text of one section, by its heading. KeyError lists the headings that there are."""
        for heading, text in self.sections:
            if heading == name:
                return text
        raise KeyError(f"the card has no section {name!r}, only {', '.join(heading for heading, _ in self.sections)}")

    def markdown(self) -> str:
        """The whole page."""
        return "\n\n".join(filter(None, [self.front, self._body]))

    @property
    def _body(self) -> str:
        return "\n\n".join([f"# {self.title}", *(f"## {heading}\n\n{text}" for heading, text in self.sections)]) + "\n"

    def __repr__(self) -> str:
        return self.markdown()

    def _repr_markdown_(self) -> str:
        return self._body


@tells_wrong_names("a card")
def card(
    run: Runs | Selection,
    *,
    readings: Files = (),
    convention: str = "strict",
    panel: str | Path | None = None,
) -> Card:
    """The card of a run: what came out, what that does not show, and all scores; then what was measured, of whom, with
    what, when, how much of it came back and could be read, and how to do it again. Its head is YAML, as Hugging Face's
    hub reads it.

      run         a run or its folder; a card is of one
      readings    files of readings that replace ours
      convention  strict (an unreadable prediction is a wrong one) or readable (it is left out)
      panel       a reference panel: `paper`, a file of `selfexec export --to panel`, or `none`; else as in `score`

    InputError: several runs, or one without a reply.
    """
    from selfexec.analysis.card.front_matter import front_matter
    from selfexec.analysis.card.sections import sections
    from selfexec.analysis.score import score
    from selfexec.items import origin

    without = ["models", "experiments", "source", "groups"]
    selection = Selection.of(run, convention, readings=readings, panel=panel, without=without)
    refuse_unknown("convention", [selection.convention], OURS)
    loaded, *more = selection.whole_runs
    if more:
        raise InputError(f"{more[0].folder}: a card is of one run. Give the folders one at a time.")
    scores = score(loaded, selection.convention, panel=selection.panel)
    origins = {experiment: origin(experiment, loaded.items) for experiment in loaded.items.experiments}
    return Card(
        in_markdown(f"Card of the run {loaded.folder.resolve().name}"),
        tuple(sections(loaded, scores, origins, selection.convention, selection.panel)),
        front_matter(loaded, scores.by_condition[0], origins),
    )
