import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Kit, writeKit } from "@sabika/identity/keys";
import { verifyAudit, withAuditRecord } from "@sabika/service/audit";
import type { Browser } from "playwright-core";
import { openConsolePerson, submit } from "../../test/support/console_person.ts";
import { testInEachLanguage } from "../../test/support/in_each_language.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { openKitFile } from "../../test/support/open_kit_file.ts";
import { requestByOpenssl } from "../../test/support/openssl.ts";
import { openServedConsole } from "../../test/support/served_console.ts";
import { openKitClient, type ServiceClient } from "../../test/support/service_client.ts";
import { BASE_URL } from "../../test/support/service_requests.ts";
import { createTestAuthority } from "../../test/support/test_certificates.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { until } from "../../test/support/until.ts";
import { startTestReceiver } from "../../test/support/webhook_receiver.ts";
import { type Language, MESSAGES } from "./languages/languages.ts";

const BANK = "harbour-bank";
const IBAN = "SA0380000000608010167519";

testInEachLanguage(
  "two people with passkeys run a partner's first day from the console, in {language}",
  async (browser, language, t) => {
    const world = await openWorld(browser, language);
    t.after(() => world.close());
    const { kit, keyPem } = await admit(world);
    await provide(world);
    const bank = await world.open(kit, keyPem);
    await trade(world, bank);
    await sendAgain(world);
    await pay(world, bank);
    await rotate(world, kit);
    await signInAgain(world);
    assertEquals([...world.amal.found, ...world.badr.found], []);
    assertEquals(world.site.errors, []);
    const { findings, signed } = await withAuditRecord(
      world.service.admin.database.sql,
      (record) => verifyAudit(record),
    );
    assertEquals(findings, []);
    assert(signed >= 15, `${signed} signed`);
  },
);

type World = Awaited<ReturnType<typeof openWorld>>;

/** A service that delivers, an endpoint, the console, and two people at it. */
async function openWorld(browser: Browser, language: Language) {
  const words = MESSAGES[language];
  const folder = temporaryFolder();
  const authority = await createTestAuthority();
  const receiver = await startTestReceiver(await authority.issue({ ip: ["127.0.0.1"] }));
  const service = await startTestService({ instances: 0 });
  const instance = service.createInstance(() => {}, {
    deliverWebhooks: true,
    webhookAllowLoopback: true,
    webhookCaPem: authority.certificatePem,
  });
  const { port } = await instance.start();
  const site = await openServedConsole(service.admin, service.test);
  const person = async (name: string) =>
    await openConsolePerson({
      browser,
      origin: site.origin,
      language,
      words,
      link: await site.invite(name),
    });
  const [amal, badr] = [await person("amal"), await person("badr")];
  const opened: ServiceClient[] = [];
  return {
    language,
    words,
    folder,
    receiver,
    service,
    site,
    amal,
    badr,
    /** Opens an SDK client with a kit, which is written to a new folder. */
    async open(kit: Kit, clientKeyPem: string): Promise<ServiceClient["client"]> {
      await instance.refresh();
      const kitFolder = join(folder, String(opened.length));
      await writeKit(kitFolder, BASE_URL, { ...kit, clientKeyPem });
      const client = await openKitClient(kitFolder, port!);
      opened.push(client);
      return client.client;
    },
    async close() {
      for (const client of opened) await client.close();
      await Promise.all([amal.close(), badr.close()]);
      await site.close();
      await instance.stop();
      await receiver.close();
      await service.close();
    },
  };
}

/** Admits the bank with a request that openssl made; opens the encrypted kit that the page offers. */
async function admit({ amal, words, receiver }: World) {
  const client = await requestByOpenssl(BANK, "Harbour Bank");
  const signing = await requestByOpenssl(BANK, "Harbour Bank");
  const { admission, fields, partners, pages, shownOnce } = words;
  await amal.page.getByRole("link", { name: pages.partners }).click();
  await amal.page.getByRole("link", { name: admission.title }).click();
  const step = async (filled: Record<string, string>) => {
    await amal.look();
    await submit(amal.page, amal.page, admission.next, filled);
  };
  await step({
    [fields.client_id]: BANK,
    [fields.name]: "Harbour Bank",
    [partners.iban]: "SA1",
  });
  await amal.page.getByRole("alert").waitFor();
  await step({ [partners.iban]: IBAN });
  await step({ [fields.csr]: client.csr, [fields.signing_key]: signing.csr });
  await step({
    [fields.webhook_url]: `https://127.0.0.1:${receiver.port}/hook`,
    [partners.addresses]: "127.0.0.0/8\n::1",
    [`${partners.terms.max_grams} (${words.units.grams})`]: "5000",
  });
  assertStringIncludes(await amal.sign(), words.act.done);
  const [download] = await Promise.all([
    amal.page.waitForEvent("download"),
    amal.page.getByRole("link", { name: `${BANK}.tar.age` }).click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  const files = await openKitFile(text, await amal.fact(shownOnce.passphrase));
  const file = (name: string) => files[`${BANK}/${name}`]!;
  const partner = JSON.parse(file("partner.json"));
  const kit: Kit = {
    environment: "sandbox",
    webhookUrl: null,
    settlementIban: IBAN,
    receiver: null,
    clientId: partner.client_id,
    clientSecret: partner.client_secret,
    webhookSecret: partner.webhook_secret,
    signingKeyId: partner.signing_key_id,
    caPem: file("ca.crt"),
    clientCertificatePem: file("client.crt"),
    clientKeyPem: null,
    signingKeyPem: signing.keyPem,
  };
  await amal.go(`/partners/${BANK}`);
  const page = await amal.page.content();
  assert(!page.includes(kit.clientSecret) && !page.includes(kit.webhookSecret));
  return { kit, keyPem: client.keyPem };
}

/** Two people add a bar; one allocates gold; two credit money, since the amount needs a second person. */
async function provide(world: World) {
  const { amal, words } = world;
  await amal.go("/vault/intake");
  const notice = await amal.act(words.acts["vault.bar.add"], {
    [words.fields.serial]: "H-1",
    [words.fields.refiner]: "Emirates Gold",
    [words.fields.weight_grams]: "1000",
  });
  assertStringIncludes(notice, words.roles.treasury);
  await approve(world);
  await amal.go("/vault");
  await amal.act(words.acts["vault.allocate"], { [words.partner]: BANK, [words.gold]: "900" });
  await amal.go("/fundings");
  const waits = await amal.act(words.acts["funding.credit"], {
    [words.partner]: BANK,
    [words.fields.amount_sar]: "150000",
    [words.orders.reference]: "TT-1",
  });
  assertStringIncludes(waits, words.roles.treasury);
  await approve(world);
  await amal.go("/fundings");
  await amal.page.getByText("TT-1").waitFor();
}

/** The second person approves the only request that waits. */
async function approve({ badr, words }: World) {
  await badr.go("/approvals");
  assertStringIncludes(await badr.act(words.acts["approval.approve"]), words.act.done);
}

/** The partner places its first order, whose story the console shows; its endpoint answers 410. */
async function trade({ amal, words, service, receiver }: World, bank: ServiceClient["client"]) {
  // The event of the credit was delivered.
  await until(() => receiver.received.length > 0);
  receiver.behave = () => ({ status: 410 });
  const quote = await bank.quote({ side: "buy", goldMicrograms: 10_000_000n });
  const order = await bank.order({ quoteId: quote.id, clientReference: "the first" });
  const { sql } = service.test.database;
  await until(async () => {
    const disabled = await sql`select 1 from webhook_lanes where disabled_at is not null`;
    return disabled.length > 0;
  });
  await amal.go("/orders");
  await amal.page.getByRole("row").filter({ hasText: order.id }).getByRole("rowheader")
    .getByRole("link").click();
  await amal.page.getByText("the first", { exact: true }).waitFor();
  await amal.look();
  const holds = amal.page.locator(".checks").getByText(words.trade.holds, { exact: true });
  assertEquals(await holds.count(), 4);
  await amal.page.getByText(words.failures.gone).waitFor();
}

/** Today leads to the endpoint that is gone; it is enabled, and the event sent again. */
async function sendAgain({ amal, words, receiver }: World) {
  await amal.go("");
  await amal.page.getByRole("link", { name: words.notifications.kinds.endpoint_down }).click();
  const row = amal.page.getByRole("row").filter({ hasText: words.failures.gone });
  await row.getByRole("rowheader").getByRole("link").click();
  receiver.behave = () => ({ status: 204 });
  const refused = receiver.received.length;
  assertStringIncludes(await amal.act(words.acts["webhook.enable"]), words.act.done);
  await until(() => receiver.received.length > refused);
  await amal.go(`/partners/${BANK}/deliveries?status=delivered`);
  await until(async () => {
    await amal.page.reload();
    return await amal.page.getByText("order.executed").count() > 0;
  });
  const delivered = receiver.received.length;
  const event = amal.page.getByRole("row").filter({ hasText: "order.executed" });
  await amal.act(words.acts["webhook.redeliver"], {}, event);
  await until(() => receiver.received.length > delivered);
  const [first, second] = [refused - 1, delivered].map((n) => receiver.received[n]!.body);
  assertEquals(first, second);
}

/** Two people begin the payment of a withdrawal, and two complete it. */
async function pay(world: World, bank: ServiceClient["client"]) {
  const { amal, words } = world;
  const { id } = await bank.withdraw({ amountHalalas: 1_000_00n });
  for (const status of ["processing", "completed"] as const) {
    await amal.go("/withdrawals");
    const waits = await amal.act(words.acts[`withdrawal.${status}`]);
    assertStringIncludes(waits, words.roles.treasury);
    await approve(world);
    assertEquals((await bank.getWithdrawal(id)).status, status);
  }
}

/** Rotates the certificate; the old one still works for a day. */
async function rotate(world: World, kit: Kit) {
  const { amal, words } = world;
  const { keyPem, csr } = await requestByOpenssl(BANK, "Harbour Bank");
  await amal.go(`/partners/${BANK}`);
  await amal.page.getByRole("link", { name: words.change.link }).click();
  const notice = await amal.act(words.acts["certificate.rotate"], {
    [words.fields.csr]: csr,
    [words.fields.overlap_ms]: String(86_400_000),
  });
  assertStringIncludes(notice, words.act.done);
  assert((await amal.fact(words.shownOnce.oldEnd)).length > 0);
  const clientCertificatePem = await amal.fact(words.shownOnce.certificate);
  const bank = await world.open({ ...kit, clientCertificatePem }, keyPem);
  assert((await bank.balances()).goldMicrograms > 0n);
  await amal.go(`/partners/${BANK}`);
  const inForce = amal.page.getByRole("row")
    .filter({ hasText: words.credentials.certificate })
    .filter({ hasText: words.partners.credentialStates.active });
  assertEquals(await inForce.count(), 2);
}

/** Signs out, and signs in again with only the passkey. */
async function signInAgain({ amal, words, site, language }: World) {
  await amal.page.getByRole("button", { name: words.signOut }).click();
  await amal.page.getByRole("button", { name: words.signIn.button }).waitFor();
  await amal.look();
  await amal.page.getByRole("button", { name: words.signIn.button }).click();
  await amal.page.waitForURL(`${site.origin}/${language}`);
}
