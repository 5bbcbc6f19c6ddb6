import { test } from "node:test";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { assertEquals } from "@std/assert";
import { openSocket } from "./open_socket.ts";

test("a database on TCP is found by its host's name, and what was written early arrives", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    for (const host of ["localhost", "127.0.0.1"]) {
      const connected = once(server, "connection") as Promise<[Socket]>;
      const socket = await openSocket({ host, port, ssl: false, rootCertificateFile: undefined });
      socket.write("early");
      const [theirs] = await connected;
      assertEquals(String((await once(theirs, "data"))[0]), "early");
      socket.destroy();
      theirs.destroy();
    }
  } finally {
    server.close();
  }
});
