// The animation in a file of its own: the data is in the file, nobody is told of the state, keys act on the whole page.

const splittingView = mountSplitting(
  document.getElementById("split"),
  JSON.parse(document.getElementById("split-data").textContent),
  null,
);
document.addEventListener("keydown", (event) => {
  if (event.target === document.body) typed(splittingView, event);
});
