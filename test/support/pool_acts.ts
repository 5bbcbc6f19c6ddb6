import { actAs } from "./acts.ts";
import type { Chance } from "./history/chance.ts";
import type { TestAdmin } from "./test_admin.ts";

/** The pools of `actsOnPools`; `main` is there from the beginning. */
export const POOLS = ["main", "second"] as const;

/** Acts on the bars of two pools by chance, each of which may be refused. */
export function actsOnPools(admin: TestAdmin, chance: Chance) {
  // The clock of a test stands still.
  const living = { ...admin, now: Date.now };
  const act = (name: string, input: object) =>
    actAs(living, name as "vault.bar.remove", input as { serial: string });
  const { sql } = admin.database;

  const newBar = (serial: string) => ({
    serial,
    refiner: chance.pick(["Emirates Gold", "مصفاة الخليج", 'R "x" \\']),
    fineness: chance.pick(["995", "999.9", "916"]),
    weight_grams: String(1 + chance.below(12)),
  });

  return {
    /** Changes a pool's bars in one of all ways; `round` makes serials of new bars. */
    async changeBars(round: number) {
      const pool = chance.pick(POOLS);
      const rows = await sql<{ serial: string; weighs: number; encumbered: boolean }[]>`
        select serial, (weight_micrograms / 1000000)::int as weighs, encumbrance is not null as encumbered
        from vault_bars where pool_id = ${pool} and removed_at is null order by serial`;
      // Neither empty nor ever larger.
      const kind = rows.length < 3 ? 0 : rows.length > 30 ? 2 + chance.below(6) : chance.below(8);
      const { serial, weighs, encumbered } = rows.length === 0
        ? { serial: "", weighs: 0, encumbered: false }
        : chance.pick(rows);
      switch (kind) {
        case 0:
          return await act("vault.bar.add", { ...newBar(`A-${round}`), pool });
        case 1: {
          const bars = [0, 1, 2].map((n) => newBar(`M-${round}-${n}`));
          return await act("vault.bars.add", { bars, pool });
        }
        case 2: {
          const bar = { ...newBar(`R-${round}`), fineness: "999.9" };
          return await act("vault.bar.replace", {
            serials: [serial],
            bars: [{ ...bar, weight_grams: String(weighs + chance.below(2)) }],
          });
        }
        case 3:
          return await act(encumbered ? "vault.bar.release" : "vault.bar.encumber", {
            serial,
            ...!encumbered && { reason: "pledged" },
          });
        case 4:
          return await act("vault.bar.move", { serial, place: `Shelf ${chance.below(9)}` });
        case 5:
          // A bar of one pool is not added to another.
          return await act("vault.bar.add", {
            ...newBar(serial),
            pool: POOLS[pool === "main" ? 1 : 0],
          });
        default:
          return await act("vault.bar.remove", { serial });
      }
    },

    /** Counts a pool, now and then without a bar that is there, which stops allocation; or settles what a count found. */
    async count() {
      const [open] = await sql<{ id: string }[]>`
        select count_id as id from open_differences(null) order by counted_at desc limit 1`;
      if (open !== undefined && chance.below(3) === 0) {
        return await act("vault.count.accept", { count: open.id, reason: "at the assayer" });
      }
      const pool = chance.pick(POOLS);
      const rows = await sql<{ serial: string }[]>`
        select serial from vault_bars where pool_id = ${pool} and removed_at is null`;
      const bars = rows.map(({ serial }) => serial);
      if (chance.below(6) === 0) bars.pop();
      return await act("vault.count", { bars, pool });
    },

    /** Allocates gold to one of some partners, or takes it back. */
    grant: (partners: readonly string[]) =>
      act(chance.below(2) === 0 ? "vault.allocate" : "vault.release", {
        partner: chance.pick(partners),
        grams: String(1 + chance.below(20)),
      }),

    /** Has a partner draw on another pool. */
    setPool: (partner: string) => act("partner.pool.set", { partner, pool: chance.pick(POOLS) }),
  };
}
