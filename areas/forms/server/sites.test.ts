// The script on sites: the sites that loaded it, how soon changes are visible, and the owner's
// preview.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { FORMS, publishForm } from '#testing/servers/form-site.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
});
afterEach(() => clock.reset());

const scriptOf = (form: { embed_script: string }) =>
  /src="[^"]*(\/f\/[\w-]+\.js)"/.exec(form.embed_script)?.[1] ?? '';

const load = (url: string, referer?: string) =>
  server.client().send({ method: 'GET', url, headers: referer ? { referer } : {} });

test('a form lists the sites that loaded its script, and sites cache the script for at most a minute', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, {});
  const readForm = async () => (await owner.get(`${FORMS}/${form.id}`)).body.data;
  expect((await readForm()).sites).toEqual([]);
  const url = scriptOf(form);
  const script = await load(url, 'https://shop.example/tea?q=1');
  if (script.status === 200) expect(script.headers['cache-control']).toBe('public, max-age=60');
  const index = await load(url.replace('.js', '.json'), 'https://shop.example/tea?q=1');
  expect(index.headers['cache-control']).toBe('public, max-age=60');
  await expect.poll(async () => (await readForm()).sites).toMatchObject([{ host: 'shop.example' }]);
  const [first] = (await readForm()).sites;
  clock.freeze(new Date(Date.now() + 120_000));
  await load(url.replace('.js', '.json'), 'http://blog.example:8080/');
  await load(url.replace('.js', '.json'), 'javascript:alert(1)');
  await load(url.replace('.js', '.json'));
  await expect
    .poll(async () => (await readForm()).sites.map(({ host }: { host: string }) => host))
    .toEqual(['blog.example:8080', 'shop.example']);
  expect(Date.parse((await readForm()).sites[0].seen)).toBeGreaterThan(Date.parse(first.seen));
  const otherOwner = await server.owner();
  const foreignForm = await publishForm(otherOwner, {});
  expect((await otherOwner.get(`${FORMS}/${foreignForm.id}`)).body.data.sites).toEqual([]);
});

test('the preview key shows the draft until the end of the next day, and another key does not', async () => {
  const owner = await server.owner();
  const { id } = (await owner.post(FORMS, { type: 'popup', title: 'Draft' })).body.data;
  const { preview_key: key } = (await owner.get(`${FORMS}/${id}`)).body.data;
  const preview = await load(`/f/p/${key}.json`);
  expect(preview.body.snapshot).toMatchObject({ type: 'popup', layout: 'card', version: 0 });
  expect(preview.headers['cache-control']).toBe('no-store');
  expect(preview.headers['access-control-allow-origin']).toBe('*');
  for (const invalidKey of [
    `${key}x`,
    key.replace(/\.\w+\./, '.zzzzzzzzz.'),
    'x.y.z',
    'a'.repeat(300),
  ])
    expect((await load(`/f/p/${invalidKey}.json`)).status, invalidKey).toBe(404);
  clock.freeze(new Date(Date.now() + 2 * 86_400_000 + 1));
  expect((await load(`/f/p/${key}.json`)).status).toBe(404);
});
