"""Which prompts can be told again after a run, and which cannot."""

from dataclasses import replace
from pathlib import Path

import msgspec

import selfexec as sx
from selfexec.runs import Run, load
from selfexec.runs.transcripts import prompts_sent


def without_hashes(run: Run, **lost: str) -> Run:
    """A run as older versions kept it: replies tell no hash of what was sent, and some templates are only named."""
    replies = {key: msgspec.structs.replace(reply, prompt_sha256=None) for key, reply in run.replies.items()}
    manifest = msgspec.structs.replace(run.manifest, prompts={**run.manifest.prompts, **lost})
    return replace(run, replies=replies, manifest=manifest)


def test_a_prompt_whose_template_is_lost_is_not_made_up_from_the_shipped_one(tmp_path: Path) -> None:
    sx.run("sim/typical", experiments="restriction", limit=2, out=tmp_path / "run")
    run = load(tmp_path / "run")
    sent = prompts_sent(run, run.replies)
    assert None not in sent.values()
    old = without_hashes(run, **{"restriction.predict": "0" * 64})
    found = prompts_sent(old, old.replies)
    for key, prompt in found.items():
        assert prompt == (None if key.session_kind == "predict" else sent[key])
    assert {key.session_kind for key, prompt in found.items() if prompt is None} == {"predict"}
    # who imports replies says nothing of what they were asked with
    silent = replace(old, manifest=msgspec.structs.replace(old.manifest, prompts={}))
    assert set(prompts_sent(silent, silent.replies).values()) == {None}
