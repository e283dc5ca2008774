// One instance of the animation: its parts, its clock, its sizes. The page, the export and the notebook all call mountSplitting.

const NARROWEST = 700; // CSS pixels of a stage; where there are fewer, it scrolls within its own frame
const FLATTEST = 0.78; // how much a stage may be lower than its own 16 : 9, so that it is in sight with its controls

/**
 * Shows the animation in an element, or new data in one that shows it already.
 * @param root element that it fills
 * @param data parts (one layer, or two side by side), words, look, view
 * @param onState called with {step, head, scope, motion} when one of them was changed by hand, or when it pauses
 */
function mountSplitting(root, data, onState) {
  const view = root.splitting ?? begin(root);
  root.splitting = view;
  view.onState = onState;
  take(view, data);
  return view;
}

function begin(root) {
  root.classList.add("split-root");
  const view = { root, step: 0, from: 0, time: 0, speed: 1, playing: false, held: false, frame: 0, rest: 0 };
  Object.assign(view, { head: 0, scope: "all", motion: "play", heard: "", told: [], parts: [], seen: [], fresh: true, drawn: [] });
  makePanels(view);
  makeControls(view);
  view.paint = () => paint(view);
  view.resize = () => resize(view);
  view.tell = () => tell(view);
  const calm = matchMedia("(prefers-reduced-motion:reduce)");
  view.calm = calm.matches;
  calm.onchange = () => (view.calm = calm.matches);
  view.observer = new ResizeObserver(() => {
    if (root.clientWidth !== view.width || innerHeight !== view.tall) resize(view);
  });
  view.observer.observe(root);
  root.onfullscreenchange = () => resize(view);
  view.dark = matchMedia("(prefers-color-scheme:dark)");
  view.dark.onchange = () => requestAnimationFrame(() => view.paint());
  return view;
}

/** Takes what Python sends. The step and the playing stay, unless Python asks for another view than it was told. */
function take(view, data) {
  const fresh = data.parts.map(({ payload, bytes }) => bytes + JSON.stringify(payload));
  const first = view.parts.length === 0;
  if (fresh.join() !== view.seen.join()) {
    view.parts = data.parts.map(readPart);
    view.seen = fresh;
  }
  Object.assign(view, { words: data.words, count: view.parts[0].steps.length, fresh: true });
  const tables = { diverging: colourTable(data.look.diverging), weights: colourTable(data.look.weights) };
  tables.visible = colourTable([data.look.visible, data.look.visible]);
  view.look = { ...data.look, tables };
  follow(view, data.view, first);
  view.head = between(view.head, 0, view.parts[0].payload.n_heads - 1);
  makeHeads(view);
  view.lit = "";
  makeStages(view);
  resize(view);
}

/** A view that Python asks for: of a link, of back and forward; not the echo of what it was told. */
function follow(view, wanted, first) {
  const asked = JSON.stringify(wanted);
  if (asked === view.heard && !first) return;
  view.heard = asked;
  const echo = view.told.indexOf(asked);
  if (echo >= 0) {
    view.told.splice(0, echo + 1);
    return;
  }
  const step = view.parts[0].steps.findIndex(({ name }) => name === wanted.step);
  Object.assign(view, { head: wanted.head, scope: wanted.scope, motion: wanted.motion });
  if (step < 0 || step === view.step) return;
  if (first) view.step = view.from = step;
  else goTo(view, step);
}

function tell(view) {
  const step = view.parts[0].steps[view.step].name;
  const state = { step, head: view.head, scope: view.scope, motion: view.motion };
  const told = JSON.stringify(state);
  if (told === (view.told.at(-1) ?? view.heard)) return;
  view.told = [...view.told.slice(-20), told];
  view.onState?.(state);
}

/** A canvas for each part, or nine for each where all steps are laid out. */
function makeStages(view) {
  const sheet = view.motion === "sheet";
  const wanted = `${view.motion}:${view.parts.length}:${sheet ? view.count : 0}:${view.parts.map((part) => part.payload.n_heads)}`;
  view.root.classList.toggle("sheet", sheet);
  if (view.laid === wanted) {
    view.drawn.forEach((stage) => (stage.part = view.parts[stage.number]));
    return;
  }
  view.laid = wanted;
  view.stages.replaceChildren();
  view.stages.classList.toggle("two", view.parts.length > 1);
  view.drawn = [];
  const steps = sheet ? [...Array(view.count).keys()] : [null];
  for (const step of steps) view.parts.forEach((part, number) => view.drawn.push(makeStage(view, part, number, step)));
}

function makeStage(view, part, number, step) {
  const figure = made("figure", "split-stage", view.stages);
  const caption = made("figcaption", "", figure);
  const holder = made("div", "split-scroll", figure, step === null ? { tabindex: "0", role: "group" } : {});
  const canvas = made("canvas", "", holder, { role: "img" });
  const hint = made("div", "split-hint", holder, { "aria-hidden": "true" });
  hint.hidden = true;
  const stage = { part, number, step, figure, caption, holder, canvas, hint };
  if (step === null) {
    canvas.onpointermove = canvas.onpointerdown = (event) => pointed(view, stage, event);
    canvas.onpointerleave = () => (hint.hidden = true);
  }
  return stage;
}

/** Gives every stage the room there is. */
function resize(view) {
  makeStages(view);
  const { root } = view;
  view.width = root.clientWidth;
  view.tall = innerHeight;
  const full = root.matches(":fullscreen");
  const sheet = view.motion === "sheet";
  for (const stage of view.drawn) {
    const room = stage.holder.clientWidth || view.width;
    const width = Math.max(room, Math.min(NARROWEST, sheet ? 420 : NARROWEST) * (view.parts.length > 1 ? 0.5 : 1));
    const own = (width * STAGE.height) / STAGE.width;
    const rest = full ? innerHeight - 200 : Math.max(innerHeight - 390, 330);
    const height = sheet ? own : full ? Math.min(own, rest) : between(rest, own * FLATTEST, own);
    stage.scale = fitted(stage.canvas, width, height, window.devicePixelRatio || 1);
    stage.canvas.style.width = `${width}px`;
    stage.canvas.style.height = `${height}px`;
  }
  view.fresh = true;
  view.paint();
}

/** One picture. Words are written only when they are others. */
function paint(view) {
  view.inks = inksOf(view.root);
  const { share, rows } = progressOf(view);
  for (const stage of view.drawn) {
    const still = stage.step !== null;
    const way = still ? { from: stage.step, to: stage.step, share: 1, rows: 1 } : { from: view.from, to: view.step, share, rows };
    drawStage(view, stage.part, stage.canvas.getContext("2d"), stage.scale, way);
  }
  if (view.fresh) {
    view.fresh = false;
    fillPanels(view);
    view.drawn.forEach((stage) => nameStage(view, stage));
    view.drawn.forEach((stage) => (stage.hint.hidden = true));
  }
  const lit = [view.playing, view.step, view.scope, view.head, view.motion].join();
  if (lit === view.lit) return; // writing to a control costs a frame its time, also where nothing changes
  view.lit = lit;
  fillControls(view);
}

function nameStage(view, { part, step, caption, canvas, holder }) {
  const { words } = view;
  const shown = part.steps[step ?? view.step];
  const title = filled(words.title, { number: (step ?? view.step) + 1, count: view.count, title: shown.title });
  const about = { n_heads: part.payload.n_heads, d_k: part.payload.d_k, model: part.payload.model };
  const who = view.parts.length > 1 ? filled(words.part, about) : "";
  canvas.setAttribute("aria-label", `${title}. ${shown.speech}`);
  if (step === null) holder.setAttribute("aria-label", filled(words.stage, about));
  caption.replaceChildren();
  if (step !== null) {
    made("strong", "", caption).textContent = `${title} `;
    made("code", "", caption).textContent = shown.formula;
    made("span", "", caption).textContent = `${shown.caption} ${shown.shape}`;
  } else if (who) made("strong", "", caption).textContent = who;
}

function unmount(view) {
  clearTimeout(view.rest);
  cancelAnimationFrame(view.frame);
  view.frame = 0;
  view.playing = false;
  view.observer.disconnect();
}
