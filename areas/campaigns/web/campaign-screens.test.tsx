// @vitest-environment jsdom
// The screens of a campaign against a scripted server: changes are saved automatically and never
// overwrite another tab's changes; the send button shows the number of recipients and requests a
// missing postal address.
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { invalidate } from '#platform/web/api/queries.ts';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { createBlock, createEmailDocument, createSection } from '../../content/document-factory.ts';
import type { Campaign, Finding } from '../contract.ts';
import { routes } from './routes.tsx';
import { BASE, draft, ID, session } from './sample-campaign.ts';

const browser = vi.hoisted(() => ({ kept: undefined as unknown, saved: undefined as unknown }));
vi.mock('#platform/web/unsaved.ts', async (load) => ({
  ...(await load<typeof import('#platform/web/unsaved.ts')>()),
  readUnsaved: async (_owner: string, name: string) =>
    name === `campaign:abc123:envelope` ? browser.kept : undefined,
  saveUnsaved: async (_owner: string, _name: string, edit: unknown) => {
    browser.saved = edit;
  },
}));

type MockResponse = { status?: number; body: unknown };
type Server = Record<string, (body: unknown) => MockResponse | Promise<MockResponse>>;

const calls: { name: string; body: unknown }[] = [];
let server: Server;

const content = (text: string, revision: number) => ({
  data: {
    editor: 'text',
    html: null,
    plain_text: text,
    inline_css: false,
    content_revision: 1,
    revision,
    saved_at: '2026-01-01T00:00:00.000Z',
  },
});
beforeAll(async () => {
  await startTestApp();
  Element.prototype.scrollTo = () => undefined;
  // jsdom does not measure text.
  Range.prototype.getClientRects = () => document.body.getClientRects();
});
beforeEach(() => {
  calls.length = 0;
  browser.kept = undefined;
  server = {
    'GET /client-api/api/users': () => ({ body: session }),
    'GET /client-api/api/fields': () => ({ body: { data: [] } }),
    [`GET ${BASE}`]: () => ({ body: { data: draft } }),
    [`GET ${BASE}/preview_people`]: () => ({ body: { data: [] } }),
    [`GET ${BASE}/checks/links`]: () => ({ body: { data: [] } }),
    [`GET ${BASE}/merge_tags`]: () => ({ body: { data: [] } }),
    [`GET ${BASE}/plain_preview`]: () => ({
      body: { data: { subject: 'Hello', preheader: '', text: 'Dear Ada' } },
    }),
    [`POST ${BASE}/preview`]: () => ({
      body: {
        data: { subject: '', preheader: '', html: null, text: 'Dear Ada', size: 0, findings: [] },
      },
    }),
  };
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
    const name = `${init?.method ?? 'GET'} ${url.pathname}`;
    const body: unknown = init?.body ? JSON.parse(String(init.body)) : undefined;
    calls.push({ name, body });
    const { status = 200, body: response } = (await server[name]?.(body)) ?? {
      status: 404,
      body: {},
    };
    return new Response(JSON.stringify(response), { status });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const saves = () =>
  calls.filter((call) => call.name === `PUT ${BASE}/content`).map((call) => call.body);

it('the editor saves changes automatically, based on the revision of the last save', async () => {
  server[`GET ${BASE}/content`] = () => ({ body: content('Dear all', 3) });
  server[`PUT ${BASE}/content`] = () => ({ body: content('Dear friends', 4) });
  renderAreas([routes], `/html/${ID}/plain_text`);
  const field = await screen.findByDisplayValue('Dear all');
  fireEvent.change(field, { target: { value: 'Dear friends' } });
  expect(await screen.findByText('Unsaved changes')).toBeTruthy();
  await waitFor(() => expect(saves()).toHaveLength(1));
  expect(saves()[0]).toEqual({
    revision: 3,
    editor: 'text',
    html: null,
    plain_text: 'Dear friends',
    confirm_switch: false,
  });
  fireEvent.change(field, { target: { value: 'Dear friends of tea' } });
  await waitFor(() => expect(saves()).toHaveLength(2));
  expect(saves()[1]).toMatchObject({ revision: 4, plain_text: 'Dear friends of tea' });
});

it('a finding links to its position, even if source and preview are shown one at a time', async () => {
  const wide = window.matchMedia;
  window.matchMedia = (query) => Object.assign(wide(query), { matches: query.includes('860px') });
  const custom = { ...content('', 3).data, editor: 'html', html: '<p>\n{{x}}</p>' };
  server[`GET ${BASE}`] = () => ({ body: { data: { ...draft, editor: 'html' } } });
  server[`GET ${BASE}/content`] = () => ({ body: { data: custom } });
  const finding = { code: 'tag_unknown', severity: 'error', step: 'content', part: 'html' };
  const values = { tag: '{{x}}', name: 'x' };
  server[`POST ${BASE}/preview`] = () => ({
    body: {
      data: {
        subject: '',
        preheader: '',
        html: '<p>x',
        text: 'x',
        size: 0,
        findings: [{ ...finding, line: 2, column: 1, values }],
      },
    },
  });
  renderAreas([routes], `/html/${ID}/custom_html`);
  const source = await screen.findByRole('textbox', { name: 'Custom HTML email' });
  fireEvent.click(screen.getByRole('radio', { name: 'Preview' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Resolve' }));
  window.matchMedia = wide;
  await waitFor(() => expect(document.activeElement).toBe(source));
  expect(source.closest('[hidden]')).toBeNull();
});

const patches = () =>
  calls.filter(({ name }) => name === `PATCH ${BASE}`).map(({ body }) => body as Partial<Campaign>);
/** Makes the scripted server save settings. */
const saveSettings = () => {
  let savedDraft = draft;
  server[`GET ${BASE}`] = () => ({ body: { data: savedDraft } });
  server[`PATCH ${BASE}`] = (body) => {
    const { revision: _, ...changes } = body as Partial<Campaign>;
    savedDraft = { ...savedDraft, ...changes, revision: savedDraft.revision + 1 };
    return { body: { data: savedDraft } };
  };
};

it('the settings save changes automatically, based on the revision of the last save', async () => {
  saveSettings();
  renderAreas([routes], `/campaigns/${ID}/edit`);
  fireEvent.change(await screen.findByDisplayValue('Hello'), { target: { value: 'Spring' } });
  expect(await screen.findByText('Unsaved changes')).toBeTruthy();
  await waitFor(() => expect(patches()).toHaveLength(1));
  expect(patches()[0]).toMatchObject({ subject: 'Spring', revision: draft.revision });
  fireEvent.change(screen.getByDisplayValue('Spring'), { target: { value: 'Spring tea' } });
  await waitFor(() => expect(patches()).toHaveLength(2));
  expect(patches()[1]).toMatchObject({ subject: 'Spring tea', revision: draft.revision + 1 });
});

it('an invalid setting is not saved and does not prevent other settings from being saved', async () => {
  saveSettings();
  renderAreas([routes], `/campaigns/${ID}/edit`);
  const title = await screen.findByDisplayValue(draft.title);
  fireEvent.change(title, { target: { value: ' ' } });
  fireEvent.change(screen.getByDisplayValue('Hello'), { target: { value: 'Spring' } });
  await waitFor(() => expect(patches()).toHaveLength(1));
  expect(patches()[0]).toMatchObject({ subject: 'Spring' });
  expect(patches()[0]).not.toHaveProperty('title');
  expect(await screen.findByText('Unsaved changes')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Save and continue' }));
  expect(await screen.findByText('Give the campaign a name')).toBeTruthy();
});

it('changes to the first step are saved when a link leads to another step', async () => {
  saveSettings();
  renderAreas([routes], `/campaigns/${ID}/edit`);
  fireEvent.change(await screen.findByDisplayValue('Hello'), { target: { value: 'Spring' } });
  fireEvent.click(screen.getByRole('link', { name: /Recipients/ }));
  await waitFor(() => expect(patches()[0]).toMatchObject({ subject: 'Spring' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('the editor shows the content of an email that is opened in place of another', async () => {
  const otherPath = BASE.replace(ID, 'other1');
  const responses: Server = {};
  for (const [call, response] of Object.entries(server))
    responses[call.replace(BASE, otherPath)] = response;
  responses[`GET ${otherPath}`] = () => ({ body: { data: { ...draft, id: 'other1' } } });
  responses[`GET ${otherPath}/content`] = () => ({ body: content('Dear others', 3) });
  server = { ...responses, ...server };
  server[`GET ${BASE}/content`] = () => ({ body: content('Dear all', 3) });
  const { router } = renderAreas([routes], '/html/other1/plain_text');
  await screen.findByDisplayValue('Dear others');
  router.history.push(`/html/${ID}/plain_text`);
  await screen.findByDisplayValue('Dear all');
  router.history.go(-1);
  expect(await screen.findByDisplayValue('Dear others')).toBeTruthy();
});

it('unsaved changes are retained when a refresh fails', async () => {
  renderAreas([routes], `/campaigns/${ID}/edit`);
  fireEvent.change(await screen.findByDisplayValue('Hello'), { target: { value: 'Hello tea' } });
  server[`GET ${BASE}`] = () => ({ status: 500, body: {} });
  await act(async () => {
    await invalidate(BASE);
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
  expect(screen.getByDisplayValue('Hello tea')).toBeTruthy();
});

it('a save that conflicts with another tab shows a banner, and the author can keep their version', async () => {
  let isChangedElsewhere = false;
  server[`GET ${BASE}/content`] = () => ({
    body: isChangedElsewhere ? content('Theirs', 8) : content('Mine', 3),
  });
  server[`PUT ${BASE}/content`] = (body) => {
    if ((body as { revision: number }).revision === 8) return { body: content('Mine too', 9) };
    isChangedElsewhere = true;
    return { status: 409, body: { code: 'stale_revision', message: 'Changed' } };
  };
  renderAreas([routes], `/html/${ID}/plain_text`);
  fireEvent.change(await screen.findByDisplayValue('Mine'), { target: { value: 'Mine too' } });
  const banner = (await screen.findByText('Changed elsewhere', {})).closest('[role="alert"]');
  expect(screen.getByDisplayValue('Mine too')).toBeTruthy();
  fireEvent.click(within(banner as HTMLElement).getByRole('button', { name: 'Keep mine' }));
  await waitFor(() =>
    expect(saves().at(-1)).toMatchObject({ revision: 8, plain_text: 'Mine too' }),
  );
  await waitFor(() => expect(screen.queryByText('Changed elsewhere')).toBeNull());
});

it('a new campaign uses the sender of the last one, otherwise the signed-in user', async () => {
  const list = (data: unknown[]) => () => ({ body: { data } });
  const lastCampaign = {
    ...draft,
    from_name: 'The teas',
    from_email: 'tea@shop.example',
    reply_to: '',
  };
  server['GET /client-api/api/campaigns'] = list([lastCampaign]);
  renderAreas([routes], '/campaigns/create');
  expect(await screen.findByDisplayValue('tea@shop.example')).toBeTruthy();
  expect(screen.getByDisplayValue('The teas')).toBeTruthy();
  for (const response of [list([]), () => ({ status: 500, body: {} })]) {
    endTestApp();
    server['GET /client-api/api/campaigns'] = response;
    renderAreas([routes], '/campaigns/create');
    expect(await screen.findByDisplayValue(session.data.user.email)).toBeTruthy();
  }
});

it('unsaved settings do not overwrite a later save in another tab, which is reported', async () => {
  const { title, preheader, from_name, from_email, reply_to } = draft;
  browser.kept = {
    value: {
      ...{ title, preheader, from_name, from_email, reply_to },
      ...{ subject: 'Mine', language: '', measures: false },
      utm: { source: '', medium: '', campaign: '', term: '', content: '', id: '' },
    },
    revision: draft.revision - 1,
  };
  server[`PATCH ${BASE}`] = () => ({ status: 409, body: { code: 'stale_revision', message: '' } });
  renderAreas([routes], `/campaigns/${ID}/edit`);
  expect(await screen.findByDisplayValue('Mine')).toBeTruthy();
  // The save of the restored edit is refused, because it is based on an earlier revision.
  expect(await screen.findByText('Changed elsewhere')).toBeTruthy();
  const patchCalls = calls.filter(({ name }) => name === `PATCH ${BASE}`);
  expect(patchCalls.map(({ body }) => (body as { revision: number }).revision)).toEqual([
    draft.revision - 1,
  ]);
  expect(patchCalls[0]?.body).toMatchObject({ subject: 'Mine' });
});

it.each([
  ['by its URL', `/html/${ID}/custom_html`, true],
  ['by the design step after a confirmation there', `/html/${ID}/custom_html?begin=1`, false],
])(
  'an editor opened %s replaces content from another editor only after a confirmation',
  async (_, at, needsConfirmation) => {
    server[`GET ${BASE}/content`] = () => ({ body: content('A letter', 3) });
    server[`PUT ${BASE}/content`] = () => ({ body: content('', 4) });
    renderAreas([routes], at);
    if (needsConfirmation) {
      await screen.findByText('This content was made with Plain text email.');
      expect(calls.filter(({ name }) => name === `GET ${BASE}/content`)).toEqual([]);
      const link = screen.getByRole('link', { name: 'Open Plain text email' });
      expect(link.getAttribute('href')).toBe(`/campaigns/${ID}/editor`);
      fireEvent.click(screen.getByRole('button', { name: 'Start with Custom HTML email' }));
    }
    fireEvent.click(await screen.findByRole('switch', { name: 'Inline CSS' }));
    await waitFor(() => expect(saves()).toHaveLength(1));
    // No value of the previous email is saved to the new one.
    expect(saves()[0]).toMatchObject({ editor: 'html', plain_text: null, confirm_switch: true });
  },
);

it("an email's direction follows the account's language, not the author's", async () => {
  const { user, account } = session.data;
  server['GET /client-api/api/users'] = () => ({
    body: { data: { user, account: { ...account, language: 'fas' } } },
  });
  server['GET /client-api/api/brand'] = () => ({ body: { data: null } });
  server[`GET ${BASE}`] = () => ({ body: { data: { ...draft, editor: 'editor' } } });
  const newsletter = createEmailDocument([
    createSection([[createBlock('text', { html: '<p>Tea</p>' })]]),
  ]);
  server[`GET ${BASE}/content`] = () => ({
    body: { data: { ...content('', 3).data, editor: 'editor', document: newsletter } },
  });
  renderAreas([routes], `/campaigns/${ID}/editor`);
  const paper = () => document.querySelector('#mail-canvas > [dir]');
  await waitFor(() => {
    expect(paper()?.textContent).toContain('Tea');
    expect(paper()?.getAttribute('dir')).toBe('rtl');
  });
});

function review(findings: Finding[]): void {
  server[`GET ${BASE}/checks`] = () => ({ body: { data: findings } });
  server[`GET ${BASE}/subscribers`] = () => ({
    body: { data: { count: 1234, total: 1300, excluded: [{ reason: 'unsubscribed', count: 66 }] } },
  });
}

it('the last step links to the list of campaigns for authors who want to finish later', async () => {
  review([]);
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const link = await screen.findByRole('link', { name: "I'll finish later" });
  expect(link.getAttribute('href')).toBe('/campaigns');
});

it('the send button shows the number of recipients, requires confirmation, sends once, and disappears with the response', async () => {
  review([]);
  server[`POST ${BASE}/schedule`] = () => {
    // The next request for the campaign is never answered.
    server[`GET ${BASE}`] = () => new Promise<MockResponse>(() => {});
    return { body: { data: { ...draft, status: 'SCHEDULED' } } };
  };
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const button = await screen.findByRole('button', { name: 'Send now to 1,234' });
  await waitFor(() => expect((button as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(button);
  const dialog = await screen.findByRole('dialog', { name: 'Send campaign' });
  expect(dialog.textContent).toContain('“Spring tea” goes to 1,234 people now.');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Send to 1,234 people now' }));
  await waitFor(() => {
    const scheduleCalls = calls.filter((call) => call.name === `POST ${BASE}/schedule`);
    expect(scheduleCalls.map((call) => call.body)).toEqual([
      { schedule_time: null, revision: draft.revision },
    ]);
  });
  await waitFor(() => expect(screen.queryByRole('button', { name: /Send now/ })).toBeNull());
});

it('a campaign with errors cannot be sent, and each error links to its solution', async () => {
  review([
    {
      code: 'tag_unknown',
      severity: 'error',
      step: 'content',
      part: 'text',
      line: 2,
      column: 5,
      values: { tag: '{{x}}', name: 'x' },
    },
    { code: 'preheader_missing', severity: 'tip', step: 'settings', part: 'preheader' },
  ]);
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const finding = (await screen.findByText(/There is no field/)).closest('li') as HTMLElement;
  expect(finding.textContent).toContain('line 2, column 5');
  expect(within(finding).getByRole('link', { name: 'Resolve' }).getAttribute('href')).toBe(
    `/campaigns/${ID}/editor`,
  );
  const button = screen.getByRole('button', { name: 'Send now' }) as HTMLButtonElement;
  expect(button.disabled).toBe(true);
});

it('the send button requests the postal address if nothing else is missing', async () => {
  review([{ code: 'postal_address_missing', severity: 'error', step: 'account', part: 'sender' }]);
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const button = await screen.findByRole('button', { name: 'Send now to 1,234' });
  await waitFor(() => expect((button as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(button);
  expect(await screen.findByRole('textbox', { name: 'Address' })).toBeTruthy();
});

const previewOf = (first: string, last: string) => () => ({
  body: {
    data: {
      ...{ first_at: first, last_at: last, past: 12 },
      ...{ has_best_hours: false, default_window: null },
    },
  },
});

it('the confirmation of an immediate send shows the sending times if sending hours delay it', async () => {
  review([]);
  server[`POST ${BASE}/timing/preview`] = previewOf('2090-03-06T08:00:00Z', '2090-03-06T10:00:00Z');
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const button = await screen.findByRole('button', { name: 'Send now to 1,234' });
  await waitFor(() => expect((button as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(button);
  const dialog = await screen.findByRole('dialog', { name: 'Send campaign' });
  expect(dialog.textContent).toMatch(
    /during its sending hours, spread out: the first on Mar 6, 2090/,
  );
});

it('a changed timing is saved first, and the schedule uses the revision that this save returned', async () => {
  review([]);
  server[`POST ${BASE}/timing/preview`] = previewOf('2090-03-06T08:00:00Z', '2090-03-06T10:00:00Z');
  const revision = draft.revision + 1;
  server[`PUT ${BASE}/timing`] = () => ({ body: { data: { ...draft, revision } } });
  server[`POST ${BASE}/schedule`] = () => ({ body: { data: { ...draft, status: 'SCHEDULED' } } });
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const scheduleButton = await screen.findByRole('button', { name: 'Schedule' });
  await waitFor(() => expect((scheduleButton as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(scheduleButton);
  fireEvent.click(await screen.findByRole('combobox', { name: 'When' }));
  fireEvent.click(await screen.findByRole('option', { name: 'At each person’s own time' }));
  expect(await screen.findByText(/The first emails leave on Mar 6, 2090/)).toBeTruthy();
  expect(
    screen.getByText(/For 12 people this time has passed: they get it a day later/),
  ).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Schedule for 1,234 people' }));
  const sentBodies = (name: string) =>
    calls.filter((call) => call.name === name).map((call) => call.body);
  await waitFor(() => expect(sentBodies(`POST ${BASE}/schedule`)).toHaveLength(1));
  const timing = { ...draft.timing, when: 'own_time' };
  expect(sentBodies(`PUT ${BASE}/timing`)).toEqual([{ timing, revision: draft.revision }]);
  expect(sentBodies(`POST ${BASE}/schedule`)).toMatchObject([{ revision }]);
});

it('suggested subject lines are requested after a confirmation, and the chosen one is filled in', async () => {
  const textsPath = '/client-api/api/assistance/texts';
  const request = { host: 'models.example', body: '{"prompt":1}', personal: [], image: null };
  server['GET /client-api/api/assistance'] = () => ({ body: { data: { is_on: true } } });
  server[`GET ${BASE}/content`] = () => ({ body: content('Fresh {{firstname}} tea', 3) });
  server[`POST ${textsPath}`] = (body) => {
    const lines = ['Fresh tea is here', 'Your spring tea'];
    const { is_confirmed } = body as { is_confirmed: boolean };
    return { body: { data: { request, texts: is_confirmed ? lines : null } } };
  };
  const sentTexts = () =>
    calls.filter(({ name }) => name === `POST ${textsPath}`).map(({ body }) => body);
  renderAreas([routes], `/campaigns/${ID}/edit`);
  fireEvent.click(await screen.findByRole('button', { name: 'Suggest subject lines' }));
  expect(await screen.findByText('{"prompt":1}')).toBeTruthy();
  const input = { task: 'subject_lines', texts: ['Fresh {{firstname}} tea'], language: 'eng' };
  expect(sentTexts()).toEqual([{ ...input, is_confirmed: false }]);
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText('Fresh tea is here');
  expect(sentTexts()).toHaveLength(2);
  fireEvent.click(screen.getAllByRole('button', { name: 'Use' })[1] as HTMLElement);
  expect(await screen.findByDisplayValue('Your spring tea')).toBeTruthy();
});
