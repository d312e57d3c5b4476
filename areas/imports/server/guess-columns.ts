// Guesses the target of each column by its title in the six languages and by its values.
import { parseEmail, parsePhone } from '#areas/subscribers/server/index.ts';
import { conflictingTargets, splitName } from '../full-name.ts';
import { CONSENT_TARGETS, type FieldType, type NewFieldType, SHARED_TARGETS } from '../shared.ts';
import { foldTitle, mayBeFullName, targetOfTitle, type ValuesBelow } from './column-titles.ts';
import type { KnownExport } from './export-services.ts';
import { optOutSense } from './opt-out-titles.ts';
import { areBirthdays } from './reading/birthdays.ts';
import { parseDate } from './reading/dates.ts';
import { parseNumber } from './reading/numbers.ts';
import { parseStatus } from './reading/statuses.ts';
import { parseYesNo } from './reading/yes-no.ts';

export interface KnownField {
  /** The id used in responses. */
  id: string;
  title: string;
  type: FieldType;
}

export interface GuessedColumn {
  /** One of the fixed targets, or a field's id. */
  target: string;
  /** The type of a new field for the column. */
  type: NewFieldType;
  /**
   * Whether the column has internal data of the exporting service, for which no field is proposed.
   */
  isOwn: boolean;
  /** Whether title and values indicate consent or opt-outs. */
  isOptOut: boolean;
  /** Whether a 'no' is an opt-out, as below 'Subscribed to emails'. */
  noMeansLeft: boolean;
}

/**
 * The target of each column, by title first, then by values. Each target is used once, except
 * `SHARED_TARGETS`. A column without a clear target is skipped, with the type of field it could
 * become.
 */
export function guessColumns(
  header: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  fields: readonly KnownField[],
  country: string | undefined,
  known?: KnownExport,
): GuessedColumn[] {
  const width = Math.max(header.length, ...rows.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, i) =>
    rows.map((row) => row[i]?.trim() ?? '').filter((value) => value !== ''),
  );
  const usedTargets = new Set<string>();
  const names = namesOf(header, known);
  const guesses = columns.map((values, i): GuessedColumn => {
    const title = header[i] ?? '';
    const type = typeOf(title, values);
    const knownTarget = known?.targets.get(foldTitle(title));
    const plain = { type, isOptOut: false, noMeansLeft: false };
    if (knownTarget === 'own') return { ...plain, target: 'skip', isOwn: true };
    const below = { dates: type === 'datetime', words: areStatuses(values) };
    const sense = optOutSense(foldTitle(title));
    const guess =
      knownTarget !== undefined && !usedTargets.has(knownTarget)
        ? knownTarget
        : (byTitle(title, type, below, fields, usedTargets) ?? 'skip');
    const target = nameTarget(guess, title, values, names);
    if (target !== 'skip' && !SHARED_TARGETS.includes(target))
      for (const conflicting of conflictingTargets(target)) usedTargets.add(conflicting);
    return {
      target,
      type,
      isOwn: false,
      isOptOut: sense?.meaning === 'left' ? values.length > 0 : sense !== undefined && below.words,
      noMeansLeft: sense?.meaning === 'agreed' && sense.noMeansLeft,
    };
  });
  byContent(columns, guesses, usedTargets, rows.length, country);
  const isStatusKnown = known !== undefined || usedTargets.has('email_status');
  return guesses.map((guess, i) => ({
    ...guess,
    // In an export of a known service, or beside a status column, an ambiguous consent column is
    // ignored.
    isOptOut:
      guess.isOptOut &&
      (!isStatusKnown ||
        CONSENT_TARGETS.includes(guess.target) ||
        optOutSense(foldTitle(header[i] ?? ''))?.meaning === 'left'),
  }));
}

/** Whether four of five values are a yes, a no or a word for a status. */
function areStatuses(values: readonly string[]): boolean {
  const isStatus = (value: string) =>
    parseYesNo(value) !== undefined || parseStatus(value) !== undefined;
  return values.length > 0 && shareOf(values, isStatus) >= 0.8;
}

interface NameColumns {
  hasFirst: boolean;
  hasLast: boolean;
}

/** Parts of a name that have separate columns. */
function namesOf(header: readonly string[], known: KnownExport | undefined): NameColumns {
  const targetAt = (title: string) =>
    known?.targets.get(foldTitle(title)) ?? targetOfTitle(title) ?? 'skip';
  return {
    hasFirst: header.some((title) => targetAt(title) === 'firstname' && !mayBeFullName(title)),
    hasLast: header.some((title) => targetAt(title) === 'lastname'),
  };
}

/** Minimum share of multi-word values in a column of full names. */
const SHARE_OF_FULL_NAMES = 0.1;

/**
 * Decides what a column such as 'Name' contains. It is skipped if first names have a column of
 * their own, and contains first names if last names have one. Otherwise it contains full names if
 * some of its values have several words. A column titled as full names is skipped beside a column
 * of first or last names.
 */
function nameTarget(
  guess: string,
  title: string,
  values: readonly string[],
  { hasFirst, hasLast }: NameColumns,
): string {
  if (guess === 'fullname') return hasFirst || hasLast ? 'skip' : guess;
  if (guess !== 'firstname' || !mayBeFullName(title)) return guess;
  if (hasFirst) return 'skip';
  const isFull = shareOf(values, (value) => splitName(value).last !== '') >= SHARE_OF_FULL_NAMES;
  return isFull && !hasLast ? 'fullname' : 'firstname';
}

function byTitle(
  title: string,
  type: NewFieldType,
  below: ValuesBelow,
  fields: readonly KnownField[],
  usedTargets: ReadonlySet<string>,
): string | undefined {
  const folded = foldTitle(title);
  if (folded === '') return undefined;
  const field = fieldOf(folded, type, fields, usedTargets);
  // A custom field 'Tags' of the account takes precedence over groups.
  const fixed = targetOfTitle(title, below);
  if (fixed === 'groups' && field !== undefined) return field;
  if (fixed !== undefined) return usedTargets.has(fixed) ? undefined : fixed;
  return field;
}

function fieldOf(
  folded: string,
  type: NewFieldType,
  fields: readonly KnownField[],
  usedTargets: ReadonlySet<string>,
): string | undefined {
  const sameNamed = fields.filter(
    (field) => foldTitle(field.title) === folded && !usedTargets.has(field.id),
  );
  const fieldType: FieldType = type === 'yes_no' ? 'text' : type;
  return (sameNamed.find((field) => field.type === fieldType) ?? sameNamed[0])?.id;
}

/** Sets email, phone and status by values if no title names them, or a title is wrong. */
function byContent(
  columns: ReadonlyArray<readonly string[]>,
  guesses: GuessedColumn[],
  usedTargets: Set<string>,
  rowCount: number,
  country: string | undefined,
): void {
  const assignByContent = (target: string, test: (value: string) => boolean): void => {
    const countIn = (values: readonly string[] = []) => values.filter(test).length;
    const named = guesses.findIndex((guess) => guess.target === target);
    const count = named === -1 ? 0 : countIn(columns[named]);
    if (named !== -1 && count > 0.3 * (columns[named]?.length ?? 0)) return;
    const best = columns
      .map((values, i) => ({ i, count: countIn(values), share: shareOf(values, test) }))
      .filter(({ i }) => guesses[i]?.target === 'skip' || (target === 'email' && i !== named))
      .filter(({ share }) => share >= 0.6)
      .sort((a, b) => b.count - a.count)[0];
    // One address in a sparse column does not outweigh a column with the matching title.
    if (best === undefined || best.count <= count) return;
    if (named !== -1 && best.count < 0.5 * rowCount) return;
    const before = guesses[named];
    if (before !== undefined) before.target = 'skip';
    (guesses[best.i] as GuessedColumn).target = target;
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

/** Whether a cell looks like an email address or a phone number, and so is no heading. */
export function isLikelyAddress(cell: string, country: string | undefined): boolean {
  return cell.includes('@') || isLikelyPhone(cell.trim(), country);
}

/** Whether a cell is a valid email address or a likely phone number. */
export function isAddress(cell: string, country: string | undefined): boolean {
  const text = cell.trim();
  return text.includes('@') ? typeof parseEmail(text) === 'object' : isLikelyPhone(text, country);
}

/** A date is not a phone number, although 31.01.2026 is a valid one in some country. */
function isLikelyPhone(value: string, country: string | undefined): boolean {
  return (
    /^[+(\d۰-۹]/.test(value) &&
    value.length >= 8 &&
    parseDate(value, 'day-first') === undefined &&
    typeof parsePhone(value, country) === 'object'
  );
}

function shareOf(values: readonly string[], test: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(test).length / values.length;
}

/**
 * The type that all values have, otherwise text. Values with a leading zero or plus are codes, not
 * numbers.
 */
function typeOf(title: string, values: readonly string[]): NewFieldType {
  if (values.length === 0) return 'text';
  if (values.every((value) => parseYesNo(value) !== undefined)) return 'yes_no';
  if (areBirthdays(title, values)) return 'birthday';
  if (values.every((value) => parseDate(value, 'day-first') !== undefined)) return 'datetime';
  const numeric = (value: string) =>
    !/^[+0]\d/.test(value) && value.length <= 15 && parseNumber(value, '.') !== undefined;
  return values.every(numeric) ? 'number' : 'text';
}
