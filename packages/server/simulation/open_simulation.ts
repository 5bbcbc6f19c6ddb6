import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@sabika/database";
import type { Secrets } from "@sabika/identity/secrets";
import type { WebhookWorker } from "@sabika/service/delivery";
import type { PriceSource } from "@sabika/service/prices";
import { readEndedWebhookSecret, type Register } from "@sabika/service/partners";
import { formatWebhookSecret } from "@sabika/protocol";
import type { Opened } from "../opened.ts";
import type { ServiceClock } from "./service_clock.ts";
import { createSimulation, type Simulation } from "./create_simulation.ts";
import type { SimulatedTradingParts } from "./simulated_trading.ts";

/** The parts that failures on demand need for a cell's database. */
export interface OpenSimulationParts extends SimulatedTradingParts {
  /** The database of the cell. */
  readonly database: Database;
  readonly control: Database;
  readonly prices: PriceSource;
  readonly clock: ServiceClock;
  readonly secrets: Secrets;
  readonly register: Pick<Register, "byPartnerId">;
  readonly worker: Pick<WebhookWorker, "sendWith">;
  readonly opened: Opened;
  readonly onError: (name: string, error: unknown) => void;
}

/** Creates the simulations of a running instance; their pending effects end with it. */
export function openSimulation(parts: OpenSimulationParts): Simulation {
  const { control, secrets, register, worker, opened, onError, now, random } = parts;
  const ending = new AbortController();
  const running = new Set<Promise<void>>();
  opened.add(async () => {
    ending.abort();
    await Promise.all(running);
  });
  return createSimulation({
    ...parts,
    wait: (ms) => pause(ms, undefined, { signal: ending.signal }),
    later(run) {
      const task = run()
        .catch((error: unknown) => {
          if (!ending.signal.aborted) onError("simulation", error);
        })
        .finally(() => running.delete(task));
      running.add(task);
    },
    async sendWithOldSecret({ partnerId, sequence }) {
      const url = register.byPartnerId(partnerId)?.webhookUrl;
      if (!url) return;
      const secret = await readEndedWebhookSecret(control.sql, secrets, partnerId, now()) ??
        formatWebhookSecret(random(32));
      await worker.sendWith({ partnerId, sequence, url }, [secret]);
    },
  });
}
