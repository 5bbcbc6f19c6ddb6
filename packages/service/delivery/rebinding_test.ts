import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { resolveHost } from "@sabika/network";
import { openNameServer } from "../../../test/support/name_server.ts";
import { openTestOutbox } from "../../../test/support/test_outbox.ts";
import { startTestReceiver } from "../../../test/support/webhook_receiver.ts";
import { connectEndpoint, type EndpointConnection } from "./post_webhook.ts";

/** A public one first, and again between those that the name must not lead to. */
const PUBLIC = [93, 184, 215, 14];
const PRIVATE = [
  ...[[127, 0, 0, 1], [169, 254, 169, 254], [10, 0, 0, 1], [172, 16, 0, 1], [192, 168, 0, 1]],
  ...[[100, 64, 0, 1], [0, 0, 0, 0]],
];

test("a name that leads to a private address after it led to a public one is not followed", async () => {
  const outbox = await openTestOutbox();
  after(outbox.close);
  const answers = PRIVATE.flatMap((address) => [PUBLIC, address]);
  let asked = 0;
  const names = await openNameServer(() => answers[Math.floor(asked / 2) % answers.length]);
  after(names.close);
  const certificate = await outbox.authority.issue({ dns: ["rebind.example"], ip: [] });
  const receiver = await startTestReceiver(certificate);
  after(receiver.close);
  const partnerId = await outbox.addPartner(`https://rebind.example:${receiver.port}/`);
  const opened: string[] = [];
  const worker = outbox.worker({
    endpointPolicy: {
      allowLoopback: false,
      async resolve(hostname) {
        const found = await resolveHost(hostname, { servers: [names.server] });
        // Both types of an address are asked for at once.
        asked += 2;
        return found;
      },
    },
    connect(options): EndpointConnection {
      opened.push(...options.addresses.map(({ address }) => address));
      // No test calls a stranger: what was checked and is public is answered here.
      const isPublic = options.addresses.every(({ address }) => address === PUBLIC.join("."));
      const failed = () => Promise.resolve({ kind: "failed", reason: "public" } as const);
      return isPublic ? { post: failed, close: () => {} } : connectEndpoint(options);
    },
  });
  await outbox.writePings(partnerId, 1);
  for (let n = 0; n < answers.length; n++) {
    await worker.runDue();
    outbox.clock.ms += 86_400_000 / 24;
    await outbox.test.database.sql`
      update webhook_lanes set next_attempt_at = to_timestamp(${outbox.clock.ms / 1000}),
        attempts = 0 where partner_id = ${partnerId}`;
  }
  assertEquals(receiver.connections, 0, "nothing reached a private address");
  assertEquals([...new Set(opened)], [PUBLIC.join(".")]);
  assert(asked >= 2 * answers.length, `${asked / 2} of ${answers.length} answers were asked for`);
});
