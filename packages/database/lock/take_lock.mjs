/**
 * A lock between processes, which is free again when its holder dies.
 *
 * A process that wants the lock listens on a Unix socket, writes a file that names the socket, and links
 * that file to the lock's name, which succeeds for one process only. The holder is alive while its socket
 * answers, because the kernel closes the socket with the process. A process id would not tell, since ids are
 * reused and Deno's sandbox may not query them.
 *
 * `node:` only: it also runs before any package is installed.
 */
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";

/** The shortest limit of a kernel for a Unix socket's path; Node 20 silently truncates longer ones. */
const SOCKET_PATH_BYTES = 103;
const PAUSE_MS = 2;

/**
 * Takes the lock unless somebody holds it.
 *
 * @param {string} path the lock's file, in an existing folder
 * @returns a function that releases the lock, or the id of the process that holds it
 */
export async function takeLock(path) {
  const id = crypto.randomUUID().slice(0, 8);
  const listener = await listen(`${path}.${id}`);
  const note = `${path}.${id}.new`;
  let holder;
  try {
    await writeFile(note, `${process.pid} ${id} ${listener.socket}\n`, { flag: "wx", mode: 0o600 });
    holder = await linkTo(path, note);
  } catch (error) {
    listener.close();
    throw error;
  } finally {
    await rm(note, { force: true });
  }
  if (holder !== undefined) {
    listener.close();
    return { holder };
  }
  return {
    async release() {
      await rm(path, { force: true });
      listener.close();
    },
  };
}

/** Returns the process that holds the lock; undefined when `note` is the lock now. */
async function linkTo(path, note) {
  for (;;) {
    try {
      return await link(note, path);
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const found = await read(path);
    if (found === undefined) continue;
    const [holder, id = "old", socket] = found.trim().split(" ");
    if (socket !== undefined && await answers(socket)) return Number(holder);
    // Several processes may see that the holder is gone; the one that takes this second lock removes it.
    const removalLock = `${path}.${id}.end`;
    if (await linkTo(removalLock, note) !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    if (await read(path) === found) {
      await rm(path, { force: true });
      if (socket !== undefined) await rm(socket, { force: true });
    }
    await rm(removalLock);
  }
}

/** Listens on a socket beside the lock, or in the temporary folder where its path would be too long. */
async function listen(beside) {
  const fits = new TextEncoder().encode(beside).length <= SOCKET_PATH_BYTES;
  const socket = fits ? beside : join(tmpdir(), `sabika-${basename(beside)}`);
  const server = createServer((connection) => connection.destroy());
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  server.unref();
  return { socket, close: () => server.close() };
}

/** Whether a process listens on the socket; also true when that cannot be found out. */
function answers(socket) {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", ({ code }) => resolve(code !== "ECONNREFUSED" && code !== "ENOENT"));
  });
}

/** Reads the file's text; undefined when there is no file. */
async function read(path) {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
