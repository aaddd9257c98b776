"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const count = (n) => n.toLocaleString("en-US");

  // --- tables: sort by a column ---------------------------------------------------------------------------------

  /** The number that a text begins with: "1,234 of 2,000", "-.05 [-.10, .00]". */
  const leading = (text) => {
    const found = /^[+-]?(?:\d[\d,]*\.?\d*|\.\d+)/.exec(text.replace("−", "-"));
    return found ? Number(found[0].replaceAll(",", "")) : null;
  };

  const came = new Map();
  const arrived = (root) => all(".figure tbody", root).forEach((body) => came.set(body, [...body.rows]));
  arrived();

  const cellValue = (row, column, kind) => {
    const cell = row.cells[column];
    const text = cell.textContent.trim();
    if (kind === "text") return text.toLowerCase();
    if (kind === "mixed") return leading(text);
    const value = cell.dataset.value;
    return value === undefined || value === "" ? null : Number(value);
  };

  const sort = (button) => {
    const head = button.closest("th");
    const table = head.closest("table");
    const bodies = [...table.tBodies];
    const sorted = (body) => [...body.rows].filter((row) => !row.classList.contains("group")); // headings stay on top
    let kind = button.dataset.kind;
    if (kind === "mixed") { // the tables behind figures do not say which of their columns hold numbers
      const texts = bodies.flatMap(sorted).map((row) => cellValue(row, head.cellIndex, "text")).filter(Boolean);
      if (texts.filter((text) => leading(text) !== null).length <= texts.length / 2) kind = "text";
    }
    // numbers from the greatest first
    const first = kind === "text" ? "ascending" : "descending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    all("th[aria-sort]", table).forEach((th) => th.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    for (const body of bodies) {
      const rows = sorted(body).map((row) => [cellValue(row, head.cellIndex, kind), row]);
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null); // what is not there comes last
        return sign * (kind === "text" ? (a < b ? -1 : a > b ? 1 : 0) : a - b);
      });
      body.append(...rows.map(([, row]) => row));
    }
    follow(table);
  };

  /** The drawing above a table takes the order of its rows. */
  const follow = (table) => {
    const figure = table.closest(".figure");
    const select = figure && figure.querySelector(".order select");
    if (!select) return;
    select.selectedIndex = 1 + [...table.tHead.rows[0].cells].findIndex((head) => head.hasAttribute("aria-sort"));
    all(".canvas svg", figure).forEach(pack);
  };

  /** Sort what is behind a figure by the column that was chosen; by none, as the page came. */
  const order = async (select) => {
    const figure = select.closest(".figure");
    await unfold(figure);
    const table = figure.querySelector("table");
    all("th[aria-sort]", table).forEach((head) => head.removeAttribute("aria-sort"));
    if (select.selectedIndex > 0) return sort(all("thead .sort", table)[select.selectedIndex - 1]);
    for (const body of table.tBodies) body.append(...came.get(body));
    follow(table);
  };

  // --- models: filter and highlight -----------------------------------------------------------------------------

  const rowsIn = (root) => all("tr[data-model], details.model", root);
  const marksOfModels = () => all(".canvas [data-model], .canvas [data-family], .crowd [data-model]");
  let figureMarks = marksOfModels();
  const family = new Map(rowsIn().map((row) => [row.dataset.model, row.dataset.family]));
  let wanted = new Set(family.keys());
  const sift = (root) => rowsIn(root).forEach((row) => row.classList.toggle("off", !wanted.has(row.dataset.model)));

  const FEW = 30; // models that have rows where each of many has a line

  const filter = () => {
    const text = byId("find").value.trim().toLowerCase();
    const chip = document.querySelector(".chip[aria-pressed='true']");
    const off = (kind) => chip !== null && kind !== chip.dataset.family;
    wanted = new Set([...family.keys()].filter((m) => m.toLowerCase().includes(text) && !off(family.get(m))));
    sift();
    for (const mark of figureMarks) {
      const { model, family: kind } = mark.dataset;
      mark.classList.toggle("off", family.has(model) ? !wanted.has(model) : off(kind));
    }
    all(".canvas svg").forEach(pack);
    for (const panel of all(".example")) {
      const own = wanted.size < family.size && all("p[data-for]", panel).find((one) => wanted.has(one.dataset.for));
      all("p", panel).forEach((one) => (one.hidden = one !== (own || panel.querySelector("p:not([data-for])"))));
    }
    if (guessing && guessing.querySelector(".guessed").textContent !== guessed()) {
      for (const name of all(".guessed")) name.textContent = guessed();
      byId("guess-card").replaceChildren(begin);
    }
    const everyone = wanted.size === family.size;
    document.body.classList.toggle("few", wanted.size <= FEW && !everyone);
    document.querySelector(".shown").textContent = everyone ? "" : wanted.size ? `${wanted.size} of ${family.size} models` : "No model here has such a name";
    document.querySelector(".filter .reset").hidden = everyone;
  };

  /** Of a family alone; of all, where it is null. */
  const alone = (kind) => all(".chip").forEach((chip) => chip.setAttribute("aria-pressed", String(chip.dataset.family === kind)));

  const showAll = () => {
    byId("find").value = "";
    alone(null);
    filter();
  };

  /** Put the rows of a figure where they belong: together where some are hidden, which makes it as much lower; in the
   * order of the table behind it where that is sorted, and then without the headings of families. Each line of panels
   * has its own rows, and those below move up with it. */
  const pack = (svg) => {
    const lines = all(".sx-line", svg);
    let gone = 0;
    for (const line of lines.length ? lines : [svg]) {
      if (gone || line.style.translate) line.style.translate = `0 ${-gone}px`;
      gone += packLine(line, svg.closest(".figure").querySelector("table"));
    }
    svg.classList.toggle("alone", wanted.size === 1);
    svg.dataset.height ??= svg.viewBox.baseVal.height;
    svg.setAttribute("viewBox", `0 0 ${svg.viewBox.baseVal.width} ${svg.dataset.height - gone}`);
  };

  /** The same of one line, and how much lower it is. */
  const packLine = (root, table) => {
    const bands = all("[data-band]", root).map((part) => {
      const [middle, height] = part.dataset.band.split(" ").map(Number);
      return { part, top: middle - height / 2, height, model: part.dataset.model, family: part.dataset.family };
    });
    if (!bands.length) return 0;
    bands.sort((one, two) => one.top - two.top);
    const sorted = table !== null && table.querySelector("th[aria-sort]") !== null;
    const off = ({ part }) => !root.closest(".sx-crowd") && part.classList.contains("off"); // of many models all stay
    for (const head of bands) { // a family's heading goes with the last of its models
      if (head.model === undefined) head.part.classList.toggle("off", sorted || !bands.some((row) => row.model !== undefined && row.family === head.family && !off(row)));
    }
    const gaps = bands.map(({ top }, n) => (n && !sorted ? top - bands[n - 1].top - bands[n - 1].height : 0));
    const order = bands.map((band, n) => ({ ...band, gap: gaps[n] }));
    if (sorted) {
      const ranks = new Map(all("tbody tr", table).map((row, n) => [row.dataset.model, n]));
      order.sort((one, two) => ranks.get(one.model) - ranks.get(two.model));
    }
    const shift = new Map();
    let end = bands[0].top;
    for (const { part, top, height, model, gap } of order) {
      end += gap;
      if (off({ part })) continue;
      if (model === undefined) part.style.translate = `0 ${end - top}px`;
      else shift.set(model, end - top);
      end += height;
    }
    for (const part of all("[data-model]", root)) if (shift.has(part.dataset.model)) part.style.translate = `0 ${shift.get(part.dataset.model)}px`;
    const last = bands.at(-1);
    const gone = last.top + last.height - end;
    for (const part of all(".sx-foot", root)) part.style.translate = `0 ${-gone}px`;
    for (const line of all(".sx-down", root)) {
      line.dataset.end ??= line.getAttribute("y2");
      line.setAttribute("y2", line.dataset.end - gone);
    }
    return gone;
  };

  const highlight = (model) => {
    for (const mark of figureMarks) {
      if (mark.dataset.model !== undefined) mark.classList.toggle("dim", model !== null && mark.dataset.model !== model);
    }
  };

  // --- figures: what marks say, what is behind them, and figures as files ------------------------------------------

  const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
  tip.setAttribute("aria-hidden", "true"); // the mark itself says it to those who hear the page
  document.body.append(tip);
  let marked = null; // the mark that it is of

  /** The mark that a part of a drawing belongs to, if it says anything. */
  const markAt = (part) => {
    const mark = part.closest(".canvas .sx-mark, .canvas text");
    return mark && (mark.hasAttribute("aria-label") || mark.querySelector(":scope > title")) ? mark : null;
  };

  /** What a mark says: from now on to those who hear the page, too, and no longer as a title, which a browser would show
   * beside the tip. */
  const wordsOf = (mark) => {
    const title = mark.querySelector(":scope > title");
    if (title) {
      mark.setAttribute("aria-label", title.textContent);
      mark.setAttribute("role", "img");
      title.remove();
    }
    return mark.getAttribute("aria-label");
  };

  const numbers = new Map(all("details.model").map(({ id, dataset }) => [dataset.model, id.replace("model-", "")]));

  /** What stands behind a mark, as it is asked for of the dialog; null where that is not in the page. */
  const itemsOf = (mark) => {
    const of = mark.closest("[data-of]");
    const whose = mark.closest(".canvas [data-model]");
    if (!byId("drill") || !of || !whose || !mark.matches(".sx-mark") || !numbers.has(whose.dataset.model)) return null;
    return { m: numbers.get(whose.dataset.model), e: of.dataset.of, c: "all" };
  };

  const place = () => {
    const { left, right, top, bottom } = marked.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = tip;
    const most = document.documentElement.clientWidth - width - 4;
    tip.style.left = `${Math.max(4, Math.min((left + right - width) / 2, most))}px`;
    tip.style.top = `${top - height - 6 > 0 ? top - height - 6 : bottom + 6}px`;
  };

  /** Show what a mark says, or of null nothing. */
  const tell = (mark) => {
    marked = mark;
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = wordsOf(mark);
    const more = { type: "button", className: "ev", tabIndex: -1, textContent: "items behind it" };
    if (itemsOf(mark)) tip.append(Object.assign(document.createElement("button"), more));
    place();
  };

  /** A click opens what is behind a mark; a finger, which cannot point, is first shown what it says. */
  const pick = (event) => {
    if (tip.contains(event.target)) return;
    const mark = markAt(event.target);
    if (mark && event.pointerType !== "touch" && itemsOf(mark)) open(itemsOf(mark));
    else tell(mark);
  };

  const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

  /** The next mark of a drawing from one of them, in the direction of an arrow; from none, its first. */
  const next = (canvas, from, [across, down]) => {
    const marks = all(".sx-mark", canvas).filter((mark) => !mark.closest(".off"));
    if (!from) return marks[0];
    const places = marks.map((mark) => {
      const { x, y, width, height } = (mark.querySelector(".sx-shape") || mark).getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    });
    const start = marks.indexOf(from);
    const [x, y] = places[start];
    let [nearest, least] = [from, Infinity];
    places.forEach(([toX, toY], n) => {
      const along = (toX - x) * across + (toY - y) * down;
      const aside = Math.abs((toX - x) * down) + Math.abs((toY - y) * across);
      const far = across ? along + 6 * aside : 3 * along + aside; // along a row, or to the next one
      const together = across && Math.hypot(along, aside) < 0.5; // then in their order
      const onward = together ? Math.sign(n - start) === across : along > 0.5;
      if (onward && far < least) [nearest, least] = [marks[n], far];
    });
    return nearest;
  };

  /** By keys a figure is one stop, however many marks it has: arrows go from one to the other. */
  const keys = (event) => {
    const canvas = event.target.closest(".canvas");
    if (event.key === "Escape") {
      if (canvas) canvas.focus();
      return tell(null);
    }
    if (!canvas || event.ctrlKey || event.altKey || event.metaKey) return;
    const here = event.target === canvas ? null : markAt(event.target);
    if (event.key === "Enter" && here && itemsOf(here)) return void open(itemsOf(here));
    const mark = ARROWS[event.key] && next(canvas, here, ARROWS[event.key]);
    if (!mark) return;
    event.preventDefault();
    mark.ownerSVGElement.setAttribute("role", "group"); // of an image nobody hears the parts
    mark.setAttribute("tabindex", "-1");
    wordsOf(mark);
    mark.focus();
  };

  const say = (figure, text) => {
    const line = figure.querySelector(".done");
    line.textContent = text;
    setTimeout(() => (line.textContent = ""), 4000);
  };

  const nameOf = (figure) => figure.id.replace("figure-", "");

  /** Copy a text, and say in a word or two whether that went well. `place`: a part of the page to do it in. */
  const copied = async (text, place) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // an older way, where a page that is a file may not
      const box = Object.assign(document.createElement("textarea"), { value: text, className: "sr" });
      place.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      if (!done) return "This browser does not let a page copy";
    }
    return "Copied";
  };

  const copy = async (figure) => say(figure, await copied(await unpack(`csv-${nameOf(figure)}`), figure));

  /** The drawing as it is shown, for programs that know no page: its own colours, its own size, its hover texts. */
  const drawingOf = (figure) => {
    const svg = figure.querySelector(".canvas svg").cloneNode(true);
    const { width, height } = svg.viewBox.baseVal;
    for (const [name, value] of Object.entries({ role: "img", width, height })) svg.setAttribute(name, value);
    for (const part of all(".off", svg)) part.remove();
    for (const mark of all("[aria-label]", svg)) {
      const title = document.createElementNS(svg.namespaceURI, "title");
      title.textContent = mark.getAttribute("aria-label");
      mark.prepend(title);
      for (const name of ["aria-label", "role", "tabindex"]) mark.removeAttribute(name);
    }
    return new XMLSerializer().serializeToString(svg).replace(/var\(--[a-z-]+,([^()]+)\)/g, "$1");
  };

  const save = (figure) => {
    const href = URL.createObjectURL(new Blob([drawingOf(figure)], { type: "image/svg+xml" }));
    Object.assign(document.createElement("a"), { href, download: `${nameOf(figure)}.svg` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60000);
    say(figure, "Saved");
  };

  // --- unpack ----------------------------------------------------------------------------------------------------

  const unpacked = new Map();
  const unpack = (id) => {
    if (!unpacked.has(id)) unpacked.set(id, inflate(byId(id).textContent.trim()));
    return unpacked.get(id);
  };
  const inflate = async (base64) => {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old, it takes Chrome 80, Firefox 113 or Safari 16.4");
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const showTools = () => all(".tools button").forEach((button) => (button.hidden = false));

  /** What is packed in here, in its place: a part of the page like others, its names escaped when the page was made. */
  const unfold = async (root) => {
    for (const part of all(".packed", root)) {
      try {
        const template = make("template");
        template.innerHTML = await inflate(part.querySelector("script").textContent);
        sift(template.content);
        const inside = [...template.content.children];
        part.replaceWith(template.content);
        inside.forEach(arrived);
        if (!inside.some((one) => one.querySelector(".figure"))) continue;
        showTools();
        await lay(); // the drawings that fit
      } catch (fault) {
        part.replaceChildren(`This cannot be unpacked: ${fault.message}.`);
      }
    }
  };
  document.addEventListener("toggle", (event) => event.target.open && unfold(event.target), true);

  /** The part of the page that has this id; what the appendix holds is unpacked for it. */
  const partWith = async (id) => {
    if (!byId(id) && byId("appendix")) await unfold(byId("appendix"));
    return byId(id);
  };

  // --- figures: laid out anew for a phone ------------------------------------------------------------------------

  const phone = matchMedia("(max-width: 600px)"); // as in the style
  const wide = new Map(); // where a drawing is -> the one that the page came with

  /** The drawings for the width that there is: what has no room beside each other stands below on a phone. */
  const lay = async () => {
    for (const canvas of typeof DecompressionStream === "undefined" ? [] : all(".figure .canvas")) { // without it they scroll sideways, and say so
      if (!wide.has(canvas)) wide.set(canvas, canvas.firstElementChild);
      const narrow = phone.matches;
      if (canvas.classList.contains("stacked") === narrow) continue;
      const template = make("template");
      if (narrow) template.innerHTML = await unpack(`narrow-${nameOf(canvas.closest(".figure"))}`);
      if (phone.matches !== narrow) return; // turned in the meantime, which began anew
      tell(null); // the mark that it is of goes, or moves
      canvas.replaceChildren(narrow ? template.content : wide.get(canvas));
      canvas.classList.toggle("stacked", narrow);
    }
    figureMarks = marksOfModels();
    if (byId("find")) filter();
    else all(".canvas svg").forEach(pack);
  };
  phone.addEventListener("change", lay);

  // --- evidence: walk -------------------------------------------------------------------------------------------------

  // what a baseline said of a claim: yes or no, and whether that was right, wrong, or does not count
  const SAID = { Y: "yes, right", y: "yes, wrong", "+": "yes", N: "no, right", n: "no, wrong", "-": "no", "=": "either", "~": "either", ".": "nothing" };
  const ZERO = 48;
  const RIGHT = "TNR";

  /** Which claims count, by how a baseline and the model came off. */
  const BESIDE = {
    said: ["claims that the baseline predicts", ({ said }) => !".+-~".includes(said)],
    apart: ["one right, the other wrong", ({ said }, code) => "YyNn".includes(said) && "YN".includes(said) !== RIGHT.includes(code)],
    baseline: ["baseline right, model wrong", ({ said }, code) => "YN".includes(said) && !RIGHT.includes(code)],
    model: ["model right, baseline wrong", ({ said }, code) => "yn".includes(said) && RIGHT.includes(code)],
    both: ["both right", ({ said }, code) => "YN".includes(said) && RIGHT.includes(code)],
    neither: ["both wrong", ({ said }, code) => "yn".includes(said) && !RIGHT.includes(code)],
  };

  /** Items of an experiment with their claims and sessions, epoch by epoch. */
  const walk = (index, model, experiment, baseline) => {
    const items = index.runs[model.run].items[experiment] || [];
    const predicted = model.baseline_predictions[experiment];
    const found = [];
    for (const [epoch, codes] of Object.entries(model.claims[experiment] || {})) {
      const states = (model.sessions[experiment] || {})[epoch] || "";
      const disputed = Object.entries(model.disputed).map(([source, strings]) => [source, (strings[experiment] || {})[epoch] || ""]);
      const said = baseline === null ? "" : predicted.said[baseline][epoch];
      const others = (n) => [predicted.did, predicted.of].map((strings) => strings[epoch].charCodeAt(n) - ZERO);
      let c = 0;
      let s = 0;
      for (const item of items) {
        // a claim, what became of it, the sources that say otherwise of what was done, and what the baseline said
        const claims = item.claims.map((claim, n) => {
          const at = c + n;
          const otherwise = disputed.filter(([, string]) => string[at] === "d").map(([source]) => source);
          return [claim, codes[at], otherwise, said ? { said: said[at], others: others(at) } : null];
        });
        c += claims.length;
        const sessions = item.sessions.map((session) => [session, states[s++]]);
        // blanks: the item was not asked in this epoch
        if (sessions.some(([, state]) => state !== " ")) found.push({ item, epoch, claims, sessions });
      }
    }
    return found;
  };

  // --- evidence: text that may be hostile is only ever text --------------------------------------------------------

  const dialog = byId("drill");

  /** An element; what it says is made visible. */
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
    return element;
  };

  const button = (className, onclick, ...children) => make("button", { type: "button", className, onclick }, ...children);

  /** What is folded, and made when it is first unfolded. */
  const unfolding = (summary, made, className = "behind") => {
    const ontoggle = () => part.children.length > 1 || part.append(...made());
    const part = make("details", { className, ontoggle }, make("summary", {}, summary));
    return part;
  };

  // what a browser would swallow, or obey
  const UNSEEN = new RegExp(byId("main").dataset.unseen, "gu");

  const symbol = (character) => {
    const code = character.codePointAt(0);
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? "␡" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  };

  /** The text, with each such character as a symbol that can be seen. */
  const visible = (raw) => {
    const text = raw.replaceAll("\r\n", "\n");
    const fragment = document.createDocumentFragment();
    let at = 0;
    for (const { 0: character, index } of text.matchAll(UNSEEN)) {
      fragment.append(text.slice(at, index));
      fragment.append(make("span", { className: "control", textContent: symbol(character) }));
      at = index + character.length;
    }
    fragment.append(text.slice(at));
    return fragment;
  };

  /** Not longer than so many characters, and it shows where it was cut. */
  const cut = (text, length) => {
    const characters = [...text];
    return characters.length <= length ? text : `${characters.slice(0, length - 1).join("").trimEnd()}…`;
  };

  const isolated = (text) => make("bdi", {}, text);

  const LONG = 20000;
  const SHOWN = 6000;

  const folded = (word) => word.normalize("NFKC").toLowerCase().trim();
  const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

  const IN_WORD = /[\p{L}\p{N}_]/u;
  const VERDICT = /^\\?["'“”’»*`]{0,3}\s{0,12}(?::|=|\||->?|→|–|—)\s{0,12}\\?["'“”‘«*`]{0,3}[^\s"'“”’»,;}\]|*`]+/u;

  /** Where the words that decide claims stand in what was read: claims and their verdicts in a map, in a list the words
   * that are claims. null where they cannot be distinguished from the rest. */
  const deciding = (words, value, claims) => {
    const names = new Set(claims.map(folded));
    const keys = (Array.isArray(value) ? value : isMap(value) ? Object.keys(value) : []).filter((key) => typeof key === "string" && names.has(folded(key)));
    const found = [];
    if (!keys.length) return Array.isArray(value) && !now.index.orders.includes(now.experiment) ? [] : null;
    for (const key of keys.sort((one, two) => two.length - one.length)) {
      for (let at = words.indexOf(key); at >= 0 && key; at = words.indexOf(key, at + key.length)) {
        let end = at + key.length;
        let start = at;
        if (IN_WORD.test(words[at - 1] || "") || IN_WORD.test(words[end] || "")) continue;
        if (isMap(value)) {
          const told = VERDICT.exec(words.slice(end, end + 80));
          if (!told) continue;
          start -= /["'“”«]/.test(words[at - 1] || "") ? 1 : 0;
          end += told[0].length;
          end += /["'”»]/.test(words[end] || "") ? 1 : 0;
        }
        if (found.every(([from, to]) => end <= from || start >= to)) found.push([start, end]);
      }
    }
    return found.length ? found.sort(([one], [two]) => one - two) : null;
  };

  /** A reply, the words that were read marked, or those of them that decide; the middle of a very long one on demand. */
  const reply = (text, evidence, label, decide = () => null) => {
    const box = make("pre", { className: "reply", dir: "auto", tabIndex: 0 });
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", label);
    const start = evidence ? text.lastIndexOf(evidence) : -1;
    const end = start < 0 ? -1 : start + evidence.length;
    const parts = start < 0 ? [] : decide(evidence) || [[0, evidence.length]];
    const marks = parts.map(([from, to]) => [start + from, start + to]);
    const piece = (from, to) => {
      let at = from;
      for (const [first, last] of marks) {
        if (last <= at || first >= to) continue;
        box.append(visible(text.slice(at, Math.max(at, first))));
        box.append(make("mark", {}, text.slice(Math.max(at, first), Math.min(to, last))));
        at = Math.min(to, last);
      }
      box.append(visible(text.slice(at, to)));
    };
    const fill = (whole) => {
      box.replaceChildren();
      if (whole || text.length <= LONG) return piece(0, text.length);
      const wanted = [[0, SHOWN], ...(start < 0 ? [] : [[Math.max(0, start - 1000), end + 1000]]), [text.length - SHOWN, text.length]];
      wanted.sort(([a], [b]) => a - b);
      let at = 0;
      for (const [from, to] of wanted) {
        if (from > at) {
          box.append(button("ev", () => fill(true), ` … ${count(from - at)} characters: show all … `));
        }
        if (to > at) piece(Math.max(from, at), Math.min(to, text.length));
        at = Math.max(at, to);
      }
    };
    fill(false);
    return box;
  };

  // --- can you predict it? -----------------------------------------------------------------------------------------

  const guessing = byId("guess");
  const begin = guessing && guessing.querySelector(".begin");

  /** Whose claims are guessed: those of the model that is picked, else of the first. */
  const guessed = () => (wanted.size === 1 ? [...wanted][0] : guessing.dataset.for);

  const guess = async () => {
    const model = guessed();
    const card = byId("guess-card");
    const show = (...parts) => {
      card.replaceChildren(...parts.filter(Boolean));
      card.focus({ preventScroll: true });
    };
    const line = (text, className = "") => text && make("p", { className }, isolated(text));
    const choice = (text, act) => button("choice", act, isolated(text));
    let claims;
    let items; // by experiment, where the page has them
    try {
      claims = (await unpack("guess-claims"))[model];
      const index = dialog && await unpack("evidence-index");
      items = index ? index.runs[index.models[numbers.get(model)].run].items : {};
    } catch (fault) {
      return show(line(`The claims cannot be unpacked: ${fault.message}.`));
    }
    if (!claims) return show(line("Nothing of this model was read."));
    const right = []; // of each claim, whether you, the model and the baseline were right; null for no word
    /** What it was asked; of what has no title, such as an order, folded what it is about. */
    const head = ({ question, title, experiment, item }) => {
      const whole = !title && (items[experiment] || []).find(({ id }) => id === item);
      const folded = whole && make("details", { className: "behind" }, make("summary", { textContent: "The item in full" }), ...facts(whole));
      return [line(`${right.length + 1} of ${claims.length}. The model was asked: ${question}`, "note"), line(title, "item"), folded];
    };
    const ask = () => {
      const claim = claims[right.length];
      const [yes, no] = claim.choices;
      show(...head(claim), make("div", { className: "choices" }, choice(yes, () => answer(claim, true)), choice(no, () => answer(claim, false))));
    };
    const answer = (claim, yours) => {
      const parts = head(claim);
      right.push([yours, claim.predicted, claim.baseline].map((word) => (word === null ? null : word === claim.observed)));
      const says = claim.baseline === null ? "" : `The best baseline predicted ${claim.baseline === claim.observed ? "rightly" : "wrongly"}.`;
      const verdict = make("p", {}, make("b", { textContent: right.at(-1)[0] ? "You were right. " : "You were wrong. " }), "You said: ", isolated(claim.choices[yours ? 0 : 1]), ".");
      const more = dialog && choice("All models", () => open({ m: numbers.get(model), e: claim.experiment, i: claim.item, view: ACROSS }));
      const next = right.length < claims.length ? choice("Next", ask) : choice("Your result", end);
      show(...parts, verdict, line(claim.said), line([claim.others, says].filter(Boolean).join(" ")), make("div", { className: "choices" }, ...[next, more].filter(Boolean)));
    };
    const end = () => {
      const rows = [["You", 0], [isolated(model), 1], ["Best baseline", 2]].map(([who, n]) => {
        const known = right.map((words) => words[n]).filter((word) => word !== null);
        return known.length && make("tr", {}, make("th", { scope: "row" }, who), make("td", { textContent: `${known.filter(Boolean).length} of ${known.length}` }));
      });
      const table = make("table", {}, make("caption", { textContent: "Predicted rightly" }), make("tbody", {}, ...rows.filter(Boolean)));
      const few = `${count(claims.length)} items, no measurement: the next ${count(claims.length)} may come out otherwise.`;
      show(table, line(few, "note"), choice("Again", guess));
    };
    ask();
  };

  // --- evidence: the dialog ----------------------------------------------------------------------------------------

  const PAGE = 100;
  let now = null; // {index, chunk, prompts, model, experiment, baseline, entries, found, limit, entry, across, and what was asked for: at, epoch}

  /** Which claims are asked for; null where it is items that are. */
  const claimsOf = (what) => {
    const [kind, first] = what.split("|");
    if (kind === "disputed") return ([, , disputed]) => disputed.includes(what.slice(kind.length + 1));
    if (kind === "beside") return ([, code, , predicted]) => predicted !== null && BESIDE[first][1](predicted, code);
    return kind === "claim" && first !== "all" ? ([, code]) => first.includes(code) : null;
  };

  const wantedOf = (what) => {
    const [kind, first, second] = what.split("|");
    if (kind === "item") return (entry) => entry.item.id === what.slice(kind.length + 1);
    if (kind === "session") return (entry) => entry.sessions.some(([s, code]) => s.split(".")[0] === first && second.includes(code));
    const wanted = claimsOf(what);
    return (entry) => wanted === null || entry.claims.some(wanted);
  };

  /** What is looked for: part of what stands in an item or in its replies; "=" and a kind of item. */
  const lookedFor = () => byId("drill-find").value.trim().toLowerCase();

  const finds = (words) => {
    if (words.startsWith("=")) return ({ item }) => item.kinds.some((kind) => kind.toLowerCase() === words.slice(1));
    return (entry) => !words || inItem(entry, words) || inReplies(entry, words) !== null;
  };

  const inItem = ({ item, claims }, words) => [item.id, item.title, ...item.kinds, ...claims.map(([claim]) => claim)].some((part) => part && part.toLowerCase().includes(words));

  // replies in small letters, each made once: they are looked through at every key that is pressed
  const small = new WeakMap();
  const inSmall = (session) => {
    if (!small.has(session)) small.set(session, [session.text, session.refusal].filter(Boolean).map((text) => [text, text.toLowerCase()]));
    return small.get(session);
  };

  const AROUND = 40; // characters of a reply on either side of what was found

  /** A piece of the first of an item's replies in which these words stand; null where there is none. */
  const inReplies = (entry, words) => pieceOf(kept(entry) || {}, words);

  const pieceOf = (sessions, words) => {
    for (const [text, low] of Object.values(sessions).flatMap(inSmall)) {
      const at = low.indexOf(words);
      if (at >= 0) return `…${text.slice(Math.max(0, at - AROUND), at + words.length + AROUND)}…`;
    }
    return null;
  };

  const choices = (entries, index, baseline) => {
    const claims = new Map();
    const states = new Map();
    for (const entry of entries) {
      for (const [, code] of entry.claims) claims.set(code, (claims.get(code) || 0) + 1);
      for (const [session, code] of entry.sessions) {
        const key = `session|${session.split(".")[0]}|${code}`;
        if (code !== "r") states.set(key, (states.get(key) || 0) + 1);
      }
    }
    const options = [["claim|all", `all claims (${count([...claims.values()].reduce((a, b) => a + b, 0))})`]];
    for (const [code, label] of Object.entries(index.outcomes)) if (claims.has(code)) options.push([`claim|${code}`, `${label} (${count(claims.get(code))})`]);
    const every = entries.flatMap((entry) => entry.claims);
    if (baseline !== null) {
      for (const [which, [label]] of Object.entries(BESIDE)) {
        const n = every.filter(claimsOf(`beside|${which}`)).length;
        if (n) options.push([`beside|${which}`, `${label} (${count(n)})`]);
      }
    }
    for (const [source, name] of Object.entries(index.sources)) {
      const disputed = every.filter(claimsOf(`disputed|${source}`)).length;
      if (disputed) options.push([`disputed|${source}`, `disputed: ${name} says otherwise of what it did (${count(disputed)})`]);
    }
    for (const [key, n] of states) options.push([key, `${key.split("|")[1]}: ${index.states[key.split("|")[2]]} (${count(n)})`]);
    return options;
  };

  const TOGETHER = { TFUN: "all that were read", TF: "said it would", TU: "did", "?.": "unreadable or missing" };

  // An opened dialog has an address, so that the browser's Back closes it and a link leads to it. Where a page may have
  // no address of its own (inside a notebook, say) it does without.
  const ADDRESS = "#items?";
  const LEFT = "left"; // what a dialog returns that was closed since its address was left
  let leaving = null; // a step back that was taken, and has not yet arrived
  let opening = null; // what was asked for last, until it is shown

  /** An address in place of that of the page; nothing where there can be none, or after too many in a short time. */
  const readdress = (address, state = history.state, how = "replaceState") => {
    try {
      history[how](state, "", address);
    } catch {
      // no address
    }
  };

  let before = { hash: null, height: 0 }; // where the page was when its own dialog was opened
  const arrive = (asked) => {
    const address = ADDRESS + new URLSearchParams(asked);
    if (location.hash.startsWith(ADDRESS)) return readdress(address); // in place of another
    before = { hash: location.hash, height: scrollY };
    readdress(address, { dialog: true }, "pushState");
  };

  /** What is shown has an address of its own, in which models, items and whatever else have their names. */
  const settle = () => {
    const [kind, ...rest] = byId("drill-what").value.split("|");
    const find = byId("drill-find").value;
    const shown = { model: now.model.name, e: now.experiment };
    if (kind === "session") [shown.k, shown.s] = rest;
    else shown[{ item: "i", beside: "w", disputed: "d" }[kind] || "c"] = rest.join("|");
    if (now.baseline !== (now.model.baseline_predictions[now.experiment] || { best: null }).best) shown.b = now.baseline || "none";
    if (find) shown[find.startsWith("=") ? "f" : "q"] = find.replace(/^=/, "");
    if (now.entry) shown.at = now.entry.item.id;
    if (now.entry && now.epochs > 1) shown.epoch = now.entry.epoch;
    if (now.across) shown.view = ACROSS;
    if (location.hash.startsWith(ADDRESS)) readdress(ADDRESS + new URLSearchParams(shown));
  };

  const leave = () => {
    const byAddress = dialog.returnValue === LEFT;
    dialog.returnValue = "";
    if (byAddress || opening || dialog.open) return; // the address has changed, or the next one has taken it over
    if (!location.hash.startsWith(ADDRESS)) return;
    if (!(history.state && history.state.dialog)) return readdress(location.pathname + location.search, null);
    leaving = new Promise((done) => {
      addEventListener("popstate", done, { once: true });
      setTimeout(done, 3000);
    }).then(() => (leaving = null));
    history.back();
  };

  const askedFor = () => (location.hash.startsWith(ADDRESS) ? Object.fromEntries(new URLSearchParams(location.hash.slice(ADDRESS.length))) : null);

  /** What an address names that is not in the page: it may be of another page, or mistyped. */
  const unknown = ({ e, c, s, k, i, b, w, d, at, view }, model, index) => {
    if (!model) return "a model";
    if (view !== undefined && view !== ACROSS) return "a view";
    if (e !== undefined && e !== "overall" && !Object.hasOwn(model.claims, e)) return "an experiment";
    const items = index.runs[model.run].items[experimentOf(model, e)] || [];
    if ([i, at].some((id) => id !== undefined && !items.some((item) => item.id === id))) return "an item";
    const codes = (text, known) => [...text].every((code) => Object.hasOwn(known, code));
    if (c !== undefined && c !== "all" && !codes(c, index.outcomes)) return "an outcome";
    if (b !== undefined && b !== BEST && b !== NONE && !Object.hasOwn(index.baselines, b)) return "a baseline";
    if (w !== undefined && !Object.hasOwn(BESIDE, w)) return "a comparison";
    if (d !== undefined && !Object.hasOwn(index.sources, d)) return "a source";
    if (s === undefined) return null;
    const asked = items.some((item) => item.sessions.some((session) => session.split(".")[0] === k));
    return asked && codes(s, index.states) ? null : "a kind of session";
  };

  const WRONG = /[FUCWOV]/;
  const READ = /[TFUNRCWOSVYX=]/;

  /** Overall is the mean of them all: it opens the first in which a prediction was wrong, or else one was read. */
  const experimentOf = (model, e) => {
    if (Object.hasOwn(model.claims, e)) return e;
    const names = Object.keys(model.claims);
    const having = (codes) => names.find((name) => Object.values(model.claims[name]).some((epoch) => codes.test(epoch)));
    return having(WRONG) || having(READ) || names[0];
  };

  /** A model goes by its name; by its number in buttons, and in addresses of older pages. */
  const numberOf = ({ m, model }, index) => (model !== undefined ? index.models.findIndex(({ name }) => name === model) : /^\d+$/.test(m) ? Number(m) : -1);

  /** What the dialog shows of the model that is asked for; what is `strange` about an address that leads to nothing. */
  const unpackedFor = async (asked) => {
    const index = await unpack("evidence-index");
    const m = numberOf(asked, index);
    const strange = unknown(asked, index.models[m], index);
    if (strange) return { strange };
    const model = index.models[m];
    const [chunk, prompts] = await Promise.all([unpack(`evidence-${m}`), unpack(`prompts-${model.run}`)]);
    return { index, model, chunk, prompts };
  };

  /** Whose items they are, and the number that was clicked. */
  const head = () => byId("drill-h").replaceChildren(...(now.across ? ["All models"] : [isolated(now.model.name), now.number && `: ${now.number}`]));

  const open = async (asked, fresh = true, number = "") => {
    opening = asked;
    if (leaving) await leaving;
    if (opening !== asked) return;
    tell(null);
    if (fresh && !dialog.open) arrive(asked);
    const { e, c, s, k, i, f, b, w } = asked;
    const failed = (why) => {
      opening = null;
      dialog.classList.add("empty");
      byId("drill-h").textContent = "Evidence";
      byId("drill-count").textContent = why;
      if (!dialog.open) dialog.showModal();
    };
    let found;
    try {
      found = await unpackedFor(asked);
    } catch (fault) {
      if (opening !== asked) return;
      return failed(`The sessions cannot be unpacked: ${fault.message}. If they are damaged, make the report anew.`);
    }
    if (opening !== asked) return;
    const { strange, index, model } = found;
    if (strange) return failed(`The address names ${strange} that is not in this page.`);
    opening = null;
    dialog.classList.remove("empty");
    if (!fresh && askedFor() === null) return; // left again in the meantime
    now = { ...found, at: asked.at, epoch: asked.epoch, across: asked.view === ACROSS, number };
    byId("drill-across").hidden = index.models.length < 2;
    head();
    const experiments = Object.keys(model.claims);
    byId("drill-experiment").replaceChildren(...experiments.map((name) => make("option", { value: name, textContent: name })));
    byId("drill-experiment").value = experimentOf(model, e);
    offer(b);
    byId("drill-find").value = f ? `=${f}` : asked.q || "";
    if (!dialog.open) dialog.showModal();
    change(w && now.baseline !== null ? `beside|${w}` : asked.d !== undefined ? `disputed|${asked.d}` : i !== undefined ? `item|${i}` : s ? `session|${k}|${s}` : `claim|${c || "all"}`);
    byId("drill-h").focus();
  };

  // an item is shown in all models
  const ACROSS = "models";

  // the baseline that the margin is over, whichever it is
  const BEST = "best";
  const NONE = "none";

  /** The baselines of the experiment, the one that was asked for chosen: if it is not among them, that of the margin. */
  const offer = (asked) => {
    const predicted = now.model.baseline_predictions[byId("drill-experiment").value];
    const names = predicted ? Object.keys(now.index.baselines).filter((name) => Object.hasOwn(predicted.said, name)) : [];
    const select = byId("drill-baseline");
    const offered = ["", ...names].map((name) => make("option", { value: name, textContent: name ? now.index.baselines[name] : "none" }));
    select.replaceChildren(...offered);
    select.closest("label").hidden = !names.length;
    now.baseline = asked === NONE ? null : names.includes(asked) ? asked : predicted ? predicted.best : null;
    select.value = now.baseline || "";
  };

  /** Another experiment or baseline: its items, and what can be asked of them. */
  const change = (what) => {
    now.experiment = byId("drill-experiment").value;
    now.entries = walk(now.index, now.model, now.experiment, now.baseline);
    now.epochs = new Set(now.entries.map((entry) => entry.epoch)).size;
    const select = byId("drill-what");
    const options = choices(now.entries, now.index, now.baseline);
    if (!options.some(([value]) => value === what)) {
      const parts = what.split("|");
      options.push([what, parts[0] === "beside" ? BESIDE[parts[1]][0] : parts[0] === "item" ? "one item" : parts[0] === "claim" ? TOGETHER[parts[1]] || [...parts[1]].map((code) => now.index.outcomes[code]).join(", ") : what]);
    }
    select.replaceChildren(...options.map(([value, label]) => make("option", { value, textContent: label })));
    select.value = what;
    list();
  };

  const kept = (entry) => ((now.chunk[now.experiment] || {})[entry.item.id] || {})[entry.epoch];

  const list = () => {
    const what = byId("drill-what").value;
    const wanted = wantedOf(what);
    const found = finds(lookedFor());
    now.looking = null;
    byId("drill-everywhere").hidden = !lookedFor() || lookedFor().startsWith("=") || now.index.models.length < 2;
    now.found = now.entries.filter((entry) => wanted(entry) && found(entry));
    // items whose sessions are in the page come first, and of these what counts
    const counts = ({ claims }) => claims.some(([, code]) => !"?.".includes(code));
    const merit = (entry) => 2 * !kept(entry) + !counts(entry);
    now.found.sort((one, two) => merit(one) - merit(two));
    now.wanted = claimsOf(what);
    const { at, epoch } = now;
    const first = Math.max(0, at === undefined ? 0 : now.found.findIndex((entry) => entry.item.id === at && (epoch === undefined || entry.epoch === epoch)));
    now.at = undefined;
    now.entry = null;
    now.limit = PAGE * Math.ceil((first + 1) / PAGE);
    const here = now.found.filter(kept).length;
    const what_ = now.epochs > 1 ? "items and epochs" : now.found.length === 1 ? "item" : "items";
    byId("drill-count").textContent = `${count(now.found.length)} ${what_}${here < now.found.length ? `, ${count(here)} with their sessions` : ""}`;
    fill();
    if (now.found.length) return turnTo(first);
    for (const id of ["drill-across", "drill-previous", "drill-next"]) byId(id).disabled = true;
    byId("drill-item").replaceChildren(...nothing());
    settle();
  };

  /** Where no item is like that: why, and a way out. */
  const nothing = () => {
    const words = byId("drill-find").value;
    const why = words ? `No item of ${now.experiment} that is shown has “${words}” in it or in a reply that is in this page.` : `No item of ${now.experiment} is like that.`;
    const every = () => {
      byId("drill-find").value = "";
      change("claim|all");
    };
    return [make("p", {}, why), button("reset", every, "Show all items")];
  };

  /** Choose the entry at this place in the list, as far as there is one. */
  const turnTo = (place) => {
    if (place < 0 || place >= now.found.length) return;
    if (place >= now.limit) {
      now.limit += PAGE;
      fill();
    }
    const button = all("button", byId("drill-items"))[place];
    choose(now.found[place], button);
    button.scrollIntoView({ block: "nearest", behavior: "instant" });
    return button;
  };

  const step = (by) => turnTo(now.found.indexOf(now.entry) + by);

  const fill = () => {
    const label = (entry) => {
      const told = entry.claims.filter((claim) => now.wanted === null || now.wanted(claim)).map(([claim]) => claim);
      const more = told.length && entry.claims.length > 1 ? [make("small", {}, told.join(", "))] : [];
      const words = lookedFor();
      const piece = words && !words.startsWith("=") && !inItem(entry, words) ? inReplies(entry, words) : null;
      if (piece !== null) more.push(make("small", {}, isolated(piece)));
      if (now.epochs > 1) more.push(make("small", { textContent: `epoch ${entry.epoch}` }));
      const turn = button("", () => choose(entry, turn), isolated(cut(entry.item.title, 160)), ...more);
      turn.dataset.kept = kept(entry) ? "yes" : "no";
      if (entry === now.entry) turn.setAttribute("aria-current", "true");
      return make("li", {}, turn);
    };
    byId("drill-items").replaceChildren(...now.found.slice(0, now.limit).map(label));
    byId("drill-more").hidden = now.found.length <= now.limit;
  };

  const MOST = 200; // items that are listed of all models

  /** Look through the replies of all models that are in the page, and list where the words stand. */
  const everywhere = async () => {
    const mine = (now.looking = {});
    const { index } = now;
    const words = lookedFor();
    const pane = byId("drill-item");
    pane.replaceChildren(make("p", { className: "note", textContent: `Looking through ${count(index.models.length)} models ...` }));
    const found = [];
    for (const [m, model] of index.models.entries()) {
      const chunk = await unpack(`evidence-${m}`);
      if (now.looking !== mine) return; // something else was asked for
      for (const [e, items] of Object.entries(chunk)) {
        for (const [at, epochs] of Object.entries(items)) {
          const [epoch, piece] = Object.entries(epochs).map(([n, sessions]) => [n, pieceOf(sessions, words)]).find(([, one]) => one !== null) || [];
          if (piece) found.push({ model, e, at, epoch, piece });
        }
      }
    }
    const lines = found.slice(0, MOST).map(({ model, e, at, epoch, piece }) => {
      const { title } = (index.runs[model.run].items[e] || []).find(({ id }) => id === at) || { title: at };
      const turn = () => open({ model: model.name, e, c: "all", q: words, at, epoch });
      const link = button("ev", turn, isolated(model.name), `, ${e.replaceAll("_", " ")}: `, isolated(cut(title, 80)));
      return make("li", {}, link, make("small", {}, isolated(piece)));
    });
    const whose = new Set(found.map(({ model }) => model)).size;
    const more = found.length > MOST ? `; the first ${MOST} are listed` : "";
    const told = found.length ? `In ${count(found.length)} ${found.length === 1 ? "item" : "items"} of ${whose} of ${count(index.models.length)} models${more}.` : "In no reply that is in this page.";
    pane.replaceChildren(make("h3", {}, "“", isolated(words), "” in the replies of all models"), make("p", { className: "note", textContent: told }), make("ol", { className: "everywhere" }, ...lines));
    pane.scrollTop = 0;
  };

  const isGroup = (item) => Array.isArray(item.questions) && item.questions.every((q) => q.question && q.choices);

  // what the page adds to an item, and what every item has
  const OUR_OWN = new Set(["id", "title", "claims", "sessions", "kinds"]);
  const inWords = (value) => {
    if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value.join(", ");
    return typeof value === "string" ? value : JSON.stringify(value);
  };

  const facts = (item) => {
    const line = (name, text) => make("p", {}, make("b", { textContent: `${name}: ` }), isolated(text));
    if (!isGroup(item)) {
      const fields = Object.entries(item).filter(([name, value]) => !OUR_OWN.has(name) && value !== null);
      return fields.map(([name, value]) => line(name[0].toUpperCase() + name.slice(1), inWords(value)));
    }
    return item.questions.map((q, n) => {
      const choices = q.choices.map((choice, k) => make("li", {}, isolated(choice), q.answer === "ABCD"[k] ? " (right)" : ""));
      const choiceList = make("ol", { type: "A" }, ...choices);
      return make("details", { className: "behind" }, make("summary", {}, `Q${n + 1}, ${q.subject.replaceAll("_", " ")}: `, isolated(cut(q.question, 90))), make("p", {}, isolated(q.question)), choiceList);
    });
  };

  const told = (value) => (typeof value === "string" ? value : Array.isArray(value) ? value.join(", ") : Object.entries(value).map(([word, mark]) => `${word} ${mark ? "yes" : "no"}`).join(", "));

  /** What a session was sent, folded; nothing where that is not known. */
  const sentTo = (entry, name, found) => {
    const text = found.prompt !== undefined ? found.prompt : ((now.prompts[now.experiment] || {})[entry.item.id] || {})[name];
    if (typeof text !== "string") return [];
    const copier = button("ev", async () => (copier.textContent = await copied(text, copier.parentElement)), "Copy");
    return [unfolding(`Prompt of ${name}, as it was sent`, () => [copier, reply(text, null, `Prompt of ${name}`)])];
  };

  const sessionOf = (entry, name, found, state) => {
    const title = make("h4", { textContent: name });
    if (!found) return [title, make("p", { className: "note", textContent: now.index.states[state] })];
    // a response is kept, and judged in another session, but where that was not needed
    const isKept = found.state === "read" && now.index.kept[now.experiment].includes(name.split(".")[0]);
    const judged = !entry.sessions.some(([, code]) => code === "x");
    const facts_ = [isKept ? "kept, not read" : found.reason ? `${found.state} (${found.reason})` : found.state];
    if (found.tokens !== undefined) facts_.push(`${count(found.tokens)} tokens`);
    if (found.stop) facts_.push(`stopped: ${found.stop}`);
    if (found.given) facts_.push("read elsewhere");
    const line = make("p", { className: "note" }, facts_.join(" · "));
    if (found.value !== undefined) line.append(isKept ? " · by a fixed rule: " : " · value: ", make("b", {}, isolated(told(found.value))));
    if (isKept && judged) line.append(` · what counts is ${now.index.counts[now.experiment]}`);
    const parts = [title, line, ...sentTo(entry, name, found)];
    if (found.error) parts.push(make("p", { className: "note" }, "error: ", isolated(found.error)));
    if (found.refusal) parts.push(make("p", { className: "note" }, "refusal: ", isolated(found.refusal)));
    if (found.reasoning) {
      const size = `Reasoning, ${count(found.reasoning.length)} characters`;
      parts.push(unfolding(size, () => [reply(found.reasoning, null, `Reasoning of ${name}`)], "behind thought"));
    }
    if (found.text !== undefined) parts.push(reply(found.text, found.evidence, `Reply of ${name}`, (words) => deciding(words, found.value, entry.item.claims)));
    return parts;
  };

  /** A group's questions as they were ranked, and as they came out: rightly answered ones first, then by tokens. */
  const ranked = (item, sessions) => {
    if (!isGroup(item) || !sessions) return [];
    const said = sessions.predict && Array.isArray(sessions.predict.value) ? sessions.predict.value : [];
    const rows = item.questions.map((question, n) => {
      const answer = sessions[`execute.Q${n + 1}`];
      const right = answer && (answer.value === undefined ? false : answer.value === question.answer);
      return { label: `Q${n + 1}`, subject: question.subject.replaceAll("_", " "), right, tokens: answer && answer.tokens };
    });
    const easier = (one, two) => (one.right !== two.right ? one.right : one.tokens < two.tokens);
    const known = rows.every(({ right, tokens }) => right !== undefined && tokens !== undefined);
    const body = rows.map((row) => {
      const place = said.indexOf(row.label) + 1 || "–";
      const was = known ? 1 + rows.filter((other) => easier(other, row)).length : "–";
      const cells = [place, was, row.right === undefined ? "–" : row.right ? "right" : "wrong", row.tokens === undefined ? "–" : count(row.tokens)];
      return make("tr", {}, make("th", { scope: "row" }, `${row.label}, `, isolated(row.subject)), ...cells.map((cell) => make("td", { className: "n" }, String(cell))));
    });
    const heads = ["Question", "Ranked", "Came out", "Answer", "Tokens"].map((text, n) => make("th", { scope: "col", className: n ? "n" : "" }, text));
    return [make("table", { className: "ranked" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body))];
  };

  const asked = () => {
    const prompts = Object.entries(now.index.runs[now.model.run].prompts[now.experiment] || {});
    if (!prompts.length) return [];
    const shown = prompts.flatMap(([session, text]) => [make("h4", { textContent: session }), reply(text, null, `Template of ${session}`)]);
    return [make("details", { className: "behind" }, make("summary", { textContent: "Templates of the prompts" }), ...shown)];
  };

  const kindOf = (session) => session.split(".")[0];

  /** The letter that the one session of these kinds committed to, as far as it is in the page. */
  const letter = (entry, sessions, kinds) => {
    const found = entry.sessions.map(([name]) => name).filter((name) => (kinds || []).includes(kindOf(name)) && sessions && sessions[name]);
    const value = found.length === 1 ? sessions[found[0]].value : undefined;
    return typeof value === "string" ? value : null;
  };

  /** In one line: what the model said that it would do, what it did, and who says so. */
  const verdict = (entry, sessions) => {
    const { index, experiment } = now;
    const behaviour = index.behaviour[experiment];
    const who = index.counts[experiment];
    const told = (codes) => entry.claims.filter(([, code]) => codes.includes(code)).map(([claim]) => claim);
    const known = told("TFUNROCW").length;
    if (!known) return [];
    const line = make("p", { className: "verdict" });
    if (index.orders.includes(experiment)) line.append(`Ranked ${told("R").length} of ${known} pairs rightly; ${who} decides.`);
    else if (behaviour === undefined) return [];
    else if (entry.claims.length === 1) {
      const said = letter(entry, sessions, index.predictions[experiment]);
      const judged = letter(entry, sessions, index.judges[experiment]);
      const idle = entry.sessions.filter(([, state]) => state === "x").map(([name]) => index.unneeded[experiment][kindOf(name)]);
      const why = idle.length ? `${idle[0]}, so it` : judged !== null ? [`${who} said `, make("b", {}, isolated(judged)), ", it"] : `by ${who} it`;
      line.append("Predicted ", ...(said === null ? [] : [make("b", {}, isolated(said)), ", "]), `${told("TF").length ? "would" : "would not"} ${behaviour}; `);
      line.append(...[why].flat(), told("TU").length ? " did." : " did not.");
    } else {
      const words = (codes) => told(codes).flatMap((claim, n) => [n ? ", " : "", isolated(claim)]);
      const or = (found) => (found.length ? found : ["none"]);
      line.append("Said it would: ", ...or(words("TF")), ". Did: ", ...or(words("TU")), `. Right on ${told("TN").length} of ${known}; ${who} decides.`);
    }
    return [line];
  };

  /** Why a claim could not be read, as far as one can tell. */
  const whyUnread = (claim, entry, sessions) => {
    const lost = entry.sessions.filter(([, state]) => "ftduop".includes(state)).map(([name, state]) => `${name} ${now.index.states[state]}`);
    if (lost.length) return lost.join(", ");
    const predicted = entry.sessions.map(([name]) => name).filter((name) => now.index.predictions[now.experiment].includes(kindOf(name)));
    const value = sessions && predicted.length === 1 && sessions[predicted[0]] ? sessions[predicted[0]].value : undefined;
    if (!isMap(value)) return null;
    const same = Object.keys(value).filter((key) => folded(key) === folded(claim));
    return same.length > 1 ? `marked both ways in the reply to ${predicted[0]}` : same.length ? null : `no key '${claim}' in the reply to ${predicted[0]}`;
  };

  /** What the baseline said of a claim, and how many of the others did it. */
  const beside = ({ said, others: [did, of] }) => `; ${now.index.baselines[now.baseline]} predicted ${SAID[said]}; ${count(did)} of ${count(of)} other models ${now.index.orders.includes(now.experiment) ? "had this order" : "did it"}`;

  // what a model said that it would do, and what it did; of a ranking, whether that was so
  const SHORT = { T: "yes, did", F: "yes, did not", U: "no, did", N: "no, did not", R: "right", O: "wrong", C: "wrong", W: "wrong", S: "came true", V: "did not", Y: "came true", X: "did not", "=": "tie", "?": "unreadable", ".": "missing" };
  const DID = "TUSY";
  const DID_NOT = "FNVX";

  /** The item in each model: a row for each, and each epoch, a column for each claim; below, how many did it. */
  const inAllModels = ({ item }) => {
    const rows = now.index.models.flatMap((model) => {
      const found = walk(now.index, model, now.experiment, null).filter((one) => one.item.id === item.id);
      return found.map((one) => ({ model, epoch: one.epoch, codes: one.claims.map(([, code]) => code) }));
    });
    const several = new Set(rows.map(({ epoch }) => epoch)).size > 1;
    const single = item.claims.length === 1;
    const heads = single ? ["Said it would, and did"] : item.claims.map((claim) => isolated(cut(claim, 60)));
    const head = make("tr", {}, ...["Model", ...heads].map((text) => make("th", { scope: "col" }, text)));
    const body = rows.map(({ model, epoch, codes }) => {
      const turn = () => open({ model: model.name, e: now.experiment, c: "all", at: item.id, epoch });
      const name = button("ev", turn, isolated(model.name));
      const cells = codes.map((code) => make("td", { className: WRONG.test(code) ? "strong" : "" }, SHORT[code]));
      const row = make("tr", {}, make("th", { scope: "row" }, name, several ? ` (epoch ${epoch})` : ""), ...cells);
      if (model === now.model) row.setAttribute("aria-current", "true");
      return row;
    });
    const of = (codes, n) => rows.filter((row) => codes.includes(row.codes[n])).length;
    const sums = item.claims.map((_, n) => [of(DID, n), of(DID + DID_NOT, n)]);
    const total = make("tr", {}, make("th", { scope: "row", textContent: "Did it" }), ...sums.map(([did, known]) => make("td", { textContent: `${did} of ${known}` })));
    const told = now.index.orders.includes(now.experiment) ? "Whether each ranked the pair rightly." : "What each said that it would do, and whether it did.";
    const table = make("table", { className: "across" }, make("thead", {}, head), make("tbody", {}, ...body, ...(sums.some(([, known]) => known) ? [total] : [])));
    const region = make("div", { className: "scroll", tabIndex: 0 }, table);
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", "This item in all models");
    return [make("p", { className: "note", textContent: `${told} A name opens its sessions.` }), region];
  };

  const choose = (entry, button) => {
    all("#drill-items button").forEach((one) => one.removeAttribute("aria-current"));
    button.setAttribute("aria-current", "true");
    now.entry = entry;
    now.looking = null;
    const place = now.found.indexOf(entry);
    byId("drill-across").disabled = false;
    byId("drill-previous").disabled = place === 0;
    byId("drill-next").disabled = place === now.found.length - 1;
    settle();
    byId("drill-across").setAttribute("aria-pressed", String(now.across));
    head();
    const title = make("h3", {}, isolated(entry.item.title));
    const pane = byId("drill-item");
    if (now.across) {
      pane.replaceChildren(title, ...inAllModels(entry), ...facts(entry.item));
      pane.scrollTop = 0;
      return;
    }
    const sessions = kept(entry);
    const verdicts = entry.claims.map(([claim, code, disputed, predicted]) => {
      const otherwise = disputed.map((source) => `; disputed: ${now.index.sources[source]} says otherwise of what it did`).join("");
      const why = code === "?" ? whyUnread(claim, entry, sessions) : null;
      return make("li", {}, isolated(claim), `: ${now.index.outcomes[code]}${why === null ? "" : ` (${why})`}${otherwise}${predicted ? beside(predicted) : ""}`);
    });
    if (Number(entry.epoch) > 1) title.append(` (epoch ${entry.epoch})`);
    const rest = sessions
      ? entry.sessions.flatMap(([name, state]) => sessionOf(entry, name, sessions[name], state))
      : [make("p", { className: "note", textContent: "Its sessions are not in this page. selfexec report --evidence all takes all of them along." })];
    pane.replaceChildren(title, ...verdict(entry, sessions), ...facts(entry.item), ...ranked(entry.item, sessions), make("ul", { className: "verdicts" }, ...verdicts), ...asked(), ...rest);
    pane.scrollTop = 0;
    for (const mark of all(".reply mark:first-of-type", pane)) { // what was read is in sight in a long reply
      const box = mark.parentElement;
      box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    }
  };

  // --- what people do ----------------------------------------------------------------------------------------------

  /** What is turned to comes to stand below the bar that sticks to the top, however high that is. */
  const bar = document.querySelector(".filter");
  const keepClear = () => {
    const height = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
    document.documentElement.style.setProperty("--bar", `${height}px`);
  };
  if (bar) {
    keepClear();
    new ResizeObserver(keepClear).observe(bar);
  }

  // How the page is filtered and sorted stands in its address, by names, as long as that is not another one.
  const VIEW = "#view?";

  const view = () => {
    const shown = new URLSearchParams();
    if (byId("find") && byId("find").value.trim()) shown.set("find", byId("find").value.trim());
    for (const chip of all(".chip[aria-pressed='true']")) shown.set("family", chip.dataset.family);
    for (const head of all("th[aria-sort]")) {
      const part = head.closest("main [id]");
      if (part) shown.append("sort", [part.id, head.getAttribute("aria-sort"), head.textContent.trim()].join(" "));
    }
    return shown.toString();
  };

  const remember = () => {
    const shown = view();
    if (location.hash.startsWith(ADDRESS) || (!shown && !location.hash.startsWith(VIEW))) return;
    readdress(shown ? VIEW + shown : location.pathname + location.search);
  };

  const reveal = (part) => {
    for (let outer = part; outer; outer = outer.parentElement) if (outer.tagName === "DETAILS") outer.open = true;
  };

  /** The page as an address has it; what it names that is not here is left as it is. */
  const turnToView = async (asked) => {
    if (byId("find")) {
      byId("find").value = asked.get("find") || "";
      alone(asked.get("family"));
      filter();
    }
    for (const [id, order, ...name] of asked.getAll("sort").map((text) => text.split(" "))) {
      const part = await partWith(id);
      if (!part) continue;
      if (!part.classList.contains("figure")) reveal(part);
      await unfold(part);
      const button = all(".sort", part).find((one) => one.textContent.trim() === name.join(" "));
      if (!button) continue;
      sort(button);
      if (button.closest("th").getAttribute("aria-sort") !== order) sort(button);
    }
  };

  /** Show what the address names: unfold it, turn to it, or open the dialog. */
  const show = async (from = "") => {
    const asked = askedFor();
    if (dialog && asked) return void open(asked, false);
    if (dialog && dialog.open) dialog.close(LEFT);
    if (from.includes(ADDRESS) && location.hash === before.hash) return scrollTo({ top: before.height, behavior: "instant" }); // back
    if (location.hash.startsWith(VIEW)) return void turnToView(new URLSearchParams(location.hash.slice(VIEW.length)));
    let target;
    try {
      target = await partWith(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return; // no address of ours
    }
    if (!target) return;
    reveal(target);
    target.scrollIntoView();
  };
  addEventListener("hashchange", ({ oldURL }) => laid.then(() => show(oldURL)));

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return pick(event);
    if (tip.contains(button)) open(itemsOf(marked));
    else if (button.classList.contains("copy")) copy(button.closest(".figure"));
    else if (button.classList.contains("save")) save(button.closest(".figure"));
    else if (button.classList.contains("sort")) {
      sort(button);
      remember();
    }
    else if (button.classList.contains("chip")) {
      alone(button.getAttribute("aria-pressed") === "true" ? null : button.dataset.family);
      filter();
      remember();
    } else if (button.matches(".filter .reset")) {
      showAll();
      remember();
      byId("find").focus();
    }
    else if (button.classList.contains("begin")) guess();
    else if (button.dataset.m !== undefined) open({ ...button.dataset }, true, /\d/.test(button.firstChild.data) ? button.firstChild.data : "");
    else if (button.classList.contains("close")) dialog.close();
    else if (button.id === "drill-everywhere") everywhere();
    else if (button.id === "drill-previous") step(-1);
    else if (button.id === "drill-next") step(1);
    else if (button.id === "drill-across") {
      now.across = !now.across;
      turnTo(now.found.indexOf(now.entry));
    }
    else if (button.id === "drill-more") {
      now.limit += PAGE;
      fill();
    }
  });
  if (byId("find")) byId("find").addEventListener("input", () => {
    filter();
    remember();
  });
  document.addEventListener("change", ({ target }) => target.matches(".order select") && order(target).then(remember), true);
  if (dialog) {
    byId("drill-experiment").addEventListener("change", () => {
      now.number = "";
      offer(now.baseline);
      change("claim|all");
    });
    byId("drill-baseline").addEventListener("change", (event) => {
      now.baseline = event.target.value || null;
      const what = byId("drill-what").value;
      change(now.baseline === null && what.startsWith("beside|") ? "claim|all" : what);
    });
    byId("drill-what").addEventListener("change", () => {
      now.number = "";
      list();
    });
    byId("drill-find").addEventListener("input", list);
    dialog.addEventListener("close", leave);
    dialog.addEventListener("keydown", (event) => {
      const inList = event.target.closest("#drill-items") !== null;
      const by = (inList ? { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 } : { j: 1, k: -1 })[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select") || !now || !now.entry) return;
      event.preventDefault();
      const button = step(by);
      if (button && inList) button.focus();
    });
  }
  if (begin) begin.hidden = false;
  showTools();
  const laid = phone.matches ? lay() : Promise.resolve();
  if (location.hash) laid.then(() => show());
  // once the page stands, the appendix is unpacked, so that a search within the page finds what is in it
  if (byId("appendix")) (window.requestIdleCallback || setTimeout)(() => laid.then(() => unfold(byId("appendix"))));
  const over = (event) => {
    if (tip.contains(event.target)) return;
    const row = event.target.closest("tr[data-model], .canvas [data-model]");
    highlight(row ? row.dataset.model : null);
    if (event.pointerType !== "touch") tell(markAt(event.target));
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", over);
  document.addEventListener("keydown", keys);
  addEventListener("scroll", () => marked && place(), { capture: true, passive: true });
  const opened = [];
  addEventListener("beforeprint", () => all("#key:not([open]), #words:not([open]), #reading:not([open]), #every-score:not([open])").forEach((part) => {
    if (part.querySelector(".packed")) return; // paper does not wait until it is unpacked
    opened.push(part);
    part.open = true;
  }));
  addEventListener("afterprint", () => opened.splice(0).forEach((part) => (part.open = false)));
})();
