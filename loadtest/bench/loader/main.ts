/**
 * The loader's process: signs a job's orders and connects, then sends them, each on request, and reports the result. It is
 * a separate process so that its work does not delay the bench's.
 */
import process from "node:process";
import { connect, type Connection } from "./connection.ts";
import { drive } from "./drive.ts";
import type { FromLoader, Job, ToLoader } from "./job.ts";
import { signOrders } from "./sign_orders.ts";

const report = (message: FromLoader) => process.send!(message);
let job: Job;
let requests: Uint8Array[] = [];
let connections: Connection[] = [];
let broken: Promise<never>;

async function prepare(next: Job): Promise<void> {
  job = next;
  requests = await signOrders(job, Math.floor(Date.now() / 1000));
  let onBroken = (_: Error) => {};
  broken = new Promise((_, reject) => onBroken = reject);
  broken.catch(() => undefined);
  const opening = Array.from({ length: job.connections }, () => connect(job.target, onBroken));
  connections = await Promise.all(opening);
  report({ kind: "prepared" });
}

async function go(): Promise<void> {
  try {
    const { seconds, pace, expected = [201] } = job;
    const options = { seconds, pace, expected, nowMs: () => performance.now() };
    const result = await Promise.race([drive(connections, requests, options), broken]);
    report({ kind: "done", result });
  } finally {
    connections.forEach((connection) => connection.close());
  }
}

process.on("message", (message: ToLoader) => {
  const done = message.kind === "prepare" ? prepare(message.job) : go();
  done.catch((error: unknown) => report({ kind: "failed", message: String(error) }));
});
