import { PUBLISHED_RESERVE, refuse, RESERVE_OPENING } from "@sabika/protocol";
import type { ReserveReader } from "@sabika/service/reserves";
import type { ReadCall } from "../call/findings.ts";
import { json } from "../call/reply.ts";
import type { Route } from "./route.ts";

/** GET /v1/reserves/{YYYY-MM-DD}: what was owed and what was there, with who signed it (Decision D105). */
export function reserveRoute({ reserves }: { reserves: ReserveReader }): Route<ReadCall> {
  return async (_call, day) => {
    const reserve = await reserves.find(day);
    return reserve === undefined ? refuse("not_found") : json(PUBLISHED_RESERVE.write(reserve));
  };
}

/** GET /v1/reserves/{YYYY-MM-DD}/mine: what the partner's own commitment hides. */
export function reserveOpeningRoute({ reserves }: { reserves: ReserveReader }): Route<ReadCall> {
  return async ({ partner: { partnerId } }, day) => {
    const opening = await reserves.opening(partnerId, day);
    return opening === undefined ? refuse("not_found") : json(RESERVE_OPENING.write(opening));
  };
}
