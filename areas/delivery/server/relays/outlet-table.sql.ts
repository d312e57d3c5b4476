// Queries that the tables of an account's own relays and own SMS providers share.
import { type Insertable, type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { RelayHealth } from '../../relay-limits.ts';

type OutletRow<Name extends 'relays' | 'sms_providers'> = Selectable<DB[Name]>;
type OutletHealth = { state: RelayHealth; code: string | null; reply: string | null; at: Date };

export function outletTable<Name extends 'relays' | 'sms_providers'>(name: Name) {
  // Both tables have the columns named here; callers see the types of `name`.
  const table = name as 'relays';
  return {
    /** Lists the account's outlets in order of use. */
    list: (db: Reader, accountId: number): Promise<OutletRow<Name>[]> =>
      db
        .selectFrom(table)
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('priority')
        .orderBy('id')
        .$castTo<OutletRow<Name>>()
        .execute(),
    insert: (tx: Tx, outlet: Insertable<DB[Name]>): Promise<OutletRow<Name>> =>
      tx
        .insertInto(table)
        .values(outlet as Insertable<DB['relays']>)
        .returningAll()
        .$castTo<OutletRow<Name>>()
        .executeTakeFirstOrThrow(),
    /** Stores the health of an outlet. `health_since` changes only if the state changes. */
    saveHealth: async (
      db: Db,
      accountId: number,
      id: number,
      { state, code, reply, at }: OutletHealth,
    ): Promise<void> => {
      await db
        .updateTable(table)
        .set({
          health_since: sql`case when health = ${state} then health_since else ${at} end`,
          ...{ health: state, health_at: at, health_code: code, health_reply: reply },
        })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
    },
  };
}
