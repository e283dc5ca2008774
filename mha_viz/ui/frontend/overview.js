// All heads of all layers on one canvas. The cells come as raw bytes, one each; a chosen head goes to Python by its number.

const views = new WeakMap(); // parent element -> what this one instance shows
const HIDDEN = 255;
const [GAP, BAR, LABEL, ROW_NAME, COLUMN_NAME] = [6, 6, 20, 34, 22]; // CSS pixels
const [SMALLEST, SMALLEST_NAMED, LARGEST] = [24, 58, 150]; // of a thumbnail
const PEEK = 224; // of the head pointed at

function begin(parent) {
  const root = parent.querySelector(".mha-root");
  const grid = make("div", "heads", root, { role: "grid", tabindex: "0" });
  const canvas = make("canvas", "", grid, { "aria-hidden": "true" });
  const row = make("div", "unseen", grid, { role: "row" });
  const cell = make("div", "cell", row, { role: "gridcell", id: "head" });
  grid.setAttribute("aria-activedescendant", "head");
  const peek = make("div", "peek", grid, { "aria-hidden": "true" });
  const close = { box: peek, name: make("strong", "", peek), canvas: make("canvas", "", peek), note: make("span", "", peek) };
  peek.hidden = true;
  const below = make("div", "below", root);
  const scale = make("div", "scale", below);
  const ends = [make("span", "low", scale), make("div", "bar", scale), make("span", "high", scale), make("span", "kind", scale)];
  const where = make("p", "where", root, { role: "status" });
  const hint = make("p", "hint", root, { id: "hint" });
  grid.setAttribute("aria-describedby", "hint");
  const view = { root, grid, canvas, row, cell, close, ends, where, hint, at: null, cursor: null, keys: false, data: null };
  view.watch = watched(view, () => draw(view));
  listen(view);
  return view;
}

function listen(view) {
  const { canvas, grid } = view;
  canvas.onpointermove = (event) => point(view, slotAt(view, event));
  canvas.onpointerleave = () => point(view, null);
  canvas.onclick = (event) => {
    const slot = slotAt(view, event);
    if (slot !== null) view.send(view.data.order[slot]);
  };
  grid.onkeydown = (event) => type(view, event);
  grid.onfocus = () => {
    view.keys = grid.matches(":focus-visible");
    view.cursor ??= Math.max(0, view.data.order.indexOf(view.data.chosen));
    view.watch.soon();
  };
  grid.onblur = () => {
    view.keys = false;
    view.watch.soon();
  };
}

function point(view, slot) {
  if (view.at === slot) return;
  view.at = slot;
  view.where.setAttribute("aria-live", "off");
  view.watch.soon();
}

function type(view, event) {
  const { columns } = view.placed;
  const last = view.data.order.length - 1;
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  const to = by ? view.cursor + by : { Home: 0, End: last }[event.key];
  if (event.key === "Enter" || event.key === " ") view.send(view.data.order[view.cursor]);
  else if (to === undefined) return;
  else if (to >= 0 && to <= last) view.cursor = to;
  event.preventDefault();
  view.keys = true;
  view.at = null;
  view.where.setAttribute("aria-live", "polite");
  view.watch.soon();
}

/** What Python sends: the length of a JSON text, the text, the cells. */
function take(view, bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  data.cells = bytes.subarray(4 + length);
  data.pale = new Set(data.faint);
  const same = view.data && view.data.order.length === data.order.length;
  view.data = data;
  if (!same) view.cursor = null;
  if (view.cursor === null && view.keys) view.cursor = Math.max(0, data.order.indexOf(data.chosen));
  view.atlas = pictures(data);
  view.stale = true;
  const { words } = data;
  view.grid.setAttribute("aria-label", words.name);
  view.grid.setAttribute("aria-colcount", data.heads);
  view.grid.setAttribute("aria-rowcount", data.layers);
  setText(view.hint, words.hint);
  setText(view.ends[0], words.low);
  setText(view.ends[2], words.high);
  setText(view.ends[3], words.scale);
  view.ends[1].style.background = `linear-gradient(90deg, ${data.palette.join(", ")})`;
}

/** Every head once, at one screen pixel a cell, one above the other. */
function pictures({ layers, heads, side, cells, palette }) {
  const atlas = document.createElement("canvas");
  atlas.width = side;
  atlas.height = side * layers * heads;
  const image = new ImageData(side, atlas.height);
  const paint = packedColours(palette, HIDDEN);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < cells.length; i++) if (cells[i] !== HIDDEN) pixels[i] = paint[cells[i]];
  atlas.getContext("2d").putImageData(image, 0, 0);
  const size = side * side;
  const gaps = Array.from({ length: layers * heads }, (_, head) => cells.subarray(head * size, (head + 1) * size).includes(HIDDEN));
  return { atlas, gaps };
}

/* Places */

/** By layer and head: a row a layer, names at the edges. In any other order, or where that is too narrow, each has its name. */
function arrange({ root, data }) {
  const width = Math.max(root.clientWidth, 120);
  const fits = (columns, room) => Math.floor((width - room + GAP) / columns) - GAP;
  const table = !data.sorted && fits(data.heads, ROW_NAME) >= SMALLEST;
  let columns = data.heads;
  if (!table) columns = Math.max(1, Math.min(data.order.length, 16, Math.floor((width + GAP) / (SMALLEST_NAMED + GAP))));
  const [left, top] = table ? [ROW_NAME, COLUMN_NAME] : [0, 0];
  const tile = Math.min(fits(columns, left), LARGEST);
  const label = table ? 0 : LABEL;
  const rows = Math.ceil(data.order.length / columns);
  const down = label + tile + 3 + BAR + GAP;
  return { table, columns, left, top, tile, label, rows, across: tile + GAP, down, width, height: top + rows * down };
}

function spot({ left, top, label, columns, across, down }, slot) {
  return { x: left + (slot % columns) * across, y: top + Math.floor(slot / columns) * down + label };
}

function slotAt({ canvas, placed, data }, event) {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - placed.left) / placed.across);
  const row = Math.floor((event.clientY - box.top - placed.top) / placed.down);
  const slot = row * placed.columns + column;
  const within = column >= 0 && row >= 0 && column < placed.columns && slot < data.order.length;
  return within ? slot : null;
}

/* Drawing */

function draw(view) {
  const { canvas, data } = view;
  if (view.stale || !view.placed) {
    view.placed = arrange(view);
    view.stale = false;
  }
  const { width, height } = view.placed;
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.imageSmoothingEnabled = false;
  const ink = { text: colour(view.root, "--st-text-color"), accent: colour(view.root, "--chosen"), font: getComputedStyle(view.root).fontFamily };
  ink.ground = colour(view.root, "--st-background-color");
  ink.hatch = hatching(context, colour(view.root, "--other"), 5);
  if (view.placed.table) drawEdges(view, context, ink);
  data.order.forEach((head, slot) => drawHead(view, context, ink, head, slot));
  const marked = view.at ?? (view.keys ? view.cursor : null);
  const chosen = data.order.indexOf(data.chosen);
  if (chosen >= 0) frame(view, context, chosen, ink.accent, 3);
  if (marked !== null && marked !== chosen) frame(view, context, marked, ink.text, 2);
  peekAt(view, marked, ink);
  tell(view, marked);
  view.root.dataset.drawn = String(Number(view.root.dataset.drawn ?? 0) + 1);
}

function drawEdges({ placed, data }, context, ink) {
  context.fillStyle = ink.text;
  context.font = `600 14px ${ink.font}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (let layer = 0; layer < data.layers; layer++) {
    context.fillText(`L${layer}`, 0, spot(placed, layer * placed.columns).y + placed.tile / 2);
  }
  context.textAlign = "center";
  const every = placed.across < 30 ? 2 : 1;
  for (let head = 0; head < data.heads; head += every) {
    context.fillText(`H${head}`, spot(placed, head).x + placed.tile / 2, COLUMN_NAME / 2 - 1);
  }
}

function drawHead({ placed, data, atlas }, context, ink, head, slot) {
  const { x, y } = spot(placed, slot);
  const { tile } = placed;
  context.globalAlpha = data.pale.has(head) ? 0.18 : 1;
  if (atlas.gaps[head]) {
    context.fillStyle = ink.hatch;
    context.fillRect(x, y, tile, tile);
  }
  context.drawImage(atlas.atlas, 0, head * data.side, data.side, data.side, x, y, tile, tile);
  if (!placed.table) drawName(placed, data, context, ink, head, x, y);
  const share = data.shares[head];
  if (share !== null) {
    context.globalAlpha *= 0.25;
    context.fillStyle = ink.text;
    context.fillRect(x, y + tile + 3, tile, BAR);
    context.globalAlpha *= 4;
    context.fillStyle = data.palette[Math.round(clamp(share, 0, 1) * (data.palette.length - 1))];
    context.fillRect(x, y + tile + 3, tile * clamp(share, 0.03, 1), BAR);
  }
  context.globalAlpha = 1;
}

function drawName({ tile }, data, context, ink, head, x, y) {
  context.fillStyle = ink.text;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.font = `600 14px ${ink.font}`;
  context.fillText(nameOf(data, head), x, y - LABEL / 2);
  if (tile < 96) return;
  context.textAlign = "right";
  context.font = `14px ${ink.font}`;
  context.fillText(data.values[head], x + tile, y - LABEL / 2);
}

function frame({ placed }, context, slot, ink, line) {
  const { x, y } = spot(placed, slot);
  context.lineWidth = line;
  context.strokeStyle = ink;
  context.strokeRect(x - line / 2, y - line / 2, placed.tile + line, placed.tile + line);
}

/** The head pointed at, enlarged beside its thumbnail; nothing where thumbnails are large themselves. */
function peekAt(view, slot, ink) {
  const { close, placed, data, atlas } = view;
  close.box.hidden = slot === null || placed.tile >= PEEK / 2 || placed.width < 2 * PEEK;
  if (close.box.hidden) return;
  const head = data.order[slot];
  const side = Math.max(1, Math.floor(PEEK / data.side)) * data.side;
  close.canvas.width = close.canvas.height = side;
  close.canvas.style.width = close.canvas.style.height = `${side}px`;
  const context = close.canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.fillStyle = ink.hatch;
  if (atlas.gaps[head]) context.fillRect(0, 0, side, side);
  context.drawImage(atlas.atlas, 0, head * data.side, data.side, data.side, 0, 0, side, side);
  setText(close.name, nameOf(data, head));
  setText(close.note, fill(data.words.peek, { value: data.values[head], note: data.notes[head] }));
  close.note.style.maxWidth = `${side}px`;
  const { x, y } = spot(placed, slot);
  const wide = side + 14;
  const right = x + placed.tile + 10;
  close.box.style.left = `${right + wide <= placed.width ? right : x - wide - 10}px`;
  close.box.style.top = `${clamp(y - side / 3, 0, Math.max(0, placed.height - side - 90))}px`;
}

function nameOf({ heads }, head) {
  return `L${Math.floor(head / heads)} H${head % heads}`;
}

function tell(view, slot) {
  const { data, row, cell, where } = view;
  const head = slot === null ? data.chosen : data.order[slot];
  const values = { head: nameOf(data, head), value: data.values[head], note: data.notes[head] };
  const text = fill(data.words.head, values);
  setText(where, text);
  row.setAttribute("aria-rowindex", Math.floor(head / data.heads) + 1);
  cell.setAttribute("aria-colindex", (head % data.heads) + 1);
  cell.setAttribute("aria-selected", String(head === data.chosen));
  setText(cell, text);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const view = views.get(parentElement) ?? begin(parentElement);
  views.set(parentElement, view);
  view.send = (head) => setTriggerValue("picked", head);
  take(view, data);
  draw(view);
  return () => {
    view.watch.stop();
    views.delete(parentElement);
  };
}
