"""Probabilities and expected tokens: what a reply states of one claim, of several options, of several questions."""
