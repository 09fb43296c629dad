// ---- Patterns, codes and errors as CSV files, made here: nothing leaves the page.
function csv(lines) {
  const quoted = (value) => (/[",\r\n]|^\s|\s$/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
  // The mark at the beginning tells spreadsheets that this is UTF-8.
  return "\ufeff" + lines.map((line) => line.map(quoted).join(",") + "\r\n").join("");
}
const files = {
  patterns() {
    const lines = count(k).map((u) => {
      const rows = patternRows(u), columns = patternColumns[u];
      return [patternName(u), rows.length, columns.length, ...data.figures[u].map((figure) => figure ?? ""),
        columns.map((j) => data.columns[j]).join("; "), rows.map((i) => data.rows[i]).join("; ")];
    });
    return [["pattern", "rows", "columns", "ones", "zeros", "gain", "precision", "recall", "column names", "row names"], ...lines];
  },
  codes() {
    const lines = count(n).map((i) => [data.rows[i], ...count(k).map((u) => hasRow(u, i))]);
    return [["row", ...count(k).map(patternName)], ...lines];
  },
  errors() {
    const lines = [["row", "column", "data", "patterns say", "error", "covered by"]];
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < m; j++) {
        const code = kind[i * m + j];
        if (isMissed(code)) lines.push([data.rows[i], data.columns[j], 1, 0, "missed one", ""]);
        if (isFalse(code)) lines.push([data.rows[i], data.columns[j], 0, 1, "covered zero", covering(i, j).map(patternName).join("; ")]);
      }
    }
    return lines;
  },
};
for (const button of document.querySelectorAll("button[data-file]")) {
  button.addEventListener("click", () => {
    const file = new Blob([csv(files[button.dataset.file]())], { type: "text/csv;charset=utf-8" });
    const link = make("a", { href: URL.createObjectURL(file), download: `${data.stem}-${button.dataset.file}.csv` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}
