// The wheel over HTTP: each code is given out once, slices are drawn by their weights, and the
// wheel is closed once no prize is left.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { FORMS, publishForm, listSettledSubscribers, signUp } from '#testing/servers/form-site.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { pickSlice } from './wheel.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
});
afterEach(() => clock.reset());

test('a wheel with three codes awards each once in sixty concurrent spins and draws once for each address', async () => {
  const owner = await server.owner();
  const slice = (label: string, weight: number, settings: object = {}) => ({
    label,
    coupon_code: '',
    is_losing: false,
    weight,
    colour: '#3b4fe4',
    ...settings,
  });
  const form = await publishForm(
    owner,
    { type: 'spinToWin' },
    {
      use_recaptcha: false,
      wheel_config: {
        setup: [
          slice('Prize', 90, { uses_stock: true }),
          slice('Nothing', 10, { is_losing: true }),
        ],
      },
    },
  );
  form.settings.use_recaptcha = false;
  await owner.post(`${FORMS}/${form.id}/codes`, { slice: 0, codes: ['A1', 'B2', 'C3', 'A1'] });
  const spins = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      signUp(server, form, { email: `spin${i}@shop.example`, consent_terms: '1' }),
    ),
  );
  const codes = spins.map((spin) => spin.body.prize?.code).filter(Boolean);
  expect(codes.sort()).toEqual(['A1', 'B2', 'C3']);
  expect(spins.every((spin) => spin.status === 200)).toBe(true);
  // A losing spin is reported as lost, and a repeated spin gets the response of a form without a
  // wheel.
  for (const { body } of spins) expect(body.prize.lost === true).toBe(body.prize.code === '');
  const secondSubmission = await signUp(server, form, {
    email: 'SPIN1@shop.example',
    consent_terms: '1',
  });
  expect(secondSubmission.body).toEqual({});
  const { words: texts } = (
    await server.client().get(`/f/s/${form.settings.embed_hash}.${form.published_version}.json`)
  ).body;
  expect(texts).toMatchObject({
    lost: 'No prize this time. Thanks for signing up.',
    spunText: 'Each email address gets one spin. If you won, check your inbox for your prize.',
  });
  // The slice of each spin follows from the recorded weights and the number drawn.
  const record = await owner.get(`${FORMS}/${form.id}/spins`);
  const [titles, ...lines] = record.text.trim().split('\r\n');
  expect(titles).toBe(
    'Spin,Time,Version of the form,Slice,Prize,Code,Weights of the slices,Number drawn',
  );
  expect(lines).toHaveLength(60);
  for (const line of lines) {
    const [, , , slice, , code, weights = '', number] = line.split(',');
    const [list, drawn] = [weights, number ?? ''].map((part) => part.split(' / ').at(-1) ?? '');
    const sliceWeights = (list ?? '').split(' ').map(Number);
    expect(pickSlice(sliceWeights, () => Number(drawn)) + 1, line).toBe(Number(slice));
    expect(sliceWeights, line).toEqual(code || weights === '90 10' ? [90, 10] : [0, 100]);
  }
  expect((await owner.get(`${FORMS}/${form.id}/codes`)).body.data).toEqual([
    { slice: 0, left: 0, given: 3 },
  ]);
});

test('a wheel without losing slices accepts no sign-ups once all its codes are given out', async () => {
  const owner = await server.owner();
  const slice = { label: 'Prize', coupon_code: '', is_losing: false, uses_stock: true };
  const form = await publishForm(
    owner,
    { type: 'spinToWin' },
    { use_recaptcha: false, wheel_config: { setup: [slice, slice] } },
  );
  form.settings.use_recaptcha = false;
  await owner.post(`${FORMS}/${form.id}/codes`, { slice: 1, codes: ['LAST'] });
  const spin = (email: string) => signUp(server, form, { email, consent_terms: '1' });
  expect((await spin('first@shop.example')).body.prize?.code).toBe('LAST');
  expect((await spin('second@shop.example')).status).toBe(410);
  expect(await listSettledSubscribers(server, owner)).toMatchObject([
    { email: 'first@shop.example' },
  ]);
});

test('codes stay with their slice when an earlier slice is removed', async () => {
  const owner = await server.owner();
  const slice = (label: string, settings: object) => ({
    ...{ label, coupon_code: '', is_losing: false, uses_stock: true, ...settings },
  });
  const [half, tea, none] = [
    slice('Half price', { stock: 0, weight: 1 }),
    slice('Tea', { stock: 1, weight: 1 }),
    slice('Nothing', { stock: 2, uses_stock: false, is_losing: true, weight: 0 }),
  ];
  const wheel = (setup: object[]) => ({ use_recaptcha: false, wheel_config: { setup } });
  const form = await publishForm(owner, { type: 'spinToWin' }, wheel([half, tea, none]));
  form.settings.use_recaptcha = false;
  await owner.post(`${FORMS}/${form.id}/codes`, { slice: 0, codes: ['HALF'] });
  await owner.post(`${FORMS}/${form.id}/codes`, { slice: 1, codes: ['TEA'] });
  await owner.patch(`${FORMS}/${form.id}`, { settings: wheel([tea, none]), is_active: 1 });
  const spin = (email: string) =>
    signUp(server, form, { email, consent_terms: '1' }, { version: 2 });
  expect((await spin('a@stock.example')).body.prize).toMatchObject({ slice: 0, code: 'TEA' });
  expect((await spin('b@stock.example')).body.prize).toMatchObject({ slice: 1, lost: true });
});

test('each slice is drawn in proportion to its weight', () => {
  const winsBySlice = [0, 0, 0];
  for (let i = 0; i < 10; i++) {
    const slice = pickSlice([5, 0, 5], () => i);
    winsBySlice[slice] = (winsBySlice[slice] ?? 0) + 1;
  }
  expect(winsBySlice).toEqual([5, 0, 5]);
  expect(pickSlice([0, 0], () => 0)).toBe(-1);
});
