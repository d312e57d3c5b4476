// Each kind of condition passes exactly the subscribers who match it.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { refreshShoppers } from '#areas/stores/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { EMAIL } from '#testing/worlds/workflow-builder.ts';
import {
  runInTransaction,
  ada,
  bo,
  recordCart,
  timestamps,
  createField,
  HOUR,
  inGroup,
  insert,
  kit,
  recordOrder,
  owner,
  SALE,
  segment,
  server,
  setField,
  shop,
  withDefaults,
} from '#testing/worlds/workflow-facts.ts';

type ConditionFactory = () => Promise<object>;

const changeAda = (change: string) => async () => {
  await sql`update subscribers set ${sql.raw(change)}
    where account_id = ${owner.accountId} and id = ${ada}`.execute(server.db);
};

const afterChange =
  (change: string, condition: object): ConditionFactory =>
  async () => {
    await changeAda(change)();
    return { kind: 'segment', conditions: [withDefaults(condition)] };
  };

const status = (to: string): ConditionFactory =>
  afterChange(`email_status = '${to}'`, { type: 'email_status', operator: 'is', operand: to });

/** A condition on a campaign that only Ada has opened or clicked, depending on the column. */
const campaign =
  (column: string, type: string): ConditionFactory =>
  async () => {
    const at = clock.now();
    const message = await insert('messages', {
      ...{ kind: 'campaign', state: 'finished', frozen: '{}', ...timestamps() },
    });
    const id = await insert('campaigns', { title: 'Spring', message_id: message, ...timestamps() });
    await insert('outcomes', { subscriber_id: ada, message_id: message, [column]: at });
    const condition = { type, operator: 'specific', operand: encodeId('campaign', id) };
    return { kind: 'segment', conditions: [withDefaults(condition)] };
  };

const CONDITIONS: Record<string, ConditionFactory> = {
  email: afterChange(`firstname = 'Ada'`, {
    type: 'email',
    operator: 'ends',
    operand: '@gmail.com',
  }),
  phone: afterChange(`phone = '+4790000001', phone_key = '+4790000001'`, {
    ...{ type: 'phone', operator: 'begins', operand: '+47' },
  }),
  'first name': afterChange(`firstname = 'Adah'`, {
    ...{ type: 'firstname', operator: 'equals', operand: 'Adah' },
  }),
  'last name': afterChange(`lastname = 'Byron'`, {
    ...{ type: 'lastname', operator: 'equals', operand: 'Byron' },
  }),
  birthday: async () => {
    const birthdayField = await createField('Birthday', 'datetime');
    await setField(ada, birthdayField.number, '1990-05-05 00:00:00');
    const condition = {
      type: 'datetime',
      operator: 'before',
      operand: '2000-01-01',
      key: birthdayField.id,
    };
    return { kind: 'segment', conditions: [withDefaults(condition)] };
  },
  'custom field': async () => {
    const size = await createField('Size', 'text');
    await setField(ada, size.number, 'large');
    const condition = { type: 'text', operator: 'equals', operand: 'large', key: size.id };
    return { kind: 'segment', conditions: [withDefaults(condition)] };
  },
  active: async () => {
    await sql`update subscribers set email_status = 'bounced'
      where account_id = ${owner.accountId} and id = ${bo}`.execute(server.db);
    return status('active')();
  },
  bounced: status('bounced'),
  unsubscribed: status('unsubscribed'),
  'spam report': status('reported'),
  'campaign opened': campaign('first_human_open_at', 'open'),
  'campaign clicked': campaign('first_human_click_at', 'click'),
  group: async () => {
    const group = await kit.group('Tea lovers');
    await kit.join(group.number, [ada]);
    return { kind: 'segment', conditions: [withDefaults(inGroup(group.id))] };
  },
  segment: async () => {
    const group = await kit.group('Tea lovers');
    await kit.join(group.number, [ada]);
    return { kind: 'saved', segment: await segment(inGroup(group.id)) };
  },
  'abandoned cart': async () => {
    const { store } = await shop();
    await recordCart(store, ada);
    await runInTransaction((tx) => refreshShoppers(tx, owner.accountId, [ada]));
    const condition = { type: 'cart_product_count', operator: 'more-than', operand: '0' };
    return { kind: 'segment', conditions: [withDefaults(condition)] };
  },
  'purchased product': async () => {
    const { store, cup } = await shop();
    await recordOrder(store, ada, cup);
    const id = encodeId('product', cup);
    const condition = { type: 'specific_product', operator: 'have', operand: id };
    return { kind: 'segment', conditions: [withDefaults(condition)] };
  },
};

test.each(Object.keys(CONDITIONS))(
  'a condition on %s passes only the subscribers who match',
  async (name) => {
    const [start, yes] = [await kit.group('Start'), await kit.group('Yes')];
    const data = await (CONDITIONS[name] as ConditionFactory)();
    const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
    const conditionStep = await tree.add(tree.trigger, 'CONDITION', data);
    await tree.add(conditionStep, 'ACTION', { action: 'COPY', group: yes.id });
    await tree.activate();
    await kit.join(start.number, [ada, bo]);
    await kit.turns();
    expect(await kit.members(yes.number)).toEqual([ada]);
    expect((await tree.people()).map((subscriber) => subscriber.outcome)).toEqual([
      'completed',
      'completed',
    ]);
  },
);

const ACTIVITIES = [
  ['an opened email', 'EMAIL', { activity: 'opened' }],
  ['an email with a click', 'EMAIL', { activity: 'clicked' }],
  ['an email with a click on one link', 'EMAIL', { activity: 'clicked', url: SALE }],
  [
    'an email with UTM parameters and a click on one link',
    'EMAIL',
    { activity: 'clicked', url: SALE },
  ],
  ['an email opened within a window', 'EMAIL', { activity: 'opened', amount: 1, unit: 'HOURS' }],
  ['an SMS with a click', 'SMS', { activity: 'clicked' }],
] as const;

test.each(ACTIVITIES)(
  'a condition on %s of this workflow passes only the subscribers who match',
  async (name, type, activity) => {
    const [start, yes] = [await kit.group('Start'), await kit.group('Yes')];
    const { accountId } = owner;
    const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
    const phone = await insert('phones', {
      ...{ kind: 'alphanumeric', value: 'Tea', value_key: 'tea', use_case: 'news' },
      ...{ status: 'active', proof: 'operator', proven_at: new Date(), ...timestamps() },
    });
    await sql`update subscribers set phone = '+479000000' || id, phone_key = '+479000000' || id,
    sms_status = 'active' where account_id = ${accountId}`.execute(server.db);
    const smsData = { phone: encodeId('phone', phone), text: `Look: ${SALE}` };
    const email = { ...EMAIL, ...(name.includes('UTM') && { utm_campaign: 'tea' }) };
    const messageStep = await tree.add(tree.trigger, type, type === 'SMS' ? smsData : email);
    if (type === 'EMAIL') await kit.write(messageStep);
    const wait = await tree.add(messageStep, 'delay', { delay_type: 'HOURS', amount: 3 });
    const data = { kind: 'activity', step_id: messageStep, ...activity };
    const condition = await tree.add(wait, 'CONDITION', data);
    await tree.add(condition, 'ACTION', { action: 'COPY', group: yes.id });
    await tree.activate();
    await kit.join(start.number, [ada, bo]);
    await kit.turns();
    const kind = type === 'SMS' ? 'sms_workflow' : 'workflow';
    const { rows } = await sql<{ id: number }>`update messages set state = 'finished'
    where account_id = ${accountId} and kind = ${kind} returning id`.execute(server.db);
    const message = rows[0]?.id as number;
    const recordActivity = async (id: number, after: number, url: string) => {
      const at = new Date(clock.now().getTime() + after);
      const column =
        activity.activity === 'opened' ? 'first_human_open_at' : 'first_human_click_at';
      await insert('outcomes', { subscriber_id: id, message_id: message, [column]: at });
      const links = await sql<{ position: number }>`select position from links
      where account_id = ${accountId} and message_id = ${message} and starts_with(url, ${url})`.execute(
        server.db,
      );
      if (activity.activity === 'clicked' && links.rows[0])
        await insert('events', {
          ...{ at, message_id: message, subscriber_id: id, kind: 'click', sequence: id },
          link_position: links.rows[0].position,
        });
    };
    await recordActivity(ada, 1000, SALE);
    // Bo does something similar that does not match, or acts too late.
    if (name.endsWith('one link')) await recordActivity(bo, 1000, 'https://tea.example/other');
    if (name.endsWith('window')) await recordActivity(bo, 2 * HOUR, SALE);
    clock.advance(3 * HOUR + 1000);
    await kit.turns();
    clock.reset();
    expect(await kit.members(yes.number)).toEqual([ada]);
  },
);
