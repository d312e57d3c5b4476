// @vitest-environment jsdom
// The settings of assistance, and the dialog that shows a request before it is sent.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import {
  endTestApp,
  renderAreas,
  renderComponent,
  startTestApp,
} from '#platform/web/shell/test-app.tsx';
import type { ModelRequest, ModelSettings } from '../contract.ts';
import AssistDialog, { type AssistDialogProps } from './assist-dialog.tsx';
import { routes } from './routes.tsx';

const OFF_SETTINGS: ModelSettings = {
  ...{ is_on: false, protocol: null, address: null, model: null },
  ...{ has_key: false, monthly_tokens: null, used_tokens: 0, prices: null, cost: null },
};

const requests: { call: string; body: unknown }[] = [];
let settings: ModelSettings;

beforeAll(() => startTestApp());
beforeEach(() => {
  requests.length = 0;
  settings = OFF_SETTINGS;
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname } = new URL(String(input), location.origin);
    const method = init?.method ?? 'GET';
    const body: unknown = init?.body && JSON.parse(String(init.body));
    requests.push({ call: `${method} ${pathname}`, body });
    if (pathname.endsWith('/assistance/test'))
      return Response.json({ data: { answer: 'ready', milliseconds: 12 } });
    if (pathname.endsWith('/assistance') && method === 'PUT')
      settings = { ...OFF_SETTINGS, ...(body as object), is_on: true, has_key: true };
    if (pathname.endsWith('/assistance')) return Response.json({ data: settings });
    return Response.json({ data: sampleSession });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  endTestApp();
});

test('assistance is off until a model is saved, which can then be tested', async () => {
  renderAreas([routes], '/settings/assistance');
  expect(await screen.findByText('Off. Nothing leaves this server.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Test' })).toBeNull();
  fireEvent.change(screen.getByLabelText(/^Protocol/), { target: { value: 'openai' } });
  fireEvent.change(screen.getByLabelText(/^Model/), { target: { value: 'llama' } });
  fireEvent.change(screen.getByLabelText(/^API key/), { target: { value: 'secret' } });
  fireEvent.change(screen.getByLabelText('Input'), { target: { value: '3' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  const body = {
    ...{ protocol: 'openai', address: 'https://api.openai.com/v1', model: 'llama' },
    ...{ key: 'secret', monthly_tokens: null },
    prices: { input: 3, output: 0, currency: 'USD' },
  };
  await waitFor(() =>
    expect(requests).toContainEqual({ call: 'PUT /client-api/api/assistance', body }),
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Test' }));
  expect(await screen.findByText('The model answered “ready” in 12 ms')).toBeTruthy();
  expect(screen.getByText('A key is stored. Enter one to replace it.')).toBeTruthy();
});

const REQUEST: ModelRequest = {
  ...{ host: 'models.example', body: '{"prompt":1}', image: 'data:image/jpeg;base64,AAAA' },
  personal: ['ada@tea.example'],
  cost: { amount: 0.02, currency: 'USD' },
};

test('the dialog shows the host, image, addresses, body and cost, and sends only after confirmation', async () => {
  const close = vi.fn<() => void>();
  const confirmations: boolean[] = [];
  const run = async (isConfirmed: boolean) => {
    confirmations.push(isConfirmed);
    const cost = { amount: 0.0042, currency: 'USD' };
    return {
      request: isConfirmed ? { ...REQUEST, cost } : REQUEST,
      result: <p>A suggestion</p>,
    };
  };
  renderComponent(<AssistDialog title="Suggest" isOpen close={close} run={run} />);
  expect(await screen.findByText('This is sent to models.example:')).toBeTruthy();
  expect(screen.getByText('ada@tea.example')).toBeTruthy();
  expect(screen.getByText('{"prompt":1}')).toBeTruthy();
  const image = screen.getByRole<HTMLImageElement>('img', { name: 'The image that is sent' });
  expect(image.src).toBe(REQUEST.image);
  expect(screen.getByText('Cost: at most about $0.02')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(close).toHaveBeenCalledOnce();
  expect(confirmations).toEqual([false]);
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('A suggestion')).toBeTruthy();
  expect(screen.getByText('Cost: $0.0042')).toBeTruthy();
  expect(confirmations).toEqual([false, true]);
  expect(screen.queryByRole('button', { name: 'Send' })).toBeNull();
});

test('a changed field disables sending until its request is shown', async () => {
  function Host() {
    const [value, setValue] = useState('one');
    const run = async () => ({ request: { ...REQUEST, body: `body of ${value}` }, result: null });
    const field = <input aria-label="Field" onChange={(event) => setValue(event.target.value)} />;
    const props = { title: 'Suggest', isOpen: true, close: () => undefined, run };
    return <AssistDialog {...props} fields={field} fieldsKey={value} />;
  }
  renderComponent(<Host />);
  await screen.findByText('body of one');
  const send = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Send' });
  expect(send().disabled).toBe(false);
  fireEvent.change(screen.getByLabelText('Field'), { target: { value: 'two' } });
  expect(send().disabled).toBe(true);
  await screen.findByText('body of two');
  expect(send().disabled).toBe(false);
});

test('partial text is shown until the result arrives, and closing the dialog stops the model', async () => {
  let signal: AbortSignal | undefined;
  const run: AssistDialogProps['run'] = async (isConfirmed, progress) => {
    if (!isConfirmed) return { request: REQUEST, result: null };
    signal = progress.signal;
    progress.show(<p>The first words</p>);
    return new Promise(() => undefined);
  };
  const close = vi.fn<() => void>();
  const view = renderComponent(<AssistDialog title="Suggest" isOpen close={close} run={run} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Send' }));
  expect(await screen.findByText('The first words')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  expect(close).toHaveBeenCalledOnce();
  expect(signal?.aborted).toBe(false);
  view.unmount();
  expect(signal?.aborted).toBe(true);
});

test('a request that cannot be prepared is reported, and nothing can be sent', async () => {
  const run = async () => Promise.reject(new Error('No connection'));
  renderComponent(<AssistDialog title="Suggest" isOpen close={() => undefined} run={run} />);
  expect(await screen.findByText('The suggestion could not be prepared.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Send' })).toBeNull();
});
