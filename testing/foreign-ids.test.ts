// Sends each call with an ID in its path the ID of another account's object. No response may contain
// data of that account, and no call may change it. The calls come from the wiring and the objects
// from the catalog, so new ones are included.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { allRoutes } from '#main/wiring.ts';
import type { Call } from '#platform/contract.ts';
import { encodeId, encodePublicId, KINDS, type Kind } from '#platform/ids.ts';
import { type ApiOperation, listOperations } from './fuzz/operations.ts';
import { buildUrl, isPublic, SeenIds, sampleRequest } from './fuzz/requests.ts';
import { publicClient } from './setup/public-client.ts';
import { testServer } from './setup/server.ts';
import { fillAccount, LIMITED_VALUES, listAccountColumns } from './worlds/filled-account.ts';

const CANARY = 'quillon-secret';
/** ID of the object of each kind. */
const ID = 900_001;
/** Columns whose values the product parses. */
const CHECKED = new Set(['currency', 'language', 'country', 'timezone', 'zone', 'schedule_zone']);
/** Some parameters accept IDs of two kinds, or an ID in both of its forms. */
const MAX_KINDS = 4;
/** Bodies are generated, so a few of each call make it likely that one is valid. */
const TRIES = 6;
/** Calls of one account, below the rate limits. */
const MAX_CALLS = 100;

const server = await testServer({ DNS_SERVERS: '127.0.0.1:1' });

/** Returns the IDs of the account's objects that a parameter of the call accepts. */
function listAcceptedIds(call: Call, name: string, accountId: number): string[] {
  const schema = (call.params as z.ZodObject | undefined)?.shape[name] as z.ZodType | undefined;
  const kinds = Object.keys(KINDS) as Kind[];
  const ids = kinds.flatMap((kind) => [encodeId(kind, ID), encodePublicId(kind, accountId, ID)]);
  const accepted = ids.filter((id) => schema?.safeParse(id).success);
  // A parameter that accepts IDs of any kind is not an ID.
  return accepted.length > MAX_KINDS ? [] : accepted;
}

/** Signs up an account; `program` calls the public API with its token. */
async function newStranger() {
  const client = await server.owner();
  return { client, program: await publicClient(server, client), callCount: 0 };
}

async function readState(accountId: number, tables: Iterable<string>): Promise<object> {
  const state: Record<string, string | null> = {};
  for (const table of tables) {
    const { rows } = await sql<{ hash: string | null }>`
      select md5(string_agg(t::text, ' ' order by t::text)) as hash
      from ${sql.table(table)} t where account_id = ${accountId}`.execute(server.db);
    state[table] = rows[0]?.hash ?? null;
  }
  return state;
}

test('no call reads or changes the objects of another account', { timeout: 180_000 }, async () => {
  const victim = await server.owner();
  let stranger = await newStranger();
  const columns = await listAccountColumns(server.db);
  await fillAccount(server.db, columns, {
    ...{ accountId: victim.accountId, id: ID, values: LIMITED_VALUES },
    textOf: ({ column }) => (CHECKED.has(column) ? undefined : `${CANARY} ${column}`),
  });
  const tables = new Set(columns.map(({ table }) => table));
  const stateBefore = await readState(victim.accountId, tables);
  const calls = new Map(
    allRoutes(server.config).map(({ call }) => [`${call.method} ${call.path}`, call]),
  );
  const operations = listOperations(allRoutes(server.config)).filter(({ path }) =>
    path.includes('{'),
  );

  const statuses = new Map<string, number[]>();
  const problems: string[] = [];
  const sendForeign = async (operation: ApiOperation, params: Record<string, string>) => {
    const name = `${operation.method} ${operation.path}`;
    for (let seed = 0; seed < TRIES; seed++) {
      const seenIds = new SeenIds();
      seenIds.collect(
        operation.path,
        Object.values(params).map((id) => ({ id })),
      );
      const { query, body } = sampleRequest(operation, seenIds, { isWild: false, seed });
      const url = buildUrl(operation.path, params);
      const path = isPublic(operation.path) ? url.slice('/v2'.length) : url;
      const required = operation.parameters.filter(({ required: isRequired }) => isRequired);
      const search = new URLSearchParams(
        required.flatMap(({ name: field }) =>
          field in query ? [[field, query[field] ?? '']] : [],
        ),
      ).toString();
      if (stranger.callCount++ > MAX_CALLS) stranger = await newStranger();
      const sender = isPublic(operation.path) ? stranger.program : stranger.client;
      const method = operation.method.toLowerCase() as 'get';
      const response = await sender[method](
        search ? `${path}?${search}` : path,
        body as Record<string, string>,
      );
      statuses.set(name, [...(statuses.get(name) ?? []), response.status]);
      if (response.text.includes(CANARY) || response.status >= 500)
        problems.push(`${name} ${response.status} ${response.text.slice(0, 200)}`);
      if (response.status === 404) return;
    }
  };
  for (const operation of operations) {
    const call = calls.get(`${operation.method} ${operation.path}`);
    if (!call) continue;
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    const ids = names.map((name) => listAcceptedIds(call, name, victim.accountId));
    const [first = []] = ids;
    for (const [index] of first.entries()) {
      const params = names.map((name, at) => [name, ids[at]?.[index] ?? ids[at]?.[0] ?? 'x']);
      await sendForeign(operation, Object.fromEntries(params) as Record<string, string>);
    }
  }
  expect(problems).toEqual([]);
  expect(await readState(victim.accountId, tables)).toEqual(stateBefore);
  const succeeded = [...statuses].filter(([, list]) => list.some((status) => status < 300));
  expect(succeeded.map(([name]) => name)).toEqual([]);
  // The rest is refused before the object is read, because its generated body is never valid.
  const missing = [...statuses].filter(([, list]) => list.includes(404));
  expect(missing.length).toBeGreaterThan(0.9 * statuses.size);
  expect(statuses.size).toBeGreaterThan(400);
});
