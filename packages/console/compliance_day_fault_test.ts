import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createEvidenceJudge } from "@sabika/protocol";
import type { Locator } from "playwright-core";
import {
  type ConsoleDay,
  openHarbourBank,
  testConsoleDay,
} from "../../test/support/console_day.ts";
import { openKitFile } from "../../test/support/open_kit_file.ts";
import { requestByOpenssl } from "../../test/support/openssl.ts";

const NEW = "desert-bank";
const TRADES = "harbour-bank";
const OTHER_IBAN = "SA6815000608101234567890";

testConsoleDay(
  "a compliance officer admits, files, suspends, resumes and hands out evidence, in {language}",
  {
    roles: { amal: ["partners"], badr: ["partners"] },
    signed: 9,
  },
  async (day) => {
    const { buy } = await openHarbourBank(day.admin);
    const orderId = await buy(12_500_000n);
    await buy(3_000_000n);
    await admit(day);
    await file(day);
    await suspend(day);
    await resume(day);
    await changeIban(day);
    await handOut(day, orderId);
  },
);

/** Admits a partner by its own requests; its kit is one encrypted file, under a passphrase that is shown once. */
async function admit(day: ConsoleDay) {
  const { people: [amal], words } = day;
  const { admission, fields, partners, pages, shownOnce } = words;
  const { page } = amal!;
  const [client, signing] = [
    await requestByOpenssl(NEW, "Desert Bank"),
    await requestByOpenssl(NEW, "Desert Bank"),
  ];
  await amal!.follow(page.getByRole("navigation").getByRole("link", { name: pages.partners }));
  await amal!.follow(page.getByRole("link", { name: admission.title }));
  const filledSteps = [
    {
      [fields.client_id]: NEW,
      [fields.name]: "Desert Bank",
      [partners.iban]: "SA4420000001234567891234",
    },
    { [fields.csr]: client.csr, [fields.signing_key]: signing.csr },
    {
      [fields.webhook_url]: `https://hooks.${NEW}.example/sabika`,
      [partners.addresses]: "203.0.113.0/24",
    },
  ];
  for (const filled of filledSteps) {
    await amal!.look();
    await amal!.submit(admission.next, filled);
  }
  assertStringIncludes(await amal!.sign(), words.act.done);
  const kit = await download(day, page.getByRole("link", { name: `${NEW}.tar.age` }));
  const files = await openKitFile(kit, await amal!.fact(shownOnce.passphrase));
  const secret = JSON.parse(files[`${NEW}/partner.json`]!).client_secret;
  assertEquals(typeof secret, "string");
  await amal!.go(`/partners/${NEW}`);
  assertEquals((await page.content()).includes(secret), false);
}

/** Returns the text of the file that a link leads to. */
async function download({ people: [amal] }: ConsoleDay, link: Locator): Promise<string> {
  const file = await amal!.download(link);
  return await readFile(await file.path(), "utf8");
}

/** What the checklist asks for first is done: whom to call; and the licence is filed by its hash. */
async function file({ people: [amal], words }: ConsoleDay) {
  const { acts, act, fields, checklist, partnerFile, partners } = words;
  const { page } = amal!;
  const isMissing = () => {
    const row = page.getByRole("row").filter({ hasText: checklist.steps.contacts });
    return row.getByText(checklist.missing).count();
  };
  await amal!.go(`/partners/${NEW}`);
  assertEquals(await isMissing(), 1);
  await amal!.follow(page.getByRole("link", { name: checklist.steps.contacts }));
  const open = async (name: "partner.contact.set" | "partner.document.set") => {
    await amal!.go(`/partners/${NEW}`);
    await amal!.press(page.locator("summary").filter({ hasText: acts[name] }));
  };
  await open("partner.contact.set");
  const contact = await amal!.act(acts["partner.contact.set"], {
    [fields.name]: "Huda Saleh",
    [fields.role]: "Compliance",
    [fields.telephone]: "+966 11 555 0100",
  });
  assertStringIncludes(contact, act.done);
  await amal!.go(`/partners/${NEW}`);
  assertEquals(await isMissing(), 0);
  await open("partner.document.set");
  const document = await amal!.act(acts["partner.document.set"], {
    [fields.kind]: "licence",
    [words.orders.reference]: "SAMA 2026-118",
    [fields.document_sha256]: createHash("sha256").update("a licence").digest("hex"),
    [fields.issued_on]: "2026-02-01",
    [fields.valid_until]: "2031-01-31",
  });
  assertStringIncludes(document, act.done);
  await amal!.go(`/documents?partner=${NEW}`);
  const row = page.getByRole("row").filter({ hasText: "SAMA 2026-118" });
  assertEquals(await row.getByText(partnerFile.documentStates.valid).count(), 1, partners.status);
}

/** One person suspends at once, which the list of partners and its file show. */
async function suspend(day: ConsoleDay) {
  const { people: [amal], words: { acts, act, partners, orders } } = day;
  await amal!.go(`/partners/${TRADES}`);
  assertStringIncludes(await amal!.act(acts["partner.suspend"]), act.done);
  await amal!.go("/partners");
  const row = amal!.page.getByRole("row").filter({ hasText: TRADES });
  assertEquals(await row.getByText(partners.statuses.suspended).count(), 1);
  const csv = await download(day, amal!.page.getByRole("link", { name: orders.export }));
  assert(csv.split("\r\n").some((line) => line.startsWith(TRADES) && line.includes("suspended")));
}

/** It may trade again. */
async function resume({ people: [amal], words: { acts, act, partners } }: ConsoleDay) {
  await amal!.go(`/partners/${TRADES}`);
  assertStringIncludes(await amal!.act(acts["partner.resume"]), act.done);
  await amal!.go(`/partners/${TRADES}`);
  const state = amal!.page.locator("#settings ~ .facts").getByText(partners.statuses.active);
  assertEquals(await state.count(), 1);
}

/** Another IBAN needs two people; what the second one decides on can be printed and filed. */
async function changeIban({ people: [amal, badr], words }: ConsoleDay) {
  const { acts, act, partners, roles } = words;
  await amal!.go(`/partners/${TRADES}/change`);
  const iban = { [partners.iban]: OTHER_IBAN };
  assertStringIncludes(await amal!.act(acts["iban.set"], iban), roles.partners);
  await badr!.go("/approvals");
  const { page } = badr!;
  await page.emulateMedia({ media: "print" });
  const dossier = await page.locator(".dossier").first().innerText();
  for (const said of [TRADES, OTHER_IBAN]) {
    assertStringIncludes(dossier.replaceAll(/\s/g, ""), said);
  }
  const approve = page.getByRole("button", { name: acts["approval.approve"] });
  assertEquals(await approve.isVisible(), false);
  await page.emulateMedia({ media: null });
  assertStringIncludes(await badr!.act(acts["approval.approve"]), act.done);
  await amal!.go(`/partners/${TRADES}`);
  await amal!.page.getByText(OTHER_IBAN, { exact: true }).first().waitFor();
}

/** What the partner signed, of one order and of all: files that anybody can judge without the service. */
async function handOut(day: ConsoleDay, orderId: string) {
  const { people: [amal], words: { trade, orders } } = day;
  await amal!.go(`/orders?partner=${TRADES}`);
  assertEquals(await judge(await download(day, amal!.page.getByText(orders.evidence))), 2);
  await amal!.follow(amal!.page.locator(`a[href$="${orderId}"]`));
  const text = await download(day, amal!.page.getByRole("link", { name: trade.evidence }));
  assertEquals(await judge(text), 1);
  assertStringIncludes(text, orderId);
}

/** Judges a file of evidence, as the partner's SDK does; returns how many facts it has. */
async function judge(text: string): Promise<number> {
  const judge = createEvidenceJudge();
  for (const line of text.trimEnd().split("\n")) await judge.add(line);
  const { facts, findings, withoutEvidence } = judge.end();
  assertEquals([findings, withoutEvidence], [[], 0]);
  return facts;
}
