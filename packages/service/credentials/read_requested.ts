import { formatId, type RequestedCredential } from "@sabika/protocol";
import { and, desc, eq, type SQL, sql as expression } from "drizzle-orm";
import { type AnySql, type Database, drizzle, type Inputs, preparedQuery } from "@sabika/database";
import {
  listedById,
  type Listing,
  type ListInputs,
  type ListQuery,
  readPage,
} from "../lists/list_query.ts";
import { partners } from "../partners/tables.ts";
import { credentialRequests } from "./tables.ts";

const { partnerId, requestId: id, createdAt: time, status, keyHash, evidence } = credentialRequests;

const selectOne = preparedQuery((orm, values: Inputs<"partnerId" | "id">) =>
  orm.select().from(credentialRequests)
    .where(and(eq(partnerId, values.partnerId), eq(id, values.id)))
);

const selectPage = preparedQuery((orm, values: ListInputs & Inputs<never, "status">) => {
  const { idempotencyKey, ...others } = values;
  return orm.select().from(credentialRequests)
    .where(and(
      listedById({ partnerId, id, time }, others),
      idempotencyKey && eq(keyHash, expression`short_hash(${idempotencyKey}::text)`),
      values.status && eq(status, values.status),
    ))
    .orderBy(desc(id)).limit(values.limit);
});

/** One request of the partner's for a credential; undefined when it has none of this id. */
export async function getRequestedCredential(
  { sql }: Database,
  query: { partnerId: number; credentialId: string },
): Promise<RequestedCredential | undefined> {
  const [row] = await selectOne(sql, { partnerId: query.partnerId, id: query.credentialId });
  return row && readRequested(row);
}

/** A partner's requests for credentials, newest first. */
export function listRequestedCredentials(
  { sql }: Database,
  query: ListQuery,
): Promise<Listing<RequestedCredential>> {
  return readPage(
    "credentials",
    query,
    (values) => selectPage(sql, { ...values, status: query.status }),
    readRequested,
    (row) => row.requestId,
  );
}

/** Makes of a row what the partner sees. */
function readRequested(row: typeof credentialRequests.$inferSelect): RequestedCredential {
  return {
    id: formatId("cr", row.requestId),
    kind: row.kind,
    status: row.status,
    keyId: row.keyId,
    replaces: row.replaces,
    overlapSeconds: row.overlapSeconds,
    createdAtMs: row.createdAt,
    decidedAtMs: row.decidedAt,
    replacedEndsAtMs: row.replacedEndsAt,
    certificate: row.certificate,
    refusalReason: row.refusal,
  };
}

/** The condition of a partner's request by its wire id, `cr_…`. */
export const isRequest = (partner: number, request: string): SQL | undefined =>
  and(eq(partnerId, partner), expression`'cr_' || ${id}::text = ${request}`);

/** A request as the operator sees it: also whose, who signed it, and the signing request, PEM. */
export interface AskedCredential extends Omit<RequestedCredential, "certificate"> {
  readonly clientId: string;
  readonly signedBy: string;
  readonly csr: string;
}

/** Lists partners' requests, newest first; in one state, or all. */
export async function listAskedCredentials(
  sql: AnySql,
  state?: string,
): Promise<readonly AskedCredential[]> {
  const rows = await drizzle(sql)
    .select({
      row: credentialRequests,
      clientId: partners.clientId,
      csr: expression<string>`(${evidence} ->> 'body')::jsonb ->> 'csr'`,
    })
    .from(credentialRequests).innerJoin(partners, eq(partners.partnerId, partnerId))
    .where(state === undefined ? undefined : expression`${status} = ${state}`)
    .orderBy(desc(id));
  return rows.map(({ row, clientId, csr }) => {
    const { certificate: _, ...requested } = readRequested(row);
    return { ...requested, clientId, csr, signedBy: row.evidence.keyId };
  });
}
