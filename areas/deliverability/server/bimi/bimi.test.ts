// BIMI checks: the DNS record, the profile of the logo, and the logo's certificate.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createResolver } from '#areas/domains/server/index.ts';
import { testCertificate } from '#testing/servers/certificate.ts';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import { bimiCertificates } from '#testing/worlds/bimi-certificates.ts';
import type { BimiFinding } from '../../contract.ts';
import { checkBimi } from './bimi.ts';
import { findCertificateFaults } from './certificate.ts';
import { findLogoFaults } from './logo.ts';

const logo = (inside = '', root = '') =>
  `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps"
    viewBox="0 0 64 64" ${root}><title>Harbour Tea</title>${inside}<circle r="9"/></svg>`;

test.each([
  ['no faults', logo(), []],
  ['an internal reference', logo('<use xlink:href="#a" xmlns:xlink="x" fill="url(#b)"/>'), []],
  ['a script', logo('<script>1</script>'), ['logo_script']],
  ['an event handler', logo('<rect onload="x()"/>'), ['logo_script']],
  ['an animation', logo('<rect><animate/></rect>'), ['logo_animation']],
  ['an image', logo('<image href="data:image/png;base64,AA"/>'), ['logo_image', 'logo_external']],
  ['an external style', logo('<rect fill="url(https://a.example/#x)"/>'), ['logo_external']],
  ['an offset', logo('', 'x="0"'), ['logo_profile']],
  ['no title', logo().replace(/<title>.*<\/title>/, ''), ['logo_title']],
  ['a wide shape', logo().replace('64 64"', '64 32"'), ['logo_not_square']],
  ['another profile', logo().replace('tiny-ps', 'tiny'), ['logo_profile']],
  ['a document type', `<!DOCTYPE svg [<!ENTITY a "b">]>${logo('&a;')}`, ['logo_not_svg']],
  ['HTML content', '<html><title>x</title></html>', ['logo_not_svg']],
  ['no XML', 'GIF89a', ['logo_not_svg']],
  ['deep nesting', logo('<g>'.repeat(60) + '</g>'.repeat(60)), ['logo_not_svg']],
])('a logo with $0 has the findings $2', (_, svg, expected) => {
  expect(findLogoFaults(svg)).toEqual(expected);
});

test('the logo check does not throw for any text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (inside, root) => {
      findLogoFaults(inside);
      findLogoFaults(logo(inside, root));
    }),
    { numRuns: 300, seed: 1 },
  );
});

let dns: TestDns;
beforeAll(async () => {
  dns = await testDns();
  return () => dns.close();
});

test('the record is checked, and the result is unknown without a DNS response', async () => {
  const resolver = createResolver([dns.address]);
  const domain = { domain: 'tea.example', policy: 'none' };
  expect((await checkBimi(resolver, domain))?.findings).toEqual(['record_missing']);
  const record = 'v=BIMI1; l=http://tea.example/logo.svg; a=';
  dns.zone.set('default._bimi.tea.example', { TXT: ['other', record] });
  expect(await checkBimi(resolver, domain)).toEqual({
    ...{ record, logo: 'http://tea.example/logo.svg', certificate: null, valid_until: null },
    findings: ['policy', 'logo_unreachable', 'certificate_missing'],
  });
  dns.zone.set('default._bimi.tea.example', { TXT: ['v=BIMI1; l=; a='] });
  const strict = await checkBimi(resolver, { ...domain, policy: 'reject' });
  expect(strict?.findings).toEqual(['logo_missing', 'certificate_missing']);
  dns.isSilent = true;
  expect(await checkBimi(resolver, domain)).toBeUndefined();
  dns.isSilent = false;
});

const { mark, issuer, root, impostor, tls, tlsMark, resold } = bimiCertificates;
const now = new Date('2026-11-29T10:00:00Z');

test.each<[string, string, string, BimiFinding[]]>([
  ['the certificate and its issuer', mark + issuer, 'tea.example', []],
  ['the root as well', mark + issuer + root, 'news.tea.example', []],
  ['text around the certificates', `Mark\r\n${mark}\r\nIssuer\r\n${issuer}`, 'tea.example', []],
  ['another domain', mark + issuer, 'cake.example', ['certificate_domain']],
  ['no issuer', mark, 'tea.example', ['certificate_chain']],
  ['the root instead of the issuer', mark + root, 'tea.example', ['certificate_chain']],
  ['another order', mark + root + issuer, 'tea.example', ['certificate_chain']],
  ['the certificate twice', mark + mark + issuer, 'tea.example', ['certificate_chain']],
  [
    'an issuer of the same name with another key',
    mark + impostor,
    'tea.example',
    ['certificate_chain'],
  ],
  [
    'an issuer that is not an authority',
    resold + mark + issuer,
    'cake.example',
    ['certificate_chain'],
  ],
  ['an issuer for TLS', tlsMark + tls + root, 'tea.example', ['certificate_purpose']],
  ['too many certificates', mark + issuer + root.repeat(9), 'tea.example', ['certificate_chain']],
  [
    'a self-signed certificate for TLS',
    testCertificate.cert,
    'tea.example',
    ['certificate_purpose', 'certificate_domain', 'certificate_chain'],
  ],
  ['no certificate', 'no certificate', 'tea.example', ['certificate_unreadable']],
  ['a truncated issuer', mark + issuer.slice(0, 300), 'tea.example', ['certificate_unreadable']],
  [
    'an issuer that is no certificate',
    `${mark}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    'tea.example',
    ['certificate_unreadable'],
  ],
])('a certificate chain with $0 has the findings $3', (_, pem, domain, expected) => {
  expect(findCertificateFaults(pem, domain, now).findings).toEqual(expected);
});

test('a certificate chain is valid while all of its certificates are valid', () => {
  const findAt = (time: string) =>
    findCertificateFaults(mark + issuer, 'tea.example', new Date(time));
  expect(findAt('2026-10-31T23:59:59Z').findings).toEqual(['certificate_early']);
  expect(findAt('2026-11-01T00:00:00Z')).toEqual({
    findings: [],
    validUntil: '2100-01-01T00:00:00.000Z',
  });
  // The mark's certificate is valid until 2125, but its issuer's only until 2100.
  expect(findAt('2100-01-02T00:00:00Z').findings).toEqual(['certificate_expired']);
});
