// The closed lists of conditions that both halves know (specification section 3), and which operator
// goes with which type and what operand it takes.

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

/** With a custom field's id in `key`. */
export const FIELD_CONDITION_TYPES = ['text', 'number', 'datetime'] as const;
export type FieldConditionType = (typeof FIELD_CONDITION_TYPES)[number];

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
] as const;
export type Operator = (typeof OPERATORS)[number];

export type Concat = 'and' | 'or';

/** One condition, as it is written, sent and kept. */
export type Condition = {
  type: ConditionType | FieldConditionType;
  operator: Operator;
  operand: string;
  /** From 1; conditions of one group belong in one pair of brackets. */
  group: number;
  /** Of a group's first condition: how the group joins those before it. */
  outside_concat: Concat;
  /** How the condition joins the one before it in its group. */
  inside_concat: Concat;
  /** A custom field's id; empty for the 26 types. */
  key: string;
  /** The second end of between; further values of in, not-in, have, not-have, specific. */
  more: string[];
};

/** What an operand is: a date, a whole number of weeks or months, one of the statuses, an id … */
export type OperandKind = 'none' | 'text' | 'number' | 'count' | 'date' | 'status' | 'ids';

const TEXT: Operator[] = [
  'begins',
  'includes',
  'not-include',
  'ends',
  'equals',
  'not-equal',
  'blank',
  'not-blank',
  'in',
  'not-in',
];
const NUMBER: Operator[] = ['equals', 'not-equal', 'less-than', 'more-than', 'between'];
const TIME: Operator[] = ['before', 'between', 'after', 'weeks', 'months'];
const EVER: Operator[] = ['all', 'specific', ...TIME];
const STATUS: Operator[] = ['is', 'not-is', 'in', 'not-in'];

/** Which operators a type takes. */
export const OPERATORS_OF: Record<ConditionType | FieldConditionType, readonly Operator[]> = {
  tag: ['have', 'not-have'],
  created: TIME,
  open: EVER,
  'not-open': EVER,
  click: EVER,
  'not-click': EVER,
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
  not_active_customers: ['weeks', 'months'],
  placed_order: ['all', ...TIME],
  specific_product: ['have', 'not-have', 'specific'],
  refunded_order: ['all', ...TIME],
  checkout_started: ['all', ...TIME],
  visited_cart: ['all', ...TIME],
  not_active_subscribers: ['weeks', 'months'],
  unsubscribed_at: [...TIME, 'blank', 'not-blank'],
  geolocation_eu: ['is', 'not-is'],
  text: TEXT,
  number: [...NUMBER, 'blank', 'not-blank'],
  datetime: [...TIME, 'equals', 'blank', 'not-blank'],
};

const DATES: ReadonlySet<string> = new Set([
  'created',
  'unsubscribed_at',
  'open',
  'not-open',
  'click',
  'not-click',
  'placed_order',
  'refunded_order',
  'checkout_started',
  'visited_cart',
  'datetime',
]);
const NUMBERS: ReadonlySet<string> = new Set([
  'order_count',
  'order_amount',
  'cart_product_count',
  'number',
]);

/** What the operand of a type and operator has to be. */
export function operandOf(type: Condition['type'], operator: Operator): OperandKind {
  if (operator === 'blank' || operator === 'not-blank' || operator === 'all') return 'none';
  if (type === 'geolocation_eu') return 'none';
  if (operator === 'weeks' || operator === 'months') return 'count';
  if (operator === 'have' || operator === 'not-have' || operator === 'specific') return 'ids';
  if (type.endsWith('_status')) return 'status';
  if (DATES.has(type)) return 'date';
  return NUMBERS.has(type) ? 'number' : 'text';
}

export const CONDITIONS_MOST = 100;
export const FILTER_BYTES_MOST = 8 * 1024;
export const VALUES_MOST = 500;
/** Weeks or months back. */
export const COUNT_MOST = 1200;
