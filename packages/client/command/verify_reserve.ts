import { parseArgs } from "node:util";
import {
  parseJson,
  PUBLISHED_RESERVE,
  readReceiptKeys,
  RESERVE_OPENING,
  type ReserveFault,
  verifyReserve,
} from "@sabika/protocol";
import { readFileAs } from "./files.ts";
import { bad, good, type Io, row, UsageError } from "./io.ts";

/** What `--help` says of `sabika-client verify reserve`. */
export const VERIFY_RESERVE_HELP =
  `With "reserve" it checks the reserve of a day, GET /v1/reserves/{day}, against what you have kept yourself.

  --mine FILE         your own balances and salt, GET /v1/reserves/{day}/mine
  --previous FILE     the reserve of the day before
  --openings FILE     all openings, one a line: what an auditor is given
  --keys FILE         the published keys, /.well-known/sabika-receipt-keys.json
  --json              one line of JSON: ok, day, attested, faults`;

const SAYS: Readonly<Record<ReserveFault, string>> = {
  malformed: "this is no reserve",
  other_hash: "the reserve is not the one that the hash is of",
  wrong_signature: "no published key signed that this is the reserve of its day",
  other_previous: "it does not follow the reserve of the day before",
  other_day: "your balances are those of another day",
  not_committed: "no commitment is to your balances",
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
      json: { type: "boolean", default: false },
    },
  });
  const [file] = positionals;
  if (file === undefined) throw new UsageError("the reserve's file is needed");
  const readIf = async <T>(name: string | undefined, read: (text: string) => T) =>
    name === undefined ? undefined : await readFileAs(name, read);
  const published = (text: string) => PUBLISHED_RESERVE.read(parseJson(text));
  const opening = (text: string) => RESERVE_OPENING.read(parseJson(text));
  const { text, hash, signature, isAttested } = await readFileAs(file, published);
  const { ok, reserve, faults } = await verifyReserve({
    text,
    hash,
    signature: signature ?? undefined,
    keys: await readIf(values.keys, readReceiptKeys),
    mine: await readIf(values.mine, opening),
    previousText: (await readIf(values.previous, published))?.text,
    openings: await readIf(
      values.openings,
      (lines) => lines.split("\n").filter((line) => line !== "").map(opening),
    ),
  });
  if (values.json) {
    io.print(JSON.stringify({ ok, day: reserve?.day ?? null, attested: isAttested, faults }));
    return ok ? 0 : 1;
  }
  for (const fault of faults) io.print(`${bad(io, fault)}: ${SAYS[fault]}`);
  if (ok) io.print(`${good(io, "genuine")}: ${reserve!.day}`);
  io.print(row("signature", signatureSays(signature, values.keys)));
  io.print(row("auditor", isAttested ? "signed; check its key yourself" : "unattested"));
  if (reserve?.cash.bankHalalas === null) io.print(row("bank", "nobody entered its balance"));
  const missing = (["mine", "previous"] as const).filter((name) => values[name] === undefined);
  if (missing.length > 0) io.print(row("not checked", missing.join(" ")));
  return ok ? 0 : 1;
}

function signatureSays(signature: string | null, keys: string | undefined): string {
  if (signature === null) return "unsigned";
  return keys === undefined ? "not checked: --keys" : "checked";
}
