// Guesses what each column of a file holds, by its title in the six languages and by its values.
import { parseEmail, parsePhone } from '#areas/subscribers/server/index.ts';
import { samePlaceAs, splitName } from '../full-name.ts';
import type { FieldType, NewFieldType } from '../limits.ts';
import { foldTitle, mayBeFullName, targetOfTitle } from './column-titles.ts';
import type { KnownExport } from './export-services.ts';
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
    const type = typeOf(values);
    const title = header[i] ?? '';
    const told = known?.targets.get(foldTitle(title));
    if (told === 'own') return { target: 'skip', type, isOwn: true };
    const guess =
      told !== undefined && !taken.has(told)
        ? told
        : (byTitle(title, type, fields, taken) ?? 'skip');
    const target = nameTarget(guess, title, values, names);
    // Lists and tags stand in columns of their own: each of them names groups.
    if (target !== 'skip' && target !== 'groups')
      for (const place of samePlaceAs(target)) taken.add(place);
    return { target, type, isOwn: false };
  });
  byContent(columns, guesses, taken, country);
  return guesses;
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
  fields: readonly KnownField[],
  taken: ReadonlySet<string>,
): string | undefined {
  const folded = foldTitle(title);
  if (folded === '') return undefined;
  const same = fieldOf(folded, type, fields, taken);
  // An account that calls a field 'Tags' means its field.
  const fixed = targetOfTitle(title, type === 'datetime');
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
  country: string | undefined,
): void {
  const looksLike = (target: string, test: (value: string) => boolean): void => {
    const named = guesses.findIndex((guess) => guess.target === target);
    if (named !== -1 && shareOf(columns[named] ?? [], test) > 0.3) return;
    const best = columns
      .map((values, i) => ({ i, share: shareOf(values, test) }))
      .filter(({ i }) => guesses[i]?.target === 'skip' || (target === 'email' && i !== named))
      .sort((a, b) => b.share - a.share)[0];
    if (best === undefined || best.share < 0.6) return;
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
function typeOf(values: readonly string[]): NewFieldType {
  if (values.length === 0) return 'text';
  if (values.every((value) => parseYesNo(value) !== undefined)) return 'yes_no';
  if (values.every((value) => parseDate(value, 'day-first') !== undefined)) return 'datetime';
  const numeric = (value: string) =>
    !/^[+0]\d/.test(value) && value.length <= 15 && parseNumber(value, '.') !== undefined;
  return values.every(numeric) ? 'number' : 'text';
}
