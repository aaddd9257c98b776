"""A server that knows nothing of us, with odd but legal habits, is asked as any other."""

import subprocess
import sys
from pathlib import Path

import foreign_server
import selfexec as sx
from selfexec.runs.transcripts import prompts_sent


def test_every_reply_of_a_foreign_server_is_kept_as_it_was_sent(tmp_path: Path) -> None:
    command = [sys.executable, foreign_server.__file__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            run = sx.run("vllm/m", base_url=server.stdout.readline().strip(), limit=4, out=tmp_path / "run")
        finally:
            server.terminate()
    assert len(run.replies) == 40 and not any(reply.failed for reply in run.replies.values())
    sent = prompts_sent(run, run.replies)
    for key, reply in run.replies.items():
        assert reply.text == foreign_server.reply(sent[key])
        assert reply.output_tokens == len(reply.text) // 4 + 1 and reply.input_tokens is None
        assert reply.served_model == "m@foreign-7"
