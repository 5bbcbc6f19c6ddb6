import type { Sql } from "@sabika/database";
import { type Assertion, challengeOf, isAssertedBy, originOf } from "@sabika/identity/signatures";
import { findSigner, type Signer } from "@sabika/service/audit";
import type { NewPasskey } from "./people/passkeys.ts";
import { decodeBase64Url, encodeBase64Url, encodeUtf8, importPublicJwk } from "@sabika/protocol";
import {
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { cose, decodeCredentialPublicKey } from "@simplewebauthn/server/helpers";
import { type Members, membersOf, textOf } from "./read_body.ts";
import { Refused } from "./refused.ts";

/** Only ES256, as for every key here: security keys and platforms support it (Decision D82). */
const ALGORITHMS = [cose.COSEALG.ES256];

/** The host that the office's passkeys are bound to. */
const rpIdOf = (origin: string): string => new URL(origin).hostname;

/** Makes options for `navigator.credentials.create`: a discoverable passkey of this person, with ES256. */
export async function creationOptions(
  { origin, operatorId, operator, challenge, known }: {
    origin: string;
    operatorId: number;
    operator: string;
    challenge: Uint8Array;
    /** The credential ids, in base64url, of the person's present passkeys. */
    known: readonly string[];
  },
): Promise<unknown> {
  return await generateRegistrationOptions({
    rpName: "Sabika",
    rpID: rpIdOf(origin),
    userName: operator,
    userID: encodeUtf8(`operator ${operatorId}`),
    challenge: challenge.slice(),
    attestationType: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map((id) => ({ id })),
  });
}

/** Makes options for `navigator.credentials.get`: these passkeys, ids in base64url; any without an id. */
export function requestOptions(
  origin: string,
  challenge: Uint8Array,
  credentialIds: readonly string[] = [],
): unknown {
  return {
    rpId: rpIdOf(origin),
    challenge: encodeBase64Url(challenge),
    userVerification: "required",
    timeout: 300_000,
    allowCredentials: credentialIds.map((id) => ({ type: "public-key", id })),
  };
}

/**
 * Reads a passkey that an authenticator just made, on P-256.
 *
 * @param credential `toJSON()` of what `navigator.credentials.create` returned
 * @throws {Refused} with `sign_in_failed`, unless it was made for this office and challenge
 */
export async function readNewPasskey(
  origin: string,
  challenge: Uint8Array,
  credential: Members,
): Promise<NewPasskey> {
  const rpId = rpIdOf(origin);
  const verified = await verifyRegistrationResponse({
    response: credential as unknown as RegistrationResponseJSON,
    expectedChallenge: encodeBase64Url(challenge),
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined);
  const passkey = verified?.registrationInfo?.credential;
  const key = passkey && decodeCredentialPublicKey(passkey.publicKey);
  if (!passkey || !key || !cose.isCOSEPublicKeyEC2(key)) throw new Refused("sign_in_failed");
  const [x, y] = [key.get(cose.COSEKEYS.x), key.get(cose.COSEKEYS.y)];
  const publicJwk: NewPasskey["publicJwk"] = {
    kty: "EC",
    crv: "P-256",
    x: encodeBase64Url(x!),
    y: encodeBase64Url(y!),
  };
  return { credentialId: passkey.id, publicJwk, rpId };
}

/**
 * Reads what a passkey signed on a page of this office; its signature is not verified here.
 *
 * @param credential `toJSON()` of what `navigator.credentials.get` returned
 * @throws {Refused} with `sign_in_failed` for another origin, else with `invalid_request`
 */
export function readAssertion(
  origin: string,
  credential: Members,
): { credentialId: string; assertion: Assertion } {
  const response = membersOf(credential["response"], "response");
  const bytes = (name: string) => {
    const decoded = decodeBase64Url(textOf(response, name));
    if (decoded === undefined) throw new Refused("invalid_request", `"${name}" is base64url`);
    return decoded;
  };
  const assertion = {
    authenticatorData: bytes("authenticatorData"),
    clientDataJson: bytes("clientDataJSON"),
    signature: bytes("signature"),
  };
  if (originOf(assertion) !== origin) throw new Refused("sign_in_failed");
  return { credentialId: textOf(credential, "id"), assertion };
}

/**
 * Verifies which passkey signed which challenge; the caller checks that the office made the challenge.
 *
 * @throws {Refused} as {@linkcode readAssertion} does; with `sign_in_failed` unless the passkey is a valid
 *   one of an enabled person
 */
export async function verifySignIn(
  { sql, origin, nowMs }: { sql: Sql; origin: string; nowMs: number },
  credential: Members,
): Promise<Omit<Signer, "enabled" | "key"> & { keyId: string; challenge: Uint8Array }> {
  const { credentialId, assertion } = readAssertion(origin, credential);
  const signer = await findSigner(sql, { credentialId });
  const challenge = challengeOf(assertion);
  if (signer === undefined || challenge === undefined) throw new Refused("sign_in_failed");
  const { key: { publicJwk, rpId, validUntilMs, keyId }, enabled, operatorId } = signer;
  const imported = await importPublicJwk(publicJwk);
  const isTheirs = imported.ok && rpId !== null && enabled &&
    (validUntilMs === null || validUntilMs > nowMs) &&
    await isAssertedBy({ publicKey: imported.key, rpId }, challenge, assertion);
  if (!isTheirs) throw new Refused("sign_in_failed");
  return { challenge, operatorId, keyId, name: signer.name, roles: signer.roles };
}
