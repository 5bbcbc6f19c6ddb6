import { parseArgs } from "node:util";
import {
  ATTESTATION_KEYS,
  parseJson,
  PUBLISHED_RESERVE,
  type PublishedReserve,
  readReceiptKeys,
  RESERVE_OPENING,
  type ReserveFault,
  type ReserveOpening,
  verifyReserve,
} from "@sabika/protocol";
import { readFileAs, readFileIf } from "./files.ts";
import { bad, good, type Io, row, UsageError } from "./io.ts";

/** What `--help` says of `sabika-client verify reserve`. */
export const VERIFY_RESERVE_HELP =
  `With "reserve" it checks the reserve of a day, GET /v1/reserves/{day}, against what you have kept yourself.

  --mine FILE         your own balances and salt, GET /v1/reserves/{day}/mine
  --previous FILE     the reserve of the day before
  --openings FILE     all openings, one a line: what an auditor is given
  --keys FILE         the published keys, /.well-known/sabika-receipt-keys.json
  --attestation-keys FILE
                      the published keys of auditors, /.well-known/sabika-attestation-keys.json
  --attestation FILE  an attestation that you got from the auditor, instead of the reserve's own
  --json              one line of JSON: ok, day, attested, attested_by, faults`;

/** What is said of each fault. */
export const SAYS: Readonly<Record<ReserveFault, string>> = {
  malformed: "this is no reserve",
  other_hash: "the reserve is not the one that the hash is of",
  wrong_signature: "no published key signed that this is the reserve of its day",
  attestation_malformed: "what the auditor signed is no attestation",
  attestation_wrong_algorithm: "the attestation is not signed with ES256",
  attestation_unknown_key: "no published key signed the attestation",
  attestation_altered: "the attestation was changed after it was signed",
  attestation_other_role: "the key of the attestation is not an auditor's",
  attestation_key_ended: "the key of the attestation had ended before the day did",
  attestation_other_reserve: "the attestation is of another reserve",
  other_previous: "it does not follow the reserve of the day before",
  other_day: "your balances are those of another day",
  not_committed: "no commitment is to your balances",
  opening_negative: "a balance is below zero",
  openings_missing: "a commitment has not been opened",
  cash_differs: "the opened balances do not come to the cash that it says is owed",
  gold_differs: "the opened balances do not come to the gold that it says is owed",
  gold_not_covered: "a pool owes more gold than its bars weigh",
};

/** `sabika-client verify reserve FILE`: prints what does not hold, and returns the exit code. */
export async function verifyReserveFile(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      mine: { type: "string" },
      previous: { type: "string" },
      openings: { type: "string" },
      keys: { type: "string" },
      "attestation-keys": { type: "string" },
      attestation: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [file] = positionals;
  if (file === undefined) throw new UsageError("the reserve's file is needed");
  const { text, hash, signature, attestation, isAttested } = await readFileAs(file, readPublished);
  const { ok, reserve, faults, attestedBy } = await verifyReserve({
    text,
    hash,
    signature: signature ?? undefined,
    keys: await readFileIf(values.keys, readReceiptKeys),
    attestation: await readFileIf(values.attestation, (jws) => jws.trim()) ?? attestation ??
      undefined,
    attestationKeys: await readFileIf(
      values["attestation-keys"],
      (keys) => ATTESTATION_KEYS.read(parseJson(keys)),
    ),
    mine: await readFileIf(values.mine, readOpening),
    previousText: (await readFileIf(values.previous, readPublished))?.text,
    openings: await readFileIf(values.openings, readOpenings),
  });
  const holder = attestedBy?.holder ?? null;
  if (values.json) {
    const day = reserve?.day ?? null;
    io.print(
      JSON.stringify({ ok, day, attested: isAttested, attested_by: holder, faults }),
    );
    return ok ? 0 : 1;
  }
  for (const fault of faults) io.print(`${bad(io, fault)}: ${SAYS[fault]}`);
  if (ok) io.print(`${good(io, "genuine")}: ${reserve!.day}`);
  io.print(row("signature", signatureSays(signature, values.keys)));
  io.print(
    row("auditor", holder ?? (isAttested ? "not checked: --attestation-keys" : "unattested")),
  );
  if (reserve?.cash.bankHalalas === null) io.print(row("bank", "nobody entered its balance"));
  const missing = (["mine", "previous"] as const).filter((name) => values[name] === undefined);
  if (missing.length > 0) io.print(row("not checked", missing.join(" ")));
  return ok ? 0 : 1;
}

function signatureSays(signature: string | null, keys: string | undefined): string {
  if (signature === null) return "unsigned";
  return keys === undefined ? "not checked: --keys" : "checked";
}

/** Reads a reserve as GET /v1/reserves/{day} answers it. */
export const readPublished = (text: string): PublishedReserve =>
  PUBLISHED_RESERVE.read(parseJson(text));

const readOpening = (text: string): ReserveOpening => RESERVE_OPENING.read(parseJson(text));

/** Reads the auditor's file: an opening a line. */
export const readOpenings = (lines: string): ReserveOpening[] =>
  lines.split("\n").filter((line) => line !== "").map(readOpening);
