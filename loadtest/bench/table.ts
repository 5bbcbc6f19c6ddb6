import type { Ratio } from "./ratio.ts";

/** Formats ratios as a table, one per line. */
export function table(ratios: readonly Ratio[]): string {
  const rows = ratios.map((ratio) => [
    ratio.name,
    figure(ratio.median),
    figure(ratio.min),
    figure(ratio.max),
    figure(ratio.goal),
    ratio.met ? "met" : "MISSED",
  ]);
  return columns([["", "median", "min", "max", "goal", ""], ...rows]);
}

/** Aligns columns: the first to the left, the others to the right. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
    ).join("  ").trimEnd()
  ).join("\n") + "\n";
}

/** Formats a ratio with three significant digits. */
function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
