import type { PriceSource } from "./price_source.ts";

/** How often there is a new price. */
const STEP_MS = 1_000;

/** The settings of a simulated price. */
export interface SimulatedPriceSettings {
  /** Any whole number; instances with one seed show one price. */
  readonly seed?: number;
  /** The price moves around this value. */
  readonly baseTenThousandths?: bigint;
}

/**
 * A price that moves like a market but is a pure function of seed and time, so that all instances
 * agree without communicating: slow waves and a little noise, within about 2 % of the base.
 */
export function createSimulatedPrice(settings: SimulatedPriceSettings = {}): PriceSource {
  const { seed = 24, baseTenThousandths = 4_850_000n } = settings;
  return {
    latest(nowMs) {
      const step = Math.floor(nowMs / STEP_MS);
      const seconds = (step * STEP_MS) / 1_000;
      const wave = 0.012 * Math.sin(seconds / 14_400 + seed) +
        0.005 * Math.sin(seconds / 1_700 + seed * 7) +
        0.002 * Math.sin(seconds / 190 + seed * 13) +
        0.0004 * (noise(seed, step) - 0.5);
      const movedPpm = BigInt(Math.round(wave * 1_000_000));
      return {
        ok: true,
        source: "simulated",
        midTenThousandths: baseTenThousandths + (baseTenThousandths * movedPpm) / 1_000_000n,
        asOfMs: step * STEP_MS,
      };
    },
  };
}

/** 0 to 1, by seed and step (a 32-bit integer hash). */
function noise(seed: number, step: number): number {
  let h = (Math.imul(seed, 0x9e3779b1) ^ step) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000;
}
