import { createServer, type Server, type Socket } from "node:net";
import type { PGlite } from "@electric-sql/pglite";

const SSL_REQUEST = 80877103;
const CANCEL_REQUEST = 80877102;
const SYNC = new Uint8Array([0x53, 0, 0, 0, 4]);
const PAUSE_MS = 10;

/**
 * Serves one PGlite, which has a single session, to many connections on a Unix socket.
 *
 * A connection keeps the session until its statement is synchronised and its transaction has ended, so
 * that no other connection's messages come between its Bind and its Execute. (The package
 * `@electric-sql/pglite-socket` switches after each message, which mixes up unnamed portals.)
 *
 * @throws {Error} of Node if it cannot listen on the path
 */
export async function servePglite(
  pglite: PGlite,
  path: string,
): Promise<{ stop(patienceMs?: number): Promise<void> }> {
  const turns = createTurns();
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    if (!server.listening) return void socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serveConnection(pglite, turns, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return {
    /**
     * Ends the connections. For up to `patienceMs` it waits until there are none, and still accepts others,
     * since a client may need a second connection to finish.
     */
    async stop(patienceMs = 0) {
      const endMs = performance.now() + patienceMs;
      while (sockets.size > 0 && performance.now() < endMs) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      await turns.take();
    },
  };
}

/** The connections that wait for the session, in the order of their arrival. */
type Turns = ReturnType<typeof createTurns>;

function createTurns() {
  let last: Promise<void> = Promise.resolve();
  return {
    async take(): Promise<() => void> {
      const before = last;
      let release = () => {};
      last = new Promise((resolve) => release = resolve);
      await before;
      return release;
    },
  };
}

/** The input that was received and not handled yet. */
function createInput() {
  let buffer = new Uint8Array(0);
  return {
    add(chunk: Uint8Array): void {
      const joined = new Uint8Array(buffer.length + chunk.length);
      joined.set(buffer);
      joined.set(chunk, buffer.length);
      buffer = joined;
    },
    /** Removes the next complete message; only messages after the startup message begin with a type. */
    take(started: boolean): Uint8Array | undefined {
      const head = started ? 1 : 0;
      if (buffer.length < head + 4) return undefined;
      const length = head + new DataView(buffer.buffer, buffer.byteOffset).getUint32(head);
      if (buffer.length < length) return undefined;
      const message = buffer.slice(0, length);
      buffer = buffer.subarray(length);
      return message;
    },
  };
}

function serveConnection(pglite: PGlite, turns: Turns, socket: Socket): void {
  const input = createInput();
  let started = false;
  let synchronised = true;
  let release: (() => void) | undefined;
  let working = false;
  let closed = false;
  const statements = new Set<string>();

  socket.on("data", (chunk: Uint8Array) => {
    input.add(chunk);
    void work();
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    closed = true;
    void work();
  });

  async function work(): Promise<void> {
    if (working) return;
    working = true;
    try {
      for (let next = input.take(started); next && !closed; next = input.take(started)) {
        await handle(next);
      }
      if (closed) await leave();
    } catch {
      socket.destroy();
    } finally {
      working = false;
    }
    if (closed && release) await work();
  }

  async function handle(message: Uint8Array): Promise<void> {
    if (!started) {
      const code = new DataView(message.buffer).getUint32(4);
      if (code === CANCEL_REQUEST) return void socket.destroy();
      if (code === SSL_REQUEST) return void socket.write("N");
      started = true;
    }
    const type = String.fromCharCode(message[0] ?? 0);
    if (started && type === "X") return void socket.end();
    release ??= await turns.take();
    if (closed) return;
    if (type === "P") rememberStatement(message);
    await send(message);
    synchronised = type === "S" || type === "Q" || message[0] === 0;
    if (synchronised && !pglite.isInTransaction()) {
      release();
      release = undefined;
    }
  }

  function rememberStatement(message: Uint8Array): void {
    const name = new TextDecoder().decode(message.subarray(5, message.indexOf(0, 5)));
    if (name) statements.add(name);
  }

  async function send(message: Uint8Array): Promise<void> {
    await pglite.runExclusive(() =>
      pglite.execProtocolRawStream(message, {
        onRawData: (data) => {
          if (data.length > 0 && socket.writable) socket.write(data.slice());
        },
      })
    );
  }

  /** Removes what the connection left in the session: an open transaction, prepared statements. */
  async function leave(): Promise<void> {
    if (!started) return;
    release ??= await turns.take();
    try {
      if (!synchronised) await send(SYNC);
      if (pglite.isInTransaction()) await pglite.exec("ROLLBACK");
      const names = [...statements];
      statements.clear();
      for (const name of names) {
        // A statement that failed to parse does not exist.
        await pglite.exec(`DEALLOCATE "${name.replaceAll('"', '""')}"`).catch(() => {});
      }
    } finally {
      release();
      release = undefined;
      started = false;
    }
  }
}
