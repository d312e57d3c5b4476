// No area is forgotten, and none is listed under another's name.
import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '#platform/server/config.ts';
import { allAreas, allJobs, allPollers, allRoutes } from './wiring.ts';

const config = loadConfig({ NODE_ENV: 'test' });
const twice = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at);

test('every area with a server half is wired, under the name of its folder', () => {
  const folders = globSync('areas/*/server/index.ts', {
    cwd: path.join(import.meta.dirname, '..'),
  });
  const names = folders.map((file) => file.split(path.sep)[1]);
  expect(
    allAreas(config)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names.sort());
});

test('no job, poller or call of two areas has the same name', () => {
  expect(twice(allJobs(config).map(({ name }) => name))).toEqual([]);
  expect(twice(allPollers(config).map(({ name }) => name))).toEqual([]);
  expect(twice(allRoutes(config).map(({ call }) => `${call.method} ${call.path}`))).toEqual([]);
});
