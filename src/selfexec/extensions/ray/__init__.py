"""A run over a cluster: its shards are carried out by workers wherever there is room."""

from selfexec.extension import Carrier, Extension

EXTENSION = Extension(
    carriers={
        "ray": Carrier(
            "selfexec.extensions.ray.command:over_cluster",
            "selfexec.extensions.ray.options:ray_options",
            ("ray", "shards"),
        ),
    },
)
