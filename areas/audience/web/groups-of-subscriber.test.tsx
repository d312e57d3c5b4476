// @vitest-environment jsdom
// The groups of a subscriber can be changed again while a change is being saved.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { SubscriberDetails } from '../contract.ts';
import { GroupsOfSubscriber } from './groups-of-subscriber.tsx';

const groups = [
  { id: 'a', title: 'Anglers' },
  { id: 'b', title: 'Bakers' },
];

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it('removes a group while its addition is still being saved', async () => {
  const calls: string[] = [];
  let save = () => {};
  const saving = new Promise<void>((resolve) => {
    save = resolve;
  });
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    if (init?.method !== 'POST' && init?.method !== 'DELETE')
      return Response.json({ data: groups });
    calls.push(`${init.method} ${String(url).replace(/^.*\//, '')}`);
    await saving;
    return Response.json({ success: true });
  });
  const subscriber = { id: 's', subscriber_tags: groups.slice(0, 1) } as SubscriberDetails;
  renderScreen(() => <GroupsOfSubscriber subscriber={subscriber} />, { at: '/subscribers/s/view' });
  const input = await screen.findByRole('combobox', { name: 'Groups' });
  fireEvent.click(input);
  fireEvent.click(await screen.findByRole('option', { name: 'Bakers', hidden: true }));
  await waitFor(() => expect(calls).toEqual(['POST b']));
  await screen.findByText('Bakers', { selector: 'span' });
  fireEvent.keyDown(input, { key: 'Backspace' });
  save();
  await waitFor(() => expect(calls).toEqual(['POST b', 'DELETE b']));
});
