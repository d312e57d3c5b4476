// The filter grammar: conditions as the text of a query parameter, and back. In full:
// docs/api/filter-grammar.md.
//
//   filter    = condition *( "__next__" condition )
//   condition = type,operator,operand,group,outside_concat,inside_concat,key *( ,more )
//
// Malformed conditions are dropped and counted: a list ignores them, a bulk action refuses them.
import {
  type OperandKind,
  getKeyKind,
  getOperandKind,
  toPlainNumber,
  acceptsMany,
} from './conditions.ts';
import {
  ALL_CONDITION_TYPES,
  MAX_CONDITIONS,
  MAX_COUNT,
  type Concat,
  type Condition,
  MAX_FILTER_BYTES,
  OPERATORS,
  type Operator,
  MAX_VALUES,
} from './shared.ts';

export type ParsedFilter = {
  conditions: Condition[];
  /** The number of malformed conditions that were dropped. */
  droppedCount: number;
};

const SEPARATOR = /__[A-Za-z]+__/;
const TYPES: ReadonlySet<string> = new Set(ALL_CONDITION_TYPES);
const operators: ReadonlySet<string> = new Set(OPERATORS);
const STATUSES: ReadonlySet<string> = new Set([
  'active',
  'bounced',
  'unsubscribed',
  'reported',
  'non-subscribed',
]);

/** Parses a filter. An empty text has no conditions and drops none. */
export function parseFilter(text: string): ParsedFilter {
  if (text.trim() === '') return { conditions: [], droppedCount: 0 };
  if (new TextEncoder().encode(text).length > MAX_FILTER_BYTES) {
    return { conditions: [], droppedCount: 1 };
  }
  const conditions: Condition[] = [];
  let droppedCount = 0;
  for (const part of text.split(SEPARATOR)) {
    const condition = conditions.length < MAX_CONDITIONS ? parseCondition(part) : undefined;
    if (condition) conditions.push(condition);
    else droppedCount += 1;
  }
  return { conditions, droppedCount };
}

/** Reads conditions from a list of objects instead of a text; missing properties get defaults. */
export function readConditions(list: readonly unknown[]): ParsedFilter {
  const conditions: Condition[] = [];
  let droppedCount = 0;
  for (const entry of list) {
    const condition = conditions.length < MAX_CONDITIONS ? readCondition(entry) : undefined;
    if (condition) conditions.push(condition);
    else droppedCount += 1;
  }
  return { conditions, droppedCount };
}

function parseCondition(part: string): Condition | undefined {
  const pieces = part.split(',');
  if (pieces.length < 7) return undefined;
  const [type, operator, operand, group, outside, inside, key, ...more] = pieces as string[];
  const decodedParts = decode([operand as string, key as string, ...more]);
  if (!decodedParts) return undefined;
  const [plainOperand = '', plainKey = '', ...plainMore] = decodedParts;
  return validCondition({
    type: type as string,
    operator: operator as string,
    operand: plainOperand,
    group: /^[1-9]\d{0,3}$/.test(group as string) ? Number(group) : 0,
    outside_concat: outside as string,
    inside_concat: inside as string,
    key: plainKey,
    more: plainMore,
  });
}

function decode(parts: string[]): string[] | undefined {
  try {
    return parts.map((part) => decodeURIComponent(part));
  } catch {
    return undefined;
  }
}

function readCondition(input: unknown): Condition | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const fields = input as Record<string, unknown>;
  const text = (value: unknown): string | undefined =>
    value === undefined || value === null
      ? ''
      : typeof value === 'string' || typeof value === 'number'
        ? String(value)
        : undefined;
  const values = Array.isArray(fields.operand) ? fields.operand.map(text) : [text(fields.operand)];
  const more = Array.isArray(fields.more) ? fields.more.map(text) : [];
  const all = [...values, ...more, text(fields.key)];
  if (all.some((value) => value === undefined) || (fields.more && !Array.isArray(fields.more))) {
    return undefined;
  }
  const [operand = '', ...further] = values as string[];
  return validCondition({
    type: String(fields.type),
    operator: String(fields.operator),
    operand,
    group: Number.isInteger(fields.group)
      ? (fields.group as number)
      : fields.group === undefined
        ? 1
        : 0,
    outside_concat: fields.outside_concat === undefined ? 'and' : String(fields.outside_concat),
    inside_concat: fields.inside_concat === undefined ? 'and' : String(fields.inside_concat),
    key: text(fields.key) as string,
    more: [...further, ...(more as string[])],
  });
}

type RawCondition = {
  [K in keyof Condition]: Condition[K] extends number
    ? number
    : Condition[K] extends string[]
      ? string[]
      : string;
};

/**
 * Returns the condition if all of its parts are valid, without values that its operator does not
 * use, and with times added to the days of a datetime range.
 */
function validCondition(unchecked: RawCondition): Condition | undefined {
  if (!TYPES.has(unchecked.type) || !operators.has(unchecked.operator)) return undefined;
  if (!isConcat(unchecked.outside_concat) || !isConcat(unchecked.inside_concat)) return undefined;
  if (unchecked.group < 1 || unchecked.group > 9999) return undefined;
  if (unchecked.more.length > MAX_VALUES) return undefined;
  const condition = unchecked as Condition;
  if ((getKeyKind(condition.type) !== undefined) !== (condition.key !== '')) return undefined;
  const kind = getOperandKind(condition.type, condition.operator);
  return kind && withOperands(condition, kind);
}

const isConcat = (value: string): value is Concat => value === 'and' || value === 'or';

function withOperands(condition: Condition, kind: OperandKind): Condition | undefined {
  const { operator, operand, more } = condition;
  const isRange = operator === 'between';
  const isList = acceptsMany(kind);
  const values = isRange ? [operand, more[0] ?? ''] : isList ? [operand, ...more] : [operand];
  // Values that the operator does not use are dropped.
  const baseCondition = { ...condition, more: isRange || isList ? values.slice(1) : [] };
  if (kind === 'none') return { ...baseCondition, operand: '', more: [] };
  if (kind === 'date' || kind === 'date_range') return withDates(baseCondition, values);
  if (kind === 'text' || kind === 'texts') {
    return operandIsText(condition, values) ? baseCondition : undefined;
  }
  const isValid = isOperand(kind);
  return values.every(isValid) ? baseCondition : undefined;
}

/** Returns the check for each value of a kind; ids by default. */
function isOperand(kind: OperandKind): (value: string) => boolean {
  switch (kind) {
    case 'count':
      return (value) => /^[1-9]\d{0,3}$/.test(value) && Number(value) <= MAX_COUNT;
    case 'month':
      return (value) => /^([1-9]|1[0-2])$/.test(value);
    case 'status':
    case 'statuses':
      return (value) => STATUSES.has(value);
    case 'number':
    case 'number_range':
      return isNumber;
    default:
      return (value) => /^[A-Za-z0-9]{1,60}$/.test(value);
  }
}

const isNumber = (value: string) => value.trim() !== '' && Number.isFinite(Number(value));

/**
 * Returns whether the values are valid operands. An empty value is valid only for equals and
 * not-equal, where it means "no value". A phone number must consist of more than separators.
 */
function operandIsText({ type, operator }: Condition, values: string[]): boolean {
  const mayBeEmpty = operator === 'equals' || operator === 'not-equal';
  return values.every((value) => {
    if (value === '') return mayBeEmpty;
    return !value.includes('\0') && (type !== 'phone' || toPlainNumber(value, operator) !== '');
  });
}

function withDates(condition: Condition, values: string[]): Condition | undefined {
  if (!values.every(isDate)) return undefined;
  if (condition.operator !== 'between') return condition;
  if (condition.type !== 'datetime') return condition;
  const [from = '', to = ''] = values;
  return {
    ...condition,
    operand: from.length === 10 ? `${from} 00:00:00` : from,
    more: [to.length === 10 ? `${to} 23:59:59` : to],
  };
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?: ([01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/;

/** Returns whether the text is an existing day as YYYY-MM-DD, with an optional HH:MM:SS. */
export function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  if (year === 0) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const encode = (text: string) => encodeURIComponent(text).replaceAll('_', '%5F');

/** Writes conditions as a filter, which the query string encodes once more. */
export function writeFilter(conditions: readonly Condition[]): string {
  return conditions
    .map((condition) =>
      [
        condition.type,
        condition.operator,
        encode(condition.operand),
        condition.group,
        condition.outside_concat,
        condition.inside_concat,
        encode(condition.key),
        ...condition.more.map(encode),
      ].join(','),
    )
    .join('__next__');
}

/** Creates a condition with defaults filled in. */
export function condition(
  type: Condition['type'],
  operator: Operator,
  operand = '',
  overrides: Partial<Condition> = {},
): Condition {
  return {
    type,
    operator,
    operand,
    group: 1,
    outside_concat: 'and',
    inside_concat: 'and',
    key: '',
    more: [],
    ...overrides,
  };
}
