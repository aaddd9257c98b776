"""How many of a reply's tokens are those of its visible answer, where the counts can be believed.

Thoughts count among the output tokens of most providers, and how many they are some tell apart. Nobody can look behind
their counts; but text bounds its own tokens from both sides, whatever the tokenizer: a word takes a token at
least, and a byte one at most. `most_tokens` is that bound for all who compare a count with a text.
"""

WORD = 0.9  # of a token: some words are written without a blank between them
FRAMES = 32  # tokens that stand for no text: where a turn, a channel or a reply begins and ends

UNCOUNTED = "no tokens were counted"
UNTOLD = "how many tokens were thoughts was not told"
MORE_THOUGHTS = "more tokens of thoughts than of output were counted"
IN_THE_ANSWER = "thoughts stand in the answer, and count with it"
NO_THOUGHTS = "thoughts came, and no tokens of them were counted"
TOO_FEW = "fewer tokens are left than the answer must take"
TOO_MANY = "more tokens are left than the answer can take"


def most_tokens(text: str) -> int:
    """The most tokens that a text can take: one for each byte, and those that stand around a reply."""
    return len(text.encode("utf-8", "replace")) + FRAMES


def visible_tokens(output: int | None, thoughts: int | None, text: str, reasoning: str | None) -> int | str:
    """The tokens of the answer alone; or why they are not known, where counts are lacking or do not fit what came."""
    if output is None:
        return UNCOUNTED
    if thoughts is None:
        return UNTOLD
    rest = output - thoughts
    if rest < 0:
        return MORE_THOUGHTS
    if "</think>" in text:
        return IN_THE_ANSWER
    if thoughts == 0 and reasoning and reasoning.strip():
        return NO_THOUGHTS
    if rest < WORD * len(text.split()):
        return TOO_FEW
    if rest > most_tokens(text):
        return TOO_MANY
    return rest
