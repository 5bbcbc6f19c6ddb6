/** The receiver's process: answers each delivery with 204 after a while, and counts them. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import process from "node:process";
import type { FromReceiver, ToReceiver } from "./start_receiver.ts";

const report = (message: FromReceiver) => process.send!(message);
let received = 0;

process.on("message", (message: ToReceiver) => {
  if (message.kind === "count") return report({ kind: "counted", received });
  const { certificatePem, keyPem, delayMs } = message;
  const server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    request.resume().on("end", () => {
      received++;
      setTimeout(() => response.writeHead(204).end(), delayMs);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    report({ kind: "listening", port: (server.address() as AddressInfo).port });
  });
});
