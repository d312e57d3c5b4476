// @vitest-environment jsdom
// An automatically stopped campaign shows its distance from the limits of providers; a waiting one
// shows the reason, the end if known, and the number of recipients.
import { screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import {
  endTestApp,
  renderComponent,
  renderScreen,
  startTestApp,
} from '#platform/web/shell/test-app.tsx';
import type { BroadcastDelivery } from '../sending-contract.ts';
import { ProviderLimits } from './provider-limits.tsx';
import { WhyStopped } from './sending-progress.tsx';
import type { BroadcastUi } from './ui.ts';

beforeAll(() => startTestApp());
afterEach(endTestApp);

const lines = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);

test('the bounce scale shows the rates at which Amazon reviews the account and may stop it', async () => {
  renderComponent(<ProviderLimits reason="bounces_high" halted={{ count: 124, of: 2_000 }} />);
  expect((await screen.findByText('6.2%')).closest('p')?.textContent).toBe(
    '6.2% of the emails came back: 124 of 2,000',
  );
  expect(lines()).toEqual([
    '5%Amazon SES and others review the account. Sendloom stops here.passed',
    '10%Amazon SES may stop the account.76 more to reach it',
  ]);
});

test("the complaint scale shows Gmail's two limits and Amazon's", async () => {
  renderComponent(<ProviderLimits reason="complaints_high" halted={{ count: 4, of: 1_000 }} />);
  await screen.findByText('0.4%');
  expect(lines()).toEqual([
    '0.1%Gmail and Yahoo ask for less. Amazon SES reviews the account.passed',
    '0.3%Gmail and Yahoo block the sender. Sendloom stops here.passed',
    '0.5%Amazon SES may stop the account.1 more to reach it',
  ]);
});

const waiting: BroadcastDelivery = {
  ...{ state: 'waiting', reason: null, reply: null, audience: 1_000, audience_done: true },
  ...{ accepted: 900, deferred: 0, failed: 0, skipped: 0, unknown: 0, remaining: 100 },
  ...{ held: 0, held_until: null, next_wave: null, halted: null, excluded: [] },
  ...{ started_at: '2026-03-02T20:00:00.000Z', finished_at: null },
};
const MORNING = '2026-03-03T07:00:00.000Z';

test.each<[string, BroadcastUi['channel'], Partial<BroadcastDelivery>, RegExp]>([
  [
    'the night',
    'sms',
    { state: 'sending', held: 100, held_until: MORNING },
    /^100 SMS wait until .*2026.*8:00.* or later, for the hours that the recipients’ countries allow\.$/,
  ],
  [
    'the monthly limit of its plan',
    'email',
    { state: 'paused', reason: 'plan_limit', held_until: MORNING },
    /emails for this month are used up\..* continues .*2026.*\. 100 people are still waiting\. Choose a larger plan$/,
  ],
  [
    'the warm-up',
    'email',
    { reason: 'warm_up', held: 100, held_until: MORNING },
    /^Today's share of the .* warm-up is sent\..* 100 emails wait for the warm-up until .*2026.*\. *$/,
  ],
  [
    'the hourly limit of the mail servers',
    'email',
    { reason: 'relay_limit', held_until: MORNING },
    /limit for this hour or day is reached\..* continues .*2026.* 100 people are still waiting\./,
  ],
  [
    'an unreachable mail server',
    'email',
    { reason: 'relay_unreachable', reply: '421 Try later' },
    /cannot be reached .* resumes by itself\. +100 people are still waiting\. +421 Try later$/,
  ],
  [
    'an unreachable SMS provider',
    'sms',
    { reason: 'relay_unreachable' },
    /^The SMS provider cannot be reached .* by itself\. +100 people are still waiting\./,
  ],
  [
    'an unreachable SMS provider at night',
    'sms',
    { reason: 'relay_unreachable', held: 40, held_until: MORNING },
    /^The SMS provider .* 40 SMS wait until .*2026.* 60 people are still waiting\./,
  ],
])(
  'a campaign that waits because of %s shows the reason, the end if known, and the number of recipients',
  async (_, channel, state, line) => {
    const delivery = { ...waiting, ...state };
    const ui = { channel } as BroadcastUi;
    renderScreen(() => <WhyStopped ui={ui} delivery={delivery} zone="Europe/Oslo" />);
    expect((await screen.findByText(/wait|used up/)).textContent).toMatch(line);
  },
);
