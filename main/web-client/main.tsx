// Starts the web client: wires the areas' screens into the shell.
import { routes as accounts } from '#areas/accounts/web/routes.tsx';
import { routes as audience } from '#areas/audience/web/routes.tsx';
import { campaignChoices } from '#areas/campaigns/web/index.ts';
import { routes as campaigns } from '#areas/campaigns/web/routes.tsx';
import { routes as domains } from '#areas/domains/web/routes.tsx';
import { routes as exports } from '#areas/exports/web/routes.tsx';
import { routes as fields } from '#areas/fields/web/routes.tsx';
import { routes as groups } from '#areas/groups/web/routes.tsx';
import { routes as imports } from '#areas/imports/web/routes.tsx';
import { routes as reports } from '#areas/reports/web/routes.tsx';
import { offerCampaigns } from '#areas/segments/web/index.ts';
import { routes as segments } from '#areas/segments/web/routes.tsx';
import { defineRoutes } from '#platform/web/routes.ts';
import { startApp } from '#platform/web/start.tsx';

// Until there is a dashboard, the start page is the list of campaigns.
const start = defineRoutes({ screens: [{ path: '/', redirectTo: '/campaigns' }] });

// One line per area, in the order of the floors.
const areas = [
  start,
  accounts,
  domains,
  fields,
  groups,
  segments,
  imports,
  exports,
  campaigns,
  audience,
  reports,
];

// Conditions of segments may name campaigns, which stand above them.
offerCampaigns(campaignChoices);

await startApp(areas);
