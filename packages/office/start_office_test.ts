import { after, test } from "node:test";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { newMasterKey } from "@sabika/identity/secrets";
import { ROLES } from "@sabika/terms";
import { SettingsError } from "@sabika/terms/settings";
import type { Log } from "@sabika/server";
import { byForce } from "../../test/support/by_force.ts";
import { listen } from "../../test/support/listen.ts";
import { random } from "../../test/support/random.ts";
import { anAdmission, openTestAdmin } from "../../test/support/test_admin.ts";
import { addPerson } from "../../test/support/test_people.ts";
import { envAtOffice, runOperator } from "../../test/support/run_operator.ts";
import { startServedOffice } from "../../test/support/served_office.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { admitPartner } from "./partners/admit_partner.ts";
import { readOfficeSettings } from "./settings.ts";
import { startOffice } from "./start_office.ts";

const admin = await openTestAdmin();
after(() => admin.close());

const ENV = {
  SABIKA_ENVIRONMENT: "sandbox",
  SABIKA_DATABASE_URL: admin.testDatabase.urlAs("sabika_operator"),
  SABIKA_MASTER_KEY: admin.masterKeyText,
  SABIKA_ADMIN_LISTEN: "127.0.0.1:0",
  SABIKA_ADMIN_ORIGIN: "http://localhost:9443",
};

test("the office listens by its settings, as a member of sabika_operator, until it is stopped", async () => {
  const proxies = { SABIKA_ADMIN_TRUSTED_PROXIES: "127.0.0.1,10.0.0.0/8" };
  const settings = await readOfficeSettings({ ...ENV, ...proxies });
  const callers: unknown[] = [];
  const log: Log = (_level, name, members) => name === "refused" && callers.push(members?.["peer"]);
  const office = await startOffice(settings, { now: admin.now, random, log, fetch });
  const get = (path: string) => fetch(`http://127.0.0.1:${office.port}${path}`);
  const answer = await get("/admin/v1/me");
  assertEquals([answer.status, (await answer.json()).code], [401, "sign_in_required"]);
  assertEquals(await (await get("/live")).text(), "live\n");
  // The partners' API is not here.
  for (const path of ["/v1/orders", "/health", "/oauth/token", "/metrics"]) {
    const missing = await get(path);
    assertEquals([path, missing.status], [path, 404]);
    await missing.body?.cancel();
  }
  const headers = { "x-forwarded-for": "1.2.3.4, 203.0.113.9, 10.1.2.3" };
  await (await fetch(`http://127.0.0.1:${office.port}/admin/v1/me`, { headers })).body?.cancel();
  assertEquals(callers, ["127.0.0.1", "203.0.113.9"]);
  await office.stop();
  await assertRejects(() => get("/admin/v1/me"));
});

test("settings that would let others in are refused in one line", async () => {
  const production = {
    ...ENV,
    SABIKA_ENVIRONMENT: "production",
    SABIKA_DATABASE_URL: "postgres://office@localhost/sabika",
    SABIKA_MASTER_KEY: newMasterKey("k1", random),
    SABIKA_ADMIN_ORIGIN: "https://office.example",
  };
  assertEquals((await readOfficeSettings(production)).origin, "https://office.example");
  const inContainer = { SABIKA_ADMIN_LISTEN: "0.0.0.0:9443", SABIKA_ADMIN_ALLOW_REMOTE: "true" };
  const { listen } = await readOfficeSettings({ ...ENV, ...inContainer });
  assertEquals(listen, { host: "0.0.0.0", port: 9443 });
  const folder = temporaryFolder();
  const cells = join(folder, "cells");
  await writeFile(cells, "b postgres://office@cell-b.example/sabika\n", { mode: 0o600 });
  // The files' contents are checked only when the office listens.
  const tls = { SABIKA_ADMIN_TLS_CERTIFICATE_FILE: cells, SABIKA_ADMIN_TLS_KEY_FILE: cells };
  const wrong = [
    [{ SABIKA_ADMIN_LISTEN: "0.0.0.0:9443" }, "SABIKA_ADMIN_TLS_CERTIFICATE_FILE"],
    [{ SABIKA_ADMIN_ALLOW_REMOTE: "true" }, "SABIKA_ADMIN_ALLOW_REMOTE"],
    [{ ...tls, SABIKA_ADMIN_ALLOW_REMOTE: "true" }, "SABIKA_ADMIN_ALLOW_REMOTE"],
    [{ SABIKA_ADMIN_LISTEN: "9443" }, "SABIKA_ADMIN_LISTEN"],
    [{ SABIKA_ADMIN_ORIGIN: "http://localhost:9443" }, "SABIKA_ADMIN_ORIGIN"],
    [{ SABIKA_ADMIN_ORIGIN: "https://office.example/" }, "SABIKA_ADMIN_ORIGIN"],
    [{ SABIKA_ADMIN_ORIGIN: "https://10.0.0.1" }, "SABIKA_ADMIN_ORIGIN"],
    [{ SABIKA_ADMIN_OIDC_ISSUER: "https://login.example" }, "SABIKA_ADMIN_OIDC_CLIENT_ID"],
    [{ SABIKA_ADMIN_TLS_KEY_FILE: "/nowhere/tls.key" }, "SABIKA_ADMIN_TLS_KEY_FILE"],
    [{ SABIKA_DATABASE_URL: "postgres://office@db.example/sabika" }, "verify-full"],
    [{ SABIKA_CELLS_FILE: "/nowhere/cells" }, "SABIKA_CELLS_FILE"],
    [{ SABIKA_CELLS_FILE: cells }, "verify-full"],
    [{ SABIKA_ADMIN_TRUSTED_PROXIES: "proxy" }, "SABIKA_ADMIN_TRUSTED_PROXIES"],
    [{ SABIKA_ADMIN_LISTENS: "x" }, "SABIKA_ADMIN_LISTEN?"],
  ] as const;
  for (const [change, text] of wrong) {
    const error = await assertRejects(
      () => readOfficeSettings({ ...production, ...change }),
      SettingsError,
    );
    assertStringIncludes(error.message, text);
  }
});

test("a cell that does not answer keeps the acts on its partners waiting, and nothing else", async (t) => {
  const { sql } = admin.database;
  await sql`insert into cells (cell_id) values ('b')`;
  assert((await admitPartner(admin, anAdmission("of-b"))).ok);
  await byForce(admin.database, "update partners set cell_id = 'b' where client_id = 'of-b'");
  const amal = await addPerson(admin, "amal", ROLES);
  const folder = temporaryFolder();
  const cells = join(folder, "cells");
  const connections: Socket[] = [];
  const silent = createServer((socket) => void connections.push(socket));
  const port = await listen(silent);
  await writeFile(cells, `b postgres://office@127.0.0.1:${port}/sabika\n`, { mode: 0o600 });
  const { origin, stop } = await startServedOffice({ ...ENV, SABIKA_CELLS_FILE: cells });
  const answerNobody = () => {
    silent.close();
    for (const connection of connections) connection.destroy();
  };
  t.after(async () => {
    answerNobody();
    await stop();
  });

  const answered: string[] = [];
  const acts = Array.from({ length: 4 }, async () => {
    const asked = await amal.sign("webhook.ping", { partner: "of-b" });
    assert("signed" in asked);
    const { id, name, argumentsText, signedAtMs, signature } = asked.signed;
    const act = { id, name, arguments: JSON.parse(argumentsText), signed_at: signedAtMs / 1000 };
    const answer = await fetch(`${origin}/admin/v1/acts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ act, signature }),
    });
    answered.push((await answer.json()).detail);
  });
  await once(silent, "connection");
  const env = await envAtOffice(origin, folder, amal);
  for (const line of ["price show", "price pause", "policy show"]) {
    const { code, stderr } = await runOperator(line.split(" "), env);
    assertEquals([code, answered], [0, []], `${line}: ${stderr}`);
  }
  answerNobody();
  await Promise.all(acts);
  for (const detail of answered) assertStringIncludes(detail, 'the cell "b" cannot be used');
});
