// Forms over HTTP are created, published, loaded by sites, submitted, and confirmed by the emailed
// link.
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { joinedGroup } from '#areas/groups/server/index.ts';
import { subscribersUpdated } from '#areas/subscribers/server/index.ts';
import { encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  FORMS,
  solveProof,
  publishForm,
  listSettledSubscribers,
  signUp,
} from '#testing/servers/form-site.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { formSubmitted } from './events.ts';

let server: TestServer;
let relay: TestSmtpServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
  relay = await startSmtpServer();
  return () => relay.close();
});

/** Waits for the first email to an address and returns its text. */
async function emailTo(email: string): Promise<string> {
  const findEmail = () => relay.accepted.find((receivedMessage) => receivedMessage.to[0] === email);
  while (!findEmail()) await relay.waitForMessages(relay.accepted.length + 1);
  const { text = '' } = await PostalMime.parse(findEmail()?.source ?? '');
  return text;
}
afterEach(() => clock.reset());

test('a form is created, published, loaded by a site and submitted, and its subscribers join the group', async () => {
  const owner = await server.owner();
  const group = (await owner.post('/client-api/api/tags', { title: 'Readers' })).body.data;
  const form = await publishForm(owner, { layout: 'card', language: 'lit' });
  await owner.post(`${FORMS}/${form.id}/tags`, { tags_ids: [group.id] });
  const publishedData = (await owner.get(`${FORMS}/${form.id}`)).body.data;
  expect(publishedData).toMatchObject({
    is_active: true,
    published_version: 2,
    has_unpublished: false,
    mandatory_tags: [group.id],
  });
  expect(publishedData.settings).toMatchObject({
    delay_amount: 5,
    scroll_percent: 50,
    popup_frequency_minutes: 43_200,
  });
  const account = /\/f\/([\w-]+)\.js/.exec(publishedData.embed_script)?.[1];
  const index = await server.client().get(`/f/${account}.json`);
  expect(index.headers['access-control-allow-origin']).toBe('*');
  expect(index.body.forms).toMatchObject([
    { id: form.settings.embed_hash, number: form.id, show: { delay: 5, every: 43_200 } },
  ]);
  // Plugins read the resource key; plugins that connected earlier use the ID of the account.
  const { token } = await publicClient(server, owner);
  const users = await server.client().get('/v2/users', { authorization: `Bearer ${token}` });
  expect(users.body.account.resource_key).toBe(account);
  const legacyIndex = await server.client().get(`/f/${users.body.account.id}.json`);
  expect(legacyIndex.body).toEqual(index.body);
  const foreignId = encodePublicId('account', owner.accountId, owner.accountId + 1);
  expect((await server.client().get(`/f/${foreignId}.json`)).status).toBe(404);
  const snapshot = await server.client().get(`/f/s/${form.settings.embed_hash}.2.json`);
  expect(snapshot.body.words.email).toBe('Įveskite teisingą el. pašto adresą');
  const invalidSubmission = await signUp(server, form, { email: 'nonsense' }, { version: 2 });
  expect(invalidSubmission.status).toBe(422);
  expect(invalidSubmission.body.errors).toEqual({ email: 'Įveskite teisingą el. pašto adresą' });
  const submission = await signUp(server, form, {
    email: 'ona@shop.example',
    firstname: 'Ona',
    hacked: 'x',
  });
  expect(submission.status, submission.text).toBe(200);
  expect(await listSettledSubscribers(server, owner)).toMatchObject([
    { email: 'ona@shop.example', firstname: 'Ona' },
  ]);
  const [{ id }] = await listSettledSubscribers(server, owner);
  expect((await owner.get(`/client-api/api/tags/${group.id}`)).body.data.recipient_count).toBe(1);
  expect((await owner.get(`/client-api/api/subscribers/${id}`)).status).toBe(200);
  const chart = (await owner.get(`${FORMS}/${form.id}/chart`)).body.data;
  expect(chart.totals).toMatchObject({ sign_ups: 1, trapped: 0 });
  expect(chart.pages).toEqual([
    { page: 'https://shop.example/p', sign_ups: 1, views: 0, starts: 0, closes: 0 },
  ]);
  expect(chart.days).toHaveLength(30);
});

test('changing one setting leaves all others unchanged', async () => {
  const owner = await server.owner();
  const form = await publishForm(
    owner,
    { type: 'spinToWin' },
    { delay_amount: 9, visibility_type: 'only', visibility_pages: ['/tea*'] },
  );
  const update = await owner.patch(`${FORMS}/${form.id}`, { settings: { scroll: true } });
  expect(update.body.data.settings).toMatchObject({
    scroll: true,
    delay_amount: 9,
    visibility_type: 'only',
    visibility_pages: ['/tea*'],
    wheel_config: { setup: expect.arrayContaining([expect.objectContaining({ weight: 30 })]) },
  });
  expect(update.body.data.styles).toEqual(update.body.data.document.styles);
  const path = `${FORMS}/${form.id}`;
  const laidOut = await owner.patch(path, { settings: { layout: 'wheel-above' } });
  expect(laidOut.body.data).toMatchObject({
    settings: { layout: 'wheel-above' },
    document: { layout: 'wheel-above' },
  });
  const unknown = await owner.patch(path, { settings: { layout: 'card' } });
  expect([unknown.status, unknown.body.code]).toEqual([422, 'layout_unknown']);
  expect((await owner.patch(`${FORMS}/${form.id}`, { settings: { nonsense: 1 } })).status).toBe(
    422,
  );
});

test('a proof of work is valid once, a repeated key does not create another sign-up, and a detected bot gets the usual response', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, {});
  expect((await signUp(server, form, { email: 'a@shop.example' }, { proof: '' })).status).toBe(422);
  const proof = await solveProof(server, form);
  const submissionKey = { proof, key: 'the-same-key' };
  expect((await signUp(server, form, { email: 'a@shop.example' }, submissionKey)).status).toBe(200);
  expect((await signUp(server, form, { email: 'a@shop.example' }, submissionKey)).status).toBe(200);
  expect((await signUp(server, form, { email: 'b@shop.example' }, { proof })).status).toBe(422);
  // The same solution in another encoding is treated as the same proof.
  const solution = JSON.parse(Buffer.from(proof, 'base64').toString());
  for (const encoding of [
    { ...solution, took: 7 },
    { ...solution, number: String(solution.number) },
    {
      ...solution,
      salt: `${solution.salt}${String(solution.number)[0]}`,
      number: Number(String(solution.number).slice(1)),
    },
  ]) {
    const rewritten = Buffer.from(JSON.stringify(encoding)).toString('base64');
    const response = await signUp(server, form, { email: 'c@shop.example' }, { proof: rewritten });
    expect(response.status, JSON.stringify(encoding)).toBe(422);
  }
  expect((await signUp(server, form, { email: 'bot@shop.example' }, { trap: 'x' })).status).toBe(
    200,
  );
  expect((await signUp(server, form, { email: 'quick@shop.example' }, { ms: 10 })).status).toBe(
    200,
  );
  expect(await listSettledSubscribers(server, owner)).toHaveLength(1);
});

test('with double opt-in a sign-up is subscribed only after its link is confirmed, and a GET confirms nothing', async () => {
  const owner = await server.owner();
  const form = await publishForm(
    owner,
    {},
    { double_opt_in: true, confirmation: { from_email: 'news@shop.example', from_name: 'Shop' } },
  );
  const group = (await owner.post('/client-api/api/tags', { title: 'Confirmed' })).body.data;
  await owner.post(`${FORMS}/${form.id}/tags`, { tags_ids: [group.id] });
  startTestSender(server.db, relay.url);
  await signUp(server, form, {
    email: 'new@shop.example',
    firstname: 'Buy now http://spam.example',
  });
  expect(await listSettledSubscribers(server, owner)).toMatchObject([
    { email: 'new@shop.example', status: { email: 'non-subscribed' } },
  ]);
  const email = await emailTo('new@shop.example');
  expect(email).not.toContain('spam.example');
  const joinEvents: object[] = [];
  const stopListening = joinedGroup.on(async (_, event) => {
    joinEvents.push(event);
  });
  const link = /\/f\/confirm\/[\w.-]+/.exec(email)?.[0] ?? '';
  expect((await server.client().get(link)).status).toBe(200);
  expect((await listSettledSubscribers(server, owner))[0].status.email).toBe('non-subscribed');
  expect((await server.client().post(link)).status).toBe(200);
  expect((await listSettledSubscribers(server, owner))[0].status.email).toBe('active');
  expect((await server.client().post(link)).status).toBe(200);
  stopListening();
  expect(joinEvents).toMatchObject([{ origin: 'form', subscriberIds: [expect.any(Number)] }]);
  expect((await server.client().post(`${link}x`)).status).toBe(410);
  // A later sign-up, perhaps by someone else, reveals nothing and changes no name.
  const secondSubmission = await signUp(server, form, {
    email: 'new@shop.example',
    firstname: 'Other',
  });
  expect(secondSubmission.status).toBe(200);
  expect((await listSettledSubscribers(server, owner))[0].firstname).toBe(
    'Buy now http://spam.example',
  );
});

test("a disabled or deleted form and another account's form are unavailable, and malformed or outdated input is refused", async () => {
  const owner = await server.owner();
  const outsider = await server.owner();
  const form = await publishForm(owner, {});
  for (const response of [
    await outsider.get(`${FORMS}/${form.id}`),
    await outsider.patch(`${FORMS}/${form.id}`, { is_active: 0 }),
    await outsider.delete(`${FORMS}/${form.id}`, {}),
    await outsider.get(`${FORMS}/${form.id}/chart`),
  ]) {
    expect(response.status).toBe(404);
  }
  const foreignGroup = (await outsider.post('/client-api/api/tags', { title: 'Theirs' })).body.data;
  expect(
    (await owner.post(`${FORMS}/${form.id}/tags`, { tags_ids: [foreignGroup.id] })).status,
  ).toBe(404);
  for (const body of ['', '[]', '{', '{"key":"x"}', '{"__proto__":{},"key":"12345678"}']) {
    const response = await server.client().send({
      method: 'POST',
      url: `/f/${form.settings.embed_hash}`,
      headers: { 'content-type': 'text/plain' },
      payload: body,
    });
    expect(response.status, body).toBe(422);
  }
  const document = {
    ...form.document,
    styles: { ...form.document.styles, button: 'red;}*{display:none' },
  };
  expect((await owner.patch(`${FORMS}/${form.id}`, { document })).status).toBe(422);
  const teaser = (content: string) => ({
    document: { ...form.document, teaser: content },
    revision: form.revision,
  });
  const path = `${FORMS}/${form.id}`;
  const update = await owner.patch(path, teaser('Hello'));
  expect(update.status).toBe(200);
  // Repeating the save after a lost response changes nothing; a different change based on the same
  // revision conflicts.
  const repeatedUpdate = await owner.patch(path, teaser('Hello'));
  expect(repeatedUpdate.body.data.revision).toBe(update.body.data.revision);
  const stale = await owner.patch(path, teaser('Goodbye'));
  expect(stale.status).toBe(409);
  const emptyDocument = { ...form.document, steps: [{ id: 'one', blocks: [] }] };
  await owner.patch(`${FORMS}/${form.id}`, { document: emptyDocument });
  expect((await owner.post(`${FORMS}/${form.id}/publish`, {})).body.code).toBe('email_missing');
  await owner.patch(`${FORMS}/${form.id}`, { is_active: 0 });
  expect(
    (
      await signUp(
        server,
        { settings: { ...form.settings, use_recaptcha: false } },
        { email: 'x@y.example' },
      )
    ).status,
  ).toBe(410);
  expect((await owner.delete(`${FORMS}/${form.id}`, {})).status).toBe(200);
  expect((await server.client().get(`/f/${form.settings.embed_hash}/view`)).status).toBe(410);
});

test('an unsubscribed visitor stays unsubscribed and does not start a workflow if no confirmation email can be sent', async () => {
  const owner = await server.owner();
  const group = (await owner.post('/client-api/api/tags', { title: 'Again' })).body.data;
  const form = await publishForm(owner, {});
  await owner.post(`${FORMS}/${form.id}/tags`, { tags_ids: [group.id] });
  const created = await owner.post('/client-api/api/subscribers', { email: 'left@shop.example' });
  const { id } = created.body.data;
  const unsubscription = await owner.post('/client-api/api/unsubscribes', { subscribers: [id] });
  expect(unsubscription.status, unsubscription.text).toBe(200);
  const joinEvents: { origin: string }[] = [];
  const stops = [
    joinedGroup.on(async (_, event) => void joinEvents.push(event)),
    formSubmitted.on(async (_, { isConfirmed }) => expect(isConfirmed).toBe(false)),
  ];
  await signUp(server, form, { email: 'left@shop.example' });
  const [person] = await listSettledSubscribers(server, owner);
  for (const stop of stops) stop();
  expect(person.status.email).toBe('unsubscribed');
  // Events with the origin "bulk" start no workflow.
  expect(joinEvents.map(({ origin }) => origin)).toEqual(['bulk']);
});

test('a sign-up that fills an empty field can start a workflow, unless the subscriber is unsubscribed', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, {});
  const emails = ['known@blank.example', 'left@blank.example'];
  const ids: string[] = [];
  for (const email of emails)
    ids.push((await owner.post('/client-api/api/subscribers', { email })).body.data.id);
  await owner.post('/client-api/api/unsubscribes', { subscribers: [ids[1]] });
  const origins = new Map<string, string>();
  const stopListening = subscribersUpdated.on(async (_, { subscriberIds, origin }) => {
    for (const id of subscriberIds) origins.set(encodeId('subscriber', id), origin);
  });
  for (const email of emails) await signUp(server, form, { email, firstname: 'Filled' });
  const subscribers = await listSettledSubscribers(server, owner);
  stopListening();
  expect(subscribers).toMatchObject([{ firstname: 'Filled' }, { firstname: 'Filled' }]);
  // Events with the origin "bulk" start no workflow.
  expect(ids.map((id) => origins.get(id))).toEqual(['form', 'bulk']);
});

test('oversized and malicious input is refused, or stored and shown as plain text', async () => {
  const owner = await server.owner();
  const outsider = await server.owner();
  const { id, document } = (await owner.post(FORMS, { type: 'embed', title: 'News' })).body.data;
  const huge = { ...document, teaser: 'x'.repeat(5_000_000) };
  expect((await owner.patch(`${FORMS}/${id}`, { document: huge })).status).toBe(413);
  for (const invalidDocument of [
    { ...document, styles: { ...document.styles, width: 1e9 } },
    { ...document, steps: [] },
    { ...document, picture: { url: 'javascript:alert(1)', alt: '' } },
    JSON.parse(JSON.stringify(document).replace('{', '{"__proto__":{"isAdmin":true},')),
  ]) {
    const response = await owner.patch(`${FORMS}/${id}`, { document: invalidDocument });
    expect([400, 422], response.text).toContain(response.status);
  }
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  const html = '<img src=x onerror=alert(1)>';
  const blocks = document.steps[0].blocks.map((block: { kind: string }) => ({
    ...block,
    ...('text' in block ? { text: html } : {}),
    ...('label' in block ? { label: html, placeholder: html } : {}),
  }));
  const foreignGroup = (await outsider.post('/client-api/api/tags', { title: 'Theirs' })).body.data;
  expect((await owner.post(`${FORMS}/${id}/tags`, { tags_ids: [foreignGroup.id] })).status).toBe(
    404,
  );
  const update = await owner.patch(`${FORMS}/${id}`, {
    document: { ...document, teaser: html, steps: [{ id: 'one', blocks }] },
    settings: { use_recaptcha: false, validation_messages: { email: html } },
    is_active: 1,
  });
  expect(update.status, update.text).toBe(200);
  const form = update.body.data;
  const page = await server.client().get(`/f/${form.settings.embed_hash}/view`);
  expect(page.text).not.toContain('<img src=x');
  expect(page.text).toContain('&lt;img src=x');
  const refusal = await signUp(server, form, {
    email: 'a@b.example',
    firstname: 'x'.repeat(10_001),
  });
  expect(refusal.status).toBe(422);
  expect((await signUp(server, form, { email: 'a@b.example', firstname: html })).status).toBe(200);
  // An unknown snapshot is not an error because browsers log errors in the site's console.
  expect((await server.client().get('/f/s/unknown.1.json')).status).toBe(204);
  for (const path of ['/f/unknown/view', '/f/unknown']) {
    const response = await (path === '/f/unknown'
      ? server.client().send({
          method: 'POST',
          url: path,
          headers: { 'content-type': 'text/plain' },
          payload: JSON.stringify({ key: 'unknown-key', version: 1, data: {}, ms: 9_000 }),
        })
      : server.client().get(path));
    expect([404, 410], path).toContain(response.status);
  }
});

test('the setting show_gdpr and the consent checkbox stay in sync, and Persian digits are accepted', async () => {
  const owner = await server.owner();
  const { id, ...form } = await publishForm(owner, {}, { use_recaptcha: false, show_gdpr: true });
  type Blocks = { steps: { blocks: { kind: string; text: string; required: boolean }[] }[] };
  const boxes = ({ steps }: Blocks) =>
    steps.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'consent'));
  const [box] = boxes(form.document);
  expect(box).toMatchObject({ as: 'email', required: true });
  const submission = await signUp(server, form, { email: 'no@consent.example' });
  expect(submission.body.errors.consent_email).toBeTruthy();
  expect(
    (await signUp(server, form, { email: 'a@consent.example', consent_email: '1' })).status,
  ).toBe(200);
  const path = `${FORMS}/${id}`;
  // Removing the checkbox turns the setting off.
  const withoutBoxes = form.document.steps.map((step: { blocks: { kind: string }[] }) => ({
    ...step,
    blocks: step.blocks.filter(({ kind }) => kind !== 'consent'),
  }));
  const update = await owner.patch(path, { document: { ...form.document, steps: withoutBoxes } });
  expect(update.body.data.settings.show_gdpr).toBe(false);
  const secondUpdate = await owner.patch(path, { settings: { show_gdpr: true } });
  expect(boxes(secondUpdate.body.data.document)).toHaveLength(1);
  const switchOff = await owner.patch(path, { settings: { show_gdpr: false } });
  expect(boxes(switchOff.body.data.document)).toHaveLength(0);

  const wheel = await publishForm(owner, { layout: 'two-steps' }, { use_recaptcha: false });
  const response = await signUp(server, wheel, {
    email: 'fa@consent.example',
    phone: '+۳۷۰۶۱۲۳۴۵۶۷',
  });
  expect(response.status).toBe(200);
  const subscriber = (await listSettledSubscribers(server, owner)).find(
    ({ email }: { email: string }) => email === 'fa@consent.example',
  );
  expect(subscriber.phone).toBe('+37061234567');
});

test('consent to SMS is stored with its text, version, page and IP address, and a number without consent is not subscribed', async () => {
  const owner = await server.owner();
  const { id, ...form } = await publishForm(
    owner,
    { layout: 'two-steps', language: 'spa' },
    { use_recaptcha: false },
  );
  const content = 'Quiero ofertas por SMS de Té y Té. STOP para parar.';
  const steps = form.document.steps.map((step: { blocks: { kind: string; as?: string }[] }) => ({
    ...step,
    blocks: step.blocks.map((block) =>
      block.kind === 'consent' && block.as === 'sms' ? { ...block, text: content } : block,
    ),
  }));
  await owner.patch(`${FORMS}/${id}`, { document: { ...form.document, steps }, is_active: 1 });
  const send = (email: string, data: object) =>
    signUp(server, form, { email, ...data }, { version: 2 });
  expect((await send('si@sms.example', { phone: '+34612345678', consent_sms: '1' })).status).toBe(
    200,
  );
  expect((await send('no@sms.example', { phone: '+34612345679' })).status).toBe(200);
  const subscribers = await listSettledSubscribers(server, owner);
  const statusOf = (email: string) =>
    subscribers.find((subscriber: { email: string }) => subscriber.email === email)?.status.sms;
  expect(statusOf('si@sms.example')).toBe('active');
  expect(statusOf('no@sms.example')).toBe('non-subscribed');
  const { rows } = await sql<{ channel: string; wording: string; details: object; ip: string }>`
    select channel, wording, details, ip from consents
    where account_id = ${owner.accountId} and channel = 'sms' and wording = ${content}`.execute(
    server.db,
  );
  expect(rows).toMatchObject([
    {
      channel: 'sms',
      wording: content,
      details: { kind: 'sms', version: 2, page: 'https://shop.example/p?q=1', language: 'spa' },
    },
  ]);
  expect(rows[0]?.ip).toMatch(/^10\.9\./);
  // Even without a checkbox, the consent to emails has the shown text, the version of the form and
  // the page.
  const consents = await sql<{ wording: string; details: object }>`
    select wording, details from consents where account_id = ${owner.accountId} and channel = 'email'
    order by subscriber_id`.execute(server.db);
  expect(consents.rows[0]?.wording).toMatch(/\nSuscribirme$/);
  expect(consents.rows[0]).toMatchObject({
    details: { version: 2, page: 'https://shop.example/p?q=1', language: 'spa' },
  });
});

test('changing double opt-in does not publish the draft, and the confirmation email can be written as HTML', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, {}, { use_recaptcha: false });
  const path = `${FORMS}/${form.id}`;
  await owner.patch(path, { document: { ...form.document, teaser: 'Not yet' } });
  const missing = await owner.put(`${path}/double_opt_in`, { double_opt_in: true });
  expect(missing.body.code).toBe('sender_missing');
  const update = await owner.put(`${path}/double_opt_in`, {
    double_opt_in: true,
    subject: 'One click left',
    from_name: 'Tea shop',
    from_email: 'news@shop.example',
  });
  expect(update.status, update.text).toBe(200);
  expect(update.body.data).toMatchObject({ has_unpublished: true, published_version: 2 });
  const snapshot = (await server.client().get(`/f/s/${form.settings.embed_hash}.2.json`)).body;
  expect(snapshot.teaser).toBe('');
  const emailPath = `/client-api/api/confirmation-emails/${form.id}`;
  const html = '<p>Tea, {{ firstname }}? <a href="{{ confirm_link }}">Yes, please</a></p>';
  const contentUpdate = await owner.put(`${emailPath}/content`, {
    revision: 1,
    editor: 'html',
    html,
  });
  expect(contentUpdate.status, contentUpdate.text).toBe(200);
  expect((await owner.get(path)).body.data.mail_editor).toBe('html');
  const outsider = await server.owner();
  expect((await outsider.get(`${emailPath}/content`)).status).toBe(404);
  expect((await outsider.put(`${path}/double_opt_in`, { double_opt_in: false })).status).toBe(404);
});

test("the wheel's prize is emailed once and not shown to a repeated sign-up", async () => {
  const owner = await server.owner();
  const form = await publishForm(
    owner,
    { type: 'spinToWin' },
    {
      use_recaptcha: false,
      confirmation: { from_email: 'news@shop.example', from_name: 'Shop' },
      wheel_config: {
        setup: [
          { label: 'Ten', coupon_code: 'TEN-10', is_losing: false, weight: 1 },
          { label: 'None', coupon_code: '', is_losing: true, weight: 0 },
        ],
      },
    },
  );
  const data = { email: 'winner@shop.example', consent_terms: '1' };
  const spun = await signUp(server, form, data);
  expect(spun.body.prize, spun.text).toMatchObject({ code: 'TEN-10' });
  // The second visitor may be someone else, so the response does not contain the code.
  expect((await signUp(server, form, data)).text).not.toContain('TEN-10');
  await listSettledSubscribers(server, owner);
  startTestSender(server.db, relay.url);
  expect(await emailTo('winner@shop.example')).toContain('TEN-10');
  expect(relay.accepted.filter(({ to }) => to[0] === 'winner@shop.example')).toHaveLength(1);
});

test('requests above the limit are refused with Retry-After before their bodies are read', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, {}, { use_recaptcha: false });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${port}/f/${form.settings.embed_hash}`, { method: 'POST', body });
  const responses = await Promise.all(Array.from({ length: 20 }, () => post('{}')));
  expect(responses[0]?.status).toBe(422);

  // This request announces a body and never sends it.
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /f/${form.settings.embed_hash} HTTP/1.1\r\nHost: sendloom\r\nContent-Length: 9000\r\n\r\n`,
  );
  let reply = '';
  for await (const chunk of socket) reply += chunk;
  expect(reply).toMatch(/^HTTP\/1\.1 429 /);
  expect(reply).toMatch(/^retry-after: 2\r$/im);
});
