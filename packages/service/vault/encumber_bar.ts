import { refuse } from "@sabika/protocol";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { inTransaction } from "../audit/change.ts";
import { type Bar, isDocumentHash, isLine } from "./bars.ts";
import { changeBar, finish, isCounted, lockBar, noSuchBar, one } from "./change_bars.ts";

/**
 * Records that a bar does not count from now on, such as one that is pledged; refused while it backs allocations.
 *
 * @param why.document the SHA-256 of the document that says so
 */
export function encumberBar(
  admin: AdminContext,
  serial: string,
  why: { readonly reason: string; readonly document?: string | undefined },
): Promise<AdminOutcome<Bar>> {
  const { reason, document = null } = why;
  if (!isLine(reason)) {
    return Promise.resolve(refuse("invalid_setting", "say in 1 to 128 characters why"));
  }
  if (document !== null && !isDocumentHash(document)) {
    return Promise.resolve(refuse("invalid_setting", "a document is named by its SHA-256"));
  }
  return one(inTransaction(admin, async (sql) => {
    const bar = await lockBar(sql, serial);
    if (bar === undefined) return noSuchBar(serial);
    if (!isCounted(bar)) return refuse("invalid_state", `the bar ${serial} is encumbered already`);
    const change = { encumbrance: reason, encumbranceDocument: document };
    const bars = await changeBar(sql, serial, change);
    const detail = { serial, reason, document };
    return await finish(sql, admin, "vault.bar.encumber", "remove", bars, detail);
  }));
}

/** Records that a bar that was encumbered counts again. */
export function releaseBar(admin: AdminContext, serial: string): Promise<AdminOutcome<Bar>> {
  return one(inTransaction(admin, async (sql) => {
    const bar = await lockBar(sql, serial);
    if (bar === undefined) return noSuchBar(serial);
    if (isCounted(bar)) return refuse("invalid_state", `the bar ${serial} is not encumbered`);
    const change = { encumbrance: null, encumbranceDocument: null };
    const bars = await changeBar(sql, serial, change);
    return await finish(sql, admin, "vault.bar.release", "add", bars, { serial });
  }));
}
