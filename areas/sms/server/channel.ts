// Implements delivery's SMS channel: a frozen SMS is compiled once, each copy gets its own links,
// and marketing copies wait during quiet hours at their destination.
import {
  compileSms,
  createRenderMoment,
  type TextSource as Words,
} from '#areas/content/server/index.ts';
import { measure } from '#areas/content/text-parts.ts';
import {
  type CompiledSmsMessage,
  setSmsChannel,
  type SmsCopy,
  type SmsMessageSource,
  type WrittenSms,
} from '#areas/delivery/server/sender/index.ts';
import { findPhoneCountry } from '#areas/subscribers/server/index.ts';
import { type PhoneKind, canReach } from '../shared.ts';
import { findDelayEnd, findEndOfHours, listZoneRules } from './hours.ts';
import { maySendAs } from './phone-owners.ts';
import { makeShortCode } from './short-code.ts';

/** A frozen SMS; every process compiles the same copies from it. */
export type FrozenSmsText = SmsMessageSource & {
  words: Words;
  publicUrl: string;
  /** Whether the sender is an alphanumeric ID. */
  isName: boolean;
  /** Kind of the sender; SMS frozen by earlier versions have only `isName`. */
  kind?: PhoneKind;
};

export function registerSmsChannel(publicUrl: string): void {
  setSmsChannel({
    compile: (source) => compileCopy(source as FrozenSmsText),
    maySendFrom: maySendAs,
    callbackUrl: (reference) => buildReceiptUrl(publicUrl, reference),
  });
}

/** Returns the URL where a provider reports the delivery receipts of one SMS. */
export const buildReceiptUrl = (publicUrl: string, reference: string) =>
  `${publicUrl}/hooks/sms/receipts/${reference}`;

function compileCopy({
  words: source,
  publicUrl,
  isName,
  kind,
}: FrozenSmsText): CompiledSmsMessage {
  const compiledSms = compileSms(source);
  const sender = kind ?? (isName ? 'alphanumeric' : undefined);
  return {
    names: compiledSms.names,
    links: compiledSms.links,
    write: (copy) => {
      const isBarred = sender !== undefined && !canReach(sender, findPhoneCountry(copy.to));
      const createLinks = (position: number) => `${publicUrl}/s/${createLinkCode(copy, position)}`;
      const text = compiledSms.render(
        copy.values,
        createRenderMoment(copy.now, source.locale),
        createLinks,
      );
      return {
        ...measureText(text),
        ...(isBarred ? { skipReason: 'phone_not_active' } : computeDeliveryWindow(copy)),
      };
    },
  };
}

const createLinkCode = (
  { accountId: account, messageId: message, subscriberId: subscriber, singleId }: SmsCopy,
  position: number,
) => makeShortCode({ account, message, position, subscriber, single: singleId });

function measureText(text: string): Pick<WrittenSms, 'text' | 'encoding' | 'parts'> {
  const { encoding, parts } = measure(text);
  return { text, encoding: encoding === 'GSM-7' ? 'gsm7' : 'ucs2', parts };
}

/**
 * Makes marketing SMS wait for the hours that are allowed at the destination. Providers may queue
 * an SMS for hours, so its validity ends with the allowed hours.
 */
function computeDeliveryWindow({
  to,
  now,
  isMarketing,
  ...known
}: SmsCopy): Pick<WrittenSms, 'delay' | 'expiresAt'> {
  if (!isMarketing) return {};
  const zoneRules = listZoneRules(to, known);
  const delayedTo = findDelayEnd(zoneRules, now);
  if (delayedTo) return { delay: { until: delayedTo, reason: 'quiet_hours' } };
  return { expiresAt: findEndOfHours(zoneRules, now) };
}
