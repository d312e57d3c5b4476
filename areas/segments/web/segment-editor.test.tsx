// @vitest-environment jsdom
// The segment editor: if two users edit one segment, the one who saves last decides which version
// remains. Also conditions found by a model.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { routes } from './routes.tsx';

const session = {
  user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
  account: { id: 'a', title: 'Tea', timezone: 'UTC', country: 'NO', language: 'eng' },
};
const counts = { subscribers: 1, active_subscribers: 1, phone_count: 0, active_phone_count: 0 };
const preview = { ...counts, sentence: 'Email status is active', names: {}, sample: [] };
const filter = 'email_status,is,active,1,and,and,';
const saves: { title: string; revision: number }[] = [];
let savedSegment = { title: 'Friends', revision: 1 };

beforeAll(() => startTestApp());
beforeEach(() => {
  saves.length = 0;
  savedSegment = { title: 'Friends', revision: 1 };
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname } = new URL(String(input), 'http://localhost');
    if (pathname.endsWith('/users')) return Response.json({ data: session });
    if (pathname.endsWith('/preview')) return Response.json({ data: preview });
    if (!pathname.endsWith('/filters/abc123')) return Response.json({ data: [] });
    if (init?.method === 'PATCH') {
      const body = JSON.parse(String(init.body)) as (typeof saves)[number];
      saves.push(body);
      if (body.revision !== savedSegment.revision)
        return Response.json({ code: 'stale_revision', message: 'Changed' }, { status: 409 });
      savedSegment = { title: body.title, revision: savedSegment.revision + 1 };
    }
    return Response.json({
      data: { id: 'abc123', ...preview, filter, conditions: [], ...savedSegment },
    });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

/** Saves a segment that another user has changed since it was opened. */
async function saveOutdated(): Promise<void> {
  renderAreas([routes], '/subscribers/segments/abc123');
  fireEvent.change(await screen.findByDisplayValue('Friends'), { target: { value: 'Mine' } });
  savedSegment = { title: 'Theirs', revision: 2 };
  fireEvent.click(screen.getByRole('button', { name: 'Save segment' }));
  await screen.findByText('Changed elsewhere');
  expect(screen.getByDisplayValue('Mine')).toBeTruthy();
  expect(savedSegment.title).toBe('Theirs');
}

it('the editor shows the other user’s version on request', async () => {
  await saveOutdated();
  fireEvent.click(screen.getByRole('button', { name: 'Use the newer version' }));
  expect(await screen.findByDisplayValue('Theirs')).toBeTruthy();
  expect(saves).toHaveLength(1);
});

it('the editor overwrites the other user’s version on request', async () => {
  await saveOutdated();
  fireEvent.click(screen.getByRole('button', { name: 'Keep mine' }));
  await waitFor(() => expect(savedSegment).toEqual({ title: 'Mine', revision: 3 }));
  await waitFor(() => expect(screen.queryByText('Changed elsewhere')).toBeNull());
});

it('conditions that a model found can be used, after the request was shown and confirmed', async () => {
  const request = { host: 'models.example', body: '{"prompt":1}', personal: [], image: null };
  const condition = { type: 'email_status', operator: 'is', operand: 'active', more: [] };
  const grouping = { group: 1, inside_concat: 'and', outside_concat: 'and', key: '' };
  const conditions = [{ ...condition, ...grouping }];
  const confirmations: boolean[] = [];
  const respond = globalThis.fetch;
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname } = new URL(String(input), 'http://localhost');
    if (pathname.endsWith('/assistance')) return Response.json({ data: { is_on: true } });
    if (!pathname.endsWith('/from_words')) return respond(input, init);
    const { is_confirmed, words } = JSON.parse(String(init?.body));
    confirmations.push(is_confirmed);
    expect(words).toBe('active friends');
    const reply = { conditions, sentence: 'Email status is active.', subscribers: 1234 };
    const emptyReply = { conditions: null, sentence: null, subscribers: null };
    return Response.json({ data: { request, ...(is_confirmed ? reply : emptyReply) } });
  });
  renderAreas([routes], '/subscribers/segments/create');
  const field = await screen.findByLabelText('Or describe them in words');
  const find = screen.getByRole<HTMLButtonElement>('button', { name: 'Find conditions' });
  expect(find.disabled).toBe(true);
  fireEvent.change(field, { target: { value: ' active friends ' } });
  fireEvent.click(find);
  expect(await screen.findByText('{"prompt":1}')).toBeTruthy();
  expect(confirmations).toEqual([false]);
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('1,234 subscribers')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Use these conditions' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  // The description in words is offered only while the segment has no conditions.
  await waitFor(() => expect(screen.queryByLabelText('Or describe them in words')).toBeNull());
});
