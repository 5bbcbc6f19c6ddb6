/** Source addresses: which of them a partner may call from. Apart, as it needs a package for CIDRs. */
export { allowsAddress, readCidr } from "./source_addresses.ts";
