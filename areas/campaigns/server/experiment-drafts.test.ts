// Experiments of drafts over HTTP: settings, variants, their contents, bad input.
import { beforeAll, expect, test } from 'vitest';
import { CAMPAIGNS, campaignShop, createReadyCampaign } from '#testing/worlds/campaign-shop.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const SUBJECTS = {
  metric: 'opens',
  duration_hours: 4,
  test_share: 20,
  holdout_share: 10,
  variants: [{}, { subject: 'Second subject' }],
};
const VARIANTS = '/client-api/api/campaign-variants';

async function draft() {
  const { owner, groupId } = await campaignShop(server, 1);
  const id = await createReadyCampaign(owner, groupId);
  return { owner, id, path: `${CAMPAIGNS}/${id}/experiment` };
}

test('an experiment of a draft returns its settings, variants and split, and a stale revision is refused', async () => {
  const { owner, id, path } = await draft();
  expect((await owner.get(path)).status).toBe(404);
  const { revision } = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
  const response = await owner.put(path, { ...SUBJECTS, revision });
  expect(response.status).toBe(200);
  expect(response.body.data).toMatchObject({
    ...{ metric: 'opens', duration_hours: 4, test_share: 20, holdout_share: 10 },
    ...{ decision: 'automatic', fallback: 'leader', state: 'draft', decided: null },
    variants: [
      { number: 1, id: null, subject: null, share: 10, figures: null },
      { number: 2, subject: 'Second subject', preheader: null, share: 10 },
    ],
    rest: { share: 70, people: null },
    baseline: 0.2,
  });
  expect((await owner.put(path, { ...SUBJECTS, revision })).body.code).toBe('stale_revision');
  expect((await owner.delete(`${path}?revision=${revision}`)).body.code).toBe('stale_revision');
  expect((await owner.delete(path)).status).toBe(200);
  expect((await owner.get(path)).status).toBe(404);
});

test('a variant has its own content, which does not change the campaign’s content', async () => {
  const { owner, id, path } = await draft();
  const contentBefore = (await owner.get(`${CAMPAIGNS}/${id}/content`)).body.data;
  const response = await owner.put(path, {
    ...SUBJECTS,
    variants: [{}, { has_own_content: true }, { subject: 'Third' }],
  });
  const [, second, third] = response.body.data.variants;
  expect(second).toMatchObject({ has_own_content: true, editor: contentBefore.editor });
  const variantContent = (await owner.get(`${VARIANTS}/${second.id}/content`)).body.data;
  expect(variantContent).toMatchObject({
    html: contentBefore.html,
    plain_text: contentBefore.plain_text,
  });
  for (const variant of [second, third]) {
    const { revision } = (await owner.get(`${VARIANTS}/${variant.id}/content`)).body.data;
    const contentResponse = await owner.put(`${VARIANTS}/${variant.id}/content`, {
      ...{ revision, editor: 'text', plain_text: `Own ${variant.number}`, confirm_switch: true },
    });
    expect(contentResponse.body.data).toMatchObject({ plain_text: `Own ${variant.number}` });
  }
  expect((await owner.get(`${CAMPAIGNS}/${id}/content`)).body.data.html).toBe(contentBefore.html);
  const swapResponse = await owner.put(path, {
    ...SUBJECTS,
    variants: [{}, { id: third.id, has_own_content: true }, { id: second.id, subject: 'Two' }],
  });
  const [, two, three] = swapResponse.body.data.variants;
  expect([two.id, three.id]).toEqual([third.id, second.id]);
  expect((await owner.get(`${VARIANTS}/${two.id}/content`)).body.data.plain_text).toBe('Own 3');
  expect(three).toMatchObject({ has_own_content: false, subject: 'Two', number: 3 });
});

test('a duplicate has a copy of the experiment', async () => {
  const { owner, id, path } = await draft();
  const variants = [{}, { subject: 'Two', has_own_content: true }];
  const [, second] = (await owner.put(path, { ...SUBJECTS, variants })).body.data.variants;
  const copy = (await owner.post(`${CAMPAIGNS}/${id}/duplicate`, {})).body.data;
  const copiedExperiment = (await owner.get(`${CAMPAIGNS}/${copy.id}/experiment`)).body.data;
  expect(copiedExperiment.variants[1]).toMatchObject({ subject: 'Two', has_own_content: true });
  expect(copiedExperiment.variants[1].id).not.toBe(second.id);
});

test('an experiment refuses invalid input', async () => {
  const { owner, path } = await draft();
  const bob = await server.owner();
  const putStatus = async (change: object) =>
    (await owner.put(path, { ...SUBJECTS, ...change })).status;
  expect(await putStatus({ variants: [{}] })).toBe(422);
  expect(await putStatus({ variants: Array.from({ length: 9 }, () => ({})) })).toBe(422);
  expect(await putStatus({ test_share: 95, holdout_share: 10 })).toBe(422);
  expect(await putStatus({ test_share: 0 })).toBe(422);
  expect(await putStatus({ holdout_share: 21 })).toBe(422);
  expect(await putStatus({ holdout_days: 0 })).toBe(422);
  expect(await putStatus({ holdout_days: 31 })).toBe(422);
  expect(await putStatus({ duration_hours: 3 })).toBe(422);
  expect(await putStatus({ duration_hours: 169 })).toBe(422);
  expect(await putStatus({ metric: 'luck' })).toBe(422);
  expect(await putStatus({ variants: [{ subject: 'A' }, {}] })).toBe(422);
  expect((await owner.put(path, { ...SUBJECTS, metric: 'revenue' })).body.code).toBe(
    'experiment_needs_store',
  );
  const response = await owner.put(path, SUBJECTS);
  const { id } = response.body.data.variants[1];
  expect((await bob.put(path, SUBJECTS)).status).toBe(404);
  expect((await bob.get(`${VARIANTS}/${id}/content`)).status).toBe(404);
  const duplicateVariants = [{}, { id }, { id }];
  expect(await putStatus({ variants: duplicateVariants })).toBe(422);
});
