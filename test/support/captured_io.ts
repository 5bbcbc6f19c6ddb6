/** The surroundings of `sabika-client` without a terminal: what it prints is kept, and nothing is asked. */
export function captureIo() {
  const [out, errors, all]: [string[], string[], string[]] = [[], [], []];
  return {
    /** Returns what was printed to the standard output, to the standard error, and to either, in order. */
    read: () => ({ out: out.join("\n"), errors: errors.join("\n"), output: all.join("\n") }),
    io: {
      print: (line: string) => void (out.push(line), all.push(line)),
      printError: (line: string) => void (errors.push(line), all.push(line)),
      colours: false,
      readInput: () => Promise.resolve(""),
      askSecret: () => Promise.resolve(undefined),
      now: () => 0,
      env: {},
      interrupted: new AbortController().signal,
    },
  };
}
