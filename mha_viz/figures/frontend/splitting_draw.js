// How a step is drawn on a canvas: pictures of cells, frames in the heads' colours and line styles, labels, hatching.

const STAGE = { width: 1600, height: 900 }; // units that places are given in
const SMALLEST_FONT = 14; // CSS pixels
const DIMMED = 0.2;
const MASKED_FROM = 4; // the step from which hidden cells are out of play

/** Gives a canvas its size in the screen's own pixels; returns how units become CSS pixels. */
function fitted(canvas, width, height, ratio) {
  const wanted = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wanted[0] || canvas.height !== wanted[1]) [canvas.width, canvas.height] = wanted;
  return { width, height, ratio, x: width / STAGE.width, y: height / STAGE.height, baked: new Map() };
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

/** Draws two steps on the way from one to the other. */
function drawStage(view, part, pen, scale, { from, to, share, rows }) {
  const inks = view.inks;
  pen.setTransform(scale.ratio, 0, 0, scale.ratio, 0, 0);
  pen.clearRect(0, 0, scale.width, scale.height);
  pen.imageSmoothingEnabled = false;
  const state = { view, part, pen, scale, inks, share, rows, from, to };
  state.resting = share === 1 && rows === 1;
  const moves = joinOf(part, from, to);
  for (const layer of [drawPiece, framePiece]) for (const move of moves) layer(state, move);
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
  const appearing = move.to && piece.sheet.reveal === "rows" && state.rows < 1;
  const shown = appearing ? Math.floor(state.rows * piece.array.rows) : piece.array.rows;
  if (place.alpha <= 0 || shown === 0) return;
  pen.globalAlpha = place.alpha * strengthOf(state, piece.head);
  drawCells(state, move, piece, boxOf(scale, place, piece.width, piece.array.rows), shown);
  pen.globalAlpha = 1;
}

/** Above all cells, so that no neighbour covers it. */
function framePiece(state, move) {
  const { pen, scale, share } = state;
  const place = placeAt(move, share);
  const piece = move.to ?? move.from;
  if (place.alpha <= 0) return;
  const box = boxOf(scale, place, piece.width, piece.array.rows);
  pen.globalAlpha = place.alpha * strengthOf(state, piece.head);
  if (piece.head === null) plainFrame(state, box);
  else {
    if (place.barred > 0) bars(state, box, piece.head, place.barred);
    if (place.framed > 0) frame(state, box, piece, place.framed);
  }
  pen.globalAlpha = 1;
}

/** Of a head whose neighbours are close: its hue and line style above and below its columns, where they cover no cell. */
function bars({ pen, view }, box, head, strength) {
  const strong = pen.globalAlpha;
  pen.globalAlpha = strong * strength;
  pen.fillStyle = hueOf(view.look, head);
  const line = view.head === head ? 5 : 3;
  const [pattern, length] = [dashOf(head), box.width - 1];
  for (const y of [box.y - 2 - line, box.y + box.height + 2]) {
    if (!pattern.length) pen.fillRect(box.x, y, length, line);
    for (let at = 0, i = 0; pattern.length && at < length; at += pattern[i % pattern.length], i++) {
      if (i % 2 === 0) pen.fillRect(box.x + at, y, Math.min(pattern[i % pattern.length], length - at), line);
    }
  }
  pen.globalAlpha = strong;
}

function drawCells(state, move, piece, box, shown) {
  const { pen, share } = state;
  const hides = (index) => PAIRS.has(piece.array.name) && index >= MASKED_FROM;
  const [before, after] = [hides(move.from ? state.from : state.to), hides(move.to ? state.to : state.from)];
  const rows = piece.array.rows;
  const put = (image) => {
    const taken = Math.round((image.height * shown) / rows);
    pen.drawImage(image, 0, 0, image.width, taken, box.x, box.y, box.width, (box.height * shown) / rows);
  };
  const strong = pen.globalAlpha;
  const fading = before === after ? 0 : before ? share : 1 - share;
  if (fading < 1) put(bakedImage(state, piece, before || after));
  if (fading > 0) {
    pen.globalAlpha = strong * fading;
    put(bakedImage(state, piece, false));
    pen.globalAlpha = strong;
  }
}

/**
 * A piece in the screen's own pixels, with gaps between its cells and with what is out of play hatched: made once for a size, since
 * many small cells are too slow to be drawn one by one in every frame.
 */
function bakedImage({ part, view, scale }, piece, masked) {
  const { array, sheet, head, start, width, cell } = piece;
  const pixels = [width * cell[0] * scale.x, array.rows * cell[1] * scale.y].map((side) => Math.max(1, Math.round(side * scale.ratio)));
  const key = [array.as, array.deep ? head : "", start, width, sheet.colour, masked, pixels].join();
  const known = scale.baked.get(key);
  if (known) return known;
  const image = made("canvas");
  [image.width, image.height] = pixels;
  const pen = image.getContext("2d");
  pen.imageSmoothingEnabled = false;
  if (masked || sheet.colour === "visible") {
    pen.fillStyle = hatching(pen, view.look.guide, Math.round(6 * scale.ratio));
    pen.fillRect(0, 0, ...pixels);
  }
  pen.drawImage(imageOf(part, view.look, sheet, head, masked), start, 0, width, array.rows, 0, 0, ...pixels);
  const [w, h] = [pixels[0] / width, pixels[1] / array.rows];
  if (Math.min(w, h) >= 8) {  // lines between smaller cells would be all that is seen
    const gap = Math.max(1, Math.round(Math.min(w, h) / 16));
    for (let column = 1; column < width; column++) pen.clearRect(Math.round(column * w), 0, gap, pixels[1]);
    for (let row = 1; row < array.rows; row++) pen.clearRect(0, Math.round(row * h), pixels[0], gap);
  }
  scale.baked.set(key, image);
  return image;
}

/** A head's frame, in its hue and line style; thicker for the head whose numbers are told. */
function frame(state, box, piece, framed) {
  const edge = 6;
  const rest = boxOf(state.scale, piece, piece.width, piece.array.rows); // made in one size, also while that changes
  const image = frameImage(state, piece.head, Math.round(rest.width) + 2 * edge, Math.round(rest.height) + 2 * edge);
  state.pen.globalAlpha *= framed;
  state.pen.drawImage(image, box.x - edge, box.y - edge, box.width + 2 * edge, box.height + 2 * edge);
}

/** Made once for a size: dashed lines are slow. */
function frameImage({ view, scale }, head, width, height) {
  const line = view.head === head ? 4 : 2.5;
  const key = ["frame", head, line, width, height].join();
  const known = scale.baked.get(key);
  if (known) return known;
  const image = made("canvas");
  [image.width, image.height] = [width * scale.ratio, height * scale.ratio];
  const pen = image.getContext("2d");
  pen.scale(scale.ratio, scale.ratio);
  pen.strokeStyle = hueOf(view.look, head);
  pen.lineWidth = line;
  pen.setLineDash(dashOf(head));
  const inset = 5 - line / 2; // a pixel is left between the frame and the cells
  pen.strokeRect(inset, inset, width - 2 * inset, height - 2 * inset);
  scale.baked.set(key, image);
  return image;
}

function plainFrame({ pen, view }, box) {
  pen.strokeStyle = view.look.guide;
  pen.lineWidth = 1.5;
  pen.setLineDash([]);
  pen.strokeRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
}
