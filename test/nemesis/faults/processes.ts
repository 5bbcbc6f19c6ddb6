import process from "node:process";
import { signalAll } from "../../faults/postgresql_processes.ts";
import type { StackWorld } from "../stack_world.ts";
import type { Fault } from "./fault.ts";

/** A process that has ended meanwhile needs no signal any more. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** Stops a process where it stands, and lets it go on. */
function stopped(pid: number): () => Promise<void> {
  signal(pid, "SIGSTOP");
  return () => Promise.resolve(signal(pid, "SIGCONT"));
}

const backends = async ({ database: { sql } }: StackWorld): Promise<number[]> =>
  (await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'sabika-server'`)
    .map(({ pid }) => pid);

/** The instances that may be killed. */
const mortal = ({ stack, spared }: StackWorld) =>
  stack.instances().filter(({ name }) => name !== spared);

/** SIGKILL and SIGSTOP of every process of the stack. */
export const PROCESS_FAULTS: Readonly<Record<string, Fault>> = {
  async "kill a server"(world, { pick }) {
    const running = mortal(world);
    if (running.length > 0) signal(pick(running).pid, "SIGKILL");
  },
  async "kill all servers"(world) {
    for (const { pid } of mortal(world)) signal(pid, "SIGKILL");
  },
  async "kill the delivery of webhooks"({ stack }) {
    const delivery = stack.delivery();
    if (delivery !== undefined) signal(delivery.pid, "SIGKILL");
  },
  async "stop the delivery of webhooks"({ stack }) {
    const delivery = stack.delivery();
    if (delivery !== undefined) return stopped(delivery.pid);
  },
  async "kill Envoy"({ stack }) {
    signal(stack.sidecar().pid, "SIGKILL");
  },
  async "kill a backend"(world, { pick }) {
    const pids = await backends(world);
    if (pids.length > 0) signal(pick(pids), "SIGKILL");
  },
  async "power off PostgreSQL"({ stack }) {
    signalAll(stack.postgresql, "SIGKILL");
  },
  async "stop a server"({ stack }, { pick }) {
    const running = stack.instances();
    if (running.length > 0) return stopped(pick(running).pid);
  },
  async "stop Envoy"({ stack }) {
    return stopped(stack.sidecar().pid);
  },
  async "stop PostgreSQL"({ stack: { postgresql } }) {
    const { pid } = postgresql;
    signalAll(postgresql, "SIGSTOP");
    return () => Promise.resolve(postgresql.pid === pid && signalAll(postgresql, "SIGCONT"));
  },
};
