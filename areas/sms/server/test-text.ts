// A test SMS: to numbers its author types, with the values of the newest SMS subscriber.
import { personValues } from '#areas/content/server/index.ts';
import { sendOne } from '#areas/delivery/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { parsePhone } from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import { frozenOf } from './owner.ts';
import { newestPerson } from './people.sql.ts';
import { maySendFrom } from './phone-owners.ts';
import { findPhone } from './phones.sql.ts';
import type { SmsRow } from './sms.sql.ts';

/** Returns how many were sent. */
export async function sendTest(
  tx: Tx,
  row: SmsRow,
  phones: readonly string[],
  publicUrl: string,
): Promise<number> {
  const { account_id: accountId, id: sourceId } = row;
  const sender = row.phone_id === null ? undefined : await findPhone(tx, accountId, row.phone_id);
  if (!(await maySendFrom(tx, accountId, sender))) throw new AppError('phone_not_active');
  const numbers = phones.map((phone) => parsePhone(phone));
  const fault = numbers.find((number) => typeof number === 'string');
  if (fault !== undefined) throw invalid({ phones: [`errors.${String(fault)}`] });
  const text = await frozenOf(tx, row, publicUrl);
  const person = await newestPerson(tx, accountId);
  const values = person ? personValues(person, await readFields(tx, accountId)) : {};
  for (const number of numbers) {
    if (typeof number === 'string') continue;
    await sendOne(tx, {
      accountId,
      kind: 'sms_test',
      sourceId,
      text,
      recipient: number.phone,
      values,
      idempotencyKey: crypto.randomUUID(),
    });
  }
  return numbers.length;
}
