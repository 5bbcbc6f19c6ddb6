import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type ConsoleDay, testConsoleDay } from "../../test/support/console_day.ts";
import type { ConsolePerson } from "../../test/support/console_person.ts";

const PLACES = { en: "Riyadh, shelf 4", ar: "الرياض، الرف 4" };

testConsoleDay(
  "a custodian takes in, counts and removes bars from the console alone, in {language}",
  {
    roles: { amal: ["vault"], badr: ["treasury"] },
    // Two bars, a removal and an acceptance, each with its approval, and two counts.
    signed: 10,
  },
  async (day) => {
    const [amal, badr] = day.people;
    const world = { ...day, amal: amal!, badr: badr!, place: PLACES[day.language] };
    await takeIn(world);
    await countWrongly(world);
    await count(world);
    await seeDifferences(world);
    await remove(world);
    await countAgain(world);
    await accept(world);
  },
);

/** The console on an empty vault, with a custodian and a second person at it. */
interface World extends ConsoleDay {
  readonly amal: ConsolePerson;
  readonly badr: ConsolePerson;
  readonly place: string;
}

/** Two bars arrive, each with its document; a second person of another role approves them. */
async function takeIn({ amal, badr, words, place }: World) {
  const { fields, acts, act, roles } = words;
  for (const [serial, weight] of [["S-1001", "12,441.38"], ["S-1002", "١٢٫٥ كغ"]] as const) {
    await amal.go("/vault/intake");
    const notice = await amal.act(acts["vault.bar.add"], {
      [fields.serial]: serial,
      [fields.refiner]: "Emirates Gold",
      [fields.weight_grams]: weight,
      [fields.place]: place,
      [fields.document]: `assay ${serial}`,
    });
    assertStringIncludes(notice, roles.treasury);
    await badr.go("/approvals");
    assertStringIncludes(await badr.act(acts["approval.approve"]), act.done);
  }
  await amal.go("/vault");
  const row = amal.page.getByRole("row").filter({ hasText: "S-1002" });
  assertEquals(await row.getByText("12,500", { exact: true }).count(), 1);
  assertEquals(await row.getByText(place, { exact: true }).count(), 1);
}

/** A serial that was typed wrongly is told at its field, before the passkey; what was ticked stays. */
async function countWrongly(world: World) {
  const { amal, words: { fields, acts, mistakes, act } } = world;
  await openCount(world);
  await amal.press(amal.page.getByRole("checkbox", { name: /S-1001$/ }));
  await amal.submit(acts["vault.count"], { [fields.bars]: "S-100١\nS-1020" });
  await amal.page.getByText(act.correct).waitFor();
  await amal.look();
  const said = mistakes.not_on_list.replace("{which}", "S-1020");
  await amal.page.getByText(said, { exact: true }).waitFor();
  const field = amal.page.getByLabel(fields.bars, { exact: true });
  assertEquals(await field.inputValue(), "S-1001\nS-1020");
}

/** The count finds one bar of two, lighter than recorded, and one that was not expected. */
async function count(world: World) {
  const { amal, words: { fields, acts, act } } = world;
  await openCount(world);
  await amal.press(amal.page.getByRole("checkbox", { name: /S-1001$/ }));
  await amal.submit(acts["vault.count"], {
    [fields.bars]: "S-1001 = 12,441.3",
    [fields.unexpected]: "S-1020",
  });
  const dossier = await amal.page.locator(".dossier").innerText();
  for (const told of ["S-1002", "S-1020", "S-1001: 12441.38 g, 12441.3 g"]) {
    assertStringIncludes(dossier, told);
  }
  assertStringIncludes(await amal.sign(), act.done);
}

/** Today leads to the differences, and these to the count, which is printed without what acts. */
async function seeDifferences(
  { amal, words: { notifications, counts, menu, print: printName }, place, language }: World,
) {
  await amal.go("");
  const link = amal.page.getByRole("link", { name: notifications.kinds.count_differs });
  assertEquals(await link.locator("xpath=../strong").innerText(), "3");
  await amal.follow(link);
  const cases = [
    ["S-1001", "different"],
    ["S-1002", "missing"],
    ["S-1020", "unexpected"],
  ] as const;
  for (const [serial, finding] of cases) {
    const row = amal.page.getByRole("row").filter({ hasText: serial });
    assertEquals(await row.getByText(counts.findings[finding], { exact: true }).count(), 1);
  }
  const row = amal.page.getByRole("row").filter({ hasText: "S-1002" });
  await amal.follow(row.getByRole("link"));
  await amal.page.getByRole("heading", { level: 1, name: place }).waitFor();
  await amal.look();
  assertEquals(await amal.page.getByRole("row").count(), 4);
  const print = amal.page.getByRole("button", { name: printName });
  await amal.page.evaluate("globalThis.print = () => { document.title = 'printed' }");
  await amal.press(print);
  assertEquals(await amal.page.title(), "printed");
  await amal.page.emulateMedia({ media: "print" });
  assertEquals(await print.isVisible(), false);
  assertEquals(await amal.page.getByRole("button", { name: menu }).isVisible(), false);
  assertEquals(await amal.page.getByRole("row").count(), 4);
  assert((await amal.page.pdf()).length > 1_000, language);
  await amal.page.emulateMedia({ media: null });
}

/** The missing bar leaves the vault, which a second person approves. */
async function remove({ amal, badr, words: { acts, act, roles, notifications, none } }: World) {
  await amal.go("/vault");
  await amal.follow(amal.page.getByRole("link", { name: "S-1002" }));
  assertStringIncludes(await amal.act(acts["vault.bar.remove"]), roles.treasury);
  await badr.go("/approvals");
  assertStringIncludes(await badr.act(acts["approval.approve"]), act.done);
  await amal.go("/vault");
  assertEquals(await amal.page.getByRole("row").filter({ hasText: "S-1002" }).count(), 0, none);
  await amal.go("");
  const link = amal.page.getByRole("link", { name: notifications.kinds.count_differs });
  assertEquals(await link.locator("xpath=../strong").innerText(), "2");
}

/** Who counts again alone settles nothing; both counts are listed. */
async function countAgain(world: World) {
  const { amal, words: { acts, act, counts, notifications } } = world;
  await openCount(world);
  await amal.press(amal.page.getByRole("checkbox", { name: /S-1001$/ }));
  assertStringIncludes(await amal.act(acts["vault.count"]), act.done);
  await amal.go("");
  const link = amal.page.getByRole("link", { name: notifications.kinds.count_differs });
  assertEquals(await link.locator("xpath=../strong").innerText(), "2");
  await amal.go("/counts");
  const rows = amal.page.getByRole("row");
  assertEquals(await rows.count(), 3);
  await amal.follow(rows.nth(1).getByRole("link"));
  await amal.page.getByText(counts.agrees).waitFor();
}

/** Two people accept what the first count found, and nothing is left to look at. */
async function accept({ amal, badr, words: { overview, acts, act, roles, notifications } }: World) {
  await amal.go("/counts");
  await amal.follow(amal.page.getByRole("row").nth(2).getByRole("link"));
  const notice = await amal.act(acts["vault.count.accept"], { [overview.reason]: "a worn scale" });
  assertStringIncludes(notice, roles.treasury);
  await badr.go("/approvals");
  assertStringIncludes(await badr.act(acts["approval.approve"]), act.done);
  await amal.go("");
  assertEquals(
    await amal.page.getByRole("link", { name: notifications.kinds.count_differs }).count(),
    0,
  );
}

/** Goes from the navigation to the form for the place. */
async function openCount({ amal, words: { pages, counts }, place }: World) {
  await amal.follow(amal.page.getByRole("navigation").getByRole("link", { name: pages.counts }));
  await amal.follow(amal.page.getByRole("link", { name: counts.link }));
  await amal.follow(amal.page.getByRole("link", { name: place }));
}
