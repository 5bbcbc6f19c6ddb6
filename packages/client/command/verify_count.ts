import { parseArgs } from "node:util";
import {
  ATTESTATION_KEYS,
  type CountFault,
  parseJson,
  type PoolCount,
  verifyCount,
} from "@sabika/protocol";
import { readFileAs, readFileIf } from "./files.ts";
import { bad, good, type Io, row, UsageError } from "./io.ts";

/** What `--help` says of `sabika-client verify count`. */
export const VERIFY_COUNT_HELP =
  `With "count" it checks an inspector's signature under a count of the pool's bars.

  --keys FILE         the published keys, /.well-known/sabika-attestation-keys.json
  --count FILE        the count that it has to be of
  --json              one line of JSON: ok, holder, counted_at, faults`;

const SAYS: Readonly<Record<CountFault, string>> = {
  malformed: "this is no signature under a count",
  wrong_algorithm: "it is not signed with ES256",
  unknown_key: "no published key signed it",
  altered: "it was changed after it was signed",
  other_role: "the key is not an inspector's",
  key_ended: "the key had ended when the bars were counted",
  other_count: "it is of another count",
};

/** `sabika-client verify count FILE`: prints what does not hold, and returns the exit code. */
export async function verifyCountFile(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      keys: { type: "string" },
      count: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [file] = positionals;
  if (file === undefined) throw new UsageError("the signature's file is needed");
  if (values.keys === undefined) throw new UsageError("the published keys are needed: --keys FILE");
  const asIs = (text: string) => text.trim();
  const { count, key, faults } = await verifyCount({
    jws: await readFileAs(file, asIs),
    keys: await readFileAs(values.keys, (text) => ATTESTATION_KEYS.read(parseJson(text))),
    text: await readFileIf(values.count, asIs),
  });
  const ok = faults.length === 0;
  const countedAt = count === null ? null : new Date(count.countedAtMs).toISOString();
  if (values.json) {
    const holder = key?.holder ?? null;
    io.print(JSON.stringify({ ok, holder, counted_at: countedAt, faults }));
    return ok ? 0 : 1;
  }
  for (const fault of faults) io.print(`${bad(io, fault)}: ${SAYS[fault]}`);
  if (ok) io.print(`${good(io, "genuine")}: ${countedAt}`);
  if (key !== null) io.print(row("signed by", key.holder));
  for (const [label, text] of count === null ? [] : saysOfCount(count)) io.print(row(label, text));
  return ok ? 0 : 1;
}

/** What a count says, for people: a label and a text a line. */
export function saysOfCount(count: PoolCount): [label: string, text: string][] {
  return [
    ["counted at", new Date(count.countedAtMs).toISOString()],
    ["pool", `${count.pool}, version ${count.version ?? "none"}`],
    ["place", count.place ?? "all places"],
    ["found", String(count.found.length)],
    ["missing", count.missing.join(" ") || "none"],
    ["different", count.different.join(" ") || "none"],
  ];
}
