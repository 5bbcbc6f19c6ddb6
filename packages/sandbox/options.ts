import { parseArgs } from "node:util";

/** What the command line says (Decision D44). */
export type Options = ReturnType<typeof readOptions>;

export const HELP = `The Sabika sandbox: the whole partner service on this machine.

  npm start -- [--port 8443] [--data .sabika] [--database-url postgres://…]
               [--webhook-ca FILE] [--no-demo]
  (the same after \`deno task start\`)

  --port N            where it serves, https on 127.0.0.1 (8443; 0 takes any free port)
  --data FOLDER       where all its data stays between two starts (.sabika)
  --database-url URL  a PostgreSQL in place of the embedded database
  --webhook-ca FILE   PEM of a further authority that webhook receivers are trusted by
  --no-demo           do not make the partner demo, and do not walk the core flow
  --help              this text

The first start makes the partner demo with its kit in FOLDER/partners/demo and walks the core flow
once; later starts go on with what is there. Ctrl-C stops it.
`;

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
