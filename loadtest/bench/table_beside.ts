import { figure } from "./chart.ts";
import type { Ratio } from "./ratio.ts";

/** What `--json` writes. */
export interface Result {
  commit: string;
  /** The machine in one line, with its runtime. */
  machine: string;
  /** Such as `Node 24.8.0`. */
  runtime: string;
  ratios: readonly Ratio[];
}

/**
 * Several results as one Markdown table: a row a ratio, a column a result, each with median, smallest and
 * largest; a goal that was missed in bold.
 *
 * @param results at least one
 */
export function tableBeside(results: readonly Result[]): string {
  const commits = new Set(results.map(({ commit }) => commit));
  const heads = results.map(({ runtime, commit }) =>
    commits.size === 1 ? runtime : `${runtime}, ${commit}`
  );
  const names = [...new Set(results.flatMap(({ ratios }) => ratios.map(({ name }) => name)))];
  const rows = names.map((name) => {
    const found = results.map(({ ratios }) => ratios.find((ratio) => ratio.name === name));
    const goal = found.find((ratio) => ratio !== undefined)!.goal;
    return [name, ...found.map(cell), figure(goal)];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    `Commit ${[...commits].join(", ")} on ${
      [...new Set(results.map(({ machine }) => machine))].join("; ")
    }.`,
    "",
    line(["ratio", ...heads, "goal"]),
    line(["ratio", ...heads, "goal"].map(() => "---")),
    ...rows.map(line),
    "",
  ].join("\n");
}

function cell(ratio: Ratio | undefined): string {
  if (ratio === undefined) return "";
  const { median, min, max, met } = ratio;
  const spread = min === max ? "" : ` (${figure(min)}–${figure(max)})`;
  return met ? `${figure(median)}${spread}` : `**${figure(median)}**${spread}`;
}
