import { formatPrice } from "@sabika/protocol";
import type { Database } from "@sabika/database";
import { createFixedPrice, type PriceSource } from "@sabika/service/prices";
import { adoptRows } from "./adopt_rows.ts";
import { byForce } from "./by_force.ts";

/** Sets a fixed price in databases, as the operator does in control and cells copy it; returns its source. */
export async function setFixedPrice(
  databases: Pick<Database, "sql"> | readonly Pick<Database, "sql">[],
  midTenThousandths: bigint,
): Promise<PriceSource> {
  const configuration = JSON.stringify({ mid: formatPrice(midTenThousandths) });
  for (const database of [databases].flat()) {
    await byForce(
      database,
      `update price_settings set source = 'fixed', configuration = '${configuration}'`,
    );
    await adoptRows(database);
  }
  return createFixedPrice({ midTenThousandths });
}
