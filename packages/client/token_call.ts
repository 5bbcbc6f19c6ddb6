import { FORM_MEDIA_TYPE, type SigningKey, tokenRequestToForm } from "@sabika/protocol";
import type { Call } from "./call.ts";
import type { Kit } from "./kit.ts";

/** Makes the call that fetches a token (Spec §5 Token). */
export function tokenCall(kit: Kit<SigningKey>): Omit<Call<never>, "read"> {
  return {
    method: "POST",
    path: "/oauth/token",
    body: { text: tokenRequestToForm(kit), mediaType: FORM_MEDIA_TYPE },
    token: false,
    secretBody: true,
  };
}
