import { readdir, readFile, readlink } from "node:fs/promises";
import process from "node:process";

/** How long a left-over process may take to end in order. */
const PATIENCE_MS = 10_000;

/**
 * Ends what an earlier stack on this data folder left running when it was killed itself (its parts
 * have sessions of their own). Nothing is touched that does not name the folder in its command, its
 * environment or as the place it runs in. Where there is no /proc, nothing is found.
 *
 * @returns how many processes were ended
 */
export async function endLeftOver(dataFolder: string): Promise<number> {
  const found = await processesOf(dataFolder);
  for (const pid of found) signal(pid, "SIGINT");
  const end = performance.now() + PATIENCE_MS;
  while (found.some(isRunning)) {
    // What does not listen to order is a server that waits for a caller: he is gone.
    if (performance.now() > end) found.forEach((pid) => signal(pid, "SIGKILL"));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return found.length;
}

/** The processes, but this one and its parent, that belong to a stack in this folder. */
async function processesOf(dataFolder: string): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const found: number[] = [];
  for (const name of names) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || pid === process.ppid) continue;
    const read = (file: string) => readFile(`/proc/${name}/${file}`, "utf8").catch(() => "");
    const command = (await read("cmdline")).split("\0");
    const place = await readlink(`/proc/${name}/cwd`).catch(() => "");
    const isOurs = /(^|\/)(envoy|postgres|prometheus|postgres_exporter)$/.test(command[0] ?? "")
      ? command.some((word) => word.startsWith(`${dataFolder}/`)) ||
        place.startsWith(`${dataFolder}/`)
      : command.some((word) => /(^|\/)packages\/(server|console)\/main\.[jt]s$/.test(word)) &&
        (await read("environ")).split("\0").some((line) => line.includes(`=${dataFolder}/`));
    if (isOurs) found.push(pid);
  }
  return found;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** Whether a process of this number runs, whoever's it is. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
