import { createConsole } from "@sabika/console";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { createFixedPrice } from "@sabika/service/prices";
import { ROLES } from "@sabika/terms";
import { serveOffice } from "./served_office.ts";
import type { TestDatabase } from "./test_database.ts";
import { addOperator, makeLink } from "./test_people.ts";

/** The console as the office's listener serves it, on this machine, for a real browser. */
export async function openServedConsole(
  admin: PartnerAdminContext,
  testDatabase: Pick<TestDatabase, "urlAs">,
  prices = createFixedPrice({ midTenThousandths: 4_000_000n }),
) {
  const errors: unknown[] = [];
  const pages = createConsole({ prices, onError: (error) => errors.push(error) });
  return {
    ...await serveOffice(admin, testDatabase, { pages }),
    errors,
    /** Adds somebody with every role, and returns what stands behind the # of their link. */
    async invite(name: string): Promise<string> {
      await addOperator(admin, name, ROLES);
      return await makeLink(admin, name);
    },
  };
}
