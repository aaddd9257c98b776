"""What a model was shown, as messages: from a chat as JSON, or from one that a chat template has put into one text."""

import json
import re
from collections.abc import Sequence
from typing import Any

from selfexec.extensions.logs.log import LONGEST, UnusableLog, sound
from selfexec.extensions.logs.samples import Turn
from selfexec.text.regex import regex

# how the templates of most open weights begin a message: the role, and what stands before its content
CHATML = regex(r"<\|im_start\|>(system|user|assistant)\n(.*?)(?:<\|im_end\|>|\Z)", re.DOTALL)
LLAMA = regex(r"<\|start_header_id\|>(system|user|assistant)<\|end_header_id\|>\n\n(.*?)(?:<\|eot_id\|>|\Z)", re.DOTALL)
GEMMA = regex(r"<start_of_turn>(user|model)\n(.*?)(?:<end_of_turn>|\Z)", re.DOTALL)
TEMPLATES = (CHATML, LLAMA, GEMMA)
BEFORE = regex(r"(?:<\|begin_of_text\|>|<bos>|<s>|\s)*")  # what may stand before the first message


def turns_of(prompt: str) -> tuple[Turn, ...]:
    """The messages that one text holds, without the one that the model is about to begin; else all of it as one."""
    if messages := _as_json(prompt):
        return whole(messages)
    for template in TEMPLATES:
        found = list(template.finditer(prompt))
        if found and BEFORE.fullmatch(prompt, 0, found[0].start()):
            said = [Turn(_role("assistant" if m[1] == "model" else m[1]), m[2]) for m in found]
            begun = said[-1].role == "assistant" and not said[-1].content.strip()
            return whole(said[:-1] if begun else said)
    return whole([Turn("user", prompt)])


def _as_json(prompt: str) -> list[Turn] | None:
    """A list of messages as API models of lm-eval are sent it."""
    if not prompt.lstrip().startswith("[{"):
        return None
    try:
        found = json.loads(prompt)
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(one, dict) and "role" in one and "content" in one for one in found):
        return None
    return [Turn(_role(one["role"]), _text(one["content"])) for one in found]


def _role(role: Any) -> Any:
    if role not in ("system", "user", "assistant"):
        raise UnusableLog("shown a message of another role")
    return role


def _text(content: Any) -> str:
    """Its text; pictures and sounds cannot be shown again."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise UnusableLog("shown a message without text")
    if any(not isinstance(part, dict) or part.get("type") != "text" for part in content):
        raise UnusableLog("shown more than text")
    return "\n".join(str(part.get("text", "")) for part in content)


def whole(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The messages as they are kept; refused where nothing was asked, or too much to be shown once more."""
    kept = tuple(Turn(turn.role, sound(turn.content)) for turn in turns)
    if not any(turn.content.strip() for turn in kept if turn.role != "tools"):
        raise UnusableLog("shown nothing")
    if sum(len(turn.content) for turn in kept) > LONGEST:
        raise UnusableLog(f"shown more than {LONGEST:,} characters")
    return kept
