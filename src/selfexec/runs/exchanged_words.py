"""Replies with words of another prompt of the run and none of their own: whole replies that were exchanged on the way.

A reply may well do without the words of its own prompt, as refusals do, and a model may come to speak of anything. So a
reply counts only where it has none of the words by which its item differs from most others, and several of one other
item; and where the reply to that item has none of its own either, as when two changed places, or each went to the next.
Words that several items or many such replies have do not count.

Of 34,760 recorded replies of ten models 17 are so, at most 3 of 449 in one kind of session of a model. Where 7 of 24
replies to requests are exchanged it is seen in 83 of 100 trials, and in none where none is.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from selfexec.experiments import Key
from selfexec.readers import fold
from selfexec.runs.item_words import Items, stems_in, texts_in
from selfexec.runs.reply import Reply

LEAST_REPLIES, LEAST_SHARE = 2, 0.035  # of the replies in one kind of session
LEAST_OTHER = 2  # words of one other item in a reply
LEAST_AHEAD = 1  # more of these than of such of its own as many items have
MOST_ITEMS, MOST_REPLIES = 0.04, 0.01  # how many of all have a word that counts
LONGEST = 4_000  # characters of a text that are looked through


def exchanged_words(replies: Iterable[Reply], items: Items) -> list[Reply]:
    """The replies of a model that have several words which another item has, and none of their own item's."""
    kinds: dict[Key, dict[str, Reply]] = defaultdict(dict)
    for reply in replies:
        if reply.text and reply.item in items.get(reply.experiment, {}):
            kinds[reply.key._replace(item="")][reply.item] = reply
    words = {(name, id): stems_in("\n".join(texts_in(item))) for name, of in items.items() for id, item in of.items()}
    exchanged: list[Reply] = []
    for kind, by_item in kinds.items():
        those = list(_exchanged(by_item, {id: words[kind.experiment, id] for id in by_item}))
        exchanged += those if len(those) >= max(LEAST_REPLIES, LEAST_SHARE * len(by_item)) else []
    return exchanged


def _exchanged(by_item: Mapping[str, Reply], words: Mapping[str, set[str]]) -> Iterator[Reply]:
    """Of the replies in one kind of session, by item: those about another item whose own reply is elsewhere, too."""
    times = Counter(word for those in words.values() for word in those)
    most = max(1, MOST_ITEMS * len(words))
    own = {id: {word for word in those if times[word] <= most} for id, those in words.items()}
    texts = {id: fold((reply.text or "")[:LONGEST]) for id, reply in by_item.items()}
    astray = {id: stems_in(text) for id, text in texts.items() if own[id] and not any(map(text.__contains__, own[id]))}
    of_replies = Counter(word for those in astray.values() for word in those)
    whose: dict[str, list[str]] = defaultdict(list)
    for id in astray:
        for word in own[id]:
            if of_replies[word] <= max(2, MOST_REPLIES * len(words)):
                whose[word].append(id)
    for id, those in astray.items():
        others = Counter(other for word in those for other in whose.get(word, ()) if other != id)
        if max(others.values(), default=0) >= max(LEAST_OTHER, LEAST_AHEAD + len(those & words[id])):
            yield by_item[id]
