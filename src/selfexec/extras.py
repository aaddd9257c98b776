"""How an extra is installed: by a command that works for the way in which this package was installed itself."""

import json
import shlex
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

NAME = "selfexec"


def to_install(extra: str) -> str:
    """The command that adds an extra to this installation, such as "pip install 'selfexec[local]'".

    A package from a folder or a repository may not be on the index, or be another one there: the command names that
    folder or repository.
    """
    try:
        recorded = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    return f"pip install {_source(json.loads(recorded) if recorded else {}, extra)}"


def _source(origin: dict[str, Any], extra: str) -> str:
    """What pip is given. `origin` is the installation's direct_url.json (PEP 610); empty for one from an index."""
    url, plain = str(origin.get("url", "")), shlex.quote(f"{NAME}[{extra}]")
    if url.startswith("file:"):
        place = Path(url2pathname(urlsplit(url).path))
        editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
        return f"{editable}{shlex.quote(f'{place}[{extra}]')}" if place.exists() else plain
    if "vcs_info" in origin:
        revision = origin["vcs_info"].get("requested_revision")
        url = f"{origin['vcs_info']['vcs']}+{url}" + (f"@{revision}" if revision else "")
    return shlex.quote(f"{NAME}[{extra}] @ {url}") if url else plain
