/** The shortest input that is found to fail as well, by leaving out ever smaller pieces. */
export async function shorten(
  input: Uint8Array<ArrayBuffer>,
  fails: (input: Uint8Array<ArrayBuffer>) => Promise<boolean>,
): Promise<Uint8Array<ArrayBuffer>> {
  let shortest = input;
  for (let piece = input.length >> 1; piece > 0; piece >>= 1) {
    for (let at = 0; at < shortest.length;) {
      const less = shortest.filter((_byte, index) => index < at || index >= at + piece);
      if (await fails(less)) shortest = less;
      else at += piece;
    }
  }
  return shortest;
}
