// Encodes what the image of a countdown block shows, and formats the block's end as text. The image
// is drawn when it is requested (countdowns/draw-countdown.ts).
import { LOCALE, type Language } from '#platform/languages.ts';
import type { CountdownBlock } from '../../document.ts';
import { getDateFormat, toInstant } from './calendar.ts';
import type { DocumentContext } from './frame.ts';

/** Size of every image in pixels; twice as wide as most columns, for sharp digits. */
export const COUNTDOWN_SIZE = { width: 1080, height: 280 } as const;

/** The values that the image of a countdown shows. The URL of the image contains them. */
export type CountdownValues = [
  /** Seconds since 1970. */
  end: number,
  language: Language,
  digits: string,
  boxes: string,
  ended: string,
];

/** Returns undefined if there is no valid end. */
export function encodeCountdown(block: CountdownBlock, language: Language): string | undefined {
  const end = toInstant(block.ends, block.zone);
  if (!end) return undefined;
  const { digits, boxes, ended } = block;
  const values: CountdownValues = [end.getTime() / 1000, language, digits, boxes, ended.trim()];
  return JSON.stringify(values);
}

/** Returns the end in the email's language; '' if it is invalid. */
export function formatEnd(
  { ends, zone }: CountdownBlock,
  { language, texts }: Pick<DocumentContext, 'language' | 'texts'>,
): string {
  const end = toInstant(ends, zone);
  return end ? `${texts.countdownEnds} ${getDateFormat(LOCALE[language], zone).format(end)}` : '';
}
