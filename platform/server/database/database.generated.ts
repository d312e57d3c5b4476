// Generated from migrations/ by `npm run generate`. Not edited by hand.
import type { ColumnType } from 'kysely';

export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<S, I | undefined, U>
    : ColumnType<T, T | undefined, T>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue | undefined };
/** Types of JSON columns by `table.column`; each area declares its own in server/tables.ts. */
export interface JsonColumns {}
/** Types of ids by `table.column`, as JsonColumns. */
export interface IdColumns {}
export type Id<Column extends string> = Column extends keyof IdColumns ? IdColumns[Column] : number;
export type Json<Column extends string> = ColumnType<
  Column extends keyof JsonColumns ? JsonColumns[Column] : JsonValue,
  string,
  string
>;

export type DeliveryState = 'pending' | 'handing_over' | 'accepted' | 'deferred' | 'failed' | 'skipped' | 'unknown';
export type EventKind = 'open' | 'click' | 'unsubscribe' | 'hard_bounce' | 'soft_bounce' | 'complaint' | 'delivered';
export type EventVerdict = 'human' | 'machine';
export type SubscriptionStatus = 'active' | 'bounced' | 'unsubscribed' | 'reported' | 'non-subscribed';

export type AccountsTable = {
  id: Generated<number>;
  title: Generated<string>;
  website: string | null;
  address: string | null;
  city: string | null;
  state: string | null;
  zip_code: string | null;
  country: string | null;
  timezone: Generated<string>;
  language: Generated<string>;
  date_format: Generated<string>;
  status: Generated<string>;
  activation_level: Generated<number>;
  industry: string | null;
  subscriber_collection: string | null;
  active_plan: number | null;
  plan_valid_to: Timestamp | null;
  subscriber_count: Generated<number>;
  introduce_completed_at: Timestamp | null;
  registration_completed_at: Timestamp | null;
  subscriber_added_at: Timestamp | null;
  campaign_created_at: Timestamp | null;
  domain_verified_at: Timestamp | null;
  email_sent_at: Timestamp | null;
  report_viewed_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  tracks_opens: Generated<boolean>;
  tracks_clicks: Generated<boolean>;
  is_sample: Generated<boolean>;
};

export type ActivityTable = {
  account_id: number;
  subscriber_id: number;
  last_open_at: Timestamp | null;
  last_human_open_at: Timestamp | null;
  last_click_at: Timestamp | null;
  last_human_click_at: Timestamp | null;
  first_open_at: Timestamp | null;
  first_human_open_at: Timestamp | null;
  first_click_at: Timestamp | null;
  first_human_click_at: Timestamp | null;
};

export type AgentActsTable = {
  account_id: number;
  caller: string;
  hash: Buffer;
  key: string;
  at: Timestamp;
};

export type AgentGrantsTable = {
  account_id: number;
  id: Generated<number>;
  user_id: number;
  oauth_grant: string | null;
  client_id: string;
  client_name: string;
  redirect_host: string;
  scopes: string[];
  created_at: Timestamp;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
  countries: Generated<string[]>;
};

export type AgentUseTable = {
  account_id: number;
  caller: string;
  day: string;
  calls: Generated<number>;
  people: Generated<number>;
  drafts: Generated<number>;
  proposals: Generated<number>;
  emails: Generated<number>;
};

export type ApiTokensTable = {
  account_id: number;
  id: Generated<number>;
  user_id: number;
  title: string;
  token_hash: Buffer;
  created_at: Timestamp;
  modified_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
  expiry_notice_at: Timestamp | null;
  scopes: string[] | null;
  former_hash: Buffer | null;
  former_until: Timestamp | null;
  networks: string[] | null;
  last_ip: string | null;
  last_client: string | null;
  countries: Generated<string[]>;
};

export type ApprovalSettingsTable = {
  account_id: number;
  needs_four_eyes: boolean;
  modified_at: Timestamp;
};

export type ApprovalsTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  subject: number;
  right: string;
  input: Json<'approvals.input'>;
  digest: string;
  facts: Json<'approvals.facts'>;
  note: Generated<string>;
  state: Generated<string>;
  asked_by: number;
  asked_via: string;
  asked_via_id: number | null;
  asked_at: Timestamp;
  expires_at: Timestamp;
  decided_by: number | null;
  decided_at: Timestamp | null;
  reason: Generated<string>;
  ceiling: number | null;
  is_in_force: Generated<boolean>;
  used: Generated<number>;
};

export type AttributionWindowsTable = {
  account_id: number;
  since: Timestamp;
  email_click: number;
  email_open: number;
  sms_click: number;
  sms_delivery: number;
};

export type AttributionsTable = {
  account_id: number;
  id: Generated<number>;
  order_id: number;
  entry: string;
  at: Timestamp;
  amount: number;
  currency: string;
  message_id: number | null;
  touch: string | null;
  touch_at: Timestamp | null;
};

export type AuditTable = {
  account_id: number;
  id: Generated<number>;
  at: Timestamp;
  action: string;
  subject: string | null;
  user_id: number | null;
  actor: string;
  actor_id: number | null;
  ip: string | null;
  fields: Generated<string[]>;
  before: Json<'audit.before'> | null;
  after: Json<'audit.after'> | null;
  count: number | null;
};

export type AuditSettingsTable = {
  account_id: number;
  retention_days: number;
  modified_at: Timestamp;
};

export type BillingAccountsTable = {
  account_id: number;
  balance_micros: Generated<number>;
  held_micros: Generated<number>;
  last_invoice: Generated<number>;
  vat_number: string | null;
  is_vat_valid: boolean | null;
  suspended_at: Timestamp | null;
  suspended_reason: string | null;
};

export type BimiStatesTable = {
  account_id: number;
  domain_id: number;
  record: string | null;
  logo: string | null;
  certificate: string | null;
  findings: Generated<string[]>;
  valid_until: Timestamp | null;
  checked_at: Timestamp;
};

export type BlocklistStatesTable = {
  list: string;
  subject: string;
  state: string;
  code: string;
  positive_at: Timestamp | null;
  checked_at: Timestamp;
};

export type BrandsTable = {
  account_id: number;
  brand: Generated<Json<'brands.brand'>>;
  modified_at: Timestamp;
};

export type CampaignExperimentsTable = {
  account_id: number;
  campaign_id: number;
  metric: string;
  duration_hours: number;
  test_share: number;
  holdout_share: Generated<number>;
  is_automatic: Generated<boolean>;
  fallback: Generated<string>;
  salt: string;
  state: Generated<string>;
  reason: string | null;
  next_look_at: Timestamp | null;
  tested_at: Timestamp | null;
  winner: number | null;
  chosen: number | null;
  outcome: string | null;
  decided_at: Timestamp | null;
  decided_by: number | null;
  evidence: Json<'campaign_experiments.evidence'> | null;
  rest_message_id: number | null;
  failing_since: Timestamp | null;
  holdout_days: Generated<number>;
};

export type CampaignGroupsTable = {
  account_id: number;
  campaign_id: number;
  group_id: number;
  is_excluded: Generated<boolean>;
};

export type CampaignResendsTable = {
  account_id: number;
  campaign_id: number;
  subject: string;
  delay_hours: number;
  state: Generated<string>;
  due_at: Timestamp | null;
  reason: string | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  failing_since: Timestamp | null;
};

export type CampaignSegmentsTable = {
  account_id: number;
  campaign_id: number;
  segment_id: number;
  is_excluded: Generated<boolean>;
};

export type CampaignSeriesTable = {
  account_id: number;
  campaign_id: number;
  rule: Json<'campaign_series.rule'>;
  zone: string;
  starts_on: string;
  ends_on: string | null;
  is_only_new: Generated<boolean>;
  skipped_on: Generated<string[]>;
  next_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type CampaignSignalsTable = {
  account_id: number;
  message_id: number;
  day: string;
  spam_rate: number;
};

export type CampaignVariantsTable = {
  account_id: number;
  id: Generated<number>;
  campaign_id: number;
  number: number;
  revision: Generated<number>;
  subject: string | null;
  preheader: string | null;
  from_name: string | null;
  has_own_content: Generated<boolean>;
  content_id: number | null;
  content_revision: number | null;
  content_kind: string | null;
  delay_minutes: number | null;
  message_id: number | null;
  mean_handed_at: Timestamp | null;
};

export type CampaignsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  subject: Generated<string>;
  preheader: Generated<string>;
  from_name: Generated<string>;
  from_email: Generated<string>;
  reply_to: Generated<string>;
  language: string | null;
  status: Generated<string>;
  last_action: Generated<string>;
  revision: Generated<number>;
  content_id: number | null;
  content_revision: number | null;
  content_kind: string | null;
  send_to_all: Generated<boolean>;
  schedule_time: string | null;
  schedule_zone: string | null;
  scheduled_at: Timestamp | null;
  message_id: Id<'campaigns.message_id'> | null;
  sent_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  deleted_at: Timestamp | null;
  resend_of: number | null;
  utm_campaign: string | null;
  utm: Generated<Json<'campaigns.utm'>>;
  timing: Json<'campaigns.timing'> | null;
  series_of: number | null;
  occurs_on: string | null;
};

export type CartProductsTable = {
  account_id: number;
  cart_id: number;
  position: number;
  product_id: number | null;
  title: string;
  quantity: Generated<number>;
  price: number | null;
  image_url: string | null;
  url: string | null;
  sku: string | null;
};

export type CartsTable = {
  account_id: number;
  id: Generated<number>;
  store_id: number;
  subscriber_id: number | null;
  remote_id: string;
  url: string | null;
  currency: Generated<string>;
  total: Generated<number>;
  product_count: Generated<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
  closed_at: Timestamp | null;
  visitor: string | null;
  state: Generated<string>;
  version: Generated<number>;
  abandoned_version: number | null;
  abandoned_at: Timestamp | null;
  order_id: number | null;
  claimed_by: Generated<string>;
};

export type ChargesTable = {
  account_id: number;
  id: Generated<number>;
  order_id: number;
  attempt: number;
  key: string;
  gateway: string;
  gateway_id: string | null;
  method_id: number | null;
  amount_minor: number;
  currency: string;
  state: Generated<string>;
  code: string | null;
  action: Json<'charges.action'> | null;
  is_method_saved: Generated<boolean>;
  poll_count: Generated<number>;
  poll_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type CompactedRangesTable = {
  account_id: number;
  message_id: number;
  lane: number;
  from_ordinal: number;
  to_ordinal: number;
  accepted: number;
  first_at: Timestamp | null;
  last_at: Timestamp | null;
  relay: string | null;
};

export type ConsentsTable = {
  account_id: number;
  subscriber_id: number;
  at: Timestamp;
  channel: string;
  kind: string;
  source: string;
  wording: string | null;
  source_id: number | null;
  ip: string | null;
  user_id: number | null;
  details: Json<'consents.details'> | null;
};

export type ContactGuardsTable = {
  account_id: number;
  messages: number | null;
  days: Generated<number>;
  quiet_from: string | null;
  quiet_until: string | null;
};

export type ContentAttachmentsTable = {
  account_id: number;
  id: Generated<number>;
  content_id: number;
  name: string;
  type: string;
  bytes: number;
  hash: Buffer;
  file_key: string;
  created_by: number | null;
  created_at: Timestamp;
  removed_at: Timestamp | null;
  check_at: Timestamp;
};

export type ContentRevisionsTable = {
  account_id: number;
  content_id: number;
  revision: number;
  kind: string;
  document: Json<'content_revisions.document'> | null;
  html: string | null;
  plain_text: string | null;
  created_by: number | null;
  created_at: Timestamp;
  inline_css: Generated<boolean>;
};

export type ContentsTable = {
  account_id: number;
  id: Generated<number>;
  revision: Generated<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type CouponCodesTable = {
  account_id: number;
  pool_id: number;
  id: Generated<number>;
  code: string;
  message_id: number | null;
  subscriber_id: number | null;
  drawn_at: Timestamp | null;
};

export type CouponCountsTable = {
  code: string;
  taken: Generated<number>;
};

export type CouponPoolsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  deleted_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type CouponUsesTable = {
  account_id: number;
  code: string;
  order_id: number;
  state: string;
  at: Timestamp;
};

export type CreditEntriesTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  micros: number;
  source: string;
  at: Timestamp;
};

export type CreditHoldsTable = {
  account_id: number;
  message_id: number;
  micros: number;
  at: Timestamp;
};

export type CustomEventsTable = {
  account_id: number;
  id: Generated<number>;
  name: string;
  description: Generated<string>;
  created_at: Timestamp;
};

export type DeferralsTable = {
  account_id: number;
  message_id: number;
  lane: number;
  ordinal: number;
  attempt: number;
  strikes: Generated<number>;
  reason: string;
  first_at: Timestamp;
  next_attempt_at: Timestamp;
  owner: string | null;
  expires_at: Timestamp | null;
};

export type DeliveryCountsTable = {
  account_id: number;
  message_id: number;
  audience: Generated<number>;
  accepted: Generated<number>;
  deferred: Generated<number>;
  failed: Generated<number>;
  skipped: Generated<number>;
  unknown: Generated<number>;
};

export type DmarcSumsTable = {
  account_id: number;
  domain_id: number;
  day: string;
  hash: Buffer;
  signer: string;
  number: number;
  source: string;
  address: string;
  header_from: string;
  dkim_domain: string;
  selector: string;
  spf_domain: string;
  dkim_passed: boolean;
  spf_passed: boolean;
  dkim_aligned: boolean;
  spf_aligned: boolean;
  disposition: string;
  override: string;
  messages: number;
};

export type DomainComplianceTable = {
  account_id: number;
  domain_id: number;
  requirement: string;
  is_met: boolean;
  reason: string | null;
  since: Timestamp;
  fetched_at: Timestamp;
};

export type DomainHealthTable = {
  account_id: number;
  domain: string;
  mailbox: number;
  state: string;
  causes: Generated<Json<'domain_health.causes'>>;
  figures: Generated<Json<'domain_health.figures'>>;
  since: Timestamp;
  measured_at: Timestamp;
};

export type DomainKeysTable = {
  account_id: number;
  domain_id: number;
  selector: string;
  algorithm: Generated<string>;
  public_key: string;
  sealed_private_key: Buffer;
  is_active: Generated<boolean>;
  created_at: Timestamp;
};

export type DomainReportsTable = {
  account_id: number;
  domain_id: number;
  kind: string;
  hash: Buffer;
  signer: string;
  organization: string;
  policy: string | null;
  begin_at: Timestamp;
  end_at: Timestamp;
  day: string;
  messages: number;
  repairs: string[];
  received_at: Timestamp;
};

export type DomainSignalsTable = {
  account_id: number;
  domain_id: number;
  kind: string;
  day: string;
  value: number;
  fetched_at: Timestamp;
};

export type DomainSourcesTable = {
  account_id: number;
  domain_id: number;
  source: string;
  verdict: string;
  title: string;
  user_id: number | null;
  decided_at: Timestamp;
};

export type DomainsTable = {
  account_id: number;
  id: Generated<number>;
  domain: string;
  email: string;
  email_secret_hash: Buffer | null;
  email_verified_at: Timestamp | null;
  dns_verified_at: Timestamp | null;
  dns_checked_at: Timestamp | null;
  dns_status: Generated<Json<'domains.dns_status'>>;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type EmailTokensTable = {
  secret_hash: Buffer;
  kind: string;
  user_id: number;
  email: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  used_at: Timestamp | null;
};

export type EmailUsageTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  emails: number;
  label: Generated<string>;
  source: string;
  at: Timestamp;
};

export type EngagementByTable = {
  account_id: number;
  message_id: number;
  aspect: string;
  value: string;
  opens: Generated<number>;
  human_opens: Generated<number>;
  clicks: Generated<number>;
  human_clicks: Generated<number>;
};

export type EngagementCountsTable = {
  account_id: number;
  message_id: number;
  opens: Generated<number>;
  human_opens: Generated<number>;
  unique_opens: Generated<number>;
  unique_human_opens: Generated<number>;
  clicks: Generated<number>;
  human_clicks: Generated<number>;
  unique_clicks: Generated<number>;
  unique_human_clicks: Generated<number>;
  unsubscribes: Generated<number>;
  hard_bounces: Generated<number>;
  soft_bounces: Generated<number>;
  returned: Generated<number>;
  complaints: Generated<number>;
};

export type EngagementTimesTable = {
  account_id: number;
  message_id: number;
  quarter: Timestamp;
  opens: Generated<number>;
  human_opens: Generated<number>;
  clicks: Generated<number>;
  human_clicks: Generated<number>;
};

export type EventOccurrencesTable = {
  account_id: number;
  id: Generated<number>;
  event_id: number;
  subscriber_id: number;
  at: Timestamp;
  value: number | null;
  currency: string | null;
  properties: Generated<Json<'event_occurrences.properties'>>;
};

export type EventPeopleTable = {
  account_id: number;
  event_id: number;
  subscriber_id: number;
  times: number;
  first_at: Timestamp;
  last_at: Timestamp;
};

export type EventsTable = {
  account_id: number;
  at: Timestamp;
  message_id: number;
  subscriber_id: number;
  kind: EventKind;
  sequence: number;
  link_position: number | null;
  verdict: Generated<EventVerdict>;
  verdict_reason: string | null;
  ip: string | null;
  user_agent: string | null;
  device: string | null;
  country: string | null;
  details: Json<'events.details'> | null;
  is_sms: Generated<boolean>;
};

export type ExportLinksTable = {
  account_id: number;
  hash: Buffer;
  export_id: number;
  created_at: Timestamp;
  expires_at: Timestamp;
};

export type ExportsTable = {
  account_id: number;
  id: Generated<number>;
  state: Generated<string>;
  format: string;
  settings: Json<'exports.settings'>;
  total: number | null;
  row_count: Generated<number>;
  checkpoint: Generated<number>;
  parts: Generated<number>;
  file_key: string | null;
  size: number | null;
  error_code: string | null;
  failures: Generated<number>;
  created_by: number | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
  expires_at: Timestamp | null;
};

export type FieldsTable = {
  account_id: number;
  id: Generated<number>;
  name: string;
  title: string;
  type: string;
  is_shown: Generated<boolean>;
  position: Generated<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type FilesTable = {
  account_id: number;
  key: string;
  purpose: string;
  name: string | null;
  content_type: string | null;
  size: Generated<number>;
  created_at: Timestamp;
  expires_at: Timestamp | null;
};

export type FoldersTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  title: string;
  title_key: string;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type ForecastsTable = {
  account_id: number;
  message_id: number;
  as_of: Timestamp;
  forecast: Json<'forecasts.forecast'>;
  truth: Json<'forecasts.truth'> | null;
  truth_at: Timestamp | null;
};

export type FormCodesTable = {
  account_id: number;
  form_id: number;
  id: Generated<number>;
  slice: number;
  code: string;
  submission_key: string | null;
  given_at: Timestamp | null;
};

export type FormConfirmationsTable = {
  account_id: number;
  hash: Buffer;
  form_id: number;
  submission_key: string;
  subscriber_id: number;
  mailed_at: Timestamp;
  confirmed_at: Timestamp | null;
  expires_at: Timestamp;
};

export type FormGroupsTable = {
  account_id: number;
  form_id: number;
  group_id: number;
  is_mandatory: Generated<boolean>;
};

export type FormPagesTable = {
  account_id: number;
  form_id: number;
  day: string;
  page: string;
  views: Generated<number>;
  starts: Generated<number>;
  closes: Generated<number>;
};

export type FormProofsTable = {
  hash: Buffer;
  expires_at: Timestamp;
};

export type FormSitesTable = {
  account_id: number;
  host: string;
  seen_at: Timestamp;
};

export type FormSpinsTable = {
  account_id: number;
  form_id: number;
  address_hash: Buffer;
  submission_key: string;
  at: Timestamp;
};

export type FormStatsTable = {
  account_id: number;
  form_id: number;
  quarter: Timestamp;
  device: string;
  views: Generated<number>;
  starts: Generated<number>;
  closes: Generated<number>;
};

export type FormSubmissionsTable = {
  account_id: number;
  form_id: number;
  key: string;
  id: Generated<number>;
  version: number;
  answers: Json<'form_submissions.answers'>;
  page: Generated<string>;
  ip: string | null;
  device: Generated<string>;
  is_trapped: Generated<boolean>;
  at: Timestamp;
  settled_at: Timestamp | null;
  subscriber_id: number | null;
  confirmed_at: Timestamp | null;
  failures: Generated<number>;
  retry_at: Timestamp | null;
  prize: Json<'form_submissions.prize'> | null;
  held_reason: string | null;
};

export type FormVersionsTable = {
  account_id: number;
  form_id: number;
  number: number;
  document: Json<'form_versions.document'>;
  settings: Json<'form_versions.settings'>;
  snapshot: Json<'form_versions.snapshot'>;
  created_at: Timestamp;
};

export type FormsTable = {
  account_id: number;
  id: Generated<number>;
  type: string;
  title: string;
  title_key: string;
  is_active: Generated<boolean>;
  document: Json<'forms.document'>;
  settings: Json<'forms.settings'>;
  revision: Generated<number>;
  published_version: number | null;
  published_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  mail_content_id: number | null;
  mail_content_revision: number | null;
  mail_content_kind: string | null;
  mail_revision: Generated<number>;
};

export type GatewayEventsTable = {
  gateway: string;
  key: string;
  received_at: Timestamp;
};

export type GroupMembersTable = {
  account_id: number;
  group_id: number;
  subscriber_id: number;
  created_at: Timestamp;
};

export type GroupsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  title_key: string;
  created_at: Timestamp;
  modified_at: Timestamp;
  is_public: Generated<boolean>;
};

export type HitsTable = {
  account_id: number;
  at: Timestamp;
  sequence: number;
  message_id: number;
  subscriber_id: number;
  kind: EventKind;
  link_position: number | null;
  manner: string | null;
  ip: string | null;
  user_agent: string | null;
};

export type IdempotencyKeysTable = {
  account_id: number;
  call: string;
  key: string;
  body_hash: Buffer;
  created_at: Timestamp;
  kept: Buffer | null;
};

export type IdentitiesTable = {
  id: Generated<number>;
  user_id: number;
  issuer: string;
  subject: string;
  email: Generated<string>;
  created_at: Timestamp;
  used_at: Timestamp;
};

export type ImagesTable = {
  account_id: number;
  id: Generated<number>;
  name: string;
  name_key: string;
  file_key: string;
  hash: Buffer;
  format: string;
  is_animated: Generated<boolean>;
  width: number;
  height: number;
  bytes: number;
  created_by: number | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  deleted_at: Timestamp | null;
  purge_at: Timestamp | null;
};

export type ImportForecastsTable = {
  account_id: number;
  import_id: number;
  hash: string;
  state: string;
  settings: Json<'import_forecasts.settings'>;
  rows_read: Generated<number>;
  result: Generated<Json<'import_forecasts.result'>>;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type ImportImagesTable = {
  account_id: number;
  import_id: number;
  subscriber_id: number;
  at: Timestamp;
  before: Json<'import_images.before'>;
  after: Json<'import_images.after'>;
};

export type ImportMembershipsTable = {
  account_id: number;
  import_id: number;
  subscriber_id: number;
  group_id: number;
};

export type ImportRejectionsTable = {
  account_id: number;
  import_id: number;
  row_number: number;
  is_rejected: Generated<boolean>;
  reason: string;
  column_title: string | null;
  row_text: string;
};

export type ImportUndoKeptTable = {
  account_id: number;
  import_id: number;
  subscriber_id: number;
  reason: string;
};

export type ImportsTable = {
  account_id: number;
  id: Generated<number>;
  method: string;
  state: Generated<string>;
  file_name: string | null;
  file_key: string | null;
  settings: Generated<Json<'imports.settings'>>;
  detected: Generated<Json<'imports.detected'>>;
  row_count: number | null;
  checkpoint: Generated<number>;
  created_count: Generated<number>;
  updated_count: Generated<number>;
  unchanged_count: Generated<number>;
  rejected_count: Generated<number>;
  noted_count: Generated<number>;
  error_code: string | null;
  created_by: number | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
  sealed_key: Buffer | null;
  undo_state: string | null;
  undo: Generated<Json<'imports.undo'>>;
  undo_checkpoint: Generated<number>;
  undone_at: Timestamp | null;
  undoable_until: Timestamp | null;
};

export type InstanceSettingsTable = {
  key: string;
  value: Json<'instance_settings.value'>;
  modified_at: Timestamp;
};

export type InvitationsTable = {
  account_id: number;
  id: Generated<number>;
  email: string;
  email_key: string;
  secret_hash: Buffer;
  invited_by: number;
  created_at: Timestamp;
  expires_at: Timestamp;
  accepted_at: Timestamp | null;
  denied: Generated<string[]>;
};

export type InvoicesTable = {
  account_id: number;
  serial: number;
  number: string;
  kind: string;
  order_id: number;
  corrects: number | null;
  language: string;
  seller: Json<'invoices.seller'>;
  buyer: Json<'invoices.buyer'>;
  lines: Json<'invoices.lines'>;
  net_minor: number;
  tax_minor: number;
  total_minor: number;
  currency: string;
  issued_at: Timestamp;
  paid_by: string | null;
};

export type ItemLabelsTable = {
  account_id: number;
  kind: string;
  item_id: number;
  label_id: number;
};

export type ItemNotesTable = {
  account_id: number;
  kind: string;
  item_id: number;
  id: Generated<number>;
  text: string;
  user_id: number;
  author: string;
  created_at: Timestamp;
  block_id: string | null;
  mentions: Generated<number[]>;
  resolved_at: Timestamp | null;
  resolved_by: string | null;
};

export type ItemPlacesTable = {
  account_id: number;
  kind: string;
  item_id: number;
  folder_id: number | null;
  archived_at: Timestamp | null;
};

export type LabelsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  title_key: string;
  color: string;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type LaneCountsTable = {
  account_id: number;
  message_id: number;
  lane: number;
  day: string;
  accepted: Generated<number>;
  deferred: Generated<number>;
  failed: Generated<number>;
  throttled: Generated<number>;
};

export type LanesTable = {
  account_id: number;
  message_id: number;
  lane: number;
  written: Generated<number>;
  leased: Generated<number>;
  opens_at: Timestamp | null;
  closes_at: Timestamp | null;
};

export type LeasesTable = {
  account_id: number;
  message_id: number;
  lane: number;
  from_ordinal: number;
  to_ordinal: number;
  started_to: number;
  owner: string;
  expires_at: Timestamp;
  is_done: Generated<boolean>;
};

export type LinksTable = {
  account_id: number;
  message_id: number;
  position: number;
  url: string;
  label: string | null;
  written_url: string | null;
};

export type MailHostsTable = {
  domain: string;
  host: string;
  accepts_email: boolean;
  checked_at: Timestamp;
  is_unanswered: Generated<boolean>;
};

export type MailboxChecksTable = {
  account_id: number;
  checked_at: Timestamp;
};

export type MembershipsTable = {
  user_id: number;
  account_id: number;
  created_at: Timestamp;
  denied: Generated<string[]>;
};

export type MessageHoldoutsTable = {
  account_id: number;
  message_id: number;
  block: number;
  bits: number;
};

export type MessagesTable = {
  account_id: number;
  id: Generated<number>;
  channel: Generated<string>;
  kind: string;
  source_id: number | null;
  state: Generated<string>;
  state_reason: string | null;
  state_details: Json<'messages.state_details'> | null;
  frozen: Json<'messages.frozen'>;
  frozen_hash: Buffer | null;
  audience: Generated<Json<'messages.audience'>>;
  audience_as_of: Timestamp | null;
  audience_cursor: Generated<number>;
  is_audience_complete: Generated<boolean>;
  excluded: Generated<Json<'messages.excluded'>>;
  created_at: Timestamp;
  started_at: Timestamp | null;
  first_handed_over_at: Timestamp | null;
  finished_at: Timestamp | null;
  modified_at: Timestamp;
  held_until: Timestamp | null;
  breaker_from: Json<'messages.breaker_from'> | null;
  compacted_at: Timestamp | null;
  stream_key: Buffer | null;
  group_of: number | null;
  opens_at: Timestamp | null;
  request_id: string | null;
  packed_to: number | null;
  trimmed_at: Timestamp | null;
};

export type ModelReservationsTable = {
  account_id: number;
  id: Generated<number>;
  tokens: number;
  until: Timestamp;
};

export type ModelUseTable = {
  account_id: number;
  month: string;
  requests: Generated<number>;
  tokens_in: Generated<number>;
  tokens_out: Generated<number>;
  cost: Generated<number>;
  currency: string | null;
};

export type ModelsTable = {
  account_id: number;
  protocol: string;
  address: string;
  model: string;
  key: Buffer | null;
  monthly_tokens: number | null;
  modified_at: Timestamp;
  price_in: number | null;
  price_out: number | null;
  currency: string | null;
};

export type OauthStateTable = {
  kind: string;
  id: Buffer;
  payload: Buffer;
  grant_id: string | null;
  uid: string | null;
  expires_at: Timestamp | null;
  consumed_at: Timestamp | null;
};

export type OperatorSessionsTable = {
  secret_hash: Buffer;
  user_id: number;
  account_id: number;
  session_id: number | null;
  created_at: Timestamp;
  expires_at: Timestamp;
};

export type OrderAliasesTable = {
  account_id: number;
  store_id: number;
  name: string;
  order_id: number;
};

export type OrderProductsTable = {
  account_id: number;
  order_id: number;
  position: number;
  subscriber_id: number;
  product_id: number | null;
  title: string;
  quantity: Generated<number>;
  price: number | null;
  is_cancelled: Generated<boolean>;
};

export type OrdersTable = {
  account_id: number;
  id: Generated<number>;
  store_id: number;
  subscriber_id: number;
  remote_id: string;
  number: string | null;
  total: Generated<number>;
  currency: Generated<string>;
  placed_at: Timestamp;
  cancelled_at: Timestamp | null;
  refunded_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  subtotal: number | null;
  tax: number | null;
  discount: number | null;
  shipping: number | null;
  refunded: Generated<number>;
  status: Generated<string>;
  source: Generated<string>;
  is_confirmed: Generated<boolean>;
  fulfilled_at: Timestamp | null;
  cart_id: number | null;
  field_times: Generated<Json<'orders.field_times'>>;
};

export type OutcomesTable = {
  account_id: number;
  subscriber_id: number;
  message_id: number;
  first_open_at: Timestamp | null;
  first_human_open_at: Timestamp | null;
  first_click_at: Timestamp | null;
  first_human_click_at: Timestamp | null;
  opens: Generated<number>;
  human_opens: Generated<number>;
  clicks: Generated<number>;
  human_clicks: Generated<number>;
  unsubscribed_at: Timestamp | null;
  hard_bounced_at: Timestamp | null;
  soft_bounced_at: Timestamp | null;
  returned_at: Timestamp | null;
  complained_at: Timestamp | null;
};

export type PasskeyChallengesTable = {
  challenge_hash: Buffer;
  user_id: number | null;
  expires_at: Timestamp;
};

export type PasskeysTable = {
  id: Generated<number>;
  user_id: number;
  credential_id: Buffer;
  public_key: Buffer;
  counter: number;
  transports: Generated<string[]>;
  name: string;
  created_at: Timestamp;
  used_at: Timestamp | null;
};

export type PaymentMethodsTable = {
  account_id: number;
  id: Generated<number>;
  gateway: string;
  sealed_token: Buffer;
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  is_default: Generated<boolean>;
  created_at: Timestamp;
  removed_at: Timestamp | null;
};

export type PhoneCodeSendsTable = {
  key: string;
  sent_at: Timestamp[];
  last_sent_at: Timestamp;
};

export type PhoneCodesTable = {
  account_id: number;
  phone_id: number;
  code_hash: Buffer;
  attempts: Generated<number>;
  expires_at: Timestamp;
};

export type PhoneComplianceTable = {
  account_id: number;
  phone_id: number;
  terms_version: string | null;
  terms_user_id: number | null;
  terms_name: string | null;
  terms_ip: string | null;
  terms_at: Timestamp | null;
  verification: Generated<Json<'phone_compliance.verification'>>;
  verification_status: Generated<string>;
  verification_reason: string | null;
  submitted_at: Timestamp | null;
  decided_at: Timestamp | null;
  modified_at: Timestamp;
};

export type PhoneOwnersTable = {
  value_key: string;
  account_id: number;
  phone_id: number;
};

export type PhonesTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  value: string;
  value_key: string;
  use_case: string;
  status: Generated<string>;
  reason: string | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  proof: string | null;
  proven_at: Timestamp | null;
};

export type PilotMovesTable = {
  account_id: number;
  id: Generated<number>;
  domain: string;
  mailbox: number;
  move: string;
  cause: string;
  count: number;
  of: number;
  from_per_hour: number | null;
  to_per_hour: number | null;
  state: string;
  at: Timestamp;
  decided_at: Timestamp | null;
  decided_by: number | null;
  applied_at: Timestamp | null;
};

export type PilotsTable = {
  account_id: number;
  domain: string;
  mailbox: number;
  mode: Generated<string>;
  per_hour: number | null;
  ends_at_per_hour: number | null;
  is_paused: Generated<boolean>;
  moved_at: Timestamp | null;
  held_until: Timestamp | null;
  readings: Generated<Json<'pilots.readings'>>;
  is_engaged_only: Generated<boolean>;
  opens_at: Timestamp | null;
  reported_campaigns: Generated<number[]>;
};

export type PlanOrdersTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  origin: Generated<string>;
  state: Generated<string>;
  plan_key: string | null;
  plan: Json<'plan_orders.plan'> | null;
  size: number | null;
  months: number | null;
  premium: Generated<boolean>;
  currency: string;
  coupon: string | null;
  credit_micros: number | null;
  lines: Generated<Json<'plan_orders.lines'>>;
  net_minor: Generated<number>;
  tax_minor: Generated<number>;
  total_minor: Generated<number>;
  period_start: Timestamp | null;
  period_end: Timestamp | null;
  revision: Generated<number>;
  failure: string | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  paid_at: Timestamp | null;
};

export type PostmasterConnectionsTable = {
  account_id: number;
  credentials: Buffer;
  title: string;
  fault: string | null;
  checked_at: Timestamp | null;
  due_at: Timestamp;
  created_at: Timestamp;
};

export type ProcessesTable = {
  id: string;
  role: string;
  workers: Generated<string[]>;
  started_at: Timestamp;
  seen_at: Timestamp;
  facts: Generated<Json<'processes.facts'>>;
};

export type ProductPicksTable = {
  account_id: number;
  message_id: number;
  subscriber_id: number;
  kind: string;
  product_ids: number[];
  at: Timestamp;
  quantities: number[] | null;
};

export type ProductViewsTable = {
  account_id: number;
  subscriber_id: number;
  at: Timestamp;
  product_id: number;
};

export type ProductsTable = {
  account_id: number;
  id: Generated<number>;
  store_id: number;
  remote_id: string;
  title: string;
  sku: string | null;
  price: number | null;
  currency: string | null;
  image_url: string | null;
  url: string | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  description: string | null;
  old_price: number | null;
  categories: Generated<string[]>;
  is_listed: Generated<boolean>;
};

export type ProviderCapsTable = {
  account_id: number;
  domain: string;
  mailbox: number;
  per_hour: number | null;
  is_engaged_only: Generated<boolean>;
  modified_at: Timestamp;
};

export type ProviderEventsTable = {
  account_id: number;
  provider: string;
  event_id: string;
  at: Timestamp;
};

export type ProviderHooksTable = {
  account_id: number;
  provider: string;
  generation: Generated<number>;
  sealed_key: Buffer | null;
  confirmed_at: Timestamp | null;
  last_event_at: Timestamp | null;
  modified_at: Timestamp;
};

export type PushSubscriptionsTable = {
  endpoint_hash: Buffer;
  user_id: number;
  account_id: number;
  session_id: number;
  endpoint: string;
  p256dh: string;
  auth: string;
  created_at: Timestamp;
};

export type RateBucketsTable = {
  key: string;
  tokens: number;
  refilled_at: Timestamp;
};

export type ReachTimesTable = {
  account_id: number;
  quarter: Timestamp;
  added: Generated<number>;
  unsubscribed: Generated<number>;
  bounced: Generated<number>;
  complained: Generated<number>;
  removed: Generated<number>;
};

export type RecipientRunsTable = {
  account_id: number;
  message_id: number;
  first_id: number;
  last_id: number;
  offsets: number[];
  lanes: number[];
  ordinals: number[];
};

export type RecipientsTable = {
  account_id: number;
  message_id: number;
  lane: number;
  ordinal: number;
  subscriber_id: number;
};

export type RefreshTokensTable = {
  account_id: number;
  token_hash: Buffer;
  session_id: number;
  created_at: Timestamp;
  used_at: Timestamp | null;
};

export type RefundsTable = {
  account_id: number;
  id: Generated<number>;
  charge_id: number;
  key: string;
  amount_minor: number;
  state: Generated<string>;
  reason: string;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type RelayAllowancesTable = {
  key: string;
  state: Json<'relay_allowances.state'>;
  modified_at: Timestamp;
};

export type RelaysTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  title: string;
  host: string;
  port: number;
  tls: string;
  username: Generated<string>;
  sealed_password: Buffer | null;
  connections: number;
  messages_per_connection: Generated<number>;
  has_chunking: Generated<boolean>;
  per_second: number | null;
  per_minute: number | null;
  per_hour: number | null;
  per_day: number | null;
  domain_limits: Generated<Json<'relays.domain_limits'>>;
  priority: Generated<number>;
  weight: Generated<number>;
  is_on: Generated<boolean>;
  health: Generated<string>;
  health_since: Timestamp | null;
  health_at: Timestamp | null;
  health_code: string | null;
  health_reply: string | null;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type RemovedMembersTable = {
  user_id: number;
  account_id: number;
  removed_at: Timestamp;
};

export type ReportFilesTable = {
  account_id: number;
  id: Generated<number>;
  domain_id: number | null;
  origin: string;
  name: string;
  file_key: string;
  bytes: number;
  state: Generated<string>;
  fault: string | null;
  reports: Generated<number>;
  created_at: Timestamp;
  settled_at: Timestamp | null;
};

export type ReportLinksTable = {
  account_id: number;
  campaign_id: number;
  secret: string;
  expires_at: Timestamp;
  created_at: Timestamp;
};

export type ReportSumsTable = {
  account_id: number;
  message_id: number;
  aspect: string;
  computed_at: Timestamp;
  rows: Json<'report_sums.rows'>;
};

export type ResultsTable = {
  account_id: number;
  message_id: number;
  lane: number;
  ordinal: number;
  attempt: Generated<number>;
  state: DeliveryState;
  at: Timestamp;
  code: string | null;
  reply: string | null;
  reason: string | null;
  relay: string | null;
};

export type SavedSectionsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  section: Json<'saved_sections.section'>;
  created_by: number | null;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type SavedTemplatesTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  document: Json<'saved_templates.document'>;
  created_by: number | null;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type SchemaMigrationsTable = {
  name: string;
  checksum: string;
  ran_at: Generated<Timestamp>;
};

export type SealedCampaignsTable = {
  account_id: number;
  message_id: number;
  started_at: Timestamp;
  sealed_at: Timestamp;
  earned: Generated<Json<'sealed_campaigns.earned'>>;
  waits: Json<'sealed_campaigns.waits'> | null;
};

export type SeedCopiesTable = {
  account_id: number;
  message_id: number;
  seed_id: number;
  mark: string;
  sent_at: Timestamp;
  look_at: Timestamp | null;
  place: string | null;
  folder: string | null;
  is_encrypted: boolean | null;
  settled_at: Timestamp | null;
};

export type SeedMailboxesTable = {
  account_id: number;
  id: Generated<number>;
  email: string;
  host: string;
  port: number;
  login: string;
  password: Buffer;
  fault: string | null;
  checked_at: Timestamp | null;
  created_at: Timestamp;
  service: string | null;
};

export type SegmentsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  conditions: Json<'segments.conditions'>;
  subscriber_count: number | null;
  active_count: number | null;
  phone_count: number | null;
  counted_at: Timestamp | null;
  created_by: number | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  revision: Generated<number>;
  active_phone_count: number | null;
};

export type SendCellsTable = {
  account_id: number;
  message_id: number;
  mailbox: number;
  band: number;
  people: number;
  opens: number;
  clicks: number;
  unsubscribes: number;
  complaints: number;
  bounces: number;
  orders: number;
};

export type SendHoursTable = {
  account_id: number;
  subscriber_id: number;
  hour: number;
  actions: number;
  modified_at: Timestamp;
};

export type SendingIpsTable = {
  ip: string;
  host: Generated<string>;
  is_confirmed: boolean | null;
  seen_at: Timestamp;
  checked_at: Timestamp | null;
};

export type SendingWindowsTable = {
  account_id: number;
  hours_from: number;
  hours_to: number;
  days: number[];
  zone: string;
  modified_at: Timestamp;
};

export type SentTimesTable = {
  account_id: number;
  quarter: Timestamp;
  shard: number;
  sent: Generated<number>;
};

export type SessionsTable = {
  account_id: number;
  id: Generated<number>;
  user_id: number;
  user_agent: string | null;
  ip: string | null;
  created_at: Timestamp;
  seen_at: Timestamp;
  expires_at: Timestamp;
  revoked_at: Timestamp | null;
  revoked_reason: string | null;
};

export type SetbackCountsTable = {
  account_id: number;
  message_id: number;
  mailbox: number;
  day: string;
  hard: Generated<number>;
  policy: Generated<number>;
  other: Generated<number>;
  complaints: Generated<number>;
  unsubscribes: Generated<number>;
};

export type ShopVisitsTable = {
  account_id: number;
  subscriber_id: number;
  at: Timestamp;
  kind: string;
  store_id: number;
};

export type ShoppersTable = {
  account_id: number;
  subscriber_id: number;
  order_count: Generated<number>;
  order_amount: Generated<number>;
  first_order_at: Timestamp | null;
  last_order_at: Timestamp | null;
  last_refund_at: Timestamp | null;
  cart_product_count: Generated<number>;
  last_cart_at: Timestamp | null;
  last_checkout_at: Timestamp | null;
};

export type SignInFailuresTable = {
  address_hash: Buffer;
  failures: number;
  last_at: Timestamp;
};

export type SingleSendsTable = {
  account_id: number;
  id: Generated<number>;
  message_id: number;
  idempotency_key: string;
  subscriber_id: number | null;
  recipient: string;
  variables: Generated<Json<'single_sends.variables'>>;
  sealed_variables: Buffer | null;
  state: Generated<DeliveryState>;
  attempt: Generated<number>;
  strikes: Generated<number>;
  next_attempt_at: Timestamp;
  owner: string | null;
  expires_at: Timestamp | null;
  code: string | null;
  reply: string | null;
  reason: string | null;
  relay: string | null;
  created_at: Timestamp;
  finished_at: Timestamp | null;
  priority: Generated<number>;
  channel: Generated<string>;
  held_micros: number | null;
};

export type SmsCampaignGroupsTable = {
  account_id: number;
  campaign_id: number;
  group_id: number;
  is_excluded: boolean;
};

export type SmsCampaignSegmentsTable = {
  account_id: number;
  campaign_id: number;
  segment_id: number;
  is_excluded: boolean;
};

export type SmsCampaignsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  text: Generated<string>;
  sender: Generated<string>;
  status: Generated<string>;
  last_action: Generated<string>;
  add_organization_name: Generated<boolean>;
  append_opt_out: Generated<boolean>;
  send_to_all: Generated<boolean>;
  google_analytics: Generated<boolean>;
  schedule_time: string | null;
  schedule_zone: string | null;
  scheduled_at: Timestamp | null;
  message_id: Id<'sms_campaigns.message_id'> | null;
  sent_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  deleted_at: Timestamp | null;
  revision: Generated<number>;
  phone_id: number | null;
  utm: Generated<Json<'sms_campaigns.utm'>>;
  timing: Json<'sms_campaigns.timing'> | null;
  series_of: number | null;
  occurs_on: string | null;
};

export type SmsClicksTable = {
  account_id: number;
  subscriber_id: number;
  first_at: Timestamp;
  last_at: Timestamp;
};

export type SmsExperimentsTable = {
  account_id: number;
  campaign_id: number;
  metric: string;
  duration_hours: number;
  test_share: number;
  holdout_share: Generated<number>;
  is_automatic: Generated<boolean>;
  fallback: Generated<string>;
  salt: string;
  state: Generated<string>;
  reason: string | null;
  next_look_at: Timestamp | null;
  tested_at: Timestamp | null;
  winner: number | null;
  chosen: number | null;
  outcome: string | null;
  decided_at: Timestamp | null;
  decided_by: number | null;
  evidence: Json<'sms_experiments.evidence'> | null;
  rest_message_id: number | null;
  failing_since: Timestamp | null;
  holdout_days: Generated<number>;
};

export type SmsInboundTable = {
  account_id: number;
  id: Generated<number>;
  event_id: string;
  phone_id: number | null;
  sender: string;
  subscriber_id: number | null;
  text: string;
  keyword: string | null;
  message_id: number | null;
  received_at: Timestamp;
};

export type SmsPartsTable = {
  account_id: number;
  message_id: number;
  lane: number;
  ordinal: number;
  attempt: Generated<number>;
  part_id: string;
  parts: number;
  delivered_at: Timestamp | null;
  undelivered_at: Timestamp | null;
};

export type SmsProvidersTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  title: string;
  host: Generated<string>;
  port: number | null;
  is_tls: Generated<boolean>;
  username: Generated<string>;
  sealed_secret: Buffer;
  sealed_hook_key: Buffer | null;
  profile: Generated<string>;
  alphabet: Generated<string>;
  connections: number;
  per_second: number | null;
  per_minute: number | null;
  per_hour: number | null;
  per_day: number | null;
  number_limits: Generated<Json<'sms_providers.number_limits'>>;
  priority: Generated<number>;
  weight: Generated<number>;
  is_on: Generated<boolean>;
  health: Generated<string>;
  health_since: Timestamp | null;
  health_at: Timestamp | null;
  health_code: string | null;
  health_reply: string | null;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type SmsResultsTable = {
  account_id: number;
  message_id: number;
  lane: number;
  ordinal: number;
  attempt: Generated<number>;
  parts: number | null;
  cost_micros: number | null;
  remote_id: string | null;
  delivered_at: Timestamp | null;
  undelivered_at: Timestamp | null;
  error: string | null;
  charged_micros: number | null;
};

export type SmsSeriesTable = {
  account_id: number;
  campaign_id: number;
  rule: Json<'sms_series.rule'>;
  zone: string;
  starts_on: string;
  ends_on: string | null;
  is_only_new: Generated<boolean>;
  skipped_on: Generated<string[]>;
  next_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type SmsSettingsTable = {
  account_id: number;
  prefix: string | null;
  opt_out_text: string | null;
  link_text: string | null;
  plain_quotes: Generated<boolean>;
  onboarded_at: Timestamp | null;
  modified_at: Timestamp;
};

export type SmsVariantsTable = {
  account_id: number;
  id: Generated<number>;
  campaign_id: number;
  number: number;
  revision: Generated<number>;
  text: string | null;
  delay_minutes: number | null;
  message_id: number | null;
  mean_handed_at: Timestamp | null;
};

export type SmtpUsersTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  secret_hash: Buffer;
  last_used_at: Timestamp | null;
  created_at: Timestamp;
  user_id: number | null;
};

export type SndsDaysTable = {
  ip: string;
  day: string;
  messages: number;
  result: string;
  complaints: number | null;
  traps: number;
  fetched_at: Timestamp;
};

export type StagedPeopleTable = {
  account_id: number;
  import_id: number;
  row_number: number;
  email: string | null;
  email_key: string | null;
  phone_key: string | null;
  firstname: string | null;
  lastname: string | null;
  field_values: Json<'staged_people.field_values'>;
  email_status: SubscriptionStatus;
  temail_status: SubscriptionStatus;
  sms_status: SubscriptionStatus;
  tsms_status: SubscriptionStatus;
  stated_email_status: SubscriptionStatus | null;
  stated_sms_status: SubscriptionStatus | null;
  mailbox: number;
  consent_at: Timestamp | null;
  unsubscribed_at: Timestamp | null;
};

export type StatusChangesTable = {
  account_id: number;
  subscriber_id: number;
  at: Timestamp;
  channel: string;
  from_status: SubscriptionStatus | null;
  to_status: SubscriptionStatus;
  reason: string;
  message_id: number | null;
  user_id: number | null;
  details: Json<'status_changes.details'> | null;
};

export type StoreConfirmationsTable = {
  account_id: number;
  hash: Buffer;
  store_id: number;
  subscriber_id: number;
  mailed_at: Timestamp;
  confirmed_at: Timestamp | null;
  expires_at: Timestamp;
};

export type StoreCustomersTable = {
  account_id: number;
  store_id: number;
  remote_id: string;
  subscriber_id: number;
};

export type StoreInboxTable = {
  account_id: number;
  id: Generated<number>;
  store_id: number;
  key: string;
  topic: string;
  body: Json<'store_inbox.body'>;
  received_at: Timestamp;
  done_at: Timestamp | null;
  failures: Generated<number>;
  retry_at: Timestamp;
  failure: string | null;
};

export type StoresTable = {
  account_id: number;
  id: Generated<number>;
  type: string;
  title: string;
  domain: string;
  currency: Generated<string>;
  created_at: Timestamp;
  modified_at: Timestamp;
  state: Generated<string>;
  credentials: Buffer | null;
  plugin_token: Buffer | null;
  hook_secret: Buffer | null;
  settings: Generated<Json<'stores.settings'>>;
  cursors: Generated<Json<'stores.cursors'>>;
  progress: Generated<Json<'stores.progress'>>;
  synced_at: Timestamp | null;
  reviewed_at: Timestamp | null;
  due_at: Timestamp | null;
  failing_since: Timestamp | null;
  failure: string | null;
  failure_notified_at: Timestamp | null;
  refused_hooks: Generated<string[]>;
};

export type SubscriberNotesTable = {
  account_id: number;
  subscriber_id: number;
  id: Generated<number>;
  text: string;
  user_id: number;
  author: string;
  created_at: Timestamp;
};

export type SubscriberTimesTable = {
  account_id: number;
  quarter: Timestamp;
  added: Generated<number>;
  removed: Generated<number>;
};

export type SubscriberViewsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  title_key: string;
  filter: string;
  sort: string;
  direction: string;
  columns: string[];
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type SubscribersTable = {
  account_id: number;
  id: Generated<number>;
  email: string | null;
  email_key: string | null;
  phone: string | null;
  phone_key: string | null;
  firstname: string | null;
  lastname: string | null;
  field_values: Generated<Json<'subscribers.field_values'>>;
  email_status: Generated<SubscriptionStatus>;
  temail_status: Generated<SubscriptionStatus>;
  sms_status: Generated<SubscriptionStatus>;
  tsms_status: Generated<SubscriptionStatus>;
  mailbox: Generated<number>;
  language: string | null;
  country: string | null;
  location: string | null;
  timezone: string | null;
  ip: string | null;
  source: Generated<string>;
  import_id: number | null;
  unsubscribed_at: Timestamp | null;
  bounced_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  deleted_at: Timestamp | null;
  erased_at: Timestamp | null;
  paused_until: Timestamp | null;
};

export type SubscriptionsTable = {
  account_id: number;
  order_id: number;
  plan_key: string;
  plan: Json<'subscriptions.plan'>;
  size: number;
  months: number;
  currency: string;
  premium: Generated<boolean>;
  paid_net_minor: number;
  period_start: Timestamp;
  period_end: Timestamp;
  method_id: number | null;
  state: Generated<string>;
  next: Json<'subscriptions.next'> | null;
  is_cancelled: Generated<boolean>;
  renew_at: Timestamp | null;
  tries: Generated<number>;
  sent_notices: Generated<string[]>;
  modified_at: Timestamp;
  anchor_at: Timestamp | null;
};

export type SuppressionsTable = {
  account_id: number;
  channel: string;
  address_hash: Buffer;
  reason: string;
  message_id: number | null;
  created_at: Timestamp;
  subscriber_id: number | null;
};

export type TestRecipientsTable = {
  account_id: number;
  channel: string;
  contact_key: string;
  contact: string;
  used_at: Timestamp;
};

export type TlsSumsTable = {
  account_id: number;
  domain_id: number;
  day: string;
  hash: Buffer;
  signer: string;
  number: number;
  policy: string;
  result: string;
  sessions: number;
};

export type TrackedAccountsTable = {
  account_id: number;
  at: Timestamp;
};

export type TrackingHostsTable = {
  account_id: number;
  domain: string;
  host: string;
  reached_at: Timestamp | null;
  checked_at: Timestamp;
  fault: string | null;
};

export type TransactionalEmailsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  subject: Generated<string>;
  preheader: Generated<string>;
  from_name: Generated<string>;
  from_email: Generated<string>;
  reply_to: Generated<string>;
  language: string | null;
  last_action: Generated<string>;
  revision: Generated<number>;
  content_id: number | null;
  content_revision: number | null;
  content_kind: string | null;
  created_by: number | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  deleted_at: Timestamp | null;
  variables: Generated<Json<'transactional_emails.variables'>>;
};

export type TransactionalSmsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  created_at: Timestamp;
  modified_at: Timestamp;
};

export type TwoFactorsTable = {
  user_id: number;
  secret: Buffer | null;
  created_at: Timestamp;
  confirmed_at: Timestamp | null;
  last_step: Generated<number>;
  recovery_hashes: Generated<Buffer[]>;
};

export type UsersTable = {
  id: Generated<number>;
  email: string;
  email_key: string;
  password_hash: string | null;
  name: string | null;
  surname: string | null;
  language: Generated<string>;
  tour: Generated<number>;
  email_verified_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  has_campaign_notices: Generated<boolean>;
};

export type UtmDefaultsTable = {
  account_id: number;
  is_on: boolean;
  values: Json<'utm_defaults.values'>;
  modified_at: Timestamp;
};

export type VisitorsTable = {
  account_id: number;
  key: string;
  subscriber_id: number | null;
  seen_at: Timestamp;
};

export type WarmUpsTable = {
  account_id: number;
  domain: string;
  caps: number[];
  is_on: Generated<boolean>;
  day: Generated<number>;
  day_began_at: Timestamp | null;
  used: Generated<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
  past: Generated<number[]>;
};

export type WebhookAttemptsTable = {
  account_id: number;
  id: Generated<number>;
  event_id: number;
  at: Timestamp;
  http_status: number | null;
  ms: number;
  body: string;
  answer: string;
};

export type WebhookDeliveriesTable = {
  account_id: number;
  id: Generated<number>;
  endpoint_id: number;
  subject_id: number;
  state: Generated<string>;
  attempt: Generated<number>;
  next_at: Timestamp;
  http_status: number | null;
  answer: string | null;
  created_at: Timestamp;
  topic: string;
  details: Json<'webhook_deliveries.details'> | null;
  settled_at: Timestamp | null;
  body: string | null;
};

export type WebhookEndpointsTable = {
  account_id: number;
  id: Generated<number>;
  url: string;
  topic: string;
  group_id: number | null;
  status: Generated<string>;
  total_deliveries: Generated<number>;
  total_failures: Generated<number>;
  response_ms: Generated<number>;
  failing_since: Timestamp | null;
  created_at: Timestamp;
};

export type WebhookSecretsTable = {
  account_id: number;
  sealed: Buffer;
  former: Buffer | null;
  former_until: Timestamp | null;
};

export type WorkflowAccountsTable = {
  account_id: number;
  next_at: Timestamp | null;
};

export type WorkflowHttpCallsTable = {
  account_id: number;
  id: Generated<number>;
  url: string;
  workflow_id: number;
  step_id: number;
  subject_id: number;
  state: Generated<string>;
  attempt: Generated<number>;
  next_at: Timestamp;
  http_status: number | null;
  answer: string | null;
  created_at: Timestamp;
};

export type WorkflowInboxTable = {
  account_id: number;
  id: Generated<number>;
  kind: string;
  ref: number;
  at: Timestamp;
  depth: number;
  subscriber_ids: number[];
  subject: Generated<number>;
  facts: Json<'workflow_inbox.facts'> | null;
  is_quiet: Generated<boolean>;
};

export type WorkflowListenersTable = {
  account_id: number;
  kind: string;
  ref: number;
  workflow_id: number;
};

export type WorkflowMembersTable = {
  account_id: number;
  workflow_id: number;
  place: number;
  bits: number;
};

export type WorkflowPastPassesTable = {
  account_id: number;
  workflow_id: number;
  subscriber_id: number;
  pass: number;
  entered_at: Timestamp;
  ended_at: Timestamp;
  outcome: string | null;
  trail: Json<'workflow_past_passes.trail'>;
  subject: Generated<number>;
};

export type WorkflowRunsTable = {
  account_id: number;
  workflow_id: number;
  subscriber_id: number;
  pass: Generated<number>;
  step_id: number;
  is_begun: Generated<boolean>;
  wake_at: Timestamp | null;
  depth: Generated<number>;
  entered_at: Timestamp;
  ended_at: Timestamp | null;
  outcome: string | null;
  trail: Generated<Json<'workflow_runs.trail'>>;
  subject: Generated<number>;
  facts: Json<'workflow_runs.facts'> | null;
  held_for: string | null;
  goal_at: Timestamp | null;
};

export type WorkflowSplitsTable = {
  account_id: number;
  workflow_id: number;
  step_id: number;
  compared_key: string;
  counted_from: Timestamp;
  evaluate_at: Timestamp | null;
  evaluated_at: Timestamp | null;
  counts: Generated<Json<'workflow_splits.counts'>>;
  winner: string | null;
  decided_at: Timestamp | null;
};

export type WorkflowStepCountsTable = {
  account_id: number;
  workflow_id: number;
  step_id: number;
  outcome: string;
  people: number;
};

export type WorkflowStepsTable = {
  account_id: number;
  id: Generated<number>;
  workflow_id: number;
  type: string;
  parent_id: number | null;
  condition_path: Generated<string>;
  data: Generated<Json<'workflow_steps.data'>>;
  revision: Generated<number>;
  content_id: number | null;
  content_revision: number | null;
  content_kind: string | null;
  problem: string | null;
  created_at: Timestamp;
  removed_at: Timestamp | null;
  heir_id: number | null;
};

export type WorkflowVersionsTable = {
  account_id: number;
  workflow_id: number;
  number: number;
  tree: Json<'workflow_versions.tree'>;
  created_by: number | null;
  created_at: Timestamp;
};

export type WorkflowsTable = {
  account_id: number;
  id: Generated<number>;
  title: string;
  status: Generated<string>;
  settings: Generated<Json<'workflows.settings'>>;
  version: Generated<number>;
  activated_at: Timestamp | null;
  created_at: Timestamp;
  modified_at: Timestamp;
  deleted_at: Timestamp | null;
  swept_at: Timestamp | null;
  segment_key: string | null;
};

export type DB = {
  accounts: AccountsTable;
  activity: ActivityTable;
  agent_acts: AgentActsTable;
  agent_grants: AgentGrantsTable;
  agent_use: AgentUseTable;
  api_tokens: ApiTokensTable;
  approval_settings: ApprovalSettingsTable;
  approvals: ApprovalsTable;
  attribution_windows: AttributionWindowsTable;
  attributions: AttributionsTable;
  audit: AuditTable;
  audit_settings: AuditSettingsTable;
  billing_accounts: BillingAccountsTable;
  bimi_states: BimiStatesTable;
  blocklist_states: BlocklistStatesTable;
  brands: BrandsTable;
  campaign_experiments: CampaignExperimentsTable;
  campaign_groups: CampaignGroupsTable;
  campaign_resends: CampaignResendsTable;
  campaign_segments: CampaignSegmentsTable;
  campaign_series: CampaignSeriesTable;
  campaign_signals: CampaignSignalsTable;
  campaign_variants: CampaignVariantsTable;
  campaigns: CampaignsTable;
  cart_products: CartProductsTable;
  carts: CartsTable;
  charges: ChargesTable;
  compacted_ranges: CompactedRangesTable;
  consents: ConsentsTable;
  contact_guards: ContactGuardsTable;
  content_attachments: ContentAttachmentsTable;
  content_revisions: ContentRevisionsTable;
  contents: ContentsTable;
  coupon_codes: CouponCodesTable;
  coupon_counts: CouponCountsTable;
  coupon_pools: CouponPoolsTable;
  coupon_uses: CouponUsesTable;
  credit_entries: CreditEntriesTable;
  credit_holds: CreditHoldsTable;
  custom_events: CustomEventsTable;
  deferrals: DeferralsTable;
  delivery_counts: DeliveryCountsTable;
  dmarc_sums: DmarcSumsTable;
  domain_compliance: DomainComplianceTable;
  domain_health: DomainHealthTable;
  domain_keys: DomainKeysTable;
  domain_reports: DomainReportsTable;
  domain_signals: DomainSignalsTable;
  domain_sources: DomainSourcesTable;
  domains: DomainsTable;
  email_tokens: EmailTokensTable;
  email_usage: EmailUsageTable;
  engagement_by: EngagementByTable;
  engagement_counts: EngagementCountsTable;
  engagement_times: EngagementTimesTable;
  event_occurrences: EventOccurrencesTable;
  event_people: EventPeopleTable;
  events: EventsTable;
  export_links: ExportLinksTable;
  exports: ExportsTable;
  fields: FieldsTable;
  files: FilesTable;
  folders: FoldersTable;
  forecasts: ForecastsTable;
  form_codes: FormCodesTable;
  form_confirmations: FormConfirmationsTable;
  form_groups: FormGroupsTable;
  form_pages: FormPagesTable;
  form_proofs: FormProofsTable;
  form_sites: FormSitesTable;
  form_spins: FormSpinsTable;
  form_stats: FormStatsTable;
  form_submissions: FormSubmissionsTable;
  form_versions: FormVersionsTable;
  forms: FormsTable;
  gateway_events: GatewayEventsTable;
  group_members: GroupMembersTable;
  groups: GroupsTable;
  hits: HitsTable;
  idempotency_keys: IdempotencyKeysTable;
  identities: IdentitiesTable;
  images: ImagesTable;
  import_forecasts: ImportForecastsTable;
  import_images: ImportImagesTable;
  import_memberships: ImportMembershipsTable;
  import_rejections: ImportRejectionsTable;
  import_undo_kept: ImportUndoKeptTable;
  imports: ImportsTable;
  instance_settings: InstanceSettingsTable;
  invitations: InvitationsTable;
  invoices: InvoicesTable;
  item_labels: ItemLabelsTable;
  item_notes: ItemNotesTable;
  item_places: ItemPlacesTable;
  labels: LabelsTable;
  lane_counts: LaneCountsTable;
  lanes: LanesTable;
  leases: LeasesTable;
  links: LinksTable;
  mail_hosts: MailHostsTable;
  mailbox_checks: MailboxChecksTable;
  memberships: MembershipsTable;
  message_holdouts: MessageHoldoutsTable;
  messages: MessagesTable;
  model_reservations: ModelReservationsTable;
  model_use: ModelUseTable;
  models: ModelsTable;
  oauth_state: OauthStateTable;
  operator_sessions: OperatorSessionsTable;
  order_aliases: OrderAliasesTable;
  order_products: OrderProductsTable;
  orders: OrdersTable;
  outcomes: OutcomesTable;
  passkey_challenges: PasskeyChallengesTable;
  passkeys: PasskeysTable;
  payment_methods: PaymentMethodsTable;
  phone_code_sends: PhoneCodeSendsTable;
  phone_codes: PhoneCodesTable;
  phone_compliance: PhoneComplianceTable;
  phone_owners: PhoneOwnersTable;
  phones: PhonesTable;
  pilot_moves: PilotMovesTable;
  pilots: PilotsTable;
  plan_orders: PlanOrdersTable;
  postmaster_connections: PostmasterConnectionsTable;
  processes: ProcessesTable;
  product_picks: ProductPicksTable;
  product_views: ProductViewsTable;
  products: ProductsTable;
  provider_caps: ProviderCapsTable;
  provider_events: ProviderEventsTable;
  provider_hooks: ProviderHooksTable;
  push_subscriptions: PushSubscriptionsTable;
  rate_buckets: RateBucketsTable;
  reach_times: ReachTimesTable;
  recipient_runs: RecipientRunsTable;
  recipients: RecipientsTable;
  refresh_tokens: RefreshTokensTable;
  refunds: RefundsTable;
  relay_allowances: RelayAllowancesTable;
  relays: RelaysTable;
  removed_members: RemovedMembersTable;
  report_files: ReportFilesTable;
  report_links: ReportLinksTable;
  report_sums: ReportSumsTable;
  results: ResultsTable;
  saved_sections: SavedSectionsTable;
  saved_templates: SavedTemplatesTable;
  schema_migrations: SchemaMigrationsTable;
  sealed_campaigns: SealedCampaignsTable;
  seed_copies: SeedCopiesTable;
  seed_mailboxes: SeedMailboxesTable;
  segments: SegmentsTable;
  send_cells: SendCellsTable;
  send_hours: SendHoursTable;
  sending_ips: SendingIpsTable;
  sending_windows: SendingWindowsTable;
  sent_times: SentTimesTable;
  sessions: SessionsTable;
  setback_counts: SetbackCountsTable;
  shop_visits: ShopVisitsTable;
  shoppers: ShoppersTable;
  sign_in_failures: SignInFailuresTable;
  single_sends: SingleSendsTable;
  sms_campaign_groups: SmsCampaignGroupsTable;
  sms_campaign_segments: SmsCampaignSegmentsTable;
  sms_campaigns: SmsCampaignsTable;
  sms_clicks: SmsClicksTable;
  sms_experiments: SmsExperimentsTable;
  sms_inbound: SmsInboundTable;
  sms_parts: SmsPartsTable;
  sms_providers: SmsProvidersTable;
  sms_results: SmsResultsTable;
  sms_series: SmsSeriesTable;
  sms_settings: SmsSettingsTable;
  sms_variants: SmsVariantsTable;
  smtp_users: SmtpUsersTable;
  snds_days: SndsDaysTable;
  staged_people: StagedPeopleTable;
  status_changes: StatusChangesTable;
  store_confirmations: StoreConfirmationsTable;
  store_customers: StoreCustomersTable;
  store_inbox: StoreInboxTable;
  stores: StoresTable;
  subscriber_notes: SubscriberNotesTable;
  subscriber_times: SubscriberTimesTable;
  subscriber_views: SubscriberViewsTable;
  subscribers: SubscribersTable;
  subscriptions: SubscriptionsTable;
  suppressions: SuppressionsTable;
  test_recipients: TestRecipientsTable;
  tls_sums: TlsSumsTable;
  tracked_accounts: TrackedAccountsTable;
  tracking_hosts: TrackingHostsTable;
  transactional_emails: TransactionalEmailsTable;
  transactional_sms: TransactionalSmsTable;
  two_factors: TwoFactorsTable;
  users: UsersTable;
  utm_defaults: UtmDefaultsTable;
  visitors: VisitorsTable;
  warm_ups: WarmUpsTable;
  webhook_attempts: WebhookAttemptsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_endpoints: WebhookEndpointsTable;
  webhook_secrets: WebhookSecretsTable;
  workflow_accounts: WorkflowAccountsTable;
  workflow_http_calls: WorkflowHttpCallsTable;
  workflow_inbox: WorkflowInboxTable;
  workflow_listeners: WorkflowListenersTable;
  workflow_members: WorkflowMembersTable;
  workflow_past_passes: WorkflowPastPassesTable;
  workflow_runs: WorkflowRunsTable;
  workflow_splits: WorkflowSplitsTable;
  workflow_step_counts: WorkflowStepCountsTable;
  workflow_steps: WorkflowStepsTable;
  workflow_versions: WorkflowVersionsTable;
  workflows: WorkflowsTable;
};
