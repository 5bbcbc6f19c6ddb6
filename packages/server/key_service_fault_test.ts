import { after, before, test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createServer, type Socket } from "node:net";
import type { Database } from "@sabika/database";
import { openKeys } from "@sabika/identity/secrets";
import { admitPartner, type PartnerAdminContext } from "@sabika/office/partners";
import { openDeployment } from "@sabika/service/deployment";
import { readWebhookSecrets } from "@sabika/service/partners";
import { createFixedPrice } from "@sabika/service/prices";
import { objectOf } from "../../test/support/answers.ts";
import { listen } from "../../test/support/listen.ts";
import {
  makeDeploymentKeys,
  type RunningMoto,
  startMoto,
  whyNoMoto,
} from "../../test/support/moto.ts";
import { sendRaw } from "../../test/support/raw_https.ts";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { admitWithGold } from "../../test/support/service_partner.ts";
import { BASE_URL, tokenRequest } from "../../test/support/service_requests.ts";
import { random } from "../../test/support/random.ts";
import {
  anAdmission,
  makeServerTls,
  openTestAdmin,
  rootInMemory,
} from "../../test/support/test_admin.ts";
import { openTestDatabase } from "../../test/support/test_database.ts";
import { createService } from "./service.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

// Decision D73: keys that AWS's key service keeps, against moto: there, away, and slow.

const skip = await whyNoMoto();
let moto: RunningMoto;

const keysOf = ({ settings: kms }: RunningMoto, timeoutMs?: number) =>
  openKeys({ kms, masterKeys: undefined, now: Date.now, random, timeoutMs });

before(async () => {
  if (skip !== undefined) return;
  moto = await startMoto();
  await makeDeploymentKeys(moto);
});
after(async () => await moto?.stop());

/** A deployment whose keys are all in the key service. */
async function openOnKms(database: Database): Promise<PartnerAdminContext> {
  const environment = "sandbox" as const;
  const options = { database, keys: keysOf(moto), environment, nowMs: Date.now(), random };
  const deployment = await openDeployment({ ...options, root: rootInMemory() });
  const endpoints = {
    allowLoopback: true,
    resolve: () => Promise.resolve([{ address: "8.8.8.8", family: 4 as const }]),
  };
  const actor = { who: "tester", from: "test" };
  return { ...deployment, database, endpoints, actor, now: Date.now, random };
}

const COLUMNS = [
  ["sealed_keys", "sealed"],
  ["token_keys", "sealed_private_key"],
  ["webhook_secrets", "sealed_secret"],
  ["authorities", "sealed_private_key"],
  ["receipt_keys", "sealed_private_key"],
] as const;

/** Returns the first byte of each sealed value, which says who sealed it and in which form. */
async function forms({ sql }: PartnerAdminContext["database"]): Promise<string[]> {
  const found: string[] = [];
  for (const [table, column] of COLUMNS) {
    const rows = await sql<{ sealed: Uint8Array }[]>`
      select ${sql(column)} as sealed from ${sql(table)} where ${sql(column)} is not null`;
    for (const { sealed } of rows) found.push(`${table} ${sealed[0]!.toString(16)}`);
  }
  return found;
}

test("a deployment whose keys are in the key service trades, and signs certificates there", {
  skip,
}, async () => {
  const { database, url, close } = await openTestDatabase();
  try {
    const admin = await openOnKms(database);
    const bank = await admitWithGold(admin, "bank-a", 1_000_000n);
    assertEquals(await forms(admin.database), [
      "sealed_keys 83",
      "token_keys 83",
      "webhook_secrets 83",
      "authorities 84",
      "receipt_keys 83",
    ]);
    const hooks = await readWebhookSecrets(
      admin.database.sql,
      admin.secrets,
      bank.partnerId,
      Date.now(),
    );
    assertEquals(hooks, [bank.kit.webhookSecret]);

    // What is sealed for one purpose does not open for another, nor for another row.
    const sealed = await admin.secrets.seal("webhook_secrets/1/a", random(32));
    await assertRejects(() => admin.secrets.open("token_keys/1/a", sealed), Error, "refuses");
    await assertRejects(() => admin.secrets.open("webhook_secrets/1/b", sealed), Error, "another");

    const settings = {
      environment: "sandbox" as const,
      baseUrl: BASE_URL,
      databaseUrl: url,
      kms: moto.settings,
      databaseConnections: 2,
      listen: { kind: "tls", host: "127.0.0.1", port: 0, ...await makeServerTls(admin) } as const,
      deliverWebhooks: false,
    };
    const prices = createFixedPrice({ midTenThousandths: 4_000_000n });
    const service = createService(settings, { now: Date.now, random, prices });
    const { port } = await service.start();
    const token = async () => {
      const caller = {
        port: port!,
        caPem: bank.kit.caPem,
        certificatePem: bank.kit.clientCertificatePem,
        keyPem: bank.kit.clientKeyPem,
      };
      return objectOf(await sendRaw(caller, tokenRequest(bank))).get("access_token");
    };
    assertEquals(typeof await token(), "string");

    // A running instance works while the key service is down; another one does not start, and says why.
    await moto.stop();
    assertEquals(typeof await token(), "string");
    const second = createService(settings, { now: Date.now, random, prices });
    const refused = await assertRejects(() => second.start(), Error);
    assertMatch(
      refused.message,
      /^the key service at 127\.0\.0\.1:\d+ does not do Decrypt, tried 3/,
    );
    assertMatch(refused.message, /ECONNREFUSED/);

    // Nothing is half stored: neither the partner nor its credentials are there.
    const count = () =>
      admin.database.sql`
      select (select count(*) from partners) as partners, (select count(*) from webhook_secrets) as secrets,
        (select count(*) from certificates) as certificates, (select count(*) from audit_log) as audit`;
    const before = await count();
    await assertRejects(() => admitPartner(admin, anAdmission("bank-b")), Error, "key service");
    const { code, stderr } = await runOperator(["webhook-secret", "rotate", "bank-a"], {
      ...moto.env,
      SABIKA_DATABASE_URL: url,
      SABIKA_DATA: "nowhere",
    });
    assertEquals(code, 1);
    assertMatch(stderr, /^sabika: the key service at 127\.0\.0\.1:\d+ does not do Decrypt/);
    assertEquals(await count(), before);
    await service.stop();
  } finally {
    moto = await startMoto();
    await makeDeploymentKeys(moto);
    await close();
  }
});

test(
  "`master-key reseal` moves what a file of master keys sealed to the key service",
  { skip },
  async () => {
    const admin = await openTestAdmin();
    try {
      assert((await admitPartner(admin, anAdmission("bank-a"))).ok);
      const env = {
        ...moto.env,
        SABIKA_DATABASE_URL: admin.testDatabase.url,
        SABIKA_MASTER_KEY: admin.masterKeyText,
      };
      const { resealed } = await operatorOf(env)("master-key", "reseal");
      const now = await forms(admin.database);
      assertEquals([resealed, now.length], [5, 5]);
      assert(now.every((line) => line.endsWith(" 83")), now.join());
      const { SABIKA_MASTER_KEY: _, ...without } = env;
      const rotated = await operatorOf({ ...without, SABIKA_DATA: "nowhere" })(
        ...commandLine`webhook-secret rotate bank-a`,
      );
      assertMatch(String(rotated["webhook_secret"]), /^whsec_/);
    } finally {
      await admin.close();
    }
  },
);

test("a key service that never answers is given up after three tries", { skip }, async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  const endpoint = `http://127.0.0.1:${await listen(silent)}`;
  try {
    const keys = keysOf({ ...moto, settings: { ...moto.settings, endpoint } }, 100);
    const error = await assertRejects(() => keys.seal("token_keys/a", random(32)), Error);
    assertMatch(error.message, /GenerateDataKey, tried 3 times: no answer within 100 ms$/);
    assertEquals(sockets.length, 3);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  }
});
