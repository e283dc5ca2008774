// One head of a long sentence: one byte a cell. Pointing names a cell to 1/254 of the scale; a click asks Python for its weight.

const views = new WeakMap(); // parent element -> what this one instance shows
const [HIDDEN, MOST] = [255, 760];

function begin(parent) {
  const root = parent.querySelector(".mha-root");
  const parts = makeStage(root);
  const scale = make("div", "scale", root);
  const ends = [make("span", "low", scale), make("div", "bar", scale), make("span", "high", scale)];
  const where = make("p", "where", root, { role: "status" });
  const step = make("p", "step", root);
  const hint = make("p", "hint", root, { id: "hint" });
  parts.grid.setAttribute("aria-describedby", "hint");
  const view = { root, parts, ends, where, step, hint, at: null, cursor: { q: 0, k: 0 }, data: null };
  view.watch = watched(view, () => draw(view));
  listen(view);
  return view;
}

function listen(view) {
  const { canvas, grid } = view.parts;
  canvas.onpointermove = (event) => {
    view.at = strongestOf(view.ranks, view.data.n, view.every, cellAt(view.parts, view.placed, event));
    view.watch.soon();
  };
  canvas.onpointerleave = () => {
    view.at = null;
    view.watch.soon();
  };
  canvas.onclick = (event) => {
    view.cursor = strongestOf(view.ranks, view.data.n, view.every, cellAt(view.parts, view.placed, event));
    view.send(view.cursor);
  };
  grid.onkeydown = (event) => {
    const to = moved(view.cursor, event, view.data.n - 1);
    if (event.key === "Enter" || event.key === " ") view.send(view.cursor);
    else if (!to) return;
    event.preventDefault();
    if (to) view.at = view.cursor = to;
    view.watch.soon();
  };
}

/** What Python sends: the length of a JSON text, the text, the cells. */
function take(view, bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  view.codes = bytes.subarray(4 + length);
  view.ranks = new Int16Array(view.codes.length);
  for (let i = 0; i < view.codes.length; i++) view.ranks[i] = view.codes[i] === HIDDEN ? -1 : view.codes[i];
  view.data = data;
  view.stale = true;
  if (data.focus !== null) view.cursor = { q: data.focus, k: data.key ?? 0 };
  if (view.cursor.q >= data.n || view.cursor.k >= data.n) view.cursor = { q: 0, k: 0 };
  nameGrid(view.parts, data.words.name, data.words, data.n);
  setText(view.hint, data.words.hint);
  setText(view.ends[0], "0");
  setText(view.ends[2], data.words.high);
  view.ends[1].style.background = `linear-gradient(90deg, ${data.palette.join(", ")})`;
  view.paint = packedColours(data.palette, HIDDEN);
}

function draw(view) {
  const { data, parts } = view;
  if (view.stale) layGround(view);
  const context = parts.canvas.getContext("2d");
  context.clearRect(0, 0, parts.canvas.width, parts.canvas.height);
  context.drawImage(view.ground, 0, 0);
  const { every, placed } = view;
  if (data.focus !== null) {
    const row = Math.floor(data.focus / every);
    outline(view.root, context, placed, { q0: row, q1: row, k0: 0, k1: placed.nCells - 1 });
  }
  if (view.at) {
    const [q, k] = [Math.floor(view.at.q / every), Math.floor(view.at.k / every)];
    outline(view.root, context, placed, { q0: q, q1: q, k0: k, k1: k });
  }
  const text = view.at ? sentence(view, view.at) : "";
  setText(view.where, text);
  nameCell(parts, (view.at ?? view.cursor).q, (view.at ?? view.cursor).k, text);
  view.root.dataset.drawn = String(Number(view.root.dataset.drawn ?? 0) + 1);
}

/** All cells, drawn when they or the room have changed. */
function layGround(view) {
  const { data, parts, root } = view;
  Object.assign(view, placeCovering(root, data.labels, data.n, MOST), { stale: false });
  const { every, placed } = view;
  const firsts = data.labels.filter((_, i) => i % every === 0);
  layOut(parts, placed, firsts, firsts.map((_, i) => data.titles[i * every]));
  view.ground = document.createElement("canvas");
  view.ground.width = view.ground.height = parts.canvas.width;
  const context = view.ground.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.fillStyle = hatching(context, colour(root, "--other"), hatchStep(placed));
  context.fillRect(0, 0, view.ground.width, view.ground.height);
  const small = document.createElement("canvas");
  small.width = small.height = placed.nCells;
  small.getContext("2d").putImageData(coloured(view), 0, 0);
  context.drawImage(small, 0, 0, view.ground.width, view.ground.height);
  view.step.hidden = every === 1;
  setText(view.step, fill(data.words.step, { step: every }));
}

function coloured({ data, every, placed, codes, ranks, paint }) {
  const image = new ImageData(placed.nCells, placed.nCells);
  const best = new Int16Array(placed.nCells * placed.nCells).fill(-1);
  for (let q = 0, i = 0; q < data.n; q++) {
    const row = Math.floor(q / every) * placed.nCells;
    for (let k = 0; k < data.n; k++, i++) {
      const at = row + Math.floor(k / every);
      if (ranks[i] > best[at]) best[at] = codes[i];
    }
  }
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < best.length; i++) if (best[i] >= 0) pixels[i] = paint[best[i]]; // hidden: the hatching shows
  return image;
}

function sentence({ data, codes }, { q, k }) {
  const code = codes[q * data.n + k];
  const names = { query: isolated(data.titles[q]), key: isolated(data.titles[k]) };
  if (code === HIDDEN) return fill(data.words.hidden, names);
  return fill(data.words.cell, { ...names, weight: data.weights[code] });
}

export default function ({ data, parentElement, setTriggerValue }) {
  const view = views.get(parentElement) ?? begin(parentElement);
  views.set(parentElement, view);
  view.send = ({ q, k }) => setTriggerValue("picked", [q, k]);
  take(view, data);
  draw(view);
  return () => {
    view.watch.stop();
    views.delete(parentElement);
  };
}
