import { customType } from "drizzle-orm/pg-core";
import { formatTime } from "@sabika/protocol";
import { readMoment } from "./read_moment.ts";

/** Raw bytes, `Uint8Array` on our side. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => "bytea",
  fromDriver: (value) => new Uint8Array(value),
});

/** A moment: `timestamptz` in the database, epoch milliseconds on our side. */
export const moment = customType<{ data: number; driverData: string }>({
  dataType: () => "timestamp (3) with time zone",
  toDriver: formatTime,
  fromDriver: readMoment,
});
