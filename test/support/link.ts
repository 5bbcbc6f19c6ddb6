import type { Buffer } from "node:buffer";
import { once } from "node:events";
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Socket,
} from "node:net";

/** An end of a connection: the caller's, or the target's. */
export type End = "near" | "far";

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
  /** Passes on nothing of what one end sends, in all connections; what the other sends arrives. */
  mute(end: End): void;
  /**
   * Leaves all present connections half-open: one end sees them end, the other is not told, as when a machine
   * loses its power, and hears nothing more until `heal`, which ends them. Later connections are not affected.
   */
  halve(end: End): void;
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
  const pairs = new Set<Readonly<Record<End, Socket>>>();
  /** The ends of connections whose other end is lost. */
  const halves = new Set<Socket>();
  /** The ends of which nothing is passed on. */
  const silent = new Set<End>();
  let isCut = false;
  let delayMs = 0;

  /** Relays an end's bytes in their order, each after its delay, and then the end. */
  function pass(
    end: End,
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
        to.once("drain", () => silent.has(end) || from.resume());
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
    from.on("error", () => {}).on("close", () => halves.has(to) || to.destroy());
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (isCut) return void near.on("error", () => {}).destroy();
    const far = connect({ ...target(), allowHalfOpen: true });
    for (const socket of [near, far]) socket.setNoDelay(true);
    const pair = { near, far };
    const inspector = inspect?.(() => [near, far].forEach((socket) => socket.destroy()));
    pass("near", near, far, inspector?.sent);
    pass("far", far, near, inspector?.answered);
    pairs.add(pair);
    near.on("close", () => pairs.delete(pair));
    for (const end of silent) pair[end].pause();
  });
  server.listen(path === undefined ? { port: 0, host: "127.0.0.1" } : { path });
  await once(server, "listening");
  const sockets = () => [...[...pairs].flatMap(({ near, far }) => [near, far]), ...halves];

  return {
    port: path === undefined ? (server.address() as AddressInfo).port : 0,
    cut() {
      isCut = true;
      for (const socket of sockets()) socket.destroy();
    },
    freeze(alsoNew = true) {
      if (alsoNew) silent.add("near").add("far");
      for (const socket of sockets()) socket.pause();
    },
    mute(end) {
      silent.add(end);
      for (const pair of pairs) pair[end].pause();
    },
    halve(end) {
      for (const pair of pairs) {
        const left = pair[end === "near" ? "far" : "near"];
        halves.add(left.pause());
        left.once("close", () => halves.delete(left));
        pair[end].destroy();
      }
    },
    slow: (ms) => void (delayMs = ms),
    heal() {
      isCut = false;
      silent.clear();
      delayMs = 0;
      for (const socket of halves) socket.destroy();
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
    mute: (end) => links.forEach((link) => link.mute(end)),
    halve: (end) => links.forEach((link) => link.halve(end)),
    slow: (ms) => links.forEach((link) => link.slow(ms)),
    heal: () => links.forEach((link) => link.heal()),
  };
}
