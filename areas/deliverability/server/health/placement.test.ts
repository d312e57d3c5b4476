// A shortfall of opens is reported if it is at one mailbox provider only. A campaign with few opens
// everywhere is not reported, and chance alone rarely raises an alarm.
import { expect, test } from 'vitest';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { type OpenCounts, findOpenShortfalls } from './placement.ts';

const OPEN_RATES = [0.4, 0.25, 0.3, 0.2];
/**
 * Returns the counts of a campaign with 10,000 delivered emails at each provider. Each factor
 * scales the opens at one provider.
 */
const campaign = (messageId: number, factors: readonly number[] = [1, 1, 1, 1]): OpenCounts[] =>
  factors.map((factor, mailbox) => ({
    ...{ messageId, mailbox, delivered: 10_000, startedAt: new Date(messageId * 86_400_000) },
    opens: Math.round(10_000 * factor * (OPEN_RATES[mailbox] ?? 0)),
  }));
const past = [1, 2, 3, 4].flatMap((id) => campaign(id));

test('a shortfall at one provider is `watch`, a second one in a row is `act`, and a usual campaign ends it', () => {
  const history = [...past, ...campaign(5, [0.4, 1, 1, 1])];
  expect([...findOpenShortfalls(history)]).toEqual([
    [0, { level: 'watch', count: 2_400, of: 4_000, startedAt: new Date(5 * 86_400_000) }],
  ]);
  const second = [...history, ...campaign(6, [0.4, 1, 1, 1])];
  expect(findOpenShortfalls(second).get(0)?.level).toBe('act');
  expect(findOpenShortfalls([...second, ...campaign(7)]).size).toBe(0);
});

test('a shortfall does not lower the baseline of later comparisons', () => {
  const shortfalls = [5, 6, 7, 8, 9, 10, 11, 12].flatMap((id) => campaign(id, [0.4, 1, 1, 1]));
  expect(findOpenShortfalls([...past, ...shortfalls]).get(0)).toMatchObject({
    level: 'act',
    count: 2_400,
  });
});

test('emails at mail hosts are counted under `other`, whether or not their domains have been looked up', () => {
  const otherMailbox = MAILBOXES.other;
  /**
   * Splits the counts of `other`: half of its emails and a quarter of its opens are at Microsoft
   * 365.
   */
  const split = (messageId: number, factors?: readonly number[]) =>
    campaign(messageId, factors).flatMap((row) => {
      if (row.mailbox !== otherMailbox) return [row];
      const opens = Math.round(row.opens / 4);
      return [
        { ...row, delivered: 5_000, opens: row.opens - opens },
        { ...row, mailbox: MAILBOXES.microsoft365, delivered: 5_000, opens },
      ];
    });
  const laterCampaigns = [5, 6, 7].flatMap((id) => split(id));
  expect([...findOpenShortfalls([...past, ...laterCampaigns])]).toEqual([]);
  const lowCampaigns = [...past, ...laterCampaigns, ...split(8, [0.4, 1, 1, 1])];
  expect([...findOpenShortfalls(lowCampaigns)]).toMatchObject([
    [otherMailbox, { level: 'watch', count: 2_400 }],
  ]);
  expect([...findOpenShortfalls([...lowCampaigns, ...campaign(9)])]).toEqual([]);
});

test.each<[string, OpenCounts[]]>([
  ['a campaign with few opens everywhere', [...past, ...campaign(5, [0.3, 0.3, 0.3, 0.3])]],
  ['a small dip', [...past, ...campaign(5, [0.7, 1, 1, 1])]],
  [
    'a dip after too few campaigns',
    [...campaign(1), ...campaign(2), ...campaign(3, [0.2, 1, 1, 1])],
  ],
  [
    'a dip with only two providers',
    [1, 2, 3, 4, 5].flatMap((id) => campaign(id, [id === 5 ? 0.2 : 1, 1])),
  ],
  [
    'a dip in fewer than 500 emails',
    [1, 2, 3, 4, 5].flatMap((id) =>
      campaign(id, [id === 5 ? 0.2 : 1, 1, 1, 1]).map((row) => ({
        ...row,
        ...(row.mailbox === 0 && { delivered: 499, opens: Math.round(row.opens / 20) }),
      })),
    ),
  ],
])('no shortfall is reported for %s', (_, figures) => {
  expect(findOpenShortfalls(figures).size).toBe(0);
});

test('random variation raises fewer than one alarm in 1,000 comparisons', () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (seed + 0.5) / 2_147_483_648;
  };
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  let alarms = 0;
  const trials = 2_000;
  for (let trial = 0; trial < trials; trial++) {
    const figures: OpenCounts[] = [];
    for (let messageId = 1; messageId <= 8; messageId++) {
      const content = Math.exp(0.3 * normal());
      for (const [mailbox, rate] of OPEN_RATES.entries()) {
        const mean = Math.min(0.9, rate * content * Math.exp(0.1 * normal()));
        const opens = 800 * mean + Math.sqrt(800 * mean * (1 - mean)) * normal();
        figures.push({
          ...{ messageId, mailbox, delivered: 800, startedAt: new Date(messageId) },
          opens: Math.max(0, Math.round(opens)),
        });
      }
    }
    alarms += findOpenShortfalls(figures).size;
  }
  // Each trial has four comparisons: its newest campaign at each provider.
  expect(alarms / (trials * OPEN_RATES.length)).toBeLessThan(0.001);
});
