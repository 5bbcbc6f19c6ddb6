import type { Setting } from "./setting.ts";
import { PATH, text } from "./value.ts";

/** The settings of the k6 scripts. */
export const LOAD_SETTINGS = {
  SABIKA_KIT: {
    readBy: ["load"],
    means: "The kit of the partner that calls.",
    value: text("path of a folder"),
    otherwise: "the stack's first partner",
  },
  SABIKA_RATE: {
    readBy: ["load"],
    means: "Iterations at the highest stage.",
    value: text("number, a second"),
    otherwise: "the script's own",
  },
  SABIKA_DURATION: {
    readBy: ["load"],
    means: "How long the highest stage lasts.",
    value: text("`30s`, `5m`, `2h`"),
    otherwise: "the script's own",
  },
  SABIKA_SLOWNESS: {
    readBy: ["load"],
    means: "What latency thresholds are multiplied by.",
    value: text("number"),
    otherwise: "1",
  },
  SABIKA_SUMMARY: {
    readBy: ["load"],
    means: "Where the JSON summary goes; its folder must exist.",
    value: PATH,
    otherwise: "a file of the script's name in `loadtest/results`",
  },
  SABIKA_REPLAY_SHARE: {
    readBy: ["load"],
    means: "How many iterations send a used nonce (`nonce_store.ts`).",
    value: text("share of 1"),
    otherwise: "0.3",
  },
} satisfies Readonly<Record<string, Setting>>;
