import type { Environment } from "@sabika/protocol";
import { type AnySql, drizzle } from "@sabika/database";
import { acts } from "@sabika/service/audit";
import { cellActs } from "@sabika/service/booking";
import { and, eq } from "drizzle-orm";
import { type Approval, listApprovals } from "./read_approvals.ts";
import { approvals } from "./tables.ts";

/**
 * What became of a signed act: `unbooked` has still to be booked by the partner's cell, `refused` was refused
 * by it; the others are of a request for approval, or of the decision on one.
 */
export interface ActOutcome {
  readonly name: string;
  readonly state: Approval["state"] | "unbooked" | "refused";
  /** Why it is void, rejected or refused; null for none. */
  readonly reason: string | null;
  /** When a request that waits expires, epoch milliseconds. */
  readonly untilMs: number | null;
}

/** Finds what became of a person's act by its id; undefined when nothing was done under it. */
export async function findActOutcome(
  sql: AnySql,
  environment: Environment,
  { id, operatorId, nowMs }: { id: string; operatorId: number; nowMs: number },
): Promise<ActOutcome | undefined> {
  const [found] = await drizzle(sql)
    .select({ name: acts.name, cell: cellActs, decided: approvals })
    .from(acts)
    .leftJoin(cellActs, eq(cellActs.actId, acts.actId))
    .leftJoin(approvals, eq(approvals.decisionId, acts.actId))
    .where(and(eq(acts.actId, id), eq(acts.operatorId, operatorId)));
  if (found === undefined) return undefined;
  const { name, cell, decided } = found;
  const [request] = await listApprovals(sql, environment, { nowMs, id });
  if (request !== undefined && request.state !== "done") {
    return { name, state: request.state, reason: request.reason, untilMs: request.expiresAtMs };
  }
  const base = { name, reason: null, untilMs: null };
  if (decided !== null) {
    const [asked] = await listApprovals(sql, environment, { nowMs, id: decided.requestId });
    return { ...base, state: asked!.state, reason: decided.reason };
  }
  if (cell === null || /^(?:booked|repeated)$/.test(cell.result ?? "")) {
    return { ...base, state: "done" };
  }
  return cell.result === null
    ? { ...base, state: "unbooked" }
    : { ...base, state: "refused", reason: cell.result };
}
