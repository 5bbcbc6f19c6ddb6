import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Waits for a process's next message; throws Error if the process ends before. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([message]) => message as unknown),
      once(child, "exit", { signal }).then(() => {
        throw new Error("its process ended");
      }),
    ]);
  } finally {
    ended.abort();
  }
}
