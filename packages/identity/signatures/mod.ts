/** What people sign, and how it is verified: keys of their own, and passkeys. */
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
  isSignedBy,
  keyIdOf,
  type PersonsKey,
  signAct,
  type SignedAct,
} from "./signed_act.ts";
