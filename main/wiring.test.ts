// Every area is wired under the name of its folder, names are unique, and lists share sort orders.
import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { LANGUAGES } from '#platform/languages.ts';
import { loadConfig } from '#platform/server/config.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { allAreas, allJobs, allPollers, allRoutes } from './wiring.ts';

const config = loadConfig({ NODE_ENV: 'test' });
const duplicates = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at);

/** Areas that consist of pure functions, so that nothing has to be wired. */
const UNWIRED = ['experiments'];

test('every area with a server part is wired under the name of its folder', () => {
  const folders = globSync('areas/*/server/index.ts', {
    cwd: path.join(import.meta.dirname, '..'),
  });
  const names = folders
    .map((file) => file.split(path.sep)[1] ?? '')
    .filter((name) => !UNWIRED.includes(name));
  expect(
    allAreas(config)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names.sort());
});

test('jobs, pollers and calls of all areas have unique names', () => {
  expect(duplicates(allJobs(config).map(({ name }) => name))).toEqual([]);
  expect(duplicates(allPollers(config).map(({ name }) => name))).toEqual([]);
  expect(duplicates(allRoutes(config).map(({ call }) => `${call.method} ${call.path}`))).toEqual(
    [],
  );
});

test('every job whose abandonment is reported to the owner has a name in each language', () => {
  const jobs = allJobs(config).filter(({ afterKills }) => afterKills !== undefined);
  expect(jobs.map(({ name }) => name).sort()).toEqual([
    'audience.bulk_act',
    'dashboard.fill_sample',
    'dashboard.remove_sample',
    'groups.delete',
    'stores.delete-secret',
    'stores.redact',
    'stores.remove-customers',
    'subscribers.remove_field_values',
    'workflows.delete-data',
  ]);
  for (const { name } of jobs) {
    const names = LANGUAGES.map((language) =>
      serverTexts('system-emails', language)(`work.${name.replace('.', '_')}`),
    );
    expect(new Set(names).size).toBe(LANGUAGES.length);
    for (const name of names) expect(name).not.toContain('work.');
  }
});

type QueryShape = Record<string, { options?: readonly unknown[] }>;
const LISTS = allRoutes(config).flatMap(({ call }) => {
  const { query } = call as { query?: z.ZodType & { in?: { shape?: QueryShape } } };
  const shape = query?.in?.shape;
  return query && shape && 'order' in shape ? [{ path: call.path, query, shape }] : [];
});

/** Returns the required query parameters of a list, each with its first allowed value. */
function requiredInput(query: z.ZodType, shape: QueryShape): Record<string, unknown> {
  const { error } = query.safeParse({});
  const names = error?.issues.map(({ path: [name] }) => String(name)) ?? [];
  return Object.fromEntries(names.map((name) => [name, shape[name]?.options?.[0]]));
}

test.each(LISTS)('$path accepts the common sort orders and refuses others', ({ query, shape }) => {
  const base = requiredInput(query, shape);
  const wrongFields = (extraFields: object) =>
    query.safeParse({ ...base, ...extraFields }).error?.issues.map((issue) => issue.path[0]) ?? [];
  for (const order of ['title', 'modified', 'created'])
    for (const direction of ['asc', 'DESC']) {
      expect(query.parse({ ...base, order, direction }), order).toMatchObject({
        list: { direction: direction.toLowerCase() },
      });
    }
  for (const order of ['nonsense', 'id;--', '__proto__', 'x'.repeat(10_000)])
    expect(wrongFields({ order })).toEqual(['order']);
  expect(wrongFields({ order: 'title', direction: 'sideways' })).toEqual(['direction']);
  expect(wrongFields({ order: 'title upwards' })).toEqual(['direction']);
});

test('only lists of the client API have a sort order', () => {
  expect(LISTS.length).toBeGreaterThan(30);
  expect(LISTS.filter((list) => !list.path.startsWith('/client-api/'))).toEqual([]);
});
