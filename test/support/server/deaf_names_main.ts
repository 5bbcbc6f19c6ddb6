import process from "node:process";
import { createLookup, createPlainFetch } from "@sabika/network";
import { createService, readSettings } from "@sabika/server";

// A service as main.ts starts it, whose price feed's name is asked of SABIKA_TEST_NAME_SERVER, with
// all the patience in the world. It says when it serves and when a name has an answer.

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
