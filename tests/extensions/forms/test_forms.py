"""Forms for people, filled in by a script in a browser: what comes of them is a run, and nothing leaves the page."""

import json
import os
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from browser import Browser
from selfexec.cli import root
from selfexec.errors import InputError

FIRST = {  # a question's first possible answer, given as a finger or a mouse gives it
    "marks": "q.querySelector('[name=mark]').click()",
    "choice": "q.querySelector('[type=radio]').click()",
    "order": "[2, 0, 3].forEach(n => q.querySelectorAll('.card button')[n].click())",
    "words": "put([...q.querySelectorAll('[type=text]')], ['apple', 'river', 'stone', 'cloud', 'paper'])",
    "text": "put([q.querySelector('textarea')], ['Gladly: it is on the left.'])",
}
ANSWER = f"""(() => {{
    const q = document.getElementById('question');
    const put = (inputs, texts) => inputs.forEach((input, n) => {{
        input.value = texts[n]; input.dispatchEvent(new Event('input'));
    }});
    const kind = q.querySelector('[name=mark]') ? 'marks' : q.querySelector('[type=radio]') ? 'choice'
        : q.querySelector('.card') ? 'order' : q.querySelector('textarea') ? 'text' : 'words';
    ({{ {", ".join(f"{kind}: () => {act}" for kind, act in FIRST.items())} }})[kind]();
    document.getElementById('next').click();
    return kind;
}})()"""
WARNS = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))"  # before the page is left
ASKING, ENDED = "!document.getElementById('ask').hidden", "!document.getElementById('end').hidden"


def selfexec(*arguments: str | Path) -> str:
    result = CliRunner().invoke(root, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def load_form(browser: Browser, page: Path, width: int = 390, *, dark: bool = False) -> None:
    """Load a form; the log and the requests start empty."""
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=width < 500)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.call("Emulation.setEmulatedMedia", media="", features=[scheme])
    browser.navigate("about:blank")
    browser.log.clear()
    browser.requests.clear()
    browser.navigate(page.resolve().as_uri())
    browser.until("document.readyState === 'complete' && document.getElementById('start')?.hidden === false")


def open_form(browser: Browser, page: Path, width: int = 390, *, dark: bool = False) -> None:
    """The same where nothing was answered before."""
    load_form(browser, page, width, dark=dark)
    browser.js("window.confirm = () => true; document.getElementById('wipe').click()")


def begin(browser: Browser, name: str = "blue-fox") -> None:
    browser.js(
        f"document.getElementById('pseudonym').value = {json.dumps(name)}; document.getElementById('go').click()"
    )


def fill_in(browser: Browser) -> list[str]:
    """Answer every question, none of which is wider than the window; the kinds of questions that there were."""
    kinds = []
    while browser.js(ASKING):
        assert browser.js("document.documentElement.scrollWidth <= innerWidth")
        kinds.append(browser.js(ANSWER))
        assert len(kinds) < 100
    return kinds


def answers(browser: Browser) -> str:
    text: str = browser.js("document.getElementById('lines').value")
    return text


def untimed(lines: str) -> list[dict[str, object]]:
    """Saved answers without their seconds, which go on while a question is looked at again."""
    return [{**json.loads(line), "seconds": None} for line in lines.splitlines()]


def give_saved(browser: Browser, text: str) -> None:
    """Choose a saved file to continue with."""
    browser.js(f"""(() => {{
        const data = new DataTransfer();
        data.items.add(new File([{json.dumps(text)}], 'saved.jsonl'));
        const input = document.getElementById('saved');
        input.files = data.files;
        input.dispatchEvent(new Event('change'));
    }})()""")


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forms") / "ten"
    selfexec("export", "--to", "form", "-o", folder)
    return folder


def test_both_forms_filled_in_on_a_phone_give_a_run_with_scores_and_no_request(
    browser: Browser, forms: Path, tmp_path: Path
) -> None:
    for name in ("predict", "execute"):
        open_form(browser, forms / f"{name}.html")
        begin(browser)
        kinds = fill_in(browser)
        assert browser.js("document.documentElement.scrollWidth") == 390
        assert browser.log == [] and all(url.startswith("file:") for url in browser.requests)
        (tmp_path / f"{name}.jsonl").write_text(answers(browser))
        # 10 items; or 4 lists of words, 3 requests with a judgement each, 3 x 4 questions
        assert len(kinds) == {"predict": 10, "execute": 4 + 3 * 2 + 3 * 4}[name]
    run, items = tmp_path / "people", forms / "items"
    screen = selfexec("import", tmp_path / "predict.jsonl", "--items", items, "-o", run)
    assert "THE-OTHER-FORM.jsonl" in screen
    assert "0 sessions missing" in selfexec("import", tmp_path / "execute.jsonl", "-o", run)
    assert "A person filled in a form: no score here describes a model." in selfexec("score", run)
    scores = sx.score(run)
    assert scores.runs[0].people == ("person/blue-fox",)
    found = {row.experiment: row.value for row in scores if row.metric == "coverage" and row.experiment}
    assert found == {"association": 1.0, "restriction": 1.0, "difficulty": 1.0}
    accuracy = next(r.value for r in scores if r.metric == "accuracy" and r.experiment == "restriction")
    assert accuracy == 1.0  # "yes, I would answer", an answer, "yes, it does": three times


def test_the_keyboard_alone_is_enough(browser: Browser, forms: Path) -> None:
    open_form(browser, forms / "predict.html", 1280)
    browser.js("document.getElementById('pseudonym').focus()")
    browser.call("Input.insertText", text="blue-fox")
    browser.press("Enter", 13)
    for _ in range(10):
        assert browser.js(ASKING)
        presses = 3 if browser.js("document.querySelectorAll('#question .card').length") else 1
        for _ in range(presses):  # Tab to the next control that is not yet chosen, and press it
            for _ in range(12):
                browser.press("Tab", 9)
                control = "document.activeElement.matches('#question input, #question .card:not(.placed) button')"
                if browser.js(control):
                    break
            assert browser.js(control)
            browser.press(" ", 32)
        for _ in range(12):
            if browser.js("document.activeElement.id === 'next'"):
                break
            browser.press("Tab", 9)
        browser.press("Enter", 13)
    assert browser.js(ENDED) and len(answers(browser).splitlines()) == 10


def test_a_reload_loses_nothing_and_a_saved_file_continues_elsewhere(browser: Browser, forms: Path) -> None:
    open_form(browser, forms / "predict.html")
    begin(browser)
    for _ in range(4):
        browser.js(ANSWER)
    assert not browser.js(WARNS)
    load_form(browser, forms / "predict.html")
    assert "blue-fox" in browser.js("document.getElementById('kept').textContent")
    browser.js("document.getElementById('go').click()")
    assert browser.js("document.getElementById('count').textContent") == "5 of 10"
    browser.js("document.getElementById('pause').click()")
    half = answers(browser)
    assert len(half.splitlines()) == 4
    browser.js("window.confirm = () => true; document.getElementById('wipe').click()")
    give_saved(browser, half)
    browser.until("document.getElementById('kept').textContent.includes('blue-fox')")
    browser.js("document.getElementById('go').click()")
    assert len(fill_in(browser)) == 6
    assert untimed(answers(browser))[:4] == untimed(half)


def test_a_saved_file_that_no_such_form_wrote_is_refused_and_changes_nothing(browser: Browser, forms: Path) -> None:
    open_form(browser, forms / "predict.html")
    begin(browser)
    fill_in(browser)
    saved = answers(browser)
    last = json.loads(saved.splitlines()[-1])
    order = {**last, "text": json.dumps({key: ["A"] * 4 for key in json.loads(last["text"])})}
    load_form(browser, forms / "predict.html")
    for text in (
        "",
        "no lines of replies",
        "null",
        saved[:-20],  # cut off
        saved.replace("person/blue-fox", "person/<img src=x onerror=alert(1)>"),
        saved.replace("person/blue-fox", "person/a\u202eb"),
        saved.replace("person/blue-fox", "person/red-fox", 1),  # of two persons
        json.dumps({**last, "item": "of another form"}),
        json.dumps(order),
    ):
        browser.js("document.getElementById('saved-error').textContent = ''")
        give_saved(browser, text)
        browser.until("document.getElementById('saved-error').textContent === 'These are no answers to this form.'")
        browser.js("document.getElementById('go').click(); document.getElementById('pause').click()")
        assert untimed(answers(browser)) == untimed(saved)
        load_form(browser, forms / "predict.html")


def test_without_storage_the_form_works_says_so_and_warns_before_unsaved_answers_are_lost(
    browser: Browser, forms: Path, tmp_path: Path
) -> None:
    blocked = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked'); } })"
    script = browser.call("Page.addScriptToEvaluateOnNewDocument", source=blocked)["identifier"]
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    try:
        load_form(browser, forms / "predict.html")
        assert "does not keep" in browser.js("document.getElementById('kept').textContent")
        begin(browser)
        assert not browser.js(WARNS)
        assert len(fill_in(browser)) == 10 and browser.log == []
        assert browser.js(WARNS)
        browser.js("document.getElementById('save').click()")
        assert not browser.js(WARNS)
        saved = tmp_path / "predict-blue-fox.jsonl"
        for _ in range(400):
            if saved.is_file():
                break
            time.sleep(0.025)
        assert saved.read_text() == answers(browser)
    finally:
        browser.js("document.getElementById('save').click()")  # whatever failed, no dialog stops the next test
        browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "Type a made-up name."),
        ("ann@example.org", "e-mail"),
        ("+49-171-1234567".removeprefix("+"), "telephone"),
        ("<img src=x onerror=alert(1)>", "letters, digits"),
        ("a\u202eb", "letters, digits"),
        ("Ann Smith", "letters, digits"),
    ],
)
def test_a_name_that_could_be_somebodys_or_does_harm_is_refused(
    browser: Browser, forms: Path, name: str, why: str
) -> None:
    open_form(browser, forms / "predict.html")
    begin(browser, name)
    assert why in browser.js("document.getElementById('pseudonym-error').textContent") and not browser.js(ASKING)


def test_hostile_items_are_only_text(browser: Browser, tmp_path: Path) -> None:
    harm = "</script><script>window.harmed = 1</script><img src=//x.example onerror=harmed=1>\u202e" + "x" * 5000
    (tmp_path / "items").mkdir()
    item = {"id": "1", "target": harm, "options": [harm, "__proto__", '"quoted"\\']}
    (tmp_path / "items" / "association.jsonl").write_text(json.dumps(item) + "\n")
    selfexec("export", "--to", "form", "--items", tmp_path / "items", "-o", tmp_path / "forms")
    page = tmp_path / "forms" / "predict.html"
    assert "\u202e" not in page.read_text()
    open_form(browser, page)
    begin(browser)
    assert "\\u202e" in browser.js("document.getElementById('title').textContent")  # seen, and not obeyed
    fill_in(browser)
    assert browser.js("[typeof harmed, document.images.length, document.documentElement.scrollWidth]") == [
        "undefined",
        0,
        390,
    ]
    [line] = answers(browser).splitlines()
    marks = json.loads(json.loads(line)["text"])
    assert marks == {harm: True, "__proto__": False, '"quoted"\\': False}
    assert all(url.startswith("file:") for url in browser.requests)


def test_who_declines_is_not_asked_to_judge_and_counts_as_not_answering(
    browser: Browser, forms: Path, tmp_path: Path
) -> None:
    open_form(browser, forms / "execute.html")
    begin(browser)
    for _ in range(4):
        browser.js(ANSWER)
    browser.js("document.getElementById('decline').click()")
    assert browser.js("document.getElementById('reply') !== null")  # the next request, and no judgement
    browser.js("document.getElementById('pause').click()")
    last = json.loads(answers(browser).splitlines()[-1])
    assert (last["session"], last["text"], last["person"]) == ("execute", "", True)
    browser.js("document.getElementById('back').click()")
    while browser.js(ASKING):  # decline the other two requests, and answer the rest
        browser.js(f"document.getElementById('decline') ? document.getElementById('decline').click() : {ANSWER}")
    assert browser.js("document.getElementById('end-title').textContent") == "That is all. Thank you."
    (tmp_path / "execute.jsonl").write_text(answers(browser))
    open_form(browser, forms / "predict.html")
    begin(browser)
    fill_in(browser)  # "yes, I would answer", three times
    (tmp_path / "predict.jsonl").write_text(answers(browser))
    for name in ("predict", "execute"):
        selfexec("import", tmp_path / f"{name}.jsonl", "--items", forms / "items", "-o", tmp_path / "run")
    scores = [row for row in sx.score(tmp_path / "run") if row.experiment == "restriction"]
    assert {row.metric: row.value for row in scores if row.metric in ("accuracy", "coverage")} == {
        "accuracy": 0.0,
        "coverage": 1.0,
    }


def test_a_person_predicts_a_model(browser: Browser, tmp_path: Path) -> None:
    run = sx.run(["sim/knows-itself"], items="starter", experiments=["association"], limit=3, out=tmp_path / "model")
    name = "named:knows-itself"
    selfexec("export", run.folder, "--to", "form", "--frame", name, "-o", tmp_path / "forms")
    assert not (tmp_path / "forms" / "execute.html").exists()  # the model has done it
    open_form(browser, tmp_path / "forms" / "predict.html")
    begin(browser)
    fill_in(browser)
    (tmp_path / "a.jsonl").write_text(answers(browser))
    selfexec("import", tmp_path / "a.jsonl", "--items", tmp_path / "forms" / "items", "-o", tmp_path / "people")
    both = [tmp_path / "people", run.folder]
    text = selfexec("analyze", "cross", *both, "--subject", "sim/knows-itself")
    assert "person/blue-fox" in text and "1 of these is a person who filled in a form" in text


def test_seconds_decide_where_there_are_no_tokens() -> None:
    from selfexec.experiments.difficulty import EXAMPLE, easier
    from selfexec.readers import Reading

    one, two = EXAMPLE.questions[:2]
    right = [Reading("read", q.answer, seconds=s) for q, s in ((one, 4.0), (two, 9.5))]
    assert easier((right[0], right[1]), (one, two)) == (True, "seconds")
    tokens = Reading("read", two.answer, tokens=3)
    assert easier((right[0], tokens), (one, two)) == (None, "unknown")  # a second is no token


def test_people_and_models_are_not_put_into_one_run(forms: Path, tmp_path: Path) -> None:
    [item, *_] = (forms / "items" / "association.jsonl").read_text().splitlines()
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "association.jsonl").write_text(item + "\n")
    line = {"model": "person/a", "experiment": "association", "item": json.loads(item)["id"], "session": "predict"}
    person = {**line, "text": "{}", "seconds": 2.5, "person": True}
    (tmp_path / "person.jsonl").write_text(json.dumps(person) + "\n")
    (tmp_path / "model.jsonl").write_text(json.dumps({**line, "model": "m", "text": "{}"}) + "\n")
    files = [tmp_path / "person.jsonl", tmp_path / "model.jsonl"]
    with pytest.raises(InputError, match="person/a is a person, and m is none"):
        sx.import_replies(files, items=tmp_path / "items", out=tmp_path / "run")
    sx.import_replies(files[0], items=tmp_path / "items", out=tmp_path / "run")
    with pytest.raises(InputError, match="person/a is a person, and m is none"):
        sx.import_replies(files[1], out=tmp_path / "run")
    assert [reply.seconds for reply in sx.load(tmp_path / "run").replies.values()] == [2.5]


def test_import_names_those_who_filled_in_one_form_each(forms: Path, tmp_path: Path) -> None:
    [item, *_] = (forms / "items" / "association.jsonl").read_text().splitlines()
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "association.jsonl").write_text(item + "\n")
    line = {"experiment": "association", "item": json.loads(item)["id"], "text": "{}", "seconds": 2.5, "person": True}

    def form(session: str, *names: str) -> Path:
        path = tmp_path / f"{session}-{'-'.join(names)}.jsonl"
        lines = ({**line, "model": f"person/{name}", "session": session} for name in names)
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        return path

    run = tmp_path / "run"
    screen = selfexec("import", form("predict", "ann", "blue-fox"), "--items", tmp_path / "items", "-o", run)
    assert "only" not in screen  # the second form is still to come, for both
    screen = selfexec("import", form("execute", "ann", "blu-fox"), "-o", run)
    assert "person/blue-fox: only predictions. person/blu-fox: only behaviour." in " ".join(screen.split())


def test_what_is_unsafe_on_purpose_is_left_out_unless_it_is_wanted(tmp_path: Path) -> None:
    for name, more in (("usual", []), ("all", ["--unsafe"])):
        part = ["--experiment", "restriction", "--fraction", "1"]
        selfexec("export", "--to", "form", *part, *more, "-o", tmp_path / name)
    kept = [len((tmp_path / n / "items" / "restriction.jsonl").read_text().splitlines()) for n in ("usual", "all")]
    assert kept == [176 - 66, 176]
    assert '"unsafe"' not in (tmp_path / "usual" / "items" / "restriction.jsonl").read_text()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--experiment", "failing_question"], "it has no form for people"),
        (["--elicit", "probability"], "cannot ask people that"),
        (["--model", "m"], "types a name of their own"),
        (["--epochs", "2"], "epochs: people are not asked by that"),
    ],
)
def test_what_no_form_can_ask_is_refused(tmp_path: Path, arguments: list[str], why: str) -> None:
    result = CliRunner().invoke(root, ["export", "--to", "form", *arguments, "-o", str(tmp_path / "f")])
    assert isinstance(result.exception, InputError) and why in str(result.exception)
    assert not (tmp_path / "f").exists()


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_fault_in_any_view(browser: Browser, forms: Path, dark: bool) -> None:
    source = Path(os.environ.get("AXE_JS", ""))
    if not source.is_file():
        message = "axe-core is not here: npm install axe-core, and set AXE_JS"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    check = "axe.run().then(r => r.violations.map(v => [v.id, v.nodes[0].html]))"
    for name in ("predict", "execute"):
        open_form(browser, forms / f"{name}.html", dark=dark)
        browser.js(source.read_text() + "; 0")
        browser.js("document.querySelectorAll('details').forEach(part => part.open = true)")
        begin(browser, "Ann Smith")  # refused, and told so
        assert browser.js(check) == []
        begin(browser)
        seen: set[str] = set()
        while browser.js(ASKING):
            text = browser.js("document.getElementById('title').textContent")[:12]
            if text not in seen:
                browser.js("document.getElementById('next').click()")
                assert browser.js("document.getElementById('lacks').textContent")  # what is lacking is in view too
                assert browser.js(check) == [], text
                seen.add(text)
            browser.js(ANSWER)
        assert browser.js(check) == []
