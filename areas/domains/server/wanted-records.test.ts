// What a domain is asked to publish.
import { expect, test } from 'vitest';
import { wantedRecords } from './dns-check.ts';

const KEYS = [{ selector: 'sl1', publicKey: 'MIIB' }];
const HOSTS = { tracking: 'app.loom.example', bounces: 'bounce.loom.example' };
const of = (domain: string) =>
  new Map(wantedRecords(domain, KEYS, HOSTS).map((record) => [record.purpose, record]));

test('a proposed policy names where its reports go', () => {
  expect(of('tea.example').get('dmarc')?.value).toBe(
    'v=DMARC1; p=none; rua=mailto:postmaster@tea.example',
  );
});

test('no record leads to itself, where the installation’s own domain sends', () => {
  expect(of('tea.example').get('return_path')).toMatchObject({
    name: 'bounce.tea.example',
    value: 'bounce.loom.example',
  });
  expect(of('loom.example').has('return_path')).toBe(false);
  expect(of('loom.example').has('spf')).toBe(true);
  // Nor where the host of bounces itself is the domain, or that of links.
  expect(of('bounce.loom.example').has('spf')).toBe(false);
  const links = { ...HOSTS, tracking: 'links.loom.example' };
  expect(wantedRecords('loom.example', KEYS, links).map(({ purpose }) => purpose)).toEqual([
    'dkim',
    'spf',
    'dmarc',
  ]);
});
