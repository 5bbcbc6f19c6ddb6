import { type SidecarSettings, writeInstances } from "@sabika/sidecar";
import { listeningInstances } from "./listening_instances.ts";

const EVERY_MS = 500;

/**
 * Keeps the sidecar's list of instances up to date as they come and go (`--scale`). The sidecar itself asks
 * each whether it is ready, so an instance gets no request once it says that it stops.
 *
 * @param sockets the folder of the instances' sockets; `now` returns epoch milliseconds
 */
export function keepInstances(
  { folder }: Pick<SidecarSettings, "folder">,
  sockets: string,
  now: () => number,
  report: (line: string) => void,
): { stop(): Promise<void> } {
  let known: string | undefined;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void>;
  const poll = async () => {
    try {
      const found = await listeningInstances(sockets);
      const text = found.map(({ address }) => address).join();
      if (text !== known) {
        await writeInstances(folder, found, String(now()));
        report(`${found.length} instance(s) listen`);
        known = text;
      }
    } catch (error) {
      report(`the sidecar's instances could not be listed: ${(error as Error).message}`);
    }
    if (!isStopped) timer = setTimeout(() => running = poll(), EVERY_MS);
  };
  running = poll();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
