// Published forms, and visitors who submit them.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { settleAccount } from '#areas/forms/server/settle.ts';
import type { TestOwner, TestServer } from '../setup/server.ts';

export const FORMS = '/client-api/api/forms';
type PublishedForm = { settings: { embed_hash: string; use_recaptcha?: boolean } };

export async function publishForm(owner: TestOwner, body: object, settings: object = {}) {
  const form = await owner.post(FORMS, { type: 'popup', title: 'News', ...body });
  expect(form.status, form.text).toBe(200);
  const { id } = form.body.data;
  const publishedResponse = await owner.patch(`${FORMS}/${id}`, { settings, is_active: 1 });
  expect(publishedResponse.status, publishedResponse.text).toBe(200);
  return publishedResponse.body.data;
}

export async function solveProof(server: TestServer, form: PublishedForm): Promise<string> {
  const { body } = await server.client().get(`/f/${form.settings.embed_hash}/challenge`);
  const { challenge, salt, algorithm, maxnumber, signature } = body;
  let number = 0;
  const hashOf = (n: number) => createHash('sha256').update(`${salt}${n}`).digest('hex');
  while (number <= maxnumber && hashOf(number) !== challenge) number += 1;
  return Buffer.from(JSON.stringify({ algorithm, challenge, number, salt, signature })).toString(
    'base64',
  );
}

let keys = 0;
export async function signUp(
  server: TestServer,
  form: PublishedForm,
  data: object,
  extraFields: object = {},
) {
  const number = (keys += 1);
  const proof = form.settings.use_recaptcha === false ? '' : await solveProof(server, form);
  return server.client().send({
    method: 'POST',
    url: `/f/${form.settings.embed_hash}`,
    headers: { 'content-type': 'text/plain', origin: 'https://shop.example' },
    payload: JSON.stringify({
      key: `key-${number}-0000`,
      version: 1,
      data,
      proof,
      ms: 9000,
      trap: '',
      url: 'https://shop.example/p?q=1',
      ...extraFields,
    }),
    remoteAddress: `10.9.${Math.floor(number / 200)}.${(number % 200) + 1}`,
  });
}

/** Returns the subscribers once all submissions, including pending ones, are processed. */
export async function listSettledSubscribers(server: TestServer, owner: TestOwner) {
  await expect
    .poll(
      async () => {
        await settleAccount(server.db, owner.accountId);
        const { rows } = await sql`select 1 from form_submissions
          where account_id = ${owner.accountId} and settled_at is null`.execute(server.db);
        return rows.length;
      },
      { timeout: 20_000 },
    )
    .toBe(0);
  return (await owner.get('/client-api/api/subscribers')).body.data;
}
