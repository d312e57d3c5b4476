// Sends a campaign to a hundred people through a running instance: node try.mjs <address>. The sender's domain needs DNS
// records that only its owner publishes; where there are none, the command in PROVE marks it as proven in the database.
import { execSync } from 'node:child_process';

const address = process.argv[2] ?? 'http://localhost:3000';
const PEOPLE = 100;
let cookie = '';

async function ask(method, path, body) {
  const headers = { 'x-sendloom': '1', 'content-type': 'application/json', cookie };
  const given = body ? { body: JSON.stringify(body) } : {};
  const answer = await fetch(address + path, { method, headers, ...given });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  const cookies = answer.headers.getSetCookie().map((one) => one.split(';')[0]);
  if (cookies.length > 0) cookie = cookies.join('; ');
  return JSON.parse(text).data;
}

const email = `owner-${Date.now()}@shop.example`;
await ask('POST', '/auth/api/sign-up', { email, password: 'a tall glass of cold water' });
await ask('PATCH', '/client-api/api/account_questionnaire', {
  address: 'Storgata 1',
  city: 'Oslo',
  state: 'Oslo',
  timezone: 'Europe/Oslo',
  zip_code: '0155',
  country: 'NO',
});
if (process.env.PROVE) execSync(process.env.PROVE, { stdio: 'inherit' });
for (let one = 0; one < PEOPLE; one++) {
  await ask('POST', '/client-api/api/subscribers', { email: `person-${one}@people.example` });
}
const { id, revision } = await ask('POST', '/client-api/api/campaigns', {
  title: 'Spring offer',
  subject: 'Spring',
  from_name: 'Ada',
  from_email: 'ada@shop.example',
  reply_to: 'ada@shop.example',
});
const campaign = `/client-api/api/campaigns/${id}`;
await ask('PUT', `${campaign}/content`, {
  revision,
  editor: 'html',
  html: '<p>Spring is here.</p><a href="{{ unsubscribe_link }}">Unsubscribe</a>',
});
await ask('POST', `${campaign}/tags/set`, { tags_arr: [], send_to_all: true });
await ask('POST', `${campaign}/schedule`, { schedule_time: null });
const begun = Date.now();
for (;;) {
  const { figures } = await ask('GET', `${campaign}/report/overview`);
  if (figures.sent.count >= PEOPLE || Date.now() - begun > 120_000) {
    console.log(JSON.stringify(figures));
    process.exit(figures.sent.count === PEOPLE ? 0 : 1);
  }
  await new Promise((settle) => setTimeout(settle, 1000));
}
