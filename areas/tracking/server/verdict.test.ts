// Verdicts on opens and clicks, one row per case, and devices read from user agents.
import { expect, test } from 'vitest';
import { detectDevice, type HitEvidence, classifyHit } from './verdict.ts';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const GMAIL =
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const hour = 3_600_000;

const evidence = (change: Partial<HitEvidence>): HitEvidence => ({
  kind: 'open',
  manner: undefined,
  userAgent: CHROME,
  ip: '203.0.113.7',
  msSinceAccepted: hour,
  nearbyLinkCount: 1,
  ...change,
});

test.each<[string, Partial<HitEvidence>, string, string | null]>([
  ['a browser', {}, 'human', null],
  ['a phone', { userAgent: IPHONE }, 'human', null],
  ["Gmail's image proxy", { userAgent: GMAIL }, 'human', 'image_proxy'],
  ["Yahoo's image proxy", { userAgent: 'YahooMailProxy; https://x.y' }, 'human', 'image_proxy'],
  ['Thunderbird', { userAgent: 'Thunderbird/1.0' }, 'human', null],
  ['Outlook', { userAgent: 'Microsoft Office/16.0 (Microsoft Outlook 16.0)' }, 'human', null],
  ["Apple's mail privacy protection", { userAgent: 'Mozilla/5.0' }, 'machine', 'apple_privacy'],
  ["Apple's own network", { ip: '17.58.97.3' }, 'machine', 'apple_privacy'],
  ['a HEAD request', { manner: 'head' }, 'machine', 'head_request'],
  ['a browser prefetch', { manner: 'prefetch' }, 'machine', 'prefetch'],
  [
    'a HEAD request through a proxy',
    { manner: 'head', userAgent: GMAIL },
    'machine',
    'head_request',
  ],
  ['an open without a user agent', { userAgent: '' }, 'machine', 'no_agent'],
  ['curl', { userAgent: 'curl/8.5.0' }, 'machine', 'known_agent'],
  ['a crawler', { userAgent: 'Mozilla/5.0 (compatible; bingbot/2.0)' }, 'machine', 'known_agent'],
  ["a scanner's network", { kind: 'click', ip: '40.94.31.4' }, 'machine', 'scanner_network'],
  [
    "a scanner's network, written as IPv6",
    { kind: 'click', ip: '::ffff:40.94.31.4' },
    'machine',
    'scanner_network',
  ],
  ['an invalid IP address', { ip: 'unknown' }, 'human', null],
  ['a click on one link', { kind: 'click' }, 'human', null],
  [
    'clicks on two links at once, an hour after delivery',
    { kind: 'click', nearbyLinkCount: 2 },
    'human',
    null,
  ],
  ['clicks on three links at once', { kind: 'click', nearbyLinkCount: 3 }, 'machine', 'burst'],
  [
    'clicks on two links at once, a minute after delivery',
    { kind: 'click', nearbyLinkCount: 2, msSinceAccepted: 60_000 },
    'machine',
    'burst',
  ],
  ['a click at delivery', { kind: 'click', msSinceAccepted: 1500 }, 'machine', 'at_delivery'],
  ['an open at delivery', { msSinceAccepted: 1500 }, 'human', null],
  [
    'a click at an unknown time after delivery',
    { kind: 'click', msSinceAccepted: undefined },
    'human',
    null,
  ],
])('the verdict on %s', (_, change, verdict, reason) => {
  expect(classifyHit(evidence(change))).toEqual({ verdict, reason });
});

test('the device is read from the user agent and is null if it is unknown', () => {
  expect([CHROME, IPHONE, GMAIL, 'Mozilla/5.0', ''].map(detectDevice)).toEqual([
    'desktop',
    'mobile',
    null,
    null,
    null,
  ]);
  expect(detectDevice('Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36')).toBe(
    'tablet',
  );
});
