import type { Environment } from "@sabika/protocol";
import type { Database } from "../../store/database.ts";
import type { EndpointPolicy } from "../../webhooks/webhook_url.ts";
import type { Authorities } from "../certificates/authorities.ts";
import type { Secrets } from "../secrets/create_secrets.ts";

/** Who does something, and from where; both go into the audit log. */
export interface Actor {
  who: string;
  from: string;
}

/** What every operation of the operator works with. */
export interface Desk {
  database: Database;
  secrets: Secrets;
  authorities: Authorities;
  environment: Environment;
  /** Where webhooks may go, checked when a URL is registered. */
  endpoints: EndpointPolicy;
  actor: Actor;
  /** Epoch milliseconds. */
  now: () => number;
  random: (length: number) => Uint8Array;
}
