"""A run over a cluster: its shards are carried out by workers wherever there is room."""

from selfexec.extension import Extension

EXTENSION = Extension()
