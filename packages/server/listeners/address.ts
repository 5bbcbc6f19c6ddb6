import type { AddressInfo, Server } from "node:net";
import type { Address } from "@sabika/terms/settings";

/**
 * Starts listening at an address.
 *
 * @returns the port, or undefined on a Unix socket
 * @throws {Error} as Node reports it, such as `EADDRINUSE`
 */
export function listenOn(server: Server, address: Address): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      resolve("path" in address ? undefined : (server.address() as AddressInfo).port);
    });
  });
}
