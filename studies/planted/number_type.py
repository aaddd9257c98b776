"""In which number type a processor trains: bfloat16 where it has instructions for it, float32 elsewhere.

On a processor with AVX2 and no such instructions a step took some 65 CPU seconds in bfloat16 and 4.9 in float32.
"""

from collections.abc import Mapping
from typing import Any

from progress import note, refuse

NUMBER_TYPES = ("bfloat16", "float32")
FAST = ("avx512_bf16", "amx_bf16")  # ARM's `bf16` was not tried
NO_INSTRUCTIONS = "no bfloat16 instructions"


def fast_number_type(capabilities: Mapping[str, Any]) -> str:
    """The type to train in on a processor with these capabilities, by the names of `torch.cpu.get_capabilities()`."""
    return "bfloat16" if any(capabilities.get(name) for name in FAST) else "float32"


def processor_name(capabilities: Mapping[str, Any], vectors: str) -> str:
    """The processor, the vectors that torch uses on it, and its instructions for bfloat16."""
    found = [name for name in FAST if capabilities.get(name)]
    name = capabilities.get("cpu_name") or capabilities.get("architecture") or "unknown processor"
    return ", ".join([str(name), vectors, *(found or [NO_INSTRUCTIONS])])


def chosen_number_type(given: str | None) -> tuple[str, str]:
    """The type that is given or, without one, the one for this processor; and the processor in words. SystemExit where
    it is to be chosen, and this torch does not say what the processor can do.
    """
    import torch

    vectors = torch.backends.cpu.get_cpu_capability()
    if hasattr(torch.cpu, "get_capabilities"):
        capabilities = torch.cpu.get_capabilities()
        chosen, processor = given or fast_number_type(capabilities), processor_name(capabilities, vectors)
    elif given:
        chosen, processor = given, f"unknown processor, {vectors}"
    else:
        refuse(f"torch {torch.__version__} does not say what the processor can do: give --dtype.")
    note(f"training in {chosen} on: {processor}")
    if chosen == "bfloat16" and NO_INSTRUCTIONS in processor:
        note("bfloat16 is slow without such instructions; with AVX2 it took 13 times as long as --dtype float32")
    return chosen, processor
