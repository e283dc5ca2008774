// What moves where between two steps, and the clock that drives it.

const MOVE = 1100; // milliseconds that cells travel
const REVEAL = 1500; // milliseconds that rows take to appear, one after the other
const DWELL = 2600; // milliseconds of rest before the next step, while it plays

/** Slow, fast, slow. */
function eased(share) {
  return share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2;
}

/** Whether the blocks of a sheet stand side by side without a gap. */
function sideBySide({ blocks: [one, other], cell }) {
  return other !== undefined && Math.abs(one.x + (one.columns[1] - one.columns[0]) * cell[0] - other.x) < 2;
}

/** The pieces of a step that travel as one: a block, or the columns of one head in a block of all of them. */
function segmentsOf(part, step) {
  const found = [];
  for (const sheet of step.sheets) {
    const array = part.arrays[sheet.array];
    const apart = !sideBySide(sheet);
    for (const block of sheet.blocks) {
      const [first, end] = block.columns;
      const heads = part.payload.n_heads;
      const cut = block.head === null && HEADED.has(sheet.array) && first === 0 && end === array.columns && end % heads === 0;
      const width = cut ? end / heads : end - first;
      for (let i = 0, start = first; start < end; i++, start += width) {
        const head = cut ? i : block.head;
        const spot = { x: block.x + (start - first) * sheet.cell[0], y: block.y };
        const key = `${array.as}:${head}:${start}`;
        found.push({ ...spot, key, sheet, array, head, framed: block.head !== null && apart, barred: block.head !== null && !apart, start, width, cell: sheet.cell });
      }
    }
  }
  return found;
}

/** Every piece of two steps with where it comes from and where it goes; what is in one step only appears or vanishes. */
function joinOf(part, from, to) {
  const name = `${from}:${to}`;
  if (part.joins.has(name)) return part.joins.get(name);
  const before = new Map();
  for (const piece of segmentsOf(part, part.steps[from])) {
    before.set(piece.key, [...(before.get(piece.key) ?? []), piece]);
  }
  const used = new Set();
  const moves = segmentsOf(part, part.steps[to]).map((piece) => {
    const same = before.get(piece.key) ?? [];
    const origin = same.find((other) => !used.has(other)) ?? same[0] ?? null;
    if (origin) used.add(origin);
    return { from: origin, to: piece };
  });
  const leaving = [...before.values()].flat().filter((piece) => !used.has(piece));
  const join = [...leaving.map((piece) => ({ from: piece, to: null })), ...moves];
  part.joins.set(name, join);
  return join;
}

/** A place between two. */
function placeAt({ from, to }, share) {
  const [a, b] = [from ?? to, to ?? from];
  const mix = (one, other) => one + (other - one) * share;
  return {
    x: mix(a.x, b.x),
    y: mix(a.y, b.y),
    cell: [mix(a.cell[0], b.cell[0]), mix(a.cell[1], b.cell[1])],
    alpha: from && to ? 1 : to ? share : 1 - share,
    framed: mix(Number(a.framed), Number(b.framed)),
    barred: mix(Number(a.barred), Number(b.barred)),
  };
}

function reveals(step) {
  return step.sheets.some((sheet) => sheet.reveal === "rows");
}

/** How far a step has come: its cells' travel and its rows' appearance, both 0 to 1. */
function progressOf(view) {
  const arrived = view.calm || view.from === view.step;
  const rows = view.reveals && !view.calm ? between((view.time - MOVE) / REVEAL, 0, 1) : 1;
  return { share: arrived ? 1 : eased(between(view.time / MOVE, 0, 1)), rows };
}

function lengthOf(view) {
  if (view.calm) return 0;
  return (view.from === view.step ? 0 : MOVE) + (view.reveals ? REVEAL : 0);
}

/** Begins to go to a step. */
function goTo(view, step) {
  const target = between(step, 0, view.count - 1);
  if (target === view.step) return;
  const forward = target > view.step;
  view.from = view.step;
  view.step = target;
  view.time = 0;
  view.reveals = forward && reveals(view.parts[0].steps[target]);
  view.fresh = true;
  run(view);
}

/** Draws frame after frame while something moves; then rests, and goes on by itself if it plays. */
function run(view) {
  clearTimeout(view.rest);
  if (view.frame || view.held) return;
  view.last = null;
  view.frame = requestAnimationFrame((now) => tick(view, now));
}

function tick(view, now) {
  view.frame = 0;
  if (view.last !== null) view.time += Math.min(now - view.last, 100) * view.speed;
  view.last = now;
  const moving = view.time < lengthOf(view);
  if (!moving) view.from = view.step;
  view.paint();
  if (moving && !view.held) {
    view.frame = requestAnimationFrame((next) => tick(view, next));
  } else if (view.playing && !view.held) {
    view.rest = setTimeout(() => onwards(view), DWELL / view.speed);
  }
}

function onwards(view) {
  if (!view.playing) return;
  if (view.step === view.count - 1) halt(view);
  else goTo(view, view.step + 1);
}

function play(view) {
  if (view.motion === "sheet") setMotion(view, "play");
  const again = view.step === view.count - 1 && view.time >= lengthOf(view);
  view.playing = true;
  view.held = false;
  if (again) {
    view.step = view.from = 0;
    view.time = 0;
    view.reveals = false;
    view.fresh = true;
  }
  if (view.time < lengthOf(view) || again) run(view);
  else onwards(view);
  view.paint();
}

/** Stops where it is, also between two steps. */
function halt(view) {
  view.playing = false;
  view.held = view.time < lengthOf(view);
  clearTimeout(view.rest);
  cancelAnimationFrame(view.frame);
  view.frame = 0;
  view.paint();
  view.tell();
}

/** A step by hand: playing ends, the cells travel there. */
function stepTo(view, step) {
  view.playing = false;
  view.held = false;
  clearTimeout(view.rest);
  goTo(view, step);
  view.paint();
  view.tell();
}
