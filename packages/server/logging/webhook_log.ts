import type { WebhookWorkerOptions } from "@sabika/service/delivery";
import { describeError, type Log, type LogLevel } from "./log.ts";

/**
 * Writes what the webhook worker reports to this log: the partner by its client id, an error
 * without its message.
 *
 * @param clientIdOf the client id of a partner, when it is known
 */
export function webhookLog(
  log: Log,
  clientIdOf: (partnerId: number) => string | undefined,
): NonNullable<WebhookWorkerOptions["log"]> {
  const write = (level: LogLevel) => (message: string, fields: Record<string, unknown>): void => {
    const { partnerId, sequence, attempts, reason, error } = fields;
    log(level, message.replaceAll(" ", "_"), {
      partner: typeof partnerId === "number" ? clientIdOf(partnerId) : undefined,
      sequence: sequence === undefined ? undefined : Number(sequence),
      attempts: typeof attempts === "number" ? attempts : undefined,
      reason: typeof reason === "string" ? reason : undefined,
      error: error === undefined ? undefined : describeError(error),
    });
  };
  return { warn: write("warning"), error: write("error") };
}
