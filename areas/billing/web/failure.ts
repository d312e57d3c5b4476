// The reason for a failed payment, in the reader's language.
import { useTexts } from '#platform/web/texts/texts.ts';

/** Reasons with a specific message; other reasons have a general message. */
const KNOWN_FAILURES = new Set([
  'card_declined',
  'insufficient_funds',
  'lost_card',
  'expired_card',
  'not_authenticated',
  'given_up',
  'not_reached',
]);

export function useFailureText(): (failure: string | null) => string {
  const t = useTexts('billing');
  return (failure) =>
    t(`failed.${failure !== null && KNOWN_FAILURES.has(failure) ? failure : 'other'}`);
}
