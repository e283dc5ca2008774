// The softmax of recorded scores, whatever the temperature. Stands between grid.js and repaint.js.

/**
 * Weights of one row of scores; NaN hides a key. The row's maximum is subtracted before dividing, so nothing overflows.
 *
 * @param temperature from 0 (all weight on the largest score, equal ones share it) to Infinity (even over the allowed keys).
 * @returns as many weights; all 0 if every key is hidden.
 */
export function softmaxRow(scores, temperature) {
  const weights = new Float64Array(scores.length);
  softmaxInto(weights, scores, 0, scores.length, temperature);
  return weights;
}

/** The same for `length` scores from `start`, into the same places of `weights`. Returns the largest weight. */
function softmaxInto(weights, scores, start, length, temperature) {
  const end = start + length;
  let top = -Infinity;
  for (let i = start; i < end; i++) if (scores[i] > top) top = scores[i];
  if (top === -Infinity) {
    weights.fill(0, start, end);
    return 0;
  }
  let sum = 0;
  for (let i = start; i < end; i++) {
    const score = scores[i];
    const part = score > -Infinity ? share(score - top, temperature) : 0;
    weights[i] = part;
    sum += part;
  }
  for (let i = start; i < end; i++) weights[i] /= sum;
  return 1 / sum;
}

/** What a score so far below the top one counts for, against 1 for the top one. */
function share(below, temperature) {
  if (below === 0 || temperature === Infinity) return 1;
  return temperature === 0 ? 0 : Math.exp(below / temperature);
}

/** In nats. */
function entropy(weights) {
  return weights.reduce((sum, weight) => (weight > 0 ? sum - weight * Math.log(weight) : sum), 0);
}

/* The slider: 0, then even steps of the logarithm from 0.01 to 100 with exactly 1 in the middle, then infinity. */

const STEPS = 200;
const DECADES = 2;

function temperatureAt(step) {
  if (step <= 0) return 0;
  if (step >= STEPS) return Infinity;
  return 10 ** (((step - STEPS / 2) / (STEPS / 2 - 1)) * DECADES);
}

function stepOf(temperature) {
  if (temperature <= 0) return 0;
  if (temperature === Infinity) return STEPS;
  const step = STEPS / 2 + (Math.log10(temperature) / DECADES) * (STEPS / 2 - 1);
  return Math.min(Math.max(Math.round(step), 1), STEPS - 1);
}

function written(temperature) {
  return temperature === Infinity ? "∞" : String(Number(temperature.toPrecision(3)));
}
