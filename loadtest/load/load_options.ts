import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const SCRIPTS = ["quote_order", "nonce_store", "smoke", "spike", "soak"] as const;

/** The options of `npm run load`. */
export interface LoadOptions {
  script: typeof SCRIPTS[number];
  partners: number;
  rate: string | undefined;
  duration: string | undefined;
  kits: string;
  results: string;
  baseUrl: string | undefined;
}

/** Thrown for invalid arguments; its message is shown to the user. */
export class WrongUsage extends Error {}

/** The help text, in a file because it is also shown before any package is installed. */
export const LOAD_HELP = readFileSync(new URL("../help.txt", import.meta.url), "utf8");

/** Reads the arguments; undefined if they ask for help. Throws WrongUsage if they are invalid. */
export function readLoadOptions(args: readonly string[]): LoadOptions | undefined {
  const { values, positionals } = parseOrRefuse(args);
  if (values.help) return undefined;
  const script = SCRIPTS.find((known) => known === positionals[0]?.replace(/\.ts$/, ""));
  if (script === undefined || positionals.length > 1) {
    throw new WrongUsage(`name one script: ${SCRIPTS.join(", ")}`);
  }
  const partners = Number(values.partners);
  if (!Number.isInteger(partners) || partners < 1) {
    throw new WrongUsage("--partners takes 1 or more");
  }
  if (values.rate !== undefined && !(Number(values.rate) > 0)) {
    throw new WrongUsage("--rate takes a number above 0");
  }
  const rate = values.rate === undefined ? undefined : String(Number(values.rate) / partners);
  return {
    script,
    partners,
    rate,
    duration: values.duration,
    kits: values.kits,
    results: values.results,
    baseUrl: values["base-url"],
  };
}

function parseOrRefuse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        partners: { type: "string", default: "1" },
        rate: { type: "string" },
        duration: { type: "string" },
        kits: { type: "string", default: ".stack/partners" },
        results: { type: "string", default: "loadtest/results" },
        "base-url": { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}
