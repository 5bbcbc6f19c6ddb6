import type { ReadStream, WriteStream } from "node:tty";

const [ENTER, LINE_FEED, CTRL_C, CTRL_D, BACKSPACE] = ["\r", "\n", "\x03", "\x04", "\x7f"];

/**
 * Asks at a terminal for a line, without echo.
 *
 * @param stopping aborted by Ctrl-C, which a terminal in this mode sends as a character
 * @returns undefined without a terminal, after Ctrl-C, or if nothing was typed
 */
export function readSecret(
  input: ReadStream,
  output: WriteStream,
  question: string,
  stopping: AbortController,
): Promise<string | undefined> {
  if (!input.isTTY) return Promise.resolve(undefined);
  output.write(question);
  input.setRawMode(true).setEncoding("utf8").resume();
  return new Promise((resolve) => {
    let typed = "";
    const end = (answer: string | undefined) => {
      input.off("data", read).setRawMode(false).pause();
      output.write("\n");
      resolve(answer);
    };
    const read = (text: string) => {
      for (const letter of text) {
        if (letter === CTRL_C) {
          stopping.abort();
          return end(undefined);
        }
        if (letter === ENTER || letter === LINE_FEED || letter === CTRL_D) {
          return end(typed || undefined);
        }
        typed = letter === BACKSPACE ? typed.slice(0, -1) : typed + letter;
      }
    };
    input.on("data", read);
  });
}
