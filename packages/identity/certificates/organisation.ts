/**
 * Letters with their marks and digits of any script, spaces, and what names of companies are
 * written with. No character that a terminal or a DN string (RFC 4514) takes for a command:
 * no control, no direction mark, no backslash, quote or number sign.
 */
const ORGANISATION = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '’()+,\-–./:=?&@_!]*$/u;
/** RFC 5280 appendix A.1, ub-organization-name. */
const MAX_CHARACTERS = 64;

/** The message for any other organisation. */
export const ORGANISATION_RULE =
  `the organisation (O) has 1 to ${MAX_CHARACTERS} letters, digits, spaces and ' ( ) + , - . / : = ? & @ _ !, ` +
  "and begins with a letter or digit";

/** Whether a text can be the organisation (O) of a certificate. */
export function isOrganisation(text: string): boolean {
  return ORGANISATION.test(text) && [...text].length <= MAX_CHARACTERS;
}
