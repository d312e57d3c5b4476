// Evaluates conditions subscriber by subscriber in a slow and obvious way. The compiled SQL must
// always agree with it.
import type { AnyConditionType, Condition } from '#areas/segments/shared.ts';

export interface TruthEvent {
  /** The campaign's ID in conditions. */
  campaign: string;
  kind: 'open' | 'click';
  at: Date;
  isHuman: boolean;
}

export interface TruthOrder {
  store: string;
  total: number;
  placedAt: Date;
  cancelledAt: Date | null;
  refundedAt: Date | null;
  products: string[];
}

export interface TruthOccurrence {
  /** The custom event's ID in conditions. */
  event: string;
  at: Date;
}

export interface TruthVisit {
  store: string;
  kind: 'cart' | 'checkout';
  at: Date;
}

/** The data of one subscriber that the evaluation needs. */
export interface TruthSubscriber {
  id: number;
  email: string | null;
  phone: string | null;
  firstname: string | null;
  lastname: string | null;
  country: string | null;
  statuses: Record<'email_status' | 'temail_status' | 'sms_status' | 'tsms_status', string>;
  groups: string[];
  /** By the field's ID in conditions. */
  fields: Record<string, string | number>;
  createdAt: Date;
  unsubscribedAt: Date | null;
  /** Campaigns sent to the subscriber, and the subscriber's opens and clicks of campaigns. */
  campaigns: string[];
  events: TruthEvent[];
  /** SMS campaigns sent to the subscriber, and clicks in them. */
  smsCampaigns: string[];
  smsClicks: Omit<TruthEvent, 'kind'>[];
  orders: TruthOrder[];
  carts: { store: string; products: number; isOpen: boolean }[];
  visits: TruthVisit[];
  /** Custom events recorded for the subscriber. */
  occurrences: TruthOccurrence[];
}

export interface TruthContext {
  now: Date;
  timezone: string;
}

/** Returns IDs of the subscribers that match the conditions, in order. */
export function selectMatching(
  subscribers: readonly TruthSubscriber[],
  conditions: readonly Condition[],
  context: TruthContext,
): number[] {
  return subscribers
    .filter((subscriber) => isChosen(subscriber, conditions, context))
    .map((subscriber) => subscriber.id);
}

function isChosen(
  subscriber: TruthSubscriber,
  conditions: readonly Condition[],
  context: TruthContext,
): boolean {
  const groups: { number: number; outerOperator: string; isMatch: boolean }[] = [];
  for (const condition of conditions) {
    const matches = EVALUATIONS[condition.type](subscriber, condition, context);
    const group = groups.find((group) => group.number === condition.group);
    if (!group) {
      groups.push({
        number: condition.group,
        outerOperator: condition.outside_concat,
        isMatch: matches,
      });
    } else if (condition.inside_concat === 'and') group.isMatch = group.isMatch && matches;
    else group.isMatch = group.isMatch || matches;
  }
  let result = true;
  groups.forEach((group, index) => {
    if (index === 0) result = group.isMatch;
    else if (group.outerOperator === 'and') result = result && group.isMatch;
    else result = result || group.isMatch;
  });
  return result;
}

type ConditionEvaluation = (
  subscriber: TruthSubscriber,
  condition: Condition,
  context: TruthContext,
) => boolean;

const valuesOf = ({ operand, more }: Condition) => [operand, ...more];

const status =
  (channel: keyof TruthSubscriber['statuses']): ConditionEvaluation =>
  (subscriber, condition) => {
    const isOne = valuesOf(condition).includes(subscriber.statuses[channel]);
    return condition.operator === 'is' || condition.operator === 'in' ? isOne : !isOne;
  };

const text =
  (name: 'email' | 'phone' | 'firstname' | 'lastname'): ConditionEvaluation =>
  (subscriber, condition) =>
    meetsText(subscriber[name] ?? '', condition);

const evaluateEngagement =
  (action: 'open' | 'click'): ConditionEvaluation =>
  (subscriber, condition, context) =>
    engagedWithEmail(subscriber, action, true, condition, context);

/** Inactivity conditions about specific campaigns apply only to recipients of these campaigns. */
const isRecipient = (condition: Condition, campaigns: readonly string[]) =>
  condition.operator !== 'specific' || valuesOf(condition).some((id) => campaigns.includes(id));

const didNot =
  (action: 'open' | 'click'): ConditionEvaluation =>
  (subscriber, condition, context) =>
    isRecipient(condition, subscriber.campaigns) &&
    !engagedWithEmail(subscriber, action, false, condition, context);

const EVALUATIONS: Record<AnyConditionType, ConditionEvaluation> = {
  tag: (subscriber, condition) => {
    const isIn = valuesOf(condition).some((id) => subscriber.groups.includes(id));
    return condition.operator === 'have' ? isIn : !isIn;
  },
  email_status: status('email_status'),
  temail_status: status('temail_status'),
  sms_status: status('sms_status'),
  tsms_status: status('tsms_status'),
  email: text('email'),
  phone: text('phone'),
  firstname: text('firstname'),
  lastname: text('lastname'),
  created: (subscriber, condition, context) => meetsTime(subscriber.createdAt, condition, context),
  unsubscribed_at: (subscriber, condition, context) =>
    meetsTime(subscriber.unsubscribedAt, condition, context),
  geolocation_eu: ({ country }, { operator }) => EU.includes(country ?? '') === (operator === 'is'),
  open: evaluateEngagement('open'),
  click: evaluateEngagement('click'),
  'not-open': didNot('open'),
  'not-click': didNot('click'),
  'sms-click': clickedInSms,
  'not-sms-click': (subscriber, condition, context) =>
    isRecipient(condition, subscriber.smsCampaigns) &&
    !clickedInSms(subscriber, condition, context),
  not_active_subscribers: (subscriber, condition, context) =>
    subscriber.createdAt < ago(condition, context) &&
    !subscriber.events.some((event) => event.at >= ago(condition, context)),
  order_count: (subscriber, condition) => meetsNumber(validOrders(subscriber).length, condition),
  order_amount: (subscriber, condition) =>
    meetsNumber(
      // The sum is in cents because 0.1 + 0.2 is inexact.
      validOrders(subscriber).reduce((sum, order) => sum + Math.round(order.total * 100), 0) / 100,
      condition,
    ),
  cart_product_count: (subscriber, condition) =>
    meetsNumber(
      subscriber.carts.filter((cart) => cart.isOpen).reduce((sum, cart) => sum + cart.products, 0),
      condition,
    ),
  not_active_customers: (subscriber, condition, context) =>
    placedOrders(subscriber).length > 0 &&
    placedOrders(subscriber).every((order) => order.placedAt < ago(condition, context)),
  placed_order: (subscriber, condition, context) =>
    placedOrders(subscriber).some((order) =>
      isInScope(order.placedAt, order.store, condition, context),
    ),
  refunded_order: (subscriber, condition, context) =>
    subscriber.orders.some(
      ({ refundedAt, store }) =>
        refundedAt !== null && isInScope(refundedAt, store, condition, context),
    ),
  specific_product: (subscriber, condition) => {
    const hasBought = placedOrders(subscriber).some((order) =>
      order.products.some((product) => valuesOf(condition).includes(product)),
    );
    return condition.operator === 'have' ? hasBought : !hasBought;
  },
  checkout_started: (subscriber, condition, context) =>
    hasVisited(subscriber, 'checkout', condition, context),
  visited_cart: (subscriber, condition, context) =>
    hasVisited(subscriber, 'cart', condition, context),
  text: (subscriber, condition) =>
    meetsText(String(subscriber.fields[condition.key] ?? ''), condition),
  number: (subscriber, condition) => meetsNumber(subscriber.fields[condition.key], condition),
  datetime: (subscriber, condition, context) =>
    meetsLocalTime(subscriber.fields[condition.key], condition, context),
  birthday: (subscriber, condition, context) =>
    meetsBirthday(subscriber.fields[condition.key], condition, context),
  event: hadEvent,
  'not-event': (subscriber, condition, context) => !hadEvent(subscriber, condition, context),
};

const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(
  ' ',
);

/**
 * Returns whether the subscriber has an open or click as the condition requires; a click is also an
 * open.
 */
function engagedWithEmail(
  subscriber: TruthSubscriber,
  action: 'open' | 'click',
  isHuman: boolean,
  condition: Condition,
  context: TruthContext,
): boolean {
  return subscriber.events.some(
    (event) =>
      (action === 'open' || event.kind === 'click') &&
      (event.isHuman || !isHuman) &&
      isInScope(event.at, event.campaign, condition, context),
  );
}

function clickedInSms(
  subscriber: TruthSubscriber,
  condition: Condition,
  context: TruthContext,
): boolean {
  return subscriber.smsClicks.some(
    ({ at, campaign, isHuman }) => isHuman && isInScope(at, campaign, condition, context),
  );
}

const placedOrders = (subscriber: TruthSubscriber) =>
  subscriber.orders.filter((order) => !order.cancelledAt);
const validOrders = (subscriber: TruthSubscriber) =>
  placedOrders(subscriber).filter((order) => !order.refundedAt);

function hadEvent(
  subscriber: TruthSubscriber,
  condition: Condition,
  context: TruthContext,
): boolean {
  const occurrences = subscriber.occurrences.filter(({ event }) => event === condition.key);
  if (condition.operator === 'more-than') return occurrences.length > Number(condition.operand);
  return occurrences.some(
    ({ at }) => condition.operator === 'all' || meetsTime(at, condition, context),
  );
}

function hasVisited(
  subscriber: TruthSubscriber,
  kind: 'cart' | 'checkout',
  condition: Condition,
  context: TruthContext,
): boolean {
  return subscriber.visits.some(
    (visit) => visit.kind === kind && isInScope(visit.at, visit.store, condition, context),
  );
}

/** Returns whether the activity at this time, in this campaign or store, matches the condition. */
function isInScope(
  instant: Date,
  source: string,
  condition: Condition,
  context: TruthContext,
): boolean {
  if (condition.operator === 'all') return true;
  if (condition.operator === 'specific') {
    return [condition.operand, ...condition.more].includes(source);
  }
  return meetsTime(instant, condition, context);
}

function meetsText(text: string, condition: Condition): boolean {
  const actual = text.toLowerCase();
  const operandText = condition.operand.toLowerCase();
  const expectedValues = [condition.operand, ...condition.more].map((operand) =>
    operand.toLowerCase(),
  );
  switch (condition.operator) {
    case 'begins':
      return actual.startsWith(operandText);
    case 'ends':
      return actual.endsWith(operandText);
    case 'includes':
      return actual.includes(operandText);
    case 'not-include':
      return !actual.includes(operandText);
    case 'equals':
      return actual === operandText;
    case 'not-equal':
      return actual !== operandText;
    case 'in':
      return expectedValues.includes(actual);
    case 'not-in':
      return !expectedValues.includes(actual);
    case 'blank':
      return actual === '';
    default:
      return actual !== '';
  }
}

function meetsNumber(value: string | number | undefined, condition: Condition): boolean {
  const operandNumber = Number(condition.operand);
  if (condition.operator === 'blank') return value === undefined;
  if (condition.operator === 'not-equal') return value !== operandNumber;
  if (typeof value !== 'number') return false;
  switch (condition.operator) {
    case 'equals':
      return value === operandNumber;
    case 'less-than':
      return value < operandNumber;
    case 'more-than':
      return value > operandNumber;
    case 'between':
      return value >= operandNumber && value <= Number(condition.more[0]);
    default:
      return true;
  }
}

const startOf = (text: string) => (text.length === 10 ? `${text} 00:00:00` : text);
const endOf = (text: string) => (text.length === 10 ? `${text} 23:59:59` : text);

/**
 * The formatters are cached because creating one takes longer than evaluating many conditions over
 * many subscribers.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const cachedFormatter = formatters.get(zone);
  if (cachedFormatter) return cachedFormatter;
  const formatter = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  formatters.set(zone, formatter);
  return formatter;
}

/** Returns local time in the zone as YYYY-MM-DD HH:MM:SS. */
function localTimeOf(instant: Date, zone: string): string {
  const dateParts = formatterOf(zone).formatToParts(instant);
  const partOf = (type: string) => dateParts.find((part) => part.type === type)?.value;
  return `${partOf('year')}-${partOf('month')}-${partOf('day')} ${partOf('hour')}:${partOf('minute')}:${partOf('second')}`;
}

function meetsTime(instant: Date | null, condition: Condition, context: TruthContext): boolean {
  if (condition.operator === 'blank') return instant === null;
  if (instant === null) return false;
  if (condition.operator === 'not-blank') return true;
  if (condition.operator === 'weeks' || condition.operator === 'months') {
    return instant >= ago(condition, context);
  }
  return meetsRange(localTimeOf(instant, context.timezone), condition);
}

function meetsLocalTime(
  value: string | number | undefined,
  condition: Condition,
  context: TruthContext,
): boolean {
  if (condition.operator === 'blank') return value === undefined;
  if (value === undefined) return false;
  if (condition.operator === 'not-blank') return true;
  const localTime = String(value);
  if (condition.operator === 'weeks' || condition.operator === 'months') {
    const localSince = localTimeOf(ago(condition, context), context.timezone);
    return localTime >= localSince && localTime <= localTimeOf(context.now, context.timezone);
  }
  return meetsRange(localTime, condition);
}

function meetsBirthday(
  value: string | number | undefined,
  { operator, operand }: Condition,
  { now, timezone }: TruthContext,
): boolean {
  if (operator === 'blank' || value === undefined)
    return operator === 'blank' && value === undefined;
  if (operator === 'not-blank') return true;
  const [month = 0, day = 0] = String(value).split('-').map(Number);
  if (operator === 'month') return month === Number(operand);
  const today = Date.parse(`${localTimeOf(now, timezone).slice(0, 10)}T00:00:00Z`);
  const year = new Date(today).getUTCFullYear();
  return [year, year + 1, year + 2].some((candidate) => {
    // Day 0 of the next month is the last day of this month.
    const lastDay = new Date(Date.UTC(candidate, month, 0)).getUTCDate();
    const daysAhead = (Date.UTC(candidate, month - 1, Math.min(day, lastDay)) - today) / 86_400_000;
    return daysAhead >= 0 && daysAhead <= (operator === 'today' ? 0 : Number(operand));
  });
}

function meetsRange(localTime: string, { operator, operand, more }: Condition): boolean {
  if (operator === 'before') return localTime < startOf(operand);
  if (operator === 'after') return localTime > endOf(operand);
  return localTime >= startOf(operand) && localTime <= endOf(more[0] ?? operand);
}

/**
 * Returns the current instant minus the condition's weeks, or minus its calendar months in the
 * zone. A month before 31 March is the last day of February.
 */
function ago(condition: Condition, { now, timezone }: TruthContext): Date {
  const count = Number(condition.operand);
  if (condition.operator === 'weeks') return new Date(now.getTime() - count * 604_800_000);
  const key = `${count} ${timezone} ${now.getTime()}`;
  const months = monthsAgoByKey.get(key) ?? monthsAgo(count, now, timezone);
  monthsAgoByKey.set(key, months);
  return months;
}

/** The same few instants are needed for each subscriber. */
const monthsAgoByKey = new Map<string, Date>();

function monthsAgo(count: number, now: Date, timezone: string): Date {
  const localTime = localTimeOf(now, timezone);
  // The local time is treated as UTC until the zone's offset at that time is known.
  const localDate = new Date(`${localTime.replace(' ', 'T')}Z`);
  const expectedMonth = (((localDate.getUTCMonth() - count) % 12) + 12) % 12;
  localDate.setUTCMonth(localDate.getUTCMonth() - count);
  // If the month has no such day, JavaScript continued into the next month.
  if (localDate.getUTCMonth() !== expectedMonth) localDate.setUTCDate(0);
  const expectedText = localDate.toISOString().slice(0, 19).replace('T', ' ');
  let candidate = localDate.getTime() - 15 * 3_600_000;
  while (localTimeOf(new Date(candidate), timezone) < expectedText) candidate += 900_000;
  return new Date(candidate);
}
