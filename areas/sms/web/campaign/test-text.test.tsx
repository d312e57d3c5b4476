// @vitest-environment jsdom
// A test SMS: the dialog asks for its number and checks it before sending.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endTestApp, renderPiece, startTestApp } from '#platform/web/shell/test-app.tsx';
import { TestText } from './test-text.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

test('a test SMS is sent after the number is corrected', async () => {
  const sent: [string, unknown][] = [];
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    sent.push([path, JSON.parse(String(init?.body))]);
    return Response.json({ success: true });
  });
  renderPiece(<TestText id="c1" />);
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
  expect(sent).toEqual([]);
  await submit(' +370 612 99999 ');
  await screen.findByText('Test message sent.');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent).toEqual([['/client-api/api/sms/campaign/c1/test', { phones: ['+370 612 99999'] }]]);
});
