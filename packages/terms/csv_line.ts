/** A cell of a CSV file; null for an empty cell. */
export type Cell = string | number | null;

/** The beginnings of a formula in a spreadsheet, which a partner's text must not become. */
const FORMULA = /^[=+\-@\t\r]/;

/** Writes a line of CSV (RFC 4180). Texts that a spreadsheet would calculate get an apostrophe in front. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}

function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
