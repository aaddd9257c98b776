"""A run over a cluster: its shards are carried out by workers wherever there is room."""

from selfexec.extensions.ray.ray import carry_out_over
