// The words and numbers on the canvas: names of sheets and heads, tokens beside rows, values within large cells, the chosen row.


function setFont(state, units, weight = 400, most = Infinity) {
  const wanted = Math.min(units * Math.min(state.scale.x, state.scale.y), most);
  const size = Math.max(SMALLEST_FONT, Math.round(wanted));
  state.pen.font = `${weight} ${size}px ${state.inks.font}`;
  return size;
}

const ASKED = new Set(["key", "value"]); // their rows are keys: the followed query has none of its own there

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
    if (box.sheet.array === "row_sums") writeSum(state, box, boxes);
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
  const { pen, inks } = state;
  const room = roomAbove(box, boxes);
  if (room < SMALLEST_FONT + 5) return;
  setFont(state, 24, 700, room - (sideBySide(box.sheet) ? 12 : 9));
  const head = box.block.head;
  const label = box.sheet.label;
  const leads = box.block === box.sheet.blocks[0];
  const others = sideBySide(box.sheet) && !leads ? [`H${head}`] : [label, `H${head}`];
  const names = head === null ? [label] : [`${label} H${head}`, ...others];
  const wide = head === null ? box.width + 400 : box.width - 2;
  const name = names.find((text) => pen.measureText(text).width <= wide) ?? "";
  pen.fillStyle = inks.text;
  pen.textAlign = "left";
  pen.textBaseline = "alphabetic";
  pen.fillText(name, box.x - 2, box.y - (sideBySide(box.sheet) ? 10 : 7));
}

/** Tokens to the left of a box, as many as have room; left out where something else stands there. */
function nameRows(state, box, boxes) {
  const { pen, part, inks } = state;
  const room = roomLeft(box, boxes) - 14;
  if (box.sheet.rows !== "tokens" || room < 34 || box.array.rows !== part.labels.length) return;
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
      if (PAIRS.has(box.array.name) && index >= MASKED_FROM && !inPlay(part, box.block.head, row, at)) continue;
      const value = valueAt(box.array, box.block.head, row, at);
      const own = box.block.head ?? headOf(box.array, at, part.payload.n_heads);
      const shade = 3 * shadeOf(box.array, box.sheet.colour, own, value);
      pen.fillStyle = 0.3 * table[shade] + 0.59 * table[shade + 1] + 0.11 * table[shade + 2] > 140 ? "#111" : "#fff";
      pen.fillText(shortNumber(value), box.x + (column + 0.5) * w, box.y + (row + 0.5) * h);
    }
  }
}

/** The query that is followed: its row is between two lines in every sheet that has one. */
function markRow({ pen, inks, part, view }, box) {
  const row = rowOf(view, part);
  if (ASKED.has(box.sheet.array) || box.array.rows !== part.labels.length) return;
  const height = box.height / box.array.rows;
  pen.fillStyle = inks.accent;
  for (const y of [box.y + row * height - 1, box.y + (row + 1) * height - 1]) pen.fillRect(box.x, y, box.width, 2);
}

/** What the followed row adds up to, beside its sum's cell. */
function writeSum(state, box, boxes) {
  const { pen, part, view, inks } = state;
  const row = rowOf(view, part);
  setFont(state, 20, 600);
  const text = shortNumber(valueAt(box.array, box.block.head, row, 0));
  const ends = boxes.filter((other) => other.x > box.x && beside(box, other)).map((other) => other.x);
  if (pen.measureText(text).width + 16 > Math.min(state.scale.width, ...ends) - box.x - box.width) return;
  pen.fillStyle = inks.text;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText(text, box.x + box.width + 8, box.y + ((row + 0.5) * box.height) / box.array.rows);
}

/** Which of the drawn rows is the query that is followed. */
function rowOf(view, part) {
  return part.payload.query_row.row;
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
