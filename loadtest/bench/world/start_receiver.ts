import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endProcess } from "../../../tools/programs/own_process.ts";

/** The behaviour of a receiver: its delay, and one delivery in this many gets 500 (0: none). */
export interface ReceiverBehaviour {
  delayMs: number;
  failEvery: number;
}

/** A webhook receiver in a process of its own. */
export interface Receiver {
  readonly port: number;
  behave(behaviour: ReceiverBehaviour): Promise<void>;
  /** Returns how many deliveries it has answered with 204. */
  taken(): Promise<number>;
  stop(): Promise<void>;
}

/** Messages to the receiver's process. */
export type ToReceiver =
  | { kind: "listen"; certificatePem: string; keyPem: string }
  | { kind: "behave"; behaviour: ReceiverBehaviour }
  | { kind: "count" };
/** Messages from the receiver's process. */
export type FromReceiver =
  | { kind: "listening"; port: number }
  | { kind: "counted"; taken: number };

/** Starts a webhook receiver on the loopback. */
export async function startReceiver(
  identity: { certificatePem: string; keyPem: string },
): Promise<Receiver> {
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
    behave: async (behaviour) => void await ask({ kind: "behave", behaviour }),
    async taken() {
      const counted = await ask({ kind: "count" });
      return counted.kind === "counted" ? counted.taken : 0;
    },
    stop: () => endProcess(child, "SIGKILL"),
  };
}
