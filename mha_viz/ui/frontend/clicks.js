// Tells Python which cell of which chart was clicked. Charts come and go with reruns: whenever the page changes, each chart
// that has no listener of this component yet gets one.

const listeners = new WeakMap(); // plot element -> the listener's current way to Python

function attach(name, plot, send) {
  if (listeners.has(plot)) {
    listeners.get(plot).send = send;
    return;
  }
  const entry = { send };
  listeners.set(plot, entry);
  plot.on("plotly_click", (event) => {
    const point = event.points && event.points[0];
    if (!point) return;
    const [row, column] = Array.isArray(point.pointIndex) ? point.pointIndex : [point.y, point.x];
    entry.send({ chart: name, trace: point.curveNumber, point: point.pointNumber, row, column });
  });
  plot.style.cursor = "pointer";
}

const observers = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const send = (picked) => setTriggerValue("picked", picked);
  const scan = () => {
    for (const name of data.charts) {
      for (const plot of document.querySelectorAll(`.st-key-${name} .js-plotly-plot`)) {
        if (typeof plot.on === "function") attach(name, plot, send);
      }
    }
  };
  scan();
  const before = observers.get(parentElement);
  if (before) before.disconnect();
  const observer = new MutationObserver(scan);
  observer.observe(document.body, { childList: true, subtree: true });
  observers.set(parentElement, observer);
  return () => observer.disconnect();
}
