// ---- The data of the page, unpacked, and what is known of each cell.
const holder = byId("payload");
if (!holder) return; // The matrix is too large to be drawn: nothing below has work to do.
const data = JSON.parse(holder.textContent);
const { n, m, k } = data;

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
const hasRow = (u, i) => bit(A, i * k + u);
const hasColumn = (u, j) => bit(B, u * m + j);
const count = (size) => Array.from({ length: size }, (_, i) => i);
const patternRows = (u) => count(n).filter((i) => hasRow(u, i));
const patternColumns = count(k).map((u) => count(m).filter((j) => hasColumn(u, j)));

const MISSING = 2, COVERED = 4;
const kind = new Uint8Array(n * m);
for (let i = 0; i < n; i++) {
  const base = i * m;
  for (let j = 0; j < m; j++) {
    kind[base + j] = missing && bit(missing, base + j) ? MISSING : bit(ones, base + j);
  }
  for (let u = 0; u < k; u++) {
    if (hasRow(u, i)) for (const j of patternColumns[u]) kind[base + j] |= COVERED;
  }
}
const covering = (i, j) => count(k).filter((u) => hasRow(u, i) && hasColumn(u, j));
const isMissed = (code) => code === 1;
const isFalse = (code) => code === COVERED;

// A line is a row or a column; its members lie across it.
const sides = {
  row: { names: data.rows, across: data.columns, has: hasRow, code: (i, j) => kind[i * m + j] },
  column: { names: data.columns, across: data.rows, has: hasColumn, code: (j, i) => kind[i * m + j] },
};
const linePatterns = (side, index) => count(k).filter((u) => sides[side].has(u, index));
function lineErrors(side, index) {
  const found = { missed: [], falseOnes: [], filled: [], ones: 0 };
  for (let other = 0; other < sides[side].across.length; other++) {
    const code = sides[side].code(index, other);
    if ((code & 3) === 1) found.ones++;
    if (isMissed(code)) found.missed.push(other);
    else if (isFalse(code)) found.falseOnes.push(other);
    else if (code === (MISSING | COVERED)) found.filled.push(other);
  }
  return found;
}

const several = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
const patternTitle = (u) => (data.patternNames ? `${u + 1} ${data.patternNames[u]}` : String(u + 1));
const patternName = (u) => (data.patternNames ? data.patternNames[u] : `pattern ${u + 1}`);

// ---- What is shown: which view, in which order, which patterns and line, and how far in.
const state = {
  view: "data", order: "patterns", frames: true, chosen: new Set(), line: null, cell: null,
  zoomX: 1, zoomY: 1, left: 0, top: 0,
};
const orders = {
  patterns: { rows: data.rowOrder, columns: data.columnOrder },
  data: { rows: count(n), columns: count(m) },
};
const rowAt = (r) => orders[state.order].rows[r];
const columnAt = (c) => orders[state.order].columns[c];
const MOST_FRAMED = 10;
const isFramed = (u) => state.frames && (state.chosen.has(u) || k <= MOST_FRAMED);
