import { parseArgs } from "node:util";
import { verifyVersions, type VersionsFault } from "@sabika/protocol";
import { readTextFile } from "./files.ts";
import { bad, good, type Io, row, UsageError } from "./io.ts";

/** What `--help` says of `sabika-client verify versions`. */
export const VERIFY_VERSIONS_HELP =
  `With "versions" it checks that versions of the pool, oldest first as you have kept them, follow each other.

  --json              one line of JSON: ok, at (the index of the first file that does not hold), faults`;

const SAYS: Readonly<Record<VersionsFault, string>> = {
  malformed: "this is no version of a pool",
  other_pool: "they are of several pools",
  number_missing: "their numbers do not follow each other",
  other_previous: "the version before has another hash than the next one says",
  other_hash: "a version has another hash than was kept",
  other_change: "the bars changed otherwise than the version says",
  less_fine: "bars were replaced by less fine gold",
};

/** `sabika-client verify versions FILE…`: prints what does not hold, and returns the exit code. */
export async function verifyVersionFiles(args: string[], io: Io): Promise<number> {
  const { values: { json }, positionals: files } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  if (files.length === 0) throw new UsageError("the versions' files are needed");
  const texts = await Promise.all(files.map(readTextFile));
  const { ok, faults, at } = await verifyVersions({ texts });
  if (json) io.print(JSON.stringify({ ok, at: at ?? null, faults }));
  else {
    for (const fault of faults) io.print(`${bad(io, fault)}: ${SAYS[fault]}`);
    if (at !== undefined) io.print(row("first in", files[at]!));
    if (ok) io.print(`${good(io, "genuine")}: ${files.length} versions follow each other`);
  }
  return ok ? 0 : 1;
}
