import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Environment } from "@sabika/protocol";

/** The options of the stack's command (Decision D46). */
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
  ha: boolean;
  watch: boolean;
  firewall: boolean;
  built: string | undefined;
  help: boolean;
}

/** The help text; a separate file, because it is shown before any package is installed. */
export const HELP = readFileSync(new URL("./help.txt", import.meta.url), "utf8");

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
      ha: { type: "boolean", default: false },
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
  if (values.ha && cells) {
    throw new TypeError("--ha: cells have one server each here: leave out --cells");
  }
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
    ha: values.ha,
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
