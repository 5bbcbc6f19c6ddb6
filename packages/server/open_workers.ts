import type { Database } from "@sabika/database";
import type { Secrets } from "@sabika/identity/secrets";
import { type Cells, mapCells, type OpenCells } from "@sabika/service/cells";
import { createWebhookWorker, type WebhookWorker } from "@sabika/service/delivery";
import { readWebhookSecrets, type Register } from "@sabika/service/partners";
import type { Log } from "./logging/log.ts";
import { webhookLog } from "./logging/webhook_log.ts";
import type { Metrics } from "./observability/metrics.ts";
import type { ServiceDatabases } from "./open_databases.ts";
import type { Opened } from "./opened.ts";
import type { ServiceSettings } from "./settings.ts";

/**
 * Creates the webhook workers of the cells. Each delivers as soon as its cell can be used, unless the
 * settings leave delivery to other instances. The webhook secrets are in control.
 */
export function openWorkers(
  cells: OpenCells<ServiceDatabases>,
  { settings, secrets, register, metrics, isBusy, isClockGood, now, realNow, random, log, opened }:
    {
      readonly settings: ServiceSettings;
      readonly secrets: Secrets;
      readonly register: Pick<Register, "byPartnerId">;
      readonly metrics: Pick<Metrics, "webhookAttempt">;
      readonly isBusy: () => boolean;
      readonly isClockGood: () => boolean;
      readonly now: () => number;
      readonly realNow: () => number;
      readonly random: (length: number) => Uint8Array;
      readonly log: Log;
      readonly opened: Opened;
    },
): Cells<{ readonly database: Database; readonly worker: WebhookWorker }> {
  const { sql } = cells.control.delivery;
  const workers = mapCells(cells, ({ trading, delivery }) => ({
    database: trading,
    worker: createWebhookWorker({
      database: delivery,
      readSecrets: (partnerId, nowMs) => readWebhookSecrets(sql, secrets, partnerId, nowMs),
      environment: settings.environment,
      endpointPolicy: { allowLoopback: settings.webhookAllowLoopback ?? false },
      extraCaPem: settings.webhookCaPem,
      now,
      realNow,
      random,
      log: webhookLog(log, (partnerId) => register.byPartnerId(partnerId)?.clientId),
      metrics: { attempt: metrics.webhookAttempt },
      isBusy,
      isClockGood,
    }),
  }));
  if (settings.deliverWebhooks ?? true) {
    cells.each((cellId) => {
      const { worker } = workers.all().get(cellId)!;
      worker.start();
      opened.add(() => worker.stop());
      return () => worker.stop();
    });
  }
  return workers;
}
