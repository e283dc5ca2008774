// Several heads as lines between tokens. A chosen token goes to Python, which sends its lines alone; hiding heads, pointing and
// scrolling stay here.

const views = new WeakMap(); // parent element -> what this one instance shows
const NAMED = 4;
const SAMPLES = [0.01, 0.1, 0.5, 1];

function begin(parent) {
  const root = parent.querySelector(".mha-root");
  const top = make("div", "top", root);
  const legend = make("div", "legend", top, { role: "group" });
  const all = make("button", "all", top, { type: "button" });
  const frame = make("div", "frame", root, { role: "listbox", tabindex: "0", "aria-describedby": "hint" });
  const content = make("div", "content", frame, { role: "presentation" });
  const canvas = make("canvas", "lines", content, { "aria-hidden": "true" });
  const where = make("p", "where", root, { role: "status" });
  const scale = make("div", "scale", root);
  const hint = make("p", "hint", root, { id: "hint" });
  const view = { root, legend, all, frame, content, canvas, where, scale, hint, hidden: new Set() };
  Object.assign(view, { at: null, cursor: { side: "q", place: 0 }, keys: false, tokens: { q: [], k: [] } });
  view.watch = watched(view, () => draw(view));
  listen(view);
  document.fonts.ready.then(() => {
    view.stale = true; // labels are as wide as the letters that have come by now
    if (view.told) view.watch.soon();
  });
  return view;
}

function listen(view) {
  const { frame, root } = view;
  frame.onpointermove = (event) => point(view, event);
  frame.onpointerleave = (event) => event.pointerType !== "touch" && aim(view, null);
  frame.onclick = (event) => click(view, event);
  frame.onscroll = () => {
    view.stale = true;
    view.watch.soon();
  };
  frame.onfocus = () => frame.matches(":focus-visible") && look(view);
  frame.onblur = () => aim(view, null);
  root.onkeydown = (event) => type(view, event);
  view.all.onclick = () => showAll(view);
}

/* What Python sends */

/** The header is text, the numbers of the lines follow it as they are. */
function read(view, data) {
  const { buffer } = data.slice(); // a copy begins at 0, where the browser reads numbers of several bytes
  const length = new DataView(buffer).getUint32(0, true);
  const told = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const n = told.n_lines;
  const at = 4 + length;
  view.lines = {
    weight: new Float32Array(buffer, at, n),
    query: new Uint16Array(buffer, at + 4 * n, n),
    key: new Uint16Array(buffer, at + 6 * n, n),
    head: new Uint8Array(buffer, at + 8 * n, n),
  };
  const others = view.told && JSON.stringify([view.told.labels, view.told.layout]) !== JSON.stringify([told.labels, told.layout]);
  if (others) Object.assign(view, { cursor: { side: "q", place: 0 }, keys: false });
  Object.assign(view, { told, at: null, stale: true, chosen: { query: told.focus, key: told.key } });
  if (others) view.frame.scrollTo(0, 0);
}

function say(view) {
  const { told, frame, legend } = view;
  const { words } = told;
  frame.setAttribute("aria-label", fill(words.name, { n_tokens: told.labels.length, n_heads: told.heads.length }));
  setText(view.hint, told.layout === "arcs" ? words.hint_arcs : words.hint_sides);
  setText(view.all, words.show_all);
  view.all.title = words.show_all_help;
  const wanted = JSON.stringify(told.heads);
  if (legend.dataset.heads === wanted) return;
  legend.dataset.heads = wanted;
  legend.replaceChildren(...told.heads.map((head, i) => entry(view, head, i)));
  view.scale.replaceChildren();
  make("span", "", view.scale).textContent = words.scale;
  for (const weight of SAMPLES) {
    const sample = make("span", "sample", view.scale);
    const line = make("i", "", sample, { "aria-hidden": "true" });
    Object.assign(line.style, { borderTopWidth: `${strokeWidth(weight)}px`, opacity: strokeShare(weight) });
    make("span", "", sample).textContent = weight;
  }
}

/** A head of the legend: its line, its number where colours repeat, its name; a click hides it or shows it again. */
function entry(view, head, i) {
  const button = document.createElement("button");
  button.type = "button";
  button.title = fill(view.told.words.toggle, { head: head.name });
  button.setAttribute("aria-pressed", String(!view.hidden.has(head.name)));
  const line = make("i", "", button, { "aria-hidden": "true" });
  line.style.borderTop = `4px ${head.style} ${head.colour}`;
  if (view.told.heads.length > 8) make("small", "", button, { "aria-hidden": "true" }).textContent = i + 1;
  make("span", "", button).textContent = head.name;
  button.onclick = () => {
    if (!view.hidden.delete(head.name)) view.hidden.add(head.name);
    button.setAttribute("aria-pressed", String(!view.hidden.has(head.name)));
    refresh(view);
  };
  return button;
}

/* Pointing and choosing */

function refresh(view) {
  view.stale = true;
  view.watch.soon();
}

function aim(view, at, keys = false) {
  view.keys = keys;
  view.at = at;
  view.where.setAttribute("aria-live", keys ? "polite" : "off");
  view.watch.soon();
}

function tokenOf(event) {
  const token = event.target.closest?.(".token");
  return token && { side: token.id[0], place: Number(token.id.slice(1)) };
}

function point(view, event) {
  const token = tokenOf(event);
  const box = view.content.getBoundingClientRect();
  const reach = event.pointerType === "touch" ? 14 : 6;
  const line = token ? -1 : lineAt(view, event.clientX - box.left, event.clientY - box.top, reach);
  aim(view, token ?? (line < 0 ? null : { line }));
}

function click(view, event) {
  const token = tokenOf(event);
  if (!token) return;
  view.cursor = token;
  choose(view, token, event.shiftKey);
}

/** A token alone, as query or as key; a second time, all again. */
function choose(view, { side, place }, asKey) {
  const part = side === "k" || (asKey && view.told.layout === "arcs") ? "key" : "query";
  send(view, { ...view.chosen, [part]: view.chosen[part] === place ? null : place });
}

/** Shown at once; Python then sends what else there is of the chosen token. */
function send(view, chosen) {
  view.chosen = chosen;
  view.at = null;
  refresh(view);
  view.tell(chosen);
}

function showAll(view) {
  view.hidden.clear();
  for (const button of view.legend.children) button.setAttribute("aria-pressed", "true");
  if (view.chosen.query !== null || view.chosen.key !== null) send(view, { query: null, key: null });
  refresh(view);
}

function type(view, event) {
  if (event.key === "Escape") {
    showAll(view);
    return;
  }
  if (event.target !== view.frame) return;
  const to = stepped(view, event);
  if (to) view.cursor = to;
  else if (event.key === "Enter" || event.key === " ") choose(view, view.cursor, event.shiftKey);
  else return;
  event.preventDefault();
  look(view);
}

/** Where a key of the keyboard takes the cursor; null if it is none that moves. */
function stepped({ told, cursor: { side, place } }, { key }) {
  const last = told.labels.length - 1;
  const [back, on] = told.layout === "arcs" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  const to = { [back]: place - 1, [on]: place + 1, PageUp: place - 10, PageDown: place + 10, Home: 0, End: last }[key];
  if (to !== undefined) return { side, place: clamp(to, 0, last) };
  if (told.layout === "sides" && key === "ArrowLeft") return { side: "q", place };
  return told.layout === "sides" && key === "ArrowRight" ? { side: "k", place } : null;
}

/** The cursor's token is brought into sight and named. */
function look(view) {
  const { side, place } = view.cursor;
  view.tokens[side][place]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  aim(view, { side, place }, true);
}

/** Lines that are meant: one, or those of a token; on one line a token's both as query and as key. Null for all. */
function meantLines(view) {
  const { at, lines, chosen, told } = view;
  if (at?.line !== undefined) return [at.line];
  const one = told.layout === "arcs";
  const meets = at
    ? (i) => (at.side === "q" && lines.query[i] === at.place) || ((at.side === "k" || one) && lines.key[i] === at.place)
    : (i) => lines.query[i] === chosen.query || lines.key[i] === chosen.key;
  if (!at && chosen.query === null && chosen.key === null) return null;
  return Array.from({ length: told.n_lines }, (_, i) => i).filter((i) => shown(view, i) && meets(i));
}

/* Drawing and words */

function draw(view) {
  if (view.stale) {
    layOutLines(view);
    drawBase(view);
    view.stale = false;
  }
  compose(view);
  const { chosen, cursor, keys, tokens, frame } = view;
  for (const [side, chosenPlace] of [["q", chosen.query], ["k", chosen.key]]) {
    tokens[side].forEach((token, i) => {
      const also = side === "q" && view.told.layout === "arcs" && i === chosen.key;
      token.setAttribute("aria-selected", String(i === chosenPlace || also));
      token.classList.toggle("cursor", keys && cursor.side === side && cursor.place === i);
    });
  }
  frame.setAttribute("aria-activedescendant", `${cursor.side}${cursor.place}`);
  setText(view.where, sentence(view));
}

function written(weight) {
  return weight >= 0.001 ? weight.toFixed(4) : weight.toExponential(2);
}

function sentence(view) {
  const { at, lines, told } = view;
  const words = told.words;
  if (!at) return "";
  if (at.line === undefined) return tokenSentence(view, at.side, at.place);
  const [q, k] = [lines.query[at.line], lines.key[at.line]];
  const head = told.heads[lines.head[at.line]].name;
  return fill(words.line, { ...named(told, "q", q), ...named(told, "k", k), weight: written(lines.weight[at.line]), head });
}

function named(told, side, i) {
  return { [side]: told.positions[i], [side === "q" ? "query" : "key"]: isolated(titleAt(told, i)) };
}

/** Where a token looks, or who looks at it: the strongest lines first. */
function tokenSentence(view, side, place) {
  const { told, lines } = view;
  const { words, marks } = told;
  const mark = side === "q" ? ["padding", "no_key"].find((name) => marks[name].includes(place)) : undefined;
  if (mark) return fill(words[mark], named(told, "q", place));
  const [mine, other] = side === "q" ? [lines.query, lines.key] : [lines.key, lines.query];
  const ends = [];
  for (let i = told.n_lines - 1; i >= 0; i--) if (mine[i] === place && shown(view, i)) ends.push(i);
  if (!ends.length) return fill(words[side === "q" ? "none_from" : "none_to"], named(told, side, place));
  const texts = ends.slice(0, NAMED).map((i) => {
    const token = { token: isolated(titleAt(told, other[i])), at: told.positions[other[i]] };
    return fill(words.end, { ...token, weight: written(lines.weight[i]), head: told.heads[lines.head[i]].name });
  });
  if (ends.length > NAMED) texts.push(fill(words.more, { more: ends.length - NAMED }));
  return fill(words[side === "q" ? "from" : "to"], { ...named(told, side, place), ends: texts.join(", ") });
}

export default function ({ data, parentElement, setTriggerValue }) {
  const view = views.get(parentElement) ?? begin(parentElement);
  views.set(parentElement, view);
  view.tell = (chosen) => setTriggerValue("chosen", chosen);
  read(view, data);
  say(view);
  draw(view);
  return () => {
    view.watch.stop();
    views.delete(parentElement);
  };
}
