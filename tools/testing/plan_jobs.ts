import type { TestFile } from "./list_tests.ts";
import type { Combination, Job } from "./matrix.ts";

/** What needs most first, so that no long file is left for the end. */
const WEIGHT = { fault: 0, k6: 1, envoy: 2, postgresql: 3, database: 4, plain: 5 };

/**
 * The processes of a run, in the order in which to start them. Plain files share one, up to `together`
 * of them: starting a runtime and loading the product costs more than most of them need themselves.
 * Neighbours are dealt out to different processes, as the long ones stand in the same folders.
 */
export function planJobs(
  runs: readonly { file: TestFile; on: Combination }[],
  together: number,
): Job[] {
  const jobs: Job[] = [];
  const plain = new Map<Combination["runtime"], TestFile[]>();
  for (const { file, on } of runs) {
    if (file.kind !== "plain" || file.alone) jobs.push({ files: [file], on });
    else plain.set(on.runtime, [...plain.get(on.runtime) ?? [], file]);
  }
  for (const [runtime, files] of plain) {
    const groups = Math.ceil(files.length / together);
    for (let group = 0; group < groups; group++) {
      const own = files.filter((_, index) => index % groups === group);
      jobs.push({ files: own, on: { runtime } });
    }
  }
  return jobs.sort((a, b) => WEIGHT[a.files[0]!.kind] - WEIGHT[b.files[0]!.kind]);
}
