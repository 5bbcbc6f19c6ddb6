import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeServerCertificate } from "@sabika/identity/certificates";
import { GOALS } from "../goals.ts";
import { interleave } from "../interleave.ts";
import type { Measure } from "../measure.ts";
import { random } from "../random.ts";
import { judge } from "../ratio.ts";
import { BUSY_CONNECTIONS, CONNECTIONS, runOrders } from "../run_orders.ts";
import { setEndpoints } from "../world/outbox.ts";
import { createSite } from "../world/site.ts";
import { startReceiver } from "../world/start_receiver.ts";
import { PARTNERS } from "../world/world.ts";
import { measureDelivery } from "./webhook_delivery.ts";

const ANSWER_MS = 20;

/** Events delivered per second, and their delay. */
export const webhooks: Measure = {
  name: "webhooks",
  asks: "Do orders keep their rate while their events are delivered, and how fast are those?",
  long: true,
  async run(bench) {
    const { rounds, progress } = bench;
    const { postgresql } = await bench.world();
    const site = await createSite(postgresql, "webhooks", PARTNERS);
    const { authorities } = site.deployment;
    const identity = await makeServerCertificate({
      authorities,
      random,
      nowMs: Date.now(),
      hosts: ["127.0.0.1", "localhost"],
    });
    const receiver = await startReceiver(identity);
    try {
      const authorityFile = join(site.folder, "receiver-ca.pem");
      await writeFile(authorityFile, authorities.root.pem);
      await receiver.behave({ delayMs: ANSWER_MS, failEvery: 0 });
      const server = await site.startServer({ SABIKA_WEBHOOK_DELIVERY: "off" });
      const delivery = await site.startDelivery({
        SABIKA_WEBHOOK_ALLOW_LOOPBACK: "true",
        SABIKA_WEBHOOK_CA_FILE: authorityFile,
      });
      const url = `https://localhost:${receiver.port}/webhooks`;
      const tails: number[][] = [[], []];
      const rate = (endpoint: string | null, tail: number[]) => async () => {
        await setEndpoints(site.database.sql, endpoint);
        const before = await receiver.taken();
        const calmer = await runOrders(bench, site, server, PARTNERS, CONNECTIONS);
        const busy = await runOrders(bench, site, server, PARTNERS, BUSY_CONNECTIONS);
        tail.push(calmer.p99Ms);
        const delivered = await receiver.taken() - before;
        progress.say(`webhooks: ${delivered} events delivered beside ${busy.succeeded} orders`);
        return busy.perSecond;
      };
      const measures = { beside: rate(url, tails[0]!), without: rate(null, tails[1]!) };
      progress.say("warming up");
      await measures.without();
      await measures.beside();
      tails.forEach((tail) => tail.length = 0);
      const found = await interleave(rounds, measures, (round, name, figure) => {
        progress.say(`webhooks, round ${round + 1}: ${name} ${figure.toFixed(0)} a second`);
      });
      return [
        judge(GOALS.besideWebhooks, found.beside, found.without),
        judge(GOALS.besideWebhooksTail, tails[0]!, tails[1]!),
        ...await measureDelivery(bench, site, receiver, delivery),
      ];
    } finally {
      await receiver.stop();
      await site.close();
    }
  },
};
