// Imports of files exported from Mailchimp, GetResponse, MailerLite, Brevo and Klaviyo: recognized
// by headings, with groups, opt-outs, bounces and types, as single files and as a ZIP; and their
// undo.
import { beforeAll, expect, test } from 'vitest';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { createZip } from '#testing/setup/zip.ts';

type ImportColumn = {
  column: number;
  title: string;
  target: string;
  type: string;
  is_own: boolean;
  is_filled: boolean;
  date_order: string;
};
interface UploadPreview {
  id: string;
  source: string;
  service: string | null;
  file_status: string | null;
  delimiter: string;
  columns: ImportColumn[];
  rows: string[][];
}

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

async function upload(
  client: TestClient,
  name: string,
  content: string | Buffer,
): Promise<UploadPreview> {
  const boundary = '----lists';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  const response = await client.send({
    method: 'POST',
    url: '/client-api/api/subscribers/import_file',
    payload: Buffer.concat([
      Buffer.from(head),
      Buffer.from(content as string),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  expect(response.status, response.text).toBe(200);
  return response.body.data;
}

/**
 * Imports as the screen does after 'Create all', which creates a field for each unmatched column.
 * Returns the result.
 */
async function runImport(client: TestClient, preview: UploadPreview, more: object = {}) {
  const columns = preview.columns.flatMap((column) => {
    const mapping = { column: column.column, date_order: column.date_order };
    if (column.target !== 'skip') return [{ ...mapping, target: column.target }];
    if (column.is_own || !column.is_filled) return [];
    return [{ ...mapping, target: 'new', title: column.title, type: column.type }];
  });
  const response = await client.post('/client-api/api/subscribers/start_import', {
    source: preview.source,
    columns,
    file_status: preview.file_status,
    ...(preview.file_status === null && {
      consent: { attested: true, channels: ['email', 'sms'] },
    }),
    ...more,
  });
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
  return (await client.get(`/client-api/api/imports/${preview.id}`)).body.data;
}

const targets = (preview: UploadPreview) =>
  Object.fromEntries(
    preview.columns.map((column) => [column.title, column.is_own ? 'own' : column.target]),
  );

/** Returns the address, status and groups of each subscriber, sorted by address. */
async function readSubscribers(owner: TestOwner) {
  const rows = await server.db
    .selectFrom('subscribers')
    .select(['id', 'email', 'phone', 'firstname', 'email_status', 'sms_status', 'created_at'])
    .where('account_id', '=', owner.accountId)
    .where('deleted_at', 'is', null)
    .orderBy('email_key')
    .execute();
  const members = await server.db
    .selectFrom('group_members as m')
    .innerJoin('groups as g', (join) =>
      join.onRef('g.account_id', '=', 'm.account_id').onRef('g.id', '=', 'm.group_id'),
    )
    .select(['m.subscriber_id', 'g.title'])
    .where('m.account_id', '=', owner.accountId)
    .orderBy('g.title')
    .execute();
  return rows.map((row) => [
    row.email,
    row.email_status,
    members.filter((member) => member.subscriber_id === row.id).map((member) => member.title),
  ]);
}

const MAILCHIMP =
  'Email Address,First Name,Last Name,Birthday,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS';
const DETAILS =
  ',4,,,"2019-04-02 08:11:09",203.0.113.9,47.6,-122.3,-8,-7,America/Los_Angeles,US,WA,"2024-01-02 10:00:00",44877845,c2cb0681af,,';

test('a Mailchimp ZIP is imported with the statuses of its files', async () => {
  const owner = await server.owner();
  const zip = createZip({
    'subscribed_email_audience_export_1a2b.csv': `${MAILCHIMP}\nmona@m.example,Mona,Lund,04/17${DETAILS}"""VIP"",""Spring, 2026"""\nkari@m.example,Kåre,Bjørn,${DETAILS}\nboth@m.example,Bo,,${DETAILS}"""VIP"""\n`,
    'unsubscribed_email_audience_export_1a2b.csv': `${MAILCHIMP},UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER\ngone@m.example,Gone,Away,${DETAILS}"""Old""","2023-05-06 07:08:09",May,77,NORMAL,\nboth@m.example,Bo,,${DETAILS},"2023-05-06 07:08:09",May,77,NORMAL,\n`,
    'cleaned_email_audience_export_1a2b.csv': `${MAILCHIMP},CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID\nlost@m.example,Lost,,${DETAILS},"2023-01-01 00:00:00",,\n`,
    'nonsubscribed_email_audience_export_1a2b.csv': `${MAILCHIMP}\nbuyer@m.example,Buyer,,${DETAILS}\n`,
    '__MACOSX/._subscribed_email_audience_export_1a2b.csv': 'x',
    'granular_activity/opens.csv': 'Email,Opens\nreader@m.example,4\n',
    'readme.html': '<p>Hello</p>',
  });
  const preview = await upload(owner, 'audience_export_1a2b.zip', zip);
  // The rows of all lists in the ZIP are counted.
  const counts = { fileName: 'audience_export_1a2b.zip', rowCount: 7 };
  expect(preview).toMatchObject({ service: 'mailchimp', file_status: null, ...counts });
  expect(targets(preview)).toMatchObject({
    'Email Address': 'email',
    'First Name': 'firstname',
    'Last Name': 'lastname',
    Birthday: 'skip',
    MEMBER_RATING: 'own',
    CONFIRM_TIME: 'consent_at',
    LEID: 'own',
    TAGS: 'groups',
    UNSUB_TIME: 'unsubscribed_at',
    CLEAN_TIME: 'own',
    Status: 'email_status',
  });
  const finishedImport = await runImport(owner, preview);
  expect(finishedImport).toMatchObject({ state: 'finished', created_count: 6, rejected_count: 1 });
  expect(finishedImport.tags.map((tag: { title: string }) => tag.title).sort()).toEqual([
    'Old',
    'Spring, 2026',
    'VIP',
  ]);
  expect(await readSubscribers(owner)).toEqual([
    ['both@m.example', 'unsubscribed', ['VIP']],
    ['buyer@m.example', 'non-subscribed', []],
    ['gone@m.example', 'unsubscribed', ['Old']],
    ['kari@m.example', 'active', []],
    ['lost@m.example', 'bounced', []],
    ['mona@m.example', 'active', ['Spring, 2026', 'VIP']],
  ]);
});

test('a Mailchimp file of unsubscribed contacts is recognized and requires no consent', async () => {
  const owner = await server.owner();
  const file = `${MAILCHIMP},UNSUB_TIME,UNSUB_CAMPAIGN_ID\ngone@m.example,Gone,,${DETAILS},"2023-05-06 07:08:09",77\n`;
  const preview = await upload(owner, 'contacts.csv', file);
  expect(preview).toMatchObject({ service: 'mailchimp', file_status: 'unsubscribed' });
  await runImport(owner, preview);
  expect(await readSubscribers(owner)).toEqual([['gone@m.example', 'unsubscribed', []]]);
  const cleanedList = await upload(
    owner,
    'x.csv',
    `${MAILCHIMP},CLEAN_TIME,CLEAN_CAMPAIGN_ID\nlost@m.example,,,${DETAILS},"2023-01-01 00:00:00",\n`,
  );
  expect(cleanedList.file_status).toBe('bounced');
});

test('the email-type column of Mailchimp is internal to the service, so that no field is proposed', async () => {
  const owner = await server.owner();
  // The headings of an audience export with a choice between HTML and plain text.
  const header = MAILCHIMP.replace('Birthday,', 'EMAIL_TYPE,');
  const preview = await upload(owner, 'a.csv', `${header}\nada@m.example,Ada,,HTML${DETAILS}\n`);
  expect(targets(preview)).toMatchObject({ EMAIL_TYPE: 'own', NOTES: 'skip', TAGS: 'groups' });
});

test('the stricter of Klaviyo’s consent and suppression columns applies', async () => {
  const owner = await server.owner();
  const file =
    '\ufeffEmail,Klaviyo ID,First Name,Last Name,Phone Number,City,Email Marketing Consent,Email Marketing Consent Timestamp,Email Suppressions,SMS Marketing Consent,Accepts Marketing,Profile Created On,Last Open\n' +
    'in@k.example,01H,In,Side,+12025550123,Oslo,SUBSCRIBED,2022-01-01T00:00:00Z,[],SUBSCRIBED,true,2021-01-01,\n' +
    'out@k.example,02H,Out,,,Oslo,UNSUBSCRIBED,,"[""UNSUBSCRIBE""]",,false,2021-01-01,\n' +
    'hard@k.example,03H,,,,,SUBSCRIBED,,"[""HARD_BOUNCE""]",,,2021-01-01,\n' +
    'spam@k.example,04H,,,,,SUBSCRIBED,,SPAM_COMPLAINT,,,2021-01-01,\n' +
    'hand@k.example,05H,,,,,SUBSCRIBED,,USER_SUPPRESSED,,,2021-01-01,\n' +
    'never@k.example,06H,,,,,NEVER_SUBSCRIBED,,,,,2021-01-01,\n';
  const preview = await upload(owner, 'Newsletter.csv', file);
  expect(preview.service).toBe('klaviyo');
  expect(targets(preview)).toMatchObject({
    'Klaviyo ID': 'own',
    'Email Marketing Consent': 'email_status',
    'Email Marketing Consent Timestamp': 'consent_at',
    'Email Suppressions': 'email_suppressed',
    'SMS Marketing Consent': 'sms_status',
    City: 'skip',
    'Profile Created On': 'own',
  });
  expect(preview.columns.find((column) => column.title === 'Accepts Marketing')?.target).not.toBe(
    'email_status',
  );
  await runImport(owner, preview);
  expect((await readSubscribers(owner)).map(([email, status]) => [email, status])).toEqual([
    ['hand@k.example', 'unsubscribed'],
    ['hard@k.example', 'bounced'],
    ['in@k.example', 'active'],
    ['never@k.example', 'non-subscribed'],
    ['out@k.example', 'unsubscribed'],
    ['spam@k.example', 'reported'],
  ]);
});

test('a Brevo file may contain semicolons, day-first dates, phone numbers without a plus, and yes/no blocklists', async () => {
  const owner = await server.owner();
  await server.db
    .updateTable('accounts')
    .set({ country: 'US' })
    .where('id', '=', owner.accountId)
    .execute();
  const file =
    'CONTACT ID;EMAIL;LASTNAME;FIRSTNAME;SMS;DOUBLE_OPT-IN;OPT_IN;EMAIL_BLACKLISTED;SMS_BLACKLISTED;FREE_TRIAL;FIRST_CLASS;ADDED_TIME;MODIFIED_TIME\n' +
    '1;bruno@b.example;Durand;Bruno;33612345678;1;Yes;No;Yes;Yes;05-03-2024;04-12-2022 09:30:00;13-04-2023 10:00:00\n' +
    '2;left@b.example;Petit;Zoé;;;;Yes;No;No;;04-12-2022 09:30:00;13-04-2023 10:00:00\n';
  const preview = await upload(owner, 'contact-export.csv', file);
  expect(preview).toMatchObject({ service: 'brevo', delimiter: ';' });
  expect(targets(preview)).toMatchObject({
    'CONTACT ID': 'own',
    SMS: 'phone',
    EMAIL_BLACKLISTED: 'email_suppressed',
    SMS_BLACKLISTED: 'sms_suppressed',
    ADDED_TIME: 'consent_at',
    MODIFIED_TIME: 'own',
    OPT_IN: 'own',
  });
  expect(preview.columns.find((column) => column.title === 'FREE_TRIAL')?.type).toBe('yes_no');
  expect(preview.columns.find((column) => column.title === 'FIRST_CLASS')).toMatchObject({
    type: 'datetime',
  });
  await runImport(owner, preview);
  const rows = await server.db
    .selectFrom('subscribers')
    .select(['email', 'phone', 'email_status', 'sms_status', 'field_values'])
    .where('account_id', '=', owner.accountId)
    .orderBy('email_key')
    .execute();
  expect(rows).toMatchObject([
    {
      email: 'bruno@b.example',
      phone: '+33612345678',
      email_status: 'active',
      sms_status: 'unsubscribed',
    },
    { email: 'left@b.example', phone: null, email_status: 'unsubscribed' },
  ]);
  expect(Object.values(rows[0]?.field_values as object).sort()).toEqual([
    '2024-03-05 00:00:00',
    'Yes',
  ]);
});

test('Brevo lists exported by number become groups named after their number', async () => {
  const owner = await server.owner();
  const file =
    'CONTACT ID;EMAIL;SMS;ADDED_TIME;MODIFIED_TIME;_listIds\n' +
    '1;ada@b.example;;05-03-2024;13-04-2023;[2,15]\n' +
    '2;bob@b.example;;05-03-2024;13-04-2023;"2, Newsletter"\n' +
    '3;cyd@b.example;;05-03-2024;13-04-2023;[]\n';
  const preview = await upload(owner, 'contact-export.csv', file);
  expect(preview.service).toBe('brevo');
  expect(targets(preview)).toMatchObject({ _listIds: 'groups' });
  await runImport(owner, preview);
  expect(await readSubscribers(owner)).toEqual([
    ['ada@b.example', 'active', ['Brevo list 15', 'Brevo list 2']],
    ['bob@b.example', 'active', ['Brevo list 2', 'Newsletter']],
    ['cyd@b.example', 'active', []],
  ]);
});

test('a MailerLite file is read with consent dates under Subscribed, groups in one cell and unsubscribe dates', async () => {
  const owner = await server.owner();
  const file =
    'Subscriber,Sent,Opens,Clicks,Subscribed,Location,Name,Last name,Company,Groups,Unsubscribed\n' +
    'lea@l.example,12,4,1,2023-05-06 07:08:09,Vilnius,Lea,Martin,Acme,"Customers, Newsletter",\n' +
    'off@l.example,12,4,1,2022-05-06 07:08:09,Riga,Off,,,Newsletter,2024-02-03 10:00:00\n';
  const preview = await upload(owner, 'subscribers.csv', file);
  expect(preview.service).toBe('mailerlite');
  expect(targets(preview)).toMatchObject({
    Subscriber: 'email',
    Sent: 'own',
    Subscribed: 'consent_at',
    Groups: 'groups',
    Unsubscribed: 'unsubscribed_at',
    Company: 'skip',
  });
  await runImport(owner, preview);
  expect(await readSubscribers(owner)).toEqual([
    ['lea@l.example', 'active', ['Customers', 'Newsletter']],
    ['off@l.example', 'unsubscribed', ['Newsletter']],
  ]);
  // A file of junk contacts is identified only by its name.
  const junk = await upload(
    owner,
    'junk_subscribers.csv',
    'Subscriber,Sent,Opens,Clicks\nj@l.example,1,0,0\n',
  );
  expect(junk.file_status).toBe('reported');
});

test('GetResponse lists and tags become groups, including a second list of the same contact', async () => {
  const owner = await server.owner();
  const file =
    'Name,Email,Campaign,Tags,Origin,IP,Added on,Day of cycle,Score,shoe_size\n' +
    'Ada Lovelace,ada@g.example,newsletter,"vip, early",import,203.0.113.1,2021-02-03 04:05:06,3,5,38\n' +
    'Bob,bob@g.example,newsletter,,www,203.0.113.1,2021-02-03 04:05:06,,,44\n' +
    'Ada Lovelace,ada@g.example,customers,,api,203.0.113.1,2022-02-03 04:05:06,,,38\n';
  const preview = await upload(owner, 'contacts.csv', file);
  expect(preview.service).toBe('getresponse');
  expect(targets(preview)).toMatchObject({
    Name: 'fullname',
    Campaign: 'groups',
    Tags: 'groups',
    Origin: 'own',
  });
  const finishedImport = await runImport(owner, preview);
  expect(finishedImport).toMatchObject({ created_count: 2, rejected_count: 1 });
  expect(await readSubscribers(owner)).toEqual([
    ['ada@g.example', 'active', ['customers', 'early', 'newsletter', 'vip']],
    ['bob@g.example', 'active', ['newsletter']],
  ]);
  const removedList = await upload(
    owner,
    'removed.csv',
    'Email,Campaign,Added on,Removed on,Removal reason\nbob@g.example,newsletter,2021-02-03,2024-01-01,Bounced\n',
  );
  expect(removedList.service).toBe('getresponse');
  await runImport(owner, removedList);
  expect((await readSubscribers(owner))[1]).toEqual(['bob@g.example', 'bounced', ['newsletter']]);
});

test('an undo ends memberships from rows and deletes subscribers created by the import, with their memberships', async () => {
  const owner = await server.owner();
  const previousImport = await upload(owner, 'a.csv', 'Email,Tags\nwas@u.example,Old\n');
  await runImport(owner, previousImport);
  const second = await upload(
    owner,
    'b.csv',
    'Email,Tags\nwas@u.example,"Old, New"\nmade@u.example,New\n',
  );
  const finishedImport = await runImport(owner, second);
  expect(finishedImport).toMatchObject({ created_count: 1 });
  expect((await readSubscribers(owner))[1]).toEqual(['was@u.example', 'active', ['New', 'Old']]);
  const undone = await owner.post(`/client-api/api/imports/${second.id}/undo`, {});
  expect(undone.status, undone.text).toBe(200);
  await server.runJobs();
  expect(await readSubscribers(owner)).toEqual([['was@u.example', 'active', ['Old']]]);
});

test('a ZIP file without a list, a damaged ZIP file and an oversized one are refused, each with its own error code', async () => {
  const owner = await server.owner();
  const codeOf = async (content: Buffer) => {
    const response = await owner.send({
      method: 'POST',
      url: '/client-api/api/subscribers/import_file',
      payload: Buffer.concat([
        Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'),
        content,
        Buffer.from('\r\n--x--\r\n'),
      ]),
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    return response.body.code;
  };
  expect(await codeOf(createZip({ 'notes.csv': 'Colour,Size\nred,4\n' }))).toBe('file_empty');
  expect(await codeOf(createZip({ 'a.csv': '' }))).toBe('file_empty');
  expect(await codeOf(createZip({ 'a.pdf': '%PDF', 'old.xls': 'x' }))).toBe('no_list');
  const workbook = createZip({ 'xl/workbook.xml': 'x' });
  expect(await codeOf(createZip({ 'a.xlsx': workbook }))).toBe('workbook_damaged');
  const zip = createZip({ 'a.csv': `Email\n${'ada@a.example\n'.repeat(50)}` });
  expect(await codeOf(zip.subarray(0, zip.length - 30))).toBe('workbook_damaged');
  const bomb = createZip({ 'a.csv': `Email\n${'a'.repeat(8 * 1024 * 1024)}\n` });
  expect(await codeOf(bomb)).toBe('zip_too_large');
  const archive = createZip(
    Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`${i}.csv`, 'Email\na@a.example\n'])),
  );
  expect(await codeOf(archive)).toBe('zip_too_large');
});

test('a column mapped to groups creates at most 500 groups', async () => {
  const owner = await server.owner();
  const rows = Array.from({ length: 520 }, (_, i) => `p${i}@n.example,Name ${i}`).join('\n');
  const preview = await upload(owner, 'a.csv', `Email,Tags\n${rows}\n`);
  const finishedImport = await runImport(owner, preview);
  expect(finishedImport).toMatchObject({ created_count: 520, noted_count: 20 });
  expect(finishedImport.tags).toHaveLength(500);
});
