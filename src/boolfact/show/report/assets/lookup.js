// ---- A row or a column by name: suggestions while typing, then its patterns and errors.
const MOST_SUGGESTIONS = 12, MOST_LISTED = 40;
const field = byId("find"), list = byId("suggestions"), panel = byId("line");
const lowered = { row: data.rows.map((name) => name.toLowerCase()), column: data.columns.map((name) => name.toLowerCase()) };
let offered = [], active = -1;

// Whole names first, then beginnings, then beginnings of words, then any place in the name.
function rankOf(name, wanted) {
  const at = name.indexOf(wanted);
  if (at < 0) return -1;
  if (name === wanted) return 0;
  return at === 0 ? 1 : /[\s_\-.,:;/(]/.test(name[at - 1]) ? 2 : 3;
}
function suggestions(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const found = [[], [], [], []];
  for (const side of ["column", "row"]) {
    lowered[side].forEach((name, index) => {
      const rank = rankOf(name, wanted);
      if (rank >= 0 && found[rank].length < MOST_SUGGESTIONS) found[rank].push({ side, index });
    });
  }
  return found.flat().slice(0, MOST_SUGGESTIONS);
}
function lineFigures(side, index) {
  const { missed, falseOnes } = lineErrors(side, index);
  return `${several(linePatterns(side, index).length, "pattern")}, ${several(missed.length + falseOnes.length, "error")}`;
}
function offer() {
  offered = suggestions(field.value);
  active = -1;
  list.replaceChildren(...offered.map(({ side, index }, place) => {
    const item = make("li", { id: `suggestion-${place}`, className: "suggestion" },
      make("span", { className: "what", textContent: sides[side].names[index] }),
      make("span", { className: "small", textContent: `${side}, ${lineFigures(side, index)}` }));
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    // Before the field loses the focus, which closes the list.
    item.addEventListener("pointerdown", (event) => { event.preventDefault(); take(place); });
    return item;
  }));
  showList(offered.length > 0);
}
function showList(isOpen) {
  list.hidden = !isOpen;
  field.setAttribute("aria-expanded", String(isOpen));
  if (!isOpen) field.removeAttribute("aria-activedescendant");
}
function activate(place) {
  active = place;
  Array.from(list.children).forEach((item, other) => item.setAttribute("aria-selected", String(other === place)));
  if (place < 0) { field.removeAttribute("aria-activedescendant"); return; }
  field.setAttribute("aria-activedescendant", `suggestion-${place}`);
  list.children[place].scrollIntoView({ block: "nearest" });
}
function take(place) {
  const { side, index } = offered[place];
  field.value = sides[side].names[index];
  showList(false);
  lookUp(side, index);
}
field.addEventListener("input", offer);
field.addEventListener("focus", () => { if (field.value && !state.line) offer(); });
field.addEventListener("blur", () => showList(false));
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (list.hidden) offer();
    if (!offered.length) return;
    const step = event.key === "ArrowDown" ? 1 : -1;
    activate(active < 0 && step < 0 ? offered.length - 1 : (active + step + offered.length) % offered.length);
  } else if (event.key === "Escape") {
    if (list.hidden) clearLine();
    else { event.preventDefault(); showList(false); }
  } else if (event.key === "Enter") {
    event.preventDefault();
    if (!field.value.trim()) return;
    if (list.hidden || !offered.length) offer();
    if (offered.length) take(Math.max(0, active));
    else status.textContent = `No row or column has “${field.value}” in its name.`;
  }
});

function lookUp(side, index) {
  state.line = { side, index };
  state.cell = null;
  tooltip.hidden = true;
  panel.replaceChildren(...linePanel(side, index));
  panel.hidden = false;
  layout();
  // Tall or wide enough to be told from its neighbours, and in the middle.
  const legible = 14;
  if (side === "row" && view.sy < legible) setZoom(state.zoomX, state.zoomY * legible / view.sy);
  if (side === "column" && view.sx < legible) setZoom(state.zoomX * legible / view.sx, state.zoomY);
  const place = linePlace();
  if (side === "row") state.top = place + 0.5 - view.down / 2;
  else state.left = place + 0.5 - view.across / 2;
  status.textContent = `${side === "row" ? "Row" : "Column"} ${sides[side].names[index]}: ${lineFigures(side, index)}.`;
  (window.innerWidth <= NARROW ? byId("lookup") : stage).scrollIntoView({ block: window.innerWidth <= NARROW ? "start" : "nearest" });
  refresh();
}
function clearLine() {
  state.line = null;
  panel.hidden = true;
  panel.replaceChildren();
  field.value = "";
  refresh();
}

// Names that lead to their cells; a long list is cut off until more is asked for.
function cellLinks(side, index, others, labelOf) {
  const holder = make("p", { className: "links" });
  const link = (other) => {
    const button = make("button", { type: "button", textContent: labelOf(other) });
    button.addEventListener("click", () => {
      const [i, j] = side === "row" ? [index, other] : [other, index];
      select(orders[state.order].rows.indexOf(i), orders[state.order].columns.indexOf(j), true);
      stage.scrollIntoView({ block: "nearest" });
    });
    return button;
  };
  holder.append(...others.slice(0, MOST_LISTED).map(link));
  if (others.length > MOST_LISTED) {
    const more = make("button", { type: "button", className: "more", textContent: `and ${(others.length - MOST_LISTED).toLocaleString("en")} more` });
    more.addEventListener("click", () => more.replaceWith(...others.slice(MOST_LISTED).map(link)));
    holder.append(more);
  }
  return holder;
}
function capped(names, most) {
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(", ")} and ${rest.toLocaleString("en")} more` : names.join(", ");
}
function linePanel(side, index) {
  const { names, across } = sides[side], patterns = linePatterns(side, index);
  const { missed, falseOnes, filled, ones: total } = lineErrors(side, index);
  const clear = make("button", { type: "button", id: "clear-line", textContent: "Clear" });
  clear.addEventListener("click", () => { clearLine(); field.focus(); });
  const parts = [
    make("div", { className: "line-head" },
      make("h3", {}, make("span", { className: "small", textContent: side === "row" ? "Row" : "Column" }), names[index]), clear),
    make("p", { textContent: `${(total - missed.length).toLocaleString("en")} of ${several(total, "one")} explained.` }),
    make("h4", { textContent: patterns.length ? several(patterns.length, "pattern") : "In no pattern" }),
  ];
  const items = patterns.map((u) => {
    const button = make("button", { type: "button", className: "pattern" }, markOf(u), patternTitle(u));
    button.dataset.pattern = String(u);
    button.setAttribute("aria-label", `Pattern ${patternTitle(u)}: frame it in the matrix`);
    button.setAttribute("aria-pressed", String(state.chosen.has(u)));
    button.addEventListener("click", () => choose(u));
    const members = side === "row" ? patternColumns[u] : patternRows(u);
    return make("li", {}, button, make("span", { textContent: capped(members.map((other) => across[other]), 8) }));
  });
  if (items.length) parts.push(make("ul", {}, ...items));
  const wrong = missed.length + falseOnes.length;
  parts.push(make("h4", { textContent: wrong ? several(wrong, "error") : "No error" }));
  const by = (other) => (side === "row" ? covering(index, other) : covering(other, index)).map((u) => u + 1).join(", ");
  for (const [others, title, labelOf] of [
    [missed, "Ones that no pattern covers", (other) => across[other]],
    [falseOnes, "Zeros that are covered, and by which pattern", (other) => `${across[other]} (${by(other)})`],
    [filled, "Missing, and 1 by the patterns", (other) => `${across[other]} (${by(other)})`],
  ]) {
    if (others.length) parts.push(make("p", { className: "small", textContent: title }), cellLinks(side, index, others, labelOf));
  }
  return parts;
}
