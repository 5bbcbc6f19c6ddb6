import { readFileSync } from "node:fs";
import { GENERATED } from "./words.ts";

const ASYNC_SENDER = new URL(
  "../../../clients/python/src/sabika_client/async_sender.py",
  import.meta.url,
);

/** What code that waits says instead; the first ones contain later ones. */
const INSTEAD = {
  "AsyncIterator, Awaitable, Callable": "Callable, Iterator",
  "Awaitable[None]] = asyncio.sleep": "None] = time.sleep",
  "await asyncio.to_thread(step.do)": "step.do()",
  "asyncio.Lock": "threading.Lock",
  "import asyncio\n": "",
  "the tasks of one event loop": "several threads",
  asynccontextmanager: "contextmanager",
  __aenter__: "__enter__",
  __aexit__: "__exit__",
  aclose: "close",
  aread: "read",
  "async ": "",
  "await ": "",
  Async: "",
};

/** Makes `sender.py`, which waits where `async_sender.py` awaits. */
export function pythonSender(): string {
  const [, code = ""] = readFileSync(ASYNC_SENDER, "utf8").split(/^"""$/m);
  const waiting = Object.entries(INSTEAD).reduce(
    (text, [awaiting, instead]) => text.replaceAll(awaiting, instead),
    code,
  );
  return `# ${GENERATED}\n"""Sends calls as async_sender.py does, and waits for them."""${waiting}`;
}
