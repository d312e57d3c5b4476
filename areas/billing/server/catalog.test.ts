// The operator's billing file: the documented example is valid, and each error has its own message.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { parseCatalog } from './catalog.ts';

const DOCS = new URL('../../../docs/operations/billing.md', import.meta.url);
const EXAMPLE = /```json\n([\s\S]*?)```/.exec(readFileSync(DOCS, 'utf8'))?.[1] ?? '';

/** Deliberately untyped so that tests can make it invalid in any way. */
type Loose = ReturnType<typeof JSON.parse>;

/** Returns the errors of the documented file after a change, one per line. */
function errorsAfter(change: (file: Loose) => void): string[] {
  const file = JSON.parse(EXAMPLE);
  change(file);
  try {
    parseCatalog(JSON.stringify(file), 'plans.json');
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    const [first, ...rest] = error.message.split('\n');
    expect(first).toBe('plans.json is invalid:');
    return rest;
  }
  return [];
}

test('the documented file is valid', () => {
  const { plans, coupons, sms_prices } = parseCatalog(EXAMPLE, 'plans.json');
  expect(plans[0]?.sizes[1]?.annual).toEqual({ usd: 29_000, eur: 27_000 });
  expect(coupons).toHaveLength(1);
  expect(sms_prices).toMatchObject({ LT: 0.045, other: 0.09 });
});

test('invalid JSON is reported', () => {
  expect(() => parseCatalog('{"plans": [', 'plans.json')).toThrow(
    /^plans\.json is not JSON: .+\.$/,
  );
});

test.each<[string, (file: Loose) => void, RegExp]>([
  ['no seller', (file) => delete file.seller, /^- seller: /],
  ['an unknown key', (file) => (file.plan = []), /^- the file: .*"plan"/],
  [
    'a price that is a text',
    (file) => (file.plans[0].sizes[0].monthly.usd = '10'),
    /^- plans\.0\.sizes\.0\.monthly\.usd: .*number/,
  ],
  [
    'three decimals',
    (file) => (file.plans[0].sizes[0].annual.eur = 1.005),
    /has more than two decimals$/,
  ],
  [
    'a negative price',
    (file) => (file.plans[0].sizes[0].annual.eur = -1),
    /^- plans\.0\.sizes\.0\.annual\.eur: /,
  ],
  [
    'an unknown feature',
    (file) => file.plans[0].features.push('gold'),
    /^- plans\.0\.features\.4: /,
  ],
  [
    'a country that is not a code',
    (file) => (file.taxes[0].country = 'Lithuania'),
    /is not a country code of two capital letters$/,
  ],
  [
    'a coupon without percent and amount',
    (file) => delete file.coupons[0].percent,
    /^- coupons\.0: needs either percent or amount$/,
  ],
  [
    'a coupon that ends before it starts',
    (file) => (file.coupons[0].until = '2027-01-01'),
    /^- the coupon SPRING ends before it starts$/,
  ],
  [
    'a coupon for a plan that does not exist',
    (file) => (file.coupons[0].plans = ['gold']),
    /^- the coupon SPRING names the unknown plan gold$/,
  ],
  ['a plan twice', (file) => file.plans.push(file.plans[0]), /^- the plan standard occurs twice$/],
  [
    'descending sizes',
    (file) => file.plans[0].sizes.reverse(),
    /^- the sizes of the plan standard do not ascend$/,
  ],
  ['a tax twice', (file) => file.taxes.push(file.taxes[0]), /^- the tax of LT occurs twice$/],
  [
    'an SMS price for an unknown country',
    (file) => (file.sms_prices.Lithuania = 1),
    /^- the SMS price of Lithuania needs a country code of two capital letters$/,
  ],
])('a file with %s is refused', (_, change, message) => {
  expect(errorsAfter(change)).toEqual([expect.stringMatching(message)]);
});

test('several errors are all reported', () => {
  const messages = errorsAfter((file) => {
    delete file.free;
    file.taxes[0].percent = 101;
  });
  expect(messages).toHaveLength(2);
});
