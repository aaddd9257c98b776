"""What a baseline may know: five groups, by name. The first three make the stacked baseline that margins are over."""

from collections.abc import Mapping

QUESTION = "knows the question"
OTHERS_DO = "knows what others do"
OTHERS_SAY = "knows what others predict"
FAMILY = "knows its family"
HISTORY = "knows its history"
APART = (FAMILY, HISTORY)  # no part of the stacked baseline
STACKED = "stacked"
CONSTANT = "always the same"

GROUPS: Mapping[str, str] = {
    "always_yes": QUESTION,
    "always_no": QUESTION,
    "label": QUESTION,
    "order_shown": QUESTION,
    "question_length": QUESTION,
    "text": QUESTION,
    "subject": OTHERS_DO,
    "others_mode": OTHERS_DO,
    "others_share": OTHERS_DO,
    "others_predictions": OTHERS_SAY,
    "family_predictions": FAMILY,
    "family_behaviour": FAMILY,
    "majority": HISTORY,
    "shuffled": HISTORY,
    "history_majority": HISTORY,
    "history_shuffled": HISTORY,
    "history_text": HISTORY,
}


def group_of(baseline: str) -> str:
    """What experiments have of their own goes by facts of their items."""
    return GROUPS.get(baseline, QUESTION)
