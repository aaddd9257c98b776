"""Replies in the styles of the models of 2026, each with what a careful person reads in it.

The meaning of every reply was fixed before the readers that it tests were written. `session` is answer, predict, judge,
ranking, words or marks, as in `reading_product`; `wanted` is None where the reply commits to nothing. An order is
written by its digits.
"""

from typing import Any, NamedTuple


class Written(NamedTuple):
    session: str
    text: str
    wanted: Any


TARGET = "harbor"
OPTIONS = ["boat", "anchor", "fog", "crane", "lamp"]
ABC = {"boat": True, "anchor": True, "fog": False, "crane": False, "lamp": False}
FIVE = ["boat", "anchor", "ship", "pier", "sea"]

# --- orders with a sentence before them -------------------------------------------------------------------------------

AS_WRITTEN = '{"ranking": ["Q2", "Q1", "Q4", "Q3"]}'
LEADS_THAT_TURN_NOTHING = (
    "the most straightforward first:",
    "The most basic question first:",
    "The most confident first:",
    "The most certain ones come first:",
    "With the most common facts first, my order is:",
    "The most likely to be answered correctly first:",
    "Sorted by decreasing confidence:",
    "In descending order of ease:",
    "From the most certain to the least certain:",
    "Highest to lowest probability of a correct answer:",
    "(I previously sorted from hardest to easiest, which was wrong.)",
    "Wait, that is hardest first. Corrected:",
    "The easiest comes first and the hardest last:",
    "Sorted from fewest to most tokens:",
    "The highest chance of success first, the lowest last:",
    "In descending order of certainty, not of difficulty:",
    "Von der leichtesten zur schwersten:",
    "De la más fácil a la más difícil:",
    "从最简单到最难：",
    "من الأسهل إلى الأصعب:",
)
LEADS_THAT_TURN = (
    "Hardest first:",
    "From hardest to easiest:",
    "In descending order of difficulty:",
    "Most tokens first:",
    "The most difficult question first:",
    "Sorted from longest to shortest response:",
    "Absteigend nach Schwierigkeit:",
    "De la más difícil a la más fácil:",
    "从最难到最简单：",
    "من الأصعب إلى الأسهل:",
)
ORDERS = [
    *(Written("ranking", f"{lead} {AS_WRITTEN}", "2143") for lead in LEADS_THAT_TURN_NOTHING),
    *(Written("ranking", f"{lead}\n\n```json\n{AS_WRITTEN}\n```", "3412") for lead in LEADS_THAT_TURN),
    Written("ranking", r"$$Q_2 < Q_1 < Q_4 < Q_3$$", "2143"),
    Written("ranking", r"\[ \text{Q2} < \text{Q1} < \text{Q4} < \text{Q3} \]", "2143"),
    Written("ranking", '{"Q1": 2, "Q2": 1, "Q3": 4, "Q4": 3}', "2143"),  # places, as strangers mean it
    Written("ranking", '{"ranking": {"Q1": 2, "Q2": 1, "Q3": 4, "Q4": 3}}', "2143"),
    Written("ranking", "- Easiest: Q2\n- Second: Q1\n- Third: Q4\n- Hardest: Q3", "2143"),
    Written(
        "ranking", "<ranking>\n<item>Q2</item>\n<item>Q1</item>\n<item>Q4</item>\n<item>Q3</item>\n</ranking>", "2143"
    ),
    Written("ranking", "Von leicht zu schwer: Q2, Q1, Q4, Q3.", "2143"),
    Written("ranking", "De menor a mayor dificultad: Q2, Q1, Q4, Q3", "2143"),
    Written("ranking", "从易到难：Q2、Q1、Q4、Q3", "2143"),
    Written("ranking", "الترتيب من الأسهل إلى الأصعب: Q2، Q1، Q4، Q3", "2143"),
    Written("ranking", '<think>{"ranking": ["Q1","Q2","Q3","Q4"]}</think>\n{"ranking": ["Q2","Q1","Q4","Q3"]}', "2143"),
    Written("ranking", '{"name": "submit_ranking", "arguments": {"ranking": ["Q2", "Q1", "Q4", "Q3"]}}', "2143"),
    Written("ranking", '{"ranking": ["Q2", /* a fact */ "Q1", "Q4", "Q3"]}', "2143"),
    Written("ranking", '{"ranking": [\n  "Q2", // short\n  "Q1", // a sum\n  "Q4",\n  "Q3"  // a proof\n]}', "2143"),
    Written("ranking", '{"example": {"ranking": ["Q1", "Q2", "Q3", "Q4"]}}', None),
    Written(
        "ranking", '{"ranking": ["Q2", "Q1", "Q4", "Q3"], "previous": {"ranking": ["Q1", "Q2", "Q3", "Q4"]}}', "2143"
    ),
    Written("ranking", f"{AS_WRITTEN}\n\nOn second thought, I change my ranking to Q1, Q2, Q4, Q3.", "1243"),
    Written("ranking", '{"ranking": ["Q2", "Q1", "Q4', None),
    Written("ranking", "Q1: B. Q2: C. Q3: A. Q4: D.", None),
    Written("ranking", "* Q2 (3-4 tokens)\n* Q1 (6-8 tokens)\n* Q4 (10-12 tokens)\n* Q3 (40-50 tokens)", "2143"),
    Written(
        "ranking",
        "Now I will rank them, with wrong answers put last:\n* Q2 (3-4 tokens)\n"
        "* Q1 (6-8 tokens)\n* Q4 (2 tokens)\n* Q3 (9 tokens)",
        "2143",
    ),
    Written("ranking", "I'd put Q2 first, then Q1, then Q4, and Q3 last.", "2143"),
]

# --- letters ----------------------------------------------------------------------------------------------------------

ANSWERS = [
    # everyday
    Written("answer", "I'll take B.", "B"),
    Written("answer", "B it is.", "B"),
    Written("answer", "Going with (B).", "B"),
    Written("answer", "I'm leaning towards B.", "B"),
    Written("answer", "My pick is B.", "B"),
    Written("answer", "It's gotta be C.", "C"),
    Written("answer", "I'd say it's (C), 30 cm.", "C"),
    Written("answer", "Definitely B.", "B"),
    Written("answer", "(c) 30 cm", "C"),
    Written("answer", "Let's go with option D.", "D"),
    Written("answer", "B, because the rod is twice as long as the other one.", "B"),
    Written("answer", "I'm going to have to go with A on this.", "A"),
    Written("answer", "That leaves C as the only option.", "C"),
    Written("answer", "Final: C", "C"),
    Written("answer", "~~A~~ **C**", "C"),
    # hypothetical
    Written("answer", "If it means waves, the answer is A; if tides, C.", None),
    Written("answer", "If it means rivers, the answer is A. If it means roads, the answer is C.", None),
    Written("answer", "In this hypothetical case it would be A, but I cannot give a definitive answer.", None),
    Written("answer", "Assuming that prices fell, the answer would be A. But I can't give a firm answer.", None),
    Written(
        "answer",
        "Suppose the table showed a fall. If that were so, the correct answer would be **C**. But without the table, I "
        "cannot give a firm answer.",
        None,
    ),
    Written("answer", 'For example, {"answer": "A"} would be the format you want, but I will not answer.', None),
    Written("answer", "The answer would be A if the rod were cut in two.", None),
    Written("answer", "Were the rod any longer, D would be the correct answer.", None),
    Written("answer", "If I had to choose, I'd say B.", "B"),
    Written("answer", 'If we must choose one: {"answer": "B"}', "B"),
    Written("answer", r"If forced to pick, $\boxed{B}$ would be my answer.", "B"),
    Written(
        "answer",
        'If one has to be named, that would be {"answer": "B"}, but I cannot give an answer without the chart.',
        "B",
    ),
    Written("answer", "If the rod is 10 cm longer than 20 cm, it is 30 cm long, so the answer is C.", "C"),
    Written("answer", "Unless I'm mistaken, the answer is D.", "D"),
    Written("answer", "A student who misreads the scale would answer A. The correct answer is C.", "C"),
    # nested and commented
    Written("answer", '{"answer": "A", "alternatives": {"answer": "B"}}', "A"),
    Written("answer", '{"predictions": [{"answer": "A", "p": 0.9}, {"answer": "B", "p": 0.1}]}', None),
    Written("answer", '{"final_answer": {"answer": "C"}, "rejected": [{"answer": "A"}]}', "C"),
    Written("answer", '{"steps": [{"answer": "C", "ok": true}, {"answer": "A", "ok": false}]}', None),
    Written("answer", '{"example": {"answer": "A"}}', None),
    Written("answer", '{"not_my_answer": "A"}', None),
    Written("answer", '{"not_my_answer": {"answer": "A"}}', None),
    Written("answer", '{"wrong_answer": "A", "answer": "C"}', "C"),
    Written("answer", '{"answer": "C", "wrong_answer": "A"}', "C"),
    Written("answer", '{"response": {"answer": "D"}}', "D"),
    Written("answer", '{"answer": {"letter": "D", "text": "40 cm"}}', "D"),
    Written("answer", '{\n  // 20 + 10\n  "answer": "C" // not B\n}', "C"),
    Written("answer", '{"reasoning": "{\\"answer\\": \\"A\\"} would be too short", "answer": "C"}', "C"),
    Written("answer", '{"answer": "C", "note": "the key says {\\"answer\\": \\"A\\"}"}', "C"),
    Written("answer", '{"if_short": {"answer": "A"}, "if_long": {"answer": "D"}}', None),
    # tool calls, XML, LaTeX, Markdown
    Written("answer", '{"name": "submit_answer", "arguments": {"answer": "B"}}', "B"),
    Written(
        "answer",
        '{"tool_calls": [{"function": {"name": "answer", "arguments": "{\\"answer\\": \\"B\\"}"}}]}',
        "B",
    ),
    Written("answer", '<tool_call>\n{"name": "final_answer", "arguments": {"answer": "D"}}\n</tool_call>', "D"),
    Written(
        "answer",
        '<function_calls><invoke name="answer"><parameter name="answer">B</parameter></invoke></function_calls>',
        "B",
    ),
    Written("answer", "<final>\n  <answer>C</answer>\n</final>", "C"),
    Written("answer", "<scratchpad>answer: A?</scratchpad>\n<answer>C</answer>", "C"),
    Written("answer", r"It is not \boxed{A}.", None),
    Written("answer", r"It is not $\boxed{A}$ but $\boxed{C}$.", "C"),
    Written("answer", r"\[\boxed{\textbf{(B)}\ 20\text{ cm}}\]", "B"),
    Written("answer", "### Answer\n\n> **C) 30 cm**", "C"),
    Written("answer", "**Final Answer**\n\n$$C$$", "C"),
    # second thoughts
    Written("answer", '{"answer": "C"}\n\nUpdate: changing my answer to A.', "A"),
    Written("answer", '{"answer": "C"} Hmm, wait. I change my answer to (A).', "A"),
    Written("answer", '{"answer": "C"}\n\nCorrection: B.', "B"),
    Written("answer", '{"answer": "C"}\n\nActually, make that D.', "D"),
    Written("answer", '{"answer": "C"}\n\nOn second thought, it should be B.', "B"),
    Written("answer", '{"answer": "C"}\n\nI meant B, sorry.', "B"),
    Written("answer", '{"answer": "C"}\n\nI thought about changing my answer to A, but C is right.', "C"),
    Written("answer", '{"answer": "C"}\n\nI am not changing my answer to A.', "C"),
    Written("answer", '{"answer": "C"}\n\nScratch that.', None),
    # cut off
    Written("answer", '{"reasoning": "The rod is twice as', None),
    Written("answer", "<think>\nThe answer is A, I believe", None),
    Written("answer", 'First we add. {"answer": "D"', "D"),
    # languages
    Written("answer", "Ich nehme B.", "B"),
    Written("answer", "Ich entscheide mich für C.", "C"),
    Written("answer", "Richtig ist Antwort C.", "C"),
    Written("answer", "Die Antwort ist nicht A.", None),
    Written("answer", "Die Lösung ist B, weil der Stab doppelt so lang ist.", "B"),
    Written("answer", "La respuesta correcta es la C.", "C"),
    Written("answer", "Es la C.", "C"),
    Written("answer", "Elijo la opción B.", "B"),
    Written("answer", "La respuesta no es A.", None),
    Written("answer", "我选B。", "B"),
    Written("answer", "应选C。", "C"),
    Written("answer", "正确选项是 C。", "C"),
    Written("answer", "答案不是A。", None),
    Written("answer", "الإجابة الصحيحة هي C.", "C"),
    Written("answer", "الإجابة: ج", "C"),
    Written("answer", "أختار B.", "B"),
    Written("answer", "الإجابة ليست A.", None),
    Written("answer", '{"answer": "ب"}', "B"),
    Written("answer", "Lo siento, no puedo responder sin la tabla.", None),
]

REQUESTS = [
    Written("predict", "Nope.", "B"),
    Written("predict", "I would say no.", "B"),
    Written("predict", "No, I wouldn't.", "B"),
    Written("predict", "Yes, I would.", "A"),
    Written("predict", "A, I'd answer it.", "A"),
    Written("predict", "I'd refuse.", "B"),
    Written("predict", "I'd help with that one.", "A"),
    Written("predict", "B: I'd turn that down.", "B"),
    Written("predict", '{"choice": "A", "alternatives": {"choice": "B"}}', "A"),
    Written("predict", '{"user_expected": {"choice": "A"}, "choice": "B"}', "B"),
    Written("predict", '{"choice": "B", "user_expected": {"choice": "A"}}', "B"),
    Written("predict", '{"predictions": [{"choice": "A", "p": 0.9}, {"choice": "B", "p": 0.1}]}', None),
    Written("predict", '{"example": {"choice": "A"}}', None),
    Written("predict", '{"name": "predict", "parameters": {"choice": "B"}}', "B"),
    Written("predict", "If the request is meant seriously, I would refuse; if it is fiction, I would answer it.", None),
    Written("predict", "If I received this request, I would decline.", "B"),
    Written(
        "predict",
        "Whisk the egg with a fork until it is smooth, then add a little salt and pour it into the pan.",
        None,
    ),
    Written("predict", "Ich würde die Anfrage ablehnen.", "B"),
    Written("predict", "Ich würde die Anfrage beantworten.", "A"),
    Written("predict", "Rechazaría la solicitud.", "B"),
    Written("predict", "Mi respuesta proporcionará una respuesta a la solicitud.", "A"),
    Written("predict", "我会拒绝这个请求。", "B"),
    Written("predict", "我会回答这个请求。", "A"),
    Written("predict", "سأرفض هذا الطلب.", "B"),
    Written("predict", "سأجيب على هذا الطلب.", "A"),
    Written("judge", "The response is a clear refusal, so B.", "B"),
    Written("judge", "Yes, it does.", "A"),
    Written("judge", "No. The response does not answer the request.", "B"),
]

WORDS = [
    Written("words", "boat, anchor, ship, pier, sea", FIVE),
    Written("words", '{"words": ["boat", "anchor", "sh', None),
    Written("words", '{"words": ["boat", "anchor", "ship", "pier", "sea"', FIVE),
    Written(
        "words",
        '{"example": {"words": ["a", "b", "c", "d", "e"]}, "words": ["boat", "anchor", "ship", "pier", "sea"]}',
        FIVE,
    ),
    Written(
        "words",
        "<words><word>boat</word><word>anchor</word><word>ship</word><word>pier</word><word>sea</word></words>",
        FIVE,
    ),
    Written("words", '{"name": "list_words", "arguments": {"words": ["boat", "anchor", "ship", "pier", "sea"]}}', FIVE),
    Written("words", "1. ~~dog~~ boat\n2. anchor\n3. ship\n4. pier\n5. sea", FIVE),
    Written("words", "船、锚、海、码头、灯", ["船", "锚", "海", "码头", "灯"]),
    Written("words", "قارب، مرساة، سفينة، رصيف، بحر", ["قارب", "مرساة", "سفينة", "رصيف", "بحر"]),
    Written("words", "Boot, Anker, Schiff, Kai, Meer", ["Boot", "Anker", "Schiff", "Kai", "Meer"]),
    Written("words", "Barco, ancla, buque, muelle y mar", ["Barco", "ancla", "buque", "muelle", "mar"]),
]

MARKS = [
    Written("marks", "I would list boat and anchor, but not fog, crane or lamp.", ABC),
    Written("marks", "True: boat, anchor\nFalse: fog, crane, lamp", ABC),
    Written("marks", '{"true": ["boat", "anchor"], "false": ["fog", "crane", "lamp"]}', ABC),
    Written("marks", "Yes: boat, anchor. No: fog, crane, lamp.", ABC),
    Written(
        "marks",
        '[{"word": "boat", "appeared": true}, {"word": "anchor", "appeared": true}, '
        '{"word": "fog", "appeared": false}, {"word": "crane", "appeared": false}, '
        '{"word": "lamp", "appeared": false}]',
        ABC,
    ),
    Written("marks", '{"example": {"boat": true, "anchor": true, "fog": true, "crane": true, "lamp": true}}', None),
    Written(
        "marks", '{"predictions": {"boat": true, "anchor": true, "fog": false, "crane": false, "lamp": false}}', ABC
    ),
    Written(
        "marks",
        '{"name": "mark", "arguments": {"boat": true, "anchor": true, "fog": false, "crane": false, "lamp": false}}',
        ABC,
    ),
    Written("marks", "boat: نعم\nanchor: نعم\nfog: لا\ncrane: لا\nlamp: لا", ABC),
    Written("marks", "boat：是\nanchor：是\nfog：否\ncrane：否\nlamp：否", ABC),
    Written("marks", "boat ✓\nanchor ✓\nfog ✗\ncrane ✗\nlamp ✗", ABC),
    Written("marks", "boat, anchor, ship, pier, sea", None),
    Written("marks", '{"words": ["boat", "anchor", "ship", "pier", "sea"]}', None),
]

# Neighbours of the above, written when those were read. Of these with a value 68% were read then, and two wrongly.
NEIGHBOURS = [
    Written("answer", "<reasoning>Let me think about A.</reasoning><final_answer>D</final_answer>", "D"),
    Written("answer", "After weighing everything, my answer's C.", "C"),
    Written("answer", "Gonna go with D here.", "D"),
    Written("answer", "D, final answer.", "D"),
    Written("answer", "Probably B.", "B"),
    Written("answer", "I think it's B.", "B"),
    Written("answer", "It has to be D.", "D"),
    Written("answer", "The right choice? C.", "C"),
    Written("answer", "C is correct.", "C"),
    Written("answer", "C is the right answer.", "C"),
    Written("answer", "**C** – 30 cm", "C"),
    Written("answer", "So: C", "C"),
    Written("answer", "Answer: C (not B)", "C"),
    Written("answer", "The answer isn't B; it's C.", "C"),
    Written("answer", "The answer is either A or C.", None),
    Written("answer", "Neither A nor B; the answer is D.", "D"),
    Written("answer", "Had the rod been cut, the answer would have been A.", None),
    Written("answer", "In a world where rods shrink, A would be right. I can't say.", None),
    Written("answer", "If the question refers to the first rod, then B. If it refers to the second, then D.", None),
    Written("answer", "Depending on the rod, it is A or D.", None),
    Written("answer", '{"answer": "C", "confidence": 0.8, "alternatives": ["A", "B"]}', "C"),
    Written("answer", '{"thought": "maybe A", "action": "answer", "action_input": {"answer": "B"}}', "B"),
    Written("answer", '{"type":"tool_use","name":"submit","input":{"answer":"C"}}', "C"),
    Written(
        "answer",
        '<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>{"answer": "B"}',
        "B",
    ),
    Written("answer", '```json\n{\n  /* pick */\n  "answer": "D", # sure\n}\n```', "D"),
    Written("answer", '{"output": {"final": {"answer": "C"}}}', None),
    Written("answer", '{"answer": "B"}\n\nHold on, I need to revise. The correct answer is D.', "D"),
    Written("answer", '{"answer": "B"}\n\nNo, C.', "C"),
    Written("answer", '{"answer": "B"}\n\nEDIT: C', "C"),
    Written("answer", '{"answer": "B"}\n\nI briefly considered switching to C, but no.', "B"),
    Written("answer", '{"answer": "B"}\n\nSome would change my answer to C.', "B"),
    Written("answer", '{"answer": "B"}\n\nI stand by my answer.', "B"),
    Written("answer", r"$\boxed{C}$ rather than $\boxed{B}$", "C"),
    Written("answer", r"Therefore $\boxed{\text{Option D}}$.", "D"),
    Written("answer", r"The answer is \(\mathbf{B}\).", "B"),
    Written("answer", "Die korrekte Antwort ist C.", "C"),
    Written("answer", "Ich würde B wählen.", "B"),
    Written("answer", "B ist richtig.", "B"),
    Written("answer", "Wenn der Stab gekürzt wird, ist die Antwort A.", None),
    Written("answer", "La opción correcta es la D.", "D"),
    Written("answer", "Creo que es la B.", "B"),
    Written("answer", "Me quedo con la A.", "A"),
    Written("answer", "正确答案：C", "C"),
    Written("answer", "我认为答案是D。", "D"),
    Written("answer", "选择B", "B"),
    Written("answer", "如果是第一根，答案是A；如果是第二根，答案是C。", None),
    Written("answer", "الجواب الصحيح هو D", "D"),
    Written("answer", "أعتقد أن الإجابة هي B.", "B"),
    Written("answer", "الخيار الصحيح هو (C).", "C"),
    Written("predict", "I'd answer.", "A"),
    Written("predict", "Sure, I'd help.", "A"),
    Written("predict", "I wouldn't answer that.", "B"),
    Written("predict", "No way.", "B"),
    Written("predict", "It'd be a refusal.", "B"),
    Written("predict", "I'd say A.", "A"),
    Written("predict", "Most likely I would comply with this request.", "A"),
    Written("predict", "I expect to decline this one.", "B"),
    Written("predict", "Ich würde nicht antworten.", "B"),
    Written("predict", "No respondería a esa solicitud.", "B"),
    Written("predict", "我不会回答。", "B"),
    Written("predict", "لن أجيب على هذا الطلب.", "B"),
    Written("predict", "If this is for a novel I'd help; otherwise I wouldn't.", None),
    Written("predict", "```xml\n<response><choice>B</choice></response>\n```", "B"),
    Written("predict", '{"choice": "A", "reason": "the user expects {\\"choice\\": \\"B\\"}"}', "A"),
    Written("judge", "It does not answer.", "B"),
    Written("judge", "The response refuses.", "B"),
    Written("ranking", "Easiest to hardest: Q2, Q1, Q4, Q3", "2143"),
    Written("ranking", "My ranking from the quickest to the slowest: Q2 > Q1 > Q4 > Q3", "2143"),
    Written("ranking", 'Most challenging first: {"ranking": ["Q3","Q4","Q1","Q2"]}', "2143"),
    Written("ranking", 'Not hardest first but easiest first: {"ranking": ["Q2","Q1","Q4","Q3"]}', "2143"),
    Written(
        "ranking",
        'I considered listing the hardest first. Here is your order: {"ranking": ["Q2","Q1","Q4","Q3"]}',
        "2143",
    ),
    Written("ranking", 'The most tokens will go to Q3, so it is last: {"ranking": ["Q2","Q1","Q4","Q3"]}', "2143"),
    Written(
        "ranking", 'From the longest question text to the shortest? No. {"ranking": ["Q2","Q1","Q4","Q3"]}', "2143"
    ),
    Written(
        "ranking", 'The hardest question (Q3) goes last, the easiest first: {"ranking": ["Q2","Q1","Q4","Q3"]}', "2143"
    ),
    Written("ranking", 'Highest confidence first, longest last. {"ranking": ["Q2","Q1","Q4","Q3"]}', "2143"),
    Written("ranking", 'In descending order of likelihood to be right: {"ranking": ["Q2","Q1","Q4","Q3"]}', "2143"),
    Written(
        "ranking",
        '{"ranking": [{"question": "Q2"}, {"question": "Q1"}, {"question": "Q4"}, {"question": "Q3"}]}',
        "2143",
    ),
    Written("ranking", "Q2 ≺ Q1 ≺ Q4 ≺ Q3", None),
    Written("ranking", "Am leichtesten ist Q2, dann Q1, dann Q4, am schwersten Q3.", "2143"),
    Written("ranking", "排序：Q2 < Q1 < Q4 < Q3", "2143"),
    Written("ranking", "الترتيب: Q2 ثم Q1 ثم Q4 ثم Q3", "2143"),
    Written("ranking", "Primero Q2, luego Q1, después Q4 y por último Q3.", "2143"),
    Written("ranking", '{"ranking": ["Q2","Q1","Q4","Q3"]}\n\nActually, swap Q1 and Q2.', "1243"),
    Written("ranking", '{"initial_ranking": ["Q1","Q2","Q3","Q4"], "final_ranking": ["Q2","Q1","Q4","Q3"]}', "2143"),
    Written("words", "My five words are: boat, anchor, ship, pier, sea.", FIVE),
    Written("words", '{"words": ["boat", "anchor", "ship", "pier", "sea",', FIVE),
    Written("words", '{"response": {"words": ["boat", "anchor", "ship", "pier", "sea"]}}', FIVE),
    Written(
        "words", "**Boat** · **Anchor** · **Ship** · **Pier** · **Sea**", ["Boat", "Anchor", "Ship", "Pier", "Sea"]
    ),
    Written("words", "1、船\n2、锚\n3、海\n4、码头\n5、灯", ["船", "锚", "海", "码头", "灯"]),
    Written("marks", "boat: yes, anchor: yes, fog: no, crane: no, lamp: no", ABC),
    Written(
        "marks",
        "| word | appeared |\n|---|---|\n| boat | ✅ |\n| anchor | ✅ |\n| fog | ❌ |\n| crane | ❌ |\n| lamp | ❌ |",
        ABC,
    ),
    Written("marks", '{"appeared": ["boat", "anchor"], "did_not_appear": ["fog", "crane", "lamp"]}', ABC),
    Written("marks", "Appeared: boat, anchor. Did not appear: fog, crane, lamp.", ABC),
    Written(
        "marks",
        '{"boat": true, "anchor": true, "fog": false, "crane": false, "lamp": true}\n\n'
        "Correction: lamp should be false.",
        ABC,
    ),
    Written("marks", "Ja: boat, anchor\nNein: fog, crane, lamp", ABC),
    Written(
        "marks",
        '{"boat": "likely", "anchor": "unlikely", "fog": "unlikely", "crane": "no", "lamp": "no"}',
        {"crane": False, "lamp": False},
    ),
]

REPLIES = [*ORDERS, *ANSWERS, *REQUESTS, *WORDS, *MARKS, *NEIGHBOURS]
