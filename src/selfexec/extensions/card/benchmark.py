"""The fields of a benchmark card that hold for every run, and what this run's items make of them."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from selfexec.experiments import EXPERIMENTS
from selfexec.items import UNKNOWN, Origin
from selfexec.text.tables import as_markdown

if TYPE_CHECKING:
    from selfexec.runs import Run

SIMILAR = (
    "Situational Awareness Dataset (Laine et al. 2024, [arXiv 2407.04694](https://arxiv.org/abs/2407.04694)), Looking "
    "Inward (Binder et al. 2024, [arXiv 2410.13787](https://arxiv.org/abs/2410.13787)), Introspect-Bench "
    "([arXiv 2603.20276](https://arxiv.org/abs/2603.20276)): they, too, ask models about themselves"
)


def scope(run: "Run", origins: Mapping[str, Origin]) -> str:
    """For whom it is and what it covers, in the fields of a benchmark card."""
    tasks = "; ".join(EXPERIMENTS[experiment].words.task for experiment in run.items.experiments)
    fields = {
        "Users": "researchers, model developers, and anyone who relies on what a model says about itself",
        "Not for": "telling by a score or margin alone whether a model knows itself; ranking models by ability",
        "Tasks": tasks,
        "Domains": "natural language processing: how well models predict their own behaviour",
        "Languages": _languages(run, origins),
        "Data": "text; items and replies as JSON Lines. Outcomes are the models' own behaviour: nobody annotated them",
        "Similar benchmarks": SIMILAR,
    }
    return as_markdown(["field", "this run"], [[name, text] for name, text in fields.items()])


def _languages(run: "Run", origins: Mapping[str, Origin]) -> str:
    """Both known sets are English; of any other nobody has said."""
    of_unknown = [experiment for experiment, found in origins.items() if found.name == UNKNOWN]
    if not of_unknown:
        return "items: English"
    if len(of_unknown) == len(origins):
        return f"items: {UNKNOWN}"
    return f"items: English; of {', '.join(of_unknown)} {UNKNOWN}"


def risks(run: "Run", origins: Mapping[str, Origin]) -> str:
    return "\n".join(f"- {text}" for text in _risks(run, origins))


def _risks(run: "Run", origins: Mapping[str, Origin]) -> Iterator[str]:
    yield (
        "**Misreading**: a high score is taken for self-knowledge, or a low one for its absence. Neither follows: a "
        "model that knows models in general predicts well, and one that knows its own peculiarities may not."
    )
    yield "**Reliance**: what a model says about itself here holds for items like these, not for any question about it."
    for experiment in run.items.experiments:
        yield from (f"**{harm}**: {text}" for harm, text in EXPERIMENTS[experiment].words.risks)
    yield "**Not measured**: fairness, privacy, robustness to attacks, and differences between groups of people."
    personal = "no item of the sets that we know is about a private person"
    if any(found.name == UNKNOWN for found in origins.values()):
        personal += "; of items of unknown origin this card cannot tell"
    yield f"**Personal data**: {personal}. Replies are kept verbatim: read them before they are published."
    if run.manifest.origin == "run":
        yield "**Consent**: no people took part; no person's judgement is in a score."
    else:
        yield "**Consent**: the replies were made elsewhere. If people gave them, they have to have agreed to it."
    yield "**Law and licences**: those of the items stand above; a provider's terms hold for its replies."
