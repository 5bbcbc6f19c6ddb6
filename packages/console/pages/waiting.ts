import { type Database, mapConcurrently } from "@sabika/database";
import { listApprovals, readApprovalPolicy } from "@sabika/office/acts";
import { listWithdrawalsToPay } from "@sabika/service/bank";
import { mayDo } from "@sabika/terms";
import type { Call } from "../call.ts";

const COUNTED = 1_000;

/** How many requests, withdrawals and endpoints wait for a person. */
export interface WaitingCounts {
  readonly toApprove: number;
  readonly toPay: number;
  readonly endpointsDown: number;
}

/**
 * Counts what waits for the viewer, at most 1,000 requests, and 1,000 withdrawals of each cell; 0 where
 * their roles do not permit the act.
 *
 * @param databases the databases of the cells that answer
 */
export async function countWaiting(
  { database: { sql }, environment, now, viewer }: Call,
  { databases, endpointsDown }: { databases: readonly Database[]; endpointsDown: number },
): Promise<WaitingCounts> {
  const { name, roles } = viewer;
  const [requests, policy, toPay] = await Promise.all([
    mayDo(roles, "approval.approve")
      ? listApprovals(sql, environment, { nowMs: now(), limit: COUNTED })
      : [],
    readApprovalPolicy(sql),
    mayDo(roles, "withdrawal.processing")
      ? mapConcurrently(
        databases,
        (database) => listWithdrawalsToPay(database.sql, { limit: COUNTED }),
      )
      : [],
  ]);
  const decides = (act: string) => {
    const rule = policy.rules.find((known) => known.act === act);
    return rule === undefined || rule.approvers.some((role) => roles.includes(role));
  };
  return {
    toApprove:
      requests.filter(({ state, requester, act }) =>
        state === "waiting" && requester !== name && decides(act)
      ).length,
    toPay: toPay.flat().length,
    endpointsDown: mayDo(roles, "webhook.enable") ? endpointsDown : 0,
  };
}
