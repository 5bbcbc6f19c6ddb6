import { after, before, test } from "node:test";
import { assertEquals } from "@std/assert";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openDeployment } from "@sabika/service/deployment";
import { actAs } from "../../test/support/acts.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { objectOf } from "../../test/support/answers.ts";
import { sendRaw } from "../../test/support/raw_https.ts";
import { runOperator } from "../../test/support/run_operator.ts";
import { tokenRequest } from "../../test/support/service_requests.ts";
import { random } from "../../test/support/random.ts";
import { fileKeys } from "../../test/support/test_admin.ts";
import { createTestAuthority } from "../../test/support/test_certificates.ts";
import { startTestService, type TestService } from "../../test/support/test_service.ts";
import { startTestReceiver } from "../../test/support/webhook_receiver.ts";
import { placeFiles } from "./places.ts";
import { makeSecrets } from "./preparation/deployment_secrets.ts";
import { renewSidecarSet } from "./preparation/sidecar_set.ts";
import { CONTAINER_PLAN } from "./containers/container_plan.ts";

// Decision D73: each program runs while all keys that it does not need are unreadable, and fails when
// one that it needs is unreadable.

const COLUMNS = {
  "hashing key": ["sealed_keys", "sealed", "name", "client_secret_hashing"],
  "token key": ["token_keys", "sealed_private_key"],
  "webhook secret": ["webhook_secrets", "sealed_secret"],
  "issuing key": ["authorities", "sealed_private_key", "name", "issuing"],
} as const;
type Key = keyof typeof COLUMNS;
const KEYS = Object.keys(COLUMNS) as Key[];

let service: TestService;
const folder = temporaryFolder();
before(async () => {
  service = await startTestService();
});
after(async () => {
  await service.close();
});

/** Runs `run` while the last bit of these keys is flipped, and returns whether it succeeded. */
async function without(keys: readonly Key[], run: () => Promise<void>): Promise<boolean> {
  const { sql } = service.test.database;
  const flip = async () => {
    for (const key of keys) {
      const [table, column, name, value] = COLUMNS[key];
      const where = name === undefined || value === undefined
        ? sql``
        : sql`where ${sql(name)} = ${value}`;
      await sql`
        update ${sql(table)} set ${sql(column)} = set_bit(${sql(column)},
          octet_length(${sql(column)}) * 8 - 1,
          1 - get_bit(${sql(column)}, octet_length(${sql(column)}) * 8 - 1)) ${where}`;
    }
  };
  await flip();
  try {
    return await run().then(() => true, () => false);
  } finally {
    await flip();
  }
}

async function assertOpens(program: () => Promise<void>, needed: readonly Key[]): Promise<void> {
  const others = KEYS.filter((key) => !needed.includes(key));
  assertEquals(await without(others, program), true, `runs without ${others.join(", ")}`);
  const stopped: Key[] = [];
  for (const key of needed) if (!await without([key], program)) stopped.push(key);
  assertEquals(stopped, needed);
}

test("a server opens the hashing key, the token key and webhook secrets, and no issuing key", async (t) => {
  const { admin, partners: [bank] } = service;
  const authority = await createTestAuthority();
  const receiver = await startTestReceiver(await authority.issue({ ip: ["127.0.0.1"] }));
  await admin.database.sql`
    update partners set webhook_url = ${`https://127.0.0.1:${receiver.port}/`}
    where partner_id = ${bank.partnerId}`;
  const serve = async (deliver: boolean) => {
    const arrived = new Promise<void>((resolve) => {
      receiver.behave = () => {
        resolve();
        return { status: 200 };
      };
    });
    const server = service.createInstance(() => {}, {
      webhookAllowLoopback: true,
      webhookCaPem: authority.certificatePem,
      deliverWebhooks: deliver,
    });
    const { port } = await server.start();
    try {
      const caller = { ...service.caller(bank), port: port! };
      const token = objectOf(await sendRaw(caller, tokenRequest(bank))).get("access_token");
      assertEquals(typeof token, "string");
      if (deliver) await arrived;
    } finally {
      await server.stop();
    }
  };
  t.after(() => receiver.close());
  assertEquals((await actAs(admin, "webhook.ping", { partner: bank.clientId })).ok, true);
  assertEquals(await without(["issuing key"], () => serve(true)), true);
  await assertOpens(() => serve(false), ["hashing key", "token key"]);
});

test("the operator's command opens what an act needs: the issuing key to issue, none to list", async () => {
  const sabika = (...args: string[]) => async () => {
    const { code, stderr } = await runOperator(args, {
      SABIKA_DATABASE_URL: service.test.urlAs("sabika_operator"),
      SABIKA_MASTER_KEY: service.admin.masterKeyText,
      SABIKA_DATA: folder,
    }, service.now);
    assertEquals([code, stderr], [0, ""]);
  };
  await assertOpens(sabika("partner", "list"), []);
  await assertOpens(sabika("certificate", "list"), []);
  await assertOpens(sabika("client-secret", "rotate", "bank-a"), ["hashing key"]);
  await assertOpens(sabika("webhook-secret", "rotate", "bank-b"), ["hashing key"]);
  await assertOpens(sabika("token-key", "rotate"), ["hashing key"]);
  await assertOpens(sabika("certificate", "crl"), ["hashing key", "issuing key"]);
});

test("the sidecar's keeper opens the issuing key, and nothing of a partner", async () => {
  const places = { ...CONTAINER_PLAN.places, secrets: folder, sidecar: join(folder, "sidecar") };
  await makeSecrets(places, { now: service.now, random });
  await writeFile(placeFiles(places).masterKey, service.admin.masterKeyText);
  const { database } = service.test;
  const keep = async () => {
    const deployment = await openDeployment({
      database,
      environment: "sandbox",
      nowMs: service.now(),
      random,
      keys: fileKeys(service.admin.masterKeyText),
    });
    const plan = { ...CONTAINER_PLAN, places };
    const surroundings = { now: service.now, random };
    await renewSidecarSet(plan, { database, deployment }, surroundings);
  };
  await assertOpens(keep, ["hashing key", "issuing key"]);
});
