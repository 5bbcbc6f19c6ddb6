import type { Authorities } from "@sabika/identity/certificates";
import type { Secrets } from "@sabika/identity/secrets";
import type { AdminContext } from "@sabika/service/audit";
import type { EndpointPolicy } from "@sabika/service/delivery";

/** The context for administering partners: an {@linkcode AdminContext} that can make credentials. */
export interface PartnerAdminContext extends AdminContext {
  secrets: Secrets;
  authorities: Authorities;
  /** Where webhooks may go, checked when a URL is registered. */
  endpoints: EndpointPolicy;
  /** What came with the act beside its arguments, which have its hash. */
  attachment?: string | undefined;
}
