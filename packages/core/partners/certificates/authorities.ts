import type { Environment } from "@sabika/protocol";
import type { Database } from "../../store/database.ts";
import { drizzle } from "../../store/drizzle.ts";
import { authorities } from "../../store/schema/mod.ts";
import type { Secrets } from "../secrets/create_secrets.ts";
import { type Authority, createAuthority, type NewAuthority } from "./authority.ts";
import { X509Certificate } from "./x509.ts";

/** The two authorities of an environment: clients and servers trust the root alone. */
export interface Authorities {
  environment: Environment;
  root: Authority;
  issuing: Authority;
  /** What a listener checks clients against: issuing and root, in PEM. */
  clientCaPem: string;
}

/** The identity of the sealed key in a row of `authorities`. */
export const authorityIdentity = (name: string): string => `authorities/${name}`;

/**
 * Reads the authorities of this deployment; the first call makes them. Two concurrent first
 * calls agree on the same ones. A private key is opened when it signs, and at no other time.
 *
 * @throws Error when the database belongs to the other environment (Decision D40)
 */
export async function openAuthorities(options: {
  database: Database;
  secrets: Secrets;
  environment: Environment;
  nowMs: number;
  random: (length: number) => Uint8Array;
}): Promise<Authorities> {
  const { database: { sql }, secrets, environment } = options;
  const found = await read(options);
  if (found !== undefined) return found;
  const root = await createAuthority({ ...options, name: "root" });
  const issuing = await createAuthority({ ...options, name: "issuing", root });
  const toRow = async (name: string, { pem, pkcs8 }: NewAuthority) => ({
    name,
    certificatePem: pem,
    sealedPrivateKey: await secrets.seal(authorityIdentity(name), pkcs8),
  });
  const rows = [await toRow("root", root), await toRow("issuing", issuing)];
  await sql.begin(async (sql) => {
    // With one statement per name, two concurrent first calls could each make one.
    await sql`lock table authorities in exclusive mode`;
    if (await drizzle(sql).$count(authorities) > 0) return;
    await drizzle(sql).insert(authorities).values(rows);
  });
  const opened = await read(options);
  if (opened === undefined) throw new Error(`the authorities of ${environment} were not stored`);
  return opened;
}

async function read(options: {
  database: Database;
  secrets: Secrets;
  environment: Environment;
}): Promise<Authorities | undefined> {
  const { environment, secrets } = options;
  const rows = await drizzle(options.database.sql).select().from(authorities);
  const authority = (name: string): Authority | undefined => {
    const row = rows.find((row) => row.name === name);
    if (row === undefined) return undefined;
    const { certificatePem: pem, sealedPrivateKey } = row;
    const certificate = new X509Certificate(pem);
    if (certificate.subjectName.getField("CN")[0] !== `Sabika ${environment} ${name}`) {
      throw new Error(`the authorities in this database are not those of ${environment}`);
    }
    const sign = (data: Uint8Array) =>
      secrets.sign(authorityIdentity(name), sealedPrivateKey, data);
    return { certificate, pem, sign };
  };
  const root = authority("root");
  const issuing = authority("issuing");
  if (root === undefined || issuing === undefined) return undefined;
  return { environment, root, issuing, clientCaPem: issuing.pem + root.pem };
}
