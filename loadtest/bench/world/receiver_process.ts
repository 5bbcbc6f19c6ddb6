/** The receiver's process: answers each delivery after a delay, and counts those that it accepts. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { FromReceiver, ReceiverBehaviour, ToReceiver } from "./start_receiver.ts";

const report = (message: FromReceiver) => process.send!(message);
let behaviour: ReceiverBehaviour = { delayMs: 0, failEvery: 0 };
let received = 0;
let taken = 0;

process.on("message", (message: ToReceiver) => {
  if (message.kind === "count") return report({ kind: "counted", taken });
  if (message.kind === "behave") {
    behaviour = message.behaviour;
    return report({ kind: "counted", taken });
  }
  const { certificatePem, keyPem } = message;
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    request.resume().on("end", () => {
      const { delayMs, failEvery } = behaviour;
      const fails = failEvery > 0 && ++received % failEvery === 0;
      if (!fails) taken++;
      setTimeout(() => response.writeHead(fails ? 500 : 204).end(), delayMs);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    report({ kind: "listening", port: (server.address() as AddressInfo).port });
  });
});
