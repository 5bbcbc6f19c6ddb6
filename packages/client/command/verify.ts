import { parseArgs } from "node:util";
import {
  createEvidenceJudge,
  HEADER,
  type JudgedEvidence,
  verifyWebhook,
  WEBHOOK_TOLERANCE_SECONDS,
} from "@sabika/protocol";
import { KIT_OPTION, openKitIfThere, readSecrets, readTextFile, SECRET_OPTION } from "./files.ts";
import { bad, type Command, CommandError, good, type Io, row } from "./io.ts";
import { type PastedMessage, readPastedMessage } from "./pasted_message.ts";
import { VERIFY_COUNT_HELP, verifyCountFile } from "./verify_count.ts";
import { VERIFY_RECEIPT_HELP, verifyReceiptFile } from "./verify_receipt.ts";
import { VERIFY_RESERVE_HELP, verifyReserveFile } from "./verify_reserve.ts";
import { verifySignature } from "./verify_signature.ts";
import { VERIFY_VERSIONS_HELP, verifyVersionFiles } from "./verify_versions.ts";

/** `sabika-client verify` */
export const verify: Command = {
  summary:
    "check a webhook, a signed request, evidence, a receipt, a pool's versions, a reserve or a count, without a network",
  help: `Checks a webhook or a signed request that was pasted or logged, without a network.

  sabika-client verify [FILE] [--kit FOLDER] [--secret-file FILE]…
  sabika-client verify evidence FILE
  sabika-client verify receipt FILE --keys FILE [--bars FILE] [--request FILE] [--order FILE]
  sabika-client verify versions FILE…
  sabika-client verify reserve FILE [--mine FILE] [--previous FILE] [--openings FILE] [--keys FILE]
  sabika-client verify count FILE --keys FILE [--count FILE]

  FILE                the message to check; the standard input by default
  --kit FOLDER        the partner kit; this folder by default
  --secret-file FILE  a file with a webhook secret, instead of the kit's; may be repeated.
                      Without a file and a kit the command asks for it, without echo

The message is in the form of HTTP: headers, an empty line, the body as it was received. With
webhook-signature it is checked as a webhook; with x-jws-signature as a request of yours, whose first
line is "POST URL", and a wrong signature gets the diagnosis that POST /v1/signed-probe would give.

With "evidence" it judges an export of signed requests that the operator made: whether each order and
withdrawal is what a key of the file signed. It names those keys: they must be yours.

${VERIFY_RECEIPT_HELP}

${VERIFY_VERSIONS_HELP}

${VERIFY_RESERVE_HELP}

${VERIFY_COUNT_HELP}`,
  async run(args, io) {
    if (args[0] === "reserve") return await verifyReserveFile(args.slice(1), io);
    if (args[0] === "versions") return await verifyVersionFiles(args.slice(1), io);
    if (args[0] === "count") return await verifyCountFile(args.slice(1), io);
    if (args[0] === "receipt") return await verifyReceiptFile(args.slice(1), io);
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { ...KIT_OPTION, ...SECRET_OPTION },
    });
    const [file, exported] = positionals;
    if (file === "evidence" && exported !== undefined) return await verifyExport(exported, io);
    const text = file === undefined ? await io.readInput() : await readTextFile(file);
    const message = readPastedMessage(text);
    if (message?.headers.get(HEADER.webhookSignature) !== undefined) {
      const kit = values["secret-file"] ? undefined : await openKitIfThere(values.kit ?? ".");
      return await verifyPastedWebhook(
        message,
        await readSecrets(values["secret-file"], kit, io),
        io,
      );
    }
    if (message?.headers.get(HEADER.jwsSignature) !== undefined) {
      return await verifySignature(message, values.kit ?? ".", io);
    }
    throw new CommandError(
      "there is neither a webhook-signature nor an x-jws-signature header in it",
    );
  },
};

async function verifyExport(file: string, io: Io): Promise<number> {
  const text = await readTextFile(file);
  const { head, facts, withoutEvidence, findings } = await judge(text).catch((error: Error) => {
    throw new CommandError(`${file} is no export of evidence: ${error.message}`);
  });
  for (const { clientId, kind, id, fault } of findings) {
    io.print(`${bad(io, fault)}: ${kind} ${id} of ${clientId}`);
  }
  if (findings.length === 0) {
    const before = withoutEvidence === 0 ? "" : `, ${withoutEvidence} from before it was kept`;
    io.print(`${good(io, "genuine")}: ${facts} orders, withdrawals and cancellations${before}`);
  }
  for (const [clientId, keys] of Object.entries(head.keys)) {
    io.print(row(clientId, keys.map(({ keyId }) => keyId).join(" ")));
  }
  return findings.length === 0 ? 0 : 1;
}

async function judge(text: string): Promise<JudgedEvidence> {
  const judge = createEvidenceJudge();
  for (const line of text.split("\n")) await judge.add(line);
  return judge.end();
}

async function verifyPastedWebhook(
  { headers, bodies }: PastedMessage,
  secrets: string[],
  io: Io,
): Promise<number> {
  // The signature is checked as of the time of sending, apart from the message's age.
  const sentSeconds = Number(headers.get(HEADER.webhookTimestamp));
  let refusal = "";
  for (const body of bodies) {
    const verified = await verifyWebhook({ secrets, headers, body, nowSeconds: sentSeconds })
      .catch((error: TypeError) => {
        throw new CommandError(error.message);
      });
    if (!verified.ok) {
      refusal = verified.reason;
      continue;
    }
    io.print(`${good(io, "genuine")}: ${headers.get(HEADER.webhookId)}`);
    const age = Math.round(io.now() / 1000 - sentSeconds);
    if (Math.abs(age) > WEBHOOK_TOLERANCE_SECONDS) {
      io.print(`sent ${age} s ago: a receiver refuses it after ${WEBHOOK_TOLERANCE_SECONDS} s`);
    }
    return 0;
  }
  io.print(`${bad(io, "not genuine")}: ${refusal}`);
  if (refusal === "signature_mismatch") {
    io.print("another secret, or not the bytes that were sent: take the body before it is parsed");
  }
  return 1;
}
