import { createConsole } from "@sabika/console";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { createFixedPrice } from "@sabika/service/prices";
import { type Role, ROLES } from "@sabika/terms";
import { serveOffice } from "./served_office.ts";
import type { TestDatabase } from "./test_database.ts";
import { addOperator, makeLink } from "./test_people.ts";

/** Serves the console by the office's listener on this machine, for a real browser. */
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
    /** Adds an operator, with every role if none are given; returns the fragment of their link, without the `#`. */
    async invite(name: string, roles: readonly Role[] = ROLES): Promise<string> {
      await addOperator(admin, name, roles);
      return await makeLink(admin, name);
    },
  };
}
