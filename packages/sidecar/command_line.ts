import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { DEFAULT_RULES } from "./check_set.ts";
import type { SecretSet } from "./secret_set.ts";

/** Thrown when the command line is wrong; the exit code is then 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

const COMMANDS = [
  "render",
  "validate",
  "run",
  "check",
  "rotate",
  "instances",
  "addresses",
  "firewall",
] as const;
/** The name of a command. */
export type CommandName = typeof COMMANDS[number];

const OPTIONS = {
  settings: { type: "string" },
  print: { type: "boolean", default: false },
  envoy: { type: "string", default: "envoy" },
  list: { type: "string" },
  "server-certificate": { type: "string" },
  "server-key": { type: "string" },
  "partner-ca": { type: "string" },
  "partner-crl": { type: "string" },
  "edge-secret": { type: "string" },
  "certificate-days": { type: "string", default: String(DEFAULT_RULES.certificateDays) },
  "crl-hours": { type: "string", default: String(DEFAULT_RULES.crlHours) },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** The help text, in a separate file because it is shown before any package is installed. */
export const HELP = readFileSync(new URL("./help.txt", import.meta.url), "utf8");

const SET_HELP = `
  --server-certificate FILE   PEM, leaf first
  --server-key FILE           its key, PEM (PKCS#8, SEC1 or PKCS#1)
  --partner-ca FILE           the CA or CAs of partners' certificates, PEM
  --partner-crl FILE          the revocation list of each of these CAs, PEM
  --edge-secret FILE          the secret that the service knows the sidecar by
  --certificate-days N        refuse certificates that end within N days (${DEFAULT_RULES.certificateDays})
  --crl-hours N               refuse revocation lists that end within N hours (${DEFAULT_RULES.crlHours})

What is left out stays as it is in the set in use.
`;

const LIST_HELP = `
  --list FILE   YAML: - {partner: bank-one, addresses: [192.0.2.0/24]}
`;

const ENVOY_HELP = "\n  --envoy PROGRAM   where Envoy is (envoy)\n";

const OPTIONS_HELP: Partial<Record<CommandName, string>> = {
  check: `${LIST_HELP}\nor a set of secrets:\n${SET_HELP}`,
  rotate: SET_HELP,
  render: "\n  --print   show the whole configuration in one piece and write nothing\n",
  validate: ENVOY_HELP,
  run: ENVOY_HELP,
  addresses: LIST_HELP,
  firewall: `${LIST_HELP}\nWhat is left out is as it was handed over last.\n`,
};

/** Returns the text that `COMMAND --help` shows. */
export function commandHelp(name: CommandName): string {
  const purpose = new RegExp(`^  ${name} +(.+)$`, "m").exec(HELP)![1];
  const options = OPTIONS_HELP[name] ?? "";
  return `sidecar ${name} --settings FILE\n\n  ${purpose}\n${options}`;
}

/** A command with its options, as the command line gives them. */
export interface Command {
  /** Undefined when the command line names no command. */
  readonly name: CommandName | undefined;
  readonly help: boolean;
  readonly settingsFile: string | undefined;
  readonly print: boolean;
  /** The path of Envoy's program; `envoy` by default. */
  readonly envoy: string;
  readonly addressesFile: string | undefined;
  /** The files of the parts of a set that the command line names. */
  readonly files: Partial<Record<keyof SecretSet, string>>;
  readonly certificateDays: number;
  readonly crlHours: number;
}

/** Reads the command line. @throws {UsageError} when it is not understood */
export function readCommand(args: string[]): Command {
  const { values, positionals } = parse(args);
  const [name, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`one command at a time: ${positionals.join(" ")}`);
  if (name !== undefined && !COMMANDS.some((known) => known === name)) {
    throw new UsageError(`there is no command ${name}`);
  }
  const files = Object.entries(
    {
      serverCertificate: values["server-certificate"],
      serverKey: values["server-key"],
      partnerCa: values["partner-ca"],
      partnerCrl: values["partner-crl"],
      edgeSecret: values["edge-secret"],
    } satisfies Record<keyof SecretSet, string | undefined>,
  );
  return {
    name: name as CommandName | undefined,
    help: values.help,
    settingsFile: values.settings,
    print: values.print,
    envoy: values.envoy,
    addressesFile: values.list,
    files: Object.fromEntries(files.filter(([, file]) => file !== undefined)),
    certificateDays: number("--certificate-days", values["certificate-days"]),
    crlHours: number("--crl-hours", values["crl-hours"]),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function number(name: string, text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new UsageError(`${name} ${text} is not a number`);
  return Number(text);
}
