/** What people sign with their keys and passkeys, and how it is verified. */
export {
  type Assertion,
  challengeOf,
  formatAssertion,
  isAssertedBy,
  originOf,
} from "./assertion.ts";
export { makePersonsKey, readPersonsKey } from "./persons_key.ts";
export {
  type ActArguments,
  argumentsText,
  contentOf,
  contentOfAll,
  isSignedBy,
  keyIdOf,
  type PersonsKey,
  signAct,
  type SignedAct,
  signedFrom,
} from "./signed_act.ts";
