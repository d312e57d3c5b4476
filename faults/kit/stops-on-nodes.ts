// Sends STOP during a node's outage to a phone number that one account on each node has added.
import { sql } from 'kysely';
import { ingestInbound } from '#areas/sms/server/index.ts';
import { NodeUnreachableError } from '#platform/server/database/across-accounts.sql.ts';
import { type Scene, waitUntil } from '../kit.ts';

const NUMBER = '+18335550101';
/** Every SMS provider repeats a refused delivery for at least this long. */
const RETRY_SECONDS = 60;

export async function openStops({ db }: Scene, accounts: readonly number[]) {
  for (const account of accounts) {
    // Contested numbers have no owner; a STOP still applies to every account that holds the number.
    await sql`insert into phones (account_id, kind, value, value_key, use_case, status, created_at, modified_at)
      values (${account}, 'toll_free', ${NUMBER}, ${NUMBER}, 'Offers', 'draft', now(), now())`.execute(
      db,
    );
  }
  let count = 0;
  const deliverStop = (eventId: string) =>
    ingestInbound(db, { from: '+15125550101', to: NUMBER, text: 'STOP', eventId, at: new Date() });
  const isStored = async (account: number, eventId: string) => {
    const { rows } = await sql`select 1 from sms_inbound
      where account_id = ${account} and event_id = ${eventId}`.execute(db);
    return rows.length;
  };
  return {
    /**
     * Sends the STOP during a node's outage. The delivery must be refused, so that the provider
     * repeats it, but the STOP must be stored for the accounts on other nodes.
     */
    async write(elsewhere: readonly number[]): Promise<{ eventId: string; problems: string[] }> {
      const eventId = `stop ${++count}`;
      const error = await deliverStop(eventId).catch((thrown: unknown) => thrown);
      const problems =
        error instanceof NodeUnreachableError ? [] : [`An SMS was not refused: ${error}`];
      for (const account of elsewhere) {
        if ((await isStored(account, eventId)) !== 1)
          problems.push(`STOP to account ${account} was lost`);
      }
      return { eventId, problems };
    },
    /**
     * Retries as a provider does until the STOP is accepted; then every account must have it
     * exactly once.
     */
    async redeliver(eventId: string): Promise<string[]> {
      const isAccepted = () =>
        deliverStop(eventId).then(
          () => true,
          () => false,
        );
      if (!(await waitUntil(isAccepted, RETRY_SECONDS)))
        return ['An SMS was refused although all nodes were up again'];
      const counts = await Promise.all(accounts.map((account) => isStored(account, eventId)));
      return counts.every((count) => count === 1)
        ? []
        : [`An SMS exists ${counts.join(', ')} times`];
    },
  };
}
