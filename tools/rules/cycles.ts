import { posix } from "node:path";
import { readImports } from "./read_imports.ts";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** The nodes that each node points to. */
type Graph = Map<string, Set<string>>;

/**
 * Finds a cycle of imports between packages, folders or files. A folder stands for all that is below it:
 * an import between two files counts as one between the sibling folders that contain them. `tools` and
 * `test` import from each other, so only cycles within each of them count.
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

/** Returns the names along a cycle (first = last); undefined if there is none. */
function findCycle(graph: Graph): string[] | undefined {
  const next = (node: string) => [...graph.get(node)!].find((target) => graph.has(target));
  // Nodes without edges are on no cycle. Once they are removed, every path leads into a cycle.
  for (let before = -1; before !== graph.size;) {
    before = graph.size;
    for (const node of graph.keys()) if (next(node) === undefined) graph.delete(node);
  }
  const [first] = graph.keys();
  if (first === undefined) return undefined;
  const path = [first];
  for (;;) {
    const node = next(path.at(-1)!)!;
    path.push(node);
    const start = path.indexOf(node);
    if (start < path.length - 1) return path.slice(start);
  }
}

/** `a/b/c/x.ts` and `a/d/y.ts` → `a/b` and `a/d`; a file beside the other's folder stands for itself. */
function sideBySide(path: string, target: string): [string, string] {
  const [from, to] = [path.split("/"), target.split("/")];
  const end = 1 + from.findIndex((part, index) => part !== to[index]);
  return [from.slice(0, end).join("/"), to.slice(0, end).join("/")];
}
