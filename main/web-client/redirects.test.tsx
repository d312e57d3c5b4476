// @vitest-environment jsdom
// Every redirecting screen, opened at its address, reaches its target and remains there.
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { Outlet } from '@tanstack/react-router';
import { screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import type { AreaRoutes, ScreenRoute } from '#platform/web/shell/routes.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { sessionQuery } from '#platform/web/session/session.ts';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';

const AREAS = Object.values(
  import.meta.glob<{ routes: AreaRoutes }>('../../areas/*/web/routes.tsx', { eager: true }),
).map(({ routes }) => routes);

type RedirectCase = { source: string; from: string; to: string; data?: object };

const SENT_CAMPAIGN = { id: 'x', status: 'SENT', last_action: 'step4', delivery: null };
const DRAFT = { id: 'x', status: 'DRAFT', last_action: 'step3', delivery: null };
const PHONE = '/sms/phone/x/tcpa_and_ctia_compliance';
const EMAIL = '/automation/builder/x/email';
const STEPS = [
  { id: 's', type: 'EMAIL', editor: 'html', data: {} },
  { id: 'd', type: 'DELAY', editor: null },
];

const FORM = { id: 'x', mail_editor: 'html', settings: { confirmation: { from_name: '' } } };

const CASES: RedirectCase[] = [
  ...[
    { from: '/sms/x', data: SENT_CAMPAIGN, to: '/sms/x/report/overview' },
    { from: '/sms/x', data: DRAFT, to: '/sms/x/subscribers' },
  ].map((redirectCase) => ({ source: 'sms/web/campaign/continue-screen.tsx', ...redirectCase })),
  {
    source: 'sms/web/campaign/settings-screen.tsx',
    from: '/sms/x/edit',
    data: SENT_CAMPAIGN,
    to: '/sms/x/confirm',
  },
  {
    source: 'sms/web/campaign/recipients-screen.tsx',
    ...{ from: '/sms/x/subscribers', data: SENT_CAMPAIGN, to: '/sms/x/confirm' },
  },
  {
    source: 'sms/web/campaign/experiment-screen.tsx',
    ...{ from: '/sms/x/experiment', data: SENT_CAMPAIGN, to: '/sms/x/confirm' },
  },
  {
    source: 'sms/web/compliance/verification-screen.tsx',
    ...{ from: `${PHONE}/toll-free-number-verification`, to: PHONE },
    data: { verification: { status: 'approved', values: {} } },
  },
  {
    source: 'campaigns/web/continue-screen.tsx',
    ...{ from: '/campaigns/x', data: SENT_CAMPAIGN, to: '/campaigns/x/report/overview' },
  },
  {
    source: 'campaigns/web/experiment-screen.tsx',
    ...{ from: '/campaigns/x/experiment', data: SENT_CAMPAIGN, to: '/campaigns/x/confirm' },
  },
  {
    source: 'campaigns/web/compose-variant.tsx',
    from: '/campaigns/x/variants/v/editor',
    data: { ...SENT_CAMPAIGN, variants: [] },
    to: '/campaigns/x/confirm',
  },
  ...['/campaigns/x/edit', '/campaigns/x/editor', '/campaigns/x/subscribers']
    .concat('/html/x/custom_html', '/html/x/plain_text')
    .map((from) => ({
      source: `campaigns/web/${
        from.startsWith('/html')
          ? 'compose-email'
          : {
              edit: 'settings-screen',
              editor: 'compose-email',
              subscribers: 'recipients-screen',
            }[from.split('/')[3] as 'edit']
      }.tsx`,
      ...{ from, data: SENT_CAMPAIGN, to: '/campaigns/x/confirm' },
    })),
  {
    source: 'content/web/composing/email-composer.tsx',
    ...{ from: '/campaigns/x/editor', data: { ...DRAFT, editor: 'html' } },
    to: '/html/x/custom_html',
  },
  {
    source: 'content/web/composing/email-composer.tsx',
    ...{ from: '/transactional/x/editor', data: { id: 'x', editor: 'text' } },
    to: '/transactional/x/plain_text',
  },
  {
    source: 'content/web/composing/email-composer.tsx',
    ...{ from: '/forms/x/mail/editor', data: FORM },
    to: '/forms/x/mail/custom_html',
  },
  {
    source: 'content/web/composing/email-composer.tsx',
    ...{ from: `${EMAIL}/s/editor`, data: { steps: STEPS }, to: `${EMAIL}/s/custom_html` },
  },
  ...['editor', 'custom_html', 'plain_text'].map((editor) => ({
    source: 'workflows/web/emails/compose-email.tsx',
    ...{ from: `${EMAIL}/d/${editor}`, data: { steps: STEPS }, to: '/automation/builder/x' },
  })),
  ...['/settings/billing/upgrade', '/sms-credits-purchase', '/thank-you', '/payment-failed'].map(
    (from) => ({
      source: 'billing/web/purchase-guard.tsx',
      ...{ from, data: { is_on: false }, to: '/settings/billing' },
    }),
  ),
  {
    source: 'billing/web/checkout-screen.tsx',
    ...{ from: '/checkout/x', data: { is_on: true, state: 'paid' }, to: '/thank-you/x' },
  },
  {
    source: 'domains/web/domains-screen.tsx',
    ...{ from: '/settings/domains?confirm=a%20b', to: '/confirm-domain?token=a+b' },
  },
  { source: 'onboarding/web/checklist-screen.tsx', from: '/complete-registration', to: '/' },
  {
    source: 'accounts/web/settings/own-profile-screen.tsx',
    ...{ from: '/settings/user', to: '/settings/user/u' },
  },
];

/**
 * The loading time of every screen except the opened one, as on a phone. The opened screen must
 * redirect while its target is still loading.
 */
const SLOW_MS = 30;
const respondSlowly = async () => {
  await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
  return { default: () => <p>arrived</p> };
};

/** Replaces all screens but the opened one and removes all frames. */
function onlyOpened(screens: readonly ScreenRoute[], from: string, parent = ''): ScreenRoute[] {
  return screens.map((route) => {
    const path = parent + route.path;
    const pattern = new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`);
    const isOpened = pattern.test(from.split('?')[0] as string);
    const children = route.children && onlyOpened(route.children, from, `${path}/`);
    return {
      ...route,
      ...(route.load && !isOpened && { load: respondSlowly }),
      ...(children && { load: async () => ({ default: Outlet }), children }),
      frame: 'open',
    };
  });
}

let responseData: object = {};
beforeAll(() => startTestApp());
beforeEach(() => {
  queryClient.setQueryData(sessionQuery.queryKey, sampleSession);
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ data: responseData })));
});
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

/** Opens an address; returns the address and the number of navigations after all redirects. */
async function openPath(from: string, data: object | undefined) {
  responseData = data ?? {};
  const areas = AREAS.map((area) => ({ ...area, screens: onlyOpened(area.screens, from) }));
  const { router } = renderAreas(areas, from);
  let navigations = 0;
  router.subscribe('onBeforeNavigate', () => navigations++);
  await screen.findByText('arrived');
  await new Promise((resolve) => setTimeout(resolve, SLOW_MS * 3));
  return { href: router.state.location.href, navigations };
}

describe('a redirecting screen', () => {
  test.each(CASES)('$source arrives from $from at $to', async ({ from, to, data }) => {
    const finalPath = await openPath(from, data);
    expect(finalPath.href).toBe(to);
    expect(finalPath.navigations).toBeLessThanOrEqual(2);
  });

  test('every redirecting screen is listed here and redirects without Navigate', async () => {
    const sources = new Set(CASES.map(({ source }) => source));
    const missing: string[] = [];
    for await (const file of glob('areas/*/web/**/*.tsx')) {
      const code = readFileSync(file, 'utf8');
      expect(code, file).not.toMatch(/\bNavigate\b[^;]*from '@tanstack/);
      // Screens for drafts redirect by means of DraftOnly.
      const redirects = /<(?:Redirect|DraftOnly) /.test(code) && !file.endsWith('draft-only.tsx');
      if (redirects && !sources.has(file.replace('areas/', ''))) missing.push(file);
    }
    expect(missing).toEqual([]);
  });
});

describe('a redirecting URL', () => {
  const REDIRECTS = AREAS.flatMap(({ screens }) => screens).filter((route) => route.redirectTo);
  test.each(REDIRECTS)('$path arrives at $redirectTo', async ({ path, redirectTo = '' }) => {
    const fillParams = (pattern: string) => pattern.replaceAll(/\$\w+/g, 'x');
    const finalPath = await openPath(fillParams(path), undefined);
    expect(finalPath.href).toBe(fillParams(redirectTo));
    expect(finalPath.navigations).toBeLessThanOrEqual(2);
  });
});
