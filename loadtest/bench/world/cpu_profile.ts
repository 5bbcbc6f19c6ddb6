/** What of `node --cpu-prof` is read here; times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  /** By the monotonic clock, as `process.hrtime` has it. */
  readonly startTime: number;
  /** The node that ran at each sample, and the time since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/**
 * What a function belongs to, by where it stands; the first that fits. Where none does it is its caller's,
 * which is how a native function, a socket or a stream is counted to what uses it.
 */
const GROUPS: readonly (readonly [place: RegExp, group: string])[] = [
  [/^node:internal\/crypto/, "starting crypto jobs"],
  [/node_modules\/postgres\//, "the database's connections"],
  [/^node:_http_(outgoing|server)/, "HTTP: writing answers"],
  [/^node:(_http_|internal\/http)/, "HTTP: reading requests"],
  [/node_modules\/(@hono|hono)\//, "Hono"],
  [/packages\/(canonical|jws|protocol)\//, "our code: signed requests, JSON"],
  [/packages\/server\//, "our code: doors, routes, answers"],
  [/packages\/(database|identity|network|service|terms)\//, "our code: batches"],
];

const SPECIAL = new Map([
  ["(garbage collector)", "collecting garbage"],
  ["(program)", "Node itself, outside of JavaScript"],
  ["(idle)", "idle"],
]);

/**
 * Adds up who had the thread: microseconds by group, the largest first.
 *
 * @param fromUs the first moment that counts, by the monotonic clock
 * @param toUs the moment after the last
 */
export function groupTimes(profile: CpuProfile, fromUs: number, toUs: number): [string, number][] {
  const groups = groupNodes(profile);
  const times = new Map<string, number>();
  let atUs = profile.startTime;
  profile.samples.forEach((id, index) => {
    atUs += profile.timeDeltas[index]!;
    if (atUs < fromUs || atUs >= toUs) return;
    // A sample has the thread until the next one.
    const lasts = Math.max(0, profile.timeDeltas[index + 1] ?? 0);
    const group = groups.get(id)!;
    times.set(group, (times.get(group) ?? 0) + lasts);
  });
  return [...times].sort(([, first], [, second]) => second - first);
}

function groupNodes({ nodes }: CpuProfile): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const groups = new Map<number, string>();
  const visit = (id: number, above: string) => {
    const { callFrame: { functionName, url }, children = [] } = byId.get(id)!;
    const group = SPECIAL.get(functionName) ??
      GROUPS.find(([place]) => place.test(url))?.[1] ?? above;
    groups.set(id, group);
    for (const child of children) visit(child, group);
  };
  const [root] = nodes;
  if (root !== undefined) visit(root.id, "everything else");
  return groups;
}
