"""Replies with words of another prompt of the run and none of their own: whole replies that were exchanged on the way.

What counts are words that one item alone has. A reply may well do without those of its own item, and a model may come
to speak of anything; so several words of one other item have to stand in it, and several replies have to be so.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from selfexec.readers import fold
from selfexec.runs.item_words import Items, texts_in
from selfexec.runs.reply import Reply
from selfexec.text.regex import regex

LEAST_REPLIES, LEAST_SHARE = 2, 0.005
LEAST_OWN, LEAST_OTHER = 2, 3  # words that an item alone has, and of one other item in a reply
LONGEST = 4_000  # characters of a text that are looked through
WORD = regex(r"[^\W\d_]{4,}")
Place = tuple[str, str]  # an experiment, and the id of an item


def exchanged_words(replies: Iterable[Reply], items: Items) -> list[Reply]:
    """The replies of a model that have several words which one other item alone has, and none of their own item's."""
    own, place_of = _words_of_one(items)
    came = [reply for reply in replies if reply.text and len(own.get((reply.experiment, reply.item), ())) >= LEAST_OWN]
    exchanged = [reply for reply in came if _is_of_another(reply, own, place_of)]
    return exchanged if len(exchanged) >= max(LEAST_REPLIES, LEAST_SHARE * len(came)) else []


def _words_of_one(items: Items) -> tuple[Mapping[Place, list[str]], Mapping[str, Place]]:
    """The words that an item alone has, by item; and whose each is."""
    words = {
        (name, id): {*WORD.findall(fold("\n".join(texts_in(item))))}
        for name, by_id in items.items()
        for id, item in by_id.items()
    }
    times = Counter(word for those in words.values() for word in those)
    own = {place: [word for word in those if times[word] == 1] for place, those in words.items()}
    return own, {word: place for place, those in own.items() for word in those}


def _is_of_another(reply: Reply, own: Mapping[Place, list[str]], place_of: Mapping[str, Place]) -> bool:
    text = fold((reply.text or "")[:LONGEST])
    place = (reply.experiment, reply.item)
    if any(word[:-1] in text for word in own[place]):  # also in another form
        return False
    others = Counter(place_of[word] for word in {*WORD.findall(text)} if word in place_of)
    return any(number >= LEAST_OTHER for (experiment, _), number in others.items() if experiment == reply.experiment)
