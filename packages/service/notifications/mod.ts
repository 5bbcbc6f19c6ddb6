/** What people are told of, whom, and how it reached them. */
export { type Choices, isMailAddress, type Language, readChoices, setChoices } from "./choices.ts";
export { claimDeliveries, type DueNotification, noteDelivered, noteFailed } from "./deliveries.ts";
export { forgetOld, keepTold } from "./keep_told.ts";
export {
  type Choice,
  type ConditionKind,
  NOTIFICATION_KINDS,
  type NotificationFacts,
  type NotificationKind,
} from "./kinds.ts";
export {
  countUnread,
  listNotifications,
  markRead,
  type ReadNotification,
} from "./read_notifications.ts";
export { endNotification, notify } from "./tell.ts";
