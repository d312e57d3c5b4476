// @vitest-environment jsdom
// The usage bar is neutral, amber from 80 % and red from 90 %, and shows a text above 100 %.
import { cleanup, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { UsageBar } from './usage-bar.tsx';

beforeAll(() => startTestApp());
afterEach(cleanup);

test.each([
  [0, 1000, 'calm'],
  [799, 1000, 'calm'],
  [800, 1000, 'warning'],
  [899, 1000, 'warning'],
  [900, 1000, 'danger'],
  [5000, 1000, 'danger'],
  [0, 0, 'danger'],
] as const)('a usage of %d of %d is shown as %s', (used, limit, tone) => {
  renderComponent(<UsageBar label="Emails sent" used={used} limit={limit} />);
  const bar = screen.getByRole('meter', { name: 'Emails sent' });
  expect(bar.dataset.tone).toBe(tone);
  expect(screen.queryByText('Over the plan’s limit') !== null).toBe(used > limit);
});

test('usage without a limit shows a number and no bar', () => {
  renderComponent(<UsageBar label="Emails sent" used={12_000} limit={null} />);
  expect(screen.queryByRole('meter')).toBeNull();
  expect(screen.getByText('12,000')).toBeDefined();
});
