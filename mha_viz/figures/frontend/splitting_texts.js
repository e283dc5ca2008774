// The words and numbers on the canvas: names of sheets and heads, tokens beside rows, values within large cells, the chosen row.


function setFont(state, units, weight = 400) {
  const size = Math.max(SMALLEST_FONT, Math.round(units * Math.min(state.scale.x, state.scale.y)));
  state.pen.font = `${weight} ${size}px ${state.inks.font}`;
  return size;
}

/** All texts of a step at rest, faded by `alpha`. */
function drawTexts(state, index, alpha) {
  const { part, scale, pen } = state;
  const boxes = [];
  for (const sheet of part.steps[index].sheets) {
    const array = part.arrays[sheet.array];
    for (const block of sheet.blocks) {
      const place = { ...block, cell: sheet.cell };
      boxes.push({ ...boxOf(scale, place, block.columns[1] - block.columns[0], array.rows), sheet, block, array });
    }
  }
  for (const box of boxes) {
    pen.globalAlpha = alpha * strengthOf(state, box.block.head);
    nameBox(state, box, boxes);
    nameRows(state, box, boxes);
    if (state.resting) writeValues(state, box, index);
    markRow(state, box);
  }
  pen.globalAlpha = 1;
}

/** Whether two boxes share some of their height. */
function beside(one, other) {
  return one.y < other.y + other.height && other.y < one.y + one.height;
}

/** Room to the left of a box, up to the next box or the edge. */
function roomLeft(box, boxes) {
  const ends = boxes.filter((other) => other.x < box.x && beside(box, other)).map((other) => other.x + other.width);
  return box.x - Math.max(0, ...ends);
}

/** Room above a box, up to the next box or the edge. */
function roomAbove(box, boxes) {
  const over = (other) => other.y < box.y && other.x < box.x + box.width && box.x < other.x + other.width;
  return box.y - Math.max(0, ...boxes.filter(over).map((other) => other.y + other.height));
}

/** The sheet's name and the head's number above a box. */
function nameBox(state, box, boxes) {
  const { pen, inks, view } = state;
  const size = setFont(state, 24, 700);
  if (roomAbove(box, boxes) < size) return;
  const head = box.block.head;
  const names = head === null ? [box.sheet.label] : [`${box.sheet.label} H${head}`, `H${head}`];
  const wide = Math.max(box.width + 8, head === null ? 400 : 0);
  const name = names.find((text) => pen.measureText(text).width <= wide) ?? "";
  pen.fillStyle = inks.text;
  pen.textAlign = "left";
  pen.textBaseline = "alphabetic";
  if (head !== null && name) {
    pen.fillStyle = hueOf(view.look, head);
    pen.fillRect(box.x - 3, box.y - 6, box.width + 6, 2);
    pen.fillStyle = inks.text;
  }
  pen.fillText(name, box.x - 1, box.y - 9);
}

/** Tokens to the left of a box, as many as have room; left out where something else stands there. */
function nameRows(state, box, boxes) {
  const { pen, part, inks } = state;
  const room = roomLeft(box, boxes) - 14;
  if (box.sheet.rows !== "tokens" || room < 34) return;
  const size = setFont(state, 21);
  const row = box.height / box.array.rows;
  const every = Math.max(1, Math.ceil((size * 1.05) / row));
  pen.fillStyle = inks.text;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (let i = 0; i < box.array.rows; i += every) {
    pen.fillText(shortened(pen, part.labels[i], Math.min(room, 170)), box.x - 8, box.y + (i + 0.5) * row);
  }
}

function shortened(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let kept = Array.from(text);
  while (kept.length > 1 && pen.measureText(`${kept.join("")}…`).width > room) kept = kept.slice(0, -1);
  return `${kept.join("")}…`;
}

/** The values themselves, where cells are large enough. */
function writeValues(state, box, index) {
  const { pen, part, view } = state;
  const columns = box.block.columns[1] - box.block.columns[0];
  const [w, h] = [box.width / columns, box.height / box.array.rows];
  if (w < 42 || h < 17 || box.sheet.colour === "visible") return;
  pen.font = `500 ${SMALLEST_FONT}px ${state.inks.font}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const table = view.look.tables[box.sheet.colour];
  for (let row = 0; row < box.array.rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = box.block.columns[0] + column;
      if (box.array.deep && index >= MASKED_FROM && !inPlay(part, box.block.head, row, at)) continue;
      const value = valueAt(box.array, box.block.head, row, at);
      const shade = 3 * shadeOf(box.array, box.sheet.colour, value);
      pen.fillStyle = 0.3 * table[shade] + 0.59 * table[shade + 1] + 0.11 * table[shade + 2] > 140 ? "#111" : "#fff";
      pen.fillText(shortNumber(value), box.x + (column + 0.5) * w, box.y + (row + 0.5) * h);
    }
  }
}

/** The query that is followed: its row is framed in every sheet that has one. */
function markRow({ pen, inks, part, view }, box) {
  const row = rowOf(view, part);
  if (box.sheet.rows !== "tokens" || row >= box.array.rows) return;
  const height = box.height / box.array.rows;
  pen.strokeStyle = inks.accent;
  pen.lineWidth = 2;
  pen.setLineDash([]);
  pen.strokeRect(box.x - 1, box.y + row * height, box.width + 2, height);
}

/** Which of the drawn rows is the query that is followed: the chosen one, or else the first. */
function rowOf(view, part) {
  const row = part.payload.shown.rows.indexOf(view.focus);
  return Math.max(row, 0);
}

/** Which cell of a step at rest is at a place of the canvas, in CSS pixels; null if none. */
function cellUnder(part, index, scale, x, y) {
  for (const sheet of [...part.steps[index].sheets].reverse()) {
    const array = part.arrays[sheet.array];
    for (const block of sheet.blocks) {
      const columns = block.columns[1] - block.columns[0];
      const box = boxOf(scale, { ...block, cell: sheet.cell }, columns, array.rows);
      const column = Math.floor(((x - box.x) / box.width) * columns);
      const row = Math.floor(((y - box.y) / box.height) * array.rows);
      if (column >= 0 && column < columns && row >= 0 && row < array.rows) {
        return { array, sheet, block, row, column: block.columns[0] + column, index };
      }
    }
  }
  return null;
}
