import http from "node:http";

/** An answer, read whole. */
export interface SocketAnswer {
  status: number;
  body: string;
}

/** One HTTP request over a Unix socket; for the bench's set-up, not for what is measured. */
export function callSocket(
  socketPath: string,
  request: { method: string; path: string; headers: Record<string, string>; body?: string },
): Promise<SocketAnswer> {
  const { method, path, headers, body } = request;
  return new Promise((resolve, reject) => {
    const sent = http.request({ socketPath, method, path, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: text }));
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
