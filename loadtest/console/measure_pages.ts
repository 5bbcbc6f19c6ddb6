import process from "node:process";
import { processTime } from "../bench/world/cpu_time.ts";
import { percentile } from "../bench/statistics.ts";
import type { Addresses } from "./console_addresses.ts";

/** How long a page took, over all requests for it. */
export interface PageTime {
  readonly name: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Processor time of a request, which neighbours on the machine hardly change: of this process, of the database. */
  readonly consoleMs: number;
  readonly sessionMs: number;
}

/**
 * Requests each page one after the other, and its next page by turns where it has one.
 *
 * @param read answers a path of the console with its HTML, and throws if there is none
 * @param sessions the processes of the console's connections to the database
 */
export async function measurePages(
  pages: readonly Addresses[],
  { read, sessions, times }: {
    read: (path: string) => Promise<string>;
    sessions: () => Promise<readonly number[]>;
    /** How often each is requested. */
    times: number;
  },
): Promise<PageTime[]> {
  const measured: PageTime[] = [];
  for (const { name, paths } of pages) {
    const all = await withNext(paths, read);
    const pids = await sessions();
    const sessionTime = () => pids.reduce((sum, pid) => sum + processTime(pid), 0);
    const before = sessionTime();
    const usage = process.cpuUsage();
    const tookMs: number[] = [];
    for (let n = 0; n < times; n++) {
      const startMs = performance.now();
      await read(all[n % all.length]!);
      tookMs.push(performance.now() - startMs);
    }
    const { user, system } = process.cpuUsage(usage);
    measured.push({
      name,
      p50Ms: percentile(tookMs, 0.5),
      p95Ms: percentile(tookMs, 0.95),
      consoleMs: (user + system) / 1000 / times,
      sessionMs: (sessionTime() - before) / 1000 / times,
    });
  }
  return measured.sort((a, b) => b.p95Ms - a.p95Ms);
}

/** Reads each page once, and returns their paths and those of the next pages. */
async function withNext(
  paths: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<string[]> {
  const all: string[] = [];
  for (const path of paths) {
    const html = await read(path);
    const [, next] = /<a rel="next" href="\/en([^"]+)"/.exec(html) ?? [];
    all.push(path, ...next === undefined ? [] : [next.replaceAll("&amp;", "&")]);
  }
  return all;
}
