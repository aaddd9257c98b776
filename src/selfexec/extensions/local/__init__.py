"""Models in this process: weights from a folder, a GGUF file or the Hugging Face hub, run by transformers."""

from selfexec.extension import Extension

EXTENSION = Extension(engines={"local": "selfexec.extensions.local.engine_type:LOCAL"})
