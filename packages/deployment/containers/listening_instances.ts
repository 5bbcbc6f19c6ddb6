import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { Instance } from "@sabika/sidecar";

/**
 * The instances that listen in a folder of sockets, by name. A container's socket is named after it, so
 * there may be any number; one that was left by a container that was killed is none.
 */
export async function listeningInstances(folder: string): Promise<Instance[]> {
  const names = await readdir(folder).catch(() => []);
  const sockets = names.filter((name) => /^[^.]+\.sock$/.test(name)).sort()
    .map((name) => join(folder, name));
  const listens = await Promise.all(sockets.map(isListenedOn));
  return sockets.filter((_, n) => listens[n]).map((path) => ({ address: `unix:${path}` }));
}

/** A server that is too busy to answer listens all the same. */
function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== "ECONNREFUSED" && code !== "ENOENT");
    });
  });
}
