"""What is asked, in which words: the prompts of all experiments, as shipped, as one's own, and as a run keeps them."""

from selfexec.prompts.templates import (
    ENGLISH,
    AllPrompts,
    all_prompts,
    asked_prompts,
    by_condition,
    by_name,
    digest,
    kept_prompts,
    name_in,
    of_model,
    options_in,
    prompt_faults,
    prompt_hashes,
    prompt_oddities,
    prompts_file,
    read_prompts,
    sets,
    shipped_sentences,
    texts_in,
)
