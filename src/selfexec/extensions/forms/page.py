"""A form as one page that asks nothing of any network: questions as data, and the script that shows them."""

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from selfexec.extensions.forms.questions import MARK, Question, Round
from selfexec.facets import addressed

TITLES: dict[Round, str] = {"predict": "What would you do?", "execute": "Now do it"}
ABOUT_ANOTHER = "What will they do?"


def page(questions: Sequence[Question], form_round: Round) -> str:
    """The page. The same questions give the same bytes."""
    style, script = _template("form.css"), _template("form.js")
    about_another = all(addressed(tuple(question.facets.items())) for question in questions)
    asked = [_as_data(question) for question in questions]
    name = hashlib.sha256(json.dumps([form_round, asked]).encode()).hexdigest()[:16]
    data = {"form": name, "round": form_round, "questions": asked}
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_template("form.html.j2")).render(
        title=ABOUT_ANOTHER if about_another else TITLES[form_round],
        round=form_round,
        about_another=about_another,
        style=Markup(style),
        style_hash=_hash(style),
        script=Markup(script),
        script_hash=_hash(script),
        data=Markup(json.dumps(data).replace("<", "\\u003c")),  # ASCII alone, and no end tag
    )


def _template(name: str) -> str:
    return resources.files("selfexec.extensions.forms").joinpath("templates", name).read_text("utf-8")


def _hash(source: str) -> str:
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _as_data(question: Question) -> dict[str, Any]:
    """A question as the script takes it. `about` alternates: a text, a session whose reply stands there, a text."""
    kind, key, options, words = question.field
    return {
        "experiment": question.experiment,
        "item": question.item,
        "session": question.session,
        "facets": dict(question.facets),
        "ask": question.ask,
        "about": MARK.split(question.about),
        "needs": list(question.needs),
        "field": {"kind": kind, "key": key, "options": list(options.items()), "words": words},
    }
