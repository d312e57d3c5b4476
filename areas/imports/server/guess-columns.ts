// Guesses what each column of a file holds, by its title in the six languages and by its values.
import { parseEmail, parsePhone } from '#areas/subscribers/server/index.ts';
import { samePlaceAs, splitName } from '../full-name.ts';
import { consentTargets, type FieldType, type NewFieldType, sharedTargets } from '../limits.ts';
import { foldTitle, mayBeFullName, targetOfTitle, type ValuesBelow } from './column-titles.ts';
import type { KnownExport } from './export-services.ts';
import { optOutSense } from './opt-out-titles.ts';
import { areBirthdays } from './reading/birthdays.ts';
import { parseDate } from './reading/dates.ts';
import { parseNumber } from './reading/numbers.ts';
import { parseStatus } from './reading/statuses.ts';
import { parseYesNo } from './reading/yes-no.ts';

export interface KnownField {
  /** As it stands in answers. */
  id: string;
  title: string;
  type: FieldType;
}

export interface GuessedColumn {
  /** One of the fixed targets, or a field's id. */
  target: string;
  /** What a new field made of the column would hold. */
  type: NewFieldType;
  /** What the service that the file comes from keeps for itself: no field is proposed for it. */
  isOwn: boolean;
  /** Its title and values say who may be written to. */
  isOptOut: boolean;
  /** Its 'no' is an opt-out: 'Subscribed to emails'. */
  noMeansLeft: boolean;
}

/**
 * A target for each column: its title first, then what its values look like; each target once. A
 * column that neither says anything about is skipped, with the type of field that it could become.
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
  const taken = new Set<string>();
  const names = namesOf(header, known);
  const guesses = columns.map((values, i): GuessedColumn => {
    const title = header[i] ?? '';
    const type = typeOf(title, values);
    const told = known?.targets.get(foldTitle(title));
    const plain = { type, isOptOut: false, noMeansLeft: false };
    if (told === 'own') return { ...plain, target: 'skip', isOwn: true };
    const below = { dates: type === 'datetime', words: areStatusWords(values) };
    const sense = optOutSense(foldTitle(title));
    const guess =
      told !== undefined && !taken.has(told)
        ? told
        : (byTitle(title, type, below, fields, taken) ?? 'skip');
    const target = nameTarget(guess, title, values, names);
    if (target !== 'skip' && !sharedTargets.includes(target))
      for (const place of samePlaceAs(target)) taken.add(place);
    return {
      target,
      type,
      isOwn: false,
      isOptOut: sense?.says === 'left' ? values.length > 0 : sense !== undefined && below.words,
      noMeansLeft: sense?.says === 'agreed' && sense.noMeansLeft,
    };
  });
  byContent(columns, guesses, taken, rows.length, country);
  const isTold = known !== undefined || taken.has('email_status');
  return guesses.map((guess, i) => ({
    ...guess,
    // Where another column tells the status, one that may mean consent decides nothing.
    isOptOut:
      guess.isOptOut &&
      (!isTold ||
        consentTargets.includes(guess.target) ||
        optOutSense(foldTitle(header[i] ?? ''))?.says === 'left'),
  }));
}

/** Yes and no, 1 and 0, or words for statuses. */
function areStatusWords(values: readonly string[]): boolean {
  const isWord = (value: string) =>
    parseYesNo(value) !== undefined || parseStatus(value) !== undefined;
  return values.length > 0 && shareOf(values, isWord) >= 0.8;
}

interface NameColumns {
  hasFirst: boolean;
  hasLast: boolean;
}

/** Which parts of a name have columns of their own. */
function namesOf(header: readonly string[], known: KnownExport | undefined): NameColumns {
  const targetAt = (title: string) =>
    known?.targets.get(foldTitle(title)) ?? targetOfTitle(title) ?? 'skip';
  return {
    hasFirst: header.some((title) => targetAt(title) === 'firstname' && !mayBeFullName(title)),
    hasLast: header.some((title) => targetAt(title) === 'lastname'),
  };
}

/** So many of a column's values hold more than one word where it holds whole names. */
const shareOfFullNames = 0.1;

/** 'Name' is a first name beside a last one, and a whole name where its values hold more than one word. */
function nameTarget(
  guess: string,
  title: string,
  values: readonly string[],
  { hasFirst, hasLast }: NameColumns,
): string {
  if (guess === 'fullname') return hasFirst || hasLast ? 'skip' : guess;
  if (guess !== 'firstname' || !mayBeFullName(title)) return guess;
  if (hasFirst) return 'skip';
  const isFull = shareOf(values, (value) => splitName(value).last !== '') >= shareOfFullNames;
  return isFull && !hasLast ? 'fullname' : 'firstname';
}

function byTitle(
  title: string,
  type: NewFieldType,
  below: ValuesBelow,
  fields: readonly KnownField[],
  taken: ReadonlySet<string>,
): string | undefined {
  const folded = foldTitle(title);
  if (folded === '') return undefined;
  const same = fieldOf(folded, type, fields, taken);
  // An account that calls a field 'Tags' means its field.
  const fixed = targetOfTitle(title, below);
  if (fixed === 'groups' && same !== undefined) return same;
  if (fixed !== undefined) return taken.has(fixed) ? undefined : fixed;
  return same;
}

function fieldOf(
  folded: string,
  type: NewFieldType,
  fields: readonly KnownField[],
  taken: ReadonlySet<string>,
): string | undefined {
  const same = fields.filter((field) => foldTitle(field.title) === folded && !taken.has(field.id));
  const wanted: FieldType = type === 'yes_no' ? 'text' : type;
  return (same.find((field) => field.type === wanted) ?? same[0])?.id;
}

/** Fills in email, phone and status where no title told, or where a title told a lie. */
function byContent(
  columns: ReadonlyArray<readonly string[]>,
  guesses: GuessedColumn[],
  taken: Set<string>,
  rowCount: number,
  country: string | undefined,
): void {
  const looksLike = (target: string, test: (value: string) => boolean): void => {
    const countIn = (values: readonly string[] = []) => values.filter(test).length;
    const named = guesses.findIndex((guess) => guess.target === target);
    const count = named === -1 ? 0 : countIn(columns[named]);
    if (named !== -1 && count > 0.3 * (columns[named]?.length ?? 0)) return;
    const best = columns
      .map((values, i) => ({ i, count: countIn(values), share: shareOf(values, test) }))
      .filter(({ i }) => guesses[i]?.target === 'skip' || (target === 'email' && i !== named))
      .filter(({ share }) => share >= 0.6)
      .sort((a, b) => b.count - a.count)[0];
    // One address in a column of few values does not outweigh the column that is called so.
    if (best === undefined || best.count <= count) return;
    if (named !== -1 && best.count < 0.5 * rowCount) return;
    const before = guesses[named];
    if (before !== undefined) before.target = 'skip';
    (guesses[best.i] as GuessedColumn).target = target;
    taken.add(target);
  };
  looksLike('email', (value) => value.includes('@') && typeof parseEmail(value) === 'object');
  looksLike('phone', (value) => looksLikePhone(value, country));
  if (!taken.has('email_status'))
    looksLike('email_status', (value) => value.length > 5 && parseStatus(value) !== undefined);
}

/** Whether a cell is an address or a number to reach someone at, and so no heading. */
export function looksLikeAddress(cell: string, country: string | undefined): boolean {
  return cell.includes('@') || looksLikePhone(cell.trim(), country);
}

/** Whether a cell is nothing but an address or a number. */
export function isAddress(cell: string, country: string | undefined): boolean {
  const text = cell.trim();
  return text.includes('@') ? typeof parseEmail(text) === 'object' : looksLikePhone(text, country);
}

/** Dates are made of digits too: 31.01.2026 is a number that some country gives out. */
function looksLikePhone(value: string, country: string | undefined): boolean {
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

/** Numbers only where all are numbers and none begins with a zero, as codes do; dates, yes and no alike. */
function typeOf(title: string, values: readonly string[]): NewFieldType {
  if (values.length === 0) return 'text';
  if (values.every((value) => parseYesNo(value) !== undefined)) return 'yes_no';
  if (areBirthdays(title, values)) return 'birthday';
  if (values.every((value) => parseDate(value, 'day-first') !== undefined)) return 'datetime';
  const numeric = (value: string) =>
    !/^[+0]\d/.test(value) && value.length <= 15 && parseNumber(value, '.') !== undefined;
  return values.every(numeric) ? 'number' : 'text';
}
