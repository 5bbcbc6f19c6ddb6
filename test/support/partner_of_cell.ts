import { assertEquals, assertRejects } from "@std/assert";
import { performAct, UnbookedError } from "@sabika/office/acts";
import { bookOpenActs } from "@sabika/service/booking";
import { setFixedPrice } from "./fixed_price.ts";
import { createTrading } from "@sabika/service/trading";
import { runOperator } from "./run_operator.ts";
import { admitByCommand, openTestCells } from "./test_cells.ts";
import { random } from "./random.ts";
import { registerTestKey, testPartner } from "./test_partner.ts";

/** Opens control, its cell `b`, the partner `of-b` in that cell, and a vault with one kilogram (D53). */
export async function openPartnerOfCell() {
  const opened = await openTestCells();
  const { admin, control, cell, sabika, env } = opened;
  await admitByCommand(sabika, { clientId: "of-b", cell: "b", barGrams: 1_000 });
  const [partner] = await control.database.sql<{ id: number }[]>`
    select partner_id as id from partners where client_id = 'of-b'`;
  const partnerId = partner!.id;
  await registerTestKey(control.database.sql, partnerId);
  const prices = await setFixedPrice([control.database, cell.database], 4_000_000n);
  const cells = {
    names: () => Promise.resolve(["b"]),
    open: () => Promise.resolve(cell.database),
  };
  return {
    ...opened,
    cells,
    partnerId,
    prices,
    trading: createTrading({ database: cell.app, prices, random, now: Date.now }),
    bank: testPartner(partnerId),
    /** Asserts that the operator's command fails with a refusal; returns the refusal's message. */
    async refusalOf(...args: string[]): Promise<string> {
      const { code, stderr } = await runOperator([...args, "--yes"], env);
      assertEquals(code, 1, stderr);
      return stderr;
    },
    /** Returns the gold allocated in control, and the partner's allocation in its cell, in grams. */
    async grams(): Promise<{ promised: number; held: number }> {
      const [vault] = await control.database.sql<{ promised: number }[]>`
        select (allocated_micrograms / 1000000)::float8 as promised from vault
        where pool_id = 'main'`;
      const [row] = await cell.database.sql<{ held: number }[]>`
        select ((gold_micrograms + allocation_micrograms) / 1000000)::float8 as held
        from accounts where partner_id = ${partnerId}`;
      return { ...vault!, ...row! };
    },
    async assertBooksAgree(): Promise<void> {
      assertEquals((await sabika("reconcile", "--full"))["differences"], []);
    },
    /** Books open acts as a server does, and with a server's database role. */
    bookOpen: () =>
      bookOpenActs({
        control: control.app,
        cells: new Map([["b", cell.app]]),
        nowMs: Date.now(),
        random,
      }),
    /**
     * Performs an act whose program dies after control's commit, before the cell has booked the act: when it
     * opens the cell again.
     */
    async breakOff(name: string, input: Record<string, string>): Promise<void> {
      let isOpened = false;
      const cells = {
        names: () => Promise.resolve(["b"]),
        open() {
          if (isOpened) return Promise.reject(new Error("killed"));
          isOpened = true;
          return Promise.resolve(cell.database);
        },
      };
      await assertRejects(
        () => performAct({ ...admin, cells }, { name, arguments: input }),
        UnbookedError,
        "do not ask again",
      );
    },
  };
}
