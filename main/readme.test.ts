// README lists every setting of the configuration.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const readText = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Variables that only tests set. */
const UNDOCUMENTED = new Set([
  'MAILCHIMP_URL',
  'GETRESPONSE_URL',
  'BRAINTREE_URL',
  'TEST_GATEWAY_URL',
  'VIES_URL',
]);

test('the README names every configuration variable', () => {
  const variables =
    readText('platform/server/environment.ts').match(/^ {2}[A-Z][A-Z_]+(?=:)/gm) ?? [];
  const names = variables.map((name) => name.trim()).filter((name) => !UNDOCUMENTED.has(name));
  expect(names.length).toBeGreaterThan(30);
  const readme = readText('README.md');
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([]);
});
