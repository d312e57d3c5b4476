// The marker stored with the answers of a sign-up that must confirm its address. Also converts the
// prize of a sign-up to the value of a field.
import type { FieldValue } from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import type { FormSettings } from '../settings-contract.ts';
import type { Prize } from './wheel.ts';

/** Key of the marker for a sign-up that must confirm its address by email. */
export const MUST_CONFIRM = '__confirm';
/**
 * The marker's value for a sign-up without a proof: a confirmation email is sent even if the form
 * does not require it, and a prize waits for the confirmation.
 */
export const UNPROVEN = 'unproven';

/** Returns the prize as a value of the field that the wheel's author chose for it. */
export function toPrizeValue(
  { wheel_config: wheel }: FormSettings,
  prize: Prize,
  fields: readonly { id: number }[],
): Record<number, FieldValue> {
  const id = decodeId('field', wheel?.custom_field ?? '');
  if (id === undefined || !fields.some((field) => field.id === id)) return {};
  const prizeText = prize.code || prize.label;
  return { [id]: prize.is_losing ? wheel?.losing_slice_val || prize.label : prizeText };
}
