// Condition types, operators and limits of segments, shared by server and client.
// conditions.ts lists the operators and operands of each type.

export const CONDITION_TYPES = [
  'tag',
  'created',
  'open',
  'not-open',
  'click',
  'not-click',
  'email_status',
  'temail_status',
  'sms_status',
  'tsms_status',
  'firstname',
  'lastname',
  'email',
  'phone',
  'order_count',
  'order_amount',
  'cart_product_count',
  'not_active_customers',
  'placed_order',
  'specific_product',
  'refunded_order',
  'checkout_started',
  'visited_cart',
  'not_active_subscribers',
  'unsubscribed_at',
  'geolocation_eu',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

/** Types of conditions that have the id of a custom field in `key`. */
export const FIELD_CONDITION_TYPES = ['text', 'number', 'datetime', 'birthday'] as const;

/** Types of conditions that have the id of a custom event in `key`. */
export const EVENT_CONDITION_TYPES = ['event', 'not-event'] as const;

/** Types of conditions on clicks in SMS; `click` and `not-click` concern emails. */
export const SMS_CONDITION_TYPES = ['sms-click', 'not-sms-click'] as const;
export type SmsConditionType = (typeof SMS_CONDITION_TYPES)[number];

/** All condition types. */
export const ALL_CONDITION_TYPES = [
  ...CONDITION_TYPES,
  ...FIELD_CONDITION_TYPES,
  ...EVENT_CONDITION_TYPES,
  ...SMS_CONDITION_TYPES,
] as const;
export type AnyConditionType = (typeof ALL_CONDITION_TYPES)[number];

export const OPERATORS = [
  'have',
  'not-have',
  'before',
  'between',
  'after',
  'all',
  'specific',
  'begins',
  'includes',
  'not-include',
  'ends',
  'equals',
  'not-equal',
  'blank',
  'not-blank',
  'less-than',
  'more-than',
  'is',
  'not-is',
  'in',
  'not-in',
  'weeks',
  'months',
  'today',
  'days',
  'month',
] as const;
export type Operator = (typeof OPERATORS)[number];

export type Concat = 'and' | 'or';

/** One condition of a filter. */
export type Condition = {
  type: AnyConditionType;
  operator: Operator;
  operand: string;
  /** From 1; the conditions with the same number form one parenthesized group. */
  group: number;
  /** In a group's first condition: the operator that joins the group to the previous groups. */
  outside_concat: Concat;
  /** The operator that joins the condition to the previous one in its group. */
  inside_concat: Concat;
  /** Id of a custom field or a custom event; empty for all other types. */
  key: string;
  /** With `between`, the end of the range; with a list of values, all after the first. */
  more: string[];
};

export const MAX_CONDITIONS = 100;
export const MAX_FILTER_BYTES = 8 * 1024;
export const MAX_VALUES = 500;
/** Maximum of a `count` operand: weeks or months back, days ahead, or number of times. */
export const MAX_COUNT = 1200;

export const MAX_TITLE_LENGTH = 255;
/** Maximum number of segments per account. */
export const MAX_SEGMENTS = 1000;
/** Maximum number of subscribers shown in a preview. */
export const SAMPLE = 10;
/** Age above which listing segments renews their counts in the background. */
export const COUNTS_AGE_MS = 5 * 60_000;
