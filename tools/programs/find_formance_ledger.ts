import { buildGoProgram } from "./build_go_program.ts";

/** Of the committed `tools/peers/formance/go.mod`. */
export const FORMANCE_LEDGER_VERSION = "1.9.0";

/**
 * The path of Formance Ledger, an open-source ledger over HTTP that we are compared with (MIT; its module is
 * still of its first name, Numary). Built from the committed `go.mod` and `go.sum` (Go 1.26; minutes, once).
 *
 * @param progress called with what takes long, in words
 * @throws Error with the reason when it cannot be had on this machine
 */
export async function findFormanceLedger(progress: (words: string) => void): Promise<string> {
  return await buildGoProgram({
    name: "formance-ledger",
    version: FORMANCE_LEDGER_VERSION,
    module: "peers/formance",
    package: "github.com/numary/ledger",
    seconds: 170,
    progress,
  });
}
