// @vitest-environment jsdom
// The editors and the preview of an email, and the import of HTML. They do not depend on the kind
// of item that the email belongs to, so the email of these tests belongs to an invented kind.
import { configure, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import { ImportHtml } from './import-html.tsx';
import type { Composing } from './composing.ts';
import DocumentEditor from './document-editor.tsx';
import { EmailPreview } from './email-preview.tsx';
import TextEditor from './text-editor.tsx';

// On a busy machine the editor's modules may take longer to load than the default timeout.
configure({ asyncUtilTimeout: 15_000 });

const BASE = '/client-api/api/postcards';
const EMAIL_URL = `${BASE}/p1`;
const session = {
  data: {
    user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: null, language: 'eng' },
    account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
  },
};
const onNext = vi.fn<() => void>();
const composing: Composing = {
  basePath: BASE,
  id: 'p1',
  name: 'postcard:p1',
  title: 'Order is on its way',
  back: { to: '/postcards', label: 'Back to the postcards' },
  next: { label: 'Done writing', onClick: onNext },
  invalidatedPaths: [EMAIL_URL],
  company: 'Nordic Tea',
  language: 'eng',
  settingsPath: '/postcards/p1',
};
const document = createEmailDocument([
  createSection([[createBlock('text', { html: '<p>Your order</p>' })]]),
]);
const content = (kind: 'editor' | 'text') => ({
  data: {
    editor: kind,
    document: kind === 'editor' ? document : null,
    html: null,
    plain_text: kind === 'text' ? 'Your order' : null,
    inline_css: false,
    content_revision: 1,
    revision: 3,
    saved_at: null,
  },
});
const finding = {
  code: 'subject_missing',
  severity: 'error',
  step: 'settings',
  part: 'subject',
};

const file = { id: 'f1', name: 'Price list.pdf', type: 'application/pdf', bytes: 2048 };

const block = document.sections[0]?.columns[0]?.blocks[0]?.id ?? '';
const comment = {
  ...{ id: 'c1', text: 'Too long', author: 'Bea', at: '2026-01-01T00:00:00Z' },
  ...{ block, mentions: [], resolved: null },
};
const comments = [
  comment,
  { ...comment, id: 'c2', text: 'Good', resolved: { at: comment.at, by: 'Bea' } },
  { ...comment, id: 'c3', text: 'About all', block: null },
];

const calls: { name: string; body: unknown }[] = [];
let kind: 'editor' | 'text';

beforeAll(async () => {
  await startTestApp();
  Element.prototype.scrollTo = () => undefined;
  Range.prototype.getClientRects = () => globalThis.document.body.getClientRects();
});
beforeEach(() => {
  calls.length = 0;
  onNext.mockClear();
  const tag = { name: 'order.number', title: 'Number of the order', kind: 'variable' };
  const responses: Record<string, unknown> = {
    'GET /client-api/api/users': session,
    'GET /client-api/api/account_users': { data: [] },
    [`GET ${EMAIL_URL}/preview_people`]: {
      data: [{ id: 's1', email: 'lin@home.example', name: 'Lin' }],
    },
    [`GET ${EMAIL_URL}/merge_tags`]: { data: [tag] },
    [`GET ${EMAIL_URL}/plain_preview`]: { data: { subject: 'S', preheader: '', text: 'Dear Lin' } },
    [`GET ${EMAIL_URL}/checks`]: { data: [finding] },
    [`GET ${EMAIL_URL}/attachments`]: { data: [file] },
    [`GET ${EMAIL_URL}/notes`]: { data: comments },
    [`POST ${EMAIL_URL}/notes`]: { data: comments[0] },
    [`DELETE ${EMAIL_URL}/attachments/f1`]: { success: true },
    [`POST ${EMAIL_URL}/preview`]: {
      data: {
        subject: '',
        preheader: '',
        html: null,
        text: 'Dear Lin',
        size: 0,
        findings: [finding],
      },
    },
    'POST /client-api/api/content/html_address': {
      data: { html: '<p>New</p>', images: 0, missing: [] },
    },
    'GET /client-api/api/brand': { data: null },
    'GET /client-api/api/saved_sections': { data: [] },
    'GET /client-api/api/templates': { data: [] },
    'GET /client-api/api/test_recipients': { data: ['bea@tea.example'] },
  };
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
    const name = `${init?.method ?? 'GET'} ${url.pathname}`;
    const body: unknown = init?.body ? JSON.parse(String(init.body)) : undefined;
    calls.push({ name, body });
    if (name.endsWith(`${EMAIL_URL}/content`)) return Response.json(content(kind));
    if (name === `POST ${EMAIL_URL}/test`) {
      return Response.json({ message: 'No', code: 'content_invalid' }, { status: 422 });
    }
    const response = responses[name];
    return response ? Response.json(response) : Response.json({}, { status: 404 });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const bodiesOf = (name: string) =>
  calls.filter((call) => call.name === name).map(({ body }) => body);

it('the block editor opens the document, shows why a test email was refused, and has a button for the next step', async () => {
  kind = 'editor';
  renderScreen(() => (
    <Suspense fallback={null}>
      <DocumentEditor composing={composing} />
    </Suspense>
  ));
  expect(await screen.findByText('Your order')).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'Order is on its way' })).toBeTruthy();
  expect(screen.getByLabelText('Back to the postcards').getAttribute('href')).toBe('/postcards');
  // This kind of item does not offer a change of editor.
  expect(screen.queryByLabelText('Change editor')).toBeNull();
  fireEvent.click(screen.getByText('Test email'));
  fireEvent.change(await screen.findByLabelText(/^Note/), { target: { value: ' Prices? ' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Add bea@tea.example' }));
  fireEvent.click(await screen.findByText('Send to 2'));
  expect(await screen.findByText('The subject line is missing.')).toBeTruthy();
  expect(bodiesOf(`POST ${EMAIL_URL}/test`)).toEqual([
    { emails: ['ada@tea.example', 'bea@tea.example'], note: 'Prices?' },
  ]);
  fireEvent.click(screen.getByText('Done writing'));
  await waitFor(() => expect(onNext).toHaveBeenCalledOnce());
});

it('the block editor marks a block with open comments, shows them and adds one to the block', async () => {
  kind = 'editor';
  renderScreen(() => (
    <Suspense fallback={null}>
      <DocumentEditor composing={{ ...composing, comments: { basePath: BASE, id: 'p1' } }} />
    </Suspense>
  ));
  fireEvent.click(await screen.findByRole('button', { name: '1 open comment' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Comments' }));
  expect(await dialog.findByText('Too long')).toBeTruthy();
  expect(dialog.queryByText('About all')).toBeNull();
  expect(dialog.getByText('Show resolved (1)')).toBeTruthy();
  fireEvent.change(dialog.getByLabelText('Write a comment'), { target: { value: 'Shorter ' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Add comment' }));
  await waitFor(() =>
    expect(bodiesOf(`POST ${EMAIL_URL}/notes`)).toEqual([{ text: 'Shorter', block }]),
  );
  const tools = await screen.findByRole('toolbar', { name: 'Block actions', hidden: true });
  expect(within(tools).getByRole('button', { name: 'Comments', hidden: true })).toBeTruthy();
});

it("the text editor inserts a merge tag of the item and saves the text under the item's path", async () => {
  kind = 'text';
  renderScreen(() => (
    <Suspense fallback={null}>
      <TextEditor composing={composing} mayReplace={false} />
    </Suspense>
  ));
  await screen.findByDisplayValue('Your order');
  fireEvent.click(await screen.findByText('Merge tag'));
  fireEvent.click(await screen.findByText('Number of the order'));
  await waitFor(() => expect(bodiesOf(`PUT ${EMAIL_URL}/content`)).toHaveLength(1), {
    timeout: 5000,
  });
  expect(bodiesOf(`PUT ${EMAIL_URL}/content`)[0]).toMatchObject({ revision: 3, editor: 'text' });
  const { plain_text } = bodiesOf(`PUT ${EMAIL_URL}/content`)[0] as { plain_text: string };
  expect(plain_text).toContain('{{order.number | default: ""}}');
  expect(calls.every(({ name }) => !name.includes('campaigns'))).toBe(true);
});

it('HTML is imported from a URL once an invalid URL is corrected and the replacement is confirmed', async () => {
  const onHtml = vi.fn<(html: string) => void>();
  renderScreen(() => <ImportHtml html="<p>Old</p>" onHtml={onHtml} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Import HTML' }));
  fireEvent.click(await screen.findByText('From a web page…'));
  const field = await screen.findByLabelText<HTMLInputElement>('Page address');
  expect(field.type).toBe('url');
  const submit = (address: string) => {
    fireEvent.change(field, { target: { value: address } });
    fireEvent.click(screen.getByRole('button', { name: 'Import' }));
  };
  submit('ftp://tea.example/mail.html');
  await screen.findByText('Please enter a URL');
  const submitAndRespond = async (name: string) => {
    submit('tea.example/mail.html');
    const question = within(await screen.findByRole('dialog', { name: 'Replace the HTML?' }));
    fireEvent.click(question.getByRole('button', { name }));
  };
  await submitAndRespond('Cancel');
  await waitFor(() => expect(screen.queryByText('Replace the HTML?')).toBeNull());
  expect(field.value).toBe('tea.example/mail.html');
  expect(bodiesOf('POST /client-api/api/content/html_address')).toEqual([]);
  await submitAndRespond('Replace');
  await waitFor(() => expect(onHtml).toHaveBeenCalledWith('<p>New</p>'));
  const body = { address: 'https://tea.example/mail.html' };
  expect(bodiesOf('POST /client-api/api/content/html_address')).toEqual([body]);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('the preview shows the saved text and the attachments without buttons to remove them', async () => {
  renderScreen(() => (
    <EmailPreview
      email={composing}
      editor="text"
      subscriberId={null}
      onSubscriberChange={() => undefined}
    />
  ));
  expect(await screen.findByText('Dear Lin')).toBeTruthy();
  expect(await screen.findByText('Price list.pdf')).toBeTruthy();
  expect(screen.queryByLabelText(/^Remove/)).toBeNull();
});

it('the text editor lists the attachments and removes one', async () => {
  kind = 'text';
  renderScreen(() => (
    <Suspense fallback={null}>
      <TextEditor composing={composing} mayReplace={false} />
    </Suspense>
  ));
  fireEvent.click(await screen.findByLabelText('Attachments (1)'));
  expect(await screen.findByText('Price list.pdf')).toBeTruthy();
  fireEvent.click(screen.getByLabelText(/^Remove .*Price list\.pdf/));
  await waitFor(() => expect(bodiesOf(`DELETE ${EMAIL_URL}/attachments/f1`)).toHaveLength(1));
});
