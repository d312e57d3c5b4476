// Describes conditions in sentences, on the server (a segment's title) and in the browser (while
// editing). Both load the words from locales/<language>/segments.words.json.
import { getOperandKind } from './conditions.ts';
import { type Condition, MAX_TITLE_LENGTH } from './shared.ts';

export type SentenceTexts = {
  /** BCP 47. */
  locale: string;
  /** A text of `segments.words`. */
  translate: (key: string, values?: Record<string, unknown>) => string;
  /** Titles of referenced items, by id. */
  titles: Record<string, string>;
  /** Format of a day, YYYY-MM-DD; the locale's by default. */
  date?: ((day: string) => string) | undefined;
};

/** Returns all conditions as one sentence, or an empty string for none. */
export function buildSentence(conditions: readonly Condition[], texts: SentenceTexts): string {
  const groups = new Map<number, { conjunction: 'and' | 'or'; phrase: Phrase }>();
  for (const condition of conditions) {
    const phrase = { text: buildPhrase(condition, texts), conjunction: undefined };
    const group = groups.get(condition.group);
    if (group) group.phrase = joinPhrases(group.phrase, condition.inside_concat, phrase, texts);
    else groups.set(condition.group, { conjunction: condition.outside_concat, phrase });
  }
  let all: Phrase | undefined;
  for (const { conjunction, phrase } of groups.values()) {
    all = all ? joinPhrases(all, conjunction, phrase, texts) : phrase;
  }
  return all ? capitalize(all.text, texts.locale) : '';
}

/** A phrase, and the conjunction that joins its parts, if it has several. */
type Phrase = { text: string; conjunction: 'and' | 'or' | undefined };

function joinPhrases(
  left: Phrase,
  conjunction: 'and' | 'or',
  right: Phrase,
  { translate }: SentenceTexts,
): Phrase {
  // Conditions are evaluated left to right, so a part joined by the other conjunction is put in
  // brackets.
  const unwrap = (phrase: Phrase) =>
    phrase.conjunction === undefined || phrase.conjunction === conjunction
      ? phrase.text
      : translate('joins.bracket', { inner: phrase.text });
  const text = translate(`joins.${conjunction}`, { left: unwrap(left), right: unwrap(right) });
  return { text, conjunction };
}

const capitalize = (text: string, locale: string) =>
  text.replace(/^\(*\p{L}/u, (start) => start.toLocaleUpperCase(locale));

/** Condition types with a text or status value, and condition types with a number. */
const COMPARED_TYPES: ReadonlySet<Condition['type']> = new Set([
  'email_status',
  'temail_status',
  'sms_status',
  'tsms_status',
  'firstname',
  'lastname',
  'email',
  'phone',
] as const);
const NUMBER_TYPES: ReadonlySet<Condition['type']> = new Set([
  'order_count',
  'order_amount',
  'cart_product_count',
] as const);

/** Returns one condition in words, without a capital: "opened in the last 4 weeks". */
export function buildPhrase(condition: Condition, texts: SentenceTexts): string {
  const { type, operator } = condition;
  const { translate } = texts;
  if (COMPARED_TYPES.has(type))
    return comparisonPhrase(translate(`subjects.${type}`), condition, texts);
  if (NUMBER_TYPES.has(type)) return numberPhrase(translate(`subjects.${type}`), condition, texts);
  switch (type) {
    case 'tag':
    case 'specific_product':
      return translate(`phrases.${type}.${operator}`, { value: listTitles(condition, texts) });
    case 'geolocation_eu':
      return translate(`phrases.${type}.${operator}`);
    case 'not_active_subscribers':
    case 'not_active_customers':
      return translate(`phrases.${type}.${operator}`, countValues(condition, texts));
    case 'text':
      return comparisonPhrase(describeField(condition, texts), condition, texts);
    case 'number':
      return numberPhrase(describeField(condition, texts), condition, texts);
    case 'datetime':
    case 'birthday':
      return datePhrase(describeField(condition, texts), condition, texts);
    default:
      return activityPhrase(condition, texts);
  }
}

const describeField = ({ key }: Condition, { titles, translate, locale }: SentenceTexts) => {
  const title = titles[key];
  return title === undefined ? translate('gone') : isolateText(title, locale);
};

const LEFT_TO_RIGHT = /\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}/u;
const RIGHT_TO_LEFT = /\p{Script=Arabic}|\p{Script=Hebrew}/u;

/** Isolates text of another direction, so that quotes and words keep their order. */
function isolateText(text: string, locale: string): string {
  const foreignScript = locale.startsWith('fa') ? LEFT_TO_RIGHT : RIGHT_TO_LEFT;
  return foreignScript.test(text) ? `\u2068${text}\u2069` : text;
}

/**
 * Returns the title of a segment that has none: the sentence, shortened, without direction marks.
 */
export function buildTitle(sentence: string): string {
  const characters = [...sentence.replace(/[\u2068\u2069]/g, '')];
  const isLong = characters.length > MAX_TITLE_LENGTH;
  return isLong ? `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…` : characters.join('');
}

const quote = (value: string, { translate, locale }: SentenceTexts) =>
  translate('quoted', { value: isolateText(value, locale) });

/** Builds phrases for texts and statuses: "first name contains …". */
function comparisonPhrase(subject: string, condition: Condition, texts: SentenceTexts): string {
  const { translate } = texts;
  const isStatus = getOperandKind(condition.type, condition.operator)?.startsWith('status');
  const valueText = (value: string) =>
    isStatus ? translate(`statuses.${value}`) : quote(value, texts);
  const value = formatDisjunction([condition.operand, ...condition.more].map(valueText), texts);
  return translate(`compare.${condition.operator}`, { subject, value });
}

/** Numbers: "order count is above 3". */
function numberPhrase(subject: string, condition: Condition, texts: SentenceTexts): string {
  const { operator, operand, more } = condition;
  const number = (text = '') =>
    new Intl.NumberFormat(texts.locale, { maximumFractionDigits: 20 }).format(Number(text));
  return texts.translate(`measure.${operator}`, {
    subject,
    value: number(operand),
    end: number(more[0]),
  });
}

/** Builds phrases for dates in fields: "birthday is before …". */
function datePhrase(subject: string, condition: Condition, texts: SentenceTexts): string {
  return texts.translate(`dated.${condition.operator}`, {
    subject,
    ...timeValues(condition, texts),
  });
}

/** Builds the phrase for an activity and its time: "opened an email in the last 4 weeks". */
function activityPhrase(condition: Condition, texts: SentenceTexts): string {
  const { type, operator } = condition;
  const { translate } = texts;
  switch (operator) {
    case 'all':
    case 'not-blank':
      return translate(`ever.${type}`, describeEvent(condition, texts));
    case 'blank':
      return translate(`never.${type}`);
    case 'specific':
      return translate(`specific.${type}`, { value: listTitles(condition, texts) });
    default:
      return translate(`acted.${operator}`, {
        act: translate(`acts.${type}`, describeEvent(condition, texts)),
        ...timeValues(condition, texts),
      });
  }
}

/** Returns the custom event of a condition, if any. */
function describeEvent({ key }: Condition, texts: SentenceTexts): Record<string, unknown> {
  if (key === '') return {};
  const title = texts.titles[key];
  return { event: title === undefined ? texts.translate('gone') : quote(title, texts) };
}

const COUNT_OPERATORS: ReadonlySet<string> = new Set(['weeks', 'months', 'days', 'more-than']);

/** Returns the values of a phrase that name its time. */
function timeValues(condition: Condition, texts: SentenceTexts): Record<string, unknown> {
  const { operator, operand, more } = condition;
  if (COUNT_OPERATORS.has(operator)) return countValues(condition, texts);
  if (operator === 'month') return { value: formatMonthName(operand, texts.locale) };
  return { value: formatDate(operand, texts), end: formatDate(more[0] ?? operand, texts) };
}

/** Returns a number as a value and as formatted text: `count` selects the plural form. */
function countValues({ operand }: Condition, { locale }: SentenceTexts) {
  const count = Number(operand);
  return { count, number: new Intl.NumberFormat(locale).format(count) };
}

function formatDate(text: string, { locale, date }: SentenceTexts): string {
  const [day = '', time = ''] = text.split(' ');
  const instant = new Date(`${day}T${time || '00:00:00'}Z`);
  if (Number.isNaN(instant.getTime())) return text;
  const dayText = date?.(day) ?? formatFor(locale, { dateStyle: 'medium' }).format(instant);
  if (time === '' || time === '00:00:00' || time === '23:59:59') return dayText;
  return `${dayText} ${formatFor(locale, { timeStyle: 'short' }).format(instant)}`;
}

/**
 * Returns the name of a month by its number from 1. In every language it is a month of the
 * Gregorian calendar, which is used to store birthdays.
 */
export function formatMonthName(month: string, locale: string): string {
  const at = new Date(Date.UTC(2000, Number(month) - 1, 1));
  const options = { month: 'long', calendar: 'gregory', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale, options).format(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a cached formatter, because creating one takes a hundred times as long as using it. */
function formatFor(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${options.timeStyle ?? ''}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    formats.set(key, format);
  }
  return format;
}

function listTitles(condition: Condition, texts: SentenceTexts): string {
  const titles = [condition.operand, ...condition.more].map((id) => texts.titles[id]);
  const quotedTitles = titles.map((title) =>
    title === undefined ? texts.translate('gone') : quote(title, texts),
  );
  return formatDisjunction(quotedTitles, texts);
}

const formatDisjunction = (values: string[], { locale }: SentenceTexts) =>
  new Intl.ListFormat(locale, { type: 'disjunction' }).format(values);
