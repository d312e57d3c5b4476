// Opt-outs, bounces and complaints of rows that are not taken in, because the file has named the address
// before: the row is a repetition, what it tells of the address is not.
import type { Tx } from '#platform/server/database.ts';
import type { ImportedPerson } from './imported-people.ts';
import { optOut } from './opt-outs.ts';

type Told = 'unsubscribed' | 'bounced' | 'reported';
const told: readonly Told[] = ['unsubscribed', 'bounced', 'reported'];

export function tellsOptOut(person: ImportedPerson): boolean {
  return told.some((one) => one === person.emailStatus || one === person.smsStatus);
}

/** In the transaction of the batch that these rows stand in, after its people are there. */
export async function tellOptOuts(
  tx: Tx,
  accountId: number,
  people: readonly ImportedPerson[],
): Promise<void> {
  for (const channel of ['email', 'sms'] as const)
    for (const reason of told) {
      const keys = people.flatMap((person) => {
        const status = channel === 'email' ? person.emailStatus : person.smsStatus;
        const key = channel === 'email' ? person.emailKey : person.phone;
        return status === reason && key !== null ? [key] : [];
      });
      await optOut(tx, accountId, keys, { channel, reason });
    }
}
