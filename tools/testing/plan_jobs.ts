import type { Job, Leg } from "./legs.ts";
import type { TestFile } from "./list_tests.ts";

/** What needs most first, so that no long file is left for the end. */
const WEIGHT = { fault: 0, k6: 1, envoy: 2, postgresql: 3, database: 4, plain: 5 };

/**
 * The processes of a run, in the order in which to start them. Plain files share one, up to `together`
 * of them: starting a runtime and loading the product costs more than most of them need themselves.
 * Neighbours are dealt out to different processes, as the long ones stand in the same folders.
 */
export function planJobs(
  runs: readonly { file: TestFile; leg: Leg }[],
  together: number,
): Job[] {
  const jobs: Job[] = [];
  const plain = new Map<Leg["runtime"], TestFile[]>();
  for (const { file, leg } of runs) {
    if (file.kind !== "plain" || file.alone) jobs.push({ files: [file], leg });
    else plain.set(leg.runtime, [...plain.get(leg.runtime) ?? [], file]);
  }
  for (const [runtime, files] of plain) {
    const groups = Math.ceil(files.length / together);
    for (let group = 0; group < groups; group++) {
      const own = files.filter((_, index) => index % groups === group);
      jobs.push({ files: own, leg: { runtime } });
    }
  }
  return jobs.sort((a, b) => WEIGHT[a.files[0]!.kind] - WEIGHT[b.files[0]!.kind]);
}
