"""What stands packed in a page: the script unpacks it when somebody wants it."""

import base64
import zlib
from typing import Any

import msgspec


def packed(value: Any) -> str:
    """As JSON, deflated, in base64: no character of it stands in the page."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(value), 7)).decode("ascii")
