import { test } from "node:test";
import { assert } from "@std/assert";
import { fuzz } from "../../../test/support/fuzz/fuzz.ts";
import { readListQuery } from "./list_query.ts";

const STATUSES = ["open", "executed"];

test(
  "fuzz: the query of a list is read correctly or refused",
  fuzz({
    samples: [
      ...["", "limit=10", "status=open&limit=100", "cursor=b3JkZXJzOmE", "idempotency_key=k-1"],
      "created_from=2026-01-01T00:00:00Z&created_to=2026-12-31T23:59:59.999Z",
    ],
    words: [
      ..."& = % %00 %ff %26 limit= limit=101 limit=0 limit=-1 limit=1e2 + created_from=".split(" "),
      ..."9999-12-31T23:59:59Z 0000-01-01T00:00:00Z 2026-02-30T00:00:00Z +03:00".split(" "),
      ..."status= __proto__= constructor= \u00e9".split(" "),
      "10".repeat(400),
    ],
    judge(input) {
      const query = new TextDecoder().decode(input);
      const read = readListQuery(query, STATUSES);
      if (!read.ok) return read.errors[0]!.code;
      const { limit, status, createdFromMs, createdToMs, idempotencyKey } = read.value;
      assert(Number.isInteger(limit) && limit >= 1 && limit <= 100, `limit ${limit}`);
      assert(status === undefined || STATUSES.includes(status), "an unknown status");
      for (const time of [createdFromMs, createdToMs]) {
        assert(time === undefined || Number.isSafeInteger(time), `time ${time}`);
      }
      assert(idempotencyKey === undefined || /^[\x21-\x7e]{1,255}$/.test(idempotencyKey));
      return "accepted";
    },
  }),
);
