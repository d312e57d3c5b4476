// No request to a model contains a value of a subscriber. The setup puts canaries into every field
// of a subscriber.
import { beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { type ModelServer, startModelServer } from '#testing/servers/model-server.ts';
import {
  type ReportedCampaignFixture,
  sendReportedCampaign,
} from '#testing/worlds/reported-campaign.ts';
import { configureModels } from './query-model.ts';

const API = '/client-api/api';
const CANARY = /canary/i;
let fixture: ReportedCampaignFixture;
let model: ModelServer;

beforeAll(async () => {
  fixture = await sendReportedCampaign();
  model = await startModelServer();
  configureModels(['127.0.0.1']);
  const { owner, ids } = fixture;
  const address = `${model.address}/v1`;
  const settings = { protocol: 'openai', address, model: 'llama', monthly_tokens: null };
  await owner.put(`${API}/assistance`, settings);
  const fields: Record<string, unknown> = {};
  for (const [type, value] of [
    ['text', 'Canary text'],
    ['number', 4242_4242],
    ['datetime', '1999-12-31 23:59:59'],
  ] as const) {
    const field = await owner.post(`${API}/fields`, { title: `Field ${type}`, type });
    fields[field.body.data.id] = value;
  }
  const created = await owner.post(`${API}/subscribers`, {
    email: 'canary@tea.example',
    phone: '+4790000123',
    firstname: 'Canary',
    lastname: 'Canaryson',
    fields,
  });
  if (created.status !== 200) throw new Error(created.text);
  await fixture.server.db
    .updateTable('subscribers')
    .set({ firstname: 'Canary', lastname: 'Canaryson' })
    .where('account_id', '=', fixture.accountId)
    .where('id', 'in', ids)
    .execute();
});

/** Returns everything that the model has received. */
const serializeRequests = () => JSON.stringify(model.requests);

test('generating a segment from a description sends group and field names to the model, and returns validated conditions', async () => {
  const { owner } = fixture;
  const friendsGroup = encodeId('group', fixture.groups[1] as number);
  const condition = { type: 'tag', operator: 'have', operand: friendsGroup };
  model.responses = [JSON.stringify({ conditions: [condition] })];
  const input = { words: 'all friends' };
  const preview = await owner.post(`${API}/filters/from_words`, input);
  expect(preview.body.data).toMatchObject({ conditions: null, request: { personal: [] } });
  expect(model.requests).toEqual([]);
  const response = await owner.post(`${API}/filters/from_words`, { ...input, is_confirmed: true });
  expect(response.status, response.text).toBe(200);
  expect(response.body.data).toMatchObject({
    subscribers: 35,
    conditions: [{ operand: friendsGroup }],
  });
  expect(response.body.data.sentence).toContain('Friends');
  expect(JSON.parse(preview.body.data.request.body)).toEqual(model.requests[0]?.body);
  expect(serializeRequests()).toContain('Field number');
  // The prompt names groups and fields only, so it offers no condition on other objects.
  expect(serializeRequests()).toContain('placed_order: all(none)');
  expect(serializeRequests()).not.toMatch(/specific\(|specific_product|not-event|campaigns\)/);
  for (const invalidResponse of [
    'no JSON',
    JSON.stringify({ conditions: [{ type: 'tag', operator: 'hates', operand: 'x' }] }),
    JSON.stringify({ conditions: [] }),
  ]) {
    model.responses = [invalidResponse];
    const refusal = await owner.post(`${API}/filters/from_words`, { ...input, is_confirmed: true });
    expect([refusal.status, refusal.body.code], invalidResponse).toEqual([422, 'words_unclear']);
  }
});

test('a report summary sends only totals to the model', async () => {
  const { owner, campaign } = fixture;
  const path = `${API}/campaigns/${campaign}/report/summary`;
  model.responses = ['<b>Good</b> results.'];
  const response = await owner.post(path, { is_confirmed: true });
  expect(response.body.data.summary).toBe('Good results.');
  const { body } = model.requests.at(-1) ?? { body: {} };
  expect(JSON.stringify(body)).toContain('\\"recipients\\":40');
  expect(JSON.stringify(body)).toContain(
    'Shares are fractions from 0 to 1: of recipients for sent',
  );
  model.responses = [500];
  expect((await owner.post(path, { is_confirmed: true })).body.code).toBe('model_refused');
});

test('a summary is streamed in both protocols', async () => {
  const { owner, campaign } = fixture;
  const path = `${API}/campaigns/${campaign}/report/summary`;
  const stream = () => owner.post(`${path}/stream`, { is_confirmed: true });
  const request = (await owner.post(path, {})).body.data.request;
  for (const [protocol, address] of [
    ['anthropic', model.address],
    ['openai', `${model.address}/v1`],
  ]) {
    const settings = { protocol, address, model: 'llama', monthly_tokens: null };
    await owner.put(`${API}/assistance`, settings);
    model.responses = ['Good <b>results.</b>'];
    const { headers, text } = await stream();
    expect(headers['content-type']).toContain('text/event-stream');
    expect(text).toMatch(
      /^event: text\ndata: "Good <b>re"\n\nevent: text\ndata: "sults.<\/b>"\n\nevent: answer\n/,
    );
    expect(text).toContain('"summary":"Good results."');
  }
  // The shown request is the one that was sent, except that it is streamed.
  expect(JSON.parse(request.body)).toEqual(model.requests.at(-1)?.body);
  model.responses = [500];
  expect(await stream()).toMatchObject({ status: 502, body: { code: 'model_refused' } });
  model.responses = [' '];
  expect((await stream()).text).toContain('"code":"model_answer"');
});

test("text suggestions send the author's text and its merge tags to the model", async () => {
  const { owner } = fixture;
  model.responses = [JSON.stringify({ texts: ['Hello {{firstname}}'] })];
  for (const task of ['subject_lines', 'rewrite', 'translate'])
    await owner.post(`${API}/assistance/texts`, {
      ...{ task, texts: ['Dear {{firstname}}'], language: 'nor', is_confirmed: true },
    });
  expect(serializeRequests()).toContain('{{firstname}}');
});

test('no request to the model contained a canary', () => {
  expect(model.requests.length).toBeGreaterThan(6);
  expect(serializeRequests()).not.toMatch(CANARY);
  for (const value of ['+4790000123', '42424242', '1999-12-31', '@tea.example'])
    expect(serializeRequests()).not.toContain(value);
});
