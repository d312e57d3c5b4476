// The operators of each condition type, and the kind of operand of each operator: one table for the
// grammar, the compiler and the builder.
import { toLatinDigits } from '#platform/digits.ts';
import {
  type AnyConditionType,
  type Condition,
  type ConditionType,
  EVENT_CONDITION_TYPES,
  FIELD_CONDITION_TYPES,
  type Operator,
  type SmsConditionType,
} from './shared.ts';

/**
 * The kind of an operand. If there are several values, `operand` is the first, and `more` contains
 * the others. For a range, `operand` is the start and `more[0]` the end.
 * - `none`: nothing
 * - `text`, `texts`: one text, or several alternatives
 * - `number`, `number_range`
 * - `count`: a whole number of weeks, months, days or times, from 1
 * - `month`: a number from 1 to 12
 * - `date`, `date_range`: YYYY-MM-DD with an optional HH:MM:SS, in the account's time zone
 * - `status`, `statuses`: one or more of STATUSES in areas/subscribers/shared.ts
 * - `groups`, `campaigns`, `sms_campaigns`, `stores`, `products`: one or more ids
 */
export type OperandKind =
  | 'none'
  | 'text'
  | 'texts'
  | 'number'
  | 'number_range'
  | 'count'
  | 'month'
  | 'date'
  | 'date_range'
  | 'status'
  | 'statuses'
  | 'groups'
  | 'campaigns'
  | 'sms_campaigns'
  | 'stores'
  | 'products';

type Operands = Partial<Record<Operator, OperandKind>>;

const TEXT: Operands = {
  equals: 'text',
  'not-equal': 'text',
  includes: 'text',
  'not-include': 'text',
  begins: 'text',
  ends: 'text',
  in: 'texts',
  'not-in': 'texts',
  blank: 'none',
  'not-blank': 'none',
};
const NUMBER: Operands = {
  equals: 'number',
  'not-equal': 'number',
  'less-than': 'number',
  'more-than': 'number',
  between: 'number_range',
};
const PAST: Operands = { weeks: 'count', months: 'count' };
const TIME: Operands = { ...PAST, before: 'date', after: 'date', between: 'date_range' };
const EMAIL: Operands = { all: 'none', specific: 'campaigns', ...TIME };
const SMS: Operands = { all: 'none', specific: 'sms_campaigns', ...TIME };
const SHOP: Operands = { all: 'none', specific: 'stores', ...TIME };
const STATUS: Operands = { is: 'status', 'not-is': 'status', in: 'statuses', 'not-in': 'statuses' };
const NO_OPERANDS: Operands = { blank: 'none', 'not-blank': 'none' };

/** The operators of each condition type, the default one first, and their operand kinds. */
const OPERANDS: Record<Condition['type'], Operands> = {
  tag: { have: 'groups', 'not-have': 'groups' },
  created: TIME,
  open: EMAIL,
  'not-open': EMAIL,
  click: EMAIL,
  'not-click': EMAIL,
  'sms-click': SMS,
  'not-sms-click': SMS,
  email_status: STATUS,
  temail_status: STATUS,
  sms_status: STATUS,
  tsms_status: STATUS,
  firstname: TEXT,
  lastname: TEXT,
  email: TEXT,
  phone: TEXT,
  order_count: NUMBER,
  order_amount: NUMBER,
  cart_product_count: NUMBER,
  not_active_customers: PAST,
  placed_order: SHOP,
  specific_product: { have: 'products', 'not-have': 'products' },
  refunded_order: SHOP,
  checkout_started: SHOP,
  visited_cart: SHOP,
  not_active_subscribers: PAST,
  unsubscribed_at: { ...TIME, ...NO_OPERANDS },
  geolocation_eu: { is: 'none', 'not-is': 'none' },
  text: TEXT,
  number: { ...NUMBER, ...NO_OPERANDS },
  datetime: { ...TIME, equals: 'date', ...NO_OPERANDS },
  birthday: { today: 'none', days: 'count', month: 'month', ...NO_OPERANDS },
  event: { all: 'none', ...TIME, 'more-than': 'count' },
  'not-event': { all: 'none', ...TIME },
};

/** What the `key` of a condition identifies. */
export type KeyKind = 'field' | 'event';

const KEY_KINDS = new Map<AnyConditionType, KeyKind>([
  ...FIELD_CONDITION_TYPES.map((type) => [type, 'field'] as const),
  ...EVENT_CONDITION_TYPES.map((type) => [type, 'event'] as const),
]);

/** Returns what the `key` of this type identifies; undefined if conditions of it have no key. */
export const getKeyKind = (type: AnyConditionType): KeyKind | undefined => KEY_KINDS.get(type);

/** The condition types by family in the builder, except field and event conditions. */
export const FAMILIES = {
  person: ['email', 'firstname', 'lastname', 'phone', 'tag', 'created', 'geolocation_eu'],
  mail: ['open', 'not-open', 'click', 'not-click', 'not_active_subscribers'],
  sms: ['sms-click', 'not-sms-click'],
  subscription: ['email_status', 'sms_status', 'temail_status', 'tsms_status', 'unsubscribed_at'],
  shop: [
    'placed_order',
    'order_count',
    'order_amount',
    'specific_product',
    'refunded_order',
    'cart_product_count',
    'checkout_started',
    'visited_cart',
    'not_active_customers',
  ],
} as const satisfies Record<string, readonly (ConditionType | SmsConditionType)[]>;

/** Returns the operators of a type, the default one first. */
export function listOperators(type: AnyConditionType): Operator[] {
  return Object.keys(OPERANDS[type]) as Operator[];
}

/** Returns the operand's kind, or undefined if the type does not support the operator. */
export function getOperandKind(
  type: Condition['type'],
  operator: Operator,
): OperandKind | undefined {
  return OPERANDS[type][operator];
}

/** Returns whether the operand may have several values. */
export function acceptsMany(kind: OperandKind): boolean {
  return MANY.has(kind);
}

const MANY: ReadonlySet<OperandKind> = new Set([
  'texts',
  'statuses',
  'groups',
  'campaigns',
  'sms_campaigns',
  'stores',
  'products',
]);

/**
 * Converts a phone number to the stored form, +37060000000: spaces, brackets, dots and hyphens are
 * removed, and digits of other scripts are converted. At the beginning of a number, 00 is a plus.
 */
export function toPlainNumber(text: string, operator: Operator): string {
  const digits = toLatinDigits(text).replace(/[\s().-]/g, '');
  return FROM_THE_START.has(operator) ? digits.replace(/^00/, '+') : digits;
}

const FROM_THE_START: ReadonlySet<Operator> = new Set([
  'equals',
  'not-equal',
  'in',
  'not-in',
  'begins',
]);
