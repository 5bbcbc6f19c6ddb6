import { type Form, INTEGER } from "../form.ts";
import { constant, member, record } from "../record_form.ts";
import { SEQUENCE } from "../request_fields.ts";
import { type RequestForm, requestForm, required } from "../request_form.ts";

/** Events by their numbers: the body of POST /v1/events/redeliver. */
export interface RedeliveryRequest {
  /** The number of the first event. */
  readonly fromSequence: number;
  /** The number of the last event. */
  readonly toSequence: number;
}

/** The events that are delivered again. */
export interface Redelivery extends RedeliveryRequest {
  /** The number of events. */
  readonly count: number;
}

/** The form of the body of POST /v1/events/redeliver. */
export const REDELIVERY_REQUEST: RequestForm<RedeliveryRequest> = requestForm<RedeliveryRequest>(
  "RedeliveryRequest",
  {
    fromSequence: required("from_sequence", SEQUENCE, "The number of the first event."),
    toSequence: required("to_sequence", SEQUENCE, "The number of the last event."),
  },
);

/** Writes the body of POST /v1/events/redeliver. */
export const redeliveryRequestToJson: RequestForm<RedeliveryRequest>["write"] =
  REDELIVERY_REQUEST.write;
/** Reads the body of POST /v1/events/redeliver. */
export const redeliveryRequestFromJson: RequestForm<RedeliveryRequest>["parse"] =
  REDELIVERY_REQUEST.parse;

/** The form of the answer to POST /v1/events/redeliver. */
export const REDELIVERY: Form<Redelivery> = record<Redelivery>("RangeRedelivery", {
  fromSequence: member("from_sequence", INTEGER, "The number of the first event."),
  toSequence: member("to_sequence", INTEGER, "The number of the last event."),
  count: member("count", INTEGER, "How many events are sent again."),
  $status: constant('"pending"', "The events wait for their delivery."),
});
