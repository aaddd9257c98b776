"""Numbers of things, as people write them."""


def number_of(n: int, noun: str, plural: str = "") -> str:
    """1 item, 1,500 items, 0 replies. `plural` is for what takes more than an s: 1 item has, 3 items have."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"
