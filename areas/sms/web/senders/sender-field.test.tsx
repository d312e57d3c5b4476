// @vitest-environment jsdom
// The sender added on the way is selected on return, before and after the list of senders arrives.
import { waitFor } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { returnWithSender } from '../return-target.ts';
import { SenderField } from './sender-field.tsx';

vi.mock('@tanstack/react-router', async (original) => ({
  ...(await original<object>()),
  Link: ({ children }: { children: ReactNode }) => <a href="/">{children}</a>,
}));

const RETURN = { to: '/field', kind: 'campaign', takesSender: true } as const;
const SENDERS = ['p1', 'p2'].map((id) => ({ id, value: `Shop ${id}`, status: 'active' }));
let chosen: string[];
let sendList: () => void;

beforeAll(() => startTestApp());
beforeEach(() => {
  chosen = [];
  const list = new Promise<void>((resolve) => (sendList = resolve));
  vi.stubGlobal('fetch', async (path: string) => {
    if (!path.includes('/phone')) return Response.json({ data: {} });
    await list;
    return Response.json({ data: SENDERS });
  });
});
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

function Field() {
  const [value, setValue] = useState('');
  const choose = (id: string) => {
    chosen.push(id);
    setValue(id);
  };
  return <SenderField value={value} onChange={choose} returnTo={RETURN} />;
}

const renderField = () => renderComponent(<Field />);

test('an added sender is selected before the list of senders arrives, and stays selected', async () => {
  returnWithSender('p2');
  renderField();
  await waitFor(() => expect(chosen).toEqual(['p2']));
  sendList();
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(chosen).toEqual(['p2']);
});

test('without an added sender, none of several senders is selected', async () => {
  renderField();
  sendList();
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(chosen).toEqual([]);
});
