// Starts the web client with the screens of all areas. The base styles are imported first, so that
// the styles of components override them.
import '#platform/web/theme/base-styles.ts';
import { routes as accounts } from '#areas/accounts/web/routes.tsx';
import { routes as agents } from '#areas/agents/web/routes.tsx';
import { registerFindings } from '#areas/approvals/web/index.ts';
import { routes as approvals } from '#areas/approvals/web/routes.tsx';
import { routes as audit } from '#areas/audit/web/routes.tsx';
import { routes as audience } from '#areas/audience/web/routes.tsx';
import { routes as billing } from '#areas/billing/web/routes.tsx';
import { routes as calendar } from '#areas/calendar/web/routes.tsx';
import { campaignChoices } from '#areas/campaigns/web/index.ts';
import { routes as campaigns } from '#areas/campaigns/web/routes.tsx';
import { routes as content } from '#areas/content/web/routes.tsx';
import { routes as dashboard } from '#areas/dashboard/web/routes.tsx';
import { routes as deliverability } from '#areas/deliverability/web/routes.tsx';
import { routes as delivery } from '#areas/delivery/web/routes.tsx';
import { routes as domains } from '#areas/domains/web/routes.tsx';
import { routes as events } from '#areas/events/web/routes.tsx';
import { routes as exports } from '#areas/exports/web/routes.tsx';
import { routes as fields } from '#areas/fields/web/routes.tsx';
import { routes as forms } from '#areas/forms/web/routes.tsx';
import { routes as groups } from '#areas/groups/web/routes.tsx';
import { routes as imports } from '#areas/imports/web/routes.tsx';
import { routes as models } from '#areas/models/web/routes.tsx';
import { routes as onboarding } from '#areas/onboarding/web/routes.tsx';
import { routes as operator } from '#areas/operator/web/routes.tsx';
import { routes as reports } from '#areas/reports/web/routes.tsx';
import { offerCampaigns } from '#areas/segments/web/index.ts';
import { routes as segments } from '#areas/segments/web/routes.tsx';
import { smsCampaignChoices, smsFindings } from '#areas/sms/web/index.ts';
import { routes as sms } from '#areas/sms/web/routes.tsx';
import { routes as stores } from '#areas/stores/web/routes.tsx';
import { routes as tracking } from '#areas/tracking/web/routes.tsx';
import { routes as transactional } from '#areas/transactional/web/routes.tsx';
import { routes as webhooks } from '#areas/webhooks/web/routes.tsx';
import { routes as workflows } from '#areas/workflows/web/routes.tsx';
import { startApp } from '#platform/web/shell/start.tsx';

// All areas that have screens.
const AREAS = [
  accounts,
  approvals,
  audit,
  billing,
  delivery,
  deliverability,
  domains,
  fields,
  models,
  groups,
  events,
  stores,
  tracking,
  transactional,
  segments,
  content,
  imports,
  exports,
  campaigns,
  sms,
  forms,
  workflows,
  audience,
  reports,
  calendar,
  dashboard,
  onboarding,
  operator,
  agents,
  webhooks,
];

// Segment conditions may refer to campaigns, an area above segments.
offerCampaigns('campaigns', campaignChoices);
offerCampaigns('sms_campaigns', smsCampaignChoices);
// Requests for approval show findings of SMS campaigns, an area above approvals.
registerFindings(['sms_schedule', 'sms_series'], smsFindings);

// The start must not be awaited here. Chunks that import this module run only after a top-level
// await has finished, and the start needs one of these chunks, the text catalog.
void startApp(AREAS);
