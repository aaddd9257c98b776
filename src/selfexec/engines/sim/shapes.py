"""The shapes in which simulated models put their replies: those of real ones."""

import json
from collections.abc import Mapping, Sequence

import msgspec

REFUSALS = ("I'm sorry, but I can't help with that", "I can't assist with that request", "I won't be able to help")
DECLINED = (
    "I'm sorry, but I can't predict how I would respond.",
    "As a language model I am not able to predict my own behaviour.",
    "I cannot make that prediction.",
)
BROKEN = (
    '{"answer": "A, C"}',
    '{"choice": "A or B"}',
    '{"ranking": ["Q1", "Q2", "Q3"]}',
    "Both are possible, depending on the context.",
    '{"choice": ',
    "It depends.",
    "",
    "asdf asdf asdf asdf asdf asdf asdf asdf asdf asdf",
)
THOUGHTS = (
    "Let me think about this step by step.",
    "This needs a moment of thought.",
    "Considering what is asked here, I come to a conclusion.",
)


def _pick(shapes: Sequence[str], draw: float) -> str:
    return shapes[int(draw * len(shapes))]


def _in_json(value: object, draw: float) -> tuple[str, ...]:
    """One object in the four commonest settings."""
    bare = json.dumps(value)
    thought = _pick(THOUGHTS, draw * 997 % 1)
    return (
        bare,
        f"```json\n{msgspec.json.format(bare, indent=2)}\n```",
        f"{thought}\n\n{bare}",
        f"{thought}\n\n```\n{bare}\n```\n\nThis is what I expect.",
    )


def choice(key: str, letter: str, options: Mapping[str, str], draw: float) -> str:
    """The letter of an option, as the answer to a question."""
    return _choice(key, letter, options, "answer", draw)


def prediction(letter: str, options: Mapping[str, str], draw: float) -> str:
    """The letter of an option that tells of a response to a prompt. It is called a choice: where the prompt has options
    of its own under letters, "the answer is A" would be an answer to it, and no prediction.
    """
    return _choice("choice", letter, options, "choice", draw)


def _choice(key: str, letter: str, options: Mapping[str, str], noun: str, draw: float) -> str:
    other = next(option for option in options if option != letter)
    return _pick(
        (
            *_in_json({key: letter}, draw) * 2,
            f"The final {noun} is: $\\boxed{{{letter}}}$",
            f"{letter}. {options[letter]}",
            f'{{\\"{key}\\": \\"{letter}\\"}}',
            f"{{{key}: {letter}}}",
            f'{{"{key}": "{other}"}}\n\nActually no. On reflection:\n\n{{"{key}": "{letter}"}}',
            f"I have weighed both sides.\n\nTherefore, the correct {noun} is:\n\n**{letter}**",
        ),
        draw,
    )


def ranking(labels: Sequence[str], draw: float) -> str:
    reverse = list(reversed(labels))
    return _pick(
        (
            *_in_json({"ranking": list(labels)}, draw) * 2,
            "Here is my ranking from fewest to most tokens:\n\n"
            + "\n".join(f"{n}. {label} (a guess)" for n, label in enumerate(labels, 1)),
            f"The order is: {' < '.join(labels)}",
            f"[{', '.join(labels)}]",
            f'{{"ranking": {json.dumps(reverse)}}}\n\nOn reconsideration:\n\n{{"ranking": {json.dumps(list(labels))}}}',
            f"Ranking of questions from least tokens to most: {json.dumps(list(labels))}",
        ),
        draw,
    )


def marks(value: Mapping[str, bool], draw: float) -> str:
    return _pick(
        (
            *_in_json(value, draw),
            json.dumps({word: str(mark).lower() for word, mark in value.items()}),
            "My prediction:\n\n" + "\n".join(f"- {word}: {str(mark).lower()}" for word, mark in value.items()),
        ),
        draw,
    )


def chance(value: float, draw: float) -> str:
    """A probability of a request."""
    return _pick(
        (
            *_in_json({"probability": _short(value)}, draw) * 2,
            f"I would say {_short(value)}.",
            f"**Probability:** {100 * value:.1f}%",
        ),
        draw,
    )


def chances(value: Mapping[str, float], draw: float) -> str:
    """A probability for each word."""
    short = {word: _short(chance) for word, chance in value.items()}
    return _pick(
        (
            *_in_json(short, draw),
            json.dumps({word: f"{100 * chance:.2f}%" for word, chance in value.items()}),
            "My prediction:\n\n" + "\n".join(f"- {word}: {chance}" for word, chance in short.items()),
        ),
        draw,
    )


def expectations(value: Mapping[str, Mapping[str, float]], draw: float) -> str:
    """What is expected of each question."""
    short = {label: {name: _short(amount) for name, amount in one.items()} for label, one in value.items()}
    return _pick(_in_json(short, draw), draw)


def _short(amount: float) -> float:
    """With four digits behind the point: what is rounded further ties."""
    return round(amount, 4)


def words(value: Sequence[str], draw: float) -> str:
    return _pick(
        (
            *_in_json({"words": list(value)}, draw),
            "\n".join(f"{n}. {word}" for n, word in enumerate(value, 1)),
            "Here are five words:\n\n" + "\n".join(f"- **{word}**" for word in value),
        ),
        draw,
    )


def question(
    text: str, options: Sequence[str], letter: str, reason: str, draw: float, probability: float | None = None
) -> str:
    """A question with its key, and how probable it is that its author fails it, where that was asked for."""
    chance = {} if probability is None else {"probability": _short(probability)}
    lettered = dict(zip("ABCD", options, strict=True))
    value = {"question": text, "options": lettered, "answer": letter, "reason": reason, **chance}
    answer = f"{letter}. {lettered[letter]}"
    listed = {**chance, "reason": reason, "question": text, "choices": list(options), "answer": answer}
    return _pick((*_in_json(value, draw), *_in_json(listed, draw)), draw)


def response(answered: bool, draw: float) -> str:
    if not answered:
        return f"{_pick(REFUSALS, draw)}. Is there something else that I can do for you?"
    return _pick(
        (
            "Certainly. Here is what you need to know, step by step.",
            "Here is a short answer: it depends on a few things, which I list below.",
            "Good question. In short, this is how it is done.",
        ),
        draw,
    )


def declined(draw: float) -> str:
    return _pick(DECLINED, draw)


def broken(draw: float) -> str:
    return _pick(BROKEN, draw)


def plain(draw: float) -> str:
    """A reply to a prompt that it does not know."""
    return _pick(("Thank you for your message.", "I see.", "That is an interesting thought."), draw)


def tokens_of(text: str) -> int:
    """About how many tokens a text has."""
    return len(text) // 4 + 1
