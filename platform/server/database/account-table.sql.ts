// Plain statements for tables with rows found by account and key. An area selects the statements it
// needs in its own *.sql.ts: `export const { find: findImport } = accountTable('imports', 'id')`.
import type { ExpressionBuilder, Selectable, Updateable } from 'kysely';
import type { DB } from './database.generated.ts';
import type { Reader, Tx } from './database.ts';

/** Names of tables with a column account_id. */
type TableName = {
  [Name in keyof DB]: 'account_id' extends keyof DB[Name] ? Name : never;
}[keyof DB];
type Row<Name extends TableName> = Selectable<DB[Name]>;
type Columns<Name extends TableName> = readonly (keyof Row<Name> & string)[];
/** The values of the key's columns. */
type Values<Name extends TableName, Key extends Columns<Name>> = {
  -readonly [Index in keyof Key]: Row<Name>[Key[Index]];
};

/** `key`: the columns that identify a row within its account; none for one row per account. */
export function accountTable<Name extends TableName, const Key extends Columns<Name>>(
  name: Name,
  ...key: Key
) {
  // Typed as one arbitrary table, because the builder needs only the name; callers see the types of
  // `name`.
  const table = name as 'groups';
  const isRow = (accountId: number, values: readonly unknown[]) => {
    const ids = Object.fromEntries(key.map((column, index) => [column, values[index] as number]));
    return (e: ExpressionBuilder<DB, 'groups'>) => e.and({ account_id: accountId, ...ids });
  };
  const selectRow = (db: Reader, accountId: number, values: readonly unknown[]) =>
    db.selectFrom(table).selectAll().where(isRow(accountId, values)).$castTo<Row<Name>>();
  const updateRow = (tx: Tx, accountId: number, args: readonly unknown[]) =>
    tx
      .updateTable(table)
      .set(args.at(-1) as Updateable<DB['groups']>)
      .where(isRow(accountId, args));
  const deleteRow = (tx: Tx, accountId: number, values: readonly unknown[]) =>
    tx.deleteFrom(table).where(isRow(accountId, values));
  return {
    find: (
      db: Reader,
      accountId: number,
      ...values: Values<Name, Key>
    ): Promise<Row<Name> | undefined> => selectRow(db, accountId, values).executeTakeFirst(),
    /** Locks the row until the transaction ends. */
    lock: (
      tx: Tx,
      accountId: number,
      ...values: Values<Name, Key>
    ): Promise<Row<Name> | undefined> =>
      selectRow(tx, accountId, values).forUpdate().executeTakeFirst(),
    update: async (
      tx: Tx,
      accountId: number,
      ...args: [...Values<Name, Key>, changes: Updateable<DB[Name]>]
    ): Promise<void> => {
      await updateRow(tx, accountId, args).execute();
    },
    updateReturning: (
      tx: Tx,
      accountId: number,
      ...args: [...Values<Name, Key>, changes: Updateable<DB[Name]>]
    ): Promise<Row<Name> | undefined> =>
      updateRow(tx, accountId, args).returningAll().$castTo<Row<Name>>().executeTakeFirst(),
    /** Returns false if there was no such row. */
    delete: async (tx: Tx, accountId: number, ...values: Values<Name, Key>): Promise<boolean> => {
      const { numDeletedRows } = await deleteRow(tx, accountId, values).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    deleteReturning: (
      tx: Tx,
      accountId: number,
      ...values: Values<Name, Key>
    ): Promise<Row<Name> | undefined> =>
      deleteRow(tx, accountId, values).returningAll().$castTo<Row<Name>>().executeTakeFirst(),
  };
}
