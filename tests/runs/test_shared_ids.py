"""Replies that share an id are named where others have their own."""

from selfexec.runs.reply import Reply
from selfexec.runs.shared_ids import with_one_id


def reply(n: int, id: str | None) -> Reply:
    return Reply(model="m", experiment="restriction", item=str(n), session="execute", text=f"{n}", completion_id=id)


OWN = [reply(n, f"id-{n}") for n in range(20)]


def test_three_replies_with_one_id_are_named_where_more_have_their_own() -> None:
    shared = [reply(n, "one") for n in range(30, 33)]
    assert with_one_id([*OWN, *shared]) == shared
    assert with_one_id([*OWN, *shared[:2]]) == []


def test_a_server_that_gives_one_id_to_all_or_none_says_nothing() -> None:
    assert with_one_id([reply(n, "one") for n in range(30)]) == []
    assert with_one_id([reply(n, None) for n in range(30)]) == []
    assert with_one_id([*OWN[:7], *(reply(n, "one") for n in range(30, 33))]) == []
    assert with_one_id([*OWN[:10], *(reply(n, "one") for n in range(30, 40))]) == []
