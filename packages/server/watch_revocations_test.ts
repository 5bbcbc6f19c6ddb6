import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { revokeToken } from "@sabika/identity/tokens";
import { revocationsJob } from "@sabika/office";
import { admitPartner, revokeCertificate, setPartnerStatus } from "@sabika/office/partners";
import { createPushedRevocations, createRegister } from "@sabika/service/partners";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { anAdmission, openTestAdmin } from "../../test/support/test_admin.ts";
import { revocationsWatch } from "./watch_revocations.ts";

test("what the office revokes reaches a register that control does not, by the folder (D116)", async () => {
  const admin = await openTestAdmin();
  const folder = temporaryFolder();
  const pushed = createPushedRevocations();
  // It reads control once, as if control were away from then on.
  const register = createRegister({ ...admin, pushed, pollMs: 3_600_000 });
  const office = revocationsJob({ ...admin, folder });
  const logged: string[] = [];
  const clock = { ms: 0 };
  const watch = revocationsWatch({
    folder,
    keys: admin.secrets,
    pushed,
    monotonic: () => clock.ms,
    log: (_level, event) => logged.push(event),
  });
  try {
    const admitted = await admitPartner(admin, anAdmission("bank-a"));
    assert(admitted.ok);
    await register.refresh();
    const [certificate] = register.byClientId("bank-a")!.certificates;
    const { hashHex } = certificate!;
    const seen = async () => {
      await office.run();
      await watch.run();
      const { partner, certificate } = register.byCertificate(hashHex)!;
      return [partner.status, certificate.revokedAtMs !== null];
    };
    assertEquals(await seen(), ["active", false]);
    await setPartnerStatus(admin, "bank-a", "suspended");
    assertEquals(await seen(), ["suspended", false]);
    await setPartnerStatus(admin, "bank-a", "active");
    assertEquals(await seen(), ["active", false]);

    const tokenId = crypto.randomUUID();
    const { partnerId } = admitted.value;
    await revokeToken(admin.database.sql, {
      partnerId,
      tokenId,
      validUntilMs: admin.now() + 60_000,
    });
    await revokeCertificate(admin, "bank-a", hashHex);
    assertEquals(await seen(), ["active", true]);
    assertEquals(register.isTokenRevoked(tokenId), true);

    // What nobody signed is refused, once, and again only after a while.
    await writeFile(join(folder, "forged.jws"), "forged");
    logged.length = 0;
    for (const ms of [0, 9_000, 11_000]) {
      clock.ms = ms;
      assertEquals(await seen(), ["active", true]);
    }
    assertEquals(logged, ["revocations_refused", "revocations_refused"]);
  } finally {
    register.close();
    await admin.close();
  }
});

test("a suspension that was pushed ends when the register was read later, a revocation never", () => {
  const pushed = createPushedRevocations();
  const found = {
    partner: { clientId: "bank-a", status: "active" },
    certificate: { hashHex: "ab", revokedAtMs: null },
  } as unknown as Parameters<typeof pushed.judge>[0];
  const list = {
    asOfMs: 60_000,
    by: "office",
    certificates: ["ab"],
    tokens: [],
    suspended: ["bank-a"],
  };
  const seen = (registerAsOfMs: number) => {
    const { partner, certificate } = pushed.judge(found, registerAsOfMs);
    return [partner.status, certificate.revokedAtMs !== null];
  };
  assertEquals(pushed.judge(found, 0), found);
  pushed.take("office.jws", list);
  assertEquals([seen(30_000), seen(90_000)], [["suspended", true], ["active", true]]);
  // Nor does another source that was read earlier.
  pushed.take("cell.jws", { ...list, asOfMs: 20_000 });
  assertEquals(seen(30_000), ["suspended", true]);
  pushed.take("cell.jws", { ...list, asOfMs: 20_001, suspended: [] });
  // An older file that is put back takes nothing away, nor does one without the certificate.
  pushed.take("office.jws", { ...list, asOfMs: 50_000, suspended: [] });
  assertEquals(seen(30_000), ["suspended", true]);
  pushed.take("office.jws", { ...list, asOfMs: 70_000, certificates: [], suspended: [] });
  assertEquals(seen(30_000), ["active", true]);
});
