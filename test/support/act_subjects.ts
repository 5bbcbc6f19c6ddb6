import { assert } from "@std/assert";
import { performAct } from "@sabika/office/acts";
import { addBar } from "@sabika/service/vault";
import { clientIdOf } from "./acts.ts";
import { openTestBank } from "./test_admin.ts";
import { openTestTrading, value } from "./test_market.ts";
import { admitTestPartner } from "./test_partner.ts";

/** Opens what the acts of `actDossiers` are about: `bank-one`, the bar `B-1`, the person `guest`, and a partner that withdraws. */
export async function openActSubjects() {
  const { admin } = await openTestBank();
  const { database } = admin;
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_00n });
  const trading = await openTestTrading({ database });
  const bar = { serial: "B-1", refiner: "R", finenessTenThousandths: 9_950 };
  assert((await addBar(admin, { ...bar, weightMicrograms: 1_000_000_000n })).ok);
  const guest = { name: "operator.add", arguments: { operator: "guest", roles: ["vault"] } };
  assert((await performAct(admin, guest)).ok);
  const clientId = await clientIdOf(database, bank.partnerId);
  return {
    admin,
    /** Requests a withdrawal of 123.45 SAR. */
    async withdraw() {
      const { id } = value(await trading.withdraw(bank.withdraw(123_45n)));
      return { id, clientId };
    },
  };
}
