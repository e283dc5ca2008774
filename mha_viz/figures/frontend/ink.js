// What pictures on a canvas share: hatching, and colours between given ones.

/** Lines of a colour over a breath of it, `step` pixels apart. Lines that fall tell it from lines that rise, without any colour. */
function hatching(context, colour, step, falling = false) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = step;
  const pen = tile.getContext("2d");
  pen.fillStyle = pen.strokeStyle = colour;
  pen.globalAlpha = 0.2;
  pen.fillRect(0, 0, step, step);
  pen.globalAlpha = 1;
  pen.lineWidth = Math.max(1, step / 5);
  pen.beginPath();
  for (const shift of [-step, 0, step]) {
    pen.moveTo(shift - 1, falling ? -1 : step + 1);
    pen.lineTo(shift + step + 1, falling ? step + 1 : -1);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}

/** 256 colours evenly between the given ones, "#rrggbb", as bytes red, green, blue. */
function colourTable(stops) {
  const bytes = new Uint8ClampedArray(3 * 256);
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (stops.length - 1);
    const before = Math.min(Math.floor(place), stops.length - 2);
    for (let part = 0; part < 3; part++) {
      const [low, high] = [before, before + 1].map((at) => parseInt(stops[at].slice(1 + 2 * part, 3 + 2 * part), 16));
      bytes[3 * i + part] = low + (high - low) * (place - before);
    }
  }
  return bytes;
}

/** As many colours evenly between the given ones, opaque, each as the four bytes that a canvas keeps: red is the first. */
function packedColours(stops, count = 256) {
  const table = colourTable(stops);
  return Uint32Array.from({ length: count }, (_, i) => {
    const at = 3 * Math.round((i * 255) / (count - 1));
    return (255 << 24) | (table[at + 2] << 16) | (table[at + 1] << 8) | table[at];
  });
}
