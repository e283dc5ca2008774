// Buttons, step slider, speed, heads, keys; the pointer on a cell.

const SPEEDS = [0.5, 1, 1.5, 2, 4];
const MOST_CHIPS = 12;
const ICONS = {
  first: "M3 2h2v12H3zM13 2L6 8l7 6z",
  back: "M11 2L4 8l7 6z",
  play: "M4 1.5l10 6.5-10 6.5z",
  pause: "M3.5 2h3.5v12H3.5zM9 2h3.5v12H9z",
  on: "M5 2l7 6-7 6z",
  last: "M11 2h2v12h-2zM3 2l7 6-7 6z",
  full: "M2 6V2h4v1.6H3.6V6zM10 2h4v4h-1.6V3.6H10zM14 10v4h-4v-1.6h2.4V10zM6 14H2v-4h1.6v2.4H6z",
  sheet: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
  picture: "M7 1.5h2v6h3L8 12 4 7.5h3zM2 12.5h12v2H2z",
};

function icon(name, parent) {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", "0 0 16 16");
  picture.setAttribute("aria-hidden", "true");
  picture.append(document.createElementNS(space, "path"));
  parent.append(picture);
  draw(name, picture);
  return picture;
}

function draw(name, picture) {
  picture.firstChild.setAttribute("d", ICONS[name]);
}

function button(view, name, act) {
  const made_ = made("button", `split-button ${name}`, view.bar, { type: "button" });
  icon(name, made_);
  made_.onclick = act;
  view.controls[name] = made_;
}

function makeControls(view) {
  view.controls = {};
  button(view, "first", () => stepTo(view, 0));
  button(view, "back", () => stepTo(view, view.step - 1));
  button(view, "play", () => (view.playing ? halt(view) : play(view)));
  button(view, "on", () => stepTo(view, view.step + 1));
  button(view, "last", () => stepTo(view, view.count - 1));
  view.slider = made("input", "split-slider", view.bar, { type: "range", min: 0, step: 1 });
  view.slider.oninput = () => stepTo(view, Number(view.slider.value));
  view.pace = made("select", "split-speed", view.bar);
  for (const speed of SPEEDS) made("option", "", view.pace, { value: speed }).textContent = `${speed}×`;
  view.pace.value = "1";
  view.pace.onchange = () => (view.speed = Number(view.pace.value));
  view.heads = made("div", "split-heads", view.bar, { role: "group" });
  button(view, "sheet", () => setMotion(view, view.motion === "sheet" ? "play" : "sheet"));
  button(view, "full", () => fullScreen(view));
  button(view, "picture", () => savePicture(view));
  view.root.onkeydown = (event) => typed(view, event);
}

/** One button a head, or a list where there are many. */
function makeHeads(view) {
  const { words } = view;
  const count = view.parts[0].payload.n_heads;
  view.heads.replaceChildren();
  view.heads.setAttribute("aria-label", words.heads);
  if (count > MOST_CHIPS) {
    const list = made("select", "", view.heads, { "aria-label": words.heads });
    made("option", "", list, { value: "" }).textContent = words.all;
    for (let head = 0; head < count; head++) made("option", "", list, { value: head }).textContent = `H${head}`;
    list.onchange = () => chooseHead(view, list.value === "" ? null : Number(list.value));
    return;
  }
  for (const head of [null, ...Array(count).keys()]) {
    const chip = made("button", "split-chip", view.heads, { type: "button", "data-head": head ?? "all" });
    chip.textContent = head === null ? words.all : String(head);
    chip.setAttribute("aria-label", head === null ? words.all_heads : filled(words.head, { head }));
    if (head !== null) chip.style.borderColor = hueOf(view.look, head);
    chip.onclick = () => chooseHead(view, head);
  }
}

/** Follows one head, the others dimmed; all of them with null, or with the same head once more. */
function chooseHead(view, head) {
  const again = head !== null && view.scope === "one" && view.head === head;
  view.scope = head === null || again ? "all" : "one";
  if (head !== null) view.head = head;
  view.fresh = true;
  view.paint();
  view.tell();
}

function setMotion(view, motion) {
  view.playing = false;
  view.motion = motion;
  view.fresh = true;
  view.resize();
  view.tell();
}

function fullScreen(view) {
  const shown = document.fullscreenElement || view.root.getRootNode().fullscreenElement;
  if (shown) document.exitFullscreen();
  else view.root.requestFullscreen?.().catch(() => {});
}

/** Names and states of the controls, in the present words. */
function fillControls(view) {
  const { words, controls } = view;
  draw(view.playing ? "pause" : "play", controls.play.firstChild);
  view.bar.setAttribute("aria-label", words.controls);
  const names = { play: view.playing ? words.pause : words.play };
  for (const [name, element] of Object.entries(controls)) {
    const text = names[name] ?? words[name];
    element.setAttribute("aria-label", text);
    element.title = text;
  }
  view.slider.max = view.count - 1;
  view.slider.value = view.step;
  view.slider.setAttribute("aria-label", words.step);
  view.slider.setAttribute("aria-valuetext", view.title.textContent);
  view.pace.setAttribute("aria-label", words.speed);
  controls.sheet.setAttribute("aria-pressed", String(view.motion === "sheet"));
  const followed = view.scope === "one" ? String(view.head) : "all";
  for (const chip of view.heads.querySelectorAll(".split-chip")) {
    chip.setAttribute("aria-pressed", String(chip.dataset.head === followed));
  }
  const list = view.heads.querySelector("select");
  if (list) list.value = view.scope === "one" ? String(view.head) : "";
}

/** Keys of the whole component; a control that means something else by a key keeps it. */
function typed(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const on = event.composedPath()[0];
  const kind = on.tagName;
  if (kind === "SELECT" || (kind === "INPUT" && event.key !== " " && event.key !== "f")) return;
  if (kind === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
  const digit = /^[0-9]$/.test(event.key) ? Number(event.key) : null;
  const acts = {
    " ": () => (view.playing ? halt(view) : play(view)),
    ArrowRight: () => stepTo(view, view.step + 1),
    ArrowLeft: () => stepTo(view, view.step - 1),
    Home: () => stepTo(view, 0),
    End: () => stepTo(view, view.count - 1),
    f: () => fullScreen(view),
    a: () => chooseHead(view, null),
  };
  const act = digit === null ? acts[event.key] : digit < view.parts[0].payload.n_heads ? () => chooseHead(view, digit) : null;
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

/** The pointer is on the stage: the cell below it is named. */
function pointed(view, stage, event) {
  const box = stage.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const moving = view.from !== view.step;
  const cell = moving ? null : cellUnder(stage.part, view.step, stage.scale, x, y);
  stage.hint.hidden = !cell;
  if (!cell) return;
  put(stage.hint, cellText(view, stage.part, cell));
  const room = stage.scale.width - stage.hint.offsetWidth;
  stage.hint.style.left = `${between(x + 12, 0, Math.max(room, 0))}px`;
  stage.hint.style.top = `${y + (y > stage.scale.height - 90 ? -stage.hint.offsetHeight - 10 : 16)}px`;
}
