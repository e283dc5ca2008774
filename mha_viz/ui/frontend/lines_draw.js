// How lines are drawn, and which one a pointer is on. Stands between lines_layout.js and lines.js.

const DASHES = { solid: [], dashed: [9, 5], dotted: [1, 6] };
const DIM = 0.13; // what is not meant, while something is
const SELF = 9; // radius of the ring of a token that attends to itself

/** One scale for all: the square root lets small weights be seen. */
function strokeWidth(weight) {
  return 0.9 + 5 * Math.sqrt(weight);
}

function strokeShare(weight) {
  return 0.4 + 0.6 * Math.sqrt(weight);
}

/** Every line that is not hidden, in a picture that is kept while only the pointer moves. */
function drawBase(view) {
  const { canvas } = view;
  const base = (view.base ??= document.createElement("canvas"));
  if (base.width !== canvas.width || base.height !== canvas.height) [base.width, base.height] = [canvas.width, canvas.height];
  const pen = penOn(view, base);
  const started = performance.now();
  let n = 0;
  for (let i = 0; i < view.told.n_lines; i++) {
    if (!shown(view, i) || !within(view, i)) continue;
    strokeLine(view, pen, i, false);
    n++;
  }
  pen.getImageData(0, 0, 1, 1); // waits until it is painted, so that the time is that of painting
  Object.assign(view.root.dataset, { milliseconds: (performance.now() - started).toFixed(1), lines: n });
}

function penOn({ frame }, canvas) {
  const pen = canvas.getContext("2d", { willReadFrequently: false });
  const ratio = canvas.width / Math.max(frame.clientWidth, 1);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.setTransform(ratio, 0, 0, ratio, -frame.scrollLeft * ratio, -frame.scrollTop * ratio);
  pen.lineCap = "round";
  return pen;
}

/** What is on the screen: the picture, dimmed if some lines are meant, and these over it. */
function compose(view) {
  const pen = penOn(view, view.canvas);
  const meant = meantLines(view);
  pen.save();
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.globalAlpha = meant ? DIM : 1;
  pen.drawImage(view.base, 0, 0);
  pen.restore();
  for (const i of meant ?? []) if (within(view, i)) strokeLine(view, pen, i, true);
}

function strokeLine(view, pen, i, meant) {
  const { told, lines } = view;
  const head = told.heads[lines.head[i]];
  const weight = lines.weight[i];
  pen.strokeStyle = head.colour;
  pen.globalAlpha = meant ? Math.max(strokeShare(weight), 0.75) : strokeShare(weight);
  pen.lineWidth = strokeWidth(weight) + (meant ? 1 : 0);
  pen.setLineDash(DASHES[head.style]);
  const [across, down] = apart(view, lines.head[i]);
  pen.save();
  pen.translate(across, down);
  pen.beginPath();
  trace(view.placed, pen, lines.query[i], lines.key[i]);
  pen.stroke();
  pen.restore();
}

/** How far a head's lines stand from where one head alone would draw them: two heads that agree are both seen. */
function apart({ told, placed }, head) {
  const step = Math.min(4, 12 / told.heads.length);
  const by = (head - (told.heads.length - 1) / 2) * step;
  return placed.kind === "sides" ? [0, by] : [by, 0];
}

function trace(placed, pen, q, k) {
  if (placed.kind === "sides") {
    const [{ x0, x1 }, y0, y1] = [placed, placed.y[q], placed.y[k]];
    const middle = (x0 + x1) / 2;
    pen.moveTo(x0, y0);
    pen.bezierCurveTo(middle, y0, middle, y1, x1, y1);
    return;
  }
  const { x, half, y, high, start, end } = arcOf(placed, q, k);
  pen.ellipse(x, y, half, high, 0, start, end);
}

/** Above the tokens if the key stands before the query, below them if after it; a ring above or below for itself. */
function arcOf(placed, q, k) {
  const [from, to] = [placed.x[q], placed.x[k]];
  if (q === k) return { x: from, half: SELF, y: placed.top - SELF - 1, high: SELF, start: 0, end: 2 * Math.PI };
  const above = k < q;
  return {
    x: (from + to) / 2,
    half: Math.abs(to - from) / 2,
    y: above ? placed.top : placed.bottom,
    high: placed.rise(Math.abs(to - from)),
    start: above ? Math.PI : 0,
    end: above ? 2 * Math.PI : Math.PI,
  };
}

function shown({ told, lines, hidden }, i) {
  return !hidden.has(told.heads[lines.head[i]].name);
}

/** Whether any of a line can be in sight. */
function within({ frame, placed, lines }, i) {
  const [q, k] = [lines.query[i], lines.key[i]];
  const along = placed.kind === "sides" ? placed.y : placed.x;
  const [from, room] = placed.kind === "sides" ? [frame.scrollTop, frame.clientHeight] : [frame.scrollLeft, frame.clientWidth];
  const [low, high] = [Math.min(along[q], along[k]), Math.max(along[q], along[k])];
  return high >= from - 20 && low <= from + room + 20;
}

/** The line nearest to a place, of equally near ones the strongest; -1 if none is near. */
function lineAt(view, x, y, reach) {
  const { placed, lines, told } = view;
  const from = placed.kind === "sides" ? fromSides : fromArc;
  const distances = told.heads.map((_, head) => {
    const [across, down] = apart(view, head);
    return from(placed, x - across, y - down);
  });
  let [best, least] = [-1, reach];
  for (let i = 0; i < told.n_lines; i++) {
    if (!shown(view, i)) continue;
    const far = Math.max(distances[lines.head[i]](lines.query[i], lines.key[i]) - strokeWidth(lines.weight[i]) / 2, 0);
    if (far <= least) [best, least] = [i, far];
  }
  return best;
}

/** All lines are as far along at the same x, so that one number serves all. */
function fromSides({ x0, x1, y }, x, at) {
  if (x < x0 || x > x1) return () => Infinity;
  const along = (x - x0) / (x1 - x0);
  let [low, high] = [0, 1];
  for (let step = 0; step < 24; step++) {
    const t = (low + high) / 2;
    if (1.5 * t * (1 - t) + t ** 3 < along) low = t;
    else high = t;
  }
  const share = 3 * low ** 2 - 2 * low ** 3;
  const slope = (6 * low * (1 - low)) / (1.5 * (1 - 2 * low) + 3 * low ** 2) / (x1 - x0);
  return (q, k) => Math.abs(at - y[q] - (y[k] - y[q]) * share) / Math.hypot(1, slope * (y[k] - y[q]));
}

/** How far from an ellipse, near enough: its equation divided by its slope. */
function fromArc(placed, x, y) {
  return (q, k) => {
    const arc = arcOf(placed, q, k);
    const [right, up] = [x - arc.x, y - arc.y];
    if (q !== k && (k < q ? up > 0 : up < 0)) return Infinity;
    const outside = Math.hypot(right / arc.half, up / arc.high);
    const slope = Math.hypot(right / arc.half ** 2, up / arc.high ** 2);
    return slope > 0 ? (Math.abs(outside - 1) * outside) / slope : Infinity;
  };
}
