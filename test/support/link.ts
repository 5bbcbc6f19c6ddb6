import type { Buffer } from "node:buffer";
import { once } from "node:events";
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Socket,
} from "node:net";

/** Disturbs the connections between two parts of a system. */
export interface Breakable {
  /** Ends all connections and refuses new ones. */
  cut(): void;
  /**
   * Keeps connections open, but passes nothing on.
   *
   * @param alsoNew false: connections that are opened later are not affected; true by default
   */
  freeze(alsoNew?: boolean): void;
  /** Delays all bytes by this time in each direction. */
  slow(ms: number): void;
  /** Ends all disturbances. */
  heal(): void;
}

/** A relay for the connections between two parts. */
export interface Link extends Breakable {
  /** The port on the loopback; 0 on a Unix socket. */
  readonly port: number;
  close(): Promise<void>;
}

/** Sees all bytes of one connection, and decides which of them pass. */
export interface Inspector {
  /** @returns the bytes that the target gets */
  sent(chunk: Buffer): Uint8Array;
  /** @returns the bytes that the caller gets */
  answered(chunk: Buffer): Uint8Array;
}

/** The address of a link, and an inspector of its connections. */
export interface LinkOptions {
  /** The Unix socket to listen on; a free port of the loopback by default. */
  readonly path?: string;
  /**
   * Called for each new connection.
   *
   * @param end ends the connection on both sides
   */
  readonly inspect?: (end: () => void) => Inspector;
}

/** Opens a link; calls `target` for the address to which it relays each new connection. */
export async function openLink(
  target: () => NetConnectOpts,
  { path, inspect }: LinkOptions = {},
): Promise<Link> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  let isFrozen = false;
  let delayMs = 0;

  /** Relays bytes in their order, each after its delay, and then the end. */
  function pass(
    from: Socket,
    to: Socket,
    passing: (chunk: Buffer) => Uint8Array = (chunk) => chunk,
  ): void {
    const waiting: { readonly atMs: number; readonly chunk: Uint8Array | undefined }[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = (chunk: Uint8Array | undefined) => {
      if (to.destroyed) return;
      if (chunk === undefined) to.end();
      else if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => isFrozen || from.resume());
      }
    };
    const turn = () => {
      timer = undefined;
      while (waiting.length > 0 && waiting[0]!.atMs <= performance.now()) {
        write(waiting.shift()!.chunk);
      }
      const [next] = waiting;
      if (next !== undefined) timer = setTimeout(turn, next.atMs - performance.now());
    };
    const take = (chunk?: Uint8Array) => {
      if (delayMs === 0 && waiting.length === 0) return write(chunk);
      waiting.push({ atMs: performance.now() + delayMs, chunk });
      if (timer === undefined) turn();
    };
    from.on("data", (chunk: Buffer) => take(passing(chunk)));
    from.on("end", () => take());
    from.on("error", () => {});
    from.on("close", () => to.destroy());
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (isCut) return void near.on("error", () => {}).destroy();
    const far = connect({ ...target(), allowHalfOpen: true });
    for (const socket of [near, far]) socket.setNoDelay(true);
    const pair = [near, far] as const;
    const inspector = inspect?.(() => pair.forEach((socket) => socket.destroy()));
    pass(near, far, inspector?.sent);
    pass(far, near, inspector?.answered);
    pairs.add(pair);
    near.on("close", () => pairs.delete(pair));
    if (isFrozen) pair.forEach((socket) => socket.pause());
  });
  if (path === undefined) server.listen(0, "127.0.0.1");
  else server.listen(path);
  await once(server, "listening");
  const sockets = () => [...pairs].flat();

  return {
    port: path === undefined ? (server.address() as AddressInfo).port : 0,
    cut() {
      isCut = true;
      for (const socket of sockets()) socket.destroy();
    },
    freeze(alsoNew = true) {
      isFrozen = alsoNew;
      for (const socket of sockets()) socket.pause();
    },
    slow(ms) {
      delayMs = ms;
    },
    heal() {
      isCut = isFrozen = false;
      delayMs = 0;
      for (const socket of sockets()) socket.resume();
    },
    async close() {
      for (const socket of sockets()) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Combines links so that they are broken and healed together. */
export function bundleLinks(links: readonly Link[]): Breakable {
  return {
    cut: () => links.forEach((link) => link.cut()),
    freeze: () => links.forEach((link) => link.freeze()),
    slow: (ms) => links.forEach((link) => link.slow(ms)),
    heal: () => links.forEach((link) => link.heal()),
  };
}
