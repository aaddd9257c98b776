"""What is asked, in which words: the prompts of all experiments, as shipped, as one's own, and as a run keeps them."""

from selfexec.prompts.files import (
    ENGLISH,
    kept_prompts,
    prompt_faults,
    prompt_oddities,
    prompts_file,
    read_prompts,
    sets,
)
from selfexec.prompts.templates import (
    AllPrompts,
    all_prompts,
    asked_prompts,
    by_condition,
    by_name,
    digest,
    name_in,
    of_model,
    options_in,
    prompt_hashes,
    shipped_sentences,
    texts_in,
)
