import { describeError, type Log } from "./logging/log.ts";

/** A job that runs periodically while the service runs. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** @param isEnded whether the jobs were stopped, so that a long one ends early; never by default */
  readonly run: (isEnded?: () => boolean) => Promise<unknown>;
}

/** Returns what logs that a job failed, for `startJobs`. */
export function jobFailed(log: Log): (name: string, error: unknown) => void {
  return (name, error) => log("error", "job_failed", { name, error: describeError(error) });
}

/**
 * Runs each job now, and again after each pause, never twice at the same time.
 *
 * @returns a function that stops the jobs and waits for those in progress
 */
export function startJobs(
  jobs: readonly Job[],
  onError: (name: string, error: unknown) => void,
): () => Promise<void> {
  const timers = new Map<Job, ReturnType<typeof setTimeout>>();
  const running = new Map<Job, Promise<void>>();
  let ended = false;

  async function turn(job: Job): Promise<void> {
    try {
      await job.run(() => ended);
    } catch (error) {
      if (!ended) onError(job.name, error);
    }
    running.delete(job);
    if (!ended) timers.set(job, setTimeout(begin, job.everyMs, job));
  }
  function begin(job: Job): void {
    running.set(job, turn(job));
  }
  for (const job of jobs) begin(job);

  return async () => {
    ended = true;
    for (const timer of timers.values()) clearTimeout(timer);
    await Promise.all(running.values());
  };
}
