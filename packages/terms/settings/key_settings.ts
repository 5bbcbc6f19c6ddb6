import type { Setting } from "./setting.ts";
import { choice, PATH, text } from "./value.ts";

/** The settings of the keys that seal stored secrets. */
export const KEY_SETTINGS = {
  SABIKA_MASTER_KEY: {
    readBy: ["server", "office", "operator"],
    means: "The master keys, which seal stored secrets. Better in a file: see the next one.",
    value: text("lines of `id:base64(32 bytes)`, the newest first"),
    otherwise: "needed, or the next one, unless `SABIKA_KEY_SERVICE=aws-kms`",
    never: "lost: what they sealed cannot be read without them",
    refused: ["not a key"],
    secret: "value",
  },
  SABIKA_MASTER_KEY_FILE: {
    readBy: ["server", "office", "operator"],
    means: "The same in a file; servers read it again after `sabika master-key rotate`.",
    value: PATH,
    otherwise: "`SABIKA_MASTER_KEY`; the operator's command takes the data folder's `master.key`",
    secret: "file",
  },
  SABIKA_KEY_SERVICE: {
    readBy: ["server", "office", "operator"],
    means: "What keeps the keys that seal secrets.",
    value: choice(["file", "aws-kms"], "file"),
    refused: ["vault"],
  },
  SABIKA_KMS_ALIASES: {
    readBy: ["server", "office", "operator"],
    means: "What the aliases of the keys in AWS KMS begin with.",
    value: text("`alias/…/`"),
    otherwise: "`alias/sabika/ENVIRONMENT/`",
  },
  AWS_REGION: {
    readBy: ["server", "office", "operator"],
    means: "The region of AWS KMS.",
    value: text("such as `me-central-1`"),
    otherwise: "needed with `aws-kms`",
  },
  AWS_ACCESS_KEY_ID: {
    readBy: ["server", "office", "operator"],
    means: "Who asks AWS KMS.",
    value: text(),
    otherwise: "needed with `aws-kms`",
  },
  AWS_SECRET_ACCESS_KEY: {
    readBy: ["server", "office", "operator"],
    means: "Its secret.",
    value: text(),
    otherwise: "needed with `aws-kms`",
    secret: "value",
  },
  AWS_SESSION_TOKEN: {
    readBy: ["server", "office", "operator"],
    means: "The token of a temporary credential.",
    value: text(),
    otherwise: "none",
    secret: "value",
  },
  AWS_ENDPOINT_URL_KMS: {
    readBy: ["server", "office", "operator"],
    means: "Where AWS KMS is asked.",
    value: text("URL"),
    otherwise: "`https://kms.REGION.amazonaws.com`",
    never: "`http`, in production",
  },
} satisfies Readonly<Record<string, Setting>>;
