import { parseArgs } from "node:util";
import type { Environment } from "@sabika/protocol";

/** What the command line says (Decision D46). */
export interface StackOptions {
  instances: number;
  partners: number;
  /** Undefined: those that the data folder has. */
  cells: number | undefined;
  dataFolder: string;
  port: number;
  /** Undefined: the one that goes with `port`, or any free one. */
  officePort: number | undefined;
  environment: Environment;
  watch: boolean;
  firewall: boolean;
  built: string | undefined;
  help: boolean;
}

export const HELP =
  `The production shape on this machine: PostgreSQL, instances of the service, Envoy in front.

  npm run stack -- [--instances 2] [--partners 1] [--cells 0] [--data .stack] [--port 8443]
                   [--office-port 9443] [--environment sandbox|production] [--watch]
                   [--firewall] [--built FOLDER]

  --instances N   how many instances of the service (2)
  --partners N    how many partners, partner-1 and so on, with their kits in FOLDER/partners (1,
                  or as many as there are cells)
  --cells N       how many cells beside control's database (none, or those that FOLDER has), each a
                  PostgreSQL of its own; the partners' rows are spread over them (docs/scale.md)
  --data FOLDER   where all its data stays between two starts (.stack)
  --port N        where Envoy listens, https on 127.0.0.1 (8443; 0 takes any free port)
  --office-port N where the operator's office with its console listens, on 127.0.0.1 too
                  (1000 above --port, or any free port if that is taken; 0 takes any)
  --environment   sandbox (so that /sandbox/fund is there) or production, with its checks
  --watch         Prometheus with the alerts of docs/observability at http://127.0.0.1:9090, and an
                  exporter for each database; both are fetched or built once
  --firewall      as root: this machine's firewall keeps new connections over their caller's rate from
                  Envoy (nftables, a table of its own that goes with the stack)
  --built FOLDER  the instances run what "npm run build" put there, as production does
  --help          this text

It prints the console's address, with a link that is good once as long as nobody has a passkey, and
"ready <base_url>" when it serves. Ctrl-C ends all of it.
`;

/**
 * Reads the command line.
 *
 * @throws TypeError with one line when it is not understood
 */
export function readStackOptions(args: string[]): StackOptions {
  const { values } = parseArgs({
    args,
    options: {
      instances: { type: "string", default: "2" },
      partners: { type: "string" },
      cells: { type: "string" },
      data: { type: "string", default: ".stack" },
      port: { type: "string", default: "8443" },
      "office-port": { type: "string" },
      environment: { type: "string", default: "sandbox" },
      watch: { type: "boolean", default: false },
      firewall: { type: "boolean", default: false },
      built: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
    strict: true,
    allowPositionals: false,
  });
  if (values.environment !== "sandbox" && values.environment !== "production") {
    throw new TypeError("--environment is sandbox or production");
  }
  if (values.data === "") throw new TypeError("--data needs the name of a folder");
  const cells = values.cells === undefined
    ? undefined
    : wholeNumber("--cells", values.cells, 0, 16);
  return {
    instances: wholeNumber("--instances", values.instances, 1, 32),
    partners: wholeNumber("--partners", values.partners ?? String(cells || 1), 1, 1_000),
    cells,
    dataFolder: values.data,
    port: wholeNumber("--port", values.port, 0, 65_535),
    officePort: values["office-port"] === undefined
      ? undefined
      : wholeNumber("--office-port", values["office-port"], 0, 65_535),
    environment: values.environment,
    watch: values.watch,
    firewall: values.firewall,
    built: values.built,
    help: values.help,
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number < least || number > most) {
    throw new TypeError(`${name} ${text}: give a number from ${least} to ${most}`);
  }
  return number;
}
