// @vitest-environment jsdom
// An automatically stopped campaign shows its distance from the limits of providers.
import { screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { endTestApp, renderPiece, startTestApp } from '#platform/web/shell/test-app.tsx';
import { ProviderLimits } from './provider-limits.tsx';

beforeAll(() => startTestApp());
afterEach(endTestApp);

const lines = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);

test('the bounce scale shows the limit at which Amazon reviews, some way before it stops the account', async () => {
  renderPiece(<ProviderLimits reason="bounces_high" halted={{ count: 124, of: 2_000 }} />);
  expect((await screen.findByText('6.2%')).closest('p')?.textContent).toBe(
    '6.2% of the emails came back: 124 of 2,000',
  );
  expect(lines()).toEqual([
    '5%Amazon SES and others review the account. Sendloom stops here.passed',
    '10%Amazon SES may stop the account.76 more to reach it',
  ]);
});

test("the complaint scale shows Gmail's two limits and Amazon's", async () => {
  renderPiece(<ProviderLimits reason="complaints_high" halted={{ count: 4, of: 1_000 }} />);
  await screen.findByText('0.4%');
  expect(lines()).toEqual([
    '0.1%Gmail and Yahoo ask for less. Amazon SES reviews the account.passed',
    '0.3%Gmail and Yahoo block the sender. Sendloom stops here.passed',
    '0.5%Amazon SES may stop the account.1 more to reach it',
  ]);
});
