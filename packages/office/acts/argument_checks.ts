import { formatHalalas, formatMicrograms } from "@sabika/protocol";
import { PASSPHRASE } from "@sabika/identity/keys";
import { checkWebhookUrl } from "@sabika/service/delivery";
import {
  type AdminOutcome,
  readClientId,
  readIban,
  readPartnerName,
  riyadhDayStart,
} from "@sabika/terms";
import { readCidr } from "@sabika/terms/addresses";
import {
  HEAVIEST_MICROGRAMS,
  isDocumentHash,
  isLine,
  isPlace,
  isPoolId,
  isSerial,
  LEAST_FINENESS_TEN_THOUSANDTHS,
} from "@sabika/service/vault";
import { isMail, isTelephone } from "../partners/contacts.ts";
import { isPersonName } from "../people/people.ts";
import {
  type Argument,
  type ArgumentMistakeCode,
  fineness,
  grams,
  percent,
  price as pricePerGram,
  riyals,
  text,
  texts,
} from "./arguments.ts";
import { isReference, MOST_HALALAS } from "./bookings/fundings.ts";
import { isReason } from "./bookings/withdrawals.ts";

/**
 * Adds to an argument what its acts refuse in it, so that a form can say so before anybody signs. The acts check
 * it all themselves: what they answer does not change.
 */
function checked<T>(
  argument: Argument<T>,
  code: ArgumentMistakeCode,
  isRight: (value: T) => boolean,
): Argument<T> {
  return { ...argument, mistakeIn: (value: T) => isRight(value) ? undefined : { code } };
}

/** Adds the bounds of a number, inclusive, each also as people write it. */
export function between<T extends bigint | number>(
  argument: Argument<T>,
  [least, leastText]: readonly [T, string],
  [most, mostText]: readonly [T, string],
): Argument<T> {
  return {
    ...argument,
    mistakeIn: (value) =>
      value >= least && value <= most
        ? undefined
        : { code: "out_of_range", least: leastText, most: mostText },
  };
}

/** Adds that a number is above zero. */
const aboveZero = (argument: Argument<bigint>): Argument<bigint> =>
  checked(argument, "above_zero", (value: bigint) => value > 0n);

const reads = (read: (text: string) => AdminOutcome<unknown>) => (value: string) => read(value).ok;

export const clientId = checked(text, "wrong_client_id", reads(readClientId));
export const partnerName = checked(text, "wrong_name", reads(readPartnerName));
export const iban = checked(text, "wrong_iban", reads(readIban));
export const cidr = checked(text, "wrong_cidr", reads(readCidr));
export const cidrs = checked(
  texts,
  "wrong_cidr",
  (values: readonly string[]) => values.every(reads(readCidr)),
);
/** A URL for webhooks by its text; the act also resolves its host, and knows whether loopback is allowed. */
export const webhookUrl = checked(
  text,
  "wrong_url",
  (value: string) => checkWebhookUrl(value, { allowLoopback: true }).ok,
);
export const day = checked(
  text,
  "wrong_day",
  (value: string) => riyadhDayStart(value) !== undefined,
);
/** A person's name, as `addOperator` demands it. */
export const personName = checked(
  text,
  "wrong_person",
  isPersonName,
);
/** A reason on one line, as it is kept with the request or the withdrawal. */
export const reason = checked(
  text,
  "wrong_reason",
  isReason,
);
/** A bank's reference for a transfer. */
export const reference = checked(
  text,
  "wrong_reference",
  isReference,
);
/** For whom a kit is encrypted, by its form; the act also checks what tells a typing mistake. */
export const recipient = checked(
  text,
  "wrong_recipient",
  (value: string) => value === PASSPHRASE || /^age1[02-9a-z]+$/.test(value),
);
export const serial = checked(
  text,
  "wrong_serial",
  isSerial,
);

/** The vault and place where a bar lies. */
export const place = checked(text, "wrong_place", isPlace);
/** The reference of a document on paper or in another system. */
export const documentReference = checked(text, "wrong_document", isLine);

/** A name, role or reference on one line. */
export const oneLine = checked(text, "wrong_name", isLine);
export const telephone = checked(text, "wrong_telephone", isTelephone);
export const mail = checked(text, "wrong_mail", isMail);
export const sha256 = checked(text, "wrong_sha256", isDocumentHash);
export const sha256s = checked(
  texts,
  "wrong_sha256",
  (values: readonly string[]) => values.every(isDocumentHash),
);
/** The id of a pool. */
export const poolId = checked(text, "wrong_pool", isPoolId);

/** A signing request in PEM; whether it is the partner's takes its client id. */
export const signingRequest: Argument<string> = {
  ...text,
  mistakeIn: (value) =>
    value.includes("PRIVATE KEY")
      ? { code: "private_key" }
      : value.includes("CERTIFICATE REQUEST-----")
      ? undefined
      : { code: "wrong_request" },
};
/** A key in any form that some act takes; only that it is no private key is told here. */
export const publicKey = checked(
  text,
  "private_key",
  (value: string) => !value.includes("PRIVATE KEY"),
);

/** A rate of VAT. */
export const vat = between(percent, [0n, "0"], [1_000_000n, "100"]);
/** Gold that is allocated or released. */
export const gold = aboveZero(grams);
/** A fixed price. */
export const price = aboveZero(pricePerGram);
/** Money that a bank transfer brought. */
export const credit = between(
  riyals,
  [1n, formatHalalas(1n)],
  [MOST_HALALAS, formatHalalas(MOST_HALALAS)],
);
export const barFineness = between(
  fineness,
  [BigInt(LEAST_FINENESS_TEN_THOUSANDTHS), "916"],
  [10_000n, "1000"],
);
export const barWeight = between(
  grams,
  [100n, formatMicrograms(100n)],
  [HEAVIEST_MICROGRAMS, formatMicrograms(HEAVIEST_MICROGRAMS)],
);
