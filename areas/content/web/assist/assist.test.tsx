// @vitest-environment jsdom
// Suggestions in the editors: without a model there are none; with a model, the request is shown
// first and the author decides about the result.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import type { Composing } from '../composing/composing.ts';
import DocumentEditor from '../composing/document-editor.tsx';
import HtmlEditor from '../composing/html-editor.tsx';
import TextEditor from '../composing/text-editor.tsx';

const EMAIL_URL = '/client-api/api/postcards/p1';
const SRC = `/i/abc/${'a'.repeat(32)}.jpg`;
const composing: Composing = {
  ...{ basePath: '/client-api/api/postcards', id: 'p1', name: 'postcard:p1', title: 'Order' },
  ...{ back: { to: '/', label: 'Back' }, next: { label: 'Done', onClick: () => undefined } },
  ...{
    invalidatedPaths: [EMAIL_URL],
    company: 'Nordic Tea',
    language: 'nor',
    settingsPath: '/postcards/p1',
  },
};
const document = createEmailDocument([
  createSection([
    [
      createBlock('text', { id: 'words', html: '<p>Your <strong>tea</strong>, {{firstname}}</p>' }),
      createBlock('button', { id: 'go', label: 'Buy now' }),
      createBlock('image', {
        ...{ id: 'cup', image: { src: SRC, alt: 'Old', width: 10, height: 10 } },
      }),
    ],
  ]),
]);

type TextsBody = { task: string; texts: string[]; language: string; is_confirmed: boolean };
const sentRequests: { name: string; body: TextsBody }[] = [];
let isOn: boolean;
let editor: 'editor' | 'text' | 'html';
const HTML = '<p class="x">Your <b>tea</b>, {{firstname}}</p><a href="/">Buy now</a>';

beforeAll(async () => {
  await startTestApp();
  Element.prototype.scrollTo = () => undefined;
  Range.prototype.getClientRects = () => globalThis.document.body.getClientRects();
});
beforeEach(() => {
  sentRequests.length = 0;
  isOn = true;
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const { pathname } = new URL(String(input instanceof Request ? input.url : input), 'http://x');
    const body = init?.body ? JSON.parse(String(init.body)) : undefined;
    const name = `${init?.method ?? 'GET'} ${pathname}`;
    if (body) sentRequests.push({ name, body });
    const reply = responseOf(name, body);
    return Response.json({ data: reply === undefined ? [] : reply });
  });
});
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

function responseOf(name: string, body: TextsBody | undefined): unknown {
  const request = { host: 'models.example', personal: [], body: JSON.stringify(body) };
  switch (name) {
    case 'GET /client-api/api/users':
      return sampleSession;
    case 'GET /client-api/api/assistance':
      return { is_on: isOn };
    case 'POST /client-api/api/assistance/texts': {
      const translatedTexts = body?.texts.map((text) =>
        text.replace('Your', 'Din').replace('Buy now', 'Kjøp'),
      );
      return {
        request: { ...request, image: null },
        texts: body?.is_confirmed ? translatedTexts : null,
      };
    }
    case 'POST /client-api/api/images/alt_text': {
      const image = 'data:image/jpeg;base64,AAAA';
      return { request: { ...request, image }, alt: body?.is_confirmed ? 'A cup of tea' : null };
    }
    case 'GET /client-api/api/brand':
      return null;
    case `GET ${EMAIL_URL}/content`:
    case `PUT ${EMAIL_URL}/content`:
      return {
        ...{ editor, document: editor === 'editor' ? document : null },
        html: editor === 'html' ? HTML : null,
        ...{ plain_text: editor === 'text' ? 'Your order\n\nBuy now' : null, inline_css: false },
        ...{ content_revision: 1, revision: 3, saved_at: null },
      };
    case 'GET /client-api/api/postcards/p2/content':
    case 'PUT /client-api/api/postcards/p2/content':
      return {
        editor,
        document: null,
        html: HTML,
        plain_text: null,
        inline_css: true,
        revision: 7,
      };
    case `POST ${EMAIL_URL}/preview`:
      return { subject: '', preheader: '', html: null, text: '', size: 0, findings: [] };
    default:
      return undefined;
  }
}

function openEditor(kind: typeof editor, email = composing) {
  editor = kind;
  const editors = {
    editor: () => <DocumentEditor composing={email} />,
    html: () => <HtmlEditor composing={email} mayReplace={false} />,
    text: () => <TextEditor composing={email} mayReplace={false} />,
  };
  renderScreen(() => <Suspense fallback={null}>{editors[kind]()}</Suspense>);
}
const findSavedContent = () =>
  sentRequests.filter(({ name }) => name === `PUT ${EMAIL_URL}/content`).at(-1)?.body;
const requests = (path: string) =>
  sentRequests
    .filter(({ name }) => name === `POST /client-api/api/${path}`)
    .map(({ body }) => body);

async function select(id: string) {
  await waitFor(() => expect(globalThis.document.getElementById(`node-${id}`)).toBeTruthy());
  const node = globalThis.document.getElementById(`node-${id}`) as HTMLElement;
  fireEvent.click(node);
}
const confirm = async () => {
  const dialog = within(await screen.findByRole('dialog'));
  fireEvent.click(await dialog.findByRole('button', { name: 'Send' }));
};

test('no suggestions are offered without a model', async () => {
  isOn = false;
  openEditor('editor');
  await screen.findByText('Buy now');
  await select('cup');
  await screen.findByDisplayValue('Old');
  for (const name of ['Rewrite', 'Translate', 'Translate email', 'Suggest alternative text'])
    expect(screen.queryByRole('button', { name }), name).toBeNull();
});

test('a translation is shown beside the original, and can be applied in part and undone', async () => {
  openEditor('editor');
  fireEvent.click(await screen.findByRole('button', { name: 'Translate email' }));
  await screen.findByText('This is sent to models.example:');
  const expectedTexts = ['Your [[1]]tea[[/1]], {{firstname}}', 'Buy now', 'Old'];
  const input = { task: 'translate', texts: expectedTexts, language: 'eng', instruction: '' };
  expect(requests('assistance/texts')).toEqual([{ ...input, is_confirmed: false }]);
  await confirm();
  expect(await screen.findByText('Your tea, {{firstname}}')).toBeTruthy();
  expect(screen.getByText('Din tea, {{firstname}}')).toBeTruthy();
  fireEvent.click(screen.getByRole('checkbox', { name: 'Use: Kjøp' }));
  fireEvent.click(screen.getByRole('button', { name: 'Use' }));
  await waitFor(() =>
    expect(JSON.stringify(findSavedContent())).toContain(
      '<p>Din <strong>tea</strong>, {{firstname}}</p>',
    ),
  );
  expect(JSON.stringify(findSavedContent())).toContain('"label":"Buy now"');
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(JSON.stringify(findSavedContent())).toContain(
      '<p>Your <strong>tea</strong>, {{firstname}}</p>',
    ),
  );
});

test("the default language of a translation differs from the email's language", async () => {
  openEditor('text', { ...composing, language: 'eng' });
  fireEvent.click(await screen.findByRole('button', { name: 'Translate' }));
  const select = await screen.findByLabelText<HTMLSelectElement>('Language');
  expect(select.value).toBe('nor');
  await waitFor(() => expect(requests('assistance/texts')[0]?.language).toBe('nor'));
});

test('a dismissed rewrite of a block changes nothing', async () => {
  openEditor('editor');
  await select('go');
  fireEvent.click(await screen.findByRole('button', { name: 'Rewrite' }));
  await confirm();
  expect(await screen.findByText('Kjøp')).toBeTruthy();
  expect(requests('assistance/texts').at(-1)).toMatchObject({
    task: 'rewrite',
    texts: ['Buy now'],
    language: 'nor',
  });
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(screen.queryByText('Kjøp')).toBeNull();
  expect(findSavedContent()).toBeUndefined();
});

test('an image is shown before it is sent to the model, and the suggested alternative text is used', async () => {
  openEditor('editor');
  await select('cup');
  fireEvent.click(await screen.findByRole('button', { name: 'Suggest alternative text' }));
  expect(await screen.findByRole('img', { name: 'The image that is sent' })).toBeTruthy();
  const input = { src: SRC, language: 'nor' };
  expect(requests('images/alt_text')).toEqual([{ ...input, is_confirmed: false }]);
  await confirm();
  expect(await screen.findByText('A cup of tea')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Use' }));
  expect(await screen.findByDisplayValue('A cup of tea')).toBeTruthy();
});

test('a plain text email is translated paragraph by paragraph', async () => {
  openEditor('text');
  fireEvent.click(await screen.findByRole('button', { name: 'Translate' }));
  await confirm();
  fireEvent.click(await screen.findByRole('button', { name: 'Use' }));
  await waitFor(() =>
    expect(findSavedContent()).toMatchObject({ plain_text: 'Din order\n\nKjøp' }),
  );
  expect(requests('assistance/texts')[0]?.texts).toEqual(['Your order', 'Buy now']);
});

test('a custom HTML email is translated without its tags, and only selected text is replaced', async () => {
  openEditor('html');
  fireEvent.click(await screen.findByRole('button', { name: 'Translate email' }));
  await confirm();
  expect(requests('assistance/texts')[0]?.texts).toEqual([
    'Your [[1]]tea[[/1]], {{firstname}}',
    'Buy now',
  ]);
  expect(await screen.findByText('Din tea, {{firstname}}')).toBeTruthy();
  fireEvent.click(screen.getByRole('checkbox', { name: 'Use: Kjøp' }));
  fireEvent.click(screen.getByRole('button', { name: 'Use' }));
  await waitFor(() =>
    expect(findSavedContent()).toMatchObject({ html: HTML.replace('Your', 'Din') }),
  );
});

test.each(['editor', 'html'] as const)(
  'the translation in the %s editor is saved in a duplicate, and the email is unchanged',
  async (kind) => {
    const onOpen = vi.fn<() => void>();
    const duplicate = vi.fn<NonNullable<Composing['duplicate']>>(async () => ({
      ...{ email: { basePath: composing.basePath, id: 'p2' }, open: onOpen },
    }));
    openEditor(kind, { ...composing, duplicate });
    fireEvent.click(await screen.findByRole('button', { name: 'Translate email' }));
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.change(await dialog.findByLabelText('Language'), { target: { value: 'swe' } });
    const sendButton = await dialog.findByRole<HTMLButtonElement>('button', { name: 'Send' });
    await waitFor(() => expect(sendButton.disabled).toBe(false));
    fireEvent.click(sendButton);
    fireEvent.click(await screen.findByRole('button', { name: 'Use in a new draft' }));
    await waitFor(() => expect(onOpen).toHaveBeenCalledOnce());
    expect(duplicate).toHaveBeenCalledWith('swe');
    const { body } =
      sentRequests.find(({ name }) => name.endsWith('PUT /client-api/api/postcards/p2/content')) ??
      {};
    expect(body).toMatchObject({ revision: 7, editor: kind });
    expect(JSON.stringify(body)).toContain('Din ');
    expect(JSON.stringify(findSavedContent() ?? '')).not.toContain('Din ');
  },
);
