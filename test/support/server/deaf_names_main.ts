import process from "node:process";
import { createLookup, createPlainFetch } from "@sabika/network";
import { createService, readSettings } from "@sabika/server";

// A service as main.ts starts it, except that it resolves the name of its price feed with the name server
// SABIKA_TEST_NAME_SERVER, without a time limit. It logs when it serves and when a name is resolved.

const lookup = createLookup({
  servers: [process.env["SABIKA_TEST_NAME_SERVER"]!],
  timeoutMs: 600_000,
});
const service = createService(await readSettings(process.env), {
  now: Date.now,
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  fetch: createPlainFetch({
    lookup: (name, options, done) =>
      lookup(name, options, (...found) => {
        process.stdout.write("answered\n");
        done(...found);
      }),
  }),
});
await service.start();
process.stdout.write("serving\n");
