import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import process from "node:process";
import { openKit } from "@sabika/client";
import type { LogFields, LogLevel } from "@sabika/server";
import { curlHints } from "./curl_hints.ts";
import { type EventReceiver, openEventReceiver } from "./event_receiver.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { isWrongUse, StartError, untilInterrupted } from "@sabika/deployment/folders";
import { listenReference } from "./reference_listener.ts";
import { type Sandbox, startSandbox } from "./start_sandbox.ts";
import { openTrial } from "./try_call.ts";
import { walk } from "./walk.ts";

const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const print = (line: string) => process.stdout.write(`${line}\n`);
/** The reference's port comes after those of the service, the demo partner's endpoint and the console. */
const REFERENCE_PORT_AFTER = 3;
/** How long an orderly stop may take before the process exits regardless. */
const STOP_PATIENCE_MS = 30_000;

/** `npm start` and `deno task start` (Decision D44): only this file names clock, chance and environment. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(HELP);
  const interrupted = untilInterrupted();

  const sandbox = await startSandbox({
    ...options,
    webhookCaPem: await readWebhookCa(options),
    accessLog: "all",
  }, {
    now: Date.now,
    random,
    log: (level, event, fields) => isReady && logRequest(level, event, fields),
  });
  print(`The Sabika sandbox, data in ${options.dataFolder}`);
  const receiver = await openDemo(sandbox);
  isReady = true;
  if (receiver !== undefined) {
    receiver.onDelivery = ({ event }) =>
      print(`webhook ${event.type} ${event.id}: signature verified`);
  }
  const { baseUrl, demo } = sandbox;
  const trial = demo?.hasKit ? openTrial(await openKit(demo.kitFolder), random) : undefined;
  const reference = await listenReference({ environment: "sandbox", baseUrl }, {
    port: options.port && options.port + REFERENCE_PORT_AFTER,
    trial,
  });
  print(`the reference of the API, for a browser: ${reference.url}`);
  const { url, enrolUrl } = sandbox.console;
  print(`the operator's console: ${url}`);
  sandbox.console.onMail = ({ to, subject }, file) =>
    print(`mail to ${to.join(", ")}: ${subject} (${relative(process.cwd(), file)})`);
  if (enrolUrl !== undefined) print(`a link to register your passkey, valid once: ${enrolUrl}`);
  print(`ready ${sandbox.baseUrl}`);

  await interrupted;
  print("stopping");
  setTimeout(() => process.exit(1), STOP_PATIENCE_MS).unref();
  await sandbox.stop(); // first, so that no event finds its receiver gone
  await receiver?.close();
  await reference.close();
  await trial?.close();
  process.exit(0);
}

/** Requests are logged from `ready` on: before that the walk prints its own. */
let isReady = false;

function logRequest(level: LogLevel, event: string, fields: LogFields = {}): void {
  if (event === "request") {
    const { method, route, status, code = "", partner = "", duration_ms, request_id } = fields;
    const line = `${method} ${route} ${status} ${code} ${partner} ${duration_ms} ms ${request_id}`;
    print(line.replace(/ +/g, " "));
  } else if (level === "warning" || level === "error") {
    print(`${level}: ${event} ${JSON.stringify(fields)}`);
  }
}

async function readWebhookCa({ webhookCaFile }: Options): Promise<string | undefined> {
  if (webhookCaFile === undefined) return undefined;
  const pem = await readFile(webhookCaFile, "utf8").catch(() => "");
  if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  throw new StartError(`--webhook-ca ${webhookCaFile} is not a readable PEM certificate`);
}

/** Opens demo's receiver, walks the core flow on the first start, and prints how to go on by hand. */
async function openDemo({ demo, baseUrl }: Sandbox): Promise<EventReceiver | undefined> {
  if (demo === undefined) return undefined;
  const nearby = relative(process.cwd(), demo.kitFolder);
  const folder = nearby.startsWith("..") ? demo.kitFolder : nearby;
  if (!demo.hasKit) {
    print(
      `the kit of demo is not in ${folder} any more; \`npx sabika partner --help\` makes new secrets`,
    );
    return undefined;
  }
  const kit = await openKit(demo.kitFolder);
  const receiver = await openEventReceiver(kit, Date.now);
  if (demo.isNew) {
    print("\nA bank buys gold: the core flow, with the partner's SDK and the kit of demo.");
    await walk(kit, { receiver, print });
  } else {
    print(`continuing with the data folder; the kit of demo is in ${folder}`);
  }
  print("");
  for (const line of curlHints(folder, baseUrl)) print(line);
  print("");
  print(
    receiver === undefined
      ? `events of demo go to ${kit.webhookUrl}: your own receiver listens there`
      : `events of demo arrive here, at ${receiver.url}`,
  );
  return receiver;
}

main().catch((error: unknown) => {
  const wrongUse = isWrongUse(error);
  if (error instanceof StartError || wrongUse) {
    const help = wrongUse ? "; see `npm start -- --help`" : "";
    process.stderr.write(`sabika: ${(error as Error).message.split("\n")[0]}${help}\n`);
  } else {
    console.error(error);
  }
  process.exit(1);
});
