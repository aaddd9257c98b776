"""The prompts of all experiments: as shipped, with some replaced by those of a file, and as a run keeps them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from selfexec.errors import InputError
from selfexec.experiments import EXPERIMENTS, Experiment, Message, Options, Prompt, Prompts
from selfexec.facets import (
    FACETS,
    HISTORY,
    Condition,
    condition_name,
    condition_named,
    conditions_of,
    prompts_in,
    put,
    touching,
)
from selfexec.renamed import new_name, with_new_names
from selfexec.text.printable import command_line
from selfexec.text.regex import regex

KEY_ASKED_FOR = regex(r'\{"(\w+)": ')  # in a template's form of the answer
ENGLISH = "en"  # the prompts in the files of the experiments
AllPrompts = Mapping[str, Prompts]  # experiment -> its templates; facet -> what it puts into some


def all_prompts(changed: Mapping[str, str]) -> AllPrompts:
    """Every experiment's templates, the sentences of their options, and the texts of facets, with some replaced;
    `changed` goes from 'restriction.predict' to a template, from 'restriction.predict.A' to a sentence, from
    'restriction.predict@frame' to what a facet puts in its place, from 'frame.person' to what that is filled in with.
    'restriction.predict@frame=person', as a run keeps it, is what is asked in that condition.
    """
    prompts = {
        **{name: dict(facet.texts) for name, facet in FACETS.items() if facet.texts},
        **{
            name: {**definition.prompts, **_sentences(definition), **definition.variants}
            for name, definition in EXPERIMENTS.items()
        },
    }
    if not changed:
        return prompts
    known = by_name(prompts)
    for name, template in changed.items():
        if new_name(name) != name:
            raise InputError(f"prompt {name!r}: it is called {new_name(name)!r} now.")
        original = _original(name, known)
        if original is None:
            raise InputError(f"prompt {name!r}: there is no such prompt. There are {', '.join(known)}.")
        of, _, session = name.partition(".")
        prompts[of][session] = _checked(name, template, original)
    for name in _unfit(known, changed):
        of, _, session = name.partition(".")
        del prompts[of][session]
    return prompts


def _original(name: str, known: Mapping[str, str]) -> str | None:
    """The text as shipped that one of this name stands in place of: of a name with a condition, what is asked in that
    condition, and of one model's own, the same with its history put in. None: there is no such text.
    """
    plain, _, condition = name.partition("@")
    if "=" not in condition:
        return known.get(name)
    experiment, _, kind = plain.partition(".")
    if experiment not in EXPERIMENTS or plain not in known:
        return None
    of_experiment = {key.removeprefix(f"{experiment}."): text for key, text in known.items()}
    levels, _, model = condition.partition(MODEL)
    asked = prompts_in(condition_named(levels), experiment, of_experiment)[kind]
    return put(asked, HISTORY, "") if model else asked


def _unfit(known: Mapping[str, str], changed: Mapping[str, str]) -> Iterator[str]:
    """What facets put into templates as shipped, where that does not go with what is changed: a template of other words
    takes another variant, and what one facet puts in is all in one language.
    """
    other = {name for name, text in changed.items() if known.get(name, text) != text}
    for name in known.keys() - changed.keys():
        plain, _, facet = name.partition("@")
        facet = facet or (plain.partition(".")[0] if plain.partition(".")[0] in FACETS else "")
        retold = any(one.startswith(f"{facet}.") or one.endswith(f"@{facet}") for one in other)
        if facet and (retold or plain in other):
            yield name


def _checked(name: str, template: str, original: str) -> str:
    if not isinstance(template, str):
        raise InputError(f"prompt {name!r}: it must be text. Leave it out to ask as shipped.")
    if not template.strip():
        raise InputError(f"prompt {name!r}: it is empty. Leave it out to ask as shipped.")
    if not Template(template).is_valid():
        raise InputError(f"prompt {name!r}: a stray $. Write $$ for a dollar sign.")
    wanted, found = set(Template(original).get_identifiers()), set(Template(template).get_identifiers())
    if wanted != found:
        names = ", ".join(f"${w}" for w in sorted(wanted))
        raise InputError(f"prompt {name!r}: it must contain {names}, each at least once, and nothing else with a $.")
    return template


def _sentences(experiment: Experiment) -> Prompts:
    return {
        f"{kind}.{letter}": said for kind, options in experiment.options.items() for letter, said in options.items()
    }


def shipped_sentences(experiments: Iterable[str]) -> dict[str, str]:
    """What letters stand for as shipped, by 'restriction.predict.A': a run keeps them only where they are others."""
    return by_name({experiment: _sentences(EXPERIMENTS[experiment]) for experiment in experiments})


def options_in(texts: Mapping[str, str | None], experiment: str, kind: str) -> Options | None:
    """What the letters of a kind of session stand for, where these texts have it otherwise than it is shipped."""
    shipped = EXPERIMENTS[experiment].options.get(kind, {})
    told = {letter: texts.get(f"{experiment}.{kind}.{letter}") or said for letter, said in shipped.items()}
    return None if told == shipped else told


def by_name(prompts: AllPrompts) -> dict[str, str]:
    """Templates by 'restriction.predict' and so on, sentences by 'restriction.predict.A'."""
    return {f"{e}.{session}": template for e, templates in prompts.items() for session, template in templates.items()}


def digest(prompt: Prompt) -> str:
    """SHA-256 of a prompt: of the text of a single user message, else of the messages as JSON, keys sorted and without
    blanks.
    """
    text = prompt if isinstance(prompt, str) else _canonical(prompt)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(messages: Sequence[Message]) -> str:
    if len(messages) == 1 and messages[0].role == "user":
        return messages[0].content
    plain = [{"content": message.content, "role": message.role} for message in messages]
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def prompt_hashes(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: digest(template) for name, template in texts.items()}


def by_condition(
    prompts: AllPrompts, experiments: Iterable[str], conditions: Sequence[Condition]
) -> Mapping[str, Mapping[Condition, Prompts]]:
    """By experiment: the conditions that are distinguished in it, and the templates that are asked with in each."""
    if not any(conditions):  # no facet changes a prompt
        return {e: {c: _plain(e, prompts[e]) for c in conditions[:1]} for e in experiments}
    of_facets = by_name({name: texts for name, texts in prompts.items() if name not in EXPERIMENTS})
    return {
        e: {c: prompts_in(c, e, {**of_facets, **prompts[e]}) for c in conditions_of(conditions, e)} for e in experiments
    }


def _plain(experiment: str, prompts: Prompts) -> Prompts:
    """The templates of an experiment as no facet changes them, and the sentences of its options."""
    kinds = EXPERIMENTS[experiment].prompts
    return {name: text for name, text in prompts.items() if "@" not in name and name.partition(".")[0] in kinds}


def asked_prompts(prompts: AllPrompts, experiments: Iterable[str], conditions: Sequence[Condition]) -> dict[str, str]:
    """Templates by name as they are asked with: where a condition changes one, under a name of its own."""
    asked = by_condition(prompts, experiments, conditions)
    named = {
        name_in(condition, experiment, kind): template
        for experiment, by_its_condition in asked.items()
        for condition, templates in by_its_condition.items()
        for kind, template in templates.items()
    }
    plain, ours = by_name(prompts), shipped_sentences(asked)
    told = {name: text for name, text in named.items() if "@" not in name or text != plain[name.partition("@")[0]]}
    return {name: text for name, text in told.items() if ours.get(name) != text}


def texts_in(texts: Mapping[str, str | None], condition: Condition) -> dict[str, str | None]:
    """Those of these texts that are asked with in a condition, by their plain names."""
    found: dict[str, str | None] = {}
    for name, text in texts.items():
        plain = name.partition("@")[0]
        experiment, kind = plain.split(".")[:2]
        wanted = name_in(condition, experiment, kind)
        if name == wanted or (name == plain and wanted not in texts):
            found[plain] = text
        elif name.startswith(f"{wanted}{MODEL}"):
            found[of_model(plain, name.removeprefix(f"{wanted}{MODEL}"))] = text
    return found


MODEL = "#"  # before the name of the model that a text is for


def of_model(name: str, model: str) -> str:
    """What a text is called that one model alone is asked with."""
    return f"{name}{MODEL}{model}"


def name_in(condition: Condition, experiment: str, kind: str) -> str:
    """What the template of a kind of session is called in a condition."""
    part = touching(condition, experiment, kind) if condition else condition
    return f"{experiment}.{kind}@{condition_name(part)}" if part else f"{experiment}.{kind}"


# --- in files of one's own -------------------------------------------------------------------------------------------


def sets() -> dict[str, Path]:
    """The sets of prompts that are shipped beside the English ones, by the language that is their name."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob("*.json"))}


def read_prompts(given: str | Path) -> dict[str, Any]:
    """What a set or a file for `--prompts` has, by name."""
    if given == ENGLISH:
        return {}
    path = sets().get(str(given), Path(given))
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file, and no set of prompts ({', '.join([ENGLISH, *sets()])}). "
            f"`{command_line('prompts > {}', path)}` writes one to edit."
        ) from None
    except OSError as fault:
        raise InputError(f"{path}: cannot be read ({fault.strerror}). Give a file like `selfexec prompts`.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8. Save the file as UTF-8.") from None
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{path}: not valid JSON ({fault}). It must be one object, like `selfexec prompts`.") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: it must be one JSON object, like `selfexec prompts` prints.")
    return found | _translated(given)


def _translated(name: str | Path) -> dict[str, str]:
    """What facets put into templates in the words of a set that ships, where they bring it themselves."""
    by_facet = {facet.name: facet.translations.get(str(name), {}) for facet in FACETS.values()}
    return {f"{facet}.{what}": text for facet, texts in by_facet.items() for what, text in texts.items()}


def prompt_faults(given: Mapping[str, Any]) -> Iterator[str]:
    """What no run could ask with, prompt by prompt."""
    for name, text in given.items():
        try:
            all_prompts({name: text})
        except InputError as fault:
            yield str(fault)


def prompt_oddities(given: Mapping[str, str]) -> Iterator[str]:
    """What may be meant, and mostly is not: a prompt that asks for another key than readers look for first."""
    shipped = by_name(all_prompts({}))
    for name, text in given.items():
        for key in KEY_ASKED_FOR.findall(shipped.get(name, "")):
            if f'"{key}"' not in text:
                yield f"{name} does not ask for the key {key!r}, which readers look for first"
    texts = {**shipped, **given}
    for experiment, definition in EXPERIMENTS.items():
        for kind, options in definition.options.items():
            in_letters = [kind, *(name for name in definition.variants if _asks_for_letters(definition, kind, name))]
            for letter in options:
                said = f"{experiment}.{kind}.{letter}"
                for name in (f"{experiment}.{variant}" for variant in in_letters):
                    if texts[said] not in texts[name]:
                        yield f"{name} does not hold the sentence of {letter} ({said}), by which replies are read"


def _asks_for_letters(definition: Experiment, kind: str, variant: str) -> bool:
    """Whether a variant is one of this kind of session that is answered as the plain prompt is, and not in another form
    (`predict@elicit`).
    """
    plain, _, facets = variant.partition("@")
    otherwise = {form.partition("=")[0] for form in definition.read_otherwise}
    return plain == kind and otherwise.isdisjoint(facets.split(","))


# --- in a run's folder -----------------------------------------------------------------------------------------------


def kept_prompts(path: Path, asked: Mapping[str, str]) -> dict[str, str | None]:
    """The templates that a run asked with, by name, as far as they are known: from its file, or as shipped where the
    SHA-256 in `asked` is that of the shipped one. None: not kept.
    """
    candidates = [_kept_texts(path), by_name(all_prompts({}))]
    return {
        name: next((texts[name] for texts in candidates if name in texts and digest(texts[name]) == sha256), None)
        for name, sha256 in asked.items()
    }


def prompts_file(texts: Mapping[str, str | None]) -> bytes:
    """The known ones of these templates as a file that `--prompts` takes, sorted by name."""
    known = {name: text for name, text in sorted(texts.items()) if text is not None}
    return msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n"


def _kept_texts(path: Path) -> dict[str, str]:
    try:
        return msgspec.convert(with_new_names(msgspec.json.decode(path.read_bytes())), type=dict[str, str])
    except FileNotFoundError:
        return {}  # runs of versions that kept only hashes
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise InputError(f"{path}: not a JSON object of texts. Restore it, or remove it.") from None
