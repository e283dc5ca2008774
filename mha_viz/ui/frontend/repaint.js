// The recorded scores of one head, softmaxed again at the temperature of a slider. Nothing goes to Python: the scores are here.

const views = new WeakMap(); // parent element -> what this one instance shows
const MARKS = [0, 0.1, 1, 10, Infinity];
const VIRIDIS = "#440154 #482878 #3e4989 #31688e #26828e #1f9e89 #35b779 #6ece58 #b5de2b #fde725".split(" ");
const COLOURS = packedColours(VIRIDIS);
const ALIKE = 0.999; // weights within this share of the largest are equal, to say it in words
const NAMED = 3;

function begin(parent) {
  const root = parent.querySelector(".mha-root");
  const title = make("div", "title", root);
  const label = make("label", "", title, { for: "temperature" });
  const output = make("output", "", title, { for: "temperature", "aria-hidden": "true" });
  const slider = make("input", "temperature", root, { id: "temperature", type: "range", min: 0, max: STEPS, step: 1 });
  const marks = make("div", "marks", root);
  const parts = makeStage(root);
  const scale = make("div", "scale", root);
  const ends = [make("span", "low", scale), make("div", "bar", scale), make("span", "high", scale)];
  ends[1].style.background = `linear-gradient(90deg, ${VIRIDIS.join(", ")})`;
  const choice = make("label", "choice", root);
  const fixed = make("input", "fixed", choice, { type: "checkbox" });
  const choiceText = make("span", "", choice);
  const row = make("p", "row", root, { id: "row" });
  slider.setAttribute("aria-describedby", "row");
  const where = make("p", "where", root, { role: "status" });
  const [noKey, step, time, note] = ["no-key", "step", "time", "note"].map((name) => make("p", `small ${name}`, root));
  const view = { root, label, output, slider, marks, parts, low: ends[0], high: ends[2], fixed, choiceText };
  Object.assign(view, { row, where, noKey, step, time, note, data: null, at: null, cursor: { q: 0, k: 0 }, focus: null });
  view.watch = watched(view, () => draw(view));
  listen(view);
  return view;
}

function listen(view) {
  const { canvas, grid } = view.parts;
  view.slider.oninput = view.watch.soon;
  view.fixed.onchange = view.watch.soon;
  canvas.onpointermove = (event) => point(view, event, false);
  canvas.onclick = (event) => point(view, event, true);
  canvas.onpointerleave = (event) => {
    if (event.pointerType !== "touch") view.at = null;
    view.watch.soon();
  };
  grid.onkeydown = (event) => {
    const to = moved(view.cursor, event, view.data.n - 1);
    if (!to) return;
    event.preventDefault();
    view.cursor = to;
    view.at = to;
    view.watch.soon();
  };
  grid.onblur = () => {
    view.at = null;
    view.watch.soon();
  };
}

/** The pointer is on a cell: it is named, and a click chooses its row. */
function point(view, event, chooses) {
  const drawn = cellAt(view.parts, view.placed, event);
  view.at = strongestOf(view.weights, view.data.n, view.every, drawn);
  if (chooses) view.cursor = view.at;
  view.watch.soon();
}

function take(view, data) {
  const before = view.data;
  view.data = data;
  view.stale = true;
  if (!before || before.scores !== data.scores || before.n !== data.n) {
    view.scores = new Float32Array(bytesOf(data.scores).buffer);
    view.weights = new Float32Array(data.n * data.n);
    view.at = null;
  }
  if (!before) view.slider.value = stepOf(1);
  if (!before || before.n !== data.n || before.focus !== data.focus) {
    view.cursor = { q: data.focus ?? widestRow(view), k: 0 };
  }
  say(view);
}

/** The first of the queries that have most keys to choose from. */
function widestRow({ scores, data }) {
  const keys = new Array(data.n).fill(0);
  scores.forEach((score, i) => {
    if (score > -Infinity) keys[Math.floor(i / data.n)]++;
  });
  return keys.indexOf(Math.max(...keys));
}

function say(view) {
  const { words } = view.data;
  nameGrid(view.parts, words.name, words, view.data.n);
  setText(view.label, words.temperature);
  setText(view.choiceText, words.fixed);
  setText(view.note, words.note);
  setText(view.noKey, words.no_key);
  setText(view.low, "0");
  view.noKey.hidden = !words.no_key;
  view.marks.replaceChildren();
  for (const mark of MARKS) {
    const button = make("button", mark === 1 ? "own" : "", view.marks, { type: "button" });
    button.textContent = written(mark);
    button.setAttribute("aria-label", fill(words.set, { temperature: written(mark) }));
    button.style.left = `${(100 * stepOf(mark)) / STEPS}%`;
    button.onclick = () => {
      view.slider.value = stepOf(mark);
      view.watch.soon();
    };
  }
}

/* Drawing */

/** How many tokens a drawn cell covers on each side: 1 if the screen has the pixels. */
function layOutCells(view) {
  const { data, parts, root } = view;
  const { every, placed } = placeCovering(root, data.labels, data.n);
  Object.assign(view, { every, placed, stale: false });
  const names = data.labels.filter((_, i) => i % every === 0);
  const titles = names.map((_, i) => `${i * every} ${data.titles[i * every]}`);
  const context = layOut(parts, placed, names, titles);
  view.ground = ground(view, context);
  view.image = new ImageData(placed.nCells, placed.nCells);
  view.small = document.createElement("canvas");
  view.small.width = view.small.height = placed.nCells;
  view.step.hidden = every === 1;
  setText(view.step, fill(data.words.step, { step: every }));
}

/** What shows where no weight is drawn: hidden cells, and rows without a key. */
function ground({ data, root, placed, scores, every }, context) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = placed.pixels * placed.nCells;
  const pen = canvas.getContext("2d");
  pen.fillStyle = hatching(context, colour(root, "--other"), hatchStep(placed));
  pen.fillRect(0, 0, canvas.width, canvas.width);
  pen.fillStyle = hatching(context, colour(root, "--no-key"), hatchStep({ ...placed, cell: 12 }), true);
  for (let row = 0; row < placed.nCells; row++) {
    const rows = scores.subarray(row * every * data.n, (row + 1) * every * data.n);
    if (rows.some((score) => score > -Infinity)) continue;
    pen.clearRect(0, row * placed.pixels, canvas.width, placed.pixels);
    pen.fillRect(0, row * placed.pixels, canvas.width, placed.pixels);
  }
  return canvas;
}

function draw(view) {
  if (view.stale) layOutCells(view);
  const { data, parts, ground: below, placed } = view;
  const temperature = temperatureAt(Number(view.slider.value));
  const started = performance.now();
  let highest = 0;
  for (let q = 0; q < data.n; q++) {
    highest = Math.max(highest, softmaxInto(view.weights, view.scores, q * data.n, data.n, temperature));
  }
  const top = view.fixed.checked || highest === 0 ? 1 : highest;
  colourCells(view, top);
  const context = parts.canvas.getContext("2d");
  context.clearRect(0, 0, below.width, below.width);
  context.drawImage(below, 0, 0);
  context.imageSmoothingEnabled = false;
  view.small.getContext("2d").putImageData(view.image, 0, 0);
  context.drawImage(view.small, 0, 0, below.width, below.width);
  const took = performance.now() - started;
  mark(view, context, placed);
  tell(view, temperature, top, took);
}

function colourCells({ data, every, image, placed, scores, weights }, top) {
  const pixels = new Uint32Array(image.data.buffer);
  const { n } = data;
  pixels.fill(0);
  for (let q = 0, i = 0; q < n; q++) {
    const row = Math.floor(q / every) * placed.nCells;
    for (let k = 0; k < n; k++, i++) {
      if (!(scores[i] > -Infinity)) continue;
      const at = every === 1 ? i : row + Math.floor(k / every);
      const ink = COLOURS[Math.round((255 * weights[i]) / top)];
      if (every === 1 || pixels[at] === 0 || rank(ink) > rank(pixels[at])) pixels[at] = ink;
    }
  }
}

/** Viridis grows lighter with the weight: its green does. */
function rank(ink) {
  return (ink >> 8) & 255;
}

/** A frame around the chosen row, and one around the cell that is named. */
function mark({ root, data, cursor, at, every }, context, { pixels, ratio, nCells }) {
  const line = 2 * ratio;
  context.lineWidth = line;
  context.strokeStyle = colour(root, "--chosen");
  const top = Math.floor(cursor.q / every) * pixels + line / 2;
  if (data.n > 1) context.strokeRect(line / 2, top, nCells * pixels - line, Math.max(pixels - line, 1));
  if (!at) return;
  const [q, k] = [Math.floor(at.q / every), Math.floor(at.k / every)];
  outline(root, context, { pixels, ratio }, { q0: q, q1: q, k0: k, k1: k });
}

/* Words */

function tell(view, temperature, top, took) {
  const { data, parts, cursor, at } = view;
  const text = written(temperature);
  setText(view.output, text);
  view.slider.setAttribute("aria-valuetext", fill(data.words.value, { temperature: text }));
  setText(view.high, fill(data.words.high, { highest: String(Number(top.toFixed(4))) }));
  const cell = at ? cellSentence(view, at) : data.words.hint;
  setText(view.row, rowSentence(view, at ? at.q : cursor.q, temperature));
  setText(view.where, cell);
  nameCell(parts, (at ?? cursor).q, (at ?? cursor).k, cell);
  setText(view.time, fill(data.words.time, { milliseconds: took.toFixed(1) }));
  view.root.dataset.milliseconds = took;
}

function cellSentence({ data, scores, weights }, { q, k }) {
  const names = { q, query: isolated(data.titles[q]), k, key: isolated(data.titles[k]) };
  const shown = scores[q * data.n + k] > -Infinity;
  return fill(data.words[shown ? "cell" : "hidden"], { ...names, weight: weights[q * data.n + k].toFixed(4) });
}

/** Where a query looks, and how evenly. */
function rowSentence({ data, scores }, q, temperature) {
  const { words, titles, n } = data;
  const row = scores.subarray(q * n, (q + 1) * n);
  const keys = [...row.keys()].filter((k) => row[k] > -Infinity);
  const values = { q, query: isolated(titles[q]), n_keys: keys.length };
  if (!keys.length) return fill(words.row_no_key, values);
  const weights = softmaxRow(row, temperature);
  keys.sort((a, b) => weights[b] - weights[a] || a - b);
  const alike = keys.filter((k) => weights[k] >= ALIKE * weights[keys[0]]).length;
  const named = keys.slice(0, NAMED).map((k) => fill(words.top, { k, key: isolated(titles[k]), weight: weights[k].toFixed(4) }));
  const spread = { entropy: entropy(weights).toFixed(2), even: Math.log(keys.length).toFixed(2) };
  const first = fill(words.row, { ...values, ...spread });
  const equal = { n_alike: alike, weight: weights[keys[0]].toFixed(4) };
  return `${first} ${alike > NAMED ? fill(words.alike, equal) : fill(words.most, { keys: named.join(", ") })}`;
}

export default function ({ data, parentElement }) {
  const view = views.get(parentElement) ?? begin(parentElement);
  views.set(parentElement, view);
  take(view, data);
  draw(view);
  return () => {
    view.watch.stop();
    views.delete(parentElement);
  };
}
