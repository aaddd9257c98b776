"""How many generated examples are tried: a quarter of them by the plain test command, all where CI is set, as it is on
GitHub and by `CI=1 python -m pytest`.
"""

import os

WHOLE = bool(os.environ.get("CI"))


def examples(whole: int) -> int:
    """Of so many examples as many as are tried here."""
    return whole if WHOLE else max(5, whole // 4)
