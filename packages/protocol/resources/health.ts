import { type Form, oneOf, TIME } from "../form.ts";
import { member, record } from "../record_form.ts";
import { type Environment, ENVIRONMENTS } from "./environment.ts";

/** The answer of GET /health (Decision D16). */
export type Health =
  | { readonly status: "ok"; readonly environment: Environment; readonly serverTimeMs: number }
  | { readonly status: "unavailable" };

type Status = Pick<Health, "status">;
type Healthy = Extract<Health, { status: "ok" }>;

const STATUS: Form<Status> = record("health", {
  status: member("status", oneOf(["ok", "unavailable"])),
});

const HEALTHY: Form<Healthy> = record<Healthy>("health", {
  status: member("status", oneOf(["ok"])),
  environment: member("environment", oneOf(ENVIRONMENTS)),
  serverTimeMs: member("server_time", TIME),
});

/** The form of GET /health. */
export const HEALTH: Form<Health> = {
  write: (health) => health.status === "ok" ? HEALTHY.write(health) : STATUS.write(health),
  read(value, at) {
    const { status } = STATUS.read(value, at);
    return status === "ok" ? HEALTHY.read(value, at) : { status };
  },
};
