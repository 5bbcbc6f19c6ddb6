import type { Environment } from "@sabika/protocol";
import { type Database, drizzle, type Sql } from "@sabika/database";
import type { KeyService } from "../secrets/key_service.ts";
import { type Authority, type AuthorityName, authorityName } from "./authority.ts";
import { authorities } from "./tables.ts";
import { X509Certificate } from "./x509.ts";

/** The two authorities of an environment: clients and servers trust only the root. */
export interface Authorities {
  environment: Environment;
  /** It cannot sign, unless a database of 1.0.0 still has its private key (Decision D73). */
  root: Omit<Authority, "sign"> & Partial<Pick<Authority, "sign">>;
  /** The root's revocation list, PEM; undefined while the database has its private key. */
  rootListPem: string | undefined;
  issuing: Authority;
  /** The authorities that a listener trusts for clients: issuing and root, in PEM. */
  clientCaPem: string;
}

/** The row of an issuing key that the root has not certified yet; it holds the request. */
export const REQUESTED = "issuing-requested";

/** The identity of the sealed key in a row of `authorities`; a requested key keeps its own. */
export const authorityIdentity = (name: string): string =>
  `authorities/${name === REQUESTED ? "issuing" : name}`;

/**
 * Reads the authorities of this deployment; undefined when there are none yet. A private key is
 * opened when it signs, and at no other time.
 *
 * @throws Error when the database belongs to the other environment (Decision D40)
 */
export async function readAuthorities(options: {
  database: Pick<Database, "sql"> | { sql: Sql };
  secrets: KeyService;
  environment: Environment;
}): Promise<Authorities | undefined> {
  const { environment, secrets } = options;
  const rows = await drizzle(options.database.sql).select().from(authorities);
  const read = (name: AuthorityName) => {
    const row = rows.find((row) => row.name === name);
    if (row === undefined) return undefined;
    const { certificatePem: pem, sealedPrivateKey, revocationListPem } = row;
    const certificate = new X509Certificate(pem);
    if (certificate.subjectName.getField("CN")[0] !== authorityName(environment, name)) {
      throw new Error(`the authorities in this database are not those of ${environment}`);
    }
    const sign = sealedPrivateKey === null
      ? undefined
      : (data: Uint8Array) => secrets.sign(authorityIdentity(name), sealedPrivateKey, data);
    return { certificate, pem, sign, revocationListPem };
  };
  const [root, issuing] = [read("root"), read("issuing")];
  if (root === undefined || issuing?.sign === undefined) return undefined;
  return {
    environment,
    root,
    rootListPem: root.revocationListPem ?? undefined,
    issuing: { ...issuing, sign: issuing.sign },
    clientCaPem: issuing.pem + root.pem,
  };
}
