import { posix } from "node:path";
import { readImports } from "./read_imports.ts";
import type { SourceFile } from "./repository_files.ts";
import { roomOf } from "./rooms.ts";
import type { Violation } from "./violation.ts";

/** The nodes that each node points to. */
type Graph = Map<string, Set<string>>;

/** A circle of the graph as the names on its way (first = last), or undefined when there is none. */
function findCycle(graph: Graph): string[] | undefined {
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (node: string): string[] | undefined => {
    const at = way.indexOf(node);
    if (at >= 0) return [...way.slice(at), node];
    if (done.has(node)) return undefined;
    way.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle !== undefined) return cycle;
    }
    way.pop();
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/**
 * Finds a circle of imports between files, and within a room between folders. A folder stands for all
 * that is below it: what a file imports from another folder, the folders side by side above the two
 * import from one another.
 */
export function checkCycles(sources: readonly SourceFile[]): Violation[] {
  const files: Graph = new Map();
  const folders: Graph = new Map();
  for (const { path, text } of sources) {
    for (const { specifier } of readImports(text)) {
      if (!specifier.startsWith(".")) continue;
      const target = posix.join(posix.dirname(path), specifier);
      point(files, path, target);
      if (roomOf(path) === roomOf(target)) point(folders, ...sideBySide(path, target));
    }
  }
  return [findCycle(files), findCycle(folders)].filter((cycle) => cycle !== undefined)
    .map((cycle) => ({
      path: cycle[0]!,
      line: 1,
      message: `imports in a circle: ${cycle.join(" → ")}`,
    }));
}

/** `a/b/c/x.ts` and `a/d/y.ts` → `a/b` and `a/d`; a file beside the other's folder stands for itself. */
function sideBySide(path: string, target: string): [string, string] {
  const [from, to] = [path.split("/"), target.split("/")];
  const end = 1 + from.findIndex((part, index) => part !== to[index]);
  return [from.slice(0, end).join("/"), to.slice(0, end).join("/")];
}

function point(graph: Graph, from: string, to: string): void {
  graph.set(from, (graph.get(from) ?? new Set()).add(to));
}
