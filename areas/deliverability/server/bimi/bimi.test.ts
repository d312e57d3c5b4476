// BIMI: the record, the profile of the logo, and its certificate.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newResolver } from '#areas/domains/server/index.ts';
import { testCertificate } from '#testing/servers/certificate.ts';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import { certificateFindings, checkBimi } from './bimi.ts';
import { logoFindings } from './logo.ts';

const logo = (inside = '', root = '') =>
  `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps"
    viewBox="0 0 64 64" ${root}><title>Harbour Tea</title>${inside}<circle r="9"/></svg>`;

test.each([
  ['a valid logo', logo(), []],
  ['a reference inside', logo('<use xlink:href="#a" xmlns:xlink="x" fill="url(#b)"/>'), []],
  ['a script', logo('<script>1</script>'), ['logo_script']],
  ['an event', logo('<rect onload="x()"/>'), ['logo_script']],
  ['an animation', logo('<rect><animate/></rect>'), ['logo_animation']],
  ['an image', logo('<image href="data:image/png;base64,AA"/>'), ['logo_image', 'logo_external']],
  ['a style from outside', logo('<rect fill="url(https://a.example/#x)"/>'), ['logo_external']],
  ['an offset', logo('', 'x="0"'), ['logo_profile']],
  ['no title', logo().replace(/<title>.*<\/title>/, ''), ['logo_title']],
  ['a wide logo', logo().replace('64 64"', '64 32"'), ['logo_not_square']],
  ['another profile', logo().replace('tiny-ps', 'tiny'), ['logo_profile']],
  ['a document type', `<!DOCTYPE svg [<!ENTITY a "b">]>${logo('&a;')}`, ['logo_not_svg']],
  ['HTML', '<html><title>x</title></html>', ['logo_not_svg']],
  ['no XML', 'GIF89a', ['logo_not_svg']],
  ['nesting', logo('<g>'.repeat(60) + '</g>'.repeat(60)), ['logo_not_svg']],
])('%s', (_, svg, expected) => {
  expect(logoFindings(svg)).toEqual(expected);
});

test('no text fails the check', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      logoFindings(one);
      logoFindings(logo(one, other));
    }),
    { numRuns: 300, seed: 1 },
  );
});

let dns: TestDns;
beforeAll(async () => {
  dns = await testDns();
  return () => dns.close();
});

test('the record is read, and a silent resolver says nothing', async () => {
  const resolver = newResolver([dns.address]);
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
  dns.silent = true;
  expect(await checkBimi(resolver, domain)).toBeUndefined();
  dns.silent = false;
});

test('a certificate of another domain and purpose is named', () => {
  expect(certificateFindings(testCertificate.cert, 'tea.example')).toMatchObject({
    findings: ['certificate_purpose', 'certificate_domain'],
  });
  expect(certificateFindings('no certificate', 'tea.example').findings).toEqual([
    'certificate_unreadable',
  ]);
});
