"use strict";
(() => {
const DATA = JSON.parse(document.getElementById("data").textContent);
const STORE = "selfexec-form-" + DATA.form;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*$/u;
const ORDINALS = ["1st", "2nd", "3rd"];
const byId = (id) => document.getElementById(id);
const place = (q) => JSON.stringify([q.experiment, q.item, q.session, Object.entries(q.facets || {}).sort()]);
const QUESTIONS = DATA.questions.map((q) => ({ ...q, place: place(q) }));
const FIRST = QUESTIONS.filter((q) => !q.needs.length);

// --- what is known so far: answers are {value, seconds, done} by the place of their question ------------------------

let state = { pseudonym: "", at: 0, answers: {} };
let keeps = true;  // whether this browser keeps answers through a reload
let unsaved = false;
let since = null;  // when the question in view came into view, or back into it

function keep() {
  try {
    localStorage.setItem(STORE, JSON.stringify(state));
  } catch { keeps = false; }
}

function recall() {
  try {
    const found = JSON.parse(localStorage.getItem(STORE));
    if (found && typeof found.answers === "object" && found.answers) state = { ...state, ...found };
  } catch { keeps = false; }
  try {
    localStorage.setItem(STORE + "-try", "1");
    localStorage.removeItem(STORE + "-try");
  } catch { keeps = false; }
}

function forget() {
  state = { pseudonym: "", at: 0, answers: {} };
  unsaved = false;
  try { localStorage.removeItem(STORE); } catch { keeps = false; }
}

const answerTo = (q) => state.answers[q.place];
const isDone = (q) => Boolean(answerTo(q)?.done);
const inSameItem = (q, session) => QUESTIONS.find((o) => o.experiment === q.experiment && o.item === q.item && o.session === session);
const replyTo = (q) => (q && isDone(q) ? FIELDS[q.field.kind].reply(q, answerTo(q).value) : "");
const isAsked = (q) => q.needs.every((session) => replyTo(inSameItem(q, session)).trim());
const asked = () => QUESTIONS.filter(isAsked);

// --- seconds: while a question is in view, and the page too ----------------------------------------------------------

function stopClock() {
  if (since === null || !current) return;
  const answer = (state.answers[current.place] ||= { value: null, seconds: 0, done: false });
  answer.seconds += (performance.now() - since) / 1000;
  since = null;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) { stopClock(); keep(); }
  else if (current) since = performance.now();
});
addEventListener("pagehide", () => { stopClock(); keep(); });
addEventListener("beforeunload", (event) => { if (!keeps && unsaved) event.preventDefault(); });

// --- how each kind of question is shown, taken down, and written as a reply ------------------------------------------

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element && typeof value !== "string") element[name] = value; else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function box(type, name, checked, text) {
  const input = make("input", { type, name, checked });
  return [make("label", { class: "choice" }, input, make("span", {}, text)), input];
}

const objectIn = (text) => { const found = JSON.parse(text); if (!found || typeof found !== "object") throw Error(); return found; };

const FIELDS = {
  marks: {
    show(q, value, changed) {
      const boxes = q.field.options.map(([option, shown]) => [option, ...box("checkbox", "mark", Boolean(value?.ticked.includes(option)), shown)]);
      const [label, none] = box("checkbox", "none", Boolean(value?.none), "None of these");
      const note = () => changed({ ticked: boxes.filter(([, , input]) => input.checked).map(([option]) => option), none: none.checked });
      for (const [, , input] of boxes) input.addEventListener("change", () => { if (input.checked) none.checked = false; note(); });
      none.addEventListener("change", () => { if (none.checked) boxes.forEach(([, , input]) => { input.checked = false; }); note(); });
      return [...boxes.map(([, element]) => element), label];
    },
    lacks: (q, value) => (value && (value.none || value.ticked.length) ? "" : "Tick what fits, or “None of these”."),
    reply: (q, value) => JSON.stringify(Object.fromEntries(q.field.options.map(([option]) => [option, value.ticked.includes(option)]))),
    value(q, text) {
      const marks = objectIn(text);
      const ticked = q.field.options.map(([option]) => option).filter((option) => marks[option] === true);
      return { ticked, none: !ticked.length };
    },
  },
  words: {
    show(q, value, changed) {
      const inputs = [];
      return Array.from({ length: q.field.words }, (_, n) => {
        const input = make("input", { type: "text", id: "word-" + n, maxlength: "100", autocomplete: "off", autocapitalize: "off" });
        input.value = value?.[n] ?? "";
        input.addEventListener("input", () => changed(inputs.map((one) => one.value)));
        input.addEventListener("keydown", (event) => {
          if (event.key === "Enter" && !event.isComposing && inputs[n + 1]) { event.preventDefault(); inputs[n + 1].focus(); }
        });
        inputs.push(input);
        return make("div", { class: "word" }, make("label", { for: "word-" + n }, "Word " + (n + 1)), input);
      });
    },
    lacks(q, value) {
      const words = (value || []).map((word) => word.trim()).filter(Boolean);
      if (words.length < q.field.words) return `Write ${q.field.words} words. ${words.length} so far.`;
      return new Set(words.map((word) => word.toLowerCase())).size < words.length ? "Two of the words are the same." : "";
    },
    reply: (q, value) => JSON.stringify({ [q.field.key]: value.map((word) => word.trim()) }),
    value: (q, text) => objectIn(text)[q.field.key].map(String),
  },
  choice: {
    show(q, value, changed) {
      return q.field.options.map(([option, shown]) => {
        const [label, input] = box("radio", "choice", value === option, shown);
        input.addEventListener("change", () => changed(option));
        return label;
      });
    },
    lacks: (q, value) => (value === null || value === undefined ? "Choose one." : ""),
    reply: (q, value) => JSON.stringify({ [q.field.key]: value }),
    value(q, text) {
      const letter = objectIn(text)[q.field.key];
      if (!q.field.options.some(([option]) => option === letter)) throw Error();
      return letter;
    },
  },
  order: {
    show(q, value, changed) {
      let order = [...(value || [])];
      const cards = q.field.options.map(([label, shown]) => {
        const button = make("button", { type: "button" });
        const id = "text-" + label;
        button.setAttribute("aria-describedby", id);
        const card = make("div", { class: "card" }, make("p", { id }, shown), button);
        button.addEventListener("click", () => {
          order = order.includes(label) ? order.slice(0, order.indexOf(label)) : [...order, label];
          if (order.length === q.field.options.length - 1) order.push(...q.field.options.map(([one]) => one).filter((one) => !order.includes(one)));
          paint();
          changed([...order]);
        });
        return { label, card, button };
      });
      const last = cards.length - 1;
      const rank = (n) => ((ORDINALS[n] || `${n + 1}th`) + (n === 0 ? " (easiest)" : n === last ? " (hardest)" : ""));
      const paint = () => cards.forEach(({ label, card, button }) => {
        const n = order.indexOf(label);
        card.classList.toggle("placed", n >= 0);
        button.setAttribute("aria-pressed", String(n >= 0));
        button.textContent = n < 0 ? `Rank this ${rank(order.length)}` : `${rank(n)} – undo`;
      });
      paint();
      return cards.map(({ card }) => card);
    },
    lacks: (q, value) => (value?.length === q.field.options.length ? "" : `Put all ${q.field.options.length} in order: press the easiest first.`),
    reply: (q, value) => JSON.stringify({ [q.field.key]: value }),
    value(q, text) {
      const labels = objectIn(text)[q.field.key];
      const inOrder = (some) => JSON.stringify([...some].sort());
      if (inOrder(labels) !== inOrder(q.field.options.map(([label]) => label))) throw Error();
      return labels;
    },
  },
  text: {
    show(q, value, changed) {
      const area = make("textarea", { id: "reply", rows: "6", maxlength: "20000" });
      area.value = value ?? "";
      area.addEventListener("input", () => changed(area.value));
      const decline = make("button", { type: "button", id: "decline" }, "I decline to answer");
      decline.addEventListener("click", () => {
        if (area.value.trim()) { byId("lacks").textContent = "To decline, delete what you wrote first."; return; }
        changed("");
        settle();
      });
      const declined = isDone(q) && value === "" ? [make("p", {}, "You declined. Write an answer to change that.")] : [];
      return [make("label", { for: "reply" }, "Your answer"), area, ...declined, make("p", { class: "buttons" }, decline)];
    },
    lacks: (q, value) => (value?.trim() || (isDone(q) && value === "") ? "" : "Write an answer, or decline."),
    reply: (q, value) => value,
    value: (q, text) => text,
  },
};

// --- the three views -------------------------------------------------------------------------------------------------

let current = null;  // the question in view

function view(name) {
  stopClock();
  if (name !== "ask") current = null;
  for (const id of ["start", "ask", "end"]) byId(id).hidden = id !== name;
  scrollTo(0, 0);
}

function showStart() {
  view("start");
  const known = Object.values(state.answers).some((answer) => answer.done);
  byId("size").textContent = FIRST.length === 1 ? "There is 1 question." : `There are ${FIRST.length} questions.`;
  byId("pseudonym").value = state.pseudonym;
  byId("go").textContent = known ? "Continue" : "Start";
  byId("anew").hidden = !known;
  byId("kept").textContent = known ? `Answers of “${state.pseudonym}” are here already.`
    : keeps ? "" : "This browser does not keep your answers: save them before you close the page.";
}

function showQuestion(at) {
  view("ask");
  const all = asked();
  state.at = Math.max(0, Math.min(at, all.length - 1));
  const q = (current = all[state.at]);
  const number = all.slice(0, state.at + 1).filter((one) => !one.needs.length).length;
  byId("count").textContent = `${number} of ${FIRST.length}`;
  byId("bar").max = FIRST.length;
  byId("bar").value = number - 1;
  const error = make("p", { class: "error", id: "lacks", role: "alert" });
  const legend = make("legend", {}, make("h1", { tabIndex: -1, id: "title" }, q.ask));
  const about = q.about.map((part, n) => (n % 2 ? replyTo(inSameItem(q, part)) : part)).join("");
  const changed = (value) => { note(q, value); error.textContent = ""; };
  const fields = FIELDS[q.field.kind].show(q, answerTo(q)?.value, changed);
  const next = make("button", { class: "main", id: "next" }, state.at === all.length - 1 && q.field.kind !== "text" ? "Finish" : "Next");
  const back = make("button", { type: "button", id: "previous", hidden: state.at === 0 }, "Back");
  const skip = make("button", { type: "button", id: "skip" }, "Skip");
  back.addEventListener("click", () => showQuestion(state.at - 1));
  skip.addEventListener("click", () => { note(q, null); answerTo(q).done = false; go(); });
  byId("question").replaceChildren(
    make("fieldset", {}, legend, ...(about ? [make("div", { class: "about" }, about)] : []), ...fields),
    error, make("p", { class: "buttons" }, next, back, skip));
  byId("title").focus();
  since = document.hidden ? null : performance.now();
  keep();
}

function note(q, value) {
  state.answers[q.place] = { seconds: 0, done: false, ...answerTo(q), value };
  unsaved = true;
  keep();
}

function settle() {
  stopClock();
  const q = current;
  if (!answerTo(q)) note(q, null);
  answerTo(q).done = true;
  go();
}

function go() {
  stopClock();
  const all = asked();
  const at = all.indexOf(current);
  if (at === all.length - 1) showEnd(); else showQuestion(at + 1);
}

function showEnd() {
  view("end");
  keep();
  const all = asked();
  const left = all.filter((q) => !isDone(q)).length;
  byId("end-title").textContent = left ? `${all.length - left} of ${all.length} answered` : "That is all. Thank you.";
  byId("end-text").textContent = (left ? "You can go on now, or later with the saved file. " : "")
    + "Save the file and give it to the person who gave you this form. Nothing has been sent.";
  byId("done").textContent = "";
  byId("lines").value = lines();
  byId("save").disabled = byId("copy").disabled = left === all.length;
  document.querySelector("#end h1").focus();
}

// --- answers as lines of replies, and back ---------------------------------------------------------------------------

function line(q) {
  const { value, seconds } = answerTo(q);
  const facets = Object.keys(q.facets).length ? { facets: q.facets } : {};
  return JSON.stringify({
    model: "person/" + state.pseudonym, experiment: q.experiment, item: q.item, epoch: 1, session: q.session, ...facets,
    text: FIELDS[q.field.kind].reply(q, value), output_tokens: null, error: null,
    seconds: Math.round(seconds * 10) / 10, person: true,
  });
}

const lines = () => asked().filter(isDone).map((q) => line(q) + "\n").join("");

function take(text) {
  const found = {};
  let pseudonym = "";
  for (const one of text.split("\n").filter((part) => part.trim())) {
    const reply = JSON.parse(one);
    const q = QUESTIONS.find((known) => known.place === place(reply));
    const name = String(reply.model).replace(/^person\//, "");
    if (!q || refusal(name) || (pseudonym && name !== pseudonym)) throw Error();
    pseudonym = name;
    found[q.place] = { value: FIELDS[q.field.kind].value(q, reply.text), seconds: Number(reply.seconds) || 0, done: true };
  }
  if (!pseudonym) throw Error();
  state = { pseudonym, at: 0, answers: found };
  const all = asked();
  state.at = Math.max(0, all.findIndex((q) => !isDone(q)));
}

function refusal(name) {
  if (!name) return "Type a made-up name.";
  if (name.includes("@")) return "This looks like an e-mail address. Type a made-up name.";
  if (/^[\d-]{7,}$/.test(name)) return "This looks like a telephone number. Type a made-up name.";
  return NAME.test(name) && name.length <= 40 ? "" : "Use letters, digits, - and _ alone, without blanks.";
}

// --- what is pressed -------------------------------------------------------------------------------------------------

byId("begin").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = byId("pseudonym").value.trim();
  byId("pseudonym-error").textContent = refusal(name);
  byId("pseudonym").setAttribute("aria-invalid", String(Boolean(refusal(name))));
  if (refusal(name)) { byId("pseudonym").focus(); return; }
  state.pseudonym = name;
  showQuestion(state.at);
});

byId("question").addEventListener("submit", (event) => {
  event.preventDefault();
  const lacks = FIELDS[current.field.kind].lacks(current, answerTo(current)?.value);
  byId("lacks").textContent = lacks;
  if (!lacks) settle();
});

byId("pause").addEventListener("click", showEnd);
byId("back").addEventListener("click", () => {
  const first = asked().findIndex((q) => !isDone(q));
  showQuestion(first < 0 ? 0 : first);
});

byId("save").addEventListener("click", () => {
  const name = `${DATA.round}-${state.pseudonym}.jsonl`;
  const url = URL.createObjectURL(new Blob([lines()], { type: "application/octet-stream" }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  unsaved = false;
  byId("done").textContent = `Saved as ${name}, where this browser puts its downloads.`;
});

byId("copy").addEventListener("click", async () => {
  const area = byId("lines");
  let copied = true;
  try {
    await navigator.clipboard.writeText(lines());
  } catch {
    byId("text").open = true;
    area.focus();
    area.select();
    copied = document.execCommand("copy");
  }
  if (copied) unsaved = false;
  byId("done").textContent = copied ? "Copied. Paste it into a message." : "This browser does not copy. The text is selected below: copy it by hand.";
});

for (const id of ["anew", "wipe"]) {
  byId(id).addEventListener("click", () => {
    if (confirm("Delete the answers from this device?")) { forget(); showStart(); byId("pseudonym").focus(); }
  });
}

byId("saved").addEventListener("change", async () => {
  const before = state;
  byId("saved-error").textContent = "";
  try {
    take(await byId("saved").files[0].text());
    keep();
    showStart();
  } catch {
    state = before;
    byId("saved-error").textContent = "These are no answers to this form.";
  }
  byId("saved").value = "";
});

recall();
showStart();
})();
