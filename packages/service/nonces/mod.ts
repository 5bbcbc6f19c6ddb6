/** Nonces: spent once, kept by the hour. */
export { countNoncePartitions, maintainNoncePartitions } from "./nonce_partitions.ts";
