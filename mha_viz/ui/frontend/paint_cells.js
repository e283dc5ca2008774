// How the mask to paint on is drawn. Stands between grid.js and paint.js.

const KINDS = ["visible", "other", "painted", "through"];

function draw(view) {
  const { data, root, parts } = view;
  if (view.stale) layGround(view);
  const context = parts.canvas.getContext("2d");
  context.clearRect(0, 0, parts.canvas.width, parts.canvas.height);
  context.drawImage(view.ground, 0, 0);
  drawStroke(view, context, view.sent ?? present(view));
  if (view.keys) outline(view.root, context, view.placed, regionOf(view, view.cursor, view.cursor));
  const text = sentence(view);
  setText(view.where, text);
  nameCell(parts, view.cursor.q * data.step, view.cursor.k * data.step, text);
}

/** The cells as Python knows them: drawn when they or the room have changed, and kept below what moves. */
function layGround(view) {
  view.stale = false;
  view.placed = place(measure(view.root, view.names), view.nCells);
  const context = layOut(view.parts, view.placed, view.names, view.titles);
  view.inks = inks(view, context, view.placed);
  view.ground = document.createElement("canvas");
  view.ground.width = view.ground.height = view.parts.canvas.width;
  drawCells(view, view.ground.getContext("2d"));
  drawLegend(view);
}

function inks({ root }, context, placed) {
  const visible = colour(root, "--visible");
  return {
    visible: [visible],
    other: [hatching(context, colour(root, "--other"), hatchStep(placed))],
    painted: [hatching(context, colour(root, "--painted"), hatchStep(placed), true)],
    through: [visible, hatching(context, colour(root, "--painted"), hatchStep(placed), true)],
  };
}

/** A cell that covers several tokens shows each kind as strongly as it has a share. */
function drawCells({ placed, counts, inks, nCells }, context) {
  const { pixels } = placed;
  const gap = placed.cell >= 8 ? Math.max(1, Math.round(placed.ratio)) : 0;
  context.clearRect(0, 0, pixels * nCells, pixels * nCells);
  for (let i = 0; i < nCells * nCells; i++) {
    const total = counts.reduce((sum, kind) => sum + kind[i], 0);
    KINDS.forEach((kind, of) => {
      if (!counts[of][i]) return;
      context.globalAlpha = counts[of][i] / total;
      for (const ink of inks[kind]) {
        context.fillStyle = ink;
        context.fillRect((i % nCells) * pixels, Math.floor(i / nCells) * pixels, pixels - gap, pixels - gap);
      }
    });
  }
  context.globalAlpha = 1;
}

function drawLegend(view) {
  for (const swatch of view.legend.querySelectorAll("canvas")) {
    const side = (swatch.width = swatch.height = Math.round(16 * view.placed.ratio));
    const context = swatch.getContext("2d");
    for (const ink of view.inks[swatch.classList[1]]) {
      context.fillStyle = ink;
      context.fillRect(0, 0, side, side);
    }
  }
}

function drawStroke(view, context, stroke) {
  if (!stroke) return;
  const { pixels } = view.placed;
  const { q0, q1, k0, k1 } = stroke.region;
  const box = [k0 * pixels, q0 * pixels, (k1 - k0 + 1) * pixels, (q1 - q0 + 1) * pixels];
  context.globalAlpha = stroke.hide ? 0.75 : 0.6;
  context.fillStyle = colour(view.root, "--st-background-color");
  context.fillRect(...box);
  context.globalAlpha = 1;
  if (stroke.hide) {
    [context.fillStyle] = view.inks.painted;
    context.fillRect(...box);
  }
  outline(view.root, context, view.placed, stroke.region);
}
