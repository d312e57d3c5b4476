// The records that a domain has to publish.
import { expect, test } from 'vitest';
import { requiredRecords } from './dns-check.ts';

const KEYS = [{ selector: 'sl1', publicKey: 'MIIB' }];
const HOSTS = { tracking: 'app.loom.example', bounces: 'bounce.loom.example' };
const of = (domain: string) =>
  new Map(requiredRecords(domain, KEYS, HOSTS).map((record) => [record.purpose, record]));

test('a proposed policy names the address of its reports', () => {
  expect(of('tea.example').get('dmarc')?.value).toBe(
    'v=DMARC1; p=none; rua=mailto:postmaster@tea.example',
  );
});

test("no record points to itself for the installation's own domain", () => {
  expect(of('tea.example').get('return_path')).toMatchObject({
    name: 'bounce.tea.example',
    value: 'bounce.loom.example',
  });
  expect(of('loom.example').has('return_path')).toBe(false);
  expect(of('loom.example').has('spf')).toBe(true);
  // The same if the domain is the host of bounces itself, or that of links.
  expect(of('bounce.loom.example').has('spf')).toBe(false);
  const links = { ...HOSTS, tracking: 'links.loom.example' };
  expect(requiredRecords('loom.example', KEYS, links).map(({ purpose }) => purpose)).toEqual([
    'dkim',
    'spf',
    'dmarc',
  ]);
});
