// Opt-outs in exports of services and in hand-made files: no export activates a person who opted
// out.
import { describe, expect, it } from 'vitest';
import { testServer } from '#testing/setup/server.ts';
import { foldTitle } from './column-titles.ts';
import { type ImportRecord, type MappedColumn, RecordReader } from './import-records.ts';
import { parseOptOutSense } from './opt-out-titles.ts';
import { buildPreview } from './preview.ts';

/** Reads the subscribers of a file with the proposed mapping and attested consent. */
function readRecords(text: string, fileName = ''): ImportRecord[] {
  const preview = buildPreview(Buffer.from(text), {
    encoding: 'utf-8',
    fields: [],
    country: 'LT',
    fileName,
  });
  const records: ImportRecord[] = [];
  const reader = new RecordReader(
    {
      columns: preview.columns.flatMap((column, i): MappedColumn[] =>
        column.target === 'skip'
          ? []
          : [
              {
                column: i,
                title: column.title,
                target: column.target as 'email',
                dateOrder: column.dateOrder,
                decimalMark: column.decimalMark,
                noMeansLeft: column.noMeansLeft,
              },
            ],
      ),
      width: preview.columns.length,
      headerRow: preview.headerRow,
      country: 'LT',
      timezone: 'Europe/Vilnius',
      attestedChannels: ['email', 'sms'],
      fileStatus: preview.fileStatus ?? null,
    },
    (record) => records.push(record),
    () => {},
  );
  text
    .split('\n')
    .forEach((line, i) => reader.read({ number: i + 1, cells: line.split(preview.delimiter) }));
  return records;
}

/** Service, headings, the row of a person who opted out, and the row of one who did not. */
const exports: readonly (readonly [string, string, string, string])[] = [
  ['HubSpot', 'Email,Unsubscribed from all email', 'a@x.example,true', 'b@x.example,false'],
  ['HubSpot', 'Email,Opted out of email: Marketing Information', 'a@x.example,Yes', 'b@x.example,'],
  ['Salesforce', 'Email,Email Opt Out', 'a@x.example,1', 'b@x.example,0'],
  ['Salesforce', 'Email,HasOptedOutOfEmail', 'a@x.example,TRUE', 'b@x.example,FALSE'],
  ['Zoho', 'First Name,Email,Email Opt Out', 'O,a@x.example,TRUE', 'B,b@x.example,FALSE'],
  ['Zoho', 'Email,Unsubscribed Time', 'a@x.example,May 5 2026 10:00', 'b@x.example,'],
  [
    'Pipedrive',
    'Person - Email,Person - Marketing status',
    'a@x.example,Unsubscribed',
    'b@x.example,Subscribed',
  ],
  [
    'Pipedrive',
    'Person - Email,Person - Marketing status',
    'a@x.example,No consent',
    'b@x.example,Subscribed',
  ],
  ['Dynamics', 'Email,Do not allow Emails', 'a@x.example,Do Not Allow', 'b@x.example,Allow'],
  [
    'ActiveCampaign',
    'Email,Status,Unsubscribe Date',
    'a@x.example,Unsubscribed,5-May-26',
    'b@x.example,Active,',
  ],
  ['ActiveCampaign', 'Email,Unsubscribe Reason', 'a@x.example,too many', 'b@x.example,'],
  ['Mailchimp', 'Email Address,UNSUB_TIME', 'a@x.example,someday', 'b@x.example,'],
  [
    'Klaviyo',
    'Email,Email Marketing Consent,Email Suppressions',
    'a@x.example,SUBSCRIBED,[UNSUBSCRIBE]',
    'b@x.example,SUBSCRIBED,[]',
  ],
  ['Brevo', 'EMAIL,EMAIL_BLACKLIST', 'a@x.example,1', 'b@x.example,0'],
  [
    'MailerLite',
    'Subscriber,Status,Unsubscribed',
    'a@x.example,unsubscribed,1777939200',
    'b@x.example,active,',
  ],
  ['Kit', 'email,status,Unsubscribed at', 'a@x.example,cancelled,', 'b@x.example,active,'],
  [
    'Substack',
    'email,active_subscription,expiry,email_disabled',
    'a@x.example,false,,true',
    'b@x.example,false,,false',
  ],
  [
    'Ghost',
    'id,email,name,note,subscribed_to_emails,complimentary_plan',
    '1,a@x.example,O,,false,false',
    '2,b@x.example,B,,true,false',
  ],
  [
    'beehiiv',
    'Email,Status,Unsubscribed On',
    'a@x.example,inactive,2026-05-05',
    'b@x.example,active,',
  ],
  ['Shopify', 'Email,Accepts Email Marketing', 'a@x.example,no', 'b@x.example,yes'],
  ['WooCommerce', 'Email,Marketing opt-in', 'a@x.example,no', 'b@x.example,yes'],
  ['Squarespace', 'Email,Accepts Marketing', 'a@x.example,false', 'b@x.example,true'],
  [
    'Constant Contact',
    'Email address,Email permission status',
    'a@x.example,Unsubscribed',
    'b@x.example,Implied',
  ],
  [
    'Constant Contact',
    'Email address,Confirmed Opt-Out Date',
    'a@x.example,2026-10-25 10:30:00+00',
    'b@x.example,',
  ],
  ['Campaign Monitor', 'Email Address,Date Unsubscribed', 'a@x.example,5 mai 2026', 'b@x.example,'],
  ['GetResponse', 'email,unsubscribed on', 'a@x.example,Tue 05 May 2026', 'b@x.example,'],
  [
    'Drip',
    'email,status,unsubscribed_at',
    'a@x.example,unsubscribed,2026-05-05T10:00:00Z',
    'b@x.example,active,',
  ],
  [
    'Omnisend',
    'Email,Email marketing status',
    'a@x.example,unsubscribed',
    'b@x.example,subscribed',
  ],
  ['Mailjet', 'email,isexcludedfromcampaigns', 'a@x.example,true', 'b@x.example,false'],
  ['CleverReach', 'E-Mail;Abmeldedatum', 'a@x.example;5. März 2026', 'b@x.example;'],
  ['SMS list', 'Phone,Opt out', '+37061234567,yes', '+37061234568,no'],
  ['CRM', 'Email,Phone,Do not contact', 'a@x.example,+37061234567,yes', 'b@x.example,,no'],
  ['German', 'E-Mail;Vorname;Abgemeldet', 'a@x.example;Ona;ja', 'b@x.example;Bo;nein'],
  ['Lithuanian', 'El. paštas;Vardas;Atsisakė', 'a@x.example;Ona;taip', 'b@x.example;Bo;ne'],
  ['Norwegian', 'E-post;Avmeldt', 'a@x.example;ja', 'b@x.example;nei'],
  ['Swedish', 'E-post;Avregistrerad', 'a@x.example;ja', 'b@x.example;nej'],
  ['Latvian', 'E-pasts;Atrakstījies', 'a@x.example;jā', 'b@x.example;nē'],
  ['Persian', 'ایمیل;لغو اشتراک', 'a@x.example;بله', 'b@x.example;خیر'],
  ['French', 'Courriel;Désabonné', 'a@x.example;oui', 'b@x.example;non'],
  ['Spanish', 'Correo;Fecha de baja', 'a@x.example;5 de mayo de 2026', 'b@x.example;'],
  ['Dutch', 'Email;Uitgeschreven', 'a@x.example;ja', 'b@x.example;nee'],
  ['Polish', 'Email;Wypisany', 'a@x.example;tak', 'b@x.example;nie'],
  ['Danish', 'Email;Afmeldt nyhedsbrev', 'a@x.example;ja', 'b@x.example;nej'],
  ['Finnish', 'Email;Markkinointikielto', 'a@x.example;kyllä', 'b@x.example;ei'],
  ['Italian', 'Email;Disiscritto', 'a@x.example;sì', 'b@x.example;no'],
];

describe('an export', () => {
  it.each(exports)(
    'an export of %s with %j opts out only the first person',
    (_, header, optOuts, stays) => {
      const [first, second] = readRecords(`${header}\n${optOuts}\n${stays}`);
      const statuses = [first?.emailStatus, first?.smsStatus].filter((status) => status != null);
      expect(statuses.length).toBeGreaterThan(0);
      expect(statuses).not.toContain('active');
      expect([null, 'active']).toContain(second?.emailStatus);
      expect([null, 'active']).toContain(second?.smsStatus);
    },
  );

  it.each([
    ['5-May-26', true],
    ['1777939200', true],
    ['1777939200000', true],
    ['Tue 5 May 2026 10:00:00 +0200', true],
    ['2026-10-25 10:30:00+00', true],
    ['7 marraskuuta 2026', true],
    ['last spring', false],
    ['31.31.2026', false],
  ])('unsubscribes a person whose opt-out date is %s (readable: %s)', (optOutDate, isRead) => {
    const [record] = readRecords(`Email|Unsubscribed at\na@x.example|${optOutDate}\nb@x.example|`);
    expect(record?.emailStatus).toBe('unsubscribed');
    expect(record?.unsubscribedAt !== null).toBe(isRead);
  });

  it('distinguishes a buyer who never accepted marketing from a member who left', () => {
    const text = 'Email,Accepts Email Marketing\na@x.example,no\nb@x.example,yes';
    expect(readRecords(text).map((record) => record.emailStatus)).toEqual([
      'non-subscribed',
      'active',
    ]);
    const members = 'email,subscribed_to_emails\na@x.example,false\nb@x.example,true';
    expect(readRecords(members).map((record) => record.emailStatus)).toEqual([
      'unsubscribed',
      'active',
    ]);
  });

  it('unsubscribes a person with an opt-out date despite an active status', () => {
    const [record] = readRecords('Email,Status,Unsubscribed at\na@x.example,active,2026-05-05');
    expect(record?.emailStatus).toBe('unsubscribed');
  });

  it.each([
    'Unsubscribe link',
    'Unsubscribe URL',
    'Fax opt out',
    'Active subscription',
    'Abonement',
    'Order cancelled at',
    'Austragungsort',
    'City',
    'Subscription plan',
  ])('does not treat %s as an opt-out', (title) => {
    expect(parseOptOutSense(foldTitle(title))).toBeUndefined();
  });
});

describe('the start of an import', () => {
  it('the start of an import is refused until the user confirms that a column about opt-outs is ignored', async () => {
    const client = await (await testServer()).owner();
    const text = 'Email,Newsletter\nona@x.example,yes\njan@x.example,no\n';
    const { data } = (
      await client.post('/client-api/api/subscribers/text_import', { subscribers: text })
    ).body;
    expect(data.columns[1]).toMatchObject({ title: 'Newsletter', is_opt_out: true });
    const request = {
      source: data.source,
      columns: [{ column: 0, target: 'email' }],
      consent: { attested: true },
    };
    const start = (overrides: object) =>
      client.post('/client-api/api/subscribers/start_import', { ...request, ...overrides });
    const response = await start({});
    expect(response.status).toBe(422);
    expect(response.body.errors).toHaveProperty(['ignored_opt_outs.1']);
    const withField = {
      columns: [...request.columns, { column: 1, target: 'new', title: 'News' }],
    };
    expect((await start(withField)).status).toBe(422);
    expect((await start({ ignored_opt_outs: [1] })).status).toBe(200);
  });
});
