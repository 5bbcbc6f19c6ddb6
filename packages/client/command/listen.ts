import { once } from "node:events";
import { createServer } from "node:https";
import { parseArgs } from "node:util";
import type { Kit } from "../kit.ts";
import { KIT_OPTION, openKitOf, readSecrets, readTextFile, SECRET_OPTION } from "./files.ts";
import { type Command, CommandError, type Io, UsageError } from "./io.ts";
import { answerDelivery, type Answering } from "./answer_delivery.ts";

const BODY_MAX_BYTES = 1_000_000;

/** `sabika-client listen` */
export const listen: Command = {
  summary: "receive webhooks on this machine over https, and print them",
  help: `Receives webhooks on this machine over https: verifies each, prints it, and answers.

  sabika-client listen [--kit FOLDER] [--url URL] [--answer STATUS[,STATUS…]] [--forward URL] …

  --kit FOLDER        the partner kit; by default of SABIKA_KIT…, else this folder
  --url URL           the https address to listen at; the kit's webhook_url by default
  --cert, --key FILE  certificate and key in PEM; the kit's receiver.crt and receiver.key by default
  --secret-file FILE  a file with a webhook secret, instead of the kit's; may be repeated
  --answer STATUSES   the statuses that answer genuine webhooks in turn, the last one from then on;
                      204 by default. With 500,204 the first webhook is delivered again
  --forward URL       posts genuine webhooks there unchanged, and answers with its status
  --body              print the bodies too
  --count N           end after N genuine webhooks; otherwise Ctrl-C ends it

Other webhooks are answered with 401. The operator registers the address:
sabika webhook set CLIENT-ID URL.`,
  async run(args, io) {
    const { values } = parseArgs({
      args,
      options: {
        ...KIT_OPTION,
        ...SECRET_OPTION,
        url: { type: "string" },
        cert: { type: "string" },
        key: { type: "string" },
        answer: { type: "string", default: "204" },
        forward: { type: "string" },
        body: { type: "boolean", default: false },
        count: { type: "string" },
      },
    });
    const statuses = values.answer.split(",").map(statusOf);
    const count = values.count === undefined ? Infinity : Number(values.count);
    if (!(count >= 1)) throw new UsageError("--count is a number from 1");
    const kit = await openKitOf(values.kit, io);
    const url = addressOf(values.url ?? kit.webhookUrl);
    const answering: Answering = {
      secrets: await readSecrets(values["secret-file"], kit, io),
      statuses,
      forward: values.forward === undefined ? undefined : urlOf("--forward", values.forward),
      showBody: values.body,
    };
    const { certificatePem: cert, privateKeyPem: key } = await readCertificate(values, kit);
    await serve({ url, cert, key, count, answering }, io);
    return 0;
  },
};

interface Served {
  url: URL;
  cert: string;
  key: string;
  count: number;
  answering: Answering;
}

/** Listens until it is interrupted or enough webhooks came, and then closes all connections. */
async function serve({ url, cert, key, count, answering }: Served, io: Io): Promise<void> {
  const done = new AbortController();
  const answer = answerDelivery(answering, io);
  let genuine = 0;
  const server = createServer({ cert, key, minVersion: "TLSv1.2" }, async (request, response) => {
    try {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of request) {
        size += chunk.length;
        if (size > BODY_MAX_BYTES) return void response.writeHead(413).end();
        chunks.push(chunk);
      }
      if (request.method !== "POST" || request.url !== url.pathname + url.search) {
        return void response.writeHead(404).end();
      }
      const headers = { get: (name: string) => request.headers[name]?.toString() };
      const { status, isGenuine } = await answer({ headers, body: Buffer.concat(chunks) });
      response.writeHead(status).end(() => {
        if (isGenuine && ++genuine >= count) done.abort();
      });
    } catch {
      response.destroy(); // The connection was closed before the answer.
    }
  });
  server.on("tlsClientError", (error) => io.printError(`a connection failed: ${error.message}`));
  const port = Number(url.port) || 443;
  server.listen(port, url.hostname.replace(/^\[|\]$/g, ""));
  await once(server, "listening").catch((error: { code?: string }) => {
    const reason = error.code === "EADDRINUSE" ? "something listens there already" : error.code;
    throw new CommandError(`cannot listen at ${url.href}: ${reason}`);
  });
  io.print(`listening at ${url.href}`);
  const ended = AbortSignal.any([io.interrupted, done.signal]);
  if (!ended.aborted) await once(ended, "abort");
  server.close();
  server.closeAllConnections();
}

async function readCertificate(
  { cert, key }: { cert?: string; key?: string },
  { receiver }: Kit,
): Promise<{ certificatePem: string; privateKeyPem: string }> {
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError("--cert and --key go together");
  }
  if (cert !== undefined && key !== undefined) {
    return { certificatePem: await readTextFile(cert), privateKeyPem: await readTextFile(key) };
  }
  if (receiver !== null) return receiver;
  throw new CommandError("the kit has no receiver.crt and receiver.key: give --cert and --key");
}

function addressOf(text: string | null): URL {
  if (text === null) throw new UsageError("the kit has no webhook_url: give --url");
  const url = urlOf("--url", text);
  if (url.protocol !== "https:") throw new UsageError("--url is an https address");
  return url;
}

function urlOf(option: string, text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new UsageError(`${option} is not a URL`);
}

function statusOf(text: string): number {
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw new UsageError("--answer is one status or several, from 200 to 599, with commas between");
}
