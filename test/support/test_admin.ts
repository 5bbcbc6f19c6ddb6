import { testRecord } from "../secret_search/record.ts";
import { openTestDatabase, type TestDatabase, type TestDatabaseOptions } from "./test_database.ts";
import type { Database } from "@sabika/database";
import { makeServerCertificate, type RootPlace } from "@sabika/identity/certificates";
import type { Kit } from "@sabika/identity/keys";
import {
  createFileKeys,
  createSecrets,
  type KeyService,
  newMasterKey,
  readMasterKeys,
  type Secrets,
} from "@sabika/identity/secrets";
import { type Admission, admitPartner, type PartnerAdminContext } from "@sabika/office/partners";
import { openDeployment } from "@sabika/service/deployment";
import { random } from "./random.ts";

/** Opens the master keys in the text of a key file. */
export const fileKeys = (masterKeyText: string): KeyService =>
  createFileKeys({ masterKeys: readMasterKeys(masterKeyText), random });

/** Opens a database's secrets with a new master key, for tests that need nothing else of a deployment. */
export function openTestSecrets(database: Database): Promise<Secrets> {
  return createSecrets({ database, keys: fileKeys(newMasterKey("test", random)), random });
}

/** Returns a place that keeps the root authority in memory only. */
export function rootInMemory(): RootPlace {
  let text: string | undefined;
  return {
    read: () => Promise.resolve(text),
    write(pem) {
      testRecord.secretsIn(text = pem);
      return Promise.resolve();
    },
  };
}

/** Reads the authorities' private keys from the database (PKCS#8 DER), by name. */
export async function authorityKeys(
  { database, secrets }: Pick<PartnerAdminContext, "database" | "secrets">,
): Promise<Map<string, Uint8Array>> {
  const rows = await database.sql<{ name: string; sealed: Uint8Array }[]>`
    select name, sealed_private_key as sealed from authorities
    where sealed_private_key is not null`;
  const keys = new Map<string, Uint8Array>();
  for (const { name, sealed } of rows) {
    keys.set(name, await secrets.open(`authorities/${name}`, sealed));
  }
  return keys;
}

/** The credentials for a server's own mutual TLS on this machine. */
export interface ServerTls {
  certificatePem: string;
  keyPem: string;
  clientCaPem: string;
}

/** Makes a server's certificate, valid from now by the machine's clock. */
export async function makeServerTls(
  { authorities }: Pick<PartnerAdminContext, "authorities">,
): Promise<ServerTls> {
  const hosts = ["localhost", "127.0.0.1"];
  const server = await makeServerCertificate({ authorities, hosts, nowMs: Date.now(), random });
  testRecord.secretsIn(server.keyPem);
  return { ...server, clientCaPem: authorities.clientCaPem };
}

/** An administrator on a fresh database, with a clock that the test moves. */
export interface TestAdmin extends PartnerAdminContext {
  testDatabase: TestDatabase;
  masterKeyText: string;
  clock: { nowMs: number };
  root: RootPlace;
  close(): Promise<void>;
}

/** Opens a deployment on a fresh database, with an operator called `tester`. */
export async function openTestAdmin(
  environment: "sandbox" | "production" = "sandbox",
  database: TestDatabaseOptions = {},
): Promise<TestAdmin> {
  const testDatabase = await openTestDatabase(database);
  const clock = { nowMs: Date.now() };
  const admin = await adminOn(testDatabase.database, environment, () => clock.nowMs);
  return { ...admin, testDatabase, clock, close: () => testDatabase.close() };
}

/**
 * Opens a deployment on a migrated database, with a new master key and an operator called `tester`.
 *
 * @param now epoch milliseconds
 */
export async function adminOn(
  database: Database,
  environment: "sandbox" | "production",
  now: () => number,
): Promise<PartnerAdminContext & { masterKeyText: string; root: RootPlace }> {
  const masterKeyText = newMasterKey("test-1", random);
  testRecord.secretsIn(masterKeyText);
  const keys = fileKeys(masterKeyText);
  const nowMs = now();
  const root = rootInMemory();
  return {
    ...await openDeployment({ database, keys, environment, nowMs, random, root }),
    root,
    database,
    masterKeyText,
    baseUrl: "https://sabika.test",
    endpoints: {
      allowLoopback: environment === "sandbox",
      resolve: () => Promise.resolve([{ address: "8.8.8.8", family: 4 }]),
    },
    actor: { who: "tester", from: "test" },
    now,
    random,
  };
}

/** Returns a valid admission of a partner whose kit has all keys; `more` replaces members. */
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

/** Opens a deployment whose administrator has admitted the partner `bank-one`. */
export async function openTestBank(): Promise<{ admin: TestAdmin; kit: Kit }> {
  const admin = await openTestAdmin();
  const admitted = await admitPartner(admin, anAdmission("bank-one"));
  if (!admitted.ok) throw new Error(admitted.detail);
  return { admin, kit: admitted.value.kit };
}

/** Runs a test with an administrator who has admitted the partner `bank-one`. */
export async function withBank(body: (admin: TestAdmin, kit: Kit) => Promise<void>): Promise<void> {
  const { admin, kit } = await openTestBank();
  try {
    admin.clock.nowMs += 60_000;
    await body(admin, kit);
  } finally {
    await admin.close();
  }
}
