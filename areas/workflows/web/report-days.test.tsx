// @vitest-environment jsdom
// The fields of a custom date range in the report of a workflow.
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { sessionQuery } from '#platform/web/session/session.ts';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import workflows from '../../../locales/fas/workflows.json' with { type: 'json' };
import { Days } from './report-days.tsx';

beforeAll(() => startTestApp('fas'));
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

test('a date range is entered in the Persian calendar if the language is Persian', async () => {
  queryClient.setQueryData(sessionQuery.queryKey, sampleSession);
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ data: [] })));
  renderComponent(<Days id="w1" />);
  fireEvent.click(await screen.findByText(workflows.report.ranges.custom));
  const { from, until } = workflows.report;
  for (const name of [from, until])
    expect((await screen.findByRole('group', { name })).querySelectorAll('select')).toHaveLength(3);
});
