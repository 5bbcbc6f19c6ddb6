import type { VirtualClock } from "./virtual_clock.ts";

/** How an endpoint answers one attempt. */
const MANNERS = [
  ...["takes it", "takes it late", "takes it, its answer is lost"],
  ...["refuses it", "is busy", "breaks", "says nothing", "is gone"],
] as const;

interface Answer {
  kind: "answered";
  status: number;
  retryAfter: string | undefined;
}

const STATUS = { "refuses it": 422, "is busy": 503, "is gone": 410 } as const;

/** The endpoints of all partners: the path of the URL is the partner's number. */
export function simulatedEndpoint(
  clock: VirtualClock,
  fraction: () => number,
  { isWell, isQuick, timeoutMs }: {
    /** Whether it takes everything; if not, it does as it likes. */
    isWell: () => boolean;
    isQuick: () => boolean;
    timeoutMs: number;
  },
) {
  const below = (limit: number) => Math.floor(fraction() * limit);
  const begun = new Map<number, number[]>();
  const atOnce = new Map<number, { now: number; most: number }>();
  const taken = new Set<string>();
  /** What it has refused once it refuses until the trouble is over. */
  const poison = new Set<string>();

  async function answer(partnerId: number, sequence: number): Promise<Answer | undefined> {
    const name = `${partnerId} ${sequence}`;
    const manner = mannerFor(name);
    await clock.wait(1 + below(manner === "takes it late" ? timeoutMs : 60));
    if (manner.startsWith("takes it")) taken.add(name);
    if (manner === "says nothing") await clock.wait(timeoutMs);
    if (["breaks", "says nothing", "takes it, its answer is lost"].includes(manner)) {
      return undefined;
    }
    const status = STATUS[manner as keyof typeof STATUS] ?? 204;
    return { kind: "answered", status, retryAfter: manner === "is busy" ? "1" : undefined };
  }

  function mannerFor(name: string): typeof MANNERS[number] {
    if (isWell()) return isQuick() || below(8) > 0 ? "takes it" : "takes it late";
    if (poison.has(name)) return "refuses it";
    const manner = MANNERS[below(below(3) === 0 ? MANNERS.length : 2)]!;
    if (manner === "refuses it") poison.add(name);
    return manner;
  }

  return {
    /** Whether an endpoint has answered an event with success, heard or not. */
    taken: (partnerId: number, sequence: bigint) => taken.has(`${partnerId} ${sequence}`),
    /** The attempts at a partner's events, by their sequence numbers, in the order they began. */
    begun: (partnerId: number) => {
      const all = begun.get(partnerId) ?? [];
      return { all, firsts: [...new Set(all)], mostAtOnce: atOnce.get(partnerId)?.most ?? 0 };
    },
    connect: ({ url }: { url: URL }) => ({
      async post(_headers: Record<string, string>, body: Uint8Array) {
        const partnerId = Number(url.pathname.slice(1));
        const { sequence } = JSON.parse(new TextDecoder().decode(body)) as { sequence: number };
        begun.set(partnerId, [...begun.get(partnerId) ?? [], sequence]);
        const away = atOnce.get(partnerId) ?? { now: 0, most: 0 };
        atOnce.set(partnerId, away);
        away.now++;
        away.most = Math.max(away.most, away.now);
        const answered = await answer(partnerId, sequence);
        away.now--;
        return answered ?? { kind: "failed" as const, reason: "broken" };
      },
      close() {},
    }),
  };
}
