import { refuse } from "@sabika/protocol";
import { resolveWebhookAddress } from "@sabika/service/delivery";
import type { AdminOutcome } from "@sabika/terms";
import type { PartnerAdminContext } from "./partner_admin_context.ts";

const REASONS: Record<string, string> = {
  url_malformed: "it is not a URL",
  url_not_https: "it must begin with https://",
  url_has_credentials: "it must not hold a user name or password",
  url_has_fragment: "it must not hold a fragment (#)",
  url_too_long: "it has more than 2048 characters",
  port_not_allowed: "its port is neither 443 nor 1024 or higher",
  host_not_public: "its host is not a public name",
  host_unknown: "its host has no address",
  address_not_public: "its host has an address that is not public",
};

/**
 * Checks a webhook URL at registration (Spec §8; Decision D36); each delivery checks it again. In the sandbox
 * a host need not resolve, so that a partner can be admitted on a machine without network.
 */
export async function readWebhookUrl(
  admin: Pick<PartnerAdminContext, "endpoints" | "environment">,
  text: string,
): Promise<AdminOutcome<string>> {
  const checked = await resolveWebhookAddress(text, admin.endpoints);
  if (checked.ok) return { ok: true, value: text };
  if (checked.reason === "host_unknown" && admin.environment === "sandbox") {
    return { ok: true, value: text };
  }
  return refuse(
    "invalid_webhook_url",
    `the webhook URL is refused: ${REASONS[checked.reason] ?? checked.reason}`,
  );
}
