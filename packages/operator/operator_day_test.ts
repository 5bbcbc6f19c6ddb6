import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { grams, riyals } from "@sabika/client";
import { operatorOf, runOperator } from "../../test/support/run_operator.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { testRecord } from "../../test/secret_search/record.ts";
import { openKitClient } from "../../test/support/service_client.ts";
import { BASE_URL } from "../../test/support/service_requests.ts";
import { startTestService } from "../../test/support/test_service.ts";
import { each } from "../../test/support/each.ts";

test("a day of the operator: vault, partner, trades, payouts, and reconcile finds a manual change", async () => {
  const service = await startTestService();
  const data = temporaryFolder();
  const env = {
    SABIKA_DATABASE_URL: service.test.urlAs("sabika_operator"),
    SABIKA_MASTER_KEY: service.admin.masterKeyText,
    SABIKA_DATA: data,
    SABIKA_BASE_URL: BASE_URL,
  };
  const sabika = operatorOf(env);
  let close = () => Promise.resolve();
  try {
    // Morning: a bar arrives, a partner is admitted and gets half of it.
    const bar = ["--refiner", "A Refinery", "--fineness", "999.9", "--weight", "1000"];
    await sabika("vault", "bar", "add", "DAY-1", ...bar);
    const created = await sabika<{ kit: string; missing_to_buy: string[] }>(
      ...["partner", "create", "--client-id", "bank-day", "--name", "Day Bank", "--with-keys"],
      ...["--iban", "SA0380000000608010167519", "--webhook-url", "https://localhost:9443/hooks"],
    );
    assertEquals(created.missing_to_buy, ["sabika vault allocate bank-day GRAMS"]);
    await sabika("vault", "allocate", "bank-day", "500");
    const beyond = await runOperator(["vault", "allocate", "bank-day", "500.0001"], env);
    assertEquals(beyond.code, 1);
    assertStringIncludes(beyond.stderr, "unallocated");

    // Its money arrives by bank, and the same line of the statement a second time.
    const credit = ["funding", "credit", "bank-day", "250000", "--reference", "FT1"];
    assertEquals((await sabika(...credit)).balance_sar, 250000);
    assertEquals((await sabika(...credit)).repeated, true);
    const other = ["funding", "credit", "bank-day", "1", "--reference", "FT1"];
    assertEquals((await runOperator(other, env)).code, 1);

    // The day's business.
    await service.refresh();
    const { client, close: closeClient } = await openKitClient(created.kit, service.ports[0]!);
    close = closeClient;
    const trade = async (side: "buy" | "sell", text: string) =>
      await client.order({
        quoteId: (await client.quote({ side, goldMicrograms: grams(text) })).id,
      });
    await trade("buy", "100");
    await trade("sell", "25.5");
    await trade("buy", "0.5");
    const withdrawals = [];
    for (const amount of ["1000", "2000.5", "3000", "4000"]) {
      withdrawals.push(await client.withdraw({ amountHalalas: riyals(amount) }));
    }
    const [paid, failed, cancelled, takenBack] = withdrawals.map(({ id }) => id);

    // Evening: one is paid, one comes back, one is cancelled; the partner takes one back itself.
    const open = await sabika<{ id: string; iban: string }[]>("withdrawal", "list");
    assertEquals(open.map(({ id }) => id), withdrawals.map(({ id }) => id as string));
    assertEquals(open[0]?.iban, "SA0380000000608010167519");
    for (const id of [paid, failed]) await sabika("withdrawal", "process", id!);
    await sabika("withdrawal", "complete", paid!);
    await sabika("withdrawal", "fail", failed!, "--reason", "account closed");
    await sabika("withdrawal", "cancel", cancelled!);
    await client.cancelWithdrawal(takenBack!);
    for (
      const [verb, id, status] of [["cancel", paid, "completed"], [
        "process",
        takenBack,
        "cancelled",
      ]]
    ) {
      const late = await runOperator(["withdrawal", verb!, id!], env);
      assertEquals(late.code, 1);
      assertStringIncludes(late.stderr, status!);
    }
    assertEquals(await sabika<unknown[]>("withdrawal", "list"), []);

    // The books: all of it is there, and agrees.
    const statuses = await Promise.all(
      withdrawals.map(async ({ id }) => (await client.getWithdrawal(id)).status),
    );
    assertEquals(statuses, ["completed", "failed", "cancelled", "cancelled"]);
    const { balances } = await sabika<{ balances: Record<string, number> }>(
      ...["partner", "show", "bank-day"],
    );
    const shown = await client.balances();
    assertEquals(balances.sar, Number(shown.sarHalalas) / 100);
    assertEquals([balances.held_sar, balances.gold_grams, balances.allocation_grams], [0, 75, 425]);
    assertEquals((await sabika<{ ok: boolean }>("reconcile")).ok, true);
    const events = await service.test.database.sql<{ type: string }[]>`
      select type from events join partners using (partner_id)
      where client_id = 'bank-day' order by sequence`;
    assertEquals(events.slice(-4).map(({ type }) => type), [
      "withdrawal.completed",
      "withdrawal.failed",
      "withdrawal.cancelled",
      "withdrawal.cancelled",
    ]);

    // Somebody changes a balance in the database by hand.
    await service.test.database.sql`
      update accounts set cash_halalas = cash_halalas + 100, bank_halalas = bank_halalas - 100
      where partner_id = (select partner_id from partners where client_id = 'bank-day')`;
    const found = await runOperator(["reconcile", "--json"], env);
    assertEquals(found.code, 1);
    const { differences } = JSON.parse(found.stdout) as {
      differences: { partner: string; subject: string; expected: number; actual: number }[];
    };
    assertEquals(differences.map(({ partner, subject }) => [partner, subject]).sort(), [
      ["bank-day", "bank"],
      ["bank-day", "cash"],
    ]);
    for (const difference of differences) {
      assertEquals(Math.abs(difference.expected - difference.actual), 1);
    }

    const kept = await service.test.database.sql<{ who: string; found: number }[]>`
      select who, difference_count as found from recount_results order by finished_at`;
    assertEquals(kept.map(({ who, found }) => [who, found]), [["tester", 0], ["tester", 2]]);

    // Who did all of that stands in the audit log. (The server's own check of the balances may have
    // come upon the change by hand just now.)
    const entries = await sabika<{ who: string; from: string; action: string }[]>(
      ...["audit", "list", "--partner", "bank-day", "--limit", "100"],
    );
    const audit = entries.filter(({ who }) => who !== "reconcile");
    assert(audit.every(({ who, from }) => who === "tester" && from === "test"));
    assertEquals(
      audit.map(({ action }) => action).reverse(),
      each(`
      partner.create vault.allocate funding.credit withdrawal.processing withdrawal.processing
      withdrawal.completed withdrawal.failed withdrawal.cancelled`),
    );
  } finally {
    await close();
    await service.close();
    testRecord.dataFolder(data);
  }
});
