import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { Instance } from "@sabika/sidecar";

/**
 * Returns the instances that listen on a socket in a folder, sorted by name; none when the folder cannot be
 * read. Each container has a socket with its own name, so there may be any number of them. The socket of a
 * killed container stays behind, but nothing listens on it, so it is left out.
 */
export async function listeningInstances(folder: string): Promise<Instance[]> {
  const names = await readdir(folder).catch(() => []);
  const sockets = names.filter((name) => /^[^.]+\.sock$/.test(name)).sort()
    .map((name) => join(folder, name));
  const listens = await Promise.all(sockets.map(isListenedOn));
  return sockets.filter((_, index) => listens[index]).map((path) => ({ address: `unix:${path}` }));
}

/** Any other error, such as from a full backlog, comes from a server that is only too busy to accept. */
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
