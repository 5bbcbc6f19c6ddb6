import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems assign to outgoing connections and to listeners on port 0. */
const [FIRST, AFTER_LAST] = [10_000, 32_768];

/**
 * Returns a free TCP port of the loopback, for programs that cannot listen on port 0. The system does not
 * assign it to other programs by itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, AFTER_LAST);
    const server = createServer().listen({ port, host: "127.0.0.1", exclusive: true });
    try {
      await once(server, "listening");
    } catch (error) {
      if ((error as { code?: string }).code === "EADDRINUSE") continue;
      throw error;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
