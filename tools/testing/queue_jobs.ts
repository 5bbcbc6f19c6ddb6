import type { Job } from "./matrix.ts";

/**
 * Hands out jobs in their order, except that those for k6 come as soon as it is there.
 *
 * @param k6 resolves when k6 is there, or cannot be had
 */
export function queueJobs(
  jobs: readonly Job[],
  k6: Promise<unknown>,
): { next(): Promise<Job | undefined> } {
  const left = [...jobs];
  let isDecided = false;
  const decided = k6.then(() => void (isDecided = true));
  return {
    /** Undefined when all have been handed out. */
    async next() {
      while (left.length > 0) {
        const at = left.findIndex((job) => isDecided || !isForK6(job));
        if (at !== -1) return left.splice(at, 1)[0];
        await decided;
      }
    },
  };
}

const isForK6 = ({ files }: Job) => files.some(({ kind }) => kind === "k6");
