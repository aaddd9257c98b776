"""Experiments of a package that is not ours, one of each kind of claims; and an engine that answers them by heart."""
