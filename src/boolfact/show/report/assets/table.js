// ---- The table of patterns: sorting works without the matrix too.
const byId = (id) => document.getElementById(id);
const table = byId("pattern-table");
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
    const rows = Array.from(table.tBodies[0].rows).sort(compare);
    if (down) rows.reverse();
    table.tBodies[0].append(...rows);
  });
}
