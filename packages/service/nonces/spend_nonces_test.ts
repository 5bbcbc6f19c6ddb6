import { after, test } from "node:test";
import { assertEquals } from "@std/assert";
import { openTestMarket } from "../../../test/support/test_market.ts";
import { admitTestPartner } from "../../../test/support/test_partner.ts";

const { database, trading, close } = await openTestMarket();
after(close);

test("a nonce is spent once for each partner, also where its partition is missing", async () => {
  const banks = [await admitTestPartner(database), await admitTestPartner(database)] as const;
  const value = crypto.randomUUID();
  for (const timestampSeconds of [401 * 21_600 - 1, 402 * 21_600]) {
    for (const isFresh of [true, false]) {
      for (const { partnerId } of banks) {
        const spent = { partnerId, value: `${value} ${timestampSeconds}`, timestampSeconds };
        assertEquals(await trading.spendNonce(spent), isFresh);
      }
    }
  }
});
