// @vitest-environment jsdom
// Before a domain is removed it is said which campaigns stop.
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/test-app.tsx';
import DomainsScreen from './domains-screen.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const use = (title: string) => ({ kind: 'campaign', id: title, title });

it.each([
  [[], /^Campaigns can no longer be sent from tea\.example\./],
  [['Spring'], /^1 campaign that is being sent or scheduled stops: “Spring”\. Campaigns can/],
  [
    ['One', 'Two', 'Three', 'Four', 'Five'],
    /^5 campaigns that are .* stop: “One”, “Two”, “Three”,? and 2 more\. Campaigns can/,
  ],
])('names those of %j', async (titles, words) => {
  const at = '2026-01-01T00:00:00.000Z';
  const domain = {
    ...{ id: 'd1', domain_name: 'tea.example', shown_name: 'tea.example', email: 'a@tea.example' },
    ...{ email_verified: true, dns_verified: true, verified: true, records: [] },
    alignment: { dkim: true, spf: true, dmarc_policy: null },
    ...{ checked: at, created: at, modified: at },
  };
  const meta = { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 };
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
    const url = input instanceof Request ? input.url : String(input);
    return url.endsWith('/d1/uses')
      ? Response.json({ data: titles.map(use) })
      : Response.json({ data: [domain], meta });
  });
  renderScreen(DomainsScreen, { at: '/settings/domains' });
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for tea.example' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove domain' }));
  const dialog = await screen.findByRole('dialog');
  expect(await screen.findByText(words)).toBeTruthy();
  expect(dialog.textContent).toContain('Remove tea.example?');
});
