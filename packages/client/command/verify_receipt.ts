import { parseArgs } from "node:util";
import {
  HEADER,
  ORDER,
  ORDER_EVIDENCE,
  parseJson,
  parseUnixSeconds,
  readPoolVersion,
  readReceiptKeys,
  type ReceiptFault,
  type ReceiptToVerify,
  sha256Hex,
  type VerifiedReceipt,
  verifyReceipt,
} from "@sabika/protocol";
import { readFileAs, readFileIf, readTextFile, writeNewFile } from "./files.ts";
import { bad, CommandError, good, type Io, row, UsageError } from "./io.ts";
import { readPastedMessage } from "./pasted_message.ts";
import { receiptPage } from "./receipt_page.ts";

/** What `--help` says of `sabika-client verify receipt`. */
export const VERIFY_RECEIPT_HELP =
  `With "receipt" it checks the receipt of an order against what you have kept yourself: that a published
key signed it, that its parts come to its total, and that it is of your order, your request and these bars.

  --keys FILE         the published keys, /.well-known/sabika-receipt-keys.json; needed
  --bars FILE         the pool's version, GET /v1/vault/versions/{number}, byte for byte
  --request FILE      your signed request: pasted, or GET /v1/orders/{order_id}/evidence
  --order FILE        your order as it was answered
  --page FILE         also writes the receipt as a page to print, in Arabic and English, if all holds
  --json              one line of JSON: ok, order_id, holds, faults`;

const SAYS: Readonly<Record<ReceiptFault, string>> = {
  malformed: "this is no receipt",
  wrong_algorithm: "it is not signed by ES256",
  unknown_key: "the published keys do not have the one that it names",
  altered: "the signature does not fit: receipt or signature was changed",
  key_ended: "its key had ended before the order was executed",
  value_wrong: "the value is not price × gold",
  parts_do_not_sum: "the parts do not come to the total",
  share_wrong: "the share is not the balance of gold over the weight of the bars",
  other_order: "it is of another order",
  order_differs: "your order has another amount, price, time or balance",
  other_request: "it is of another signed request",
  bars_altered: "the bar list has another hash",
  bars_malformed: "the bar list is no version of a pool",
  bars_do_not_fit: "the bar list is another pool's, another version or of another weight",
};

/** `sabika-client verify receipt FILE`: prints what holds and what does not, and returns the exit code. */
export async function verifyReceiptFile(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      keys: { type: "string" },
      bars: { type: "string" },
      request: { type: "string" },
      order: { type: "string" },
      page: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [file] = positionals;
  if (file === undefined) throw new UsageError("the receipt's file is needed");
  if (values.keys === undefined) throw new UsageError("--keys is needed");
  const jws = (await readTextFile(file)).trim();
  const kept = {
    jws,
    keys: await readFileAs(values.keys, readReceiptKeys),
    bars: await readFileIf(values.bars, (text) => text),
    order: await readFileIf(values.order, (text) => ORDER.read(parseJson(text))),
  };
  const requests = values.request === undefined ? [undefined] : await readRequests(values.request);
  let verified: VerifiedReceipt | undefined;
  for (const request of requests) {
    verified = await verifyReceipt({ ...kept, request });
    if (verified.ok) break;
  }
  const { ok, receipt, holds, faults } = verified!;
  if (values.json) {
    io.print(JSON.stringify({ ok, order_id: receipt?.orderId ?? null, holds, faults }));
  } else {
    print(verified!, io);
    const missing = (["order", "request", "bars"] as const).filter((name) => !values[name]);
    if (missing.length > 0) io.print(row("not checked", missing.join(" ")));
  }
  if (values.page !== undefined && ok) {
    const hash = await sha256Hex(new TextEncoder().encode(jws));
    const bars = kept.bars === undefined ? undefined : readPoolVersion(kept.bars);
    await writeNewFile(values.page, receiptPage(receipt!, holds, hash, bars?.bars));
  }
  return ok ? 0 : 1;
}

function print({ receipt, holds, faults }: VerifiedReceipt, io: Io): void {
  for (const fault of faults) io.print(`${bad(io, fault)}: ${SAYS[fault]}`);
  if (faults.length === 0) io.print(`${good(io, "genuine")}: ${receipt!.orderId}`);
  if (holds.length > 0) io.print(row("holds", holds.join(" ")));
}

/** Reads the request from evidence or from a pasted message, whose body may have got a line feed at its end. */
async function readRequests(file: string): Promise<NonNullable<ReceiptToVerify["request"]>[]> {
  const text = await readTextFile(file);
  if (text.trimStart().startsWith("{")) {
    const { requests } = await readFileAs(file, (json) => ORDER_EVIDENCE.read(parseJson(json)));
    if (requests.length > 0) return [...requests];
    throw new CommandError(`${file} has no request`);
  }
  const message = readPastedMessage(text);
  const nonce = message?.headers.get(HEADER.nonce);
  const timestampSeconds = parseUnixSeconds(message?.headers.get(HEADER.timestamp) ?? "");
  const url = message?.target;
  if (message === undefined || !url || nonce === undefined || timestampSeconds === undefined) {
    throw new CommandError(
      `${file} is no signed request: "POST URL", x-timestamp, x-nonce, an empty line and the body`,
    );
  }
  return message.bodies.map((body) => ({ url, nonce, timestampSeconds, body }));
}
