"""Models in this process: weights from a folder, a GGUF file or the Hugging Face hub, run by transformers."""

from selfexec.extensions.local.engine import LocalEngine
