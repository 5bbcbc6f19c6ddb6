import { posix } from "node:path";
import { readImports } from "./read_imports.ts";
import type { SourceFile } from "./repository_files.ts";
import type { Violation } from "./violation.ts";

/** A graph by name: the nodes that each node points to. */
export type Graph = Map<string, Set<string>>;

/** One cycle of the graph as the names on its way (first = last), or undefined when there is none. */
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

/** No file, and within a room no folder, may come back to itself over others. */
export function checkCycles(sources: readonly SourceFile[]): Violation[] {
  const files: Graph = new Map();
  const folders: Graph = new Map();
  for (const { path, text } of sources) {
    for (const { specifier } of readImports(text)) {
      if (!specifier.startsWith(".")) continue;
      const target = posix.join(posix.dirname(path), specifier);
      point(files, path, target);
      const [from, to] = [posix.dirname(path), posix.dirname(target)];
      if (areApart(from, to)) point(folders, from, to);
    }
  }
  return [findCycle(files), findCycle(folders)].filter((cycle) => cycle !== undefined)
    .map((cycle) => ({
      path: cycle[0]!,
      line: 1,
      message: `imports in a circle: ${cycle.join(" → ")}`,
    }));
}

/**
 * Whether the folders lie beside one another. The few files above a folder put it together or hold what
 * all below share (a mod.ts, an app.ts, a type): between them and it the circle of files is what counts.
 */
function areApart(one: string, other: string): boolean {
  return !`${one}/`.startsWith(`${other}/`) && !`${other}/`.startsWith(`${one}/`);
}

function point(graph: Graph, from: string, to: string): void {
  graph.set(from, (graph.get(from) ?? new Set()).add(to));
}
