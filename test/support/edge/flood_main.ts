import { createConnection, type Socket } from "node:net";
import { setPriority } from "node:os";
import process from "node:process";
import { text } from "node:stream/consumers";
import { connect, createSecureContext } from "node:tls";
import { clientHello } from "./client_hello.ts";
import type { FloodOrder, FloodReport } from "./flood.ts";

// Each attacker is a separate process, because the number of open files of a process is limited.
const order: FloodOrder = JSON.parse(await text(process.stdin));
const secureContext = createSecureContext({
  ca: order.ca,
  cert: order.certificate,
  key: order.key,
});
const hello = clientHello(0x0303, [0xc02b]);
const report: FloodReport = { attempts: 0 };
let pending = 0;
let closed = 0;
/** After this many attempts the attacker lowers its priority: it shares the service's machine. */
const YIELDS_AFTER = Math.min(200, order.connections);
let isYielding = false;

/** Opens connections, and a new one whenever one is closed. */
function go(): void {
  while (pending < order.atOnce && report.attempts - closed < order.connections) {
    report.attempts++;
    attempt();
  }
  if (!isYielding && report.attempts >= YIELDS_AFTER) {
    isYielding = true;
    setPriority(19);
  }
}

function attempt(): void {
  pending++;
  let isPending = true;
  const settle = () => {
    if (isPending) pending--;
    isPending = false;
    setImmediate(go);
  };
  const { port, localAddress } = order;
  const tcp = createConnection({ host: "127.0.0.1", port, localAddress }, () => {
    if (order.kind === "silent") settle();
    if (order.kind === "hello") tcp.write(hello, settle);
  });
  tcp.on("error", () => {}).on("close", settle).on("close", () => closed++);
  if (order.kind === "silent" || order.kind === "hello") tcp.resume();
  else speak(tcp, settle);
}

/** Completes the TLS handshake, then sends nothing. */
function speak(tcp: Socket, settle: () => void): void {
  const tls = connect({ socket: tcp, secureContext, servername: "localhost" }, settle);
  tls.on("error", () => {}).resume();
}

setInterval(() => process.stdout.write(`${JSON.stringify(report)}\n`), 100);
go();
