// ---- The controls above the matrix, and the first picture.
for (const input of document.querySelectorAll("input[name=view]")) {
  input.addEventListener("change", () => { state.view = input.value; repaint(); });
}
for (const input of document.querySelectorAll("input[name=order]")) {
  input.addEventListener("change", () => {
    state.order = input.value;
    state.cell = null;
    findFrames();
    if (state.line) lookUp(state.line.side, state.line.index);
    repaint();
  });
}
byId("frames").addEventListener("change", (event) => { state.frames = event.target.checked; refresh(); });

readColours();
findFrames();
layout();
// On a small screen columns are wide enough for their names from the start, unless they are very many.
const needed = (LABEL + 3) / view.sx;
if (view.width < NARROW && needed > 1 && needed <= 8) { setZoom(needed * 1.05, 1, [0, 0]); state.left = 0; }
repaint();
whenThemeChanges.push(repaint);
window.addEventListener("resize", refresh);
// On paper the matrix is whole, and dark on white.
let before = null;
window.addEventListener("beforeprint", () => {
  before = { theme: root.dataset.theme, zoomX: state.zoomX, zoomY: state.zoomY, left: state.left, top: state.top };
  tooltip.hidden = true;
  root.dataset.theme = "light";
  Object.assign(state, { zoomX: 1, zoomY: 1, left: 0, top: 0 });
  repaint();
  draw();
});
window.addEventListener("afterprint", () => {
  if (!before) return;
  const { theme, ...places } = before;
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  Object.assign(state, places);
  repaint();
});
