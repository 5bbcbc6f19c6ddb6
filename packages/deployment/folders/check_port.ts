import { once } from "node:events";
import { createServer } from "node:net";
import { freePort } from "../../../tools/programs/free_port.ts";
import { StartError } from "../start_error.ts";

/**
 * Returns `port` if it is free on 127.0.0.1, and undefined if it is taken; 0 stands for any free port.
 *
 * @param option the command's option for another port, for the error's message
 * @throws {StartError} when the port cannot be used for another reason
 */
export async function tryPort(port: number, option = "--port"): Promise<number | undefined> {
  if (port === 0) return await freePort();
  const server = createServer();
  try {
    server.listen({ port, host: "127.0.0.1", exclusive: true });
    await once(server, "listening");
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EADDRINUSE") return undefined;
    throw new StartError(`port ${port} cannot be used (${code}): choose another with ${option} N`);
  }
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Checks that a port is free on 127.0.0.1, and returns it; 0 stands for any free port.
 *
 * @param option the command's option for another port, for the error's message
 * @throws {StartError} when it is taken or cannot be used
 */
export async function checkPort(port: number, option = "--port"): Promise<number> {
  const found = await tryPort(port, option);
  if (found !== undefined) return found;
  throw new StartError(
    `port ${port} is taken: stop what uses it, or choose another with ${option} ${port + 10}`,
  );
}
