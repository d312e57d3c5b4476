// Two accounts, the first of which has subscribers.
import {
  createSubscriber,
  type NewPerson,
  readSubscriber,
} from '#areas/subscribers/server/index.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { testServer } from '../setup/server.ts';

export async function setUpPeople() {
  const server = await testServer();
  const { accountId } = await server.owner();
  const { accountId: otherAccount } = await server.owner();
  let made = 0;
  const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
  /** Each with its own address by default. */
  const add = (input: Partial<NewPerson> = {}, account = accountId) =>
    inTx((tx) =>
      createSubscriber(tx, account, { email: `p${++made}@x.example`, source: 'manual', ...input }),
    );
  const read = (id: number) => readSubscriber(server.db, accountId, id);
  return { server, accountId, otherAccount, inTx, add, read };
}
