import { listAudit, readAuditEntry, readAuditHead } from "@sabika/core/admin";
import { Refused } from "../refused.ts";
import { AUDIT_ENTRY, AUDIT_HEAD, SIGNED_ENTRY } from "../wire/mod.ts";
import { one, pages, type Read } from "./read.ts";

/** What was done, by whom. */
export const AUDIT_READS: readonly Read[] = [
  pages(
    {
      path: "/audit",
      act: "audit.read",
      summary: "The audit log, newest first; of `client_id` alone",
      list: { kind: "paged" },
      filters: ["client_id"],
    },
    AUDIT_ENTRY,
    async ({ office: { admin: { database } }, filter }, { limit, cursor }) => {
      if (cursor !== undefined && !/^[1-9][0-9]{0,14}$/.test(cursor)) {
        throw new Refused("invalid_request", "cursor is not a next_cursor of this list");
      }
      const beforeId = cursor === undefined ? undefined : BigInt(cursor);
      const found = await listAudit(database.sql, {
        limit: limit + 1,
        ...(beforeId === undefined ? {} : { beforeId }),
        ...(filter["client_id"] === undefined ? {} : { clientId: filter["client_id"] }),
      });
      const data = found.slice(0, limit);
      const nextCursor = found.length > limit ? String(data.at(-1)!.auditId) : null;
      return { ok: true, page: { data, nextCursor } };
    },
  ),
  one(
    { path: "/audit/head", act: "audit.read", summary: "The last entry's number and hash" },
    AUDIT_HEAD,
    ({ office: { admin: { database } } }) => readAuditHead(database.sql),
  ),
  // Behind the head, whose path has the form of this one.
  one(
    {
      path: "/audit/{id}",
      act: "audit.read",
      summary: "An entry of the audit log by its number, its signature verified now",
    },
    SIGNED_ENTRY,
    async ({ office: { admin: { database, environment } }, path }) => {
      const id = path["id"]!;
      if (!/^[1-9][0-9]{0,14}$/.test(id)) return undefined;
      return await readAuditEntry(database.sql, environment, BigInt(id));
    },
  ),
];
