// A draft and a signed-in user for tests of screens.
import { DEFAULT_TIMING } from '#areas/broadcasts/shared.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import type { Campaign } from '../contract.ts';

export const ID = 'abc123';
export const BASE = `/client-api/api/campaigns/${ID}`;

export const draft: Campaign = {
  id: ID,
  title: 'Spring tea',
  subject: 'Hello',
  preheader: '',
  from_name: 'Nordic Tea',
  from_email: 'news@tea.example',
  reply_to: '',
  language: null,
  status: 'DRAFT',
  last_action: 'step4',
  revision: 3,
  editor: 'text',
  thumbnail_url: null,
  content_revision: 1,
  send_to_all: true,
  tags: [],
  exclude_tags: [],
  filters: [],
  exclude_filters: [],
  schedule_time: null,
  schedule_zone: null,
  scheduled_at: null,
  is_late: false,
  delivery: null,
  figures: null,
  utm_campaign: null,
  utm: {},
  resend: null,
  experiment: null,
  timing: DEFAULT_TIMING,
  resend_of: null,
  series: null,
  series_of: null,
  occurs_on: null,
  sent_at: null,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
};

/** Response of GET /client-api/api/users. */
export const session = { data: sampleSession };
