/** A row of cells; a null is shown as a dash. */
export type Row = readonly (string | number | null)[];

/** Lays out rows under headings: columns two spaces apart, numbers aligned to the right. */
export function table(headings: readonly string[], rows: readonly Row[]): string {
  const cells = rows.map((row) => row.map((cell) => cell === null ? "-" : clean(String(cell))));
  const widths = headings.map((heading, column) =>
    // One by one: there may be more rows than a call has arguments.
    cells.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), heading.length)
  );
  const isNumeric = headings.map((_, column) =>
    cells.length > 0 && cells.every((row) => /^(-?[0-9][0-9.]*|-)$/.test(row[column] ?? ""))
  );
  const line = (row: readonly string[]) =>
    row.map((cell, column) =>
      isNumeric[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
    ).join("  ").trimEnd();
  return `${[line(headings), ...cells.map(line)].join("\n")}\n`;
}

/** Lays out names and values, one pair per line. */
export function list(entries: readonly (readonly [string, string | number | null])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) =>
    `${name.padEnd(width)}  ${value === null ? "-" : clean(String(value))}\n`
  ).join("");
}

/** Replaces control characters, so that no partner's or operator's text controls the terminal. */
function clean(text: string): string {
  return Array.from(text, (c) => (c < " " || (c >= "\x7f" && c <= "\x9f")) ? "\ufffd" : c).join("");
}
