// Simulates the traffic of an installation, each kind at its own rate: opens and clicks of
// delivered emails, form sign-ups, new users, API calls, emails sent through the API, and the
// owner's screens.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scene } from '../kit.ts';
import type { UpstreamResponse, RequestOptions, Upstreams } from './upstreams.ts';

export const PUBLIC_URL = 'http://mail.tea.example';

export type VisitOwner = { cookie: string; tokens: string[]; form: string };
export type VisitKind =
  | 'opens'
  | 'clicks'
  | 'formSignUps'
  | 'users'
  | 'people'
  | 'emails'
  | 'screens';

const PAUSES_MS: Record<VisitKind, number> = {
  opens: 40,
  clicks: 80,
  formSignUps: 100,
  // Rare because a password is hashed for each new user.
  users: 1_500,
  people: 100,
  emails: 120,
  screens: 250,
};

export type Visitors = {
  /** Number of correct responses so far. */
  answered: Record<VisitKind, number>;
  failures: string[];
  stop(): Promise<void>;
};

type ExpectedRequest = { path: string; expectedStatus: number } & RequestOptions;
/** Returns request number `i`: `wait` if it does not exist yet, `skip` if it never will. */
type RequestFactory = (i: number) => ExpectedRequest | 'wait' | 'skip';

export function startVisitors(scene: Scene, upstreams: Upstreams, owner: VisitOwner): Visitors {
  const answeredCounts = Object.fromEntries(
    Object.keys(PAUSES_MS).map((kind) => [kind, 0]),
  ) as Record<VisitKind, number>;
  const failures: string[] = [];
  let isStopping = false;
  const loops = Object.entries(sourcesOf(scene, owner)).map(async ([name, source]) => {
    const kind = name as VisitKind;
    for (let i = 0; !isStopping; await sleep(PAUSES_MS[kind])) {
      const request = source(i);
      if (request === 'wait') continue;
      i += 1;
      if (request === 'skip') continue;
      const problem = await checkAnswer(upstreams, request);
      if (problem) failures.push(`${new Date().toISOString()} ${kind}: ${problem}`);
      else answeredCounts[kind] += 1;
    }
  });
  return {
    answered: answeredCounts,
    failures,
    async stop() {
      isStopping = true;
      await Promise.all(loops);
    },
  };
}

async function checkAnswer(
  upstreams: Upstreams,
  { path, expectedStatus, ...options }: ExpectedRequest,
) {
  const response: UpstreamResponse | Error = await upstreams
    .request(path, options)
    .catch((error: Error) => error);
  if (response instanceof Error) return `${options.method ?? 'GET'} ${path}: ${response.message}`;
  if (response.status === expectedStatus) return undefined;
  return `${options.method ?? 'GET'} ${path}: ${response.status} ${response.text.slice(0, 200)}`;
}

function sourcesOf(
  { relay }: Scene,
  { cookie, tokens, form }: VisitOwner,
): Record<VisitKind, RequestFactory> {
  const asJson = { 'content-type': 'application/json', 'x-sendloom': '1' };
  const asProgram = (i: number) => ({
    ...asJson,
    authorization: `Bearer ${tokens[i % tokens.length]}`,
  });
  const screens = ['campaigns', 'subscribers', 'tags', 'forms'];
  return {
    opens: (i) => linkOf(relay.accepted[i]?.source, 'o', 200),
    clicks: (i) => linkOf(relay.accepted[i]?.source, 'c', 302),
    formSignUps: (i) => ({
      path: `/f/${form}`,
      expectedStatus: 200,
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-forwarded-for': visitor(i) },
      body: JSON.stringify({
        key: `visitor-${i}-key`,
        version: 1,
        data: { email: `visitor${i}@visitor.example` },
        ms: 5_000,
        url: 'https://shop.example/',
      }),
    }),
    users: (i) => ({
      path: '/auth/api/sign-up',
      expectedStatus: 200,
      method: 'POST',
      headers: { ...asJson, 'x-forwarded-for': visitor(i) },
      body: JSON.stringify({ email: `owner${i}@new.example`, password: 'correct horse battery' }),
    }),
    people: (i) => ({
      path: '/v2/subscribers',
      expectedStatus: 200,
      method: 'POST',
      headers: asProgram(i),
      body: JSON.stringify({ email: `client${i}@client.example`, firstname: `Client ${i}` }),
    }),
    emails: (i) => ({
      path: '/v2/message/send',
      expectedStatus: 200,
      method: 'POST',
      headers: { ...asProgram(i), 'idempotency-key': `mail ${i}` },
      body: JSON.stringify({
        from: { email: 'news@tea.example', name: 'Tea' },
        to: { email: `buyer${i}@home.example` },
        subject: `Order ${i}`,
        text: `Order ${i}`,
      }),
    }),
    screens: (i) => ({
      path: `/client-api/api/${screens[i % screens.length]}`,
      expectedStatus: 200,
      headers: { ...asJson, cookie },
    }),
  };
}

const visitor = (i: number) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;

/** Returns an email's open pixel or first link. */
function linkOf(
  source: string | undefined,
  kind: 'o' | 'c',
  expectedStatus: number,
): ReturnType<RequestFactory> {
  if (source === undefined) return 'wait';
  const decodedSource = source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const path = new RegExp(`${PUBLIC_URL}(/t/${kind}/[\\w./~-]+)`).exec(decodedSource)?.[1];
  return path ? { path, expectedStatus } : 'skip';
}
