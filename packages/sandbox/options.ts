import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** What the command line says (Decision D44). */
export type Options = ReturnType<typeof readOptions>;

/** A file of its own, since it is shown before any package is installed. */
export const HELP = readFileSync(new URL("./help.txt", import.meta.url), "utf8");

/**
 * Reads the command line.
 *
 * @throws TypeError with one line when it is not understood
 */
export function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "8443" },
      data: { type: "string", default: ".sabika" },
      "database-url": { type: "string" },
      "webhook-ca": { type: "string" },
      "no-demo": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
    strict: true,
    allowPositionals: false,
  });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new TypeError(`--port ${values.port} is not a port: give a number from 0 to 65535`);
  }
  if (values.data === "") throw new TypeError("--data needs the name of a folder");
  return {
    port: Number(values.port),
    dataFolder: values.data,
    databaseUrl: values["database-url"],
    webhookCaFile: values["webhook-ca"],
    demo: !values["no-demo"],
    help: values.help,
  };
}
