"""The errors that a user meets."""


class InputError(ValueError):
    """Something that was given cannot be used. The message names it, says what is wrong and the way out."""
