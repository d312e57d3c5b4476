// @vitest-environment jsdom
// Envelope lines: tags and emoji are inserted at the caret, and the inbox preview shows a
// subscriber's values.
import { configure, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { type EnvelopeValues, EnvelopeFields, EnvelopePreview } from './envelope-fields.tsx';

// Allows for a busy machine.
configure({ asyncUtilTimeout: 15_000 });
const requests: { path: string; body: { subject?: string } }[] = [];

beforeAll(() => startTestApp());
beforeEach(() => {
  requests.length = 0;
  localStorage.clear();
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname } = new URL(String(input), location.origin);
    const body = init?.body ? JSON.parse(String(init.body)) : {};
    requests.push({ path: pathname, body });
    if (pathname.endsWith('/content/preview')) {
      const subject = body.subject.replace(/\{\{.*?\}\}/g, 'Ada');
      return Response.json({
        data: { ...body, subject, html: '', text: '', size: 0, findings: [] },
      });
    }
    return Response.json({ data: [{ id: 'f1', name: 'city', title: 'City' }] });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const EMPTY_ENVELOPE: EnvelopeValues = {
  subject: '',
  preheader: '',
  from_name: '',
  from_email: '',
  reply_to: '',
};

function Form({ first }: { first: EnvelopeValues }) {
  const [envelope, setEnvelope] = useState(first);
  const getFieldProps = (name: keyof EnvelopeValues) => ({
    value: envelope[name],
    onChange: (change: string | { currentTarget: HTMLInputElement }) => {
      const value = typeof change === 'string' ? change : change.currentTarget.value;
      setEnvelope((before) => ({ ...before, [name]: value }));
    },
  });
  return (
    <>
      <EnvelopeFields getFieldProps={getFieldProps} />
      <EnvelopePreview envelope={envelope} />
    </>
  );
}

const subject = () => screen.getByRole<HTMLInputElement>('textbox', { name: /^Subject/ });

it('inserts a merge tag or emoji at the caret', async () => {
  renderComponent(<Form first={{ ...EMPTY_ENVELOPE, subject: 'Hi , welcome' }} />);
  subject().setSelectionRange(3, 3);
  fireEvent.click(screen.getAllByRole('button', { name: 'Merge tag' })[0] as HTMLElement);
  fireEvent.click(await screen.findByRole('menuitem', { name: 'City', hidden: true }));
  expect(subject().value).toBe('Hi {{city | default: ""}}, welcome');
  // The caret moves behind the inserted text.
  await waitFor(() => expect(subject().selectionStart).toBe('Hi {{city | default: ""}}'.length));
  subject().setSelectionRange(0, 0);
  fireEvent.click(screen.getAllByRole('button', { name: 'Emoji' })[0] as HTMLElement);
  const popular = within(await screen.findByRole('region', { name: 'Popular', hidden: true }));
  fireEvent.click(popular.getByRole('button', { name: '🎉', hidden: true }));
  expect(subject().value).toBe('🎉Hi {{city | default: ""}}, welcome');
  // The emoji is now the first of the recently used ones.
  fireEvent.click(screen.getAllByRole('button', { name: 'Emoji' })[0] as HTMLElement);
  const recent = await screen.findByRole('region', { name: 'Recently used', hidden: true });
  expect(within(recent).getAllByRole('button', { hidden: true })[0]?.textContent).toBe('🎉');
});

it('finds an emoji by words of its name and inserts the first result on Enter', async () => {
  renderComponent(<Form first={{ ...EMPTY_ENVELOPE, subject: '' }} />);
  fireEvent.click(screen.getAllByRole('button', { name: 'Emoji' })[0] as HTMLElement);
  const search = await screen.findByRole('textbox', { name: 'Search emoji', hidden: true });
  fireEvent.change(search, { target: { value: 'no such thing' } });
  expect(await screen.findByText('No emoji found')).toBeTruthy();
  fireEvent.change(search, { target: { value: 'party pop' } });
  const findingsRegion = await screen.findByRole('region', { name: 'Found', hidden: true });
  expect(within(findingsRegion).getAllByRole('button', { hidden: true })[0]?.textContent).toBe(
    '🎉',
  );
  fireEvent.keyDown(search, { key: 'Enter' });
  expect(subject().value).toBe('🎉');
});

it('counts the characters of a subject as readers see them and warns where inboxes cut it', () => {
  renderComponent(<Form first={{ ...EMPTY_ENVELOPE, subject: '' }} />);
  expect(screen.queryByText(/characters?/)).toBeNull();
  const enterSubject = (value: string) => {
    fireEvent.change(subject(), { target: { value } });
    return screen.getByText(/characters?/).textContent;
  };
  expect(enterSubject('👩‍👩‍👧')).toBe('1 character · fits on phones');
  expect(enterSubject('Hi {{firstname | default: "friend of tea"}}')).toBe(
    '16 characters · fits on phones',
  );
  expect(enterSubject('a'.repeat(41))).toBe('41 characters · phones show about 40');
  expect(enterSubject('a'.repeat(71))).toContain('most inboxes cut it');
});

it('opens merge tags and emoji in sheets on touch screens', async () => {
  const mouse = window.matchMedia;
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(mouse(query), { matches: query.includes('pointer: coarse') }),
  );
  renderComponent(<Form first={{ ...EMPTY_ENVELOPE, subject: '' }} />);
  fireEvent.click(screen.getAllByRole('button', { name: 'Merge tag' })[0] as HTMLElement);
  const fields = await screen.findByRole('dialog', { name: 'Merge tag' });
  fireEvent.click(await within(fields).findByRole('button', { name: 'City' }));
  expect(subject().value).toBe('{{city | default: ""}}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  fireEvent.click(screen.getAllByRole('button', { name: 'Emoji' })[0] as HTMLElement);
  const emoji = await screen.findByRole('dialog', { name: 'Emoji' });
  const popular = within(await within(emoji).findByRole('region', { name: 'Popular' }));
  fireEvent.click(popular.getByRole('button', { name: '🎉' }));
  expect(subject().value).toContain('🎉');
  expect(screen.queryByRole('menu')).toBeNull();
});

it('shows the subject for a real subscriber and sends no request without merge tags', async () => {
  renderComponent(<Form first={{ ...EMPTY_ENVELOPE, subject: 'Spring' }} />);
  expect(screen.getByRole('img').textContent).toContain('Spring');
  fireEvent.change(subject(), { target: { value: 'Spring, {{firstname}}' } });
  await waitFor(() => expect(screen.getByRole('img').textContent).toContain('Spring, Ada'));
  screen.getByText('Merge tags are filled in for your newest subscriber.');
  const subjects = requests.map(({ body }) => body.subject);
  expect(subjects.filter((subject) => subject?.startsWith('Spring'))).toEqual([
    'Spring, {{firstname}}',
  ]);
});

it('shows the domain of a sender in Unicode and accepts Unicode and Punycode', async () => {
  renderComponent(<Form first={{ ...EMPTY_ENVELOPE, from_email: 'ada@xn--bcher-kva.example' }} />);
  const fromField = await screen.findByDisplayValue('ada@bücher.example');
  fireEvent.change(fromField, { target: { value: 'bea@bücher.example' } });
  expect(screen.getByDisplayValue('bea@bücher.example')).toBe(fromField);
  fireEvent.change(fromField, { target: { value: 'bea@xn--bcher-kva.example' } });
  expect(screen.getByDisplayValue('bea@bücher.example')).toBe(fromField);
});
