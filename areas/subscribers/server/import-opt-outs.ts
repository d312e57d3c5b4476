// Opt-outs, bounces and complaints in repeated rows of an address: the row is skipped as a
// repetition, but its status applies to the address.
import type { Tx } from '#platform/server/database/database.ts';
import type { ImportedRecord } from './imported-people.ts';
import { optOut } from './opt-outs.ts';

type OptOutStatus = 'unsubscribed' | 'bounced' | 'reported';
const OPT_OUT_STATUSES: readonly OptOutStatus[] = ['unsubscribed', 'bounced', 'reported'];

export function hasOptOut(record: ImportedRecord): boolean {
  return OPT_OUT_STATUSES.some(
    (status) => status === record.emailStatus || status === record.smsStatus,
  );
}

/**
 * Applies the opt-outs of these rows. Called in the batch's transaction, once its subscribers
 * exist.
 */
export async function applyOptOuts(
  tx: Tx,
  accountId: number,
  records: readonly ImportedRecord[],
): Promise<void> {
  for (const channel of ['email', 'sms'] as const)
    for (const reason of OPT_OUT_STATUSES) {
      const keys = records.flatMap((record) => {
        const status = channel === 'email' ? record.emailStatus : record.smsStatus;
        const key = channel === 'email' ? record.emailKey : record.phone;
        return status === reason && key !== null ? [key] : [];
      });
      await optOut(tx, accountId, keys, { channel, reason });
    }
}
