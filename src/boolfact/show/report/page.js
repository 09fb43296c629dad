"use strict";
(function () {
  const byId = (id) => document.getElementById(id);

  // ---- The table of patterns: sorting works without the matrix too.
  const table = byId("pattern-table");
  const body = table.tBodies[0];
  for (const button of table.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const place = head.cellIndex;
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[place].dataset.value;
      const text = head.dataset.kind === "text";
      const compare = text
        ? (a, b) => key(a).localeCompare(key(b))
        : (a, b) => Number(key(a)) - Number(key(b));
      const rows = Array.from(body.rows).sort(compare);
      if (down) rows.reverse();
      body.append(...rows);
    });
  }

  const holder = byId("payload");
  if (!holder) return;
  const data = JSON.parse(holder.textContent);
  const { n, m, k, palette } = data;

  // ---- Bits and what is known of each cell.
  function unpack(text) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes;
  }
  const bit = (bytes, i) => (bytes[i >> 3] >> (i & 7)) & 1;
  const ones = unpack(data.ones);
  const missing = data.missing ? unpack(data.missing) : null;
  const A = unpack(data.A);
  const B = unpack(data.B);
  const patternColumns = [];
  for (let u = 0; u < k; u++) {
    const list = [];
    for (let j = 0; j < m; j++) if (bit(B, u * m + j)) list.push(j);
    patternColumns.push(list);
  }
  const MISSING = 2, COVERED = 4;
  const kind = new Uint8Array(n * m);
  for (let i = 0; i < n; i++) {
    const base = i * m;
    for (let j = 0; j < m; j++) {
      kind[base + j] = missing && bit(missing, base + j) ? MISSING : bit(ones, base + j);
    }
    for (let u = 0; u < k; u++) {
      if (bit(A, i * k + u)) for (const j of patternColumns[u]) kind[base + j] |= COVERED;
    }
  }
  const covering = (i, j) => {
    const list = [];
    for (let u = 0; u < k; u++) if (bit(A, i * k + u) && bit(B, u * m + j)) list.push(u);
    return list;
  };

  // ---- What is shown: which view, in which order, and how far in.
  const state = {
    view: "data", order: "patterns", frames: true, chosen: -1, zoom: 1, left: 0, top: 0, cell: null,
  };
  const natural = (size) => Array.from({ length: size }, (_, i) => i);
  const orders = {
    patterns: { rows: data.rowOrder, columns: data.columnOrder },
    data: { rows: natural(n), columns: natural(m) },
  };
  const rowAt = (r) => orders[state.order].rows[r];
  const columnAt = (c) => orders[state.order].columns[c];

  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const word = (hex) => {
    const [red, green, blue] = rgb(hex);
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  };
  // Indexed by value (0, 1, MISSING) plus COVERED.
  const colours = {
    data: ["zero", "one", "missing", "", "zero", "one", "missing"],
    patterns: ["zero", "zero", "zero", "", "rightOne", "rightOne", "rightOne"],
    errors: ["zero", "missedOne", "missing", "", "falseOne", "rightOne", "missing"],
  };
  const legends = {
    data: [["one", "1"], ["zero", "0"], ["missing", "missing"]],
    patterns: [["rightOne", "covered by a pattern"], ["zero", "not covered"]],
    errors: [["missedOne", "one that no pattern covers"], ["falseOne", "zero that a pattern covers"],
      ["rightOne", "one explained"], ["missing", "missing"]],
  };

  // ---- Drawing. The matrix is kept as images of one pixel per cell, no larger than a browser allows.
  const canvas = byId("matrix"), stage = byId("stage"), tooltip = byId("tooltip");
  const context = canvas.getContext("2d");
  const TILE = 4096, LABEL = 10, LEGIBLE = 34, WIDEST = 52, HIGHEST = 26;
  let tiles = [];
  function paintTiles() {
    const shade = colours[state.view].map((name) => (name ? word(palette[name]) : 0));
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
          const base = rowAt(top + r) * m;
          for (let c = 0; c < width; c++) pixels[r * width + c] = shade[kind[base + columnAt(left + c)]];
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
    frames = [];
    for (let u = 0; u < k; u++) {
      const rows = runs(n, (r) => bit(A, rowAt(r) * k + u));
      const columns = runs(m, (c) => bit(B, u * m + columnAt(c)));
      frames.push({ rows, columns });
    }
  }

  // Names need room: a gutter appears on a side as soon as cells are high or wide enough for them.
  context.font = "12px sans-serif";
  const short = (text) => (text.length > LEGIBLE ? text.slice(0, LEGIBLE - 1) + "…" : text);
  function widest(names, most) {
    let width = 0;
    for (const name of names.slice(0, 3000)) width = Math.max(width, context.measureText(short(name)).width);
    return Math.min(most, Math.ceil(width) + 10);
  }
  let view = null;
  function layout() {
    const width = Math.max(200, stage.clientWidth);
    const rowGutter = widest(data.rows, width * 0.3), columnGutter = widest(data.columns, 150);
    const height = Math.round(Math.min(640, Math.max(180, n * 16 + columnGutter)));
    const narrow = (width / m) * state.zoom < LABEL;
    const fitY = Math.min(HIGHEST, (height - (narrow ? 0 : columnGutter)) / n);
    const fitX = Math.min(WIDEST, (width - (fitY * state.zoom >= LABEL ? rowGutter : 0)) / m);
    // Cells grow to a size that is good to see, each way on its own: near squares in the end.
    const sx = Math.min(WIDEST, fitX * state.zoom), sy = Math.min(HIGHEST, fitY * state.zoom);
    const x0 = sy >= LABEL ? rowGutter : 0, y0 = sx >= LABEL ? columnGutter : 0;
    const across = Math.min(m, (width - x0) / sx), down = Math.min(n, (height - y0) / sy);
    state.left = Math.min(Math.max(0, state.left), m - across);
    state.top = Math.min(Math.max(0, state.top), n - down);
    view = { width, height, sx, sy, x0, y0, across, down, most: Math.max(WIDEST / fitX, HIGHEST / fitY) };
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
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(x0, y0, across * sx, down * sy);
    context.clip();
    context.imageSmoothingEnabled = sx < 1 || sy < 1;
    for (const { tile, top, left } of tiles) {
      context.drawImage(tile, xOf(left), yOf(top), tile.width * sx, tile.height * sy);
    }
    if (state.frames) drawFrames();
    if (state.cell) {
      const [r, c] = state.cell;
      for (const [colour, across] of [["#ffffff", 4.5], ["#d500f9", 2.5]]) {
        context.lineWidth = across;
        context.strokeStyle = colour;
        context.strokeRect(xOf(c), yOf(r), Math.max(sx, 3), Math.max(sy, 3));
      }
    }
    context.restore();
    context.strokeStyle = "#90a4ae";
    context.lineWidth = 1;
    context.strokeRect(x0 + 0.5, y0 + 0.5, across * sx - 1, down * sy - 1);
    drawNames();
  }

  function drawFrames() {
    for (let u = 0; u < k; u++) {
      const { rows, columns } = frames[u];
      const chosen = state.chosen === u, pieces = rows.length * columns.length;
      // Frames must not hide what they frame: small pieces of a pattern get one when it is chosen,
      // and a pattern in thousands of pieces never.
      if (pieces > 20000) continue;
      const least = chosen || pieces <= 12 ? 0 : 7;
      context.globalAlpha = state.chosen < 0 || chosen ? 1 : 0.15;
      const width = pieces > 12 ? 1 : chosen ? 3.5 : 2;
      // A pale edge on both sides sets a frame off from the dark cells too.
      for (const [colour, across] of [["#ffffff", width + 2], [palette.patterns[u % palette.patterns.length], width]]) {
        context.lineWidth = across;
        context.strokeStyle = colour;
        for (const [top, bottom] of rows) {
          for (const [left, right] of columns) {
            const wide = (right - left) * view.sx, high = (bottom - top) * view.sy;
            if (Math.min(wide, high) < least) continue;
            context.strokeRect(xOf(left) + 1, yOf(top) + 1, Math.max(1, wide - 2), Math.max(1, high - 2));
          }
        }
      }
    }
    context.globalAlpha = 1;
  }

  function drawNames() {
    const { sx, sy, x0, y0, across, down } = view;
    context.fillStyle = "#1c2b33";
    context.font = "12px sans-serif";
    if (x0) {
      context.textAlign = "right";
      context.textBaseline = "middle";
      for (let r = Math.ceil(state.top - 0.4); r < Math.min(n, state.top + down - 0.4); r++) {
        context.fillText(short(data.rows[rowAt(r)]), x0 - 5, yOf(r) + sy / 2, x0 - 6);
      }
    }
    if (y0) {
      context.textAlign = "left";
      context.textBaseline = "middle";
      for (let c = Math.ceil(state.left - 0.4); c < Math.min(m, state.left + across - 0.4); c++) {
        context.save();
        context.translate(xOf(c) + sx / 2, y0 - 5);
        context.rotate(-Math.PI / 2);
        context.fillText(short(data.columns[columnAt(c)]), 0, 0, y0 - 8);
        context.restore();
      }
    }
  }

  let waiting = false;
  function refresh() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  // ---- What a cell means, in words.
  function describe(r, c) {
    const i = rowAt(r), j = columnAt(c), code = kind[i * m + j];
    const value = code & 3, covered = (code & COVERED) !== 0;
    const by = covering(i, j).map((u) => u + 1);
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
  function select(r, c, reveal) {
    state.cell = [r, c];
    const cell = describe(r, c);
    status.textContent = `Row ${cell.row}, column ${cell.column}: ${cell.value}. `
      + `Covered by ${cell.patterns}. ${cell.verdict[0].toUpperCase()}${cell.verdict.slice(1)}.`;
    if (reveal) {
      if (r < state.top) state.top = r;
      if (r + 1 > state.top + view.down) state.top = r + 1 - view.down;
      if (c < state.left) state.left = c;
      if (c + 1 > state.left + view.across) state.left = c + 1 - view.across;
    }
    refresh();
  }
  function cellAt(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left - canvas.clientLeft - view.x0;
    const y = event.clientY - box.top - canvas.clientTop - view.y0;
    if (x < 0 || y < 0) return null;
    const c = Math.floor(state.left + x / view.sx), r = Math.floor(state.top + y / view.sy);
    return r < n && c < m && x < view.across * view.sx && y < view.down * view.sy ? [r, c] : null;
  }

  // ---- Pointer, keyboard and controls.
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, left: state.left, top: state.top, moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag && event.buttons && state.zoom > 1) {
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
    if (drag && !drag.moved) point(event);
    drag = null;
  });
  canvas.addEventListener("pointercancel", () => { drag = null; });
  canvas.addEventListener("pointerleave", () => { tooltip.hidden = true; drag = null; });

  function zoom(factor, at) {
    state.zoom = Math.min(view.most, Math.max(1, state.zoom * factor));
    const [r, c] = at || (state.cell ? state.cell : [state.top + view.down / 2, state.left + view.across / 2]);
    const keepX = (c - state.left) / view.across, keepY = (r - state.top) / view.down;
    layout();
    state.left = c - keepX * view.across;
    state.top = r - keepY * view.down;
    // A finger scrolls the page over a matrix that is seen whole, and the matrix when it is not.
    canvas.style.touchAction = state.zoom > 1 ? "none" : "auto";
    refresh();
  }
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
  });

  function repaint() {
    paintTiles();
    const list = byId("matrix-legend");
    list.replaceChildren();
    for (const [name, label] of legends[state.view]) {
      if (name === "missing" && !missing) continue;
      const item = document.createElement("li"), box = document.createElement("span");
      box.className = "box";
      box.style.background = palette[name];
      item.append(box, label);
      list.append(item);
    }
    refresh();
  }
  for (const input of document.querySelectorAll("input[name=view]")) {
    input.addEventListener("change", () => { state.view = input.value; repaint(); });
  }
  for (const input of document.querySelectorAll("input[name=order]")) {
    input.addEventListener("change", () => {
      state.order = input.value;
      state.cell = null;
      findFrames();
      repaint();
    });
  }
  byId("frames").addEventListener("change", (event) => { state.frames = event.target.checked; refresh(); });
  byId("find").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const wanted = event.target.value.trim().toLowerCase();
    if (!wanted) return;
    const search = (order, names) => order.findIndex((i) => names[i].toLowerCase().includes(wanted));
    const r = search(orders[state.order].rows, data.rows), c = search(orders[state.order].columns, data.columns);
    if (r < 0 && c < 0) { status.textContent = `No row or column has “${event.target.value}” in its name.`; return; }
    const now = state.cell || [0, 0];
    select(r < 0 ? now[0] : r, c < 0 ? now[1] : c, true);
  });
  for (const button of document.querySelectorAll("button.pattern")) {
    button.addEventListener("click", () => {
      const u = Number(button.dataset.pattern);
      state.chosen = state.chosen === u ? -1 : u;
      for (const other of document.querySelectorAll("button.pattern")) {
        const on = Number(other.dataset.pattern) === state.chosen;
        other.setAttribute("aria-pressed", String(on));
        other.closest("tr").classList.toggle("chosen", on);
      }
      refresh();
    });
  }
  // Lists of row names can be long, so each is made when it is first opened.
  for (const details of document.querySelectorAll("details[data-pattern]")) {
    details.addEventListener("toggle", () => {
      const target = details.querySelector("p");
      if (!details.open || target.textContent) return;
      const u = Number(details.dataset.pattern), names = [];
      for (let i = 0; i < n; i++) if (bit(A, i * k + u)) names.push(data.rows[i]);
      target.textContent = names.join(", ");
    });
  }

  findFrames();
  repaint();
  window.addEventListener("resize", refresh);
  window.addEventListener("beforeprint", () => { tooltip.hidden = true; draw(); });
}());
