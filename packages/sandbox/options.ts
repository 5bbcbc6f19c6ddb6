import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** The options of the sandbox's command (Decision D44). */
export interface Options {
  /** The port to listen on; 0: any free one. */
  readonly port: number;
  readonly dataFolder: string;
  /** A PostgreSQL to use in place of the embedded database. */
  readonly databaseUrl: string | undefined;
  /** A PEM file of a further authority that webhook receivers' certificates may come from. */
  readonly webhookCaFile: string | undefined;
  /** Whether the first start makes the demo partner and walks the core flow. */
  readonly demo: boolean;
  readonly help: boolean;
}

/** The help text; a separate file, because it is shown before any package is installed. */
export const HELP = readFileSync(new URL("./help.txt", import.meta.url), "utf8");

/**
 * Reads the command line.
 *
 * @throws TypeError, with a message of one line, for an option that is unknown or invalid
 */
export function readOptions(args: string[]): Options {
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
