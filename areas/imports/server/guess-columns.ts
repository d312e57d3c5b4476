// Guesses the target of each column by its title in the six languages and by its values.
import { parseEmail, parsePhone } from '#areas/subscribers/server/index.ts';
import { listConflictingTargets, splitName } from '../full-name.ts';
import {
  CONSENT_TARGETS,
  type FieldValueType,
  type NewFieldType,
  SHARED_TARGETS,
} from '../shared.ts';
import { findTargetByTitle, foldTitle, mayBeFullName, type ValuesBelow } from './column-titles.ts';
import type { KnownExport } from './export-services.ts';
import { parseOptOutSense } from './opt-out-titles.ts';
import { areBirthdays } from './reading/birthdays.ts';
import { parseDate } from './reading/dates.ts';
import { parseNumber } from './reading/numbers.ts';
import { parseStatus } from './reading/statuses.ts';
import { parseYesNo } from './reading/yes-no.ts';

export interface KnownField {
  /** The id used in responses. */
  id: string;
  title: string;
  type: FieldValueType;
}

export interface GuessedColumn {
  /** One of the fixed targets, or a field's id. */
  target: string;
  /** The type of a new field for the column. */
  type: NewFieldType;
  /** Whether the column has internal data of the exporting service; no field is proposed for it. */
  isOwn: boolean;
  /** Whether title and values indicate consent or opt-outs. */
  isOptOut: boolean;
  /** Whether a 'no' is an opt-out, as in a column with the heading 'Subscribed to emails'. */
  noMeansLeft: boolean;
}

/**
 * Returns the target of each column, by title first, then by values. Each target is used once,
 * except `SHARED_TARGETS`. A column without a clear target is skipped, with the type of field it
 * could become.
 */
export function guessColumns(
  header: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  fields: readonly KnownField[],
  country: string | undefined,
  knownExport?: KnownExport,
): GuessedColumn[] {
  const width = Math.max(header.length, ...rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, i) =>
    rows.map((row) => row[i]?.trim() ?? '').filter((value) => value !== ''),
  );
  const usedTargets = new Set<string>();
  const names = findNameColumns(header, knownExport);
  const guesses = columns.map((values, i): GuessedColumn => {
    const title = header[i] ?? '';
    const type = guessType(title, values);
    const knownTarget = knownExport?.targets.get(foldTitle(title));
    const defaults = { type, isOptOut: false, noMeansLeft: false };
    if (knownTarget === 'own') return { ...defaults, target: 'skip', isOwn: true };
    const below = { hasDates: type === 'datetime', hasWords: areStatuses(values) };
    const sense = parseOptOutSense(foldTitle(title));
    const guess =
      knownTarget !== undefined && !usedTargets.has(knownTarget)
        ? knownTarget
        : (guessByTitle(title, type, below, fields, usedTargets) ?? 'skip');
    const target = guessNameTarget(guess, title, values, names);
    if (target !== 'skip' && !SHARED_TARGETS.includes(target))
      for (const conflicting of listConflictingTargets(target)) usedTargets.add(conflicting);
    return {
      target,
      type,
      isOwn: false,
      isOptOut:
        sense?.meaning === 'left' ? values.length > 0 : sense !== undefined && below.hasWords,
      noMeansLeft: sense?.meaning === 'agreed' && sense.noMeansLeft,
    };
  });
  assignByContents(columns, guesses, usedTargets, rows.length, country);
  const isStatusKnown = knownExport !== undefined || usedTargets.has('email_status');
  return guesses.map((guess, i) => ({
    ...guess,
    // In an export of a known service, or beside a status column, an ambiguous consent column is
    // ignored.
    isOptOut:
      guess.isOptOut &&
      (!isStatusKnown ||
        CONSENT_TARGETS.includes(guess.target) ||
        parseOptOutSense(foldTitle(header[i] ?? ''))?.meaning === 'left'),
  }));
}

/** Returns whether at least four of five values are a yes, a no or a word for a status. */
function areStatuses(values: readonly string[]): boolean {
  const isStatus = (value: string) =>
    parseYesNo(value) !== undefined || parseStatus(value) !== undefined;
  return values.length > 0 && computeRatio(values, isStatus) >= 0.8;
}

interface NameColumns {
  hasFirst: boolean;
  hasLast: boolean;
}

/** Finds the parts of a name that have separate columns. */
function findNameColumns(
  header: readonly string[],
  knownExport: KnownExport | undefined,
): NameColumns {
  const getTargetAt = (title: string) =>
    knownExport?.targets.get(foldTitle(title)) ?? findTargetByTitle(title) ?? 'skip';
  return {
    hasFirst: header.some((title) => getTargetAt(title) === 'firstname' && !mayBeFullName(title)),
    hasLast: header.some((title) => getTargetAt(title) === 'lastname'),
  };
}

/** Minimum share of multi-word values in a column of full names. */
const SHARE_OF_FULL_NAMES = 0.1;

/**
 * Decides what a column such as 'Name' contains. It is skipped if first names have a separate
 * column and contains first names if last names have one. Otherwise it contains full names if some
 * of its values have several words. A column titled as full names is skipped beside a column of
 * first or last names.
 */
function guessNameTarget(
  guess: string,
  title: string,
  values: readonly string[],
  { hasFirst, hasLast }: NameColumns,
): string {
  if (guess === 'fullname') return hasFirst || hasLast ? 'skip' : guess;
  if (guess !== 'firstname' || !mayBeFullName(title)) return guess;
  if (hasFirst) return 'skip';
  const isFull =
    computeRatio(values, (value) => splitName(value).last !== '') >= SHARE_OF_FULL_NAMES;
  return isFull && !hasLast ? 'fullname' : 'firstname';
}

function guessByTitle(
  title: string,
  type: NewFieldType,
  below: ValuesBelow,
  fields: readonly KnownField[],
  usedTargets: ReadonlySet<string>,
): string | undefined {
  const titleKey = foldTitle(title);
  if (titleKey === '') return undefined;
  const field = findField(titleKey, type, fields, usedTargets);
  // A custom field 'Tags' of the account takes precedence over groups.
  const titleTarget = findTargetByTitle(title, below);
  if (titleTarget === 'groups' && field !== undefined) return field;
  if (titleTarget !== undefined) return usedTargets.has(titleTarget) ? undefined : titleTarget;
  return field;
}

function findField(
  titleKey: string,
  type: NewFieldType,
  fields: readonly KnownField[],
  usedTargets: ReadonlySet<string>,
): string | undefined {
  const sameNamed = fields.filter(
    (field) => foldTitle(field.title) === titleKey && !usedTargets.has(field.id),
  );
  const fieldType: FieldValueType = type === 'yes_no' ? 'text' : type;
  return (sameNamed.find((field) => field.type === fieldType) ?? sameNamed[0])?.id;
}

/** Sets email, phone and status by values if no title names them, or a title is wrong. */
function assignByContents(
  columns: ReadonlyArray<readonly string[]>,
  guesses: GuessedColumn[],
  usedTargets: Set<string>,
  rowCount: number,
  country: string | undefined,
): void {
  const assignByContent = (target: string, test: (value: string) => boolean): void => {
    const countMatches = (values: readonly string[] = []) => values.filter(test).length;
    const namedIndex = guesses.findIndex((guess) => guess.target === target);
    const count = namedIndex === -1 ? 0 : countMatches(columns[namedIndex]);
    if (namedIndex !== -1 && count > 0.3 * (columns[namedIndex]?.length ?? 0)) return;
    const bestColumn = columns
      .map((values, i) => ({ i, count: countMatches(values), share: computeRatio(values, test) }))
      .filter(({ i }) => guesses[i]?.target === 'skip' || (target === 'email' && i !== namedIndex))
      .filter(({ share }) => share >= 0.6)
      .sort((a, b) => b.count - a.count)[0];
    // One address in a sparse column does not outweigh a column with the matching title.
    if (bestColumn === undefined || bestColumn.count <= count) return;
    if (namedIndex !== -1 && bestColumn.count < 0.5 * rowCount) return;
    const namedGuess = guesses[namedIndex];
    if (namedGuess !== undefined) namedGuess.target = 'skip';
    (guesses[bestColumn.i] as GuessedColumn).target = target;
    usedTargets.add(target);
  };
  assignByContent('email', (value) => value.includes('@') && typeof parseEmail(value) === 'object');
  assignByContent('phone', (value) => isLikelyPhone(value, country));
  if (!usedTargets.has('email_status'))
    assignByContent(
      'email_status',
      (value) => value.length > 5 && parseStatus(value) !== undefined,
    );
}

/**
 * Returns whether a cell looks like an email address or a phone number and therefore is not a
 * heading.
 */
export function isLikelyAddress(cell: string, country: string | undefined): boolean {
  return cell.includes('@') || isLikelyPhone(cell.trim(), country);
}

/** Returns whether a cell is a valid email address or a likely phone number. */
export function isAddress(cell: string, country: string | undefined): boolean {
  const text = cell.trim();
  return text.includes('@') ? typeof parseEmail(text) === 'object' : isLikelyPhone(text, country);
}

/** Excludes dates: 31.01.2026 is also a valid phone number in some country. */
function isLikelyPhone(value: string, country: string | undefined): boolean {
  return (
    /^[+(\d۰-۹]/.test(value) &&
    value.length >= 8 &&
    parseDate(value, 'day-first') === undefined &&
    typeof parsePhone(value, country) === 'object'
  );
}

function computeRatio(values: readonly string[], test: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(test).length / values.length;
}

/**
 * Returns the type that all values have, otherwise text. Values with a leading zero or plus are
 * codes, not numbers.
 */
function guessType(title: string, values: readonly string[]): NewFieldType {
  if (values.length === 0) return 'text';
  if (values.every((value) => parseYesNo(value) !== undefined)) return 'yes_no';
  if (areBirthdays(title, values)) return 'birthday';
  if (values.every((value) => parseDate(value, 'day-first') !== undefined)) return 'datetime';
  const isNumeric = (value: string) =>
    !/^[+0]\d/.test(value) && value.length <= 15 && parseNumber(value, '.') !== undefined;
  return values.every(isNumeric) ? 'number' : 'text';
}
