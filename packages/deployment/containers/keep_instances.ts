import { type SidecarSettings, writeInstances } from "@sabika/sidecar";
import { listeningInstances } from "./listening_instances.ts";

const EVERY_MS = 500;

/**
 * Has the sidecar know the instances that there are, as they come and go (`--scale`). It asks each
 * whether it is ready by itself, so one that stops gets nothing from when it says so.
 *
 * @param sockets the folder of the instances' sockets
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
