import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../rules/repository_files.ts";
import { listTests, type TestFile } from "../testing/test_files.ts";

/** A folder whose sources are mutated, and the tests that are to notice it. */
export interface Room {
  name: string;
  folder: string;
  /** Test files and folders beside those in the folder. */
  tests: readonly string[];
}

const SERVICE = "packages/service";
const TRADING = `${SERVICE}/trading`;
const LEDGER = `${SERVICE}/ledger`;
const WITHDRAWALS = `${SERVICE}/withdrawals`;
/** The quick tests of the money path, which show what becomes of balances, transfers and events. */
const MONEY = [
  `${TRADING}/concurrency_postgresql_test.ts`,
  `${TRADING}/mixed_batch_test.ts`,
  `${TRADING}/moved_postgresql_test.ts`,
  `${TRADING}/trading_test.ts`,
  `${LEDGER}/check_balances_test.ts`,
];
const ORDERS = [
  ...MONEY,
  `${TRADING}/key_generations_test.ts`,
  `${TRADING}/properties_test.ts`,
  `${TRADING}/trade_parts_test.ts`,
];

/** The rooms that are mutated when none is named: the money path, and what guards it. */
const ROOMS: Record<string, Omit<Room, "name">> = {
  orders: {
    folder: `${SERVICE}/orders`,
    tests: [
      ...ORDERS,
      "packages/office/oversight/list_margins_test.ts",
      // What becomes of their evidence, and of which pool they are.
      "packages/office/oversight/oversight_test.ts",
      `${SERVICE}/reserves/make_reserves_test.ts`,
    ],
  },
  ledger: {
    folder: LEDGER,
    tests: [
      WITHDRAWALS,
      ...["pages", "reading", "trading"].map((name) => `${TRADING}/${name}_test.ts`),
      "packages/server/routes/statements_test.ts",
      "packages/server/wrong_balances_test.ts",
    ],
  },
  withdrawals: { folder: WITHDRAWALS, tests: MONEY },
  fundings: { folder: `${SERVICE}/fundings`, tests: MONEY },
  idempotency: { folder: `${SERVICE}/idempotency`, tests: ORDERS },
  nonces: { folder: `${SERVICE}/nonces`, tests: MONEY },
  quotes: { folder: `${SERVICE}/quotes`, tests: [TRADING] },
  trading: {
    folder: TRADING,
    tests: [`${SERVICE}/receipts/receipts_test.ts`, "packages/server/routes/idempotency_test.ts"],
  },
  webhooks: {
    folder: `${SERVICE}/delivery`,
    tests: [`${TRADING}/pages_test.ts`, `${TRADING}/reading_test.ts`],
  },
  canonical: { folder: "packages/canonical", tests: [] },
  jws: { folder: "packages/jws", tests: [] },
  protocol: { folder: "packages/protocol", tests: [] },
  door: { folder: "packages/server/door", tests: [] },
  people: {
    folder: "packages/office/people",
    tests: [
      ...["acts", "sign_in", "single_sign_on", "start_office", "acts/people_postgresql"]
        .map((name) => `packages/office/${name}_test.ts`),
      "packages/operator/migrate_test.ts",
    ],
  },
  office: { folder: "packages/office", tests: [] },
  console: { folder: "packages/console", tests: [] },
};

const ACTS = "packages/office/acts";
const OVERSIGHT = "packages/office/oversight";
const DELIVERY = `${SERVICE}/delivery`;
/** Where other folders are tested, beside in themselves. */
const TESTED_IN: Readonly<Record<string, readonly string[]>> = {
  [`${SERVICE}/audit`]: [ACTS, OVERSIGHT, "packages/office/acts_test.ts"],
  [`${SERVICE}/bank`]: [WITHDRAWALS, LEDGER],
  [`${SERVICE}/booking`]: [ACTS],
  [`${SERVICE}/credentials`]: ["packages/console/credential_requests_test.ts"],
  [`${SERVICE}/events`]: [DELIVERY, TRADING],
  [`${SERVICE}/evidence`]: [OVERSIGHT, TRADING],
  [`${SERVICE}/lists`]: [TRADING],
  [`${SERVICE}/notifications`]: ["packages/office/notifications"],
  [`${SERVICE}/receipts`]: [OVERSIGHT],
  [`${SERVICE}/reserves`]: [OVERSIGHT],
  [`${SERVICE}/simulation`]: ["packages/server/simulation"],
  "packages/identity/receipts": [`${SERVICE}/receipts`],
  "packages/identity/signatures": [ACTS, "packages/office/acts_test.ts"],
  "packages/identity/tokens": ["packages/server/tokens", "packages/server/door"],
  "packages/terms/pricing": [TRADING],
};

/** Tests that take long, and are to find what others cannot: a lock that is missing. */
const OF_LOCKS = [`${TRADING}/concurrency_postgresql_test.ts`];

/** Whether a word names a room. */
export function isRoom(name: string): boolean {
  return Object.hasOwn(ROOMS, name) ||
    (/^\w+$/.test(name) && existsSync(join(ROOT, SERVICE, name)));
}

/** Returns the rooms with these names, or those that are mutated when none is named. */
export function findRooms(names: readonly string[]): Room[] {
  const wanted = names.length === 0 ? Object.keys(ROOMS) : names;
  return wanted.map((name) => ({
    name,
    ...(ROOMS[name] ??
      { folder: `${SERVICE}/${name}`, tests: TESTED_IN[`${SERVICE}/${name}`] ?? [] }),
  }));
}

/** Returns the room that a file belongs to: one of those above, or else the next folder up that is tested. */
export function roomOf(file: string): Room {
  const known = Object.entries(ROOMS).find(([, { folder }]) => file.startsWith(`${folder}/`));
  if (known !== undefined) return { name: known[0], ...known[1] };
  let folder = dirname(file);
  while (TESTED_IN[folder] === undefined && !hasTests(folder)) folder = dirname(folder);
  return { name: folder.replace(`${SERVICE}/`, ""), folder, tests: TESTED_IN[folder] ?? [] };
}

function hasTests(folder: string): boolean {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .some((path) => path.endsWith("_test.ts"));
}

/** Whether a file, by its path from the repository's root, is one that mutants are made of. */
export function isSource(file: string, kind: "sql" | "ts"): boolean {
  return file.startsWith("packages/") &&
    (kind === "sql" ? file.endsWith(".sql") : /\.tsx?$/.test(file)) &&
    !/_test\.ts$|\/migrations\/|node_modules/.test(file);
}

/** Lists a room's sources of a kind, by their paths from the repository's root, without those of rooms within it. */
export function listSources({ folder }: Room, kind: "sql" | "ts"): string[] {
  const within = Object.values(ROOMS).map((room) => room.folder)
    .filter((inner) => inner.startsWith(`${folder}/`));
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path}`)
    .filter((path) => isSource(path, kind) && !within.some((inner) => path.startsWith(`${inner}/`)))
    .sort();
}

/**
 * Lists the tests that are to notice a room's mutants: those of `npm test`, which are quick.
 *
 * @throws Error if there is none
 */
export function listRoomTests({ folder, tests }: Room): TestFile[] {
  const below = [...(hasTests(folder) ? [folder] : []), ...tests];
  if (below.length === 0) throw new Error(`${folder} has no test: name others in rooms.ts`);
  return listTests(below).filter(({ kind, path }) =>
    kind !== "fault" && kind !== "envoy" && !path.endsWith("_fuzz_test.ts")
  );
}

/** Returns those of a room's tests that are run against a mutant of a kind. */
export function testsOfKind(tests: readonly TestFile[], kind: string): TestFile[] {
  return tests.filter(({ path }) => kind === "lock" || !OF_LOCKS.includes(path));
}
