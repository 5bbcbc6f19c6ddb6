import https from "node:https";
import http from "node:http";
import { text } from "node:stream/consumers";

/** The answer to a request. */
export interface Answer {
  status: number;
  body: string;
}

/** Sends an HTTP request over a Unix socket or TLS; for the bench's set-up, not for measurements. */
export function call(options: https.RequestOptions, body?: string): Promise<Answer> {
  const { request } = options.socketPath === undefined ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, agent: false }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Requests an access token for a partner (Spec §5 Token); throws Error if it is refused. */
export async function askToken(
  { headers, ...options }: https.RequestOptions & { headers?: Record<string, string> },
  clientId: string,
  clientSecret: string,
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  }).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const allHeaders = { ...headers, ...type, "content-length": String(form.length) };
  const request = { ...options, method: "POST", path: "/oauth/token", headers: allHeaders };
  const answer = await call(request, form);
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.body}`);
  return (JSON.parse(answer.body) as { access_token: string }).access_token;
}
