import { testRecord } from "../secret_search/record.ts";
import { openTestDatabase, type TestDatabase } from "./test_database.ts";
import {
  type Admission,
  newMasterKey,
  openDeployment,
  type PartnerAdminContext,
  readMasterKeys,
} from "@sabika/core/partners";

/** Random bytes of the platform. */
export const random = (length: number): Uint8Array =>
  crypto.getRandomValues(new Uint8Array(length));

/** An administrator on a fresh database, with a clock that the test moves. */
export interface TestAdmin extends PartnerAdminContext {
  testDatabase: TestDatabase;
  masterKeyText: string;
  clock: { nowMs: number };
  close(): Promise<void>;
}

/** For tests alone: a sandbox (or production) with an operator called `tester`. */
export async function openTestAdmin(
  environment: "sandbox" | "production" = "sandbox",
): Promise<TestAdmin> {
  const testDatabase = await openTestDatabase();
  const clock = { nowMs: Date.now() };
  const masterKeyText = newMasterKey("test-1", random);
  testRecord.secretsIn(masterKeyText);
  const { database } = testDatabase;
  const deployment = await openDeployment({
    database,
    masterKeys: readMasterKeys(masterKeyText),
    environment,
    nowMs: clock.nowMs,
    random,
  });
  return {
    ...deployment,
    database,
    testDatabase,
    masterKeyText,
    clock,
    endpoints: {
      allowLoopback: environment === "sandbox",
      resolve: () => Promise.resolve([{ address: "8.8.8.8", family: 4 }]),
    },
    actor: { who: "tester", from: "test" },
    now: () => clock.nowMs,
    random,
    close: () => testDatabase.close(),
  };
}

/** An admission that is accepted, whose kit is whole. */
export function anAdmission(clientId: string, more: Partial<Admission> = {}): Admission {
  return {
    clientId,
    name: `Bank ${clientId}`,
    iban: "SA0380000000608010167519",
    webhookUrl: "https://hooks.bank.example/sabika",
    withKeys: true,
    ...more,
  };
}
