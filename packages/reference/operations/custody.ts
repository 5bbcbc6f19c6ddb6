import {
  POOL_VERSION,
  PUBLISHED_RESERVE,
  RECEIPT_MEDIA_TYPE,
  RECEIPT_PENDING,
  RESERVE_OPENING,
  VAULT,
} from "@sabika/protocol";
import { json, ok } from "../contents.ts";
import { EXAMPLES } from "../examples.ts";
import { operation } from "../operation.ts";
import { DAY_PARAMETER, idParameter, VERSION_PARAMETER } from "../parameters.ts";

/** The operations that read which bars a partner's gold is a share of. */
export const CUSTODY = {
  getOrderReceipt: operation("GET", "/v1/orders/{id}/receipt", "read", {
    chapter: "Reading",
    summary: "Get the receipt of an order",
    description: "What you traded, and the share of which bars you own since then, signed by the " +
      "operator for ever: a compact JWS that you verify without the service.",
    parameters: [idParameter("ord", "order")],
    replies: [{
      status: 200,
      description: "The receipt, the same each time.",
      contents: [{
        mediaType: RECEIPT_MEDIA_TYPE,
        shape: { type: "string" },
        example: "eyJhbGciOiJFUzI1NiIsImtpZCI6…",
      }],
    }, {
      status: 202,
      description: "It cannot be signed just now: ask again later.",
      contents: [
        json(RECEIPT_PENDING.shape, { order_id: EXAMPLES.order.id, status: "receipt_pending" }),
      ],
    }],
    refusals: ["not_found", "no_receipt"],
  }),
  getVault: operation("GET", "/v1/vault", "read", {
    chapter: "Reading",
    summary: "Your pool of bars",
    description: "The named bars that your gold is a share of, as they are now: version, hash, " +
      "fine weight, and the last count. 404 before the first bar.",
    replies: [ok("The pool.", VAULT.shape, EXAMPLES.vault)],
    refusals: ["not_found"],
  }),
  getVaultVersion: operation("GET", "/v1/vault/versions/{id}", "read", {
    chapter: "Reading",
    summary: "Get a version of your pool",
    description:
      "The bars of a version, byte for byte as it was hashed: the SHA-256 of the answer is the " +
      "version's hash, and `previous` that of the version before.",
    parameters: [VERSION_PARAMETER],
    replies: [ok("The version.", POOL_VERSION.shape, EXAMPLES.vaultVersion)],
    refusals: ["not_found"],
  }),
  getReserve: operation("GET", "/v1/reserves/{id}", "read", {
    chapter: "Reading",
    summary: "Get the reserve of a day",
    description: "What was owed to all partners when the day ended, the bars and the money that " +
      "were there for it, and a commitment to each partner's balances. Made an hour after the " +
      "day's end at the earliest, at noon in Riyadh at the latest.",
    parameters: [DAY_PARAMETER],
    replies: [ok("The reserve.", PUBLISHED_RESERVE.shape, EXAMPLES.reserve)],
    refusals: ["not_found"],
  }),
  getReserveOpening: operation("GET", "/v1/reserves/{id}/mine", "read", {
    chapter: "Reading",
    summary: "Open your commitment",
    description: "Salt and balances of which one of the reserve's commitments is the SHA-256: " +
      "nobody else is told your salt.",
    parameters: [DAY_PARAMETER],
    replies: [ok("The opening.", RESERVE_OPENING.shape, EXAMPLES.reserveOpening)],
    refusals: ["not_found"],
  }),
};
