/** The source addresses that a partner may call from; separate, since it needs a package for CIDRs. */
export { allowsAddress, readCidr } from "./source_addresses.ts";
