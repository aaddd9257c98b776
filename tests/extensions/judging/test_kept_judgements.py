"""Judgements that are kept: each once, on lines of their own."""

from pathlib import Path

import msgspec

from selfexec.extensions.judging.records import keep_judgements
from selfexec.runs.judgements import Judgement


def test_judgements_are_added_on_lines_of_their_own_each_once(tmp_path: Path) -> None:
    def judgement(item: str, value: bool, time: str = "t") -> Judgement:
        place = {"model": "m", "experiment": "restriction", "item": item, "session": "execute"}
        return Judgement(**place, source="judge:j", value=value, time=time, reply_sha256=64 * "0")  # type: ignore[arg-type]

    path = tmp_path / "judgements.jsonl"
    one, two, changed = judgement("1", True), judgement("2", False), judgement("1", False)
    lines = [msgspec.json.encode(judgement) for judgement in (one, two, changed)]
    keep_judgements(tmp_path, [])
    assert not path.exists()
    keep_judgements(tmp_path, [one])
    assert path.read_bytes() == lines[0] + b"\n"
    keep_judgements(tmp_path, [one, judgement("1", True, "later"), two])
    assert path.read_bytes() == lines[0] + b"\n" + lines[1] + b"\n"
    path.write_bytes(b"\n".join(lines[:2]))  # as a person may have left it
    keep_judgements(tmp_path, [changed])
    assert path.read_bytes() == b"\n".join(lines) + b"\n"
