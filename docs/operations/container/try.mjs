// Sends a campaign to a hundred subscribers through a running installation: node try.mjs <address>.
// A sending domain needs DNS records that only its owner can publish. If the domain has none, set
// VERIFY to a command that marks it as verified in the database (verify-domain.sql).
import { execSync } from 'node:child_process';

const address = process.argv[2] ?? 'http://localhost:3000';
const SUBSCRIBERS = 100;
let cookie = '';

async function call(method, path, body) {
  const headers = { 'x-sendloom': '1', 'content-type': 'application/json', cookie };
  const init = body ? { body: JSON.stringify(body) } : {};
  const response = await fetch(address + path, { method, headers, ...init });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  const cookies = response.headers.getSetCookie().map((header) => header.split(';')[0]);
  if (cookies.length > 0) cookie = cookies.join('; ');
  return JSON.parse(text).data;
}

const email = `owner-${Date.now()}@shop.example`;
await call('POST', '/auth/api/sign-up', { email, password: 'a tall glass of cold water' });
await call('PATCH', '/client-api/api/account_questionnaire', {
  address: 'Storgata 1',
  city: 'Oslo',
  state: 'Oslo',
  timezone: 'Europe/Oslo',
  zip_code: '0155',
  country: 'NO',
});
if (process.env.VERIFY) execSync(process.env.VERIFY, { stdio: 'inherit' });
for (let i = 0; i < SUBSCRIBERS; i++) {
  await call('POST', '/client-api/api/subscribers', { email: `subscriber-${i}@people.example` });
}
const { id, revision } = await call('POST', '/client-api/api/campaigns', {
  title: 'Spring offer',
  subject: 'Spring',
  from_name: 'Ada',
  from_email: 'ada@shop.example',
  reply_to: 'ada@shop.example',
});
const campaign = `/client-api/api/campaigns/${id}`;
await call('PUT', `${campaign}/content`, {
  revision,
  editor: 'html',
  html: '<p>Spring is here.</p><a href="{{ unsubscribe_link }}">Unsubscribe</a>',
});
await call('POST', `${campaign}/tags/set`, { tags_arr: [], send_to_all: true });
await call('POST', `${campaign}/schedule`, { schedule_time: null });
const startedAt = Date.now();
for (;;) {
  const { figures } = await call('GET', `${campaign}/report/overview`);
  if (figures.sent.count >= SUBSCRIBERS || Date.now() - startedAt > 120_000) {
    console.log(JSON.stringify(figures));
    process.exit(figures.sent.count === SUBSCRIBERS ? 0 : 1);
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
