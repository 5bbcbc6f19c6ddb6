import { assertEquals } from "@std/assert";
import { openDatabase } from "@sabika/database";
import type { AdminCells } from "@sabika/service/audit";
import type { Role } from "@sabika/terms";
import { createOffice, createOfficeApp, type Pages, type SingleSignOn } from "@sabika/office";
import { createAuthenticator } from "./authenticator.ts";
import { openTestAdmin } from "./test_admin.ts";
import type { TestDatabaseOptions } from "./test_database.ts";
import { addOperator, makeLink } from "./test_people.ts";
import { createTestBrowser, type SendToOffice } from "./test_browser.ts";

/** The origin of the office in tests. */
export const OFFICE_ORIGIN = "https://office.sabika.example";

/** An office of a test with its database. */
export type TestOffice = Awaited<ReturnType<typeof openTestOffice>>;

/**
 * Opens an office with the operator's database role, on a new database, with a clock that the test moves.
 *
 * @param options.cells how it reaches the databases of cells; by default there are none
 */
export async function openTestOffice(
  { pages, singleSignOn, cells, database: databaseOptions }: {
    pages?: Pages;
    singleSignOn?: SingleSignOn;
    cells?: AdminCells;
    database?: TestDatabaseOptions;
  } = {},
) {
  const admin = await openTestAdmin("sandbox", databaseOptions);
  const database = openDatabase(admin.testDatabase.urlAs("sabika_operator"), { maxConnections: 3 });
  const logged: string[] = [];
  const log = (...line: unknown[]) => void logged.push(JSON.stringify(line));
  const office = createOffice({ ...admin, database, cells }, OFFICE_ORIGIN, singleSignOn);
  const app = createOfficeApp(office, { log, pages });

  const send: SendToOffice = async (method, path, { body, headers = {} } = {}) => {
    const answer = await app.request(`${OFFICE_ORIGIN}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = text === "" ? undefined : JSON.parse(text);
    return { status: answer.status, headers: answer.headers, json };
  };

  const browser = (authenticator: Awaited<ReturnType<typeof createAuthenticator>>) =>
    createTestBrowser(OFFICE_ORIGIN, send, authenticator);

  const makeLinkFor = (name: string) => makeLink(admin, name);

  return {
    admin,
    office,
    app,
    logged,
    send,
    browser,
    makeLink: makeLinkFor,
    /** Adds a person with these roles, signed in with a passkey. */
    async person(name: string, roles: readonly Role[]) {
      await addOperator(admin, name, roles);
      const person = browser(await createAuthenticator(OFFICE_ORIGIN));
      const enrolled = await person.enrol(await makeLinkFor(name));
      assertEquals(enrolled.status, 200, JSON.stringify(enrolled.json));
      return person;
    },
    async close() {
      await database.close();
      await admin.close();
    },
  };
}
