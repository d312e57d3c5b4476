// The coupon code for signing up, shown by the “Prize or code” block of the success view. Wheels
// have separate codes.
import type { FormDocument, FormType } from '#embed/forms/shared/document.ts';

/** The setting `coupon` of a form. */
export type FormCoupon = { source: 'fixed' | 'pool'; prize: string; code: string; pool_id: string };

export const hasCodeBlock = ({ success }: FormDocument): boolean =>
  success.some(({ kind }) => kind === 'code');

/** @param coupon undefined in versions published before coupons existed */
export const isCouponSet = (coupon: FormCoupon | undefined): boolean =>
  coupon !== undefined && (coupon.source === 'fixed' ? coupon.code : coupon.pool_id) !== '';

/** Returns the coupon for sign-ups, or undefined if the success view shows no code. */
export const findCoupon = (
  type: FormType,
  document: FormDocument,
  { coupon }: { coupon?: FormCoupon | undefined },
): FormCoupon | undefined =>
  type !== 'spinToWin' && hasCodeBlock(document) && isCouponSet(coupon) ? coupon : undefined;

/**
 * Beginnings of words for a code, a coupon or a discount in the languages of forms with Latin
 * letters.
 */
const PROMISE_WORDS = [
  ...['code', 'coupon', 'discount', 'kod', 'nuolaid', 'zniżk', 'rabat', 'código', 'cupón'],
  ...['descuento', 'atlaid', 'kupon', 'kupong', 'rabatt'],
];
const PROMISE = new RegExp(
  `[\\d۰-۹]\\s?[%٪]|(?<!\\p{L})(${PROMISE_WORDS.join('|')})|(rabatt|kupong)\\p{L}*|کد|تخفیف`,
  'iu',
);

/** Returns whether the form's text promises a code or a discount. */
export const promisesCode = ({ steps, teaser }: FormDocument): boolean =>
  [teaser, ...steps.flatMap(({ blocks }) => blocks.flatMap(listPromiseTexts))].some((text) =>
    PROMISE.test(text),
  );

function listPromiseTexts(block: FormDocument['success'][number]): string[] {
  return block.kind === 'heading' || block.kind === 'text' || block.kind === 'button'
    ? [block.text]
    : [];
}
