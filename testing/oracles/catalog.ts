// Checks the schema rules that allow distribution by account over a cluster, on the catalog of a
// migrated database (docs/operations/cluster.md, 'Schema').
import pg from 'pg';
import declared from '../../migrations/tables.json' with { type: 'json' };

const GLOBAL = new Set([...declared.reference, ...declared.local]);

/** Returns the distribution column of a table, or undefined for a global table. */
export function findAccountColumn(table: string): string | undefined {
  if (GLOBAL.has(table)) return undefined;
  return table === 'accounts' ? 'id' : 'account_id';
}

/** Returns all tables with an account column, without partitions. */
export async function listAccountTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition order by relname`,
  );
  return rows.map(({ name }) => name).filter((name) => findAccountColumn(name));
}

/** Returns violations of the schema rules, one sentence each. */
export async function findCatalogViolations(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return [
      ...(await columnViolations(client)),
      ...(await keyViolations(client)),
      ...(await foreignKeyViolations(client)),
      ...(await shapeViolations(client)),
    ];
  } finally {
    await client.end();
  }
}

async function columnViolations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string; type: string | null; required: boolean }>(
    `select c.relname as table, a.atttypid::regtype::text as type, a.attnotnull as required
    from pg_class c left join pg_attribute a on a.attrelid = c.oid
      and a.attname = case c.relname when 'accounts' then 'id' else 'account_id' end
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  return rows
    .filter(
      ({ table, type, required }) => findAccountColumn(table) && !(type === 'bigint' && required),
    )
    .map(({ table, type }) =>
      type === null
        ? `${table} has no account_id and is not declared global in migrations/tables.json.`
        : `${table}.${findAccountColumn(table)} must be bigint not null.`,
    );
}

/**
 * Checks that every table has a primary key and every unique key of an account table contains the
 * account.
 */
async function keyViolations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string; index: string | null; columns: string[] }>(
    `select c.relname as table, k.relname as index, coalesce(i.indisprimary, false) as is_primary,
      array(select attname::text from pg_attribute
        where attrelid = c.oid and attnum = any (i.indkey)) as columns
    from pg_class c
    left join pg_index i on i.indrelid = c.oid and i.indisunique
    left join pg_class k on k.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const primary = await client.query<{ table: string }>(
    `select c.relname as table from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  );
  return [
    ...primary.rows.map(({ table }) => `${table} has no primary key.`),
    ...rows
      .filter(({ table, index, columns }) => {
        const account = findAccountColumn(table);
        return index !== null && account !== undefined && !columns.includes(account);
      })
      .map(({ table, index }) => `${table}: the unique key ${index} does not contain the account.`),
  ];
}

interface ForeignKey {
  name: string;
  from: string;
  to: string;
  columns: string[];
  targets: string[];
  on_delete: string;
  on_update: string;
}

async function foreignKeyViolations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<ForeignKey>(
    `select f.conname as name, f.conrelid::regclass::text as from, f.confrelid::regclass::text as to,
      array(select a.attname::text from unnest(f.conkey) with ordinality k(n, place)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.n order by place) as columns,
      array(select a.attname::text from unnest(f.confkey) with ordinality k(n, place)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.n order by place) as targets,
      f.confdeltype as on_delete, f.confupdtype as on_update
    from pg_constraint f where f.contype = 'f' and f.conparentid = 0
      and f.connamespace = 'public'::regnamespace`,
  );
  return rows.flatMap((key) => {
    const report = (problem: string) => `${key.from}: the foreign key ${key.name} ${problem}.`;
    const [accountOfFrom, accountOfTo] = [findAccountColumn(key.from), findAccountColumn(key.to)];
    const accountPosition = accountOfFrom === undefined ? -1 : key.columns.indexOf(accountOfFrom);
    return [
      ...(['a', 'c'].includes(key.on_delete) && key.on_update === 'a'
        ? []
        : [report('may do nothing or cascade on delete, and nothing on update')]),
      ...(accountOfFrom === undefined && accountOfTo !== undefined
        ? [report('points from a global table to an account table')]
        : []),
      ...(accountOfFrom !== undefined && declared.local.includes(key.to)
        ? [report('points to a table that is local to one node')]
        : []),
      ...(accountOfFrom !== undefined &&
      accountOfTo !== undefined &&
      key.targets[accountPosition] !== accountOfTo
        ? [report('does not pair the accounts of both tables')]
        : []),
    ];
  });
}

/**
 * Checks for triggers, inheritance, partitions in partitions, int4 serials, and partitioned tables
 * without a default partition.
 */
async function shapeViolations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ message: string }>(
    `select t.tgrelid::regclass || ' has the trigger ' || t.tgname || '.' as message
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = 'public'::regnamespace
    union all
    select i.inhrelid::regclass || ' inherits.' from pg_inherits i
      join pg_class p on p.oid = i.inhparent
      where p.relkind = 'r' and p.relnamespace = 'public'::regnamespace
    union all
    select c.oid::regclass || ' is a partition that is partitioned again.' from pg_class c
      where c.relkind = 'p' and c.relispartition and c.relnamespace = 'public'::regnamespace
    union all
    select c.oid::regclass || ' has no default partition.' from pg_class c
      join pg_partitioned_table p on p.partrelid = c.oid
      where p.partdefid = 0 and p.partstrat <> 'h' and c.relnamespace = 'public'::regnamespace
    union all
    select c.oid::regclass || '.' || a.attname || ' is a serial of 32 bits.' from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and a.atttypid in ('int4'::regtype, 'int2'::regtype)
        and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval(%')`,
  );
  return rows.map(({ message }) => message);
}
