// What is remembered beside the answers of a sign-up until its mailbox has answered, and what its prize becomes.
import type { FieldValue } from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import type { Settings } from '../settings-contract.ts';
import type { Prize } from './wheel.ts';

/** Beside the answers: the address is to be confirmed by email, as the form demanded when they came. */
export const MUST_CONFIRM = '__confirm';
/** Its value where nothing was proven: the mailbox is asked whatever the form demands, and a prize waits for it. */
export const UNPROVEN = 'unproven';

/** The prize in the field that the wheel's author chose for it. */
export function prizeValue(
  { wheel_config: wheel }: Settings,
  prize: Prize,
  fields: readonly { id: number }[],
): Record<number, FieldValue> {
  const id = decodeId('field', wheel?.custom_field ?? '');
  if (id === undefined || !fields.some((field) => field.id === id)) return {};
  const won = prize.code || prize.label;
  return { [id]: prize.is_losing ? wheel?.losing_slice_val || prize.label : won };
}
