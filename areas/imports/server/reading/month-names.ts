// Recognizes month names by their prefixes, in the languages that imported lists may use.

/**
 * The prefixes of each month in English, German, Dutch, Nordic, Romance, Baltic and Slavic
 * languages, Finnish, Estonian, Hungarian, … They are compared without case and diacritics.
 */
const stems = [
  'jan jaan jän gen ene ian saus sty led tammi oca янв січ ιαν ژانویه',
  'feb feb fev fév febr veebr lut uno úno vas helmi sub şub фев лют φεβ فوریه',
  'mar mär mrz maa maar mrt márc bre bře kov maalis берез бер мар μαρ مارس',
  'apr abr avr bal kwi dub duben huhti nis апр кві απρ آوریل',
  'may mai maj máj mei mag maio geg kve kvě touko мая май тра μαι μαϊ مه می',
  'jun jún juin juuni giu iun birž birz cze cer čer kesä kesa haz июн чер ιουν ژوئن',
  'jul júl juil juuli lug iul liep lip cervenec červenec července heinä heina tem июл лип ιουλ ژوئیه جولای',
  'aug aoû aou ago rugp sie srp elo ağu agu авг сер αυγ اوت آگوست',
  'sep set szep rugs wrz zář zar syys eyl сен вер σεπ سپتامبر',
  'oct okt ott out spal paź paz říj rij loka eki окт жов οκτ اکتبر',
  'nov noi lapk lis marras kas ноя лис νοε نوامبر',
  'dec dez des déc dic dets gruod gru pro joulu ara дек гру δεκ دسامبر',
].map((names) => names.split(' ').map(fold));

const persian = 'فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند'
  .split(' ')
  .map(fold);

function fold(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ي/g, 'ی')
    .replace(/ı/g, 'i');
}

/** Longest first: 'marras' is November, 'mar' March. */
const monthByStem: ReadonlyArray<readonly [string, number]> = stems
  .flatMap((names, month) => names.map((name): [string, number] => [name, month + 1]))
  .sort(([a], [b]) => b.length - a.length);

const monthCache = new Map<string, number | undefined>();
const MAX_REMEMBERED = 1000;

/** Returns 1 to 12, or undefined for an unknown name. */
export function parseMonthName(name: string): number | undefined {
  if (monthCache.has(name)) return monthCache.get(name);
  const normalized = fold(name);
  const month = monthByStem.find(([stem]) => normalized.startsWith(stem))?.[1];
  if (monthCache.size < MAX_REMEMBERED) monthCache.set(name, month);
  return month;
}

/** Returns 1 to 12 in the Persian calendar. */
export function parsePersianMonthName(name: string): number | undefined {
  const index = persian.indexOf(fold(name));
  return index === -1 ? undefined : index + 1;
}
