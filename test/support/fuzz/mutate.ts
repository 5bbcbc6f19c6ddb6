/** The inputs and chance from which mutations are made. */
export interface Material {
  /** Accepted inputs, and those that had a new verdict. */
  readonly samples: readonly Uint8Array[];
  /** Pieces that have a meaning in the syntax: names, separators, limits of ranges. */
  readonly words: readonly Uint8Array[];
  /** Returns a random number, 0 ≤ x < 1. */
  readonly fraction: () => number;
}

const MOST_MUTATIONS = 6;
/** The longest input that mutations make. */
const LONGEST_BYTES = 16_384;
const ODD_BYTES = [0x00, 0x0a, 0x20, 0x22, 0x25, 0x2e, 0x3d, 0x5c, 0x7f, 0x80, 0xc0, 0xed, 0xff];

/** Applies one to six mutations to a sample: bits, bytes, cuts, repeats, words, pieces of others. */
export function mutate(material: Material): Uint8Array<ArrayBuffer> {
  const { samples, fraction } = material;
  const below = (limit: number) => Math.floor(fraction() * limit);
  let bytes: Uint8Array<ArrayBuffer> = new Uint8Array(samples[below(samples.length)]!);
  for (let left = 1 + below(MOST_MUTATIONS); left > 0; left--) bytes = mutateOnce(bytes, material);
  return bytes.slice(0, LONGEST_BYTES);
}

function mutateOnce(bytes: Uint8Array, { samples, words, fraction }: Material) {
  const below = (limit: number) => Math.floor(fraction() * limit);
  const at = below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + below(16));
  const replaced = (...pieces: Uint8Array[]) =>
    joined([bytes.subarray(0, at), ...pieces, bytes.subarray(end)]);
  const word = words[below(words.length)] ?? Uint8Array.of(below(256));
  const other = samples[below(samples.length)]!;
  switch (below(8)) {
    case 0:
      return flipped(bytes, at, below(8));
    case 1:
      return replaced(Uint8Array.of(ODD_BYTES[below(ODD_BYTES.length)]!));
    case 2:
      return replaced();
    case 3:
      return replaced(...Array.from({ length: 1 + below(4) }, () => bytes.subarray(at, end)));
    case 4:
      return replaced(bytes.subarray(at, end), word);
    case 5:
      return replaced(word);
    case 6:
      return joined([bytes.subarray(0, at), other.subarray(below(other.length + 1))]);
    default:
      // A few inputs get very many words.
      return fraction() < 0.02
        ? replaced(...Array.from({ length: 1_000 }, () => word))
        : replaced(Uint8Array.of(below(256)));
  }
}

function flipped(bytes: Uint8Array, at: number, bit: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  if (at < copy.length) copy[at] = copy[at]! ^ (1 << bit);
  return copy;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
