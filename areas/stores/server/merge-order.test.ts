// Reports of an order in any sequence have the same result.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeOrder, createStoredOrder } from './merge-order.ts';
import { resolveOrderState } from './order-states.ts';
import type { OrderSource, StoreOrder } from './store-payloads.ts';

const START = Date.parse('2026-03-01T10:00:00Z');

/** Some reports share a time because stores report whole seconds. */
const reportsArbitrary = fc
  .oneof(
    fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 8 }),
    fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 6 }),
  )
  .chain((moments) =>
    fc.tuple(
      ...moments.map((moment) =>
        fc.record({
          moment: fc.constant(moment),
          source: fc.constantFrom<OrderSource>('plugin', 'hook', 'pull', 'import', 'browser'),
          status: fc.constantFrom(
            '',
            'pending',
            'processing',
            'wc-completed',
            'cancelled',
            'refunded',
          ),
          total: fc.option(fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100)),
          refunded: fc.option(fc.integer({ min: 0, max: 5_000 }).map((cents) => cents / 100)),
          subscriberId: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
          placed: fc.option(fc.integer({ min: -1000, max: 0 })),
        }),
      ),
    ),
  );

type OrderReport = {
  moment: number;
  source: OrderSource;
  status: string;
  total: number | null;
  refunded: number | null;
  subscriberId: number | undefined;
  placed: number | null;
};

function orderOf(report: OrderReport): StoreOrder {
  const { status, total, refunded, moment, placed } = report;
  return {
    aliases: ['order:1'],
    number: null,
    customer: null,
    status,
    ...resolveOrderState(status),
    refunded,
    total,
    subtotal: null,
    tax: null,
    discount: null,
    shipping: null,
    currency: 'EUR',
    placedAt: placed === null ? null : new Date(START + placed * 1000),
    reportedAt: new Date(START + moment * 1000),
    lines: null,
    cart: null,
  };
}

function mergeAll(list: readonly OrderReport[]) {
  const reports = list.map((report) => ({
    order: orderOf(report),
    source: report.source,
    subscriberId: report.subscriberId,
    currency: 'EUR',
  }));
  const [first] = reports;
  if (!first) throw new Error('No report');
  const end = reports.reduce(mergeOrder, createStoredOrder(1, first));
  // The source, the remote ID and an unreported time of placement come from the first report.
  return {
    ...end,
    source: '',
    remote_id: '',
    placed_at: end.field_times.placed ? end.placed_at : null,
  };
}

test('reports of an order have the same result in any sequence and with repeats', () => {
  fc.assert(
    fc.property(
      // The times that browsers report are ignored, so two such reports have no defined sequence.
      reportsArbitrary.filter(
        (list) => list.filter(({ source }) => source === 'browser').length < 2,
      ),
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      (list, repeats, luck) => {
        const repeatedReports = [
          ...list,
          ...repeats.map((at) => list[at % list.length] as OrderReport),
        ];
        const shuffledReports = repeatedReports
          .map((report) => ({ report, at: luck.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ report }) => report);
        expect(mergeAll(shuffledReports)).toEqual(mergeAll(list));
      },
    ),
    { numRuns: 2000 },
  );
});

test.each([
  ['processing', 'refunded', 'refunded'],
  ['cancelled', 'processing', 'cancelled'],
  ['pending', 'processing', 'processing'],
  ['processing', 'completed', 'completed'],
])('$2 is kept if the states $0 and $1 are reported in the same second', (a, b, expected) => {
  const report = { moment: 5, source: 'hook' as const, subscriberId: 1, placed: null };
  const [first, second] = [a, b].map((status) => ({
    ...{ ...report, status, total: 20, refunded: status === 'refunded' ? 20 : null },
  }));
  for (const list of [
    [first, second],
    [second, first],
  ] as OrderReport[][])
    expect(mergeAll(list)).toMatchObject({ status: expected });
});

test('a browser report does not confirm an order, and a store report overrides it', () => {
  const report = { moment: 9, refunded: null, subscriberId: 1, placed: null };
  const browser = { ...report, source: 'browser' as const, status: 'paid', total: 1 };
  const shop = { ...report, source: 'hook' as const, status: 'processing', total: 49.9, moment: 2 };
  expect(mergeAll([browser])).toMatchObject({ is_confirmed: false, total: 1 });
  expect(mergeAll([shop, browser])).toMatchObject({ is_confirmed: true, total: 49.9 });
  expect(mergeAll([browser, shop])).toMatchObject({ is_confirmed: true, total: 49.9 });
});
