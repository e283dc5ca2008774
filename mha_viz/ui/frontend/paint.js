// A mask to paint on. A stroke is a rectangle of cells; it goes to Python once, when it is finished, and Python sends the mask
// back as it then is.

const views = new WeakMap(); // parent element -> what this one instance shows and does
const PATIENCE = 4000; // milliseconds that a stroke is shown before Python has answered

function begin(parent) {
  const root = parent.querySelector(".mha-root");
  const legend = make("ul", "legend", root);
  const parts = makeStage(root);
  const where = make("p", "where", root, { role: "status" });
  const step = make("p", "step", root);
  const hint = make("p", "hint", root, { id: "hint" });
  parts.grid.setAttribute("aria-describedby", "hint");
  const view = { root, parts, legend, where, step, hint, cursor: { q: 0, k: 0 }, at: null, keys: false };
  Object.assign(view, { anchor: null, drag: null, sent: null, timer: 0, data: null });
  view.watch = watched(view, () => draw(view));
  listen(view);
  return view;
}

function listen(view) {
  const { stage, grid } = view.parts;
  stage.onpointerdown = (event) => press(view, event);
  stage.onpointermove = (event) => drag(view, event);
  stage.onpointerup = (event) => release(view, event);
  stage.onpointercancel = () => cancel(view);
  stage.onpointerleave = () => {
    view.at = null;
    view.watch.soon();
  };
  grid.onkeydown = (event) => type(view, event);
  grid.onfocus = () => {
    view.keys = grid.matches(":focus-visible");
    view.watch.soon();
  };
  grid.onblur = () => {
    view.keys = false;
    view.anchor = null;
    view.watch.soon();
  };
}

/** Takes what Python sends; a stroke in progress goes on unless the tokens are others. */
function take(view, data) {
  const before = view.data;
  view.data = data;
  view.sent = null;
  view.stale = true;
  clearTimeout(view.timer);
  view.nCells = Math.ceil(data.n / data.step);
  if (!before || before.n !== data.n) {
    cancel(view);
    view.at = null;
    view.cursor = { q: 0, k: 0 };
  }
  view.counts = counted(data, view.nCells);
  const firsts = data.labels.filter((_, i) => i % data.step === 0);
  view.names = firsts;
  view.titles = firsts.map((_, i) => titleOf(data, i));
  say(view);
}

function titleOf(data, i) {
  const first = i * data.step;
  const last = Math.min(first + data.step, data.n) - 1;
  return first === last ? `${first} ${data.titles[first]}` : `${first}–${last} ${data.titles[first]} … ${data.titles[last]}`;
}

/** Of each drawn cell, how many of the cells it covers are of each kind. */
function counted(data, nCells) {
  const [visible, painted] = [bytesOf(data.visible), bytesOf(data.painted)];
  const counts = KINDS.map(() => new Uint16Array(nCells * nCells));
  for (let q = 0, i = 0; q < data.n; q++) {
    const row = Math.floor(q / data.step) * nCells;
    for (let k = 0; k < data.n; k++, i++) {
      const bit = 128 >> (i & 7);
      const [seen, marked] = [visible[i >> 3] & bit, painted[i >> 3] & bit];
      counts[seen ? (marked ? 3 : 0) : marked ? 2 : 1][row + Math.floor(k / data.step)]++;
    }
  }
  return counts;
}

function say(view) {
  const { data, legend } = view;
  const { words } = data;
  nameGrid(view.parts, words.name, words, data.n);
  const has = (kind) => view.counts[kind].some((count) => count > 0);
  legend.replaceChildren();
  KINDS.forEach((kind, i) => {
    if (kind === "through" && !has(i)) return;
    const item = make("li", "", legend);
    make("canvas", `swatch ${kind}`, item, { "aria-hidden": "true" });
    make("span", "", item).textContent = words[kind];
  });
  setText(view.hint, words.hint);
  setText(view.step, words.step);
  view.step.hidden = data.step === 1;
}

/* Strokes */

function press(view, event) {
  const { parts, placed } = view;
  if (event.button !== 0 || !event.isPrimary || parts.corner.contains(event.target)) return;
  const at = cellAt(parts, placed, event);
  const whole = parts.rows.contains(event.target) ? "rows" : parts.columns.contains(event.target) ? "columns" : "";
  view.drag = { from: at, to: at, whole, pointer: event.pointerId };
  view.drag.hide = !isPainted(view, regionOf(view, at, at, whole));
  view.anchor = null;
  parts.stage.setPointerCapture(event.pointerId);
  parts.grid.focus({ preventScroll: true, focusVisible: false });
  view.keys = false;
  event.preventDefault();
  tell(view, false);
}

function drag(view, event) {
  if (view.drag && view.drag.pointer !== event.pointerId) return;
  const over = view.parts.corner.contains(event.target) && !view.drag;
  view.at = over ? null : cellAt(view.parts, view.placed, event);
  if (view.drag) view.drag.to = view.at;
  else view.keys = false;
  tell(view, false);
}

function release(view, event) {
  const stroke = view.drag;
  if (!stroke || stroke.pointer !== event.pointerId) return;
  view.drag = null;
  view.cursor = stroke.to;
  commit(view, regionOf(view, stroke.from, stroke.to, stroke.whole), stroke.hide);
}

function cancel(view) {
  view.drag = null;
  view.anchor = null;
  view.watch.soon();
}

function type(view, event) {
  const to = moved(view.cursor, event, view.nCells - 1);
  if (to) {
    view.anchor = event.shiftKey ? (view.anchor ?? view.cursor) : null;
    view.cursor = to;
  } else if (event.key === "Escape") {
    cancel(view);
  } else if (event.key === " " || event.key === "Enter") {
    const from = view.anchor ?? view.cursor;
    commit(view, regionOf(view, from, view.cursor), !isPainted(view, regionOf(view, from, from)));
  } else {
    return;
  }
  event.preventDefault();
  view.keys = true;
  view.at = null;
  tell(view, true);
}

/** The rectangle of drawn cells between two of them, or of whole rows or columns. */
function regionOf(view, from, to, whole = "") {
  const last = view.nCells - 1;
  const span = (a, b, all) => (all ? [0, last] : [Math.min(a, b), Math.max(a, b)]);
  const [q0, q1] = span(from.q, to.q, whole === "columns");
  const [k0, k1] = span(from.k, to.k, whole === "rows");
  return { q0, q1, k0, k1 };
}

/** The rectangle in tokens: first and last ones. */
function tokensOf({ data }, { q0, q1, k0, k1 }) {
  const end = (cell) => Math.min((cell + 1) * data.step, data.n) - 1;
  return { q0: q0 * data.step, q1: end(q1), k0: k0 * data.step, k1: end(k1) };
}

/** Whether nothing of a rectangle is left to be painted. */
function isPainted(view, { q0, q1, k0, k1 }) {
  const [visible, other] = view.counts;
  for (let q = q0; q <= q1; q++) {
    for (let k = k0; k <= k1; k++) if (visible[q * view.nCells + k] || other[q * view.nCells + k]) return false;
  }
  return true;
}

function commit(view, region, hide) {
  view.anchor = null;
  view.sent = { region, hide };
  clearTimeout(view.timer);
  view.timer = setTimeout(() => {
    view.sent = null;
    view.watch.soon();
  }, PATIENCE);
  view.watch.soon();
  view.send({ ...tokensOf(view, region), hide });
}

/** The stroke in progress, by pointer or keyboard. */
function present(view) {
  if (view.drag) return { region: regionOf(view, view.drag.from, view.drag.to, view.drag.whole), hide: view.drag.hide };
  if (!view.anchor) return null;
  const hide = !isPainted(view, regionOf(view, view.anchor, view.anchor));
  return { region: regionOf(view, view.anchor, view.cursor), hide };
}

/* Words */

function tell(view, aloud) {
  view.where.setAttribute("aria-live", aloud ? "polite" : "off");
  view.watch.soon();
}

/** What the line below the grid says: the stroke in progress, or the cell of the pointer or the cursor. */
function sentence(view) {
  const { data } = view;
  const stroke = present(view);
  const at = view.at ?? (view.keys ? view.cursor : null);
  if (!stroke && !at) return "";
  const tokens = tokensOf(view, stroke ? stroke.region : regionOf(view, at, at));
  if (stroke) {
    const nCells = (tokens.q1 - tokens.q0 + 1) * (tokens.k1 - tokens.k0 + 1);
    return fill(data.words[stroke.hide ? "will_hide" : "will_show"], { ...tokens, n_cells: nCells });
  }
  return cellSentence(view, at, tokens);
}

function cellSentence({ data, counts, nCells }, at, tokens) {
  const of = counts.map((kind) => kind[at.q * nCells + at.k]);
  if (data.step > 1) {
    return fill(data.words.cells, { ...tokens, visible: of[0] + of[3], other: of[1], painted: of[2] });
  }
  const names = { q: at.q, query: isolated(data.titles[at.q]), k: at.k, key: isolated(data.titles[at.k]) };
  return fill(data.words.cell, { ...names, state: data.words[KINDS[of.findIndex((count) => count > 0)]] });
}

export default function ({ data, parentElement, setTriggerValue }) {
  const view = views.get(parentElement) ?? begin(parentElement);
  views.set(parentElement, view);
  view.send = (stroke) => setTriggerValue("stroke", stroke);
  take(view, data);
  draw(view);
  return () => {
    view.watch.stop();
    clearTimeout(view.timer);
    views.delete(parentElement);
  };
}
