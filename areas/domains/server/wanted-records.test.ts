// The records that a domain has to publish, and the address for its DMARC reports.
import { expect, test } from 'vitest';
import { configureSecrets } from '#platform/server/secrets.ts';
import { requiredRecords } from './dns-check.ts';
import {
  buildDmarcRecord,
  readReportAddress,
  createReportAddress,
  requestsReports,
} from './report-address.ts';

const KEYS = [{ selector: 'sl1', publicKey: 'MIIB' }];
const HOSTS = {
  trackingHost: 'app.loom.example',
  bounceHost: 'bounce.loom.example',
  receivesReports: false,
};
const recordsOf = (domain: string) =>
  new Map(requiredRecords(domain, KEYS, HOSTS).map((record) => [record.purpose, record]));

const RECIPIENT = { accountId: 7, domainId: 12 };
const ADDRESS = 'r+1@bounce.tea.example';

test('an installation that receives no reports proposes a DMARC record without a report address', () => {
  expect(recordsOf('tea.example').get('dmarc')?.value).toBe('v=DMARC1; p=none');
  expect(createReportAddress('tea.example', RECIPIENT, HOSTS)).toBeUndefined();
});

test.each([
  [undefined, `v=DMARC1; p=none; rua=mailto:${ADDRESS}`],
  ['v=DMARC1; p=reject;', `v=DMARC1; p=reject; rua=mailto:${ADDRESS}`],
  [
    'v=DMARC1;p=none; rua=mailto:d@x.example!10m ;ruf=mailto:e@x.example',
    `v=DMARC1; p=none; rua=mailto:d@x.example!10m,mailto:${ADDRESS}; ruf=mailto:e@x.example`,
  ],
  ['v=DMARC1; p=none; rua=', `v=DMARC1; p=none; rua=mailto:${ADDRESS}`],
  [`v=DMARC1; RUA = MAILTO:${ADDRESS}!5m; p=none`, `v=DMARC1; RUA = MAILTO:${ADDRESS}!5m; p=none`],
])('the record proposed instead of %s contains the report address once', (present, record) => {
  expect(buildDmarcRecord(present, ADDRESS)).toBe(record);
  expect(requestsReports(record, ADDRESS)).toBe(true);
});

test('a record for a subdomain keeps the policy that it inherits', () => {
  const parent = 'v=DMARC1; p=reject; sp=quarantine; rua=mailto:d@x.example';
  expect(buildDmarcRecord(parent, ADDRESS, true)).toBe(
    `v=DMARC1; p=quarantine; rua=mailto:d@x.example,mailto:${ADDRESS}`,
  );
  expect(buildDmarcRecord(parent, undefined, true)).toBe(parent);
});

test('a report address names its account and domain, in upper or lower case, and cannot be forged', () => {
  configureSecrets('a secret of the tests, thirty-two characters and more');
  const hosts = { ...HOSTS, receivesReports: true };
  const address = createReportAddress('tea.example', RECIPIENT, hosts) ?? '';
  expect(address).toMatch(/^r\+[0-9a-f]{40}@bounce\.tea\.example$/);
  expect(readReportAddress(address)).toEqual(RECIPIENT);
  expect(readReportAddress(address.toUpperCase())).toEqual(RECIPIENT);
  expect(readReportAddress(address.replace('r+0', 'r+1'))).toBeUndefined();
  expect(readReportAddress(`b+${address.slice(2)}`)).toBeUndefined();
  expect(readReportAddress('r+@bounce.tea.example')).toBeUndefined();
  expect(createReportAddress('loom.example', RECIPIENT, hosts)).toMatch(/@bounce\.loom\.example$/);
});

test("the installation's own domain has no record that points to itself", () => {
  expect(recordsOf('tea.example').get('return_path')).toMatchObject({
    name: 'bounce.tea.example',
    value: 'bounce.loom.example',
  });
  expect(recordsOf('loom.example').has('return_path')).toBe(false);
  expect(recordsOf('loom.example').has('spf')).toBe(true);
  // A record is also omitted if its domain is the bounce host or its name is the link host.
  expect(recordsOf('bounce.loom.example').has('spf')).toBe(false);
  const links = { ...HOSTS, trackingHost: 'links.loom.example' };
  expect(requiredRecords('loom.example', KEYS, links).map(({ purpose }) => purpose)).toEqual([
    'dkim',
    'spf',
    'dmarc',
  ]);
});
