"""Replies whose last object belongs to another prompt of the run: by its keys it judges the options of another item, or
has the form that is asked for in sessions of another kind.

Prompts and items say which keys belong where, so no other reply is needed. A model may take up the wrong form by
itself; so it is only named, and only where nothing of the object belongs to its own prompt.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from selfexec.experiments import EXPERIMENTS
from selfexec.readers import fold
from selfexec.runs.item_words import Items, listed_in
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

LEAST_OPTIONS = 2
LONGEST_OBJECT = 4_000  # characters, from the end of a text
ASKED_KEY = regex(r'"(\w+)"\s*:')


def exchanged_replies(replies: Iterable[Reply], items: Items) -> list[Reply]:
    """The replies of a model whose last object belongs to another prompt than their own."""
    options = {(name, id): {*map(fold, listed_in(item))} for name, by_id in items.items() for id, item in by_id.items()}
    places: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for place, words in options.items():
        for word in words:
            places[word].add(place)
    forms = {form for name in items for kind in EXPERIMENTS[name].prompts if (form := asked_keys(name, kind))}
    replies = [reply for reply in replies if reply.experiment in EXPERIMENTS]
    exchanged = [reply for reply in replies if _is_of_another(reply, options, places, forms)]
    # one form after all prompts is a habit of the model, or a canned text
    return exchanged if len({frozenset(last_object(reply.text or "")) for reply in exchanged}) > 1 else []


def _is_of_another(
    reply: Reply,
    options: Mapping[tuple[str, str], Collection[str]],
    places: Mapping[str, Collection[tuple[str, str]]],
    forms: Iterable[frozenset[str]],
) -> bool:
    last = last_object(reply.text or "")
    keys = {fold(key) for key in last}
    wanted = {
        *options.get((reply.experiment, reply.item), ()),
        *asked_keys(reply.experiment, reply.key.session_kind),
    }
    if not keys or not wanted.isdisjoint(keys) or reply.facets:
        return False
    if any(keys <= form for form in forms) or (is_marked(last) and not asks_for_marks(reply)):
        return True
    others = [places.get(key, ()) for key in keys]
    return len(keys) >= LEAST_OPTIONS and bool(set(others[0]).intersection(*others[1:]))


def last_object(text: str) -> Mapping[str, Any]:
    """The object with which a text ends; an empty one where there is none."""
    end = text.rfind("}") + 1
    start = text.rfind("{", max(0, end - LONGEST_OBJECT), end) if end else -1
    try:
        last = json.loads(text[start:end]) if start >= 0 else {}
    except ValueError:
        return {}
    return last if isinstance(last, dict) else {}


def is_marked(last: Mapping[str, Any]) -> bool:
    """Whether an object says yes or no to each of several options."""
    return len(last) >= LEAST_OPTIONS and all(isinstance(value, bool) for value in last.values())


def asks_for_marks(reply: Reply) -> bool:
    return "true" in EXPERIMENTS[reply.experiment].prompts.get(reply.key.session_kind, "true")


@cache
def asked_keys(experiment: str, kind: str) -> frozenset[str]:
    """The keys of the objects that the prompt of a kind of session asks for."""
    return frozenset(map(fold, ASKED_KEY.findall(EXPERIMENTS[experiment].prompts.get(kind, ""))))
