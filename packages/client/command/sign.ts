import { type Command, UsageError } from "./io.ts";
import { SIGN_COUNT_HELP, signCountFile } from "./sign_count.ts";
import { SIGN_RESERVE_HELP, signReserveFile } from "./sign_reserve.ts";

/** `sabika-client sign` */
export const sign: Command = {
  summary: "sign a count as an inspector, or a reserve as an auditor, without a network",
  help:
    `Signs as somebody from outside, whose public key the operator has registered, without a network.

  sabika-client sign count FILE --key FILE [--out FILE]
  sabika-client sign reserve FILE --openings FILE --key FILE [--before FILE] [--out FILE]

  --key FILE          your private key on P-256, PKCS #8 in PEM, such as openssl genpkey makes
  --out FILE          where the signature goes; the standard output by default

${SIGN_COUNT_HELP}

${SIGN_RESERVE_HELP}`,
  async run([kind, ...args], io) {
    if (kind === "count") return await signCountFile(args, io);
    if (kind === "reserve") return await signReserveFile(args, io);
    throw new UsageError("what is signed is needed: count or reserve");
  },
};
