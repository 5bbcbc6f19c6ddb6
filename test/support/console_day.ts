import { assert, assertEquals } from "@std/assert";
import { type LANGUAGES, MESSAGES } from "@sabika/console";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import type { Role } from "@sabika/terms";
import type { Browser } from "playwright-core";
import { adoptRows } from "./adopt_rows.ts";
import { byForce } from "./by_force.ts";
import { type ConsolePerson, openConsolePerson } from "./console_person.ts";
import { testInEachLanguage } from "./in_each_language.ts";
import { openServedConsole } from "./served_console.ts";
import { openTestAdmin, type TestAdmin } from "./test_admin.ts";
import { openTestTrading } from "./test_market.ts";
import { addPerson } from "./test_people.ts";
import { admitTestPartner } from "./test_partner.ts";

type Language = (typeof LANGUAGES)[number];

/** A day at the console. */
export interface ConsoleDay {
  readonly language: Language;
  readonly words: (typeof MESSAGES)[Language];
  readonly admin: TestAdmin;
  /** The people, in their order. */
  readonly people: readonly ConsolePerson[];
}

/** The people of a day, and what is asked of it. */
interface DayOptions {
  /** The roles of each person, by name. */
  readonly roles: Readonly<Record<string, readonly Role[]>>;
  /** How many entries people have signed at least. */
  readonly signed: number;
  /** Whether people use the keyboard alone, as they do by default. */
  readonly byKeyboard?: boolean;
}

/**
 * Defines a test of a day at a console that is served, for each language, each person in a browser of their own.
 * At its end axe and scripts must have found nothing on any page, and the audit log must be whole.
 */
export function testConsoleDay(
  name: string,
  options: DayOptions,
  body: (day: ConsoleDay) => Promise<void>,
): void {
  testInEachLanguage(
    name,
    (browser, language) => runConsoleDay({ browser, language, ...options }, body),
  );
}

async function runConsoleDay(
  { browser, language, roles, signed: least, byKeyboard = true }: DayOptions & {
    browser: Browser;
    language: Language;
  },
  body: (day: ConsoleDay) => Promise<void>,
): Promise<void> {
  const words = MESSAGES[language];
  const admin = await openTestAdmin();
  const site = await openServedConsole(admin, admin.testDatabase);
  const people: ConsolePerson[] = [];
  try {
    // From the second administrator on, the rules hold.
    for (const name of ["noura", "salman"]) await addPerson(admin, name, ["administrator"]);
    for (const [name, theirs] of Object.entries(roles)) {
      const link = await site.invite(name, theirs);
      const { origin } = site;
      people.push(
        await openConsolePerson({ browser, origin, language, words, link, byKeyboard }),
      );
    }
    await body({ language, words, admin, people });
    assertEquals(people.flatMap(({ found }) => found), []);
    assertEquals(site.errors, []);
    const { findings, signed } = await withAuditRecord(
      admin.database.sql,
      (record) => verifyAudit(record),
    );
    assertEquals(findings, []);
    assert(signed >= least, `${signed} signed`);
  } finally {
    await Promise.all(people.map((person) => person.close()));
    await site.close();
    await admin.close();
  }
}

/** Admits `harbour-bank`, which trades, with a million riyals that came in a day ago. */
export async function openHarbourBank({ testDatabase }: TestAdmin) {
  const { database } = testDatabase;
  const trading = await openTestTrading(testDatabase);
  const bank = await admitTestPartner(database, { cashHalalas: 1_000_000_00n });
  await byForce(
    database,
    `update partners set client_id = 'harbour-bank', name = 'Harbour Bank'
      where partner_id = ${bank.partnerId}`,
    "update transfers set posted_at = posted_at - interval '1 day 10 minutes'",
  );
  await adoptRows(database);
  return {
    trading,
    bank,
    /** Buys gold; returns the order's id. */
    async buy(goldMicrograms: bigint): Promise<string> {
      const quote = await trading.quote(bank.quote({ side: "buy", goldMicrograms }));
      const order = quote.ok && await trading.order(bank.order(quote.value.id));
      if (!order || !order.ok) throw new Error("no order");
      return order.value.id;
    },
  };
}
