// @vitest-environment jsdom
// A test SMS: the dialog requires a phone number and checks it before sending. In test mode, only
// the server checks it.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { queryClient } from '#platform/web/api/queries.ts';
import type { SmsCampaign } from '../../contract.ts';
import { TestSms } from './test-message.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

/** Stubs the server. @returns the list that records each request that sends a test */
function serve(provider: string): [string, unknown][] {
  const sentCalls: [string, unknown][] = [];
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    if (init?.method !== 'POST') return Response.json({ data: { provider, is_free: true } });
    sentCalls.push([path, JSON.parse(String(init.body))]);
    return Response.json({ success: true });
  });
  return sentCalls;
}

test('a test SMS is sent after the number is corrected', async () => {
  const sentCalls = serve('provider');
  renderComponent(<TestSms id="c1" />);
  fireEvent.click(screen.getByRole('button', { name: 'Send test' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Test message' }));
  const field = dialog.getByLabelText<HTMLInputElement>('Phone number');
  expect(field.type).toBe('tel');
  const submit = async (number: string) => {
    fireEvent.change(field, { target: { value: number } });
    fireEvent.click(dialog.getByRole('button', { name: 'Send test' }));
  };
  await submit('+3706');
  await dialog.findByText('The phone number is too short');
  await submit('612 99999');
  await dialog.findByText('The country code is not valid');
  expect(sentCalls).toEqual([]);
  await submit(' +370 612 99999 ');
  await screen.findByText('Test message sent.');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sentCalls).toEqual([
    ['/client-api/api/sms/campaign/c1/test', { phones: ['+370 612 99999'] }],
  ]);
});

test('a test of a variant sends the text of the variant', async () => {
  const sentCalls = serve('provider');
  const content = { add_organization_name: 'TRUE', append_opt_out: 'TRUE' } as const;
  const variant = { ...content, google_analytics: 'FALSE', phone_id: 'p1', text: 'Second' };
  renderComponent(<TestSms id="c1" variant={variant as SmsCampaign} />);
  fireEvent.click(screen.getByRole('button', { name: 'Send test' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Test message' }));
  fireEvent.change(dialog.getByLabelText('Phone number'), { target: { value: '+37061299999' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Send test' }));
  await screen.findByText('Test message sent.');
  expect(sentCalls).toEqual([
    ['/client-api/api/sms/test', { ...variant, phones: ['+37061299999'] }],
  ]);
});

test('in test mode, a test SMS may go to a number that is reserved for fiction', async () => {
  const sentCalls = serve('phone');
  renderComponent(<TestSms id="c1" />);
  expect(await screen.findByText(/free/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Send test' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Test message' }));
  dialog.getByText(/7700 900123/);
  const field = dialog.getByLabelText<HTMLInputElement>('Phone number');
  fireEvent.change(field, { target: { value: '+44 7700 900123' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Send test' }));
  await screen.findByText('Test message sent.');
  expect(sentCalls).toEqual([
    ['/client-api/api/sms/campaign/c1/test', { phones: ['+44 7700 900123'] }],
  ]);
});
