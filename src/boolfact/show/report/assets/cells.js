// ---- One cell: what it means in words; pointer, keyboard and zoom.
function describe(r, c) {
  const i = rowAt(r), j = columnAt(c), code = kind[i * m + j];
  const value = code & 3, covered = (code & COVERED) !== 0;
  const by = covering(i, j).map(patternTitle);
  const costs = data.costs;
  const price = (name) => (costs && costs[name] !== 1 ? ", cost " + costs[name] : "");
  let verdict;
  if (value === MISSING) verdict = "missing; the patterns say " + (covered ? 1 : 0);
  else if (value === 1) verdict = covered ? "explained" : "error: a one that no pattern covers" + price("missedOne");
  else verdict = covered ? "error: a zero that is covered" + price("falseOne") : "rightly not covered";
  return {
    row: data.rows[i], column: data.columns[j], value: value === MISSING ? "missing" : String(value),
    patterns: by.length ? (by.length > 1 ? "patterns " : "pattern ") + by.join(", ") : "no pattern", verdict,
  };
}
const status = byId("cell");
function select(r, c, isRevealed) {
  state.cell = [r, c];
  const cell = describe(r, c);
  status.textContent = `Row ${cell.row}, column ${cell.column}: ${cell.value}. `
    + `Covered by ${cell.patterns}. ${cell.verdict[0].toUpperCase()}${cell.verdict.slice(1)}.`;
  if (isRevealed) reveal(r, c);
  refresh();
}
function reveal(r, c) {
  if (r < state.top) state.top = r;
  if (r + 1 > state.top + view.down) state.top = r + 1 - view.down;
  if (c < state.left) state.left = c;
  if (c + 1 > state.left + view.across) state.left = c + 1 - view.across;
}

function placeOf(event) {
  const box = canvas.getBoundingClientRect();
  const x = event.clientX - box.left - canvas.clientLeft - view.x0;
  const y = event.clientY - box.top - canvas.clientTop - view.y0;
  const c = Math.floor(state.left + x / view.sx), r = Math.floor(state.top + y / view.sy);
  return { r, c, inRows: y >= 0 && r < n && y < view.down * view.sy, inColumns: x >= 0 && c < m && x < view.across * view.sx,
    isLeft: x < 0, isAbove: y < 0 };
}
function cellAt(event) {
  const { r, c, inRows, inColumns } = placeOf(event);
  return inRows && inColumns ? [r, c] : null;
}
// A name beside or above the matrix stands for its line.
function nameAt(event) {
  const { r, c, inRows, inColumns, isLeft, isAbove } = placeOf(event);
  if (isLeft && inRows) return ["row", rowAt(r)];
  return isAbove && inColumns ? ["column", columnAt(c)] : null;
}

let drag = null;
canvas.addEventListener("pointerdown", (event) => {
  drag = { x: event.clientX, y: event.clientY, left: state.left, top: state.top, moved: false };
});
canvas.addEventListener("pointermove", (event) => {
  if (drag && event.buttons && Math.max(state.zoomX, state.zoomY) > 1) {
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (drag.moved || Math.hypot(dx, dy) > 4) {
      drag.moved = true;
      tooltip.hidden = true;
      state.left = drag.left - dx / view.sx;
      state.top = drag.top - dy / view.sy;
      refresh();
      return;
    }
  }
  canvas.style.cursor = nameAt(event) ? "pointer" : "";
  if (event.pointerType !== "touch") point(event);
});
function point(event) {
  const cell = cellAt(event);
  if (!cell) { tooltip.hidden = true; return; }
  select(cell[0], cell[1], false);
  const told = describe(cell[0], cell[1]);
  tooltip.textContent = `${told.row}\n${told.column} = ${told.value}\n${told.patterns}\n${told.verdict}`;
  tooltip.hidden = false;
  const box = stage.getBoundingClientRect();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  const right = x + 16 + tooltip.offsetWidth < box.width;
  tooltip.style.left = Math.max(2, right ? x + 14 : x - 14 - tooltip.offsetWidth) + "px";
  tooltip.style.top = Math.max(2, Math.min(y + 14, box.height - tooltip.offsetHeight - 4)) + "px";
}
canvas.addEventListener("pointerup", (event) => {
  if (drag && !drag.moved) {
    const line = nameAt(event);
    if (line) lookUp(...line);
    else point(event);
  }
  drag = null;
});
canvas.addEventListener("pointercancel", () => { drag = null; });
canvas.addEventListener("pointerleave", () => { tooltip.hidden = true; drag = null; });

function setZoom(x, y, at) {
  const [r, c] = at || state.cell || [state.top + view.down / 2, state.left + view.across / 2];
  const keepX = (c - state.left) / view.across, keepY = (r - state.top) / view.down;
  state.zoomX = Math.min(view.mostX, Math.max(1, x));
  state.zoomY = Math.min(view.mostY, Math.max(1, y));
  layout();
  state.left = c - keepX * view.across;
  state.top = r - keepY * view.down;
  // A finger scrolls the page over a matrix that is seen whole, and the matrix when it is not.
  const [sideways, upright] = [state.zoomX > 1, state.zoomY > 1];
  canvas.style.touchAction = sideways && upright ? "none" : sideways ? "pan-y" : upright ? "pan-x" : "auto";
  refresh();
}
const zoom = (factor, at) => setZoom(state.zoomX * factor, state.zoomY * factor, at);
canvas.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(event.deltaY < 0 ? 1.3 : 1 / 1.3, cellAt(event));
}, { passive: false });
byId("zoom-in").addEventListener("click", () => zoom(1.6));
byId("zoom-out").addEventListener("click", () => zoom(1 / 1.6));
byId("zoom-fit").addEventListener("click", () => zoom(0));

canvas.addEventListener("keydown", (event) => {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
    PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -m], End: [0, m] };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key in steps) {
    event.preventDefault();
    tooltip.hidden = true;
    const [dr, dc] = steps[event.key];
    const [r, c] = state.cell || [0, 0];
    const first = !state.cell;
    select(Math.min(n - 1, Math.max(0, first ? 0 : r + dr)), Math.min(m - 1, Math.max(0, first ? 0 : c + dc)), true);
  } else if (event.key === "+" || event.key === "=") zoom(1.6);
  else if (event.key === "-") zoom(1 / 1.6);
  else if (event.key === "0") zoom(0);
  else if (state.cell && event.key.toLowerCase() === "r") lookUp("row", rowAt(state.cell[0]));
  else if (state.cell && event.key.toLowerCase() === "c") lookUp("column", columnAt(state.cell[1]));
});
