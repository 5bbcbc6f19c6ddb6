import type { ListedReserve } from "@sabika/service/reserves";
import { BOOLEAN, type Form, HALALAS, nullable, STRING } from "@sabika/protocol";
import { member, record } from "@sabika/protocol/record-form";

/** The form of a day's reserve in a list. */
export const LISTED_RESERVE: Form<ListedReserve> = record<ListedReserve>("listed reserve", {
  day: member("day", STRING, "The day, in Riyadh."),
  bankHalalas: member("bank_sar", nullable(HALALAS), "Null if nobody entered the balance."),
  isSigned: member("signed", BOOLEAN, "Whether the operator's key of receipts signed it."),
  isAttested: member("attested", BOOLEAN, "Whether an auditor that saw all openings signed it."),
  hash: member("hash", STRING, "The SHA-256 of its text."),
});
