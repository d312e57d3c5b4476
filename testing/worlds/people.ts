// Two accounts; subscribers are added to the first one by default.
import {
  createSubscriber,
  type NewSubscriber,
  readSubscriber,
} from '#areas/subscribers/server/index.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { testServer } from '../setup/server.ts';

export async function setUpPeople() {
  const server = await testServer();
  const { accountId } = await server.owner();
  const { accountId: otherAccount } = await server.owner();
  let addedCount = 0;
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
  /** Adds a subscriber, by default with a new address. */
  const add = (input: Partial<NewSubscriber> = {}, account = accountId) =>
    inTx((tx) =>
      createSubscriber(tx, account, {
        email: `p${++addedCount}@x.example`,
        source: 'manual',
        ...input,
      }),
    );
  const readSubscriberById = (id: number) => readSubscriber(server.db, accountId, id);
  return { server, accountId, otherAccount, inTx, add, read: readSubscriberById };
}
