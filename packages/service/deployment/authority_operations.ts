import { refuse, sha256Hex } from "@sabika/protocol";
import { eq } from "drizzle-orm";
import { type AnySql, drizzle, type Sql, type Transaction } from "@sabika/database";
import {
  authorities,
  authorityIdentity,
  certifyIssuing,
  createRootList,
  installIssuing,
  readRoot,
  requestIssuing,
  type Root,
  type RootPlace,
  rootText,
  X509Certificate,
} from "@sabika/identity/certificates";
import type { KeyService } from "@sabika/identity/secrets";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";

type Admin = AdminContext & { secrets: KeyService };

/** An authority that is in force. */
export interface AuthorityInForce {
  name: "root" | "issuing";
  /** SHA-256 of the certificate's DER, lower-case hex. */
  sha256: string;
  validUntilMs: number;
}

/** Requests the issuing authority's certificate, as PEM; the first request creates its key. */
export function requestIssuingCertificate(
  admin: Admin,
): Promise<AdminOutcome<{ request: string }>> {
  return inTransaction(admin, async (sql) => {
    const request = await requestIssuing(sql, admin);
    await writeAudit(sql, admin, "authority.request", null, {});
    return { ok: true, value: { request } };
  });
}

/** Installs an issuing certificate (PEM) that the root signed, also a renewal; see {@linkcode installIssuing}. */
export function installIssuingCertificate(
  admin: Admin,
  pem: string,
): Promise<AdminOutcome<AuthorityInForce[]>> {
  return inTransaction(admin, (sql) => install(sql, admin, pem));
}

/** Requests, signs and installs a certificate in one step, for when the root's file is available. */
export function issueWithRoot(admin: Admin, root: Root): Promise<AdminOutcome<AuthorityInForce[]>> {
  return inTransaction(admin, async (sql) => {
    const { random } = admin;
    const request = await requestIssuing(sql, admin);
    const signed = await certifyIssuing(root, request, { nowMs: admin.now(), random });
    if (!signed.ok) return signed;
    return await install(sql, admin, signed.value);
  });
}

async function install(
  sql: Transaction,
  admin: Admin,
  pem: string,
): Promise<AdminOutcome<AuthorityInForce[]>> {
  const installed = await installIssuing(sql, admin, pem);
  if (!installed.ok) return installed;
  const inForce = await Promise.all([
    describe("root", installed.value.root),
    describe("issuing", installed.value.issuing),
  ]);
  const [root, issuing] = inForce.map(({ sha256 }) => sha256);
  await writeAudit(sql, admin, "authority.install", null, { root: root!, issuing: issuing! });
  return { ok: true, value: inForce };
}

/** Lists the authorities in force, the root first; empty before the first installation. */
export async function listAuthorities({ sql }: { sql: Sql }): Promise<AuthorityInForce[]> {
  const rows = await drizzle(sql).select().from(authorities);
  const found: AuthorityInForce[] = [];
  for (const name of ["root", "issuing"] as const) {
    const row = rows.find((row) => row.name === name);
    if (row !== undefined) {
      found.push(await describe(name, new X509Certificate(row.certificatePem)));
    }
  }
  return found;
}

async function describe(
  name: AuthorityInForce["name"],
  { rawData, notAfter }: X509Certificate,
): Promise<AuthorityInForce> {
  const sha256 = await sha256Hex(new Uint8Array(rawData));
  return { name, sha256, validUntilMs: notAfter.getTime() };
}

/** Whether the database has the root's private key, as 1.0.0 kept it. */
export async function hasRootKey({ sql }: { sql: AnySql }): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select has_root_key() as found`;
  return row!.found;
}

/**
 * Moves the root's private key out of a database of 1.0.0 to its own place, and signs the root's
 * revocation list again. The database only forgets the key once it was read back from that place.
 *
 * @returns false when the database has none; refused when the place has another root
 */
export async function moveRoot(admin: Admin, place: RootPlace): Promise<AdminOutcome<boolean>> {
  if (!await hasRootKey({ sql: admin.transaction ?? admin.database.sql })) {
    return { ok: true, value: false };
  }
  return await inTransaction(admin, async (sql) => {
    await sql`lock table authorities in exclusive mode`;
    const rows = await drizzle(sql).select().from(authorities);
    const root = rows.find(({ name }) => name === "root");
    const issuing = rows.find(({ name }) => name === "issuing");
    if (root?.sealedPrivateKey == null || issuing === undefined) return { ok: true, value: false };
    const pkcs8 = await admin.secrets.open(authorityIdentity("root"), root.sealedPrivateKey);
    const text = rootText({ pem: root.certificatePem, pkcs8 });
    if (await place.read() === undefined) await place.write(text);
    if (await place.read() !== text) {
      return refuse("already_exists", "there is another root where this one should go");
    }
    const untilMs = new X509Certificate(issuing.certificatePem).notAfter.getTime();
    const revocationListPem = await createRootList(await readRoot(text), untilMs, admin.now());
    await drizzle(sql).update(authorities).set({ sealedPrivateKey: null, revocationListPem })
      .where(eq(authorities.name, "root"));
    await writeAudit(sql, admin, "authority.export", null, {});
    return { ok: true, value: true };
  });
}
