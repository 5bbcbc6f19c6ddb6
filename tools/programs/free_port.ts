import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections and to who asks for any. */
const [FIRST, AFTER_LAST] = [10_000, 32_768];

/**
 * A TCP port of the loopback that was free a moment ago, for programs that cannot take port 0. Nobody
 * is given it by chance until it is used.
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
