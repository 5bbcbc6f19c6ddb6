import type { TestFile } from "./list_tests.ts";
import type { Combination, Job } from "./matrix.ts";

type Run = Readonly<{ file: TestFile; on: Combination }>;

/** What needs most first, so that no long process is left for the end. */
const WEIGHT = { fault: 0, k6: 1, envoy: 2, postgresql: 3, database: 3, plain: 5 };
/** What starts whole programs. */
const WEIGHT_ALONE = 2;
/** How many files with a database share a process: they run one after the other, and are long. */
const TOGETHER_WITH_DATABASE = 6;

/**
 * The processes of a run, in the order in which to start them. Plain files share one, up to `together`
 * of them: starting a runtime and loading the product costs more than most of them need themselves. On
 * Node so do those with a PostgreSQL; on Deno they would share nothing, as each has its own modules there.
 * Neighbours are dealt out to different processes, as the long ones stand in the same folders.
 */
export function planJobs(runs: readonly Run[], together: number): Job[] {
  const jobs: Job[] = [];
  const sharing = new Map<string, Run[]>();
  for (const run of runs) {
    const name = sharedBy(run);
    if (name === undefined) jobs.push({ files: [run.file], on: run.on });
    else sharing.set(name, [...sharing.get(name) ?? [], run]);
  }
  for (const group of sharing.values()) {
    const { file, on } = group[0]!;
    const most = file.kind === "plain" ? together : Math.min(together, TOGETHER_WITH_DATABASE);
    const processes = Math.ceil(group.length / most);
    for (let process = 0; process < processes; process++) {
      const own = group.filter((_, index) => index % processes === process);
      jobs.push({ files: own.map((run) => run.file), on });
    }
  }
  return jobs.sort((a, b) => weightOf(a) - weightOf(b) || b.files.length - a.files.length);
}

/** The runs of one name may share processes; undefined: each has its own. */
function sharedBy({ file, on }: Run): string | undefined {
  if (file.alone) return undefined;
  if (file.kind === "plain") return on.runtime;
  const hasServer = (file.kind === "database" || file.kind === "postgresql") &&
    on.database === "PostgreSQL";
  return hasServer && on.runtime === "Node" ? "Node with PostgreSQL" : undefined;
}

function weightOf({ files: [file] }: Job): number {
  return file!.alone ? Math.min(WEIGHT_ALONE, WEIGHT[file!.kind]) : WEIGHT[file!.kind];
}
