// An owner with a postal address, subscribers, API tokens and a form, created over HTTP so that it
// works with the server of any version. Only subscribers are written to the database directly.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import type { UpstreamResponse, Upstreams } from './upstreams.ts';
import type { VisitOwner } from './visitors.ts';

/** Each token may make 300 calls a minute. */
const TOKENS = 6;
const OWNER = 'owner@faults.example';

export type CallAsOwner = (method: string, path: string, body?: object) => Promise<unknown>;

/**
 * Signs up an owner. `from` is the visitor's IP address, because sign-ups from one network are
 * limited.
 */
export const signUp = (
  upstreams: Upstreams,
  email: string,
  from?: string,
): Promise<UpstreamResponse> => enter(upstreams, '/auth/api/sign-up', email, from);

/** Starts a new session because sessions last only minutes. */
export async function signIn(upstreams: Upstreams, email = OWNER): Promise<string> {
  return cookieOf(await enter(upstreams, '/auth/api/sign-in', email));
}

function enter(
  upstreams: Upstreams,
  path: string,
  email: string,
  from?: string,
): Promise<UpstreamResponse> {
  return upstreams.request(path, {
    method: 'POST',
    headers: {
      'x-sendloom': '1',
      'content-type': 'application/json',
      ...(from ? { 'x-forwarded-for': from } : {}),
    },
    body: JSON.stringify({ email, password: 'correct horse battery' }),
  });
}

function cookieOf({ status, text, headers }: UpstreamResponse): string {
  if (status !== 200) throw new Error(text);
  return (headers['set-cookie'] ?? []).map((header) => header.split(';')[0]).join('; ');
}

export async function newOwner(
  upstreams: Upstreams,
  prove: (accountId: number) => Promise<void>,
  db: Db,
  subscriberCount: number,
): Promise<VisitOwner> {
  const cookie = cookieOf(await signUp(upstreams, OWNER));
  const callApi = createApiCall(upstreams, cookie);
  await callApi('PATCH', '/account_questionnaire', {
    address: 'Storgata 1',
    city: 'Oslo',
    state: 'Oslo',
    timezone: 'Europe/Oslo',
    zip_code: '0155',
    country: 'NO',
  });
  const { rows } = await sql<{ id: number }>`select id from accounts order by id limit 1`.execute(
    db,
  );
  const accountId = rows[0]?.id as number;
  await prove(accountId);
  await addPeople(db, accountId, subscriberCount);
  await sql`update accounts set subscriber_count = ${subscriberCount} where id = ${accountId}`.execute(
    db,
  );
  const tokens: string[] = [];
  for (let i = 0; i < TOKENS; i++) {
    const response = await callApi('POST', '/tokens', { title: `Shop ${i}`, validity_days: null });
    tokens.push((response as { token: string }).token);
  }
  return { cookie, tokens, form: await newForm(callApi) };
}

export async function newForm(callApi: CallAsOwner): Promise<string> {
  const { id } = (await callApi('POST', '/forms', { type: 'embed', title: 'News' })) as {
    id: string;
  };
  const settings = { use_recaptcha: false };
  const publishedForm = await callApi('PATCH', `/forms/${id}`, { is_active: 1, settings });
  return (publishedForm as { settings: { embed_hash: string } }).settings.embed_hash;
}

/** Sends a campaign to all subscribers now; returns its id. */
export async function startCampaign(
  upstreams: Upstreams,
  { cookie }: Pick<VisitOwner, 'cookie'>,
  title: string,
): Promise<string> {
  const callApi = createApiCall(upstreams, cookie);
  const id = await draftCampaign(callApi, title);
  await callApi('POST', `/campaigns/${id}/schedule`, { schedule_time: null });
  return id;
}

/** Creates a campaign to all subscribers that is ready to be sent; returns its id. */
export async function draftCampaign(callApi: CallAsOwner, title: string): Promise<string> {
  const campaign = await callApi('POST', '/campaigns', {
    title,
    subject: title,
    from_name: 'Tea',
    from_email: 'news@tea.example',
    reply_to: 'news@tea.example',
  });
  const { id, revision } = campaign as { id: string; revision: number };
  await callApi('PUT', `/campaigns/${id}/content`, {
    revision,
    editor: 'html',
    html:
      '<p>Hello {{ firstname }}, <a href="https://tea.example/offer">new tea is here</a>.</p>' +
      '<a href="{{ unsubscribe_link }}">Unsubscribe</a>',
  });
  await callApi('POST', `/campaigns/${id}/tags/set`, { tags_arr: [], send_to_all: true });
  return id;
}

export function createApiCall(upstreams: Upstreams, cookie: string): CallAsOwner {
  return async (method, path, body) => {
    const response = await upstreams.request(`/client-api/api${path}`, {
      method,
      headers: { 'x-sendloom': '1', 'content-type': 'application/json', cookie },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (response.status !== 200)
      throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return (JSON.parse(response.text) as { data: unknown }).data;
  };
}
