// How a step is drawn on a canvas: pictures of cells, frames in the heads' colours and line styles, labels, hatching.

const STAGE = { width: 1600, height: 900 }; // units that places are given in
const SMALLEST_FONT = 14; // CSS pixels
const DIMMED = 0.13;
const MASKED_FROM = 4; // the step from which hidden cells are out of play

/** Gives a canvas its size in the screen's own pixels; returns how units become CSS pixels. */
function fitted(canvas, width, height, ratio) {
  const wanted = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wanted[0] || canvas.height !== wanted[1]) [canvas.width, canvas.height] = wanted;
  return { width, height, ratio, x: width / STAGE.width, y: height / STAGE.height };
}

/** Colours of the present theme; read for every picture, since it can change without a word. */
function inksOf(root) {
  const style = getComputedStyle(root);
  const read = (name, other) => style.getPropertyValue(name).trim() || other;
  const text = read("--st-text-color", style.color);
  return { text, ground: read("--st-background-color", "#fff"), accent: read("--split-accent", "#e8590c"), font: style.fontFamily };
}

function hueOf(look, head) {
  return look.heads[head % look.heads.length];
}

function dashOf(head) {
  return DASHES[(head + Math.floor(head / 8)) % DASHES.length];
}

/** Lines that rise over a breath of grey: out of play. */
function hatch(pen, colour, ratio) {
  const step = Math.round(6 * ratio);
  const tile = made("canvas");
  tile.width = tile.height = step;
  const ink = tile.getContext("2d");
  ink.fillStyle = ink.strokeStyle = colour;
  ink.globalAlpha = 0.18;
  ink.fillRect(0, 0, step, step);
  ink.globalAlpha = 0.9;
  ink.lineWidth = Math.max(1, step / 6);
  ink.beginPath();
  for (const shift of [-step, 0, step]) {
    ink.moveTo(shift - 1, step + 1);
    ink.lineTo(shift + step + 1, -1);
  }
  ink.stroke();
  return pen.createPattern(tile, "repeat");
}

/** Draws two steps on the way from one to the other. */
function drawStage(view, part, pen, scale, { from, to, share, rows }) {
  const inks = view.inks;
  pen.setTransform(scale.ratio, 0, 0, scale.ratio, 0, 0);
  pen.clearRect(0, 0, scale.width, scale.height);
  pen.imageSmoothingEnabled = false;
  const state = { view, part, pen, scale, inks, share, rows, from, to };
  state.hatching = hatch(pen, view.look.guide, 1);
  state.resting = share === 1 && rows === 1;
  for (const move of joinOf(part, from, to)) drawPiece(state, move);
  if (share > 0.5 || from === to) drawTexts(state, to, from === to ? 1 : share * 2 - 1);
  else drawTexts(state, from, 1 - share * 2);
}

/** Where a piece is, in CSS pixels. */
function boxOf(scale, place, columns, rows) {
  const [width, height] = [place.cell[0] * columns * scale.x, place.cell[1] * rows * scale.y];
  return { x: place.x * scale.x, y: place.y * scale.y, width, height };
}

function strengthOf({ view }, head) {
  return view.scope === "one" && head !== null && head !== view.head ? DIMMED : 1;
}

function drawPiece(state, move) {
  const { pen, scale, share } = state;
  const place = placeAt(move, share);
  const piece = move.to ?? move.from;
  if (place.alpha <= 0) return;
  const appearing = move.to && piece.sheet.reveal === "rows" && state.rows < 1;
  const shown = appearing ? Math.floor(state.rows * piece.array.rows) : piece.array.rows;
  const box = boxOf(scale, place, piece.width, piece.array.rows);
  pen.globalAlpha = place.alpha * strengthOf(state, piece.head);
  if (shown > 0) drawCells(state, move, piece, box, shown);
  if (place.framed > 0 && piece.head !== null) frame(state, box, piece.head, place.framed);
  else if (!piece.framed && piece.head === null) plainFrame(state, box);
  pen.globalAlpha = 1;
}

function drawCells(state, move, piece, box, shown) {
  const { pen, part, view, share } = state;
  const look = view.look;
  const height = (box.height * shown) / piece.array.rows;
  const deep = piece.array.deep && part.arrays.visible && piece.array.columns === part.arrays.visible.columns;
  const hides = (index) => deep && index >= MASKED_FROM;
  const source = (masked) => imageOf(part, look, piece.sheet, piece.head, masked);
  const put = (image) => pen.drawImage(image, piece.start, 0, piece.width, shown, box.x, box.y, box.width, height);
  const [before, after] = [move.from ? hides(state.from) : hides(state.to), move.to ? hides(state.to) : hides(state.from)];
  const strong = pen.globalAlpha;
  if (before || after || piece.sheet.colour === "visible") {
    pen.fillStyle = state.hatching;
    pen.fillRect(box.x, box.y, box.width, height);
    put(source(true));
    pen.globalAlpha = strong * (before && after ? 0 : before ? share : 1 - share);
    if (pen.globalAlpha > 0 && before !== after) put(source(false));
    pen.globalAlpha = strong;
  } else put(source(false));
  grid(state, piece, box, shown, height);
}

/** Thin lines between cells that are large enough for them. */
function grid({ pen, inks }, piece, box, shown, height) {
  const [w, h] = [box.width / piece.width, box.height / piece.array.rows];
  if (w < 5 || h < 5) return;
  pen.strokeStyle = inks.ground;
  pen.lineWidth = Math.min(w, h) > 16 ? 1.5 : 0.75;
  pen.setLineDash([]);
  pen.beginPath();
  for (let column = 1; column < piece.width; column++) {
    pen.moveTo(box.x + column * w, box.y);
    pen.lineTo(box.x + column * w, box.y + height);
  }
  for (let row = 1; row < shown; row++) {
    pen.moveTo(box.x, box.y + row * h);
    pen.lineTo(box.x + box.width, box.y + row * h);
  }
  pen.stroke();
}

function frame({ pen, view }, box, head, framed) {
  const chosen = view.head === head;
  pen.globalAlpha *= framed;
  pen.strokeStyle = hueOf(view.look, head);
  pen.lineWidth = chosen ? 4 : 2.5;
  pen.setLineDash(dashOf(head));
  const out = pen.lineWidth / 2 + 1;
  pen.strokeRect(box.x - out, box.y - out, box.width + 2 * out, box.height + 2 * out);
  pen.setLineDash([]);
}

function plainFrame({ pen, view }, box) {
  pen.strokeStyle = view.look.guide;
  pen.lineWidth = 1.5;
  pen.setLineDash([]);
  pen.strokeRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
}
