import { encodeUtf8 } from "@sabika/protocol";
import { type Kit, kitFiles } from "./kit.ts";

/** A partner's kit as one encrypted file, which can be handed over on any channel (Decision D100). */
export interface KitFile {
  /** `bank-two.tar.age` */
  readonly name: string;
  /** An age file in its text form; inside is a tar archive with the kit's folder. */
  readonly text: string;
  /** Opens the file, and is to be handed over apart from it; null for a file that a partner's own key opens. */
  readonly passphrase: string | null;
}

/** In place of a recipient: the file is encrypted under a passphrase that is made for it. */
export const PASSPHRASE = "passphrase";

// `age-encryption` and `modern-tar` are loaded when a kit is made: most programs never make one.

/** Whether a text is an age recipient (`age1…`), the public key of whoever opens a file. */
export async function isRecipient(text: string): Promise<boolean> {
  const { Encrypter } = await import("age-encryption");
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Encrypts a kit: `age -d bank-two.tar.age | tar x` makes its folder.
 *
 * @param options.baseUrl the service's address in this environment
 * @param options.to an age recipient, or {@linkcode PASSPHRASE}
 * @param options.nowMs epoch milliseconds, the time of the files
 * @throws {Error} when `to` is neither
 */
export async function encryptKit(kit: Kit, { baseUrl, to, nowMs, random }: {
  baseUrl: string;
  to: string;
  nowMs: number;
  random: (length: number) => Uint8Array;
}): Promise<KitFile> {
  const [{ armor, Encrypter }, { packTar }] = await Promise.all([
    import("age-encryption"),
    import("modern-tar"),
  ]);
  const encrypter = new Encrypter();
  const passphrase = to === PASSPHRASE ? makePassphrase(random) : null;
  if (passphrase === null) encrypter.addRecipient(to);
  else {
    encrypter.setPassphrase(passphrase);
    encrypter.setScryptWorkFactor(WORK_FACTOR);
  }
  const folder = kit.clientId;
  const mtime = new Date(nowMs);
  const archive = await packTar([
    { header: { name: `${folder}/`, type: "directory", size: 0, mode: 0o700, mtime } },
    ...kitFiles(baseUrl, kit).map(([name, text]) => {
      const body = encodeUtf8(text);
      return {
        header: { name: `${folder}/${name}`, size: body.length, mode: 0o600, mtime },
        body,
      };
    }),
  ]);
  const encrypted = await encrypter.encrypt(archive);
  return { name: `${folder}.tar.age`, text: armor.encode(encrypted), passphrase };
}

/** A passphrase of 125 random bits cannot be guessed, however fast a guess is: 30 ms in place of 900. */
const WORK_FACTOR = 12;

/** Crockford's base 32: no two characters look or sound alike. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes five groups of five characters. */
function makePassphrase(random: (length: number) => Uint8Array): string {
  const text = [...random(25)].map((byte) => ALPHABET[byte & 31]).join("");
  return text.match(/.{5}/g)!.join("-");
}
