// Fields and groups that forms use cannot be deleted, and the uses of a domain include forms that
// send from it. Confirmation emails that cannot be sent are counted.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { FORMS, publishForm, signUp } from '#testing/servers/form-site.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { settleAccount } from './settle.ts';

const API = '/client-api/api';
// With a relay, outgoing emails require a verified domain.
const server = await testServer({ SMTP_URL: 'smtp://127.0.0.1:2525', SIGN_UP: 'open' });

const newField = async (owner: TestOwner, title: string): Promise<{ id: string }> =>
  (await owner.post(`${API}/fields`, { title, type: 'text' })).body.data;

async function expectUndeletable(owner: TestOwner, path: string, title: string): Promise<void> {
  const response = await owner.delete(path, {});
  expect(response.status, response.text).toBe(409);
  expect(response.body.message, path).toContain(title);
}

/** Adds the field to the form's draft. */
async function addField(
  owner: TestOwner,
  form: { id: string; document: { steps: { blocks: object[] }[] } },
  field: string,
) {
  const [step] = form.document.steps;
  const fieldBlock = {
    ...{ id: 'tea', kind: 'field', field, as: 'text', label: 'Tea', placeholder: '' },
    ...{ required: false, options: [], value: '', half: false },
  };
  const steps = [{ ...step, blocks: [...(step?.blocks ?? []), fieldBlock] }];
  const document = { ...form.document, steps };
  return owner.patch(`${FORMS}/${form.id}`, { document });
}

test('a group or field in use by a form cannot be deleted, and the error names the form', async () => {
  const owner = await server.owner();
  const group = (await owner.post(`${API}/tags`, { title: 'Kept' })).body.data;
  const field = await newField(owner, 'Tea');
  const form = await publishForm(owner, { title: 'In the footer' });
  await owner.post(`${FORMS}/${form.id}/tags`, { tags_ids: [group.id] });
  await addField(owner, form, field.id);
  for (const path of [`${API}/tags/${group.id}`, `${API}/fields/${field.id}`])
    await expectUndeletable(owner, path, 'In the footer');
  await owner.delete(`${FORMS}/${form.id}`, {});
  for (const path of [`${API}/tags/${group.id}`, `${API}/fields/${field.id}`])
    expect((await owner.delete(path, {})).status, path).toBe(200);
});

test('a field that sites still show cannot be deleted, though the draft no longer has it', async () => {
  const owner = await server.owner();
  const field = await newField(owner, 'Tea');
  const form = await publishForm(owner, { title: 'In the footer' });
  await addField(owner, form, field.id);
  await owner.patch(`${FORMS}/${form.id}`, { is_active: 1 });
  await owner.patch(`${FORMS}/${form.id}`, { document: form.document });
  await expectUndeletable(owner, `${API}/fields/${field.id}`, 'In the footer');
  await owner.patch(`${FORMS}/${form.id}`, { is_active: 1 });
  expect((await owner.delete(`${API}/fields/${field.id}`)).status).toBe(200);
});

test("a field that stores a wheel's prize cannot be deleted", async () => {
  const owner = await server.owner();
  const field = await newField(owner, 'Prize');
  const form = await publishForm(owner, { type: 'spinToWin', title: 'Wheel' });
  const wheel = form.settings.wheel_config;
  const update = await owner.patch(`${FORMS}/${form.id}`, {
    settings: { wheel_config: { ...wheel, custom_field: field.id } },
  });
  expect(update.status, update.text).toBe(200);
  await expectUndeletable(owner, `${API}/fields/${field.id}`, 'Wheel');
});

test.each([
  ['subject', { subject: 'One click, {{ tea }}' }, undefined],
  ['content', {}, '<p>{{ tea }}? <a href="{{ confirm_link }}">Yes</a></p>'],
])(
  'a field that the %s of a confirmation email uses cannot be deleted',
  async (_, settings, html) => {
    const [owner, stranger] = [await server.owner(), await server.owner()];
    const publishWithDoubleOptIn = async (client: TestOwner, title: string) => {
      const { id } = await publishForm(client, { title });
      const sender = { double_opt_in: true, from_email: 'news@tea.example' };
      const response = await client.put(`${FORMS}/${id}/double_opt_in`, { ...sender, ...settings });
      expect(response.status, response.text).toBe(200);
      const emailPath = `${API}/confirmation-emails/${id}/content`;
      if (html) await client.put(emailPath, { revision: 1, editor: 'html', html });
      return id;
    };
    const field = await newField(owner, 'Tea');
    const foreignField = await newField(stranger, 'Tea');
    const id = await publishWithDoubleOptIn(owner, 'In the footer');
    await expectUndeletable(owner, `${API}/fields/${field.id}`, 'In the footer');
    expect((await stranger.delete(`${API}/fields/${foreignField.id}`)).status).toBe(200);
    await owner.delete(`${FORMS}/${id}`, {});
    expect((await owner.delete(`${API}/fields/${field.id}`)).status).toBe(200);
  },
);

test('the uses of a domain are the active forms that send emails from it', async () => {
  const owner = await server.owner();
  const { id: domain } = (await owner.post(`${API}/domains`, { email: 'a@tea.example' })).body.data;
  const confirmationSettings = (double_opt_in: boolean, from_email: string) => ({
    double_opt_in,
    confirmation: { subject: '', from_name: '', from_email, heading: '', text: '', button: '' },
  });
  const confirmation = confirmationSettings(true, 'news@TEA.example');
  const doubleOptIn = await publishForm(owner, { title: 'Asks' }, confirmation);
  const wheel = { type: 'spinToWin', title: 'Gives' };
  const giveaway = await publishForm(owner, wheel, confirmationSettings(false, 'news@tea.example'));
  const ownSender = confirmationSettings(false, 'news@tea.example');
  const coupon = { source: 'fixed', prize: '10% off', code: 'TEA10', pool_id: '' };
  const offer = { type: 'popup', layout: 'corner' };
  const rewards = await publishForm(
    owner,
    { ...offer, title: 'Rewards' },
    { ...ownSender, coupon },
  );
  const unsent = { ...ownSender, coupon, email_code: false };
  await publishForm(owner, { ...offer, title: 'Shows the code only' }, unsent);
  await publishForm(owner, { title: 'Without confirmation email' }, ownSender);
  await publishForm(
    owner,
    { title: 'Elsewhere' },
    confirmationSettings(true, 'a@news.tea.example'),
  );
  const inactiveForm = await publishForm(owner, { title: 'On no site' }, confirmation);
  await owner.patch(`${FORMS}/${inactiveForm.id}`, { is_active: 0 });
  expect((await owner.get(`${API}/domains/${domain}/uses`)).body.data).toEqual([
    { kind: 'form', id: doubleOptIn.id, title: 'Asks' },
    { kind: 'form', id: giveaway.id, title: 'Gives' },
    { kind: 'form', id: rewards.id, title: 'Rewards' },
  ]);
});

test('a form counts the confirmation emails that cannot be sent, until its sender is verified', async () => {
  const owner = await server.owner();
  const { id: domain } = (await owner.post(`${API}/domains`, { email: 'a@held.example' })).body
    .data;
  const from_email = 'news@held.example';
  const confirmingForm = await publishForm(
    owner,
    { title: 'Asks' },
    { use_recaptcha: false, double_opt_in: true, confirmation: { from_email } },
  );
  const plainForm = await publishForm(owner, { title: 'Plain' }, { use_recaptcha: false });
  const subscriber = (await owner.post(`${API}/subscribers`, { email: 'left@held.example' })).body
    .data;
  await owner.post(`${API}/unsubscribes`, { subscribers: [subscriber.id] });
  const unsentCount = async ({ id }: { id: string }) =>
    (await owner.get(`${FORMS}/${id}/chart`)).body.data.totals.held;
  await signUp(server, confirmingForm, { email: 'new@held.example' });
  await signUp(server, plainForm, { email: 'left@held.example' });
  await expect
    .poll(async () => {
      await settleAccount(server.db, owner.accountId);
      return [await unsentCount(confirmingForm), await unsentCount(plainForm)];
    })
    .toEqual([1, 1]);
  const listEmails = async () =>
    (await owner.get(`${API}/subscribers`)).body.data.map(
      (row: { email: string; status: { email: string } }) => [row.email, row.status.email],
    );
  const emailsBefore = await listEmails();
  expect(emailsBefore.toSorted()).toEqual([
    ['left@held.example', 'unsubscribed'],
    ['new@held.example', 'non-subscribed'],
  ]);
  const now = clock.now();
  await sql`update domains set email_verified_at = ${now}, dns_verified_at = ${now}
    where account_id = ${owner.accountId} and id = ${decodeId('domain', domain)}`.execute(
    server.db,
  );
  clock.advance(10_000);
  await settleAccount(server.db, owner.accountId);
  clock.reset();
  expect([await unsentCount(confirmingForm), await unsentCount(plainForm)]).toEqual([0, 1]);
  expect(await listEmails()).toEqual(emailsBefore);
});
