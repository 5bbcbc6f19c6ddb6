/** How what `/admin/v1` reads stands on the wire: for the office, which writes it, and its clients. */
export * from "./office_forms.ts";
export * from "./partner_forms.ts";
export { EVENT, plain } from "./values.ts";
