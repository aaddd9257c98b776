"""The formats that providers speak: how to ask, and what an answer means. One file each; to add one, write it, give it
a name in `engines.base.Wire`, an ending and a key header in `providers`, and list it here.
"""

from collections.abc import Mapping

from selfexec.engines.http.wires.anthropic import ANTHROPIC, ANTHROPIC_MAX_TOKENS
from selfexec.engines.http.wires.base import LONGEST_NAME, Habit, UnreadableReply, UnusableReply, Wire, listing
from selfexec.engines.http.wires.chat import CHAT
from selfexec.engines.http.wires.gemini import GEMINI
from selfexec.engines.http.wires.responses import RESPONSES
from selfexec.engines.http.wires.streams import Stream

WIRES: Mapping[str, Wire] = {"openai": CHAT, "responses": RESPONSES, "anthropic": ANTHROPIC, "gemini": GEMINI}
