import { readFile } from "node:fs/promises";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { makePersonsKey } from "@sabika/identity/signatures";
import { readAttestationKeys } from "@sabika/service/vault";
import { type ConsoleDay, testConsoleDay } from "../../test/support/console_day.ts";
import type { ConsolePerson } from "../../test/support/console_person.ts";
import { signCount } from "../../test/support/test_outsider.ts";

const BARS = 300;
const HEAD = "serial,refiner,gross_ounces,fineness,vault,place,sha256";
const LINES = Array.from(
  { length: BARS },
  (_, n) => `LB-${1_000 + n},Emirates Gold,400.${100 + n},995.8,Riyadh,shelf 4,${"5e".repeat(32)}`,
);
const file = (name: string, text: string) => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(text),
});

testConsoleDay("300 bars come in, one is replaced, all are counted and inspected, in {language}", {
  roles: { amal: ["custodian"], badr: ["treasury"], dana: ["administrator"] },
  // Intake, replacement and key with their approvals, the count and its signature.
  signed: 8,
  byKeyboard: false,
}, async (day) => {
  const [amal, badr, dana] = day.people;
  const world = { ...day, amal: amal!, badr: badr!, dana: dana! };
  await takeIn(world);
  await replace(world);
  const key = await registerInspector(world);
  await count(world);
  await inspect(world, key);
});

/** A custodian, somebody of the treasury and an administrator at the console of an empty vault. */
interface World extends ConsoleDay {
  readonly amal: ConsolePerson;
  readonly badr: ConsolePerson;
  readonly dana: ConsolePerson;
}

async function approve({ badr, words: { acts, act } }: World): Promise<void> {
  await badr.go("/approvals");
  assertStringIncludes(await badr.act(acts["approval.approve"]), act.done);
}

/** A list with a wrong line says so; mended, it is signed and approved, and its version has every bar. */
async function takeIn(world: World) {
  const { amal, words: { acts, custody, intake, roles } } = world;
  const { page } = amal;
  await amal.go("/vault");
  await amal.follow(page.getByRole("link", { name: custody.intake }));
  const choose = async (lines: readonly string[]) => {
    const list = file("weights.csv", [HEAD, ...lines].join("\r\n"));
    await page.getByLabel(intake.file, { exact: true }).setInputFiles(list);
    await amal.follow(page.getByRole("button", { name: intake.check }));
  };
  await choose(LINES.with(7, "LB-1007,Emirates Gold,400.107,91,Riyadh,shelf 4,"));
  const wrong = page.getByRole("row").filter({ hasText: "LB-1007" });
  assertEquals(await wrong.count(), 1);
  assertEquals(await page.getByRole("button", { name: acts["vault.bars.add"] }).count(), 0);
  await choose(LINES);
  await amal.follow(page.getByRole("button", { name: acts["vault.bars.add"] }));
  assertStringIncludes(await amal.sign(), roles.treasury);
  await approve(world);
  // Without axe, which takes its time over 300 rows; that of a smaller version is looked at below.
  await page.goto(page.url().replace(/(\/(?:en|ar)\/).*/, "$1pools/main/versions/1"));
  assertEquals(await page.getByRole("row").count(), BARS + 1);
}

/** A bar leaves for one that is heavier; the version says both. */
async function replace(world: World) {
  const { amal, words: { acts, custody, fields, intake, roles } } = world;
  const { page } = amal;
  await amal.go("/vault?serial=1042");
  await amal.follow(page.getByRole("link", { name: "LB-1042" }));
  await page.getByText(custody.standings.counts).waitFor();
  await amal.go("/vault/replacement");
  await amal.submit(intake.check, {
    [fields.serials]: "LB-1042",
    [fields.serial]: "N-١",
    [fields.refiner]: "Emirates Gold",
    [fields.fineness]: "999.9",
    [fields.weight_grams]: "12.5 kg",
  });
  await page.getByRole("button", { name: acts["vault.bar.replace"] }).waitFor();
  await amal.look();
  await amal.follow(page.getByRole("button", { name: acts["vault.bar.replace"] }));
  assertStringIncludes(await amal.sign(), roles.treasury);
  await approve(world);
  await amal.go("/pools/main/versions");
  await amal.follow(page.getByRole("link", { name: "2", exact: true }));
  const cases = [["N-1", custody.bars.came], ["LB-1042", custody.bars.left]] as const;
  for (const [serial, said] of cases) {
    const row = page.getByRole("row").filter({ hasText: serial });
    assertEquals(await row.getByText(said, { exact: true }).count(), 1);
  }
}

/** An administrator registers the inspector's key; returns it as the inspector has it. */
async function registerInspector(world: World) {
  const { dana, admin, words: { acts, fields, outsiders, roles } } = world;
  const { publicPem, privatePem } = await makePersonsKey();
  await dana.go("/attestation-keys");
  const notice = await dana.act(acts["attestation-key.add"], {
    [fields.role]: outsiders.roles.inspector,
    [fields.holder]: "Gulf Inspection",
    [fields.key]: publicPem.trim(),
  });
  assertStringIncludes(notice, roles.treasury);
  await approve(world);
  await dana.go("/attestation-keys");
  await dana.page.getByText("Gulf Inspection").waitFor();
  const [key] = await readAttestationKeys(admin.database.sql);
  return { keyId: key!.keyId, privatePem };
}

/** All bars of the version are scanned but one; one is lighter. */
async function count({ amal, words: { acts, act, counts, fields } }: World) {
  const { page } = amal;
  await amal.go("/pools/main/versions");
  await amal.follow(page.getByRole("link", { name: counts.link, exact: true }));
  assertEquals(await page.getByRole("checkbox").count(), BARS);
  const seen = LINES.map((line) => line.split(",")[0]!)
    .filter((serial) => !["LB-1042", "LB-1100"].includes(serial))
    .map((serial) => serial === "LB-1200" ? `${serial} = 12,450` : serial);
  await page.getByLabel(fields.bars, { exact: true }).fill([...seen, "N-1"].join("\n"));
  await amal.follow(page.getByRole("button", { name: acts["vault.count"] }));
  assertStringIncludes(await amal.sign(), act.done);
  await amal.go("/counts");
  await page.getByText(counts.standings.open, { exact: true }).waitFor();
}

/** The count goes out as a file, is signed elsewhere, and its signature comes in as a file. */
async function inspect(
  { amal, words: { acts, act, counts, fields } }: World,
  key: { readonly keyId: string; readonly privatePem: string },
) {
  const { page } = amal;
  await amal.follow(page.getByRole("row").nth(1).getByRole("link"));
  const sent = await amal.download(page.getByRole("link", { name: counts.file }));
  const text = await readFile(await sent.path(), "utf8");
  assertEquals(JSON.parse(text).missing, ["LB-1100"]);
  assertEquals(JSON.parse(text).different, ["LB-1200"]);
  const signature = await signCount(text, key);
  const picker = page.locator('input[type="file"]');
  await picker.setInputFiles(file("count.jws", `${signature}\n`));
  assertEquals(await picker.getAttribute("aria-label"), fields.signature);
  await amal.follow(page.getByRole("button", { name: acts["vault.count.inspect"] }));
  assertStringIncludes(await page.locator(".dossier").innerText(), "Gulf Inspection");
  assertStringIncludes(await amal.sign(), act.done);
  await amal.go("/counts");
  await amal.follow(page.getByRole("row").nth(1).getByRole("link"));
  assertStringIncludes(await amal.fact(counts.inspectorsKey), key.keyId);
  // Two others decide what becomes of the difference.
  assertEquals(await page.getByRole("button", { name: acts["vault.count.accept"] }).count(), 0);
}
