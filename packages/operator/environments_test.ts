import { after, test } from "node:test";
import { chmod, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { sendRaw } from "../../test/support/raw_https.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { envAtDatabase, runOperator } from "../../test/support/run_operator.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { openTestAdmin } from "../../test/support/test_admin.ts";
import { codeOf } from "../../test/support/answers.ts";
import { read, tokenRequest } from "../../test/support/service_requests.ts";
import { type ServicePartner } from "../../test/support/service_partner.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

// F50, Decision D40: two deployments run, with the same client ids and even the same base URL in both;
// that production behind its sidecar and the sandbox keep apart is a test of the stack.

const here = await startTestService();
const there = await startTestService();
after(async () => {
  await here.close();
  await there.close();
});

/** A partner of one deployment that calls the other, and trusts its authority for this. */
function abroad(partner: ServicePartner, to: typeof here): ServicePartner {
  return { ...partner, kit: { ...partner.kit, caPem: to.partners[0].kit.caPem } };
}

test("a certificate of one deployment is refused by the other's listener (F50)", async () => {
  for (const [home, other] of [[here, there], [there, here]] as const) {
    const [partner] = home.partners;
    assertEquals((await sendRaw(home.caller(partner), tokenRequest(partner))).status, 200);
    // In TLS 1.3 the client sees the refusal as an alert or as a closed connection.
    await assertRejects(() => sendRaw(other.caller(abroad(partner, other)), tokenRequest(partner)));
  }
});

test("tokens and client secrets of one deployment are refused in the other (F50)", async () => {
  for (const [home, other] of [[here, there], [there, here]] as const) {
    const [foreign] = home.partners;
    const [local] = other.partners;
    assertEquals(foreign.clientId, local.clientId);
    const token = await home.token(foreign);
    const answer = await sendRaw(other.caller(local), read("/v1/balances", token));
    assertEquals([answer.status, codeOf(answer)], [401, "token_invalid"]);
    const secret = { client_secret: foreign.kit.clientSecret };
    const refused = await sendRaw(other.caller(local), tokenRequest(local, secret));
    assertEquals(refused.status, 401);
    assertStringIncludes(refused.body, "invalid_client");
    assertEquals((await sendRaw(other.caller(local), tokenRequest(local))).status, 200);
  }
});

test("in production the operator makes no private keys and checks webhooks and database", async () => {
  const admin = await openTestAdmin("production");
  const folder = temporaryFolder();
  const env = envAtDatabase(admin, folder);
  try {
    const create = commandLine`partner create --client-id bank-c --name C
      --iban SA0380000000608010167519 --webhook-url`;
    const cases: [string[], number, string][] = [
      [
        [...create, "https://localhost:9443/", "--base-url", "https://x.example"],
        1,
        "not a public name",
      ],
      [[...create, "https://unknown.example/", "--base-url", "https://x.example"], 1, "no address"],
      [[...create, "https://9.9.9.9/"], 2, "--base-url"],
      [["price", "pause", "--environment", "sandbox"], 1, "belongs to production"],
      [["price", "set", "simulated"], 1, "sandbox only"],
    ];
    for (const [args, code, reason] of cases) {
      const run = await runOperator(args, env);
      assertEquals(run.code, code, run.stderr);
      assertStringIncludes(run.stderr, reason);
    }
    const keyFile = join(folder, "keys");
    await writeFile(keyFile, admin.masterKeyText);
    await chmod(keyFile, 0o644);
    const pause = ["price", "pause", "--master-key-file", keyFile];
    const open = await runOperator(pause, env);
    assertEquals([open.code, open.stderr.includes("has mode 0644")], [1, true], open.stderr);
    await chmod(keyFile, 0o600);
    assertEquals((await runOperator(pause, env)).code, 0);
    const partners = await runOperator(["partner", "list", "--json"], env);
    assertEquals(partners.stdout, "[]\n");
    assertEquals(await readdir(join(folder, "partners")), []);
    const unmade = commandLine`${create} https://9.9.9.9/ --base-url https://x.example
      --ip 192.0.2.1`;
    await writeFile(join(folder, "a-file"), "");
    const nowhere = await runOperator([...unmade, "--out", join(folder, "a-file", "kit")], env);
    assertEquals([nowhere.code, (await runOperator(["partner", "list", "--json"], env)).stdout], [
      1,
      "[]\n",
    ]);
  } finally {
    testRecord.dataFolder(folder);
    await admin.close();
  }
});
