import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listAudit } from "@sabika/service/audit";
import {
  createRegister,
  listCredentials,
  makeRevocationLists,
  matchesClientSecret,
  type PartnerChanges,
  readEndedWebhookSecret,
  readWebhookSecrets,
  warnExpiringCredentials,
} from "@sabika/service/partners";
import { isValidAt } from "@sabika/terms";
import { performAct } from "../acts/perform.ts";
import { withBank } from "../../../test/support/test_admin.ts";
import { makePartnerKey } from "../../../test/support/test_request.ts";
import { revokeCertificate } from "./credential_operations.ts";
import * as partners from "./partner_operations.ts";
import * as rotate from "./rotate.ts";
import { setTax } from "./set_tax.ts";
import { each } from "../../../test/support/each.ts";

const DAY_MS = 86_400_000;

test("old and new credentials of every kind work until the overlap ends the old ones (F48)", () =>
  withBank(async (admin, kit) => {
    const register = createRegister({ ...admin, pollMs: 60_000 });
    const { publicPem } = await makePartnerKey();
    const overlap = { overlapMs: 7 * DAY_MS };
    // Makes the new credentials newer than the kit's, since lists have the newest first.
    admin.clock.nowMs += 1;
    const secret = await rotate.rotateClientSecret(admin, "bank-one", overlap);
    const webhook = await rotate.rotateWebhookSecret(admin, "bank-one", overlap);
    const key = await rotate.rotateSigningKey(admin, "bank-one", {
      ...overlap,
      key: publicPem,
    });
    const certificate = await rotate.rotateCertificate(admin, "bank-one", {
      ...overlap,
      csr: await (await makePartnerKey()).csr("bank-one"),
    });
    assert(secret.ok && webhook.ok && key.ok && certificate.ok);
    assertEquals(secret.value.oldEndsAtMs, admin.now() + 7 * DAY_MS);
    await register.refresh();
    register.close();
    const partner = register.byClientId("bank-one")!;
    const moments = [
      [admin.now(), true],
      [admin.now() + 7 * DAY_MS - 1, true],
      [admin.now() + 7 * DAY_MS, false],
    ] as const;
    for (const [atMs, oldWorks] of moments) {
      const matches = (text: string) =>
        matchesClientSecret(admin.secrets, partner.clientSecrets, text, atMs);
      assertEquals(await matches(kit.clientSecret), oldWorks);
      assertEquals(await matches(secret.value.credential), true);
      const hooks = await readWebhookSecrets(
        admin.database.sql,
        admin.secrets,
        partner.partnerId,
        atMs,
      );
      assertEquals(hooks, [webhook.value.credential, ...(oldWorks ? [kit.webhookSecret] : [])]);
      const { sql } = admin.database;
      const ended = await readEndedWebhookSecret(sql, admin.secrets, partner.partnerId, atMs);
      assertEquals(ended, oldWorks ? undefined : kit.webhookSecret);
      for (const credentials of [partner.signingKeys, partner.certificates]) {
        const areValid = credentials.map((credential) => isValidAt(credential, atMs));
        assertEquals(areValid.sort(), [oldWorks, true].sort());
      }
    }
  }));

test("a revoked certificate and one that a rotation ended are on the revocation list", () =>
  withBank(async (admin) => {
    const [first] = await listCredentials(admin.database.sql, admin.now(), { kind: "certificate" });
    const lists = () =>
      makeRevocationLists({ ...admin, sql: admin.database.sql, nowMs: admin.now() });
    assertEquals((await lists()).revoked, []);
    const csr = await (await makePartnerKey()).csr("bank-one");
    const rotated = await rotate.rotateCertificate(admin, "bank-one", { overlapMs: DAY_MS, csr });
    assert(rotated.ok);
    const before = await lists();
    assertEquals([before.revoked, before.renewAtMs], [[], admin.now() + DAY_MS]);
    admin.clock.nowMs += DAY_MS;
    assertEquals((await lists()).revoked, [first!.serial]);
    const { serial } = rotated.value.credential;
    const revoked = await revokeCertificate(admin, "bank-one", serial.slice(0, 8).toUpperCase());
    assert(revoked.ok);
    assertEquals((await lists()).revoked.sort(), [first!.serial, serial].sort());
    const repeated = await revokeCertificate(admin, "bank-one", serial);
    assertStringIncludes(repeated.ok ? "" : repeated.detail, "already revoked");
    assert(!(await revokeCertificate(admin, "bank-one", "")).ok);
    admin.clock.nowMs += 366 * DAY_MS;
    assertEquals((await lists()).revoked, []);
  }));

test("without overlap, revoked and ended credentials end at once, even if the operator's clock is fast", () =>
  withBank(async (admin, kit) => {
    admin.clock.nowMs = Date.now() + DAY_MS;
    const secret = await rotate.rotateClientSecret(admin, "bank-one", { overlapMs: 0 });
    const webhook = await rotate.rotateWebhookSecret(admin, "bank-one", { overlapMs: 0 });
    const { publicPem: key } = await makePartnerKey();
    const signing = await rotate.rotateSigningKey(admin, "bank-one", { overlapMs: 0, key });
    assert(secret.ok && webhook.ok && signing.ok);
    const repeated = await rotate.rotateSigningKey(admin, "bank-one", { overlapMs: 0, key });
    assertEquals(repeated.ok ? "accepted" : repeated.code, "already_exists");
    const { sql } = admin.database;
    const [certificate] = await listCredentials(sql, admin.now(), { kind: "certificate" });
    assert((await revokeCertificate(admin, "bank-one", certificate!.serial!)).ok);

    const realMs = Date.now() + 1_000;
    const register = createRegister({ ...admin, pollMs: 60_000 });
    await register.refresh();
    register.close();
    const { clientSecrets, signingKeys, certificates, partnerId } = register.byClientId(
      "bank-one",
    )!;
    const matches = (text: string) =>
      matchesClientSecret(admin.secrets, clientSecrets, text, realMs);
    assertEquals(
      [await matches(kit.clientSecret), await matches(secret.value.credential)],
      [false, true],
    );
    assertEquals(
      signingKeys.filter((signingKey) => isValidAt(signingKey, realMs)).map((signingKey) =>
        signingKey.keyId
      ),
      [signing.value.credential],
    );
    assertEquals(await readWebhookSecrets(sql, admin.secrets, partnerId, realMs), [
      webhook.value.credential,
    ]);
    assert(certificates[0]!.revokedAtMs! <= realMs);
    // Nor does it matter that the clock of who makes the list is slow.
    const lists = await makeRevocationLists({ ...admin, sql, nowMs: realMs - DAY_MS });
    assertEquals(lists.revoked, [certificate!.serial]);
  }));

test("credential.expiring is sent once at 30, 14, 7 and 1 days, even by concurrent rounds", () =>
  withBank(async (admin) => {
    const [certificate] = await listCredentials(admin.database.sql, admin.now(), {
      kind: "certificate",
    });
    const endMs = certificate!.validUntilMs!;
    const revisions: number[] = [];
    for (const days of [31, 30, 29.5, 14, 13, 7, 6, 1, 0.5, 0]) {
      const options = { ...admin, nowMs: endMs - days * DAY_MS };
      const counts = await Promise.all([
        warnExpiringCredentials(options),
        warnExpiringCredentials(options),
      ]);
      revisions.push(counts[0] + counts[1]);
    }
    assertEquals(revisions, [0, 1, 0, 1, 0, 1, 0, 1, 0, 0]);
    const events = await admin.database.sql<{ object: string }[]>`
      select object from events where type = 'credential.expiring' order by sequence`;
    assertEquals(events.map(({ object }) => JSON.parse(object).days_left), [30, 14, 7, 1]);
  }));

test("changes of settings, addresses, IBAN, webhook and status are checked and audited", () =>
  withBank(async (admin) => {
    const { sql } = admin.database;
    const id = "bank-one";
    const act = (name: string, input: object = {}) => () =>
      performAct(admin, { name, arguments: { partner: id, ...input } });
    const update = (changes: PartnerChanges, clientId = id) => () =>
      partners.updatePartner(admin, clientId, changes);
    const rateLimits = { signed: { perSecond: 5, burst: 10 } };
    const first = { name: "First Bank", spreadPpm: 7_500n, quoteMaxMicrograms: 5_000_000n };
    const cases: [change: () => Promise<{ ok: boolean; code?: string }>, outcome: string][] = [
      [update({ ...first, rateLimits } as PartnerChanges), "done"],
      [update({ feePpm: -1n }), "invalid_setting"],
      [update({ quoteMinMicrograms: 5_000_001n }), "invalid_setting"],
      [update({}, "nobody"), "not_found"],
      [() => partners.addAddress(admin, id, "192.0.2.7"), "done"],
      [() => partners.addAddress(admin, id, "192.0.2.7/32"), "already_exists"],
      [() => partners.removeAddress(admin, id, "192.0.2.8"), "not_found"],
      [() => partners.removeAddress(admin, id, "192.0.2.7"), "done"],
      [() => partners.setIban(admin, id, "NO9386011117947"), "done"],
      [() => partners.setIban(admin, id, "NO9386011117948"), "invalid_iban"],
      [act("webhook.set", { url: "https://localhost:9443/h" }), "done"],
      [act("webhook.set", { url: "ftp://x.example" }), "invalid_webhook_url"],
      [act("webhook.ping"), "done"],
      [act("webhook.disable"), "done"],
      [act("webhook.disable"), "invalid_state"],
      [act("webhook.ping"), "invalid_state"],
      [act("webhook.enable"), "done"],
      [act("webhook.redeliver", { event: "evt_1" }), "not_found"],
      [() => partners.setPartnerStatus(admin, id, "suspended"), "done"],
      [() => partners.setPartnerStatus(admin, id, "suspended"), "invalid_state"],
    ];
    for (const [n, [change, outcome]] of cases.entries()) {
      const { code = "done" } = await change();
      assertEquals([n, code], [n, outcome]);
    }
    const register = createRegister({ ...admin, pollMs: 60_000 });
    await register.refresh();
    register.close();
    const partner = register.byClientId(id)!;
    assertEquals([partner.name, partner.status], ["First Bank", "suspended"]);
    assertEquals(partner.settings.spreadPpm, 7_500n);
    assertEquals(partner.settings.rateLimits.signed, { perSecond: 5, burst: 10 });
    assertEquals(partner.settlementIban, "NO9386011117947");
    const actions = (await listAudit(sql, { limit: 20, clientId: id })).map((entry) =>
      entry.action
    );
    assertEquals(
      actions,
      each(`
      partner.suspend webhook.enable webhook.disable webhook.ping webhook.set iban.set
      address.remove address.add partner.update partner.create`),
    );
  }));

test("a tax begins on a day that is not over, and then its VAT has no other way to change (D93)", () =>
  withBank(async (admin) => {
    const from = async (from_day: string, fee_vat_percent = 150_000n) => {
      const tax = { partner: "bank-one", gold_vat_percent: 0n, fee_vat_percent, from_day };
      const outcome = await setTax(admin, tax);
      return outcome.ok ? "done" : `${outcome.code}: ${outcome.detail}`;
    };
    const changeVat = async () =>
      (await partners.updatePartner(admin, "bank-one", { vatPpm: 50_000n })).ok;
    const day = (days: number) =>
      new Date(admin.now() + 3 * 3_600_000 + days * DAY_MS).toISOString().slice(0, 10);
    assertEquals(await changeVat(), true);
    assertEquals(
      await from(day(-1)),
      `invalid_setting: ${day(-1)} is over: a tax begins today or later`,
    );
    assertEquals(await from("2999-02-30"), "invalid_setting: not a day, such as 2027-01-01");
    assertEquals(await from(day(1), 1_000_001n), "invalid_setting: a rate is 0 to 100 %");
    assertEquals(await changeVat(), true);
    assertEquals([await from(day(9)), await from(day(0)), await from(day(9), 7n)], [
      "done",
      "done",
      "done",
    ]);
    assertEquals(await changeVat(), false);
    const [row] = await admin.database.sql`
      select taxes->${day(0)} as now, taxes->${
      day(9)
    } as then from partners where client_id = 'bank-one'`;
    assertEquals(row, {
      now: { fee_ppm: 150_000, gold_ppm: 0 },
      then: { fee_ppm: 7, gold_ppm: 0 },
    });
  }));
