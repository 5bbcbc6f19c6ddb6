import {
  decodeHex,
  encodeUtf8,
  importPublicJwk,
  type PublicJwk,
  refuse,
  sha256Hex,
  thumbprint,
} from "@sabika/protocol";
import { and, eq, isNull, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle } from "@sabika/database";
import {
  argumentsText,
  type Assertion,
  formatAssertion,
  isSignedBy,
  type SignedAct,
} from "@sabika/identity/signatures";
import {
  type AdminContext,
  inTransaction,
  notAfterNow,
  operatorKeys,
  operatorLinks,
  operators,
  writeAudit,
} from "@sabika/service/audit";
import type { AdminOutcome } from "@sabika/terms";
import { refusingUnwarranted, WINDOW_MS } from "./authorise.ts";
import { changeOperator } from "./people.ts";

/** A link is valid for a day after it was made, or approved. */
const LINK_HOURS = 24;

/** A passkey as its authenticator made it: on P-256, bound to a host. */
export interface NewPasskey {
  /** Base64url. */
  readonly credentialId: string;
  readonly publicJwk: PublicJwk;
  readonly rpId: string;
}

/** A one-time link, and the person it is for. */
export interface PasskeyLink {
  readonly operatorId: number;
  readonly operator: string;
  /** Lower-case hex. */
  readonly linkSha256: string;
}

/**
 * Makes a one-time link by which a person registers a passkey (Decision D82). The requester makes the
 * token and sends only its hash: so the act may wait for a second person, and no log has the token.
 *
 * @param linkSha256 SHA-256 of the token, lower-case hex
 */
export async function makeLink(
  admin: AdminContext,
  name: string,
  linkSha256: string,
): Promise<AdminOutcome<null>> {
  const linkHash = /^[0-9a-f]{64}$/.test(linkSha256) ? decodeHex(linkSha256) : undefined;
  if (linkHash === undefined) {
    return refuse("invalid_setting", "a link is given as the SHA-256 of its token, in hex");
  }
  return await changeOperator(admin, name, "operator.link", async (sql, { operatorId }) => {
    const [added] = await drizzle(sql).insert(operatorLinks).values({
      linkHash,
      operatorId,
      expiresAt: expression`clock_timestamp() + make_interval(hours => ${LINK_HOURS})`,
    }).onConflictDoNothing().returning();
    return added === undefined
      ? refuse("already_exists", "there was such a link before: make a new one")
      : { link_sha256: linkSha256 };
  });
}

/** Finds a link by its token; undefined when it is unknown, used or expired, or its person is disabled. */
export async function findLink(sql: AnySql, token: string): Promise<PasskeyLink | undefined> {
  const linkSha256 = await sha256Hex(encodeUtf8(token));
  const [row] = await drizzle(sql)
    .select({ operatorId: operators.operatorId, operator: operators.name })
    .from(operatorLinks).innerJoin(operators, eq(operators.operatorId, operatorLinks.operatorId))
    .where(and(isUsable(linkSha256), operators.enabled));
  return row && { ...row, linkSha256 };
}

function isUsable(linkSha256: string) {
  return and(
    eq(operatorLinks.linkHash, decodeHex(linkSha256)!),
    isNull(operatorLinks.usedAt),
    expression`${operatorLinks.expiresAt} > clock_timestamp()`,
  );
}

/** Makes the act by which a new passkey signs its own registration, to be staged: name and arguments. */
export async function registrationOf(
  { operator, linkSha256 }: PasskeyLink,
  { credentialId, publicJwk, rpId }: NewPasskey,
): Promise<Pick<SignedAct, "name" | "argumentsText">> {
  return {
    name: "operator.passkey.add",
    argumentsText: argumentsText({
      operator,
      key_id: await thumbprint(publicJwk),
      credential_id: credentialId,
      rp_id: rpId,
      link_sha256: linkSha256,
    }),
  };
}

/**
 * Registers a passkey by a link, which it uses up. The passkey signs its own registration, so that
 * the audit log shows that it works and whose it is.
 *
 * @param registration.act the id and time of the act, as they were staged
 * @returns the link, and the key's id: its RFC 7638 thumbprint
 */
export async function registerPasskey(
  admin: AdminContext,
  registration: {
    token: string;
    passkey: NewPasskey;
    act: Pick<SignedAct, "id" | "signedAtMs">;
    assertion: Assertion;
  },
): Promise<AdminOutcome<PasskeyLink & { keyId: string }>> {
  const { passkey: { publicJwk, rpId, credentialId } } = registration;
  const link = await findLink(admin.database.sql, registration.token);
  if (link === undefined) return refuse("not_found", NO_LINK);
  const keyId = await thumbprint(publicJwk);
  const signed: SignedAct = {
    ...registration.act,
    ...await registrationOf(link, registration.passkey),
    signature: formatAssertion(keyId, registration.assertion),
  };
  const imported = await importPublicJwk(publicJwk);
  const isItsOwn = imported.ok && Math.abs(signed.signedAtMs - admin.now()) <= WINDOW_MS &&
    await isSignedBy({ keyId, publicKey: imported.key, rpId }, admin.environment, signed);
  if (!isItsOwn) return refuse("signature_invalid", "the passkey did not sign its registration");
  const { operatorId, operator, linkSha256 } = link;
  const acting = {
    ...admin,
    actor: { ...admin.actor, who: operator },
    warrant: { signed, operatorId, keyId },
  };
  return await refusingUnwarranted(() =>
    inTransaction(acting, async (sql) => {
      const used = await drizzle(sql).update(operatorLinks)
        .set({ usedAt: expression`clock_timestamp()` }).where(isUsable(linkSha256)).returning();
      if (used.length === 0) return refuse("not_found", NO_LINK);
      const added = await drizzle(sql).insert(operatorKeys).values({
        keyId,
        operatorId,
        publicJwk,
        credentialId,
        rpId,
        validFrom: notAfterNow(admin.now()),
      }).onConflictDoNothing().returning();
      if (added.length === 0) return refuse("key_in_use", "this passkey is or was somebody's");
      await writeAudit(sql, acting, "operator.passkey.add", null, {
        operator,
        keyId,
        rp_id: rpId,
        link_sha256: linkSha256,
      });
      return { ok: true, value: { ...link, keyId } };
    })
  );
}

const NO_LINK = "this link was used, is too old or never was one: ask for a new one";
