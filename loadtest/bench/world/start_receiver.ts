import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endProcess } from "../../../tools/programs/own_process.ts";

export type ToReceiver =
  | { kind: "listen"; certificatePem: string; keyPem: string; delayMs: number }
  | { kind: "count" };
export type FromReceiver =
  | { kind: "listening"; port: number }
  | { kind: "counted"; received: number };

/** Starts a receiver on loopback that answers each delivery after `delayMs`. */
export async function startReceiver(
  identity: { certificatePem: string; keyPem: string; delayMs: number },
) {
  const child = fork(fileURLToPath(new URL("./receiver_process.ts", import.meta.url)), [], {
    execArgv: "Deno" in globalThis ? [] : ["--import", "tsx"],
  });
  const ask = async (message: ToReceiver): Promise<FromReceiver> => {
    const answer = once(child, "message");
    child.send(message);
    return (await answer)[0] as FromReceiver;
  };
  const listening = await ask({ kind: "listen", ...identity });
  return {
    port: listening.kind === "listening" ? listening.port : 0,
    /** Deliveries so far. */
    async received() {
      const counted = await ask({ kind: "count" });
      return counted.kind === "counted" ? counted.received : 0;
    },
    stop: () => endProcess(child, "SIGKILL"),
  };
}
