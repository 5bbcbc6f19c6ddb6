import { FORM_MEDIA_TYPE } from "@sabika/protocol";
import type { Call } from "./call.ts";
import type { Kit } from "./kit.ts";

/** The call that fetches a token (Spec §5 Token). */
export function tokenCall(kit: Kit): Omit<Call<never>, "read"> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: kit.clientId,
    client_secret: kit.clientSecret,
  });
  return {
    method: "POST",
    path: "/oauth/token",
    body: { text: form.toString(), mediaType: FORM_MEDIA_TYPE },
    token: false,
    secretBody: true,
  };
}
