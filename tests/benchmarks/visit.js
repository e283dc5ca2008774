// When a component of the app has painted. It lies in a shadow root and counts its draws there.
(() => {
  const sent = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...data) {
    sent.push(performance.now());
    return send.apply(this, data);
  };

  const rootOf = (key) => {
    for (const element of document.querySelectorAll(`.st-key-${key} *`)) {
      const root = element.shadowRoot?.querySelector(".mha-root");
      if (root) return root;
    }
    return null;
  };
  const drawn = (key) => Number(rootOf(key)?.dataset.drawn ?? 0);

  // Waits for the next key or click, then for one draw more, then for two animation frames: the second begins after the paint.
  const arm = (key) => {
    const [root, before, first, frame] = [rootOf(key), drawn(key), sent.length, requestAnimationFrame];
    let started = null;
    const begin = () => {
      started ??= performance.now();
    };
    for (const type of ["keydown", "click"]) addEventListener(type, begin, { capture: true, once: true });
    window.visit.painted = new Promise((resolve) => {
      const done = () => resolve([performance.now() - started, sent[first] - started]);
      const look = () => {
        const fresh = sent.length > first && drawn(key) > (rootOf(key) === root ? before : 0);
        if (fresh) frame(() => frame(done));
        else frame(look);
      };
      look();
    });
  };

  // The middle of a thumbnail on the screen; names take 34 pixels at the left and 22 above, gaps are 6 wide.
  const thumbnail = ([key, layer, head]) => {
    const grid = rootOf(key).querySelector(".heads");
    const box = grid.querySelector("canvas").getBoundingClientRect();
    const across = (box.width - 34 + 6) / Number(grid.getAttribute("aria-colcount"));
    const down = (box.height - 22) / Number(grid.getAttribute("aria-rowcount"));
    return [box.left + 34 + (head + 0.5) * across - 3, box.top + 22 + (layer + 0.5) * down - 8];
  };

  window.visit = { arm, drawn, thumbnail };
})();
