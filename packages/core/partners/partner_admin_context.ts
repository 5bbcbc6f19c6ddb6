import type { AdminContext } from "../admin/admin_context.ts";
import type { EndpointPolicy } from "../webhooks/webhook_url.ts";
import type { Authorities } from "./certificates/authorities.ts";
import type { Secrets } from "./secrets/create_secrets.ts";

/** What administering partners needs: an {@linkcode AdminContext} with what makes credentials. */
export interface PartnerAdminContext extends AdminContext {
  secrets: Secrets;
  authorities: Authorities;
  /** Where webhooks may go, checked when a URL is registered. */
  endpoints: EndpointPolicy;
}
