import { statementCsvStream, statementJsonStream } from "@sabika/service/ledger";
import type { Reading } from "@sabika/service/trading";
import { JSON_MEDIA_TYPE, refuse } from "@sabika/protocol";
import { riyadhDayStart } from "@sabika/terms";
import type { ReadCall } from "../call/findings.ts";
import { reply } from "../call/reply.ts";
import { ConcurrencyLimit, endingWith } from "./concurrency_limit.ts";
import type { Route } from "./route.ts";

/** How many statements a partner may read at once: one may have millions of entries. */
const STATEMENTS_AT_ONCE = 1;

/** GET /v1/statements/{YYYY-MM-DD}: a day in Riyadh, as JSON or, by `Accept`, as CSV (Decision D19). */
export function statementsRoute(reading: Pick<Reading, "statement">): Route<ReadCall> {
  const limit = new ConcurrencyLimit(STATEMENTS_AT_ONCE);
  return async (call, day) => {
    const { partnerId } = call.partner;
    const startMs = riyadhDayStart(day);
    if (startMs === undefined || call.arrivedAtMs < startMs) return refuse("not_found");
    const isCsv = prefersCsv(call.header("accept") ?? "");
    // Every day that has begun has a statement, so nothing needs to be read.
    if (call.method === "HEAD") return reply("", isCsv ? CSV_HEADERS : JSON_HEADERS);
    const end = limit.take(partnerId);
    if (end === undefined) return refuse("rate_limited", { retryAfterSeconds: 1 });
    // However the answer ends, even if it is never read.
    call.outgoing.once("close", end);
    try {
      const statement = await reading.statement({ partnerId, day });
      if (statement === undefined) {
        end();
        return refuse("not_found");
      }
      return isCsv
        ? reply(endingWith(statementCsvStream(statement), end), CSV_HEADERS)
        : reply(endingWith(statementJsonStream(statement), end), JSON_HEADERS);
    } catch (error) {
      end();
      throw error;
    }
  };
}

const JSON_HEADERS = { "content-type": JSON_MEDIA_TYPE };
const CSV_HEADERS = { "content-type": "text/csv; charset=utf-8; header=present" };

/** Whether `text/csv` is named, and JSON is not. */
function prefersCsv(accept: string): boolean {
  const types = accept.toLowerCase().split(",").map((part) => part.split(";")[0]!.trim());
  return types.includes("text/csv") && !types.includes("application/json");
}
