// Where tokens stand and lines run in each of the two layouts, and the tokens themselves. Stands between grid.js and lines_draw.js.

const LETTERS = 16; // CSS pixels, for the back of a lecture hall
const WIDEST = 1100; // CSS pixels between the edges of the two columns
const PAD = 10;
const UPRIGHT_STEP = 26; // CSS pixels from token to token where labels stand upright
const LOWEST_ARC = 16;

/** CSS pixels that the picture takes: of the window, never of the weights, so that nothing jumps. */
function tallest() {
  return clamp(Math.round(window.innerHeight * 0.56), 340, 640);
}

function widthsOf(view) {
  const context = (widthsOf.canvas ??= document.createElement("canvas")).getContext("2d");
  context.font = `${LETTERS}px ${getComputedStyle(view.root).fontFamily}`;
  return view.told.labels.map((label) => Math.ceil(1.04 * context.measureText(label).width) + 24);
}

/** Queries on the left, keys on the right, one under the other. */
function sides(view, widths) {
  const n = widths.length;
  const row = clamp(Math.floor((tallest() - 2 * PAD) / n), 26, 44);
  const high = n * row + 2 * PAD;
  view.frame.style.height = `${Math.min(high, tallest())}px`;
  view.frame.style.maxWidth = `${WIDEST}px`;
  Object.assign(view.content.style, { width: "100%", height: `${high}px` });
  const wide = view.frame.clientWidth; // less a bar to scroll with
  const room = Math.min(Math.max(...widths, 40), Math.round(wide * 0.32), 260);
  const y = widths.map((_, i) => PAD + row * (i + 0.5));
  const box = (side) => (i) => ({
    left: side === "q" ? 0 : wide - room,
    top: y[i] - row / 2,
    width: room,
    height: row,
  });
  return { kind: "sides", wide, high, row, y, x0: room + 3, x1: wide - room - 3, boxes: { q: box("q"), k: box("k") } };
}

/** The sentence once; a token is query and key. Labels lie if they have room, or are as short as Chinese ones; else they stand. */
function arcs(view, widths) {
  const tall = tallest();
  view.frame.style.height = `${tall}px`;
  view.frame.style.maxWidth = "none";
  const fits = view.frame.clientWidth;
  const capped = widths.map((width) => clamp(width - 12, UPRIGHT_STEP, 190)); // tokens of one line stand closer than those of two
  const natural = capped.reduce((sum, width) => sum + width, 0) + 2 * PAD;
  const lying = natural <= fits || natural / widths.length <= 1.5 * UPRIGHT_STEP;
  const upright = Math.max(UPRIGHT_STEP, Math.min((fits - 2 * PAD) / widths.length, 48));
  const steps = lying ? capped.map((width) => width + clamp((fits - natural) / widths.length, 0, 56)) : widths.map(() => upright);
  const wide = Math.max(steps.reduce((sum, step) => sum + step, 0) + 2 * PAD, fits);
  view.content.style.width = `${Math.floor(wide)}px`;
  view.content.style.height = "1px";
  const high = view.frame.clientHeight; // less a bar to scroll with
  view.content.style.height = `${high}px`;
  const band = lying ? 34 : Math.min(Math.max(...widths) + 4, 150);
  const [before, after] = view.told.before || !view.told.after ? [true, view.told.after] : [false, true];
  const free = high - band - 2 * PAD;
  const least = 26; // for a line from a token to itself
  const top = PAD + (before && after ? free / 2 : before ? free : least);
  const x = [];
  steps.reduce((sum, step) => (x.push(sum + step / 2), sum + step), PAD);
  const box = (i) => ({ left: x[i] - steps[i] / 2, top, width: steps[i], height: band });
  const rise = curve(Math.min(...steps), wide, Math.max(before ? top - PAD : high - top - band - PAD, least));
  return { kind: "arcs", wide, high, x, top, bottom: top + band, lying, rise, boxes: { q: box } };
}

/** How high an arc of so many pixels is: neighbours are told apart, and the widest takes all the room. */
function curve(step, wide, room) {
  const power = clamp(Math.log(LOWEST_ARC / room) / Math.log(step / Math.max(wide, 2 * step)), 0.3, 0.8);
  return (span) => room * Math.min(span / Math.max(wide, 2 * step), 1) ** power;
}

/** Measures, and puts every token where it stands. */
function layOutLines(view) {
  const { told } = view;
  const widths = widthsOf(view);
  view.placed = told.layout === "arcs" ? arcs(view, widths) : sides(view, widths);
  view.frame.classList.toggle("arcs", told.layout === "arcs");
  view.frame.classList.toggle("upright", told.layout === "arcs" && !view.placed.lying);
  const wanted = JSON.stringify([told.labels, told.titles, told.marks, told.positions, view.placed]);
  if (view.wanted !== wanted) {
    view.wanted = wanted;
    putTokens(view);
  }
  sizeCanvas(view);
}

function sizeCanvas({ canvas, frame }) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [frame.clientWidth, frame.clientHeight].map((side) => Math.max(Math.round(side * ratio), 1));
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  Object.assign(canvas.style, { width: `${frame.clientWidth}px`, height: `${frame.clientHeight}px` });
}

function putTokens(view) {
  const { told, placed, content } = view;
  view.tokens = { q: [], k: [] };
  const drawn = document.createDocumentFragment();
  const marked = Object.entries(told.marks).map(([name, places]) => [name, new Set(places)]);
  for (const side of Object.keys(placed.boxes)) {
    told.labels.forEach((label, i) => {
      const token = make("div", `token ${side}`, drawn, { role: "option", id: `${side}${i}`, "aria-selected": "false" });
      for (const [name, places] of marked) if (places.has(i) && (side === "q" || name === "special")) token.classList.add(name);
      token.title = `${titleAt(told, i)} (${told.positions[i]})`;
      make("bdi", "", token).textContent = label;
      const { left, top, width, height } = placed.boxes[side](i);
      Object.assign(token.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
      token.style.setProperty("--along", `${height}px`);
      view.tokens[side].push(token);
    });
  }
  content.querySelectorAll(".token").forEach((token) => token.remove());
  content.append(drawn);
}

function titleAt(told, i) {
  return told.titles[i] ?? told.labels[i];
}
