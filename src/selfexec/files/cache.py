"""Where selfexec keeps what it may need again on this machine."""

import os
import sys
from pathlib import Path


def cache_root() -> Path:
    """$SELFEXEC_CACHE, else the user's cache folder of this platform."""
    if chosen := os.environ.get("SELFEXEC_CACHE"):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "selfexec" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "selfexec"
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # the XDG specification tells us to ignore a relative path, and an unset or empty one
    return (xdg if xdg.is_absolute() else Path.home() / ".cache") / "selfexec"
