// Bodies of test deliveries: they have the form of real ones, with invented data.
import type { PublicSubscriber } from '#areas/audience/public-contract.ts';
import type { PublicCampaign } from '#areas/campaigns/public-contract.ts';
import type { PublicGroup } from '#areas/groups/public-contract.ts';
import type { Topic } from '../shared.ts';

const SAMPLE_TIME = '2026-01-31 09:30:00';

const subscriber: PublicSubscriber = {
  id: 'sample',
  email: 'ada@example.com',
  firstname: 'Ada',
  lastname: 'Lovelace',
  phone: '+15550100',
  phone_country: { phone_code: 1, country_code: 'US' },
  created: SAMPLE_TIME,
  bounced_at: null,
  unsubscribed_at: null,
  location: null,
  ip_address: null,
  status: { email: 'active', temail: 'active', sms: 'active', tsms: 'active' },
  subscriber_tags: [{ id: 'sample', title: 'Readers' }],
  columns: [],
  source: 'API',
};

const group: PublicGroup = {
  id: 'sample',
  title: 'Readers',
  recipient_count: 1,
  active_subscribers: 1,
  unsubscribed_count: 0,
  bounced_count: 0,
  phone_count: 1,
  active_phone_count: 1,
  account_id: 'sample',
  user_id: null,
  created: SAMPLE_TIME,
  modified: SAMPLE_TIME,
  is_recalculating_subscribers: false,
  is_favourite: false,
  used_in_integration: false,
};

const campaign: Partial<PublicCampaign> = {
  id: 'sample',
  title: 'News in January',
  subject: 'What is new',
  from: 'Tea shop',
  reply_to: 'shop@example.com',
  status: 'SENT',
  created: SAMPLE_TIME,
  modified: SAMPLE_TIME,
  sent_time: SAMPLE_TIME,
  recipient_count: 1,
  sent_count: 1,
};

const message = { id: 'sample', kind: 'campaign', subject: 'What is new', source_id: 'sample' };
const isoTime = '2026-01-31T09:30:00.000Z';

export function buildSamplePayload(topic: Topic): object {
  if (topic.startsWith('campaigns/')) return campaign;
  if (topic === 'groups/new') return group;
  if (/^(?:subscribers|groups|bounces)\//.test(topic)) return subscriber;
  return { topic, at: isoTime, ...sampleDetails(topic), subscriber };
}

function sampleDetails(topic: Topic): object {
  switch (topic) {
    case 'emails/clicked':
      return { message, url: 'https://example.com/' };
    case 'emails/bounced':
      return { message, kind: 'hard_bounce', code: '5.1.1', reply: 'No such mailbox' };
    case 'emails/complained':
      return { message, kind: 'complaint', code: '', reply: '' };
    case 'emails/delivered':
      return { message, email_id: 'sample' };
    case 'sms/delivered':
      return { message: { ...message, kind: 'sms_transactional' }, sms_id: 'sample' };
    case 'sms/replied':
      return { message: { ...message, kind: 'sms_campaign' }, from: '+15550100', text: 'Thanks' };
    case 'forms/submitted':
      return { form: 'sample' };
    case 'deliverability/changed':
      return {
        ...{ domain: 'shop.example', mailbox: 'yahoo', state: 'act' },
        causes: [{ cause: 'complaints', level: 'act', count: 15, of: 2_000 }],
      };
    case 'approvals/new':
      return { id: 'sample', kind: 'campaign_schedule', title: 'Spring', note: '' };
    case 'approvals/decided':
      return {
        ...{ id: 'sample', kind: 'campaign_schedule', title: 'Spring' },
        ...{ state: 'approved', reason: '' },
      };
    case 'comments/new':
      return { id: 'sample', kind: 'campaign', object: 'sample', text: 'A better subject?' };
    case 'audit/new':
      return {
        ...{ action: 'campaigns.schedule', subject: 'sample', actor: 'session' },
        ...{ user: 'sample', fields: ['schedule_time'] },
      };
    case 'workflows/finished':
      return { workflow: 'sample', outcome: 'completed' };
    case 'events/new':
      return { type: 'product_viewed' };
    default:
      return { message };
  }
}
