import { parseArgs } from "node:util";
import { COUNT_TYPE, readPoolCount } from "@sabika/protocol";
import { readTextFile } from "./files.ts";
import { CommandError, type Io, UsageError } from "./io.ts";
import { SIGN_OPTIONS, signAsOutsider } from "./sign_as_outsider.ts";
import { saysOfCount } from "./verify_count.ts";

/** What `--help` says of `sabika-client sign count`. */
export const SIGN_COUNT_HELP =
  `With "count" an inspector signs a count of a pool's bars, as "sabika vault count file" wrote it, and
sees what it says: compare that with what you saw in the vault.`;

/** `sabika-client sign count FILE`: signs a count, and returns the exit code. */
export async function signCountFile(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: SIGN_OPTIONS,
  });
  const [file] = positionals;
  if (file === undefined) throw new UsageError("the count's file is needed");
  const text = (await readTextFile(file)).trim();
  const count = readPoolCount(text);
  if (count === null) throw new CommandError(`${file} is no count of a pool's bars`);
  return await signAsOutsider({
    typ: COUNT_TYPE,
    text,
    says: saysOfCount(count),
    key: values.key,
    out: values.out,
  }, io);
}
