// Beside the stage: title, caption, formula, shapes, lines of code, the followed row in numbers, and what a screen reader hears.

const TERMS = 8; // products of a dot product that are written out
const TABS = ["code", "numpy"];

function makePanels(view) {
  const { root } = view;
  const head = made("div", "split-head", root);
  view.title = made("h3", "split-title", head);
  view.formula = made("code", "split-formula", head);
  view.caption = made("p", "split-caption", root);
  view.stages = made("div", "split-stages", root);
  view.bar = made("div", "split-bar", root, { role: "toolbar" });
  view.note = made("p", "split-note", root);
  view.scale = made("p", "split-scale", root);
  const below = made("div", "split-below", root);
  view.row = made("div", "split-row", below);
  view.code = made("div", "split-code", below);
  view.tabs = made("div", "split-tabs", view.code, { role: "tablist" });
  view.buttons = TABS.map((name, i) => {
    const tab = made("button", "", view.tabs, { role: "tab", type: "button", id: `split-tab-${name}`, "aria-controls": "split-lines" });
    tab.onclick = () => chooseTab(view, i);
    tab.onkeydown = (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.stopPropagation();
      chooseTab(view, 1 - view.tab);
      view.buttons[view.tab].focus();
    };
    return tab;
  });
  view.lines = made("pre", "split-lines", view.code, { id: "split-lines", role: "tabpanel", tabindex: "0" });
  view.speech = made("p", "split-unseen", root, { "aria-live": "polite", role: "status" });
  view.tab = 0;
}

function chooseTab(view, tab) {
  view.tab = tab;
  view.fresh = true;
  view.paint();
}

/** Everything that depends on the step, the head or the row; only when one of them is another. */
function fillPanels(view) {
  const [part] = view.parts;
  const { words } = view;
  const step = part.steps[view.step];
  put(view.title, filled(words.title, { number: view.step + 1, count: view.count, title: step.title }));
  put(view.formula, step.formula);
  put(view.caption, step.caption);
  put(view.note, [step.shape, ...view.parts.map((each) => each.payload.shown.note).filter(Boolean)].join(" · "));
  put(view.speech, step.speech);
  fillScale(view, step);
  view.buttons.forEach((tab, i) => {
    put(tab, words[TABS[i]]);
    tab.setAttribute("aria-selected", String(i === view.tab));
    tab.tabIndex = i === view.tab ? 0 : -1;
  });
  view.lines.setAttribute("aria-labelledby", `split-tab-${TABS[view.tab]}`);
  view.lines.replaceChildren();
  const name = TABS[view.tab];
  part.payload.code[name].forEach(({ text, number }, at) => {
    const line = made("span", step.lit[name].includes(at) ? "on" : "", view.lines);
    made("i", "", line, { "aria-hidden": "true" }).textContent = String(number).padStart(3, " ");
    line.append(`${text}\n`);
  });
  const lit = view.lines.querySelector(".on");
  if (lit) view.lines.scrollTop = Math.max(0, lit.offsetTop - view.lines.offsetTop - 24);
  fillRow(view, part, step);
}

/** What the colours of the step mean. */
function fillScale(view, step) {
  const { words, look } = view;
  view.scale.replaceChildren();
  const scales = { diverging: [words.below, words.above], weights: ["0", "1"] };
  for (const [name, [low, high]] of Object.entries(scales)) {
    if (!step.sheets.some((sheet) => sheet.colour === name)) continue;
    const top = Math.max(...step.sheets.filter((sheet) => sheet.colour === name).map((sheet) => view.parts[0].arrays[sheet.array].top));
    made("span", "", view.scale).textContent = low;
    made("i", "", view.scale, { "aria-hidden": "true" }).style.background = `linear-gradient(90deg, ${look[name].join(", ")})`;
    made("span", "", view.scale).textContent = name === "weights" ? shortNumber(top) : high;
  }
  if (!step.sheets.some((sheet) => PAIRS.has(sheet.array)) || view.step < MASKED_FROM) return;
  made("i", "out", view.scale, { "aria-hidden": "true" });
  made("span", "", view.scale).textContent = words.out;
}

/** The followed row in numbers. */
function fillRow(view, part, step) {
  view.row.replaceChildren();
  const head = Math.min(view.head, part.payload.n_heads - 1);
  const row = rowOf(view, part);
  const line = (name, text) => (made("p", name, view.row).textContent = text);
  const about = { head, row: part.payload.shown.rows[row], token: alone(part.labels[row]) };
  if (step.name === "scores") {
    line("lead", filled(view.words.dots, about));
    line("sum", dotProduct(view, part, head, row));
    chips(view, part, head, row, "scaled", false);
  } else if (step.name === "mask") {
    line("lead", filled(view.words.masked, about));
    chips(view, part, head, row, "scaled", true);
  } else if (step.name === "softmax" || step.name === "weigh") {
    const weights = part.labels.map((_, key) => valueAt(part.arrays.weights, head, row, key));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const all = part.labels.length === part.payload.n_tokens;
    line("lead", filled(all ? view.words.sum : view.words.part_sum, { ...about, sum: shownNumber(sum) }));
    chips(view, part, head, row, "weights", true);
  } else if (step.name === "output" && part.arrays.share_size) {
    line("lead", view.words.shares);
    shares(view, part);
  }
}

/** "1.20·0.31 + … = 2.05, / √8 = 0.73" for the key with the largest score. */
function dotProduct(view, part, head, row) {
  const { query, key, scores, scaled } = part.arrays;
  const width = query.columns / part.payload.n_heads;
  let best = 0;
  part.labels.forEach((_, at) => {
    if (valueAt(scores, head, row, at) > valueAt(scores, head, row, best)) best = at;
  });
  const shown = Math.min(width, TERMS);
  const terms = Array.from({ length: shown }, (_, i) => head * width + i).map((column) => {
    return `${shortNumber(valueAt(query, null, row, column))}·${shortNumber(valueAt(key, null, best, column))}`;
  });
  if (shown < part.payload.d_k) terms.push("…");
  return filled(view.words.product, {
    key: alone(part.labels[best]),
    place: part.payload.shown.rows[best],
    terms: terms.join(" + "),
    score: shownNumber(valueAt(scores, head, row, best)),
    d_k: part.payload.d_k,
    scaled: shownNumber(valueAt(scaled ?? scores, head, row, best)),
  });
}

/** A number for each key, hidden ones struck out. */
function chips(view, part, head, row, name, masks) {
  const array = part.arrays[name] ?? part.arrays.scores;
  const list = made("ul", "split-chips", view.row);
  part.labels.forEach((label, key) => {
    const chip = made("li", "", list);
    made("bdi", "", chip).textContent = label;
    const hidden = masks && !inPlay(part, head, row, key);
    made("b", hidden ? "hidden" : "", chip).textContent = hidden ? view.words.hidden : shownNumber(valueAt(array, head, row, key));
  });
}

/** How large each head's own part of the output is. */
function shares(view, part) {
  const list = made("ul", "split-shares", view.row);
  for (let head = 0; head < part.payload.n_heads; head++) {
    const item = made("li", "", list);
    const share = valueAt(part.arrays.share_size, head, 0, 0);
    made("span", "", item).textContent = `H${head}`;
    const bar = made("i", "", item, { "aria-hidden": "true" });
    bar.style.width = `${between(share, 0, 1) * 100}%`;
    bar.style.background = hueOf(view.look, head);
    made("b", "", item).textContent = `${(100 * share).toFixed(1)} %`;
  }
}

/** Name, indices and value of a cell. */
function cellText(view, part, cell) {
  const { array, block, row, column } = cell;
  const { shown, n_heads: heads } = part.payload;
  const value = valueAt(array, block.head, row, column);
  const number = shownNumber(value);
  const token = alone(part.labels[row] ?? "");
  const meaning = array.meaning ?? array.name;
  if (PAIRS.has(array.name)) {
    const key = alone(part.labels[column]);
    const hidden = cell.index >= MASKED_FROM && !inPlay(part, block.head, row, column);
    const values = { meaning, head: block.head, q: shown.rows[row], query: token, k: shown.rows[column], key };
    return filled(hidden ? view.words.cell_hidden : view.words.cell_pair, { ...values, value: number });
  }
  const head = block.head ?? (HEADED.has(array.name) ? headOf(array, column, heads) : null);
  const values = { meaning, head, row: shown.rows[row], token, column: shown.columns[column] ?? column, value: number };
  if (array.name.startsWith("W_")) return filled(view.words.cell_matrix, { ...values, row: shown.columns[row] ?? row });
  if (array.rows !== part.labels.length) return filled(view.words.cell_bare, values);
  return filled(head === null ? view.words.cell : view.words.cell_head, values);
}
