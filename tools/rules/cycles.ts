/** A graph by name: whom each node points to. */
export type Graph = Map<string, Set<string>>;

/** One cycle of the graph as the names on its way (first = last), or undefined when there is none. */
export function findCycle(graph: Graph): string[] | undefined {
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
