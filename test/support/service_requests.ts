import { encodeUtf8, signRequest } from "@sabika/protocol";
import type { RawRequest } from "./raw_https.ts";
import type { ServicePartner } from "./service_partner.ts";

/** The base URL in partners' signatures, whichever port an instance listens on. */
export const BASE_URL = "https://sabika.test";

/** A health request, which needs no token. */
export const HEALTH: RawRequest = {
  method: "GET",
  target: "/health",
  headers: [["Host", "sabika.test"]],
};

/** Makes the token request of a partner. */
export function tokenRequest(
  { kit }: { kit: Pick<ServicePartner["kit"], "clientId" | "clientSecret"> },
  form: Record<string, string> = {},
): RawRequest {
  const fields = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: kit.clientId,
    client_secret: kit.clientSecret,
    ...form,
  });
  return {
    method: "POST",
    target: "/oauth/token",
    headers: [["Host", "sabika.test"], ["Content-Type", "application/x-www-form-urlencoded"]],
    body: encodeUtf8(fields.toString()),
  };
}

/** Makes a read with a token. */
export function read(target: string, token: string): RawRequest {
  return {
    method: "GET",
    target,
    headers: [["Host", "sabika.test"], ["Authorization", `Bearer ${token}`]],
  };
}

/** Makes a write with a token and an Idempotency-Key, but no signature. */
export function write(
  target: string,
  token: string,
  body: string | Uint8Array,
  more: Record<string, string> = {},
): RawRequest {
  const headers: Record<string, string> = {
    Host: "sabika.test",
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Idempotency-Key": crypto.randomUUID(),
    ...more,
  };
  return {
    method: "POST",
    target,
    headers: Object.entries(headers),
    body: typeof body === "string" ? encodeUtf8(body) : body,
  };
}

/** Parts of a signed write that a test replaces. */
export interface SigningChoices {
  key?: CryptoKey;
  keyId?: string;
  url?: string;
  timestampSeconds?: number;
  nonce?: string;
  headers?: Record<string, string>;
}

/** Makes a signed write (Spec §5 Signed requests), with the parts that `choices` replaces. */
export async function signed(
  partner: Pick<ServicePartner, "signingKey">,
  target: string,
  token: string,
  body: string | Uint8Array,
  choices: SigningChoices = {},
): Promise<RawRequest> {
  const request = write(target, token, body);
  const headers = await signRequest({
    method: "POST",
    url: choices.url ?? BASE_URL + target,
    body: request.body!,
    timestampSeconds: choices.timestampSeconds ?? Math.floor(Date.now() / 1000),
    nonce: choices.nonce ?? crypto.randomUUID(),
    privateKey: choices.key ?? partner.signingKey,
    keyId: choices.keyId,
  });
  const allHeaders = { ...Object.fromEntries(request.headers), ...headers, ...choices.headers };
  return { ...request, headers: Object.entries(allHeaders) };
}
