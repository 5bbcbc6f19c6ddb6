/** A process that costs as little as it can: see `measureFloor`. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { FromFloor, ToFloor } from "./floor.ts";

/** About as long as an order's answer. */
const ANSWER = JSON.stringify({ data: "x".repeat(900) });
/** How many verifications are under way, as when a server is busy. */
const UNDER_WAY = 16;

process.on("message", async (message: ToFloor) => {
  const answer = message.kind === "serve" ? await serve(message) : await verify(message.times);
  process.send!(answer);
});
process.once("disconnect", () => process.exit());

async function serve(
  { certificate, key }: ToFloor & { kind: "serve" },
): Promise<FromFloor> {
  const server = createServer({ cert: certificate, key }, (request, response) => {
    request.resume().once("end", () => {
      response.writeHead(201, { "content-type": "application/json" }).end(ANSWER);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { kind: "serving", port: (server.address() as AddressInfo).port };
}

async function verify(times: number): Promise<FromFloor> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, [
    "sign",
    "verify",
  ]);
  const data = crypto.getRandomValues(new Uint8Array(512));
  const signature = await crypto.subtle.sign(algorithm, privateKey, data);
  const before = process.cpuUsage();
  let left = times;
  await Promise.all(Array.from({ length: UNDER_WAY }, async () => {
    while (left-- > 0) await crypto.subtle.verify(algorithm, publicKey, signature, data);
  }));
  const { user, system } = process.cpuUsage(before);
  return { kind: "verified", micros: (user + system) / times };
}
