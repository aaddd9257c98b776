"""`selfexec serve`, whose replies also say `total_tokens`: `python benchmarks/server.py serve [--latency 0.05]`.

Every real server says it, and Inspect AI takes no reply without it.
"""

from typing import Any
from unittest.mock import patch

from selfexec import serve
from selfexec.cli import main

completion = serve._completion


def with_total(*arguments: Any) -> dict[str, Any]:
    whole = completion(*arguments)
    if usage := whole.get("usage"):
        usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    return whole


if __name__ == "__main__":
    with patch.object(serve, "_completion", with_total):
        main()
