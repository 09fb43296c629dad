// ---- Choosing patterns: by the numbers above the matrix, in the table, or in the panel of a line.
function markOf(u) {
  return table.querySelector(`svg.mark[data-pattern="${u}"]`).cloneNode(true);
}
function setChosen(patterns) {
  state.chosen = new Set(patterns);
  for (const button of document.querySelectorAll("button[data-pattern]")) {
    const on = state.chosen.has(Number(button.dataset.pattern));
    button.setAttribute("aria-pressed", String(on));
    button.closest("#pattern-table tr")?.classList.toggle("chosen", on);
  }
  if (state.view === "patterns") repaint();
  refresh();
}
function choose(u) {
  const others = [...state.chosen].filter((other) => other !== u);
  setChosen(state.chosen.has(u) ? others : [...others, u]);
  if (state.chosen.has(u) && frames[u].largest.length) {
    const [[top], [left]] = frames[u].largest[0];
    reveal(top, left);
  }
}
for (const button of document.querySelectorAll("button.chip")) {
  button.addEventListener("click", () => choose(Number(button.dataset.pattern)));
}
for (const button of table.querySelectorAll("button.pattern")) {
  button.addEventListener("click", () => {
    choose(Number(button.dataset.pattern));
    if (state.chosen.has(Number(button.dataset.pattern))) stage.scrollIntoView({ block: "nearest" });
  });
}
byId("choose-all").addEventListener("click", () => setChosen(count(k)));
byId("choose-none").addEventListener("click", () => setChosen([]));

// Lists of row names can be long, so each is made when it is first opened.
for (const details of document.querySelectorAll("details[data-pattern]")) {
  details.addEventListener("toggle", () => {
    const target = details.querySelector("p");
    if (!details.open || target.textContent) return;
    target.textContent = patternRows(Number(details.dataset.pattern)).map((i) => data.rows[i]).join(", ");
  });
}
