// Finds issues of a draft, such as a promised coupon code that does not exist, low contrast, fields
// without labels, phone fields without consent, or a form that cannot be submitted.
import type { FormType } from '#embed/forms/shared/document.ts';
import { hasConsent } from '../../consent.ts';
import { hasCodeBlock, isCouponSet, promisesCode } from '../../coupon.ts';
import { type FormDraft, listFieldBlocks } from './draft.ts';

export type DraftIssue =
  | 'email'
  | 'button'
  | 'code'
  | 'promise'
  | 'pool'
  | 'contrast'
  | 'labels'
  | 'sms'
  | 'groups'
  | 'options';

/** Issues of a draft that promises a coupon code which visitors would not receive. */
export const COUPON_ISSUES: readonly DraftIssue[] = ['code', 'promise', 'pool'];

/** The minimum contrast of WCAG for text of normal size. */
const CONTRAST = 4.5;

/** @param codesLeft the unused codes of the form's coupon pool; undefined while unknown */
export function findDraftIssues(
  { document, settings, groups }: FormDraft,
  type: FormType,
  codesLeft?: number,
): DraftIssue[] {
  const { styles, steps } = document;
  const fields = listFieldBlocks(document);
  const pairs = [
    [styles.colour, styles.background],
    [styles.heading, styles.background],
    [styles.fieldColour, styles.fieldBackground],
    [styles.buttonColour, styles.button],
  ] as const;
  const { coupon } = settings;
  const hasCoupon = type !== 'spinToWin' && hasCodeBlock(document);
  const hasIssue: Record<DraftIssue, boolean> = {
    email: !fields.some(
      ({ field, required }) => required && (field === 'email' || field === 'phone'),
    ),
    button: steps.some(({ blocks }) => !blocks.some(({ kind }) => kind === 'button')),
    code: hasCoupon && !isCouponSet(coupon),
    promise: type !== 'spinToWin' && !hasCoupon && promisesCode(document),
    pool: hasCoupon && coupon.source === 'pool' && coupon.pool_id !== '' && codesLeft === 0,
    contrast: pairs.some(([ink, background]) => computeContrast(ink, background) < CONTRAST),
    labels: fields.some(
      ({ as, label, placeholder }) => as !== 'hidden' && !label.trim() && !placeholder.trim(),
    ),
    sms: fields.some(({ as }) => as === 'phone') && !hasConsent(document, 'sms'),
    options: fields.some(
      ({ as, options }) => (as === 'select' || as === 'choices') && options.length === 0,
    ),
    groups: groups.length === 0,
  };
  return (Object.keys(hasIssue) as DraftIssue[]).filter((issue) => hasIssue[issue]);
}

export function computeContrast(ink: string, background: string): number {
  const [a = 0, b = 0] = [computeLuminance(ink), computeLuminance(background)].toSorted(
    (a, b) => b - a,
  );
  return (a + 0.05) / (b + 0.05);
}

function computeLuminance(color: string): number {
  const shortHex = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(color);
  const hex = shortHex
    ? shortHex
        .slice(1)
        .map((digit) => digit + digit)
        .join('')
    : color.slice(1, 7);
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
