// @vitest-environment jsdom
// Removing a domain first shows the campaigns, workflows, emails and forms that stop.
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { pendingConfirmation } from '#platform/web/ui/confirm.tsx';
import DomainScreen from './domain-screen.tsx';
import DomainsScreen from './domains-screen.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const domainUse = (title: string, kind = 'campaign') => ({ kind, id: title, title });

const timestamp = '2026-01-01T00:00:00.000Z';
const domain = {
  ...{ id: 'd1', domain_name: 'tea.example', shown_name: 'tea.example', email: 'a@tea.example' },
  ...{ email_verified: true, dns_verified: true, verified: true, records: [] },
  alignment: { dkim: true, spf: true, dmarc_policy: null, bimi: false },
  reports: { address: null, requested: false },
  ...{ checked: timestamp, created: timestamp, modified: timestamp },
};

it.each([
  [[], /^Emails can no longer be sent from tea\.example\./],
  [[domainUse('Spring')], /^This stops: the campaign “Spring”\. Emails can/],
  [
    [domainUse('One', 'workflow'), domainUse('Two', 'transactional'), domainUse('Three', 'form')],
    /: the workflow “One”, the transactional email “Two”,? and the emails of the form “Three”\. /,
  ],
  [
    ['One', 'Two', 'Three', 'Four', 'Five'].map((title) => domainUse(title)),
    /: the campaign “One”, the campaign “Two”, the campaign “Three”,? and 2 more\. Emails/,
  ],
])('the confirmation names what stops: %j', async (uses, message) => {
  const meta = { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 };
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
    const url = input instanceof Request ? input.url : String(input);
    return url.endsWith('/d1/uses')
      ? Response.json({ data: uses })
      : Response.json({ data: [domain], meta });
  });
  renderScreen(DomainsScreen, { at: '/settings/domains' });
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for tea.example' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove domain' }));
  const dialog = await screen.findByRole('dialog');
  expect(await screen.findByText(message)).toBeTruthy();
  expect(dialog.textContent).toContain('Remove tea.example?');
});

describe('on a slow server', () => {
  let respond: (uses: Response) => void;
  let requestCount: number;
  const press = () => fireEvent.click(screen.getByRole('button', { name: 'Remove domain' }));
  const show = async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    respond = resolve;
    requestCount = 0;
    vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
      const url = input instanceof Request ? input.url : String(input);
      if (!url.endsWith('/uses')) return Response.json({ data: domain });
      requestCount += 1;
      return promise;
    });
    const screens = renderScreen(DomainScreen, {
      at: '/settings/domains/d1',
      path: '/settings/domains/$domain',
    });
    await screen.findByRole('button', { name: 'Remove domain' });
    return screens;
  };

  it('the button shows the progress of a slow query, which runs once', async () => {
    await show();
    press();
    const button = screen.getByRole('button', { name: 'Remove domain' });
    await waitFor(() => expect(button.getAttribute('aria-busy')).toBe('true'));
    // A disabled button would lose the focus that the dialog returns to it.
    expect(button).toHaveProperty('disabled', false);
    press();
    respond(Response.json({ data: [domainUse('Spring')] }));
    expect(await screen.findByText(/^This stops: the campaign “Spring”/)).toBeTruthy();
    expect(requestCount).toBe(1);
  });

  it('a row of the list shows the progress of a slow query, including to screen readers', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const meta = { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 };
    vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
      const url = input instanceof Request ? input.url : String(input);
      return url.endsWith('/uses') ? promise : Response.json({ data: [domain], meta });
    });
    renderScreen(DomainsScreen, { at: '/settings/domains' });
    fireEvent.click(await screen.findByRole('button', { name: 'Actions for tea.example' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove domain' }));
    expect(await screen.findByText('Checking what uses tea.example')).toBeTruthy();
    const dots = screen.getByRole('button', { name: 'Actions for tea.example', hidden: true });
    expect(dots.getAttribute('aria-busy')).toBe('true');
    expect(dots).toHaveProperty('disabled', false);
    resolve(Response.json({ data: [domainUse('Spring')] }));
    expect(await screen.findByText(/^This stops: the campaign “Spring”/)).toBeTruthy();
    expect(screen.queryByText('Checking what uses tea.example')).toBeNull();
    expect(dots.getAttribute('aria-busy')).toBe('false');
  });

  it('a late response does not open a dialog on another screen', async () => {
    const { unmount } = await show();
    press();
    await waitFor(() => expect(requestCount).toBe(1));
    unmount();
    respond(Response.json({ data: [] }));
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(pendingConfirmation.get()).toBeUndefined();
  });

  it('the confirmation omits the names if they could not be loaded', async () => {
    await show();
    press();
    respond(Response.json({}, { status: 500 }));
    expect(await screen.findByText(/^Emails can no longer be sent/)).toBeTruthy();
  });
});
