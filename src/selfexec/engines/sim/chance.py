"""Numbers that look random and depend on nothing but what they are about."""

from hashlib import blake2b

EVERYONE = "everyone"  # whose draws all simulated models share: models in general


def draw(*about: object) -> float:
    """A number in [0, 1), always the same for the same words."""
    digest = blake2b("\x1f".join(map(str, about)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
