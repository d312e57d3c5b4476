// What delivery asks of texts: a frozen text compiled once, each copy with its own links, held where it is
// too late or too early there.
import { compileText, momentOf, type TextSource as Words } from '#areas/content/server/index.ts';
import { measure } from '#areas/content/text-parts.ts';
import {
  type CompiledText,
  setTextChannel,
  type TextCopy,
  type TextSource,
  type WrittenText,
} from '#areas/delivery/server/index.ts';
import { phoneCountry } from '#areas/subscribers/server/index.ts';
import { type PhoneKind, reaches } from '../limits.ts';
import { heldUntil, openUntil, placesOf } from './hours.ts';
import { maySendAs } from './phone-owners.ts';
import { makeShortCode } from './short-code.ts';

/** What is frozen of a text; every process compiles the same from it. */
export type FrozenText = TextSource & {
  words: Words;
  publicUrl: string;
  /** It comes from a name. */
  isName: boolean;
  /** What it comes from; of what was frozen before, only names are known. */
  kind?: PhoneKind;
};

export function openTextChannel(publicUrl: string): void {
  setTextChannel({
    compile: (source) => compile(source as FrozenText),
    mayComeFrom: maySendAs,
    callbackUrl: (reference) => toldUrl(publicUrl, reference),
  });
}

/** Where a provider tells what became of a text. */
export const toldUrl = (publicUrl: string, reference: string) =>
  `${publicUrl}/hooks/sms/told/${reference}`;

function compile({ words, publicUrl, isName, kind }: FrozenText): CompiledText {
  const compiled = compileText(words);
  const sender = kind ?? (isName ? 'alphanumeric' : undefined);
  return {
    names: compiled.names,
    links: compiled.links,
    write: (copy) => {
      const isBarred = sender !== undefined && !reaches(sender, phoneCountry(copy.to));
      const links = (position: number) => `${publicUrl}/s/${codeOf(copy, position)}`;
      const text = compiled.render(copy.values, momentOf(copy.now, words.locale), links);
      return { ...sizeOf(text), ...(isBarred ? { skip: 'phone_not_active' } : whenOf(copy)) };
    },
  };
}

const codeOf = (
  { accountId: account, messageId: message, subscriberId: subscriber, single }: TextCopy,
  position: number,
) => makeShortCode({ account, message, position, subscriber, single });

function sizeOf(text: string): Pick<WrittenText, 'text' | 'encoding' | 'parts'> {
  const { encoding, parts } = measure(text);
  return { text, encoding: encoding === 'GSM-7' ? 'gsm7' : 'ucs2', parts };
}

/** Marketing waits for the hours of where it goes; providers queue for hours, so it ends with the window. */
function whenOf({
  to,
  now,
  isMarketing,
  ...known
}: TextCopy): Pick<WrittenText, 'hold' | 'expiresAt'> {
  if (!isMarketing) return {};
  const places = placesOf(to, known);
  const until = heldUntil(places, now);
  if (until) return { hold: { until, reason: 'quiet_hours' } };
  return { expiresAt: openUntil(places, now) };
}
