import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openDatabase } from "@sabika/database";
import { currentSet } from "@sabika/sidecar";
import { nextMessage } from "../next_message.ts";
import type { Loader } from "../loader/start_loader.ts";
import { type CpuTimes, processTime } from "./cpu_time.ts";
import type { StackSite } from "./stack_site.ts";

const COMMITS = 1_000;
const VERIFICATIONS = 5_000;

/** What a process that costs as little as it can is told, and tells. */
export type ToFloor =
  | { kind: "serve"; certificate: string; key: string }
  | { kind: "verify"; times: number };
export type FromFloor = { kind: "serving"; port: number } | { kind: "verified"; micros: number };

/**
 * Measures what no order can cost less than on this machine, in microseconds of processor time an order: one
 * verification of P-256 by Web Crypto, one request over TLS parsed and answered by the runtime's own server,
 * and a batch's share of the smallest durable transaction.
 */
export async function measureFloor(
  site: StackSite,
  loader: Loader,
  run: { orders: number; connections: number; ordersACommit: number },
): Promise<CpuTimes> {
  const child = fork(fileURLToPath(new URL("./floor_process.ts", import.meta.url)), [], {
    execArgv: "Deno" in globalThis ? [] : ["--import", "tsx"],
  });
  try {
    const { serverCertificate, serverKey } = await currentSet(site.stack.sidecarFolder);
    const serving = { kind: "serve", certificate: serverCertificate, key: serverKey } as const;
    const { port } = await ask(child, serving) as FromFloor & { kind: "serving" };
    const { orders, connections } = run;
    const requests = async (): Promise<number> => {
      let beforeMicros = 0;
      const onGo = async () => void (beforeMicros = processTime(child.pid!));
      await site.run(loader, { orders, connections, port, onGo });
      return (processTime(child.pid!) - beforeMicros) / orders;
    };
    // The first ones compile the program.
    await requests();
    const request = await requests();
    const { micros } = await ask(child, { kind: "verify", times: VERIFICATIONS }) as
      & FromFloor
      & { kind: "verified" };
    return {
      "one verification of P-256": micros,
      "one request over TLS, answered by the runtime's own server": request,
      "a batch's share of the smallest durable transaction": await commit(site) /
        run.ordersACommit,
    };
  } finally {
    child.kill();
  }
}

/** Returns the microseconds of a session's processor time for a durable transaction. */
async function commit({ stack }: StackSite): Promise<number> {
  const { sql, close } = openDatabase(stack.databaseUrl, { maxConnections: 1 });
  try {
    await sql`create table if not exists floor_commits (n integer)`;
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const beforeMicros = processTime(row!.pid);
    for (let n = 0; n < COMMITS; n++) await sql`insert into floor_commits values (1)`;
    return (processTime(row!.pid) - beforeMicros) / COMMITS;
  } finally {
    await close();
  }
}

async function ask(child: ChildProcess, message: ToFloor): Promise<FromFloor> {
  child.send(message);
  return await nextMessage(child) as FromFloor;
}
