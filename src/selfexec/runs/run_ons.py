"""Replies that go on behind their answer: with a further prompt, and the answer to that.

Models do so whose end of a turn is lost, by a wrong template or a server that does not stop there. How such replies are
read is settled in `readers/run_on.py`. A reply may revise its answer; so it counts only where two objects with a key
that was asked for differ, and words stand between them that neither revise nor conclude. Of two orders a prompt must be
known as one: small models write several on the way. Of 34,760 recorded replies one is so.
"""

from collections.abc import Iterable
from itertools import pairwise

from selfexec.experiments import EXPERIMENTS
from selfexec.readers.run_on import GOES_BACK, LEAST_WORDS, WORD, objects_in, prompts_begin
from selfexec.runs.exchanged_replies import asked_keys
from selfexec.runs.reply import Reply

LEAST, LEAST_SHARE = 2, 0.005  # replies, and how many of a model's


def run_ons(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of a model that have a further answer behind their own."""
    came = [reply for reply in replies if reply.text and reply.experiment in EXPERIMENTS]
    running = [reply for reply in came if _runs_on(reply)]
    return running if len(running) >= max(LEAST, LEAST_SHARE * len(came)) else []


def _runs_on(reply: Reply) -> bool:
    text, kind = reply.text or "", reply.key.session_kind
    experiment, keys = EXPERIMENTS[reply.experiment], asked_keys(reply.experiment, kind)
    answers = [place for place in objects_in(text) if not keys.isdisjoint(map(str.casefold, place[2]))]
    is_order = experiment.claim_kind == "order" and kind in experiment.predictions
    further = prompts_begin((*experiment.prompts.values(),)) if is_order else WORD
    return any(
        own != other
        and len(WORD.findall(text, end, start)) >= LEAST_WORDS
        and further.search(text, end, start)
        and (is_order or not GOES_BACK.search(text, end, start))
        for (_, end, own), (start, _, other) in pairwise(answers)
    )
