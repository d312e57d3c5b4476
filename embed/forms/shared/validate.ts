// Validates submitted values, with the same rules and messages on the site and on the server. The
// server's result decides.
import { type FormFieldRule, LIMITS } from './document.ts';
import { getEmailDomain, readAddress, trimEdges } from '#platform/email-rules.ts';
import { fillPlaceholders } from './fill.ts';
import type { TextKey } from './text-keys.ts';

export type FormAnswers = Record<string, string | string[] | undefined>;

/** Returns the messages by key; empty if all values are valid. Unknown keys are ignored. */
export function findFaults(
  rules: readonly FormFieldRule[],
  values: FormAnswers,
  texts: Readonly<Record<string, string>>,
): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const rule of rules) {
    const fault = findFieldIssue(rule, values[rule.key]);
    if (fault) faults[rule.key] = fillPlaceholders(texts[fault[0]] ?? fault[0], fault[1] ?? {});
  }
  return faults;
}

/** Field types with the message `fill` instead of `required` for an empty value. */
const PICKED: readonly FormFieldRule['as'][] = [
  'datetime',
  'datetime-local',
  'time',
  'month',
  'color',
];
const DIGITS: readonly FormFieldRule['as'][] = ['number', 'phone', ...PICKED];

/** Converts digits of Persian and Arabic keyboards in fields that contain numbers. */
export const toPlainDigits = ({ as }: Pick<FormFieldRule, 'as'>, value: string): string =>
  DIGITS.includes(as)
    ? value.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 15))
    : value;

type FieldIssue = [TextKey, Record<string, string | number>?];

function findFieldIssue(
  rule: FormFieldRule,
  submitted: string | string[] | undefined,
): FieldIssue | undefined {
  const isMultiple = rule.as === 'choices' || rule.as === 'interests';
  const values = (Array.isArray(submitted) ? submitted : submitted === undefined ? [] : [submitted])
    .map((value) => toPlainDigits(rule, value).trim())
    .filter((value) => value !== '');
  const [value] = values;
  if (value === undefined) {
    if (!rule.required) return undefined;
    if (isMultiple) return ['choices'];
    if (rule.as === 'select') return ['select'];
    return [PICKED.includes(rule.as) ? 'fill' : 'required'];
  }
  if (rule.options && values.some((value) => !rule.options?.includes(value)))
    return [isMultiple ? 'choices' : 'select'];
  const length = Math.max(...values.map((value) => value.length));
  const maxLength = Math.min(rule.maxLength ?? LIMITS.answer, LIMITS.answer);
  if (length > maxLength) return ['maxLength', { maxLength, length }];
  return faultOfKind(rule.as, value) ?? faultOfBounds(rule, value);
}

function faultOfBounds(
  { as, min, max, minLength, pattern }: FormFieldRule,
  value: string,
): FieldIssue | undefined {
  if (minLength !== undefined && value.length < minLength) return ['minLength', { minLength }];
  if (pattern && !fits(pattern, value)) return ['format'];
  if (as !== 'number') return undefined;
  const number = parseNumber(value);
  if (max !== undefined && number > max) return ['max', { max }];
  if (min !== undefined && number < min) return ['min', { min }];
  return undefined;
}

/** Parses a number with a decimal point or comma. */
export const parseNumber = (value: string): number => Number(value.replace(',', '.'));

/**
 * Characters that are invalid in a single address, though valid in a list of addresses with names.
 */
const NO_BARE_ADDRESS = /[\s,;<>()[\]"\\]/;

/** Returns the punycode form of a domain, the same in browsers and on the server. */
function toAscii(domain: string): string {
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return '';
  }
}

function isEmail(value: string): boolean {
  const trimmed = trimEdges(value);
  if (NO_BARE_ADDRESS.test(trimmed)) return false;
  return typeof readAddress(trimmed, (domain) => getEmailDomain(domain, toAscii)) === 'object';
}

const DATE =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])( ([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)?$/;

function faultOfKind(kind: FormFieldRule['as'], value: string): FieldIssue | undefined {
  if (kind === 'email' && !isEmail(value)) return ['email'];
  if (kind === 'number' && !/^[-+]?(\d+([.,]\d*)?|[.,]\d+)$/.test(value)) return ['number'];
  if (kind === 'datetime' && !isDate(value)) return ['date'];
  if (kind === 'datetime-local' && !(MOMENT.test(value) && isDate(value.replace('T', ' '))))
    return ['datetime'];
  if (kind === 'time' && !/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(value)) return ['time'];
  if (kind === 'month' && !/^\d{4}-(0[1-9]|1[0-2])$/.test(value)) return ['month'];
  if (kind === 'color' && !/^#[0-9a-f]{6}$/i.test(value)) return ['colour'];
  if (kind === 'url' && !/^https?:\/\/[^\s/$.?#].\S*$/i.test(value)) return ['url'];
  if (kind === 'phone') return faultOfPhone(value);
  return undefined;
}

const MOMENT = /^[\d-]{10}[ T]\d\d:\d\d/;

/**
 * Compares the value with the pattern, character by character: 0 matches a digit, A a letter, *
 * either. Any other character matches itself.
 */
function fits(pattern: string, value: string): boolean {
  const [expected, written] = [[...pattern], [...value]];
  return (
    expected.length === written.length &&
    expected.every((sign, i) => (MASKS[sign] ?? ((char) => char === sign))(written[i] ?? ''))
  );
}

const MASKS: Record<string, (char: string) => boolean> = {
  '0': (char) => /^\p{Nd}$/u.test(char),
  A: (char) => /^\p{L}$/u.test(char),
  '*': (char) => /^[\p{L}\p{Nd}]$/u.test(char),
};

/** Returns true for a date that exists, with or without a time. */
function isDate(value: string): boolean {
  const day = DATE.exec(value)?.[3];
  return day !== undefined && new Date(`${value.slice(0, 10)}T00:00Z`).getUTCDate() === Number(day);
}

/** E.164: at most 15 digits. */
function faultOfPhone(value: string): FieldIssue | undefined {
  if (!/^\+?[\d\s().-]+$/.test(value)) return ['phone'];
  const digits = value.replace(/\D/g, '').length;
  if (digits < 7) return ['phoneShort'];
  if (digits > 15) return ['phoneLong'];
  return undefined;
}
