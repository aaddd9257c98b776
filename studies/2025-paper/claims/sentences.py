"""What a sentence of the paper is here, and the commands that show what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evidence import Evidence
from recorded import difference

Found = tuple[str, str]  # what was found, verdict


@dataclass(frozen=True)
class Sentence:
    place: str
    quote: str
    shown_by: str
    because: Mapping[str, str]
    work_out: Callable[[Evidence], Found]


def section(s: Sentence) -> str:
    """Under which heading a sentence is listed."""
    if s.place in ("abstract", "1"):
        return "Abstract and introduction"
    number = FIGURES.get(s.place, s.place)
    return next(title for start, title in HEADINGS.items() if number.startswith(start))


FIGURES = {"figure 7": "4.4", "figure 8": "4.4"}
HEADINGS = {
    "2.2": "2 Related work",
    "3": "3 Experimental design",
    "4.1": "4.1 Association",
    "4.2": "4.2 Restriction",
    "4.3": "4.3 Difficulty",
    "4.4": "4.4 Comparison with other benchmarks",
    "4": "4 Results",
    "6": "6 Conclusions",
    "8": "8 Limitations",
}


Keep = Callable[[Callable[[Evidence], Found]], None]


def kept_in(sentences: list[Sentence]) -> Callable[[str, str, str, Mapping[str, str]], Keep]:
    """A decorator that puts what it decorates into this list, as the sentence that it is about."""

    def sentence(place: str, quote: str, shown_by: str, because: Mapping[str, str]) -> Keep:
        def keep(work_out: Callable[[Evidence], Found]) -> None:
            sentences.append(Sentence(place, quote, shown_by, because, work_out))

        return keep

    return sentence


AGAIN = "`python studies/2025-paper/make.py --claim {number}`"
SCORE = "`selfexec score TEN --full --convention readable --readings READINGS`"
AUTHORS = "`selfexec score TEN --convention authors --readings READINGS`"
LEDGER = "`selfexec analyze ledger TEN --readings READINGS`"
CROSS = "`selfexec analyze cross TEN --readings READINGS`"
CORRELATE = "`selfexec analyze correlate studies/2025-paper/models.csv`"
RASCH = "`selfexec analyze rasch paper`"
ALGORITHM_1 = "`selfexec analyze rasch paper --method paper`"


def compare(one: str, two: str) -> str:
    """First less second."""
    return f"`{difference(one, two)}`"


def work_out(s: Sentence, evidence: Evidence) -> tuple[Sentence, str, str, str]:
    """A sentence with what was found, the verdict and its reason."""
    found, verdict = s.work_out(evidence)
    if verdict not in s.because:
        raise SystemExit(f"“{s.quote}”: the rule now says “{verdict}” ({found}). Write the reason anew.")
    return s, found, verdict, s.because[verdict]
