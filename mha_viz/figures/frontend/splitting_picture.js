// All steps on one sheet, as a PNG made in the browser.

const SHEET = { columns: 3, width: 960, height: 540, head: 96, gap: 24 };

function wrapped(pen, text, room) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && pen.measureText(longer).width > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** A canvas with every step of the first part, its title, formula and caption. */
function sheetPicture(view) {
  const [part] = view.parts;
  const rows = Math.ceil(view.count / SHEET.columns);
  const canvas = made("canvas");
  canvas.width = SHEET.columns * (SHEET.width + SHEET.gap) + SHEET.gap;
  canvas.height = rows * (SHEET.height + SHEET.head + SHEET.gap) + SHEET.gap;
  const pen = canvas.getContext("2d");
  pen.fillStyle = view.inks.ground;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  const tile = made("canvas");
  const scale = fitted(tile, SHEET.width, SHEET.height, 1);
  part.steps.forEach((step, i) => {
    const x = SHEET.gap + (i % SHEET.columns) * (SHEET.width + SHEET.gap);
    const y = SHEET.gap + Math.floor(i / SHEET.columns) * (SHEET.height + SHEET.head + SHEET.gap);
    pen.fillStyle = view.inks.text;
    pen.font = `700 24px ${view.inks.font}`;
    pen.fillText(`${i + 1}  ${step.title}    ${step.formula}`, x, y + 24, SHEET.width);
    pen.font = `18px ${view.inks.font}`;
    wrapped(pen, step.caption, SHEET.width).slice(0, 2).forEach((line, at) => pen.fillText(line, x, y + 54 + 24 * at));
    drawStage(view, part, tile.getContext("2d"), scale, { from: i, to: i, share: 1, rows: 1 });
    pen.drawImage(tile, x, y + SHEET.head);
  });
  return canvas;
}

function savePicture(view) {
  sheetPicture(view).toBlob((blob) => {
    const link = made("a", "", null, { download: "mha_viz-steps.png", href: URL.createObjectURL(blob) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }, "image/png");
}
