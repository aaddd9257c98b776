"""Items of the toy experiments, and four models that answer them by rule, so that scores can be worked out by hand.

What each model predicts and does, n is the number of the item:

brevity, 60 questions   a  brief on odd n; says the wrong thing on n up to 6               27 of 30 right on either side
                        b  brief on n up to 20; always says yes
                        c  brief where 3 divides n; right, but unreadable from 58 on   one of 20 brief, two of 40 not
                        d  brief on n up to 20, as the length of the question tells; says yes from 41 to 44 as well
lengths, 24 trios       a  5, 10, 15 words; right up to 18, the reverse from 19 on
                        b  5, 5, 10 words, the first two a tie; right
                        c  5, 10, 15 words; says S2, S1, S3, and cannot be read on n up to 2
                        d  15, 10, 5 words; right
habit, 24 and 24        a  what was predicted each time up to 18, never after; of the control once in three
                        b  what was predicted each time; of the control never
                        c  what was predicted twice in three, the third cannot be read up to 6; of the control never
                        d  what was predicted each time up to 12, never after; of the control each time
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aiohttp import web

from build import write

MODELS = ("vllm/a", "vllm/b", "vllm/c", "vllm/d")
TOPICS = ("sea", "sky", "earth")
LONG = ", and on all that lives in it, large or small"
PICKS = ("red", "green", "blue")


def items() -> dict[str, list[dict[str, Any]]]:
    return {
        "brevity": [
            {
                "id": f"q{n}",
                "question": f"Question {n} on the {TOPICS[n % 3]}{LONG if n > 20 else ''}?",
                "topic": TOPICS[n % 3],
            }
            for n in range(1, 61)
        ],
        "lengths": [{"id": f"t{n}", "subjects": [f"subject {n}{x}" for x in "xyz"]} for n in range(1, 25)],
        "habit": [
            *({"id": f"f{n}", "options": [f"{pick} {n}" for pick in PICKS]} for n in range(1, 25)),
            *(
                {"id": f"c{n}", "options": [f"{pick} {100 + n}" for pick in PICKS], "named": f"green {100 + n}"}
                for n in range(1, 25)
            ),
        ],
    }


def written_items(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for experiment, lines in items().items():
        write(folder / f"{experiment}.jsonl", lines)
    return folder


# --- what they say and do --------------------------------------------------------------------------------------------


def brief(model: str, n: int) -> bool:
    return {"a": n % 2 == 1, "b": n <= 20, "c": n % 3 == 0, "d": n <= 20}[model]


def says_brief(model: str, n: int) -> bool | None:
    if model == "a":
        return brief(model, n) != (n <= 6)
    if model == "d":
        return brief(model, n) or 41 <= n <= 44
    return True if model == "b" else None if n >= 58 else brief(model, n)


def words(model: str, place: int) -> int:
    return {"b": [5, 5, 10], "d": [15, 10, 5]}.get(model, [5, 10, 15])[place]


def order(model: str, n: int) -> list[str] | None:
    if model == "a":
        return ["S1", "S2", "S3"] if n <= 18 else ["S3", "S2", "S1"]
    if model == "b":
        return ["S1", "S2", "S3"]
    if model == "d":
        return ["S3", "S2", "S1"]
    return None if n <= 2 else ["S2", "S1", "S3"]


def pick(model: str, n: int, nth: int) -> str | None:
    """The colour that is picked at the nth time of asking; red was predicted, green is named in the control."""
    if n > 100:
        return "green" if model == "d" or (model == "a" and nth == 1) else "blue"
    if model == "a":
        return "red" if n <= 18 else "blue"
    if model == "b":
        return "red"
    if model == "d":
        return "red" if n <= 12 else "blue"
    return "red" if nth < 3 else None if n <= 6 else "blue"


def reply(model: str, prompt: str, nth: int) -> str:
    """What a model says to a prompt that it gets for the nth time."""
    if found := re.search(r"Question (\d+) on", prompt):
        n = int(found[1])
        if "at most" not in prompt:
            return "Yes." if brief(model, n) else "word " * 20
        said = says_brief(model, n)
        return "Who knows?" if said is None else json.dumps({"choice": "A" if said else "B"})
    if found := re.search(r"subject (\d+)([xyz])", prompt):
        if "Write a note" in prompt:
            return "word " * words(model, "xyz".index(found[2]))
        ranked = order(model, int(found[1]))
        return "Who knows?" if ranked is None else json.dumps({"order": ranked})
    number = re.search(r"red (\d+)", prompt)
    if not number:
        return "Well, who knows?"  # `check` asks for more than an experiment does
    picked = "red" if "Suppose" in prompt else pick(model, int(number[1]), nth)
    return "None of them." if picked is None else json.dumps({"pick": f"{picked} {number[1]}"})


# --- as reply lines, and at an address -------------------------------------------------------------------------------


def lines() -> Iterator[dict[str, Any]]:
    """Every reply in the interchange form, without prompts: by items alone."""
    for model in MODELS:
        name = model[-1]
        for n, question in enumerate(items()["brevity"], 1):
            said, did = says_brief(name, n), brief(name, n)
            predicted = "Who knows?" if said is None else json.dumps({"choice": "A" if said else "B"})
            yield _line(model, "brevity", question, "predict", predicted)
            yield _line(model, "brevity", question, "execute", "Yes." if did else "word " * 20)
        for n, trio in enumerate(items()["lengths"], 1):
            ranked = order(name, n)
            yield _line(model, "lengths", trio, "predict", json.dumps({"order": ranked}) if ranked else "Who knows?")
            for place in range(3):
                yield _line(model, "lengths", trio, f"execute.S{place + 1}", "word " * words(name, place))
        for options in items()["habit"]:
            number = int(options["options"][0].split()[1])
            if "named" not in options:
                yield _line(model, "habit", options, "predict", json.dumps({"pick": f"red {number}"}))
            for nth in (1, 2, 3):
                picked = pick(name, number, nth)
                text = json.dumps({"pick": f"{picked} {number}"}) if picked else "None of them."
                yield _line(model, "habit", options, f"execute.{nth}", text)


def _line(model: str, experiment: str, item: dict[str, Any], session: str, text: str) -> dict[str, Any]:
    return {"model": model, "experiment": experiment, "item": item["id"], "session": session, "text": text}


def respondents() -> web.Application:
    """A server of chat completions that answers by rule."""
    asked: Counter[tuple[str, str]] = Counter()

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        model, prompt = body["model"], body["messages"][-1]["content"]
        assert len(body["messages"]) == 1  # a fresh session each
        asked[model, prompt] += 1
        text = reply(model, prompt, asked[model, prompt])
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 3 + len(prompt) // 4, "completion_tokens": max(len(text) // 4, 1)}
        return web.json_response({"model": model, "choices": [choice], "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    return app
