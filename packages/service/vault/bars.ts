import { refuse } from "@sabika/protocol";
import { and, between, eq, isNotNull, isNull, sql as expression } from "drizzle-orm";
import { type AnySql, drizzle, type Transaction } from "@sabika/database";
import type { AdminOutcome } from "@sabika/terms";
import type { AdminContext } from "../audit/admin_context.ts";
import { writeAudit } from "../audit/audit.ts";
import { inTransaction } from "../audit/change.ts";
import { vault, vaultBars } from "./tables.ts";

/** A bar in the vault (Decision D39). */
export type Bar = Omit<typeof vaultBars.$inferSelect, "addedAt" | "removedAt">;

/** A bar as it is entered; its fine weight follows. */
export type NewBar =
  & Omit<Bar, "fineMicrograms" | "place" | "document">
  & Partial<Pick<Bar, "place" | "document">>;

/** The least fineness of bars and coins that are traded as bullion: 916, of 22 karat. */
export const LEAST_FINENESS_TEN_THOUSANDTHS = 9_160;
/** The heaviest bar on the market, of 400 oz, weighs less than 14 kg. */
export const HEAVIEST_MICROGRAMS = 20_000_000_000n;

/** Records a bar that arrived in the vault. */
export async function addBar(admin: AdminContext, bar: NewBar): Promise<AdminOutcome<Bar>> {
  const wrong = checkBar(bar);
  if (wrong !== undefined) return refuse("invalid_amount", wrong);
  const { serial, refiner, finenessTenThousandths, weightMicrograms, place = null } = bar;
  const { document = null } = bar;
  return await inTransaction(admin, async (sql) => {
    const row = {
      serial,
      refiner,
      finenessTenThousandths,
      weightMicrograms,
      addedAt: admin.now(),
      removedAt: null,
      place,
      document,
    };
    const added = await drizzle(sql).insert(vaultBars).values(row).onConflictDoUpdate({
      target: vaultBars.serial,
      set: row,
      setWhere: isNotNull(vaultBars.removedAt),
    }).returning();
    const [bar] = added;
    if (bar === undefined) {
      return refuse("already_exists", `the bar ${serial} is in the vault already`);
    }
    const { fineMicrograms } = bar;
    await changeVault(sql, "bars", fineMicrograms);
    await writeAudit(sql, admin, "vault.bar.add", null, {
      serial,
      refiner,
      finenessTenThousandths,
      weightMicrograms: String(weightMicrograms),
      fineMicrograms: String(fineMicrograms),
      place,
      document,
    });
    return { ok: true, value: bar };
  });
}

/** Records that a bar of the vault lies elsewhere. */
export function moveBar(
  admin: AdminContext,
  serial: string,
  place: string,
): Promise<AdminOutcome<Bar>> {
  if (!isPlace(place)) return Promise.resolve(refuse("invalid_setting", WRONG_PLACE));
  return inTransaction<Bar>(admin, async (sql) => {
    // A count of either place waits, or this waits for it.
    await sql`select from vault for no key update`;
    const [bar] = await drizzle(sql).update(vaultBars).set({ place })
      .where(and(eq(vaultBars.serial, serial), isNull(vaultBars.removedAt))).returning();
    if (bar === undefined) return noSuchBar(serial);
    await writeAudit(sql, admin, "vault.bar.move", null, { serial, place });
    return { ok: true, value: bar };
  });
}

const noSuchBar = (serial: string) => refuse("not_found", `there is no bar ${serial} in the vault`);

/** Records that a bar left the vault; refused while it backs allocations. */
export function removeBar(admin: AdminContext, serial: string): Promise<AdminOutcome<Bar>> {
  return inTransaction<Bar>(admin, async (sql) => {
    const [bar] = await drizzle(sql).update(vaultBars).set({ removedAt: admin.now() })
      .where(and(eq(vaultBars.serial, serial), isNull(vaultBars.removedAt))).returning();
    if (bar === undefined) return noSuchBar(serial);
    if (!await changeVault(sql, "bars", -bar.fineMicrograms)) {
      return refuse(
        "insufficient_vault",
        `the bar ${serial} backs allocated gold: release allocations first`,
      );
    }
    await writeAudit(sql, admin, "vault.bar.remove", null, { serial });
    return { ok: true, value: bar };
  });
}

/** Adds to one side of the vault's row; false when allocations would exceed the bars. */
export async function changeVault(
  sql: Transaction,
  side: "bars" | "allocated",
  micrograms: bigint,
): Promise<boolean> {
  const bars = side === "bars" ? micrograms : 0n;
  const allocated = side === "allocated" ? micrograms : 0n;
  const after = {
    barsMicrograms: expression`${vault.barsMicrograms} + ${bars}`,
    allocatedMicrograms: expression`${vault.allocatedMicrograms} + ${allocated}`,
  };
  const changed = await drizzle(sql).update(vault).set(after)
    .where(between(after.allocatedMicrograms, 0n, after.barsMicrograms)).returning();
  return changed.length === 1;
}

/** A bar, and when it was added, epoch milliseconds. */
export interface BarInVault extends Bar {
  readonly addedAtMs: number;
}

/** The bars in the vault, or in a place of it, by serial. */
export async function listBars(sql: AnySql, place?: string): Promise<BarInVault[]> {
  const rows = await drizzle(sql).select().from(vaultBars)
    .where(and(
      isNull(vaultBars.removedAt),
      place === undefined ? undefined : eq(vaultBars.place, place),
    )).orderBy(vaultBars.serial);
  return rows.map(({ addedAt, ...bar }) => ({ ...bar, addedAtMs: addedAt }));
}

/** Whether a text can be a bar's serial. */
export const isSerial = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9 ./_-]{0,63}$/.test(text);

/** Whether a text can be the name of a place. */
export const isPlace = (text: string): boolean => isShortText(text, 64);
/** Whether a text can be the reference of a document. */
export const isDocumentReference = (text: string): boolean => isShortText(text, 128);

const WRONG_PLACE = "a place has 1 to 64 characters on one line";

const isShortText = (text: string, most: number) =>
  text.length <= most && /^\S(?:[^\p{Cc}]*\S)?$/u.test(text);

function checkBar(bar: NewBar): string | undefined {
  if (!isSerial(bar.serial)) {
    return "a serial has 1 to 64 letters, digits and . / _ -";
  }
  if (bar.refiner.trim() === "" || bar.refiner.length > 128) {
    return "the refiner has 1 to 128 characters";
  }
  if (
    bar.finenessTenThousandths < LEAST_FINENESS_TEN_THOUSANDTHS ||
    bar.finenessTenThousandths > 10_000
  ) {
    return "the fineness is 916 to 1000 parts in a thousand";
  }
  if (bar.weightMicrograms <= 0n || bar.weightMicrograms > HEAVIEST_MICROGRAMS) {
    return "a bar weighs more than 0 and at most 20000 grams";
  }
  if (bar.place != null && !isPlace(bar.place)) return WRONG_PLACE;
  if (bar.document != null && !isDocumentReference(bar.document)) {
    return "the reference of a document has 1 to 128 characters on one line";
  }
  return undefined;
}
