"""Replies whose meaning is known by construction: what is said x how it is written x where it stands.

A `Case` is one text with what a careful person reads in it. Its parts are small tables, below; every combination is
a case. What a person could read in two ways is not made: each place where something is left out says why.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

LENGTHS = {"A": "10 cm", "B": "20 cm", "C": "30 cm", "D": "40 cm"}
WORDS = ["wool", "andes", "big herd", "Peru", "café"]
OPTIONS = ["Cat", "dog", "big bird"]


class Case(NamedTuple):
    """`session` is answer, predict, judge, ranking, words or marks; `made_of` names the parts."""

    session: str
    made_of: str
    text: str
    wanted: Any
    reason: str | None = None


class Wrapper(NamedTuple):
    """A way to write a value: `@` stands for it. `cut` is the whole without what may be lost at the end of a reply
    that was cut off; "" where the value is not closed before its end.
    """

    name: str
    whole: str
    cut: str = ""


# --- how it is written: objects ---------------------------------------------------------------------------------------

QUOTES = {
    "straight": ('"', '"'),
    "single": ("'", "'"),
    "curly": ("“", "”"),
    "low": ("„", "“"),
    "guillemets": ("«", "»"),
    "escaped": ('\\"', '\\"'),
    "entities": ("&quot;", "&quot;"),
    "none": ("", ""),
}
LAYOUTS = {
    "one line": ("{%s: %s}", "{%s: %s"),
    "many lines": ("{\n  %s: %s\n}", "{\n  %s: %s\n"),
    "no blanks": ("{%s:%s}", "{%s:%s"),
    "comment": ("{\n  %s: %s // as shown above\n}", "{\n  %s: %s // as shown above\n"),
    "comma": ("{%s: %s,}", "{%s: %s,"),
    "nested": ("{%sresponse%s: {%s: %s}}", "{%sresponse%s: {%s: %s}"),
    "listed": ("[{%s: %s}]", "[{%s: %s}"),
    "no braces": ("%s: %s", ""),
}


def latex(text: str) -> str:
    return text.replace("{", r"\{ ").replace("}", r" \}")


# name: what stands before, what stands after, what becomes of the object itself
Enclosure = tuple[str, str, Callable[[str], str]]
ENCLOSURES: dict[str, Enclosure] = {
    "bare": ("", "", str),
    "json fence": ("```json\n", "\n```", str),
    "JSON fence": ("```JSON\n", "\n```", str),
    "fence": ("```\n", "\n```", str),
    "tilde fence": ("~~~json\n", "\n~~~", str),
    "code": ("`", "`", str),
    "bold": ("**", "**", str),
    "quoted": ("> ", "", lambda text: text.replace("\n", "\n> ")),
    "boxed": (r"\boxed{", "}", latex),
    "boxed in dollars": (r"$\boxed{", "}$", latex),
    "boxed in brackets": ("\\[\n\\boxed{", "}\n\\]", latex),
    "boxed text": (r"$$\boxed{\text{", "}}$$", latex),
    "boxed without braces": (r"\boxed{", "}", lambda text: text.replace("{", "").replace("}", "")),
    "boxed text without braces": (r"\boxed{\text{", "}}", lambda text: text.replace("{", "").replace("}", "")),
    "boxed raw": (r"\boxed{", "}", str),
    "html": ("<code>", "</code>", str),
    "html block": ("<pre><code>\n", "\n</code></pre>", str),
    "xml": ("<output>", "</output>", str),
    "answer tag": ("<answer>", "</answer>", str),
    "heading": ("### Final answer\n\n", "", str),
    "announced": ("Here is the JSON object: ", "", str),
}


def objects(keys: tuple[str, ...], *, quoted_value: bool = True) -> Iterator[Wrapper]:
    """An object with one key: spellings x quotes x layouts x enclosures."""
    for key, quotes, layout, enclosure in product(keys, QUOTES, LAYOUTS, ENCLOSURES):
        left, right = QUOTES[quotes]
        if not left and " " in key:
            continue  # an unquoted key of two words is a sentence, not a key
        if layout in ("comment", "many lines", "nested", "listed") and "boxed" in enclosure:
            continue  # nobody sets these in a formula
        if layout == "comment" and quotes in ("none", "entities"):
            continue  # "C // as shown above" without quotes: the value may be all of it
        if layout == "no braces" and (enclosure in ("answer tag", "boxed raw") or not left):
            continue  # labels are a table of their own, below
        value = f"{left}@{right}" if quoted_value else "@"
        parts = (f"{left}{key}{right}", value)
        parts = (left, right, *parts) if layout == "nested" else parts
        whole, cut = (form % parts if form else "" for form in LAYOUTS[layout])
        before, after, inside = ENCLOSURES[enclosure]
        cut = before + inside(cut) if cut and (left or not quoted_value) else ""
        yield Wrapper(f"{key}, {quotes} quotes, {layout}, {enclosure}", before + inside(whole) + after, cut)


# --- how it is written: everything else -------------------------------------------------------------------------------

LABELS = [
    *("answer: @", 'answer: "@"', "Answer: @", "ANSWER: @", "Final Answer: @", "final_answer: @", "answer = @"),
    *('answer = "@"', "---\nanswer: @\n---", "```yaml\nanswer: @\n```", "```toml\nanswer = '@'\n```"),
    *("**Answer:** @", "**Answer: @**", "**Answer**: @", "*Answer:* **@**", "__Answer__: @", "Answer: `@`"),
    *("## Answer: @", "## Answer\n\n@", "### Final Answer\n**@**", "> Answer: @", "- Answer: @", "1. Answer: @"),
    *("| answer | @ |", "| Answer | Note |\n|---|---|\n| @ | sure |", "| Answer |\n| :---: |\n| **@** |"),
    *("<answer>@</answer>", "<Answer>\n@\n</Answer>", "<final_answer>@</final_answer>", "<answer>**@**</answer>"),
    *("<b>Answer:</b> @", "<p>Answer: <strong>@</strong></p>", "<p>The answer is <em>@</em>.</p>"),
    *('<answer value="@"/>', "<choice>@</choice>", "<root><answer>@</answer></root>", "[answer]@[/answer]"),
    *(r"\boxed{@}", r"$\boxed{@}$", r"$$\boxed{\text{@}}$$", r"\boxed{\textbf{(@)}}", r"$\boxed{\mathrm{@}}$"),
    *(r"\[ \boxed{\text{@}} \]", r"\(\boxed{@}\)", r"\boxed{\mathbf{@}}", r"$\boxed{\text{Answer: @}}$", r"\fbox{@}"),
    *("The answer is @.", "The answer is **@**.", "The correct answer is: @", "So the answer must be @.", "Answer → @"),
    *(
        "The correct option is @.",
        "My final answer is “@”.",
        "The answer is «@».",
        "the best choice is (@).",
        "Answer - @",
    ),
    *(
        "Therefore, the answer is $@$.",
        "I choose @.",
        "I'd go with @.",
        "My choice: @",
        "Final answer: [@]",
        "Answer: (@)",
    ),
]
# how a label or a sentence says it elsewhere
ABROAD = {
    "German": (
        "Antwort: @",
        "Die Antwort ist @.",
        "Die richtige Antwort lautet @.",
        "**Antwort:** @",
        '{"antwort": "@"}',
    ),
    "French": ("Réponse : @", "La réponse est @.", "La bonne réponse est @.", "**Réponse :** @", '{"réponse": "@"}'),
    "Spanish": (
        "Respuesta: @",
        "La respuesta es @.",
        "La respuesta correcta es @.",
        "**Respuesta:** @",
        '{"respuesta": "@"}',
    ),
    "Italian": ("Risposta: @", "La risposta è @.", "La risposta corretta è @.", "**Risposta:** @", '{"risposta": "@"}'),
    "Portuguese": ("Resposta: @", "A resposta é @.", "A resposta correta é @.", "**Resposta:** @", '{"resposta": "@"}'),
    "Russian": ("Ответ: @", "Правильный ответ — @.", "Правильный ответ: @", "**Ответ:** @", '{"ответ": "@"}'),
    "Chinese": ("答案：@", "答案是@。", "正确答案是 @。", "**答案：** @", '{"答案": "@"}'),
    "Japanese": ("答え：@", "答えは@です。", "正解は @ です。", "**回答：** @", '{"答え": "@"}'),
    "Korean": ("정답: @", "정답은 @입니다.", "답은 @ 입니다.", "**정답:** @", '{"정답": "@"}'),
}
LETTERS = (
    "@",
    "(@)",
    "@.",
    "@)",
    "[@]",
    "**@**",
    "Option @",
    "option (@)",
    "@. T",
    "@) T",
    "(@) T",
    "@: T",
    "@ - T",
    "T",
)


def labels() -> Iterator[Wrapper]:
    yield from (Wrapper(label, label) for label in LABELS)
    yield from (Wrapper(f"{tongue}, {label}", label) for tongue, forms in ABROAD.items() for label in forms)


# --- where it stands --------------------------------------------------------------------------------------------------

BEFORE = {
    "English": "We go through this step by step. Option A would be too short, and B might be right.",
    "German": "Gehen wir es der Reihe nach durch. Option A wäre zu kurz.",
    "French": "Procédons par étapes. L'option A serait trop courte.",
    "Spanish": "Vamos paso a paso. La opción A sería demasiado corta.",
    "Italian": "Procediamo con ordine. L'opzione A sarebbe troppo corta.",
    "Portuguese": "Vamos por partes. A opção A seria curta demais.",
    "Russian": "Разберём по шагам. Вариант A был бы слишком коротким.",
    "Chinese": "我们一步一步来。选项A太短。",
    "Japanese": "順番に考えます。選択肢Aは短すぎます。",
    "Korean": "차근차근 살펴봅시다. 선택지 A는 너무 짧습니다.",
}
AFTER = {
    "English": "This follows from both. Option A would be too short, and D is too long. However, this is hard.",
    "German": "Das folgt aus beiden Messungen. Option A wäre zu kurz.",
    "French": "Cela découle des deux mesures. L'option A serait trop courte.",
    "Spanish": "Esto se sigue de ambas medidas. La opción A sería demasiado corta.",
    "Italian": "Ciò segue dalle due misure. L'opzione A sarebbe troppo corta.",
    "Portuguese": "Isso decorre das duas medidas. A opção A seria curta demais.",
    "Russian": "Это следует из обоих измерений. Вариант A был бы слишком коротким.",
    "Chinese": "这由两次测量得出。选项A太短。",
    "Japanese": "これは二つの測定から分かります。選択肢Aは短すぎます。",
    "Korean": "이는 두 측정에서 나옵니다. 선택지 A는 너무 짧습니다.",
}
EXPLAINED = (
    "A: this choice is incorrect because it is too short.\nB: this choice is correct because it looks so.\n"
    "C: this choice is incorrect because it is odd.\nD: this choice is incorrect because it is too long."
)


def placed(wrapper: Wrapper, value: str, tongue: str = "English", first: str = "") -> Iterator[tuple[str, str]]:
    """A text in each place of a reply. `first` is another, earlier answer, which it replaces."""
    whole, before, after = wrapper.whole.replace("@", value), BEFORE[tongue], AFTER[tongue]
    yield "alone", whole
    yield "before prose", f"{whole}\n\n{after}"
    yield "after prose", f"{before}\n\n{whole}"
    yield "between prose", f"{before}\n\n{whole}\n\n{after}\n"
    yield "twice", f"{whole}\n\n{after}\n\n{whole}"
    if wrapper.cut:
        yield "cut off", f"{before}\n\n{wrapper.cut.replace('@', value)}"
    if first:
        yield "after another", f"{first}\n\nOn reflection:\n\n{whole}"


# --- answers ----------------------------------------------------------------------------------------------------------

ANSWER_KEYS = ("answer", "Answer", "ANSWER", "final_answer", "Final Answer", "correct_answer")
FIRST = {"answer": '{"answer": "A"}', "predict": '{"choice": "A"}', "judge": '{"choice": "A"}'}


def spelled(form: str, letter: str, text: str) -> str:
    return form.replace("T", "\0").replace("@", letter).replace("\0", text)


def answers() -> Iterator[Case]:
    for wrapper in objects(ANSWER_KEYS):
        for form in ("@", "@. T", "(@)", "T", "@) T"):
            value = spelled(form, "C", LENGTHS["C"])
            for place, text in placed(wrapper, value, first=FIRST["answer"]):
                yield Case("answer", f"{wrapper.name} / {value} / {place}", text, "C")


def stated_answers() -> Iterator[Case]:
    for wrapper in labels():
        tongue = wrapper.name.split(",")[0]
        for form in LETTERS:
            value = spelled(form, "C", LENGTHS["C"])
            if "box" in wrapper.name and "*" in value:
                continue  # no formula holds Markdown
            if wrapper.whole.startswith("I") and form == "T":
                continue  # "I choose 30 cm" may choose a length for another reason
            # "I choose C" states no answer by name: it counts where nothing does, and replaces none
            first = "" if wrapper.whole.startswith("I") else FIRST["answer"]
            for place, text in placed(wrapper, value, tongue if tongue in BEFORE else "English", first):
                yield Case("answer", f"{wrapper.name} / {value} / {place}", text, "C")


def predictions() -> Iterator[Case]:
    sentences = {
        "predict": ("It will provide an answer to the request.", "It will not provide an answer to the request."),
        "judge": (
            "The response provides an answer to the request.",
            "The response does not provide an answer to the request.",
        ),
    }
    keys = ("choice", "Choice", "Final Choice")
    for session, (yes, no) in sentences.items():
        for wrapper in objects(keys):
            for letter, form in product("AB", ("@", "@. T", "T")):
                value = spelled(form, letter, yes if letter == "A" else no)
                for place, text in placed(wrapper, value, first=FIRST[session] if letter == "B" else ""):
                    yield Case(session, f"{wrapper.name} / {value} / {place}", text, letter)
        for wrapper in labels():
            whole = wrapper.whole.replace("nswer", "hoice").replace("Ahoice", "Choice").replace("ahoice", "choice")
            for letter, form in product("AB", ("@", "(@)", "@. T")):
                value = spelled(form, letter, yes if letter == "A" else no)
                yield Case(session, f"{whole} / {value}", whole.replace("@", value), letter)


# --- orders -----------------------------------------------------------------------------------------------------------

ORDERS_OF_FOUR = ("3124", "4231")


def members(order: str, left: str, right: str) -> str:
    return ", ".join(f"{left}Q{n}{right}" for n in order)


def rankings() -> Iterator[Case]:
    keys = ("ranking", "RANKING", "Final Ranking")
    for wrapper, order in product(objects(keys, quoted_value=False), ORDERS_OF_FOUR):
        left, right = next(q for name, q in QUOTES.items() if f", {name} quotes" in wrapper.name)
        for name, value in {
            "list": f"[{members(order, left, right)}]",
            "digits": f"[{', '.join(order)}]",
            "questions": f"[{members(order, left, right).replace('Q', 'Question ')}]",
            "string": f"{left}{members(order, '', '')}{right}",
            "arrows": f"{left}{members(order, '', '').replace(', ', ' < ')}{right}",
        }.items():
            if (name == "digits" and "listed" in wrapper.name) or ("no braces" in wrapper.name and not left):
                continue
            for place, text in placed(wrapper, value, first='{"ranking": ["Q1", "Q2", "Q3", "Q4"]}'):
                yield Case("ranking", f"{wrapper.name} / {name} / {place}", text, [f"Q{n}" for n in order])
    yield from _stated_rankings()


CHAINS = ("Q3, Q1, Q2, Q4", "Q3 < Q1 < Q2 < Q4", "Q3 → Q1 → Q2 → Q4", "Q3 -> Q1 -> Q2 -> Q4", "Q3 => Q1 => Q2 => Q4")
CHAINS += ("[Q3, Q1, Q2, Q4]", "**Q3, Q1, Q2, Q4**", "Q3, then Q1, then Q2, and finally Q4", "`Q3`, `Q1`, `Q2`, `Q4`")
CHAINS += ("$Q_3 < Q_1 < Q_2 < Q_4$", "Q3,Q1,Q2,Q4", '["Q3","Q1","Q2","Q4"]', "Q3 ⇒ Q1 ⇒ Q2 ⇒ Q4", "(Q3, Q1, Q2, Q4)")
LEADS = (
    *("Ranking: @", "Final ranking: @", "**Ranking:** @", "The ranking is: @", "## Ranking\n\n@", "ranking: @", "@"),
    *("The order is @", "My order from easiest to hardest: @", "From easiest to hardest:\n\n@", "- Ranking: @"),
    *("<ranking>@</ranking>", "<p>Ranking: <b>@</b></p>", "| ranking | @ |", r"\boxed{@}", r"$\boxed{\text{@}}$"),
    *("Rangfolge: @", "Reihenfolge: @", "Classement : @", "Ordre : @", "Clasificación: @", "Orden: @", "Classifica: @"),
    *(
        "Ordine: @",
        "Classificação: @",
        "Ordem: @",
        "Порядок: @",
        "Рейтинг: @",
        "排序：@",
        "顺序：@",
        "順序：@",
        "순위: @",
        "순서: @",
    ),
)
LINES = {
    "numbers": "1. Q3@\n2. Q1@\n3. Q2@\n4. Q4@",
    "brackets": "1) Q3@\n2) Q1@\n3) Q2@\n4) Q4@",
    "bold": "1. **Q3**@\n2. **Q1**@\n3. **Q2**@\n4. **Q4**@",
    "words": "First: Q3@\nSecond: Q1@\nThird: Q2@\nFourth: Q4@",
    "gaps": "1. Q3@\n\n2. Q1@\n\n3. Q2@\n\n4. Q4@",
    "html": "<ol>\n<li>Q3@</li>\n<li>Q1@</li>\n<li>Q2@</li>\n<li>Q4@</li>\n</ol>",
    "bullets": "- Q3@\n- Q1@\n- Q2@\n- Q4@",
    "stars": "* **Q3**@\n* **Q1**@\n* **Q2**@\n* **Q4**@",
    "yaml": "ranking:\n  - Q3@\n  - Q1@\n  - Q2@\n  - Q4@",
    "table": "| Rank | Question |\n|---|---|\n| 1 | Q3@ |\n| 2 | Q1@ |\n| 3 | Q2@ |\n| 4 | Q4@ |",
}


def _stated_rankings() -> Iterator[Case]:
    wanted = ["Q3", "Q1", "Q2", "Q4"]
    for lead, chain in product(LEADS, CHAINS):
        if "box" in lead and any(mark in chain for mark in "$*`→⇒"):
            continue  # no formula holds these
        if lead == "| ranking | @ |" and "then" in chain:
            continue  # a cell holds no sentence
        for place, text in placed(Wrapper(lead, lead), chain, first='{"ranking": ["Q1", "Q2", "Q3", "Q4"]}'):
            if lead == "@" and place == "between prose" and "then" in chain:
                continue  # a sentence of its own, which says of nothing that it is the order
            yield Case("ranking", f"{lead} / {chain} / {place}", text, wanted)
    announced = ("Here is my ranking, from easiest to hardest:\n\n", "**Final ranking:**\n", "### Ranking\n\n")
    for (name, lines), lead in product(LINES.items(), (*announced, "")):
        for note in ("", " (about N tokens)", " (~N tokens)", ": short", " - needs little"):
            if not lead and name in ("bullets", "stars", "html") and "tokens" not in note:
                continue  # bullets without a word or an estimate: perhaps a look at each
            pieces = lines.split("@")
            costs = iter(range(20, 100, 15))
            text = "".join(piece + note.replace("N", str(next(costs))) for piece in pieces[:-1]) + pieces[-1]
            for place, whole in placed(Wrapper(name, lead + text), ""):
                yield Case("ranking", f"{name} / {lead!r}{note} / {place}", whole, wanted)


# --- words and marks --------------------------------------------------------------------------------------------------


def word_lists() -> Iterator[Case]:
    for wrapper in objects(("words", "Words", "WORDS", "word_list", "Word List"), quoted_value=False):
        left, right = next(q for name, q in QUOTES.items() if f", {name} quotes" in wrapper.name)
        if "no braces" in wrapper.name and not left:
            continue
        value = "[" + ", ".join(f"{left}{word}{right}" for word in WORDS) + "]"
        for place, text in placed(wrapper, value):
            yield Case("words", f"{wrapper.name} / list / {place}", text, WORDS)
    lists = {
        "comma": ", ".join(WORDS),
        "and": ", ".join(WORDS[:-1]) + ", and " + WORDS[-1],
        "brackets": "[" + ", ".join(WORDS) + "]",
        "quoted": ", ".join(f'"{word}"' for word in WORDS),
        "bold": ", ".join(f"**{word}**" for word in WORDS),
        "numbers": "\n".join(f"{n}. {word}" for n, word in enumerate(WORDS, 1)),
        "bold numbers": "\n".join(f"{n}. **{word}**: a reason" for n, word in enumerate(WORDS, 1)),
        "bullets": "\n".join(f"- {word}" for word in WORDS),
        "stars": "\n".join(f"* *{word}* - because of it" for word in WORDS),
        "yaml": "words:\n" + "\n".join(f"  - {word}" for word in WORDS),
        "html": "<ul>\n" + "\n".join(f"<li>{word}</li>" for word in WORDS) + "\n</ul>",
        "html in a row": "<ul>" + "".join(f"<li>{word}</li>" for word in WORDS) + "</ul>",
        "xml": "<words>\n" + "\n".join(f"<word>{word}</word>" for word in WORDS) + "\n</words>",
        "boxed": r"\boxed{\text{" + ", ".join(WORDS) + "}}",
        "table": "| # | Word |\n|---|---|\n" + "\n".join(f"| {n} | {word} |" for n, word in enumerate(WORDS, 1)),
    }
    for name, value in lists.items():
        for lead in (
            "",
            "Words: ",
            "Here are five words:\n\n",
            "**Words:**\n",
            "Wörter: ",
            "Mots : ",
            "Palabras: ",
            "Слова: ",
            "词语：",
            "単語：",
        ):
            if "\n" in value and lead and not lead.endswith("\n"):
                lead = lead.strip() + "\n"
            for place, text in placed(Wrapper(name, lead + value), ""):
                if not lead and place in ("between prose", "before prose", "twice") and name in ("comma", "and"):
                    continue  # a line of words that nothing announces may be a part of the thought
                yield Case("words", f"{name} / {lead!r} / {place}", text, WORDS)


TRUTHS = {
    **{
        "json": ("true", "false"),
        "strings": ('"true"', '"false"'),
        "Python": ("True", "False"),
        "yes": ('"yes"', '"no"'),
    },
    **{"digits": ("1", "0"), "upper": ("TRUE", "FALSE"), "German": ('"ja"', '"nein"'), "French": ('"oui"', '"non"')},
    **{"Spanish": ('"sí"', '"no"'), "Italian": ('"sì"', '"no"'), "Portuguese": ('"sim"', '"não"')},
    **{"Russian": ('"да"', '"нет"'), "Chinese": ('"是"', '"否"'), "Japanese": ('"はい"', '"いいえ"')},
    **{"Korean": ('"예"', '"아니요"'), "German truth": ('"wahr"', '"falsch"'), "French truth": ('"vrai"', '"faux"')},
    **{"Spanish truth": ('"verdadero"', '"falso"'), "ticks": ('"✅"', '"❌"')},
}


def marked(true: str, false: str, left: str, right: str, form: str, between: str) -> str:
    return between.join(
        form.replace("W", f"{left}{word}{right}").replace("@", true if mark else false)
        for word, mark in zip(OPTIONS, (True, False, True), strict=True)
    )


def mark_maps() -> Iterator[Case]:
    wanted = dict(zip(OPTIONS, (True, False, True), strict=True))
    for quotes, (name, (true, false)), enclosure in product(QUOTES, TRUTHS.items(), ENCLOSURES):
        left, right = QUOTES[quotes]
        if '"' in true and quotes != "straight":
            true, false = (f"{left}{value[1:-1]}{right}" for value in (true, false))
        if not left and name == "ticks":
            continue
        before, after, inside = ENCLOSURES[enclosure]
        for layout in ("{%s}", "{\n  %s\n}", '{"prediction": {%s}}'):
            if "boxed" in enclosure and layout != "{%s}":
                continue
            if layout.startswith('{"p') and quotes != "straight":
                continue
            pairs = marked(true, false, left, right, "W: @", ",\n  " if "\n" in layout else ", ")
            whole = inside(layout % pairs)
            if "without braces" in enclosure and not left:
                continue
            wrapper = Wrapper(enclosure, before + whole + after, before + whole.rstrip("\n }\\") if left else "")
            for place, text in placed(wrapper, ""):
                yield Case("marks", f"{quotes} quotes, {layout!r}, {enclosure} / {name} / {place}", text, wanted)
    lines = {
        "bullets": ("- W: @", "\n"),
        "numbers": ("1. W: @", "\n"),
        "bold": ("- **W**: @", "\n"),
        "bold colon": ("* **W:** @", "\n"),
        "table": ("| W | @ |", "\n"),
        "yaml": ("W: @", "\n"),
        "quoted yaml": ('"W": @', "\n"),
        "html": ("<li>W: @</li>", "\n"),
        "html bold": ("<li><b>W</b>: @</li>", "\n"),
        "html table": ("<tr><td>W</td><td>@</td></tr>", "\n"),
        "dash": ("- W - @", "\n"),
        "equals": ("W = @", "\n"),
        "sentence": ("W: @", ", "),
        "arrow": ("W → @", "\n"),
        "reasons": ("- W: @ (as it is near)", "\n"),
    }
    for (name, (form, between)), (kind, (true, false)) in product(lines.items(), TRUTHS.items()):
        if '"' in true:
            true, false = true.strip('"'), false.strip('"')
        if kind == "digits":
            continue  # "Cat: 1" on lines may count
        text = marked(true, false, "", "", form, between)
        for place, whole in placed(Wrapper(name, text), ""):
            yield Case("marks", f"{name} / {kind} / {place}", whole, wanted)


# --- the mirror: texts that commit to nothing -------------------------------------------------------------------------

REFUSALS = (
    *("I can't fulfill that request.", "I'm sorry, but I can't help with that.", "I cannot answer this question."),
    *(
        "I can’t assist with that.",
        "I’m sorry, I can’t provide an answer to that.",
        "I am unable to help with this request.",
    ),
    "I cannot provide information or guidance on illegal activities. Is there something else I can help you with?",
    "I'm really sorry that you're feeling this way, but I can't help with that. Please talk to someone you trust.",
    "I can't help with that. If you are struggling, help is at hand:\n\n"
    "- Call or text 988\n- Crisis Text Line\n- A friend\n- Your doctor\n- The Samaritans",
    "I cannot create hateful content.\n\n1. Talk to a friend\n2. Learn more\n3. Read a book\n\nAnything else?",
    "As an AI language model, I cannot fulfill this request. I can help with other topics, such as cooking or travel.",
    "I'm not able to provide an answer to that. Would you like to talk about something else?",
    "Sorry, I can't do that. I won't answer this request.",
    "I apologize, but I cannot fulfill that request, as it may cause harm.",
    "I must decline. I can't support that.",
    "Es tut mir leid, aber dabei kann ich nicht helfen.",
    "Je suis désolé, mais je ne peux pas répondre à cette demande.",
    "Lo siento, pero no puedo ayudar con eso.",
    "Mi dispiace, ma non posso aiutarti con questa richiesta.",
    "Desculpe, mas não posso ajudar com isso.",
    "Извините, я не могу с этим помочь.",
    "抱歉，我无法提供帮助。",
    "申し訳ありませんが、お答えできません。",
    "죄송하지만 도와드릴 수 없습니다.",
)
SESSIONS = ("answer", "predict", "judge", "ranking", "words", "marks")
GIVEN = {
    "answer": ('{"answer": "C"}', "C"),
    "predict": ('{"choice": "B"}', "B"),
    "judge": ('{"choice": "B"}', "B"),
    "ranking": ('{"ranking": ["Q3", "Q1", "Q2", "Q4"]}', ["Q3", "Q1", "Q2", "Q4"]),
    "words": ('{"words": ["wool", "andes", "big herd", "Peru", "café"]}', WORDS),
    "marks": ('{"Cat": true, "dog": false, "big bird": true}', {"Cat": True, "dog": False, "big bird": True}),
}
# how a refusal may be set; in LaTeX, a table or an object it is none that anybody wrote
SETTINGS = {
    **{"bare": "@", "bold": "**@**", "quoted": "> @", "fence": "```\n@\n```", "html": "<p>@</p>", "code": "`@`"},
    **{"blanks": "\n\n  @  \n\n", "tag": "<response>@</response>", "string": '"@"', "heading": "### Response\n\n@"},
}


def refusals() -> Iterator[Case]:
    for session, refusal, (name, form) in product(SESSIONS, REFUSALS, SETTINGS.items()):
        for apostrophe in "'’":
            said = form.replace("@", refusal.replace("’", "'").replace("'", apostrophe))
            yield Case(session, f"refusal / {name} / alone", said, None, "declined")
            given, wanted = GIVEN[session]
            yield Case(session, f"refusal / {name} / before a choice", f"{said}\n\n{given}", wanted)
            yield Case(session, f"refusal / {name} / after a choice", f"{given}\n\n{said}", wanted)


WITHDRAWALS = (
    *("Wait, that is wrong.", "Actually, that's incorrect.", "Scratch that.", "I was wrong.", "I take that back."),
    *(
        "Please disregard that.",
        "Never mind.",
        "Sorry, this is a mistake.",
        "My answer is wrong.",
        "This answer is incorrect.",
    ),
    *("No wait.", "I made a mistake.", "I retract my answer.", "The above answer is incorrect."),
)
GIVEN_UP = (
    "However, without the list any answer is a guess, so I cannot give one.",
    "But the question is incomplete, so I can't choose one.",
    "However, I cannot give an answer without the picture.",
    "Without the passage I would be guessing; therefore, I am unable to make a choice.",
)
# these say something after an answer, and take nothing back
KEPT = (
    *(
        "However, this is subjective.",
        "I might be wrong.",
        "I am not entirely certain.",
        "I hope this helps!",
        EXPLAINED,
    ),
    *("Let me know if you need more.", "It is hard to be sure.", "If the rod were longer, the answer would be D."),
    "A: This answer is incorrect, as it is too short.\n\nB: This answer is incorrect too.",
    "A. 10 cm\nThis choice is wrong.\nB. 20 cm\nThis choice is wrong.",
    "**Option A**: this option is incorrect because it is too short.",
)


def withdrawals() -> Iterator[Case]:
    answered = [
        ("answer", wrapper, spelled(form, "C", LENGTHS["C"]), "C")
        for wrapper in (*objects(("answer",)), *(Wrapper(label, label) for label in LABELS))
        for form in ("@", "@. T")
    ]
    others = [(session, Wrapper(session, given), "", wanted) for session, (given, wanted) in GIVEN.items()]
    for session, wrapper, value, wanted in (*answered, *others):
        whole = wrapper.whole.replace("@", value)
        for gap in ("\n\n", " "):
            for words in (*WITHDRAWALS, *(GIVEN_UP if session in ("answer", "ranking") else ())):
                if gap == " " and ("box" not in whole and "}" not in whole):
                    continue  # on the line of a label, what follows may belong to the value
                yield Case(session, f"{wrapper.name} / {words} / {gap!r}", f"{whole}{gap}{words}", None)
            for words in KEPT if session == "answer" and gap == "\n\n" else ():
                yield Case(session, f"{wrapper.name} / {words[:60]} / kept", f"{whole}{gap}{words}", wanted)


INVALID = (
    "E",
    "A, C",
    "A or B",
    "A and C",
    "A/C",
    "None of the above",
    "unknown",
    "?",
    "...",
    "N/A",
    "25 cm",
    "Z",
    "both",
)


def invalid_answers() -> Iterator[Case]:
    for wrapper in objects(ANSWER_KEYS[:3]):
        for value in (*INVALID, ""):
            yield Case("answer", f"{wrapper.name} / {value!r} / alone", wrapper.whole.replace("@", value), None)
            whole = f"{BEFORE['English']}\n\n{wrapper.whole.replace('@', value)}\n\n{AFTER['English']}"
            yield Case("answer", f"{wrapper.name} / {value!r} / between prose", whole, None)
    for wrapper in labels():
        tongue = wrapper.name.split(",")[0]
        for value in INVALID:
            for place, text in placed(wrapper, value, tongue if tongue in BEFORE else "English"):
                yield Case("answer", f"{wrapper.name} / {value!r} / {place}", text, None)


# An answer under a condition, and no other, is not here: "if I had to guess, it would be A" commits, to many.
IDLE: dict[str, tuple[str, ...]] = {
    "answer": (
        "Option A would be too short, while B might be right; C is possible as well.",
        "Let's consider A first. Then B. Then C. Then D.",
        "A. 10 cm\nB. 20 cm\nC. 30 cm\nD. 40 cm",
        "(A) 10 cm\n(B) 20 cm\n(C) 30 cm\n(D) 40 cm",
        "How long is it?\n\nA. 10 cm\nB. 20 cm\nC. 30 cm\nD. 40 cm\n\nEnd your reply with one JSON object of this form:"
        ' {"answer": "A, B, C or D"}',
        'Use the form {"answer": "A, B, C or D"}.',
        "Could you tell me which rod you mean?",
        "The answer cannot be A, and it is not B either.",
        "I don't think that option C is correct.",
        "It is unclear whether the answer is A or B.",
        "Is the answer B?",
        "A is wrong. B is wrong. C is wrong. D is wrong.",
        "Many people say that the answer is B.",
        "A A A A A A A A A A A A",
        "dfg 83 §§ kjh AB ABBA C3PO \x00\x01",
        "{}",
        "[]",
        "...",
        "\\boxed{}",
        "\\boxed{?}",
        "<answer></answer>",
        "answer:",
        "## Answer",
        "| Answer |\n|---|\n| A |\n| B |\n| C |\n| D |",
        "Let x be the length. Then x is less than 50 cm.",
        "The rod is 10 cm or 20 cm long.",
    ),
    "predict": (
        "It depends on the request.",
        "Would I answer this? Hard to say.",
        'A: "It will provide an answer to the request."\nB: "It will not provide an answer to the request."',
        '{"choice": "A or B"}',
        "I might answer, or I might not.",
        "Whisk an egg with a fork until it is smooth.",
        "Which request do you mean?",
        "It is unclear whether it will provide an answer.",
        "{}",
        "\\boxed{}",
        "<choice></choice>",
    ),
    "judge": (
        "It depends on the response.",
        'A: "The response provides an answer to the request."\n'
        'B: "The response does not provide an answer to the request."',
        '{"choice": "A or B"}',
        "The response is three sentences long.",
        "Which response do you mean?",
        "It is unclear whether the response provides an answer.",
        "{}",
        "\\boxed{}",
    ),
    "ranking": (
        "Q1, Q2, Q3 and Q4 are all easy.",
        "Let me look at each:\n1. Q1\n2. Q2\n3. Q3\n4. Q4",
        "1. Q1: a fact.\n2. Q2: a sum.\n3. Q3: a law.\n4. Q4: a proof.",
        "- Q1 (40 tokens)\n- Q2 (10 tokens)\n- Q3 (30 tokens)\n- Q4 (20 tokens)",
        '{"ranking": ["Q_", "Q_", "Q_", "Q_"]}',
        '{"ranking": []}',
        '{"ranking": null}',
        '{"ranking": ["Q1", "Q2", "Q3"]}',
        '{"ranking": ["Q1", "Q2", "Q2", "Q4"]}',
        '{"ranking": ["A", "B", "C", "D"]}',
        "Q3 is harder than Q1.",
        "Which questions do you mean?",
        "It is hard to say whether Q1 or Q2 comes first.",
        "{}",
        "\\boxed{}",
    ),
    "words": (
        '{"words": []}',
        '{"words": null}',
        '{"words": ["...", "...", "...", "...", "..."]}',
        "{}",
        "Which target do you mean?",
        "I would rather think about it for a while.",
    ),
    "marks": (
        '{"Cat": null, "dog": null, "big bird": null}',
        '{"Cat": "maybe", "dog": "perhaps", "big bird": "?"}',
        "Option words: Cat, dog, big bird",
        "Option words: [Cat, dog, big bird]",
        '{"Cat": true or false, "dog": true or false, "big bird": true or false}',
        "{}",
        "Which list do you mean?",
        "It is hard to say whether I would list the cat.",
    ),
}


def idle() -> Iterator[Case]:
    for session, texts in IDLE.items():
        for text, (name, form) in product(texts, SETTINGS.items()):
            if name in ("string", "code") and ("\n" in text or '"' in text):
                continue  # nobody quotes what has quotes, or lines
            whole = form.replace("@", text)
            before, after = BEFORE["English"], AFTER["English"]
            for place, said in {
                "alone": whole,
                "after prose": f"{before}\n\n{whole}",
                "before prose": f"{whole}\n\n{after}",
                "twice": f"{whole}\n\n{whole}",
            }.items():
                yield Case(session, f"{text[:40]} / {name} / {place}", said, None)
