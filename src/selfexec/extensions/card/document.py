"""The card of a run: benchmark card and data card in one page, of what its folder supports and nothing else."""

from dataclasses import dataclass

from selfexec.analysis.hypotheses import judged_hypotheses
from selfexec.analysis.options import WITH_SKILL, CardOptions
from selfexec.analysis.selection import refuse_unknown, selection_of
from selfexec.errors import InputError
from selfexec.runs import takes
from selfexec.text.tables import beginning, in_markdown

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

    def __str__(self) -> str:
        return self.markdown()

    def __repr__(self) -> str:
        return beginning(self._body)

    def _repr_markdown_(self) -> str:
        return self._body


@takes(CardOptions, "a card")
def card(options: CardOptions) -> Card:
    """The card of a run: what came out, what that does not show, and all scores; then what was measured, of whom, with
    what, when, how much of it came back and could be read, and how to do it again. Its head is YAML, as Hugging Face's
    hub reads it.

    Args:
        run: A run or its folder, or a selection of it; a card is of one.

    Raises:
        InputError: There are several runs, or one without a reply.
    """
    from selfexec.analysis.score import score
    from selfexec.extensions.card.front_matter import front_matter
    from selfexec.extensions.card.sections import sections
    from selfexec.items import origin

    selection = selection_of(options.run, options)
    refuse_unknown("convention", [selection.convention], WITH_SKILL)
    selection.refuse_apart()
    loaded, *more = selection.whole_runs
    if more:
        raise InputError(f"{more[0].folder}: a card is of one run. Give the folders one at a time.")
    scores = score(loaded, selection.convention, panel=selection.panel)
    origins = {experiment: origin(experiment, loaded.items) for experiment in loaded.items.experiments}
    return Card(
        in_markdown(f"Run card: {loaded.folder.resolve().name}"),
        tuple(sections(loaded, scores, origins, selection.convention, selection.panel, judged_hypotheses(selection))),
        front_matter(loaded, scores, origins),
    )
