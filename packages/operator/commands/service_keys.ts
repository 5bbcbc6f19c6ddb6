import { buildRouteMap } from "@stricli/core";
import { writePrivateFile } from "@sabika/identity/keys";
import { formatTime } from "@sabika/protocol";
import { acting } from "../command/acting.ts";
import { confirm } from "../command/ask.ts";
import { command, switchFlag, textFlag } from "../command/command.ts";
import { time } from "../command/json.ts";
import { RefusedError, UsageError } from "../outcome.ts";
import { listing } from "../command/listing.ts";
import { readCommands } from "../command/read_commands.ts";
import type { Session } from "../connect/session.ts";
import { oneAtATime } from "./one_at_a_time.ts";

interface RotateFlags {
  id?: string;
  dropOld: boolean;
}

const rotateMaster = command<RotateFlags, []>({
  brief: "Make a new master key and reseal everything under it",
  more: "The new key is put first in the file of master keys; instances that read the same file\n" +
    "follow without a restart. The old key stays in the file behind it, for backups, unless\n" +
    "--drop-old says otherwise. With the keys in SABIKA_MASTER_KEY: put the new one there\n" +
    "first, before the old one, on every instance; then run this.",
  examples: ["master-key rotate", "master-key rotate --id 2027 --drop-old"],
  flags: {
    id: textFlag("The new key's id (the day)", "ID"),
    dropOld: switchFlag("Remove the old keys from the file: older backups can no longer be opened"),
  },
  async run(session, flags) {
    const here = await session.atDatabase();
    if (here.keyService(await here.environment()) !== undefined) {
      throw new RefusedError("key_service", "the key service keeps the keys: rotate them there");
    }
    const { file } = await here.masterKeyText();
    const rotate = () => sealUnderNewKey(session, flags, file);
    const { masterKey, resealed } =
      await (file === undefined ? rotate() : oneAtATime(file, rotate));
    return {
      json: { master_key: masterKey, resealed, file: file ?? null, dropped_old: flags.dropOld },
      text: `${resealed} values are sealed with the master key ${masterKey} now\n`,
    };
  },
});

async function sealUnderNewKey(
  session: Session,
  flags: RotateFlags,
  file: string | undefined,
): Promise<{ masterKey: string; resealed: number }> {
  const { createFileKeys, newMasterKey, readMasterKeys } = await import("@sabika/identity/secrets");
  const { resealAll } = await import("@sabika/service/deployment");
  const here = await session.atDatabase();
  const { text } = await here.masterKeyText();
  const admin = await here.secretsContext();
  const before = readMasterKeys(text);
  let next = text;
  if (file !== undefined) {
    const id = flags.id ?? newId(before.keys, session.nowMs);
    if (before.keys.has(id)) throw new UsageError(`there is a master key "${id}" already`);
    await confirm(session, `Reseal everything under the new master key ${id}?`);
    // The key is in the file before the first value is sealed with it.
    next = `${newMasterKey(id, admin.random)}\n${text.trimEnd()}\n`;
    await writePrivateFile(file, next);
  } else if (flags.id !== undefined || flags.dropOld) {
    throw new UsageError("--id and --drop-old need the master keys in a file");
  }
  const keys = readMasterKeys(next);
  const { random } = admin;
  const sealing = createFileKeys({ masterKeys: keys, random });
  const name = "master-key.rotate";
  const input = { master_key: keys.currentId };
  const { resealed } = await session.actWith(admin, [name, input], (admin) => {
    return resealAll(admin, sealing, name);
  });
  if (file !== undefined && flags.dropOld) {
    await writePrivateFile(file, `${next.split("\n")[0]}\n`);
  }
  return { masterKey: keys.currentId, resealed };
}

const reseal = command<object, []>({
  brief: "Seal again what is not sealed under the current master key, or as 1.0.0 did",
  more:
    "1.0.0 sealed everything with the master key itself; since then each purpose has a key of\n" +
    "its own, derived from it. Old values stay readable; this makes them new. Servers of 1.0.0\n" +
    "cannot open them any more.",
  examples: ["master-key reseal"],
  async run(session) {
    const { resealAll } = await import("@sabika/service/deployment");
    const admin = await (await session.atDatabase()).secretsContext();
    const name = "master-key.reseal";
    const { resealed } = await session.actWith(admin, [name, {}], (admin) => {
      return resealAll(admin, admin.secrets, name);
    });
    return { json: { resealed }, text: `${resealed} values were sealed again\n` };
  },
});

const listMaster = command<object, []>({
  brief: "List the master keys at hand and how many values each seals; never their text",
  examples: ["master-key list"],
  async run(session) {
    const { countSealed } = await import("@sabika/service/deployment");
    const { readMasterKeys } = await import("@sabika/identity/secrets");
    const here = await session.atDatabase();
    const [{ text }, database] = await Promise.all([here.masterKeyText(), here.database()]);
    const keys = readMasterKeys(text);
    const counts = await countSealed({ database });
    const ids = [...new Set([...keys.keys.keys(), ...counts.keys()])];
    return listing(ids, [
      ["id", "ID", (id) => id],
      ["current", "CURRENT", (id) => id === keys.currentId],
      ["at_hand", "AT HAND", (id) => keys.keys.has(id)],
      ["seals", "SEALS", (id) => counts.get(id) ?? 0],
    ]);
  },
});

/** `sabika master-key …` */
export const masterKey = buildRouteMap({
  docs: { brief: "Rotate the key that seals all secrets at rest" },
  routes: { rotate: rotateMaster, reseal, list: listMaster },
});

/** `sabika token-key …` */
export const tokenKey = buildRouteMap({
  docs: { brief: "Show and rotate the keys that sign access tokens" },
  routes: {
    ...readCommands("token-key"),
    rotate: acting("token-key.rotate", {
      brief: "Make a new token key; tokens signed with the old one stay valid for their 10 minutes",
      examples: ["token-key rotate"],
      args: {},
      json: (_input, { keyId, signsFromMs }) => ({
        key_id: keyId,
        signs_from: time(signsFromMs),
      }),
      text: (_input, { keyId, signsFromMs }) =>
        `the token key ${keyId} signs from ${formatTime(signsFromMs)}`,
    }),
  },
});

/** `sabika receipt-key …` */
export const receiptKey = buildRouteMap({
  docs: { brief: "Show and rotate the key that signs receipts of orders" },
  routes: {
    ...readCommands("receipt-key"),
    rotate: acting("receipt-key.rotate", {
      brief: "Make a new receipt key; the one before stays published, so its receipts stay valid",
      examples: ["receipt-key rotate"],
      args: {},
      json: (_input, { keyId, endedKeyId }) => ({ key_id: keyId, ended_key_id: endedKeyId }),
      text: (_input, { keyId }) => `the receipt key ${keyId} signs from now on`,
    }),
  },
});

/** Today's date, with a number when there is a key of today already. */
function newId(keys: ReadonlyMap<string, Uint8Array>, nowMs: number): string {
  const day = formatTime(nowMs).slice(0, 10);
  for (let number = 1;; number++) {
    const id = number === 1 ? day : `${day}.${number}`;
    if (!keys.has(id)) return id;
  }
}
