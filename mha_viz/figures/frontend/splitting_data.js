// What the splitting animation shows: the arrays of a layer, their colours, and how a number is written. Stands before the other
// splitting_*.js in one script, so nothing is imported.

const HEADED = new Set(["query", "key", "value", "head_output", "joined"]); // their columns belong to heads, head after head
const PAIRS = new Set(["scores", "scaled", "tempered", "weights", "visible"]); // (head, query, key)
const OWN = new Set(["query", "key", "scores", "scaled", "tempered"]); // each head is coloured by its own largest number
const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3]]; // line styles of heads, beside their hues

/** A sentence with its places filled; in one pass, so that braces in a token stay what they are. */
function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}

/** A token within a sentence: isolated, so that its own writing direction does not turn the sentence around. */
function alone(label) {
  return `\u2068${label}\u2069`;
}

function made(tag, name, parent, attributes = {}) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function between(number, low, high) {
  return Math.min(Math.max(number, low), high);
}

/** One layer as Python sent it: the payload, and float32 numbers as base64. */
function readPart({ payload, bytes }) {
  const raw = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
  const floats = new Float32Array(raw.buffer);
  const arrays = {};
  for (const [name, about] of Object.entries(payload.arrays)) {
    const source = about.same_as ? payload.arrays[about.same_as] : about;
    const shape = source.shape;
    const size = shape.reduce((product, side) => product * side, 1);
    const [rows, columns] = shape.slice(-2);
    const numbers = floats.subarray(source.offset, source.offset + size);
    const top = Math.max(Math.abs(source.low), Math.abs(source.high)) || 1;
    const array = { ...source, ...about, name, as: about.same_as ?? name, rows, columns, numbers, top, deep: shape.length === 3 };
    arrays[name] = { ...array, tops: topsOf(array, payload.n_heads) };
  }
  const labels = payload.shown.rows.map((position) => payload.tokens[position]);
  return { payload, arrays, labels, steps: payload.steps, images: new Map(), joins: new Map() };
}

function valueAt(array, head, row, column) {
  return array.numbers[((array.deep ? head ?? 0 : 0) * array.rows + row) * array.columns + column];
}

/** A number as it is shown: four decimals, or the power of ten where those would say nothing. */
function shownNumber(value) {
  const small = value !== 0 && Math.abs(value) < 0.001;
  return (small ? value.toExponential(2) : value.toFixed(4)).replace("-", "−");
}

function shortNumber(value) {
  return value.toFixed(2).replace("-", "−");
}

/** Whether the mask leaves a cell of (head, query, key) in play. */
function inPlay(part, head, row, column) {
  const visible = part.arrays.visible;
  return !visible || valueAt(visible, head, row, column) > 0.5;
}

/** Where a value stands on its scale, 0 to 255; zero is the middle of a diverging one. */
function shadeOf(array, colour, head, value) {
  const top = array.tops[array.tops.length > 1 ? head ?? 0 : 0];
  const share = colour === "diverging" ? 0.5 + value / (2 * top) : value / top;
  return between(Math.round(share * 255), 0, 255);
}

/** The largest sizes, one for all or one a head: queries, keys and scores of one head can be a hundred times those of another. */
function topsOf(array, heads) {
  if (!OWN.has(array.name)) return [array.top];
  const tops = new Array(heads).fill(0);
  array.numbers.forEach((value, i) => {
    const head = array.deep ? Math.floor(i / (array.rows * array.columns)) : headOf(array, i % array.columns, heads);
    tops[head] = Math.max(tops[head], Math.abs(value));
  });
  return tops.map((top) => top || 1);
}

/** Whose a column is, of an array in which every head has its own. */
function headOf(array, column, heads) {
  return Math.floor((column * heads) / array.columns);
}

/**
 * A picture with a pixel a cell, of an array (and a head, if it has one); made once and drawn large.
 * Where `masked`, what the mask hides is left out: hatching shows through.
 */
function imageOf(part, look, sheet, head, masked) {
  const array = part.arrays[sheet.array];
  const key = `${array.as}:${array.deep ? head : ""}:${sheet.colour}:${masked}`;
  if (part.images.has(key)) return part.images.get(key);
  const image = made("canvas");
  [image.width, image.height] = [array.columns, array.rows];
  const pen = image.getContext("2d");
  const pixels = pen.createImageData(array.columns, array.rows);
  const table = look.tables[sheet.colour] ?? look.tables.weights;
  for (let row = 0, i = 0; row < array.rows; row++) {
    for (let column = 0; column < array.columns; column++, i += 4) {
      const value = valueAt(array, head, row, column);
      const own = array.deep ? head : headOf(array, column, part.payload.n_heads);
      const shade = 3 * shadeOf(array, sheet.colour, own, value);
      const seen = sheet.colour === "visible" ? value > 0.5 : !masked || inPlay(part, head, row, column);
      for (let channel = 0; channel < 3; channel++) pixels.data[i + channel] = table[shade + channel];
      pixels.data[i + 3] = seen && Number.isFinite(value) ? 255 : 0;
    }
  }
  pen.putImageData(pixels, 0, 0);
  part.images.set(key, image);
  return image;
}
