import "k6";

/** The settings of a script, from environment variables that begin with SABIKA_. */
export interface Settings {
  /** A partner kit (Decision D43), as a `file://` URL ending in `/` or an absolute folder. */
  readonly kit: string;
  /** Where requests are sent; undefined: to the kit's base URL, which signatures always have. */
  readonly baseUrl: string | undefined;
  /** Iterations per second, at the highest stage. */
  readonly rate: number;
  /** In k6's notation: `30s`, `5m`. */
  readonly duration: string;
  /** The factor of latency thresholds, for a slow or busy machine. */
  readonly slowness: number;
  /** The file for the summary's JSON. */
  readonly summary: string;
}

/** A script's settings for variables that are not set. */
export interface Defaults {
  script: string;
  /** Iterations per second, at the highest stage. */
  rate: number;
  /** In k6's notation: `30s`, `5m`. */
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

/** Resolves a path from the working directory; k6 would resolve it from the script's folder. */
function absolute(path: string): string {
  return path.startsWith("/") ? path : `${__ENV.PWD ?? "."}/${path}`;
}

function besideUs(path: string): string {
  return import.meta.resolve(path).replace(/^file:\/\//, "");
}
