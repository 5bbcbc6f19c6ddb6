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
  /** The address that partners call, for their kits; undefined where nobody set it. */
  baseUrl?: string | undefined;
  /** What came with the act beside its arguments, which have its hash. */
  attachment?: string | undefined;
}
