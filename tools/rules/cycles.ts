import { posix } from "node:path";
import { readImports } from "./read_imports.ts";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** The nodes that each node points to. */
type Graph = Map<string, Set<string>>;

/**
 * Finds a circle of imports between packages, folders or files. A folder stands for all that is below
 * it: what a file imports from another folder, the folders side by side above the two import from one
 * another. `tools` and `test` use each other's folders, so only what is inside of those is looked at.
 */
export function checkCycles(sources: readonly SourceFile[]): Violation[] {
  const graph: Graph = new Map();
  for (const { path, text } of sources) {
    for (const { specifier } of readImports(text)) {
      const target = specifier.startsWith(".")
        ? posix.join(posix.dirname(path), specifier)
        : specifier.replace("@sabika/", "packages/");
      const [from, to] = sideBySide(path, target);
      if (from !== to && from.includes("/")) {
        graph.set(from, (graph.get(from) ?? new Set()).add(to));
      }
    }
  }
  const cycle = findCycle(graph);
  if (cycle === undefined) return [];
  return [{ path: cycle[0]!, line: 1, message: `imports in a circle: ${cycle.join(" → ")}` }];
}

/** A circle of the graph as the names on its way (first = last), or undefined when there is none. */
function findCycle(graph: Graph): string[] | undefined {
  const next = (node: string) => [...graph.get(node)!].find((target) => graph.has(target));
  // Nodes that lead nowhere are on no circle; without them every way ends in one.
  for (let before = -1; before !== graph.size;) {
    before = graph.size;
    for (const node of graph.keys()) if (next(node) === undefined) graph.delete(node);
  }
  const [first] = graph.keys();
  if (first === undefined) return undefined;
  const way = [first];
  for (;;) {
    const node = next(way.at(-1)!)!;
    way.push(node);
    const start = way.indexOf(node);
    if (start < way.length - 1) return way.slice(start);
  }
}

/** `a/b/c/x.ts` and `a/d/y.ts` → `a/b` and `a/d`; a file beside the other's folder stands for itself. */
function sideBySide(path: string, target: string): [string, string] {
  const [from, to] = [path.split("/"), target.split("/")];
  const end = 1 + from.findIndex((part, index) => part !== to[index]);
  return [from.slice(0, end).join("/"), to.slice(0, end).join("/")];
}
