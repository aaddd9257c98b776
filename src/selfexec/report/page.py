"""The page: one file that opens anywhere, offline, and says what it rests on."""

import base64
import hashlib
import re
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from urllib.parse import quote, urljoin

from jinja2 import (
    ChoiceLoader,
    Environment,
    FunctionLoader,
    PackageLoader,
    StrictUndefined,
    pass_context,
)
from jinja2.runtime import Context
from markupsafe import Markup, escape

from selfexec.analysis.selection import Selection
from selfexec.analysis.words import two
from selfexec.errors import InputError
from selfexec.extension import AppendixPart, ReportFile, registered, resolve
from selfexec.report import cells
from selfexec.report.data import Data, Options
from selfexec.report.export import (
    DRAWN,
    FORMATS,
    as_csv,
    dictionary,
    export,
    lacking,
    picture_as_png,
)
from selfexec.report.packing import packed
from selfexec.report.preview import HEIGHT, WIDTH, file_names, preview
from selfexec.report.score_lines import summary_csv
from selfexec.report.sections import ABOUT, SECTIONS, TOP
from selfexec.report.svg import place
from selfexec.text.numbers import decimal, signed, typeset
from selfexec.text.printable import SCRIPT_PATTERN, harmless, in_short
from selfexec.version import __version__

LETTERS = 30  # of the longest name that is kept in one line


def page(selection: Selection, options: Options) -> str:
    """The whole page as HTML. The same selection and options give the same bytes."""
    environment, data = _environment(), Data(selection, options)
    style, script = (_source(environment, name) for name in ("style.css", "script.js"))
    if options.figures:
        _export(data)
    picture = data.preview if options.preview else None
    if picture and options.preview:
        options.preview.write_bytes(picture_as_png(picture))
    text: str = environment.get_template("page.html.j2").render(
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=data,
        top=TOP.made(data),
        sections=[(section, found) for section in SECTIONS if (found := section.made(data)) is not None],
        about=ABOUT.made(data),
        url=options.url,
        picture=urljoin(options.url, quote(options.preview.name))
        if picture and options.url and options.preview
        else None,
    )
    return text


class Templates(Environment):
    """A point leads to an attribute and nowhere else: templates have brackets for what a mapping holds, as Python has.
    There are hundreds of thousands, and Jinja's own way looks in both.
    """

    getattr = staticmethod(getattr)  # type: ignore[assignment]


@cache
def _environment() -> Environment:
    """Templates, and the words in them. They are compiled once: that takes longer than to fill them in."""
    environment = Templates(
        loader=ChoiceLoader([PackageLoader("selfexec.report"), FunctionLoader(_source_in_extension)]),
        autoescape=True,
        finalize=cells.shown_as,  # whatever the page says passes here, names and errors among it
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    numbers = {"decimal": decimal, "two": two, "signed": signed}
    environment.filters |= {name: _typeset(say) for name, say in numbers.items()}
    environment.filters |= {"count": "{:,}".format, "typeset": typeset}
    environment.filters |= {**cells.FILTERS, "prose": _prose}
    environment.filters["pack"] = lambda html: packed(str(html))
    environment.filters["packed_table"] = lambda figure: packed(as_csv(figure))
    environment.filters["packed_narrow"] = lambda figure: packed(figure.narrow)
    environment.globals |= {"at": place, "short": in_short}
    environment.globals |= {"picture_width": WIDTH, "picture_height": HEIGHT}
    environment.globals |= {"unseen": SCRIPT_PATTERN, "version": __version__}
    return environment


def _source_in_extension(name: str) -> str | None:
    """The template of an extension, called "package/file"; None where no extension has such a package."""
    package, _, file = name.partition("/")
    added: Mapping[str, AppendixPart] = registered("appendix")
    if package not in {part.template.partition("/")[0] for part in added.values()}:
        return None
    return resources.files(package).joinpath("templates", file).read_text("utf-8")


def _typeset(say: Callable[..., str]) -> Callable[..., str]:
    return lambda *value: typeset(say(*value))


@pass_context
def _prose(context: Context, text: str) -> Markup:
    """A sentence from left to right, whatever letters the names of models and the quotes in it have. Short names and
    intervals are not torn apart at the end of a line, and commands and names of files stand as code.
    """
    parts = _whole(context["data"].models).split(text)
    said = (_isolated(part) if n % 2 else escape(harmless(typeset(part))) for n, part in enumerate(parts))
    return Markup('<bdi dir="ltr">{}</bdi>').format(Markup("").join(said))


def _isolated(text: str) -> Markup:
    if text.startswith("`"):
        return Markup("<code>{}</code>").format(harmless(text.strip("`")))
    shown = typeset(text) if text.startswith("[") else text
    return Markup("<bdi{}>{}</bdi>").format(Markup(' class="nb"') if len(text) <= LETTERS else "", harmless(shown))


@cache
def _whole(models: tuple[str, ...]) -> re.Pattern[str]:
    """What stands for itself: code, intervals, quotes, and names of models."""
    names = "|".join(re.escape(name) for name in sorted(models, key=len, reverse=True))
    return re.compile(rf"(`[^`<>]+`|(?<![\w/-])(?:{names})(?![\w/-])|(?<=“)[^”]+(?=”)|\[[-+\d.]+, [-+\d.]+\])")


def _source(environment: Environment, name: str) -> str:
    assert environment.loader
    source: str = environment.loader.get_source(environment, name)[0]
    return source


def _export(data: Data) -> None:
    """Figures and tables as files of their own."""
    folder, only = data.options.figures, data.options.figure
    assert folder
    if said := lacking():
        warnings.warn(f"{said}. The other formats are written", stacklevel=3)
    drawings, pictures = data.drawings, _pictures(data)
    if only is not None:
        known = [*(figure.id for figure in drawings), *pictures]
        if only not in known:
            raise InputError(f"--figure {only}: there is no such figure of these runs. There are {', '.join(known)}.")
        drawings, pictures = [f for f in drawings if f.id == only], {n: p for n, p in pictures.items() if n == only}
    export(drawings, folder, [form for form in FORMATS if not (said and form in DRAWN)], data.options.figure_width)
    for name, picture in pictures.items():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8", newline="\n")
        if not said:
            (folder / f"{name}.png").write_bytes(picture_as_png(picture))
    if only is not None:
        return
    texts: dict[str, str | None] = {
        "scores.csv": data.scores.csv() + "\n",
        "summary.csv": summary_csv(data.lines),
        "columns.csv": dictionary(drawings),
    }
    added: Mapping[str, ReportFile] = registered("report_files")
    texts |= {name: resolve(file.place)(data) for name, file in added.items()}
    for name, text in texts.items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _pictures(data: Data) -> dict[str, str]:
    """Of all models, and of each, by the names of their files."""
    if not (front := data.front):
        return {}
    names = file_names(front.models)
    return {"preview": preview(front)} | {f"preview-{names[model]}": preview(front, model) for model in front.models}
