import { signal } from "../../../tools/programs/marked_processes.ts";
import type { Fault } from "./fault.ts";

/** Stops a process (SIGSTOP); the returned function continues it. */
function stopped(pid: number): () => Promise<void> {
  signal(pid, "SIGSTOP");
  return () => Promise.resolve(signal(pid, "SIGCONT"));
}

/** SIGKILL and SIGSTOP of every process of the stack except its databases. */
export const PROCESS_FAULTS: Readonly<Record<string, Fault>> = {
  async "kill a server"({ stack }, { pick }) {
    const running = stack.instances();
    if (running.length > 0) signal(pick(running).pid, "SIGKILL");
  },
  async "kill all servers"({ stack }) {
    for (const { pid } of stack.instances()) signal(pid, "SIGKILL");
  },
  async "kill the delivery of webhooks"({ stack }) {
    const delivery = stack.delivery();
    if (delivery !== undefined) signal(delivery.pid, "SIGKILL");
  },
  async "stop the delivery of webhooks"({ stack }) {
    const delivery = stack.delivery();
    if (delivery !== undefined) return stopped(delivery.pid);
  },
  async "kill the office"({ stack }, { concerns }) {
    concerns([]);
    const office = stack.office!.running();
    if (office !== undefined) signal(office.pid, "SIGKILL");
  },
  async "stop the office"({ stack }, { concerns }) {
    concerns([]);
    const office = stack.office!.running();
    if (office !== undefined) return stopped(office.pid);
  },
  async "kill Envoy"({ stack }) {
    signal(stack.sidecar().pid, "SIGKILL");
  },
  async "stop a server"({ stack }, { pick }) {
    const running = stack.instances();
    if (running.length > 0) return stopped(pick(running).pid);
  },
  async "stop Envoy"({ stack }) {
    return stopped(stack.sidecar().pid);
  },
};
