import { type Reading, statementCsvStream, statementJsonStream } from "@sabika/core";
import { JSON_MEDIA_TYPE, refuse } from "@sabika/protocol";
import { reply } from "../reply.ts";
import type { Route } from "./route.ts";

/** GET /v1/statements/{YYYY-MM-DD}: a day in Riyadh, as JSON or, by `Accept`, as CSV (Decision D19). */
export function statementsRoute(reading: Pick<Reading, "statement">): Route {
  return async (call, day) => {
    const statement = DAY.test(day)
      ? await reading.statement({ partnerId: call.partner.partnerId, day })
      : undefined;
    if (statement === undefined) return refuse("not_found");
    return prefersCsv(call.header("accept") ?? "")
      ? reply(statementCsvStream(statement), CSV_HEADERS)
      : reply(statementJsonStream(statement), { "content-type": JSON_MEDIA_TYPE });
  };
}

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const CSV_HEADERS = { "content-type": "text/csv; charset=utf-8; header=present" };

/** Whether `text/csv` is named, and JSON is not. */
function prefersCsv(accept: string): boolean {
  const types = accept.toLowerCase().split(",").map((part) => part.split(";")[0]!.trim());
  return types.includes("text/csv") && !types.includes("application/json");
}
