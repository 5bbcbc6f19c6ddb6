import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { readRevocations, REVOCATIONS_ENDING } from "@sabika/identity/revocations";
import type { KeyService } from "@sabika/identity/secrets";
import type { PushedRevocations } from "@sabika/service/partners";
import { describeError, type Log } from "./logging/log.ts";
import type { Job } from "./jobs.ts";

/** Looked at by time, since a shared folder reports no changes. */
const LOOK_EVERY_MS = 300;
/** A file that could not be verified is tried again: the key service may have been away. */
const AGAIN_AFTER_MS = 10_000;
const FILE_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Makes the job that reads the signed files of a folder when they are new or have changed, and takes over what they
 * revoke (Decision D116). A file that goes away ends no revocation.
 */
export function revocationsWatch(
  { folder, keys, pushed, monotonic, log }: {
    readonly folder: string;
    readonly keys: Pick<KeyService, "open">;
    readonly pushed: Pick<PushedRevocations, "take">;
    /** Milliseconds of a monotonic clock. */
    readonly monotonic: () => number;
    readonly log: Log;
  },
): Job {
  const known = new Map<string, { readonly version: string; readonly untilMs: number }>();

  async function look(name: string): Promise<void> {
    const path = join(folder, name);
    const { mtimeMs, size, ino } = await stat(path);
    const version = `${mtimeMs} ${size} ${ino}`;
    const last = known.get(name);
    if (last?.version === version && monotonic() < last.untilMs) return;
    try {
      if (size > FILE_MAX_BYTES) throw new Error("the file is too large");
      const revocations = await readRevocations(keys, await readFile(path, "utf8"));
      known.set(name, { version, untilMs: Infinity });
      pushed.take(name, revocations);
      const { by, certificates, suspended } = revocations;
      const count = certificates.length + suspended.length;
      log("info", "revocations_read", { name, count, reason: `says ${by}` });
    } catch (error) {
      known.set(name, { version, untilMs: monotonic() + AGAIN_AFTER_MS });
      log("error", "revocations_refused", { name, error: describeError(error) });
    }
  }

  return {
    name: "revocations",
    everyMs: LOOK_EVERY_MS,
    async run() {
      const names = await readdir(folder);
      await Promise.all(names.filter((name) => name.endsWith(REVOCATIONS_ENDING)).map(look));
    },
  };
}
