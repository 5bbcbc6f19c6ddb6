import { readFile } from "node:fs/promises";
import process from "node:process";
import { openDatabase } from "@sabika/database";
import { createWebhookWorker } from "@sabika/service/delivery";

/**
 * A webhook worker as a process that a test kills; arguments: `URL SECRET CA_FILE CLOCK_OFFSET_MS`. With a
 * clock that is ahead, it sees the leases of earlier workers as expired.
 */
const [url = "", secret = "", caFile = "", offsetMs = "0"] = process.argv.slice(2);

createWebhookWorker({
  database: openDatabase(url, { maxConnections: 2 }),
  readSecrets: () => Promise.resolve([secret]),
  environment: "sandbox",
  endpointPolicy: { allowLoopback: true },
  extraCaPem: await readFile(caFile, "utf8"),
  now: () => Date.now() + Number(offsetMs),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  pollMs: 20,
}).start();
