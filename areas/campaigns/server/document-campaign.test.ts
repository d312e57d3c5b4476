// A campaign with a document as content: saved, previewed, checked, copied, tested and sent, with
// sections for some subscribers only.
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '#areas/content/document-factory.ts';
import type { SectionCondition, EmailDocument, Section } from '#areas/content/document.ts';
import { addToGroups } from '#areas/groups/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';

const CAMPAIGNS = '/client-api/api/campaigns';
type FindingItem = { code: string; severity: string; node?: string };

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

async function shop(subscriberCount: number) {
  const owner = await server.owner();
  await owner.patch('/client-api/api/account_questionnaire', {
    address: 'Storgata 1',
    city: 'Oslo',
    state: 'Oslo',
    timezone: 'Europe/Oslo',
    country: 'NO',
    zip_code: '0155',
  });
  const ids = await addPeople(server.db, owner.accountId, subscriberCount);
  const group: string = (await owner.post('/client-api/api/tags', { title: 'VIP' })).body.data.id;
  return { owner, ids, group };
}

async function join(owner: TestOwner, group: string, ids: number[]) {
  await inTransaction(server.db, (tx) =>
    addToGroups(tx, owner.accountId, {
      groupIds: [decodeId('group', group) as number],
      subscriberIds: ids,
      origin: 'bulk' as const,
    }),
  );
}

const textSection = (html: string, condition: SectionCondition | null = null): Section =>
  createSection([[createBlock('text', { html: `<p>${html}</p>` })]], { condition });

const footer = () => createSection([[createBlock('footer')]]);

function sample(...sections: Section[]): EmailDocument {
  return createEmailDocument([
    textSection(
      "Dear {{firstname | fallback: 'friend'}}, tea has come in from the mountains this week.",
    ),
    createSection([[createBlock('button', { label: 'New tea', href: 'https://tea.example/new' })]]),
    ...sections,
    footer(),
  ]);
}

async function draft(owner: TestOwner, document: EmailDocument) {
  const response = await owner.post(CAMPAIGNS, {
    title: 'Spring',
    subject: 'Hello',
    from_name: 'Nordic Tea',
    from_email: 'news@tea.example',
  });
  const { id, revision } = response.body.data;
  const contentResponse = await owner.put(`${CAMPAIGNS}/${id}/content`, {
    revision,
    editor: 'editor',
    document,
  });
  expect(contentResponse.status).toBe(200);
  return { id: id as string, revision: contentResponse.body.data.revision as number };
}

async function untilSent(owner: TestOwner, id: string) {
  for (let i = 0; i < 600; i++) {
    const { data } = (await owner.get(`${CAMPAIGNS}/${id}`)).body;
    if (data.delivery?.state === 'finished') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The campaign is still not sent');
}

describe('a document as content', () => {
  test('a document is returned as saved, with sanitized rich text', async () => {
    const { owner } = await shop(0);
    const document = sample(
      textSection('<b>Hi</b><script>alert(1)</script> <a href="javascript:x">y</a>'),
    );
    const { id } = await draft(owner, document);
    const { data } = (await owner.get(`${CAMPAIGNS}/${id}/content`)).body;
    expect(data).toMatchObject({ editor: 'editor', html: null, content_revision: 1 });
    expect(data.document.sections).toHaveLength(4);
    expect(data.document.sections[2].columns[0].blocks[0].html).toBe(
      '<p><strong>Hi</strong> <span>y</span></p>',
    );
    expect((await owner.get(`${CAMPAIGNS}/${id}`)).body.data).toMatchObject({
      editor: 'editor',
      last_action: 'step3',
    });
  });

  test('a document that is of a newer version, malformed or too large is refused, and the stored document remains', async () => {
    const { owner } = await shop(0);
    const { id, revision } = await draft(owner, sample());
    const putDocument = (document: unknown) =>
      owner.put(`${CAMPAIGNS}/${id}/content`, { revision, editor: 'editor', document });
    expect((await putDocument({ ...sample(), version: 2 })).body.code).toBe('document_newer');
    const response = await putDocument({ ...sample(), sections: [{ id: 'a' }] });
    expect(response.status).toBe(422);
    expect(response.body.code).toBe('document_invalid');
    expect(response.body.problems[0]).toMatchObject({
      code: 'document_malformed',
      place: 'sections.0.columns',
      node: 'a',
    });
    const longResponse = await putDocument(sample(textSection('x'.repeat(5 * 1024 * 1024))));
    expect(longResponse.body.code).toBe('document_invalid');
    expect(longResponse.body.problems[0].code).toBe('document_too_large');
    expect((await putDocument(undefined)).body.code).toBe('document_invalid');
    const { data } = (await owner.get(`${CAMPAIGNS}/${id}/content`)).body;
    expect(data.content_revision).toBe(1);
    expect(data.document.sections).toHaveLength(3);
  });

  test('content from another editor replaces a document only after confirmation', async () => {
    const { owner } = await shop(0);
    const { id, revision } = await draft(owner, sample());
    const body = { revision, editor: 'html', html: '<p>Hi</p>' };
    const response = await owner.put(`${CAMPAIGNS}/${id}/content`, body);
    expect(response.status).toBe(409);
    expect(response.body).toMatchObject({ code: 'editor_switch', editor: 'editor' });
    const confirmedBody = { ...body, confirm_switch: true };
    expect((await owner.put(`${CAMPAIGNS}/${id}/content`, confirmedBody)).body.data).toMatchObject({
      editor: 'html',
      document: null,
    });
  });

  test('a document is copied with the campaign', async () => {
    const { owner } = await shop(0);
    const { id } = await draft(owner, sample());
    const copy = (await owner.post(`${CAMPAIGNS}/${id}/duplicate`, {})).body.data;
    const [original, copied] = await Promise.all(
      [id, copy.id].map(
        async (campaignId) => (await owner.get(`${CAMPAIGNS}/${campaignId}/content`)).body.data,
      ),
    );
    expect(copied.document).toEqual(original.document);
  });

  test('findings about a document name the block, even before the document is saved', async () => {
    const { owner } = await shop(0);
    const { id } = await draft(owner, sample());
    const wrongBlock = createBlock('text', { html: '<p>{{ firstname | explode }}</p>' });
    const unsafe = createBlock('html', { html: '<b onclick="x()">a</b><script>x()</script>' });
    const emptyBlock = createBlock('button', { label: 'Go', href: '' });
    const document = createEmailDocument([createSection([[wrongBlock, unsafe, emptyBlock]])]);
    const previewResponse = await owner.post(`${CAMPAIGNS}/${id}/preview`, {
      editor: 'editor',
      document,
    });
    const findings: FindingItem[] = previewResponse.body.data.findings;
    expect(previewResponse.body.data.html).toBeNull();
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'tag_filter_unknown',
        severity: 'error',
        node: wrongBlock.id,
      }),
    );
    for (const code of ['script', 'event_handler']) {
      expect(findings).toContainEqual(expect.objectContaining({ code, node: unsafe.id }));
    }
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'link_empty', severity: 'warning', node: emptyBlock.id }),
    );
    const newer = { ...document, version: 9 };
    const response = await owner.post(`${CAMPAIGNS}/${id}/preview`, {
      editor: 'editor',
      document: newer,
    });
    expect(response.body.data.findings).toEqual([
      expect.objectContaining({ code: 'document_newer' }),
    ]);
  });

  test('a document has a sandboxed thumbnail that only its account can see', async () => {
    const { owner } = await shop(0);
    const { id } = await draft(owner, sample());
    const { thumbnail_url: url } = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
    const page = await owner.get(url);
    expect(page.text).toContain('New tea');
    expect(page.headers['content-security-policy']).toMatch(/^sandbox;/);
    expect(page.headers['cache-control']).toBe('private, no-store');
    const outsider = await server.owner();
    expect((await outsider.get(url)).status).toBe(404);
  });
});

describe('section conditions', () => {
  test('section conditions show each subscriber their sections, in HTML and text', async () => {
    const { owner, ids, group } = await shop(6);
    await join(owner, group, ids.slice(0, 2));
    const vip: SectionCondition = {
      match: 'all',
      rules: [{ kind: 'group', operator: 'in', group }],
    };
    const others: SectionCondition = {
      match: 'all',
      rules: [{ kind: 'group', operator: 'not_in', group }],
    };
    const third: SectionCondition = {
      match: 'any',
      rules: [{ kind: 'field', field: 'firstname', operator: 'is', value: 'name 3' }],
    };
    const document = sample(
      textSection('For the few: <a href="https://tea.example/vip">the cellar</a>.', vip),
      textSection('For everybody else.', others),
      textSection('Number three was chosen.', third),
    );
    const { id } = await draft(owner, document);
    await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [], send_to_all: true });
    const preview = await owner.get(
      `${CAMPAIGNS}/${id}/preview?subscriber=${(await firstPerson(owner)).id}`,
    );
    expect(preview.body.data.html).toContain('For the few');
    expect(preview.body.data.html).not.toContain('For everybody else');

    const sender = startTestSender(server.db, relay.url);
    const response = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    expect(response.status).toBe(200);
    await server.runJobs();
    await untilSent(owner, id);
    await sender.close();
    const copies = relay.accepted.filter((receivedMessage) =>
      receivedMessage.to[0]?.startsWith('person'),
    );
    const emails = await Promise.all(copies.map((copy) => PostalMime.parse(copy.source)));
    expect(emails).toHaveLength(6);
    for (const email of emails) {
      const number = Number(/person(\d)/.exec(email.to?.[0]?.address ?? '')?.[1]);
      for (const mimePart of [email.html ?? '', email.text ?? '']) {
        expect(mimePart.includes('For the few'), `${number} ${mimePart}`).toBe(number <= 2);
        expect(mimePart.includes('For everybody else')).toBe(number > 2);
        expect(mimePart.includes('Number three was chosen')).toBe(number === 3);
        expect(mimePart).toContain(`Dear Name ${number}`);
        expect(mimePart).toContain('Storgata 1');
        expect(mimePart).not.toMatch(/[\ufdd0-\ufdd3]/);
      }
    }
    const links = await server.db
      .selectFrom('links')
      .select('url')
      .where('account_id', '=', owner.accountId)
      .execute();
    expect(links.map((link) => link.url)).toContain('https://tea.example/vip');
  });

  test('section conditions on deleted objects are an error before sending', async () => {
    const { owner } = await shop(1);
    const rules: SectionCondition['rules'] = [
      { kind: 'group', operator: 'in', group: 'nobody' },
      { kind: 'segment', operator: 'not_in', segment: 'nobody' },
      { kind: 'field', field: 'shoe_size', operator: 'blank', value: '' },
    ];
    for (const rule of rules) {
      const section = textSection('For some.', { match: 'any', rules: [rule] });
      const { id } = await draft(owner, sample(section));
      const checks: FindingItem[] = (await owner.get(`${CAMPAIGNS}/${id}/checks`)).body.data;
      expect(checks).toContainEqual(
        expect.objectContaining({ code: 'condition_gone', severity: 'error', node: section.id }),
      );
    }
  });

  test('section conditions prevent the deletion of their segment, which would show the section to everyone', async () => {
    const { owner } = await shop(1);
    const conditions = [{ type: 'firstname', operator: 'in', operand: 'Name 1', more: [] }];
    const segmentResponse = await owner.post('/client-api/api/filters', {
      title: 'Customers',
      conditions,
    });
    const segment: string = segmentResponse.body.data.id;
    const rules: SectionCondition['rules'] = [{ kind: 'segment', operator: 'not_in', segment }];
    const { id } = await draft(owner, sample(textSection('New here?', { match: 'all', rules })));
    const refusal = await owner.delete(`/client-api/api/filters/${segment}`);
    expect([refusal.status, refusal.body.code]).toEqual([409, 'segment_in_use']);
    expect(refusal.body.used_by).toEqual([{ kind: 'campaign', id, title: 'Spring' }]);
  });

  test('the group of a section condition and the field of a merge tag cannot be deleted until the last copy, including a resend, has been sent', async () => {
    const { owner, group } = await shop(3);
    const field = (await owner.post('/client-api/api/fields', { title: 'City', type: 'text' })).body
      .data.id;
    const rules: SectionCondition['rules'] = [{ kind: 'group', operator: 'not_in', group }];
    const section = textSection('New in {{city | default: "town"}}?', { match: 'all', rules });
    const { id } = await draft(owner, sample(section));
    await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [], send_to_all: true });
    await owner.put(`${CAMPAIGNS}/${id}/resend`, { subject: 'Again', hours: 24 });
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    await server.runJobs();
    const remove = async () => [
      (await owner.delete(`/client-api/api/fields/${field}`)).status,
      (await owner.delete(`/client-api/api/tags/${group}`)).status,
    ];
    // The campaign was sent, but some copies still wait for their relay.
    const account = owner.accountId;
    await sql`update campaigns set status = 'SENT', sent_at = ${clock.now()}
      where account_id = ${account}`.execute(server.db);
    await sql`update campaign_resends set state = 'cancelled'
      where account_id = ${account}`.execute(server.db);
    expect(await remove()).toEqual([409, 409]);
    await sql`update messages set state = 'finished' where account_id = ${account}`.execute(
      server.db,
    );
    await sql`update campaign_resends set state = 'waiting'
      where account_id = ${account}`.execute(server.db);
    expect(await remove()).toEqual([409, 409]);
    await sql`update campaign_resends set state = 'started'
      where account_id = ${account}`.execute(server.db);
    expect(await remove()).toEqual([200, 200]);
  });

  test('an unsubscribe footer shown to only some recipients is added for the others', async () => {
    const { owner, group } = await shop(1);
    const vip: SectionCondition = {
      match: 'all',
      rules: [{ kind: 'group', operator: 'in', group }],
    };
    const document = createEmailDocument([
      textSection('Tea has come in from the mountains this week.'),
      { ...footer(), condition: vip },
    ]);
    const { id } = await draft(owner, document);
    const { data } = (await owner.get(`${CAMPAIGNS}/${id}/preview`)).body;
    expect(data.html).toMatch(/href="[^"]*\/u\/preview/);
    expect(data.html).toContain('Storgata 1');
    const checks: FindingItem[] = (await owner.get(`${CAMPAIGNS}/${id}/checks`)).body.data;
    expect(checks.map(({ code }) => code)).toContain('footer_conditional');
    expect((await owner.delete(`/client-api/api/tags/${group}`)).status).toBe(409);
  });

  test.each(['mobile', 'desktop'] as const)(
    'an unsubscribe footer is shown on %s even if it is set to be hidden there',
    async (hide_on) => {
      const { owner } = await shop(1);
      const [block] = footer().columns.flatMap(({ blocks }) => blocks);
      const addressBlock = createBlock('text', {
        html: '<p>{{postal_address}} <a href="{{unsubscribe_link}}">Leave</a></p>',
        hide_on,
      });
      const greeting = textSection('Tea has come in from the mountains this week.');
      const hidden = createSection([[createBlock('text', { html: '<p>Aside.</p>' })]], { hide_on });
      for (const section of [
        createSection([[{ ...block, hide_on } as typeof addressBlock]]),
        { ...footer(), hide_on },
        createSection([[addressBlock]], { hide_on }),
      ]) {
        const { id } = await draft(owner, createEmailDocument([greeting, section]));
        const { data } = (await owner.get(`${CAMPAIGNS}/${id}/preview`)).body;
        expect(data.html).toMatch(/href="[^"]*\/u\/preview/);
        expect(data.html).toContain('Storgata 1');
        expect(data.html).not.toContain('display:none!important');
        expect(data.html).not.toContain('display:none;mso-hide:all');
      }
      // A section without the unsubscribe link stays hidden.
      const { id } = await draft(owner, createEmailDocument([greeting, hidden, footer()]));
      const { data } = (await owner.get(`${CAMPAIGNS}/${id}/preview`)).body;
      expect(data.html).toMatch(/display:none(!important|;mso-hide:all)/);
    },
  );

  async function firstPerson(owner: TestOwner) {
    const previewSubscribers = (
      await owner.get(`${CAMPAIGNS}/${await anyCampaign(owner)}/preview_people`)
    ).body;
    return previewSubscribers.data.find((row: { email: string }) =>
      row.email.startsWith('person1@'),
    );
  }

  async function anyCampaign(owner: TestOwner) {
    return (await owner.get(CAMPAIGNS)).body.data[0].id as string;
  }
});

test('a test email of a document is personalized in its HTML and text', async () => {
  const { owner } = await shop(1);
  const { id } = await draft(owner, sample());
  const sender = startTestSender(server.db, relay.url);
  const testResponse = await owner.post(`${CAMPAIGNS}/${id}/test`, {
    emails: ['boss@tea.example'],
  });
  expect(testResponse.body.data).toEqual({ sent: 1 });
  const copy = () =>
    relay.accepted.find((receivedMessage) => receivedMessage.to[0] === 'boss@tea.example');
  await expect.poll(copy).toBeDefined();
  await sender.close();
  const email = await PostalMime.parse(copy()?.source ?? '');
  expect(email.html).toContain('Dear Name 1');
  expect(email.text).toContain('New tea: http');
});

test('a coupon pool gives each copy a different code, and an insufficient pool is reported before sending', async () => {
  const { owner } = await shop(5);
  const POOLS = '/client-api/api/coupon_pools';
  const pool = (await owner.post(POOLS, { title: 'Spring' })).body.data.id as string;
  const add = (...codes: string[]) =>
    owner.post(`${POOLS}/${pool}/codes`, { codes: codes.join('\n') });
  await add('TEA-AAAA', 'TEA-BBBB', 'TEA-CCCC');
  const coupon = createBlock('coupon', { title: 'For you', code: 'WELCOME', pool });
  const { id } = await draft(owner, sample(createSection([[coupon]])));
  await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [], send_to_all: true });
  const couponFindings = async () => {
    const { data } = (await owner.get(`${CAMPAIGNS}/${id}/checks`)).body;
    return (data as FindingItem[]).filter(({ code }) => code === 'coupons_short');
  };
  expect(await couponFindings()).toEqual([
    expect.objectContaining({
      severity: 'warning',
      values: { title: 'Spring', left: 3, total: 5 },
    }),
  ]);
  await add('TEA-DDDD', 'TEA-EEEE', 'TEA-FFFF');
  expect(await couponFindings()).toEqual([]);

  const acceptedBefore = relay.accepted.length;
  const sender = startTestSender(server.db, relay.url);
  expect((await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null })).status).toBe(
    200,
  );
  await server.runJobs();
  await untilSent(owner, id);
  await sender.close();
  const emails = await Promise.all(
    relay.accepted
      .slice(acceptedBefore)
      .filter((receivedMessage) => receivedMessage.to[0]?.startsWith('person'))
      .map((receivedMessage) => PostalMime.parse(receivedMessage.source)),
  );
  const codes = emails.flatMap(({ html, text }) => {
    const inHtml = /TEA-[A-F]{4}/.exec(html ?? '')?.[0];
    expect(text).toContain(inHtml);
    return inHtml ?? [];
  });
  expect([codes.length, new Set(codes).size]).toEqual([5, 5]);
  expect((await owner.get(POOLS)).body.data[0]).toMatchObject({ total: 6, left: 1 });
});
