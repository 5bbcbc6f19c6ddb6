import "k6";

/** What a script reads from its environment; every name begins with SABIKA_. */
export interface Settings {
  /** A partner kit (Decision D43), as a `file://` URL ending in `/` or an absolute folder. */
  readonly kit: string;
  /** Where requests go; by default the kit's own address. What is signed is always the kit's. */
  readonly baseUrl: string | undefined;
  /** Iterations a second, at the highest stage. */
  readonly rate: number;
  /** As k6 writes it: `30s`, `5m`. */
  readonly duration: string;
  /** The latency thresholds times this: for a machine that is slower or busy. */
  readonly slowness: number;
  /** Where the summary's JSON goes. */
  readonly summary: string;
}

/** What a script wants when its environment says nothing. */
export interface Defaults {
  script: string;
  rate: number;
  duration: string;
}

const DURATION = /^(\d+(ms|s|m|h))+$/;

/**
 * Reads the environment; the stack's first partner is the default kit.
 *
 * @throws Error that says how to call the script
 */
export function readSettings(defaults: Defaults): Settings {
  const rate = Math.max(1, Math.round(positive("SABIKA_RATE", defaults.rate)));
  const duration = __ENV.SABIKA_DURATION ?? defaults.duration;
  if (!DURATION.test(duration)) {
    throw new Error(`SABIKA_DURATION is to be like 30s, 5m or 2h, not "${duration}"`);
  }
  const summary = __ENV.SABIKA_SUMMARY;
  return {
    kit: __ENV.SABIKA_KIT
      ? absolute(__ENV.SABIKA_KIT)
      : besideUs("../../.stack/partners/partner-1"),
    baseUrl: __ENV.SABIKA_BASE_URL?.replace(/\/+$/, ""),
    rate,
    duration,
    slowness: positive("SABIKA_SLOWNESS", 1),
    summary: summary ? absolute(summary) : besideUs(`../results/${defaults.script}.json`),
  };
}

function positive(name: string, otherwise: number): number {
  const text = __ENV[name];
  const value = text === undefined || text === "" ? otherwise : Number(text);
  if (!(value > 0)) throw new Error(`${name} is to be a number above 0, not "${text}"`);
  return value;
}

/** A folder as the user meant it: from where they stand, not from where the script lies. */
function absolute(path: string): string {
  return path.startsWith("/") ? path : `${__ENV.PWD ?? "."}/${path}`;
}

function besideUs(path: string): string {
  return import.meta.resolve(path).replace(/^file:\/\//, "");
}
