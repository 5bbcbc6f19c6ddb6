import { parseArgs } from "node:util";
import { ATTESTATION_TYPE, RESERVE_ATTESTATION, verifyReserve } from "@sabika/protocol";
import { readFileAs, readFileIf } from "./files.ts";
import { bad, CommandError, type Io, UsageError } from "./io.ts";
import { SIGN_OPTIONS, signAsOutsider } from "./sign_as_outsider.ts";
import { readOpenings, readPublished, SAYS } from "./verify_reserve.ts";

/** What `--help` says of `sabika-client sign reserve`. */
export const SIGN_RESERVE_HELP =
  `With "reserve" it checks the reserve of a day, GET /v1/reserves/{day}, and signs it if all holds: each commitment
is opened, the balances come to what it says is owed, no pool owes more than its bars weigh, and it follows the
reserve of the day before. It cannot check bars and bank account: look at them yourself.

  --openings FILE     all openings, one a line, as the operator writes them for you
  --before FILE       the reserve of the day before; only the first has none`;

/** `sabika-client sign reserve FILE`: signs a reserve of which all holds, and returns the exit code. */
export async function signReserveFile(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      openings: { type: "string" },
      before: { type: "string" },
      ...SIGN_OPTIONS,
    },
  });
  const [file] = positionals;
  if (file === undefined) throw new UsageError("the reserve's file is needed");
  if (values.openings === undefined) {
    throw new UsageError("all openings are needed: --openings FILE");
  }
  const { text, hash } = await readFileAs(file, readPublished);
  const { reserve, faults } = await verifyReserve({
    text,
    hash,
    openings: await readFileAs(values.openings, readOpenings),
    previousText: (await readFileIf(values.before, readPublished))?.text,
  });
  for (const fault of faults) io.print(`${bad(io, fault)}: ${SAYS[fault]}`);
  if (reserve === undefined || faults.length > 0) {
    io.print("nothing was signed");
    return 1;
  }
  if (reserve.previous !== null && values.before === undefined) {
    throw new CommandError("the reserve of the day before is needed: --before FILE");
  }
  const { key, out } = values;
  const says = [
    ["day", reserve.day],
    ["SHA-256", hash],
    ["partners", String(reserve.commitments.length)],
  ] as const;
  const attestation = RESERVE_ATTESTATION.write({ day: reserve.day, hash });
  return await signAsOutsider({ text: attestation, typ: ATTESTATION_TYPE, says, key, out }, io);
}
