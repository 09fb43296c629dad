// ---- Drawing the matrix. It is kept as images of one pixel per cell, no larger than a browser allows.
const canvas = byId("matrix"), stage = byId("stage"), tooltip = byId("tooltip");
const context = canvas.getContext("2d");
const TILE = 4096, LABEL = 10, LEGIBLE = 34, WIDEST = 52, HIGHEST = 26, NARROW = 560;
const FONT = "12px sans-serif";

// Colours are those of the style sheet, light or dark.
const paint = {};
const PATTERN_COLOURS = 8;
function readColours() {
  const style = getComputedStyle(root);
  const names = ["ink", "paper", "edge", "mark", "zero", "one", "missing", "false-one", "missed-one", "right-one"];
  for (const name of names) paint[name] = style.getPropertyValue(`--${name}`).trim();
  paint.patterns = count(PATTERN_COLOURS).map((u) => style.getPropertyValue(`--pattern-${u}`).trim());
}
// Told apart by eight colours, then by a kind of line for each round of them, and always by number.
const colourOf = (u) => paint.patterns[u % PATTERN_COLOURS];
const dashOf = (u) => data.lines[Math.floor(u / PATTERN_COLOURS)];

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
const word = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
// Indexed by value (0, 1, MISSING) plus COVERED.
const colours = {
  data: ["zero", "one", "missing", "", "zero", "one", "missing"],
  errors: ["zero", "missed-one", "missing", "", "false-one", "right-one", "missing"],
};
function cellPainter() {
  if (state.view !== "patterns") {
    const shade = colours[state.view].map((name) => (name ? word(rgb(paint[name])) : 0));
    return (i) => (j) => shade[kind[i * m + j]];
  }
  // Rows with the same patterns look the same, so each kind of row is mixed once.
  const mixed = new Map(), grey = word(rgb(paint["right-one"])), none = word(rgb(paint.zero));
  const wanted = count(k).filter((u) => !state.chosen.size || state.chosen.has(u));
  return (i) => {
    const mine = wanted.filter((u) => hasRow(u, i)), key = mine.join();
    if (!mixed.has(key)) {
      const shades = new Array(m);
      for (const u of mine) {
        const ink = rgb(colourOf(u));
        for (const j of patternColumns[u]) (shades[j] ||= []).push(ink);
      }
      mixed.set(key, shades.map((inks) => word([0, 1, 2].map(
        (channel) => Math.round(inks.reduce((sum, ink) => sum + ink[channel], 0) / inks.length)))));
    }
    const line = mixed.get(key);
    return (j) => line[j] ?? (kind[i * m + j] & COVERED ? grey : none);
  };
}
let tiles = [];
function paintTiles() {
  const painter = cellPainter();
  tiles = [];
  for (let top = 0; top < n; top += TILE) {
    for (let left = 0; left < m; left += TILE) {
      const height = Math.min(TILE, n - top), width = Math.min(TILE, m - left);
      const tile = document.createElement("canvas");
      tile.width = width;
      tile.height = height;
      const image = new ImageData(width, height);
      const pixels = new Uint32Array(image.data.buffer);
      for (let r = 0; r < height; r++) {
        const shade = painter(rowAt(top + r));
        for (let c = 0; c < width; c++) pixels[r * width + c] = shade(columnAt(left + c));
      }
      tile.getContext("2d").putImageData(image, 0, 0);
      tiles.push({ tile, top, left });
    }
  }
}

function runs(size, inside) {
  const found = [];
  for (let i = 0, start = -1; i <= size; i++) {
    const now = i < size && inside(i);
    if (now && start < 0) start = i;
    if (!now && start >= 0) { found.push([start, i]); start = -1; }
  }
  return found;
}
let frames = [];
function findFrames() {
  const long = (list) => [...list].sort((a, b) => (b[1] - b[0]) - (a[1] - a[0])).slice(0, 4);
  frames = count(k).map((u) => {
    const rows = runs(n, (r) => hasRow(u, rowAt(r)));
    const columns = runs(m, (c) => hasColumn(u, columnAt(c)));
    const area = ([[top, bottom], [left, right]]) => (bottom - top) * (right - left);
    const largest = long(rows).flatMap((row) => long(columns).map((column) => [row, column]));
    return { rows, columns, largest: largest.sort((a, b) => area(b) - area(a)) };
  });
}

// Names need room: a gutter appears on a side as soon as cells are high or wide enough for them.
const short = (text) => (text.length > LEGIBLE ? text.slice(0, LEGIBLE - 1) + "…" : text);
context.font = FONT;
const widest = (names) => names.slice(0, 3000).reduce(
  (width, name) => Math.max(width, context.measureText(short(name)).width), 0);
const rowNamesWidth = Math.ceil(widest(data.rows)) + 10;
const columnNamesWidth = Math.min(150, Math.ceil(widest(data.columns)) + 10);
let view = null;
function layout() {
  const width = Math.max(200, stage.clientWidth);
  const rowGutter = Math.min(width * 0.3, rowNamesWidth), columnGutter = columnNamesWidth;
  // On a small screen some of the page stays beside the matrix, to scroll by and for the panel of a line.
  const share = window.innerWidth <= NARROW ? 0.5 : 0.72;
  const most = Math.min(640, Math.max(320, window.innerHeight * share));
  const height = Math.round(Math.min(most, Math.max(180, n * 16 + columnGutter)));
  const isWide = (width / m) * state.zoomX >= LABEL;
  const fitY = Math.min(HIGHEST, (height - (isWide ? columnGutter : 0)) / n);
  const fitX = Math.min(WIDEST, (width - (fitY * state.zoomY >= LABEL ? rowGutter : 0)) / m);
  // Cells grow to a size that is good to see, each way on its own: near squares in the end.
  const sx = Math.min(WIDEST, fitX * state.zoomX), sy = Math.min(HIGHEST, fitY * state.zoomY);
  const x0 = sy >= LABEL ? rowGutter : 0, y0 = sx >= LABEL ? columnGutter : 0;
  const across = Math.min(m, (width - x0) / sx), down = Math.min(n, (height - y0) / sy);
  state.left = Math.min(Math.max(0, state.left), m - across);
  state.top = Math.min(Math.max(0, state.top), n - down);
  view = { width, height, sx, sy, x0, y0, across, down, mostX: WIDEST / fitX, mostY: HIGHEST / fitY };
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}
const xOf = (c) => view.x0 + (c - state.left) * view.sx;
const yOf = (r) => view.y0 + (r - state.top) * view.sy;

function draw() {
  layout();
  const { width, height, sx, sy, x0, y0, across, down } = view;
  context.fillStyle = paint.paper;
  context.fillRect(0, 0, width, height);
  context.save();
  context.beginPath();
  context.rect(x0, y0, across * sx, down * sy);
  context.clip();
  context.imageSmoothingEnabled = sx < 1 || sy < 1;
  for (const { tile, top, left } of tiles) {
    context.drawImage(tile, xOf(left), yOf(top), tile.width * sx, tile.height * sy);
  }
  drawFrames();
  drawTags();
  if (state.line) outline(...lineBox(), 0.16);
  if (state.cell) outline(xOf(state.cell[1]), yOf(state.cell[0]), Math.max(sx, 3), Math.max(sy, 3), 0);
  context.restore();
  context.strokeStyle = paint.edge;
  context.lineWidth = 1;
  context.strokeRect(x0 + 0.5, y0 + 0.5, across * sx - 1, down * sy - 1);
  drawNames();
  if (state.line) drawLineName();
}

function outline(x, y, wide, high, tint) {
  if (tint) {
    context.globalAlpha = tint;
    context.fillStyle = paint.mark;
    context.fillRect(x, y, wide, high);
    context.globalAlpha = 1;
  }
  for (const [colour, across] of [[paint.zero, 4.5], [paint.mark, 2.5]]) {
    context.lineWidth = across;
    context.strokeStyle = colour;
    context.strokeRect(x, y, wide, high);
  }
}
const linePlace = () => orders[state.order][state.line.side === "row" ? "rows" : "columns"].indexOf(state.line.index);
function lineBox() {
  const { sx, sy, x0, y0, across, down } = view, place = linePlace();
  if (state.line.side === "row") return [x0 - 5, yOf(place), across * sx + 10, Math.max(sy, 3)];
  return [xOf(place), y0 - 5, Math.max(sx, 3), down * sy + 10];
}

function drawFrames() {
  for (let u = 0; u < k; u++) {
    if (!isFramed(u)) continue;
    const { rows, columns } = frames[u];
    const chosen = state.chosen.has(u), pieces = rows.length * columns.length;
    // Frames must not hide what they frame: small pieces of a pattern get one when it is chosen,
    // and a pattern in thousands of pieces never.
    if (pieces > 20000) continue;
    const least = chosen || pieces <= 12 ? 0 : 7;
    context.globalAlpha = !state.chosen.size || chosen ? 1 : 0.15;
    const width = pieces > 12 ? (chosen ? 1.75 : 1) : chosen ? 3.5 : 2;
    // A pale edge on both sides sets a frame off from the dark cells too.
    for (const [colour, across, dash] of [[paint.zero, width + 2, []], [colourOf(u), width, dashOf(u)]]) {
      context.lineWidth = across;
      context.strokeStyle = colour;
      context.setLineDash(dash);
      for (const [top, bottom] of rows) {
        for (const [left, right] of columns) {
          const wide = (right - left) * view.sx, high = (bottom - top) * view.sy;
          if (Math.min(wide, high) < least) continue;
          context.strokeRect(xOf(left) + 1, yOf(top) + 1, Math.max(1, wide - 2), Math.max(1, high - 2));
        }
      }
    }
    context.setLineDash([]);
  }
  context.globalAlpha = 1;
}

// The number of a pattern, in a corner of one of its largest pieces where no other number stands.
function drawTags() {
  const { sx, sy, x0, y0, across, down } = view, placed = [];
  const shown = count(k).filter((u) => isFramed(u) && (!state.chosen.size || state.chosen.has(u)));
  context.font = "bold 11px sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const u of shown) {
    const text = String(u + 1), wide = context.measureText(text).width + 8, high = 15;
    const free = frames[u].largest.flatMap(([[top, bottom], [left, right]]) => [
      [xOf(left), yOf(top)], [xOf(right) - wide, yOf(top)],
      [xOf(left), yOf(bottom) - high], [xOf(right) - wide, yOf(bottom) - high],
    ]).find(([x, y]) => x >= x0 - 1 && y >= y0 - 1 && x + wide <= x0 + across * sx + 1 && y + high <= y0 + down * sy + 1
      && !placed.some(([a, b, w]) => x < a + w + 1 && a < x + wide + 1 && y < b + high + 1 && b < y + high + 1));
    if (!free) continue;
    const [x, y] = free;
    placed.push([x, y, wide]);
    context.fillStyle = colourOf(u);
    context.fillRect(x, y, wide, high);
    context.fillStyle = paint.paper;
    context.fillText(text, x + wide / 2, y + high / 2 + 0.5);
  }
}

function drawNames() {
  const { sx, sy, x0, y0, across, down } = view;
  context.fillStyle = paint.ink;
  context.font = FONT;
  context.textBaseline = "middle";
  if (x0) {
    context.textAlign = "right";
    for (let r = Math.ceil(state.top - 0.4); r < Math.min(n, state.top + down - 0.4); r++) {
      context.fillText(short(data.rows[rowAt(r)]), x0 - 5, yOf(r) + sy / 2, x0 - 6);
    }
  }
  if (y0) {
    context.textAlign = "left";
    for (let c = Math.ceil(state.left - 0.4); c < Math.min(m, state.left + across - 0.4); c++) {
      context.save();
      context.translate(xOf(c) + sx / 2, y0 - 5);
      context.rotate(-Math.PI / 2);
      context.fillText(short(data.columns[columnAt(c)]), 0, 0, y0 - 8);
      context.restore();
    }
  }
}

// The name of the line that was looked up, on a ground of its own, also where there is no gutter.
function drawLineName() {
  const { sx, sy, x0, y0, across, down, width, height } = view, place = linePlace();
  const isRow = state.line.side === "row", text = short(sides[state.line.side].names[state.line.index]);
  const middle = isRow ? yOf(place) + sy / 2 : xOf(place) + sx / 2;
  const [least, most] = isRow ? [y0, y0 + down * sy] : [x0, x0 + across * sx];
  if (middle < least || middle > most) return;
  context.save();
  context.font = "bold 12px sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "left";
  const gutter = isRow ? x0 : y0, long = Math.min(context.measureText(text).width, gutter ? gutter - 10 : 220) + 8;
  if (isRow) context.translate(gutter ? x0 - long : 0, Math.min(height - 9, Math.max(9, middle)));
  else {
    context.translate(Math.min(width - 9, Math.max(9, middle)), gutter ? y0 : long);
    context.rotate(-Math.PI / 2);
  }
  context.fillStyle = paint.mark;
  context.fillRect(0, -8, long, 16);
  context.fillStyle = paint.paper;
  context.fillText(text, 4, 0.5, long - 8);
  context.restore();
}

let waiting = false;
function refresh() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

const legends = {
  data: [["one", "1"], ["zero", "0"], ["missing", "missing"]],
  patterns: [["zero", "not covered"]],
  errors: [["missed-one", "one that no pattern covers"], ["false-one", "zero that a pattern covers"],
    ["right-one", "one explained"], ["missing", "missing"]],
};
function repaint() {
  readColours();
  paintTiles();
  const entries = [...legends[state.view]];
  if (state.view === "patterns" && state.chosen.size) entries.unshift(["right-one", "covered by patterns that are not chosen"]);
  byId("matrix-legend").replaceChildren(...entries.filter(([name]) => name !== "missing" || missing).map(([name, label]) => {
    const box = make("span", { className: "box" });
    box.style.background = `var(--${name})`;
    return make("li", {}, box, label);
  }), ...(state.view === "patterns" ? [make("li", {}, `covered: the colour of the pattern, mixed where several cover${
    k > PATTERN_COLOURS ? `; ${PATTERN_COLOURS} colours come round again, so choose patterns to see them alone` : ""}`)] : []));
  refresh();
}

// Text from the data becomes text on the page, never markup.
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}
