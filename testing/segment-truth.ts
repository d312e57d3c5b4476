// A slow, obvious reading of conditions: person by person, in plain code. The compiler must agree with
// it always.
import type { Condition } from '#areas/segments/limits.ts';

/** One person as the reading needs them. */
export interface TruthPerson {
  id: number;
  email: string | null;
  phone: string | null;
  firstname: string | null;
  lastname: string | null;
  statuses: Record<'email_status' | 'temail_status' | 'sms_status' | 'tsms_status', string>;
  groups: string[];
  /** By the field's id as conditions name it. */
  fields: Record<string, string | number>;
  createdAt: Date;
  unsubscribedAt: Date | null;
  lastOpenAt: Date | null;
  lastClickAt: Date | null;
}

export interface TruthContext {
  now: Date;
  timezone: string;
}

/** Ids of those whom the conditions choose, in order. */
export function choose(
  people: readonly TruthPerson[],
  conditions: readonly Condition[],
  context: TruthContext,
): number[] {
  return people.filter((one) => isChosen(one, conditions, context)).map((one) => one.id);
}

function isChosen(
  person: TruthPerson,
  conditions: readonly Condition[],
  context: TruthContext,
): boolean {
  const groups: { number: number; outside: string; holds: boolean }[] = [];
  for (const condition of conditions) {
    const holds = meets(person, condition, context);
    const group = groups.find((one) => one.number === condition.group);
    if (!group) {
      groups.push({ number: condition.group, outside: condition.outside_concat, holds });
    } else if (condition.inside_concat === 'and') group.holds = group.holds && holds;
    else group.holds = group.holds || holds;
  }
  let result = true;
  groups.forEach((group, index) => {
    if (index === 0) result = group.holds;
    else if (group.outside === 'and') result = result && group.holds;
    else result = result || group.holds;
  });
  return result;
}

function meets(person: TruthPerson, condition: Condition, context: TruthContext): boolean {
  const values = [condition.operand, ...condition.more];
  switch (condition.type) {
    case 'tag': {
      const isIn = values.some((id) => person.groups.includes(id));
      return condition.operator === 'have' ? isIn : !isIn;
    }
    case 'email_status':
    case 'temail_status':
    case 'sms_status':
    case 'tsms_status': {
      const isOne = values.includes(person.statuses[condition.type]);
      return condition.operator === 'is' || condition.operator === 'in' ? isOne : !isOne;
    }
    case 'email':
    case 'phone':
    case 'firstname':
    case 'lastname':
      return meetsText(person[condition.type] ?? '', condition);
    case 'created':
      return meetsTime(person.createdAt, condition, context);
    case 'unsubscribed_at':
      return meetsTime(person.unsubscribedAt, condition, context);
    case 'open':
      return happened(person.lastOpenAt, condition, context);
    case 'not-open':
      return !happened(person.lastOpenAt, condition, context);
    case 'click':
      return happened(person.lastClickAt, condition, context);
    case 'not-click':
      return !happened(person.lastClickAt, condition, context);
    case 'not_active_subscribers':
      return (
        person.createdAt < ago(condition, context.now) &&
        !happened(person.lastOpenAt, condition, context) &&
        !happened(person.lastClickAt, condition, context)
      );
    case 'text':
      return meetsText(String(person.fields[condition.key] ?? ''), condition);
    case 'number':
      return meetsNumber(person.fields[condition.key], condition);
    case 'datetime':
      return meetsWall(person.fields[condition.key], condition, context);
    default:
      throw new Error(`No truth is known about ${condition.type}`);
  }
}

function meetsText(text: string, condition: Condition): boolean {
  const has = text.toLowerCase();
  const wish = condition.operand.toLowerCase();
  const wishes = [condition.operand, ...condition.more].map((one) => one.toLowerCase());
  switch (condition.operator) {
    case 'begins':
      return has.startsWith(wish);
    case 'ends':
      return has.endsWith(wish);
    case 'includes':
      return has.includes(wish);
    case 'not-include':
      return !has.includes(wish);
    case 'equals':
      return has === wish;
    case 'not-equal':
      return has !== wish;
    case 'in':
      return wishes.includes(has);
    case 'not-in':
      return !wishes.includes(has);
    case 'blank':
      return has === '';
    default:
      return has !== '';
  }
}

function meetsNumber(value: string | number | undefined, condition: Condition): boolean {
  const wish = Number(condition.operand);
  if (condition.operator === 'blank') return value === undefined;
  if (condition.operator === 'not-equal') return value !== wish;
  if (typeof value !== 'number') return false;
  switch (condition.operator) {
    case 'equals':
      return value === wish;
    case 'less-than':
      return value < wish;
    case 'more-than':
      return value > wish;
    case 'between':
      return value >= wish && value <= Number(condition.more[0]);
    default:
      return true;
  }
}

const first = (text: string) => (text.length === 10 ? `${text} 00:00:00` : text);
const last = (text: string) => (text.length === 10 ? `${text} 23:59:59` : text);

/** Wall time as the clock on the wall of the zone shows it: YYYY-MM-DD HH:MM:SS. */
function wallOf(instant: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(instant);
  const part = (type: string) => parts.find((one) => one.type === type)?.value;
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`;
}

function meetsTime(instant: Date | null, condition: Condition, context: TruthContext): boolean {
  if (condition.operator === 'blank') return instant === null;
  if (instant === null) return false;
  if (condition.operator === 'not-blank') return true;
  if (condition.operator === 'weeks' || condition.operator === 'months') {
    return instant >= ago(condition, context.now);
  }
  return meetsRange(wallOf(instant, context.timezone), condition);
}

function meetsWall(
  value: string | number | undefined,
  condition: Condition,
  context: TruthContext,
): boolean {
  if (condition.operator === 'blank') return value === undefined;
  if (value === undefined) return false;
  if (condition.operator === 'not-blank') return true;
  const wall = String(value);
  if (condition.operator === 'weeks' || condition.operator === 'months') {
    const since = wallOf(ago(condition, context.now), context.timezone);
    return wall >= since && wall <= wallOf(context.now, context.timezone);
  }
  return meetsRange(wall, condition);
}

function meetsRange(wall: string, { operator, operand, more }: Condition): boolean {
  if (operator === 'before') return wall < first(operand);
  if (operator === 'after') return wall > last(operand);
  return wall >= first(operand) && wall <= last(more[0] ?? operand);
}

function happened(instant: Date | null, condition: Condition, context: TruthContext): boolean {
  if (instant === null) return false;
  return condition.operator === 'all' || instant >= ago(condition, context.now);
}

/** So many weeks or calendar months back; 31 March less a month is the last of February. */
function ago(condition: Condition, now: Date): Date {
  const count = Number(condition.operand);
  if (condition.operator === 'weeks') return new Date(now.getTime() - count * 604_800_000);
  const back = new Date(now);
  back.setUTCMonth(back.getUTCMonth() - count);
  // The month was too short for the day: JavaScript went on into the next one.
  const wanted = (((now.getUTCMonth() - count) % 12) + 12) % 12;
  if (back.getUTCMonth() !== wanted) back.setUTCDate(0);
  return back;
}
