import {
  CANCEL_REQUEST,
  FUNDING,
  FUNDING_REQUEST,
  ORDER,
  ORDER_REQUEST,
  PRICE,
  PRICE_HISTORY,
  PRICE_SPANS_MAX,
  QUOTE,
  QUOTE_REQUEST,
  SCENARIO,
  SCENARIO_REQUEST,
  SIGNED_PROBE,
  WITHDRAWAL,
  WITHDRAWAL_REQUEST,
} from "@sabika/protocol";
import { body, json, ok, written } from "../contents.ts";
import { EXAMPLES } from "../examples.ts";
import { operation } from "../operation.ts";
import { HISTORY_PARAMETERS, idParameter } from "../parameters.ts";

const chapter = "Trading";

/** The operations that move money and gold, and those for prices and quotes. */
export const TRADING = {
  getPrices: operation("GET", "/v1/prices", "read", {
    chapter,
    summary: "Indicative prices",
    description: "What a gram would cost and bring on your terms. Only a quote is firm.",
    replies: [ok("The prices.", PRICE.shape, EXAMPLES.price)],
    refusals: ["price_unavailable"],
  }),
  getPriceHistory: operation("GET", "/v1/prices/history", "read", {
    chapter,
    summary: "The course of the price",
    description:
      "The mid price by minutes, hours or days: the first, highest, lowest and last of " +
      "each span, and how many were accepted. The spans are whole and begin in the period: at " +
      `most ${PRICE_SPANS_MAX}.`,
    parameters: HISTORY_PARAMETERS,
    replies: [ok("The spans.", PRICE_HISTORY.shape, EXAMPLES.priceHistory)],
  }),
  fund: operation("POST", "/sandbox/fund", "fund", {
    chapter,
    isSandboxOnly: true,
    summary: "Credit play money",
    description: "Only in the sandbox. Your certificate identifies you; a token is checked " +
      "when it is sent.",
    request: body(FUNDING_REQUEST, EXAMPLES.fundingRequest),
    replies: written("The money is there.", FUNDING.shape, EXAMPLES.funding),
    refusals: ["amount_below_minimum", "amount_above_maximum"],
  }),
  createScenario: operation("POST", "/sandbox/scenario", "signedTrade", {
    chapter,
    isSandboxOnly: true,
    summary: "Set what happens next",
    description: "Only in the sandbox: a course of the price, money on its way to you, the " +
      "fate of your next events, or a later time. Price and time are for the whole sandbox, so " +
      "one that several partners share refuses them with `simulation_invalid`.",
    request: body(SCENARIO_REQUEST, EXAMPLES.scenarioRequest),
    replies: [{
      status: 201,
      description: "It has begun; the same key again begins nothing.",
      contents: [json(SCENARIO.shape, EXAMPLES.scenario)],
    }],
    refusals: ["amount_below_minimum", "amount_above_maximum"],
  }),
  createQuote: operation("POST", "/v1/quotes", "write", {
    chapter,
    summary: "Get a firm quote",
    description: "For an amount of gold, or of money instead. The price is firm for 60 " +
      "seconds. A quote reserves nothing.",
    request: body(QUOTE_REQUEST, EXAMPLES.quoteRequest),
    replies: written("The quote.", QUOTE.shape, EXAMPLES.quote),
    refusals: [
      "amount_below_minimum",
      "amount_above_maximum",
      "too_many_open_quotes",
      "price_unavailable",
    ],
  }),
  createOrder: operation("POST", "/v1/orders", "signedTrade", {
    chapter,
    summary: "Execute a quote",
    description: "Buys or sells at the total of the quote. The order must be received before " +
      "the quote's `expires_at`; it is executed once or never.",
    request: body(ORDER_REQUEST, EXAMPLES.orderRequest),
    replies: written("The order was executed.", ORDER.shape, EXAMPLES.orderWithBalances),
    refusals: [
      "quote_not_found",
      "quote_expired",
      "quote_already_used",
      "insufficient_funds",
      "insufficient_gold",
      "inventory_unavailable",
    ],
  }),
  createWithdrawal: operation("POST", "/v1/withdrawals", "signedWithdrawal", {
    chapter,
    summary: "Withdraw money",
    description:
      "Pays to the settlement IBAN that the operator has registered for you. The money " +
      "is held at once.",
    request: body(WITHDRAWAL_REQUEST, EXAMPLES.withdrawalRequest),
    replies: written("The withdrawal is pending.", WITHDRAWAL.shape, EXAMPLES.withdrawal),
    refusals: ["insufficient_funds"],
  }),
  cancelWithdrawal: operation("POST", "/v1/withdrawals/{id}/cancel", "signedWithdrawal", {
    chapter,
    summary: "Cancel a withdrawal",
    description: "While it is pending; the money is released. One that is being paid, or is " +
      "over, is refused with `withdrawal_not_cancellable`. The body is `{}`.",
    parameters: [idParameter("wd", "withdrawal")],
    request: body(CANCEL_REQUEST, {}),
    replies: written("The withdrawal is cancelled.", WITHDRAWAL.shape, {
      ...EXAMPLES.withdrawal,
      status: "cancelled",
    }),
    refusals: ["not_found", "withdrawal_not_cancellable"],
  }),
  probeSignature: operation("POST", "/v1/signed-probe", "probe", {
    chapter,
    summary: "Try a signature",
    description:
      "All checks of a signed request, without moving money. A refusal of the signature " +
      "has a `diagnosis` that names the mistake, and shows the string that was expected.",
    parameters: [{
      name: "Sabika-Signed-String",
      in: "header",
      required: false,
      description: "What you signed, in base64url: it explains what nobody can guess, such as " +
        "another nonce.",
      schema: { type: "string" },
    }],
    request: {
      mediaType: "*/*",
      shape: {},
      example: { hello: "sabika" },
      isRequired: false,
    },
    replies: [ok("The signature is right.", SIGNED_PROBE.shape, EXAMPLES.probe)],
  }),
};
