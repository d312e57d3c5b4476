// The table of verdicts, one line per case.
import { expect, test } from 'vitest';
import { deviceOf, type Evidence, classify } from './verdict.ts';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const GMAIL =
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const hour = 3_600_000;

const evidence = (change: Partial<Evidence>): Evidence => ({
  kind: 'open',
  manner: undefined,
  userAgent: CHROME,
  ip: '203.0.113.7',
  sinceAccepted: hour,
  linksAround: 1,
  ...change,
});

test.each<[string, Partial<Evidence>, string, string | null]>([
  ['a browser', {}, 'human', null],
  ['a phone', { userAgent: IPHONE }, 'human', null],
  ['Gmail shows the picture when the mail is opened', { userAgent: GMAIL }, 'human', 'image_proxy'],
  ['Yahoo likewise', { userAgent: 'YahooMailProxy; https://x.y' }, 'human', 'image_proxy'],
  ['Thunderbird', { userAgent: 'Thunderbird/1.0' }, 'human', null],
  ['Outlook', { userAgent: 'Microsoft Office/16.0 (Microsoft Outlook 16.0)' }, 'human', null],
  ['Apple Mail fetches ahead', { userAgent: 'Mozilla/5.0' }, 'machine', 'apple_privacy'],
  ["Apple's own network", { ip: '17.58.97.3' }, 'machine', 'apple_privacy'],
  ['a HEAD request', { manner: 'head' }, 'machine', 'head_request'],
  ['a browser that fetches ahead', { manner: 'prefetch' }, 'machine', 'prefetch'],
  [
    'a HEAD request through a proxy',
    { manner: 'head', userAgent: GMAIL },
    'machine',
    'head_request',
  ],
  ['no agent', { userAgent: '' }, 'machine', 'no_agent'],
  ['curl', { userAgent: 'curl/8.5.0' }, 'machine', 'known_agent'],
  ['a crawler', { userAgent: 'Mozilla/5.0 (compatible; bingbot/2.0)' }, 'machine', 'known_agent'],
  ["a scanner's network", { kind: 'click', ip: '40.94.31.4' }, 'machine', 'scanner_network'],
  [
    'the same, written as IPv6',
    { kind: 'click', ip: '::ffff:40.94.31.4' },
    'machine',
    'scanner_network',
  ],
  ['a nonsense address', { ip: 'unknown' }, 'human', null],
  ['one link', { kind: 'click' }, 'human', null],
  ['two links at once, later', { kind: 'click', linksAround: 2 }, 'human', null],
  ['three links at once', { kind: 'click', linksAround: 3 }, 'machine', 'burst'],
  [
    'two at once as it arrives',
    { kind: 'click', linksAround: 2, sinceAccepted: 60_000 },
    'machine',
    'burst',
  ],
  ['a click as it arrives', { kind: 'click', sinceAccepted: 1500 }, 'machine', 'at_delivery'],
  ['an open as it arrives', { sinceAccepted: 1500 }, 'human', null],
  ['a click, arrival unknown', { kind: 'click', sinceAccepted: undefined }, 'human', null],
])('%s', (_, change, verdict, reason) => {
  expect(classify(evidence(change))).toEqual({ verdict, reason });
});

test('the verdict includes the device', () => {
  expect([CHROME, IPHONE, GMAIL, 'Mozilla/5.0', ''].map(deviceOf)).toEqual([
    'desktop',
    'mobile',
    null,
    null,
    null,
  ]);
  expect(deviceOf('Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36')).toBe('tablet');
});
