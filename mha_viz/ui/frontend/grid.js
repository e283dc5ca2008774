// What the components that draw a square of tokens share. Rows are queries, columns are keys. This text stands before the
// component's own in one module, so nothing is imported.

const MOST_WIDE = 520; // CSS pixels of labels and cells together
const LARGEST_CELL = 40;
const LABEL_STEP = 16; // CSS pixels a label needs across its own direction
const LONGEST_LABEL = 104;
const SMALL = 0.75; // a picture takes at least this share of its room, if need be with fewer, larger cells

/** A sentence with its places filled; in one pass, so that braces in a token stay what they are. */
function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}

/** A token within a sentence: isolated, so that its own writing direction does not turn the sentence around. */
function isolated(label) {
  return `\u2068${label}\u2069`;
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function clamp(number, low, high) {
  return Math.min(Math.max(number, low), high);
}

function make(tag, name, parent, attributes = {}) {
  const element = document.createElement(tag);
  element.className = name;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

/** Labels on two sides, and the grid itself: a canvas, with the one cell that the cursor is on for those who cannot see it. */
function makeStage(parent) {
  const stage = make("div", "stage", parent);
  const corner = make("div", "corner", stage, { "aria-hidden": "true" });
  const columns = make("div", "columns", stage, { "aria-hidden": "true" });
  const rows = make("div", "rows", stage, { "aria-hidden": "true" });
  const grid = make("div", "grid", stage, { role: "grid", tabindex: "0" });
  const canvas = make("canvas", "cells", grid, { "aria-hidden": "true" });
  const row = make("div", "unseen", grid, { role: "row" });
  const cell = make("div", "cell", row, { role: "gridcell", id: "cell" });
  grid.setAttribute("aria-activedescendant", "cell");
  return { stage, corner, columns, rows, grid, canvas, row, cell };
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Names the grid and says where its cursor is. */
function nameGrid(parts, label, words, size) {
  parts.grid.setAttribute("aria-label", label);
  parts.grid.setAttribute("aria-rowcount", size);
  parts.grid.setAttribute("aria-colcount", size);
  setText(parts.corner, "");
  make("span", "", parts.corner).textContent = words.keys;
  make("span", "", parts.corner).textContent = words.queries;
}

function nameCell(parts, row, column, text) {
  parts.row.setAttribute("aria-rowindex", row + 1);
  parts.cell.setAttribute("aria-colindex", column + 1);
  setText(parts.cell, text);
}

/** CSS pixels that the labels want beside the cells. */
function labelRoom(root, labels, width) {
  const style = getComputedStyle(root);
  const context = (labelRoom.canvas ??= document.createElement("canvas")).getContext("2d");
  context.font = `12px ${style.fontFamily}`;
  const widest = labels.reduce((most, label) => Math.max(most, context.measureText(label).width), 44);
  return Math.ceil(Math.min(widest + 8, LONGEST_LABEL, width * 0.27));
}

/** The room there is, and the screen's own pixels a CSS pixel has. */
function measure(root, labels, most = MOST_WIDE) {
  const width = Math.min(root.clientWidth, most);
  const room = labelRoom(root, labels, width);
  return { width, room, area: Math.max(width - room, 40), ratio: window.devicePixelRatio || 1 };
}

/** Whole screen pixels a cell, so that all cells are the same and sharp. */
function place(measured, nCells) {
  const { area, ratio, room } = measured;
  const pixels = clamp(Math.floor((area * ratio) / nCells), 1, Math.round(LARGEST_CELL * ratio));
  return { room, ratio, pixels, cell: pixels / ratio, side: (pixels * nCells) / ratio, nCells };
}

/** How many tokens a drawn cell covers on each side, 1 if the screen has the pixels, and where everything stands then. */
function placeCovering(root, labels, n, most = MOST_WIDE) {
  const measured = measure(root, labels, most);
  for (let every = 1; ; every++) {
    const placed = place(measured, Math.ceil(n / every));
    const large = placed.side >= SMALL * measured.area || placed.pixels >= 4;
    if (placed.side <= measured.area + 1 && large) return { every, placed };
  }
}

/** Of the cells that a drawn one covers, the one with the largest weight, which gives it its colour. */
function strongestOf(weights, n, every, drawn) {
  let [best, most] = [{ q: drawn.q * every, k: drawn.k * every }, -1];
  for (let q = drawn.q * every; q < Math.min((drawn.q + 1) * every, n); q++) {
    for (let k = drawn.k * every; k < Math.min((drawn.k + 1) * every, n); k++) {
      if (weights[q * n + k] > most) [best, most] = [{ q, k }, weights[q * n + k]];
    }
  }
  return best;
}

/** Gives everything its size; returns the context of the canvas, in screen pixels. */
function layOut(parts, placed, names, titles) {
  const { room, side, pixels, nCells } = placed;
  parts.stage.style.setProperty("--room", `${room}px`);
  parts.stage.style.setProperty("--side", `${side}px`);
  const wanted = pixels * nCells;
  // A new canvas is 300 wide and 150 high: both are compared.
  if (parts.canvas.width !== wanted || parts.canvas.height !== wanted) {
    parts.canvas.width = parts.canvas.height = wanted;
  }
  const drawn = JSON.stringify([placed, names, titles]);
  if (parts.drawn !== drawn) {
    parts.drawn = drawn;
    putLabels(parts.columns, placed, names, titles, "left", "width");
    putLabels(parts.rows, placed, names, titles, "top", "height");
  }
  return parts.canvas.getContext("2d");
}

/** As many labels as have room, each in the middle of its own cell. */
function putLabels(strip, placed, names, titles, start, extent) {
  strip.replaceChildren();
  const every = Math.max(1, Math.ceil(LABEL_STEP / placed.cell));
  const room = Math.max(placed.cell, LABEL_STEP);
  for (let i = 0; i < names.length; i += every) {
    const label = make("span", "", strip, { title: titles[i] });
    make("bdi", "", label).textContent = names[i]; // its own writing direction stays its own
    label.style[start] = `${(i + 0.5) * placed.cell - room / 2}px`;
    label.style[extent] = `${room}px`;
  }
}

/** How far apart the lines of a hatching stand on cells of this size. */
function hatchStep({ cell, ratio }) {
  return Math.max(4, Math.round(clamp(cell / 3, 3.5, 7) * ratio));
}

/** A frame inside the edge of a rectangle of cells, in two colours, so that it shows on any ground. */
function outline(root, context, { pixels, ratio }, { q0, q1, k0, k1 }) {
  const line = 2 * ratio;
  for (const [ink, inset] of [["--st-background-color", line * 1.5], ["--st-text-color", line / 2]]) {
    context.lineWidth = line;
    context.strokeStyle = colour(root, ink);
    const [across, down] = [(k1 - k0 + 1) * pixels - 2 * inset, (q1 - q0 + 1) * pixels - 2 * inset];
    if (across > 0 && down > 0) context.strokeRect(k0 * pixels + inset, q0 * pixels + inset, across, down);
  }
}

/** A colour of the style sheet, as it is in the present theme. */
function colour(root, name) {
  return getComputedStyle(root).getPropertyValue(name).trim();
}

/** Which cell a pointer is on, counted from the canvas; beyond it, the nearest. */
function cellAt(parts, placed, event) {
  const box = parts.canvas.getBoundingClientRect();
  const last = placed.nCells - 1;
  return {
    q: clamp(Math.floor((event.clientY - box.top) / placed.cell), 0, last),
    k: clamp(Math.floor((event.clientX - box.left) / placed.cell), 0, last),
  };
}

/** Where a key of the keyboard takes the cursor; null if it is none that moves. */
function moved({ q, k }, event, last) {
  const far = event.ctrlKey || event.metaKey;
  const to = {
    ArrowUp: [far ? 0 : q - 1, k],
    ArrowDown: [far ? last : q + 1, k],
    ArrowLeft: [q, far ? 0 : k - 1],
    ArrowRight: [q, far ? last : k + 1],
    Home: [far ? 0 : q, 0],
    End: [far ? last : q, last],
  }[event.key];
  return to ? { q: clamp(to[0], 0, last), k: clamp(to[1], 0, last) } : null;
}

/** Draws again when the room changes, and not more than once a frame. */
function watched(view, draw) {
  const { root } = view;
  let waiting = 0;
  let width = root.clientWidth;
  const soon = () => {
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
  const observer = new ResizeObserver(() => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    view.stale = true;
    soon();
  });
  observer.observe(root);
  const stop = () => {
    observer.disconnect();
    cancelAnimationFrame(waiting);
  };
  return { soon, stop };
}
