import { type Form, oneOf, TIME } from "../form.ts";
import { member, record } from "../record_form.ts";
import { type Environment, ENVIRONMENTS } from "./environment.ts";

/** The answer of GET /health (Decision D16). */
export type Health =
  | { readonly status: "ok"; readonly environment: Environment; readonly serverTimeMs: number }
  | { readonly status: "unavailable" };

type Healthy = Extract<Health, { status: "ok" }>;

/** The form of GET /health while the service is not available. */
export const UNAVAILABLE: Form<Pick<Health, "status">> = record("unavailable", {
  status: member("status", oneOf(["ok", "unavailable"]), "No database or no price source."),
});

const HEALTHY: Form<Healthy> = record<Healthy>("health", {
  status: member("status", oneOf(["ok"]), "Everything that it needs is available."),
  environment: member("environment", oneOf(ENVIRONMENTS), "The environment of the service."),
  serverTimeMs: member("server_time", TIME, "The time of the service."),
});

/** The form of GET /health. */
export const HEALTH: Form<Health> = {
  shape: HEALTHY.shape,
  write: (health) => health.status === "ok" ? HEALTHY.write(health) : UNAVAILABLE.write(health),
  read(value, at) {
    const { status } = UNAVAILABLE.read(value, at);
    return status === "ok" ? HEALTHY.read(value, at) : { status };
  },
};
