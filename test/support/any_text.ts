import fc from "fast-check";

/** The code points before those of surrogates, and how many code points are surrogates. */
const [BEFORE, SURROGATES] = [0xd800, 0x800];

/**
 * Characters of all planes, but no half of a surrogate pair: what `unit: "binary"` gives, without its table of a
 * million characters, which takes a second.
 */
export const anyCharacter = fc.nat(0x10ffff - SURROGATES).map(
  (place) => String.fromCodePoint(place < BEFORE ? place : place + SURROGATES),
  (text) => {
    const [character, ...more] = typeof text === "string" ? text : "";
    if (character === undefined || more.length > 0) throw new Error("not one character");
    const code = character.codePointAt(0)!;
    return code < BEFORE ? code : code - SURROGATES;
  },
);

/** Texts of such characters. */
export const anyText = fc.string({ unit: anyCharacter });
