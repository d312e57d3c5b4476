// @vitest-environment jsdom
// The findings of an SMS campaign as sentences, as a request for approval shows them.
import { screen } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { smsFindings } from '../late-findings.tsx';

beforeAll(() => startTestApp());
afterEach(() => endTestApp());

test('findings are shown as sentences with formatted numbers, countries and money', async () => {
  const findings = [
    { code: 'no_consent', severity: 'warning', step: 'recipients', values: { count: 1200 } },
    {
      ...{ code: 'countries_barred', severity: 'warning', step: 'recipients' },
      values: { countries: 'NO,SE', count: 3 },
    },
    {
      ...{ code: 'not_enough_credit', severity: 'error', step: 'credit' },
      values: { micros: 5_000_000, free: 1_500_000, currency: 'USD' },
    },
  ];
  renderComponent(<Suspense>{smsFindings(findings)}</Suspense>);
  expect(await screen.findByText('No SMS consent, excluded: 1,200')).toBeTruthy();
  const barredText = 'The sender cannot reach Norway and Sweden. Excluded: 3';
  expect(screen.getByText(barredText)).toBeTruthy();
  expect(screen.getByText(/costs up to \$5\.00, and \$1\.50 is left/)).toBeTruthy();
});
