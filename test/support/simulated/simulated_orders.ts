import type { VirtualClock } from "./virtual_clock.ts";

/** What the model knows of a partner. Money in halalas, gold in micrograms. */
export interface ModelPartner {
  cash: bigint;
  gold: bigint;
  allocation: bigint;
}

/** A quote of the model; all are to buy. */
export interface ModelQuote {
  partnerId: number;
  gold: bigint;
  total: bigint;
  expiresMs: number;
}

/** An order of the model. */
export interface ModelOrder extends ModelQuote {
  orderId: string;
  quoteId: string;
  key: string;
  nonce: string;
  parameters: string;
  cashAfter: bigint;
  goldAfter: bigint;
  executedMs: number;
}

/** What became of a batch on its way. */
const FATES = [
  /** Carried out and answered. */
  "done",
  /** Refused at once: nothing was done. */
  "away",
  /** The connection broke; nothing had arrived. */
  "lost before",
  /** The connection broke; it is carried out, before or after the caller hears of the break. */
  "lost after",
  /** Somebody holds a lock. */
  "held",
  /** A deadlock. */
  "again",
  /** Anything else, such as a broken index. */
  "fatal",
  /** Nothing is heard for longer than anybody waits; then it is carried out after all. */
  "hangs",
] as const;

const CODES = {
  away: "ECONNREFUSED",
  "lost before": "ECONNRESET",
  "lost after": "CONNECTION_CLOSED",
  held: "55P03",
  again: "40P01",
  fatal: "XX001",
} as const;

const PARAMETERS = [
  ...["partnerIds", "orderIds", "eventIds", "keys", "parameters"],
  ...["quoteIds", "references", "nonces", "timestamps", "receivedMs"],
] as const;

/**
 * Orders as the specification has them (§7, §9), in memory and in as few lines as will do, behind a
 * database that fails, delays, reorders and loses answers by chance. It takes `place_orders` alone.
 */
export function simulatedOrders(
  clock: VirtualClock,
  fraction: () => number,
  { faultShare }: { faultShare: number },
) {
  const partners = new Map<number, ModelPartner>();
  const quotes = new Map<string, ModelQuote>();
  const orders = new Map<string, ModelOrder>();
  const nonces = new Set<string>();

  /** One transaction. */
  function placeOrders(batch: readonly Record<typeof PARAMETERS[number], string>[]) {
    const order = batch.map((_, index) => index)
      .sort((a, b) => Number(batch[a]!.partnerIds) - Number(batch[b]!.partnerIds) || a - b);
    return order.map((index) => ({ item: index + 1, ...placeOrder(batch[index]!) }));
  }

  function placeOrder(bound: Record<typeof PARAMETERS[number], string>) {
    const { partnerIds, orderIds: orderId, keys: key, parameters, quoteIds: quoteId } = bound;
    const partnerId = Number(partnerIds);
    const nonce = `${partnerId} ${bound.nonces}`;
    const isSpent = nonces.has(nonce);
    const all = [...orders.values()].filter((order) => order.partnerId === partnerId);
    const known = all.find((order) => order.key === key);
    const used = all.find((order) => order.quoteId === quoteId);
    const quote = quotes.get(quoteId);
    const partner = partners.get(partnerId)!;
    const isOwn = known?.orderId === orderId;
    nonces.add(nonce);
    if (known && (isOwn || !isSpent)) {
      const isSame = known.parameters === parameters;
      if (!isSame) return refused("idempotency_key_conflict", known.orderId);
      return rowOf(isOwn ? "executed" : "replayed", known);
    }
    if (isSpent) return refused("nonce_reused");
    if (quote?.partnerId !== partnerId) return refused("quote_not_found");
    if (used) return refused("quote_already_used", used.orderId);
    if (Number(bound.receivedMs) >= quote.expiresMs) {
      return { ...refused("quote_expired"), executed_ms: BigInt(quote.expiresMs) };
    }
    if (partner.cash < quote.total) {
      return { ...refused("insufficient_funds"), cash_after: partner.cash, total: quote.total };
    }
    if (partner.allocation < quote.gold) return refused("inventory_unavailable");
    partner.cash -= quote.total;
    partner.gold += quote.gold;
    partner.allocation -= quote.gold;
    const order: ModelOrder = {
      ...quote,
      orderId,
      quoteId,
      key,
      nonce,
      parameters,
      executedMs: clock.now(),
      cashAfter: partner.cash,
      goldAfter: partner.gold,
    };
    orders.set(orderId, order);
    return rowOf("executed", order);
  }

  /** The driver's tagged template: takes the arrays of `place_orders` as they are written. */
  async function sql(_text: TemplateStringsArray, ...values: readonly string[]): Promise<unknown> {
    const columns = values.map((text) =>
      text.slice(1, -1).split(",").map((item) => item.replace(/^"|"$/g, ""))
    );
    const batch = columns[0]!.map((_, row) =>
      Object.fromEntries(
        PARAMETERS.map((name, column) => [name, columns[column]![row]!]),
      ) as Record<
        typeof PARAMETERS[number],
        string
      >
    );
    const below = (ms: number) => fraction() * ms;
    const fate = fraction() < faultShare ? FATES[Math.floor(below(FATES.length))]! : "done";
    await clock.wait(1 + below(fraction() < 0.1 ? 2_000 : 30));
    if (fate === "done" || fate === "hangs") {
      if (fate === "hangs") await clock.wait(below(30_000));
      const rows = placeOrders(batch);
      await clock.wait(below(20));
      return rows;
    }
    if (fate === "lost after") void clock.wait(below(3_000)).then(() => placeOrders(batch));
    throw Object.assign(new Error(fate), { code: CODES[fate] });
  }

  return { sql, partners, quotes, orders };
}

function refused(result: string, subjectId: string | null = null) {
  return { result, subject_kind: "order", subject_id: subjectId };
}

function rowOf(result: "executed" | "replayed", order: ModelOrder) {
  return {
    ...refused(result, order.orderId),
    side_of: "buy",
    gold: order.gold,
    price: 0n,
    fee: 0n,
    vat: 0n,
    total: order.total,
    cash_after: order.cashAfter,
    gold_after: order.goldAfter,
    executed_ms: BigInt(order.executedMs),
  };
}
