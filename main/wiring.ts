// The areas and providers of this product. Each area declares its parts in its own manifest
// (platform/server/area.ts); only this module chooses the providers.
import path from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import { type AddressProvider, area as accounts } from '#areas/accounts/server/index.ts';
import { area as agents } from '#areas/agents/server/index.ts';
import { area as approvals } from '#areas/approvals/server/index.ts';
import { area as audit } from '#areas/audit/server/index.ts';
import { area as audience } from '#areas/audience/server/index.ts';
import { area as billing } from '#areas/billing/server/index.ts';
import { area as broadcasts } from '#areas/broadcasts/server/index.ts';
import { area as calendar } from '#areas/calendar/server/index.ts';
import { area as campaigns } from '#areas/campaigns/server/index.ts';
import { area as content, type StockProvider } from '#areas/content/server/index.ts';
import { area as dashboard } from '#areas/dashboard/server/index.ts';
import { area as delivery } from '#areas/delivery/server/index.ts';
import { area as deliverability } from '#areas/deliverability/server/index.ts';
import { area as domains } from '#areas/domains/server/index.ts';
import { area as events } from '#areas/events/server/index.ts';
import { area as exports } from '#areas/exports/server/index.ts';
import { area as fields } from '#areas/fields/server/index.ts';
import { area as folders } from '#areas/folders/server/index.ts';
import { area as forms } from '#areas/forms/server/index.ts';
import { area as groups } from '#areas/groups/server/index.ts';
import { area as imports } from '#areas/imports/server/index.ts';
import { area as models } from '#areas/models/server/index.ts';
import { area as operator } from '#areas/operator/server/index.ts';
import { area as reports } from '#areas/reports/server/index.ts';
import { area as segments } from '#areas/segments/server/index.ts';
import { area as sms } from '#areas/sms/server/index.ts';
import { area as stores } from '#areas/stores/server/index.ts';
import { area as subscribers } from '#areas/subscribers/server/index.ts';
import { area as systemEmails } from '#areas/system-emails/server/index.ts';
import { area as tracking } from '#areas/tracking/server/index.ts';
import { area as transactional } from '#areas/transactional/server/index.ts';
import { area as webhooks } from '#areas/webhooks/server/index.ts';
import { area as workflows } from '#areas/workflows/server/index.ts';
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { leftoversPoller } from '#platform/server/files/files.ts';
import type { Tag } from '#platform/server/http/openapi.ts';
import type { Route } from '#platform/server/http/serve.ts';
import type { Job } from '#platform/server/jobs/jobs.ts';
import { livePlugin, liveRoutes } from '#platform/server/live/live.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { searchRoutes } from '#platform/server/search/search.ts';
import { thirdPartyRoutes } from '#platform/server/http/third-parties.ts';
import { captcha } from '#providers/captcha/index.ts';
import { DEMO_CATALOG } from '#providers/demo-shop/catalog.ts';
import { openGazetteer } from '#providers/gazetteer/index.ts';
import { getresponse } from '#providers/getresponse/index.ts';
import { createGiphyProvider } from '#providers/giphy/index.ts';
import { createGooglePlacesProvider } from '#providers/google-places/index.ts';
import { createPexelsProvider } from '#providers/pexels/index.ts';
import { mailchimp } from '#providers/mailchimp/index.ts';
import { shopify } from '#providers/shopify/index.ts';
import { vies } from '#providers/vies/index.ts';
import { woocommerce } from '#providers/woocommerce/index.ts';
import { wordpressPlugin } from '#providers/wordpress/index.ts';
import { appManifestPlugin } from './app-manifest.ts';
import { paymentGateway } from './gateways.ts';
import { sampleFiller } from './demo/sample.ts';
import { HOOK_READERS, instanceKeys } from './hooks.ts';
import { relayKinds } from './relays.ts';
import { ownSmsKinds } from './sms-kinds.ts';

const EMBED = path.resolve(import.meta.dirname, '../dist/web/embed');

/**
 * Returns all areas, one per line, in the order of the layers, so that event listeners run from
 * lower to higher areas.
 */
export function allAreas(config: Config): Area[] {
  return [
    accounts(config, { addresses: addressProvider(config) }),
    audit,
    billing(config, { gateway: paymentGateway(config), checkVat: vies(config.billing.viesUrl) }),
    domains(config),
    fields,
    folders,
    models(config),
    subscribers,
    groups,
    events,
    stores(config, {
      adapters: [woocommerce(), shopify(), woocommerce({}, 'demo')],
      callPlugin: wordpressPlugin(),
      demo: config.isProduction ? undefined : DEMO_CATALOG,
    }),
    tracking(config),
    segments,
    content(config, { stockProviders: createStockProviders(config) }),
    imports(config, { lists: listProviders(config) }),
    exports,
    delivery(config, {
      hookReaders: HOOK_READERS,
      instanceKeys: instanceKeys(config),
      relayKinds: relayKinds(config),
    }),
    approvals,
    deliverability(config),
    broadcasts,
    campaigns(config),
    sms(config, ownSmsKinds),
    transactional(config),
    forms(config, {
      embedFolder: EMBED,
      captcha: config.captcha && captcha(config.captcha),
    }),
    workflows(config),
    audience(config),
    reports(config),
    calendar,
    dashboard(config, { filler: sampleFiller(config.publicUrl) }),
    systemEmails(config),
    webhooks(config),
    agents,
    operator,
  ];
}

/** Returns all JSON API calls. */
export function allRoutes(config: Config): Route[] {
  const builtInRoutes = [...liveRoutes, ...searchRoutes, ...thirdPartyRoutes(config)];
  return [...builtInRoutes, ...allAreas(config).flatMap(({ routes = [] }) => routes)];
}

/** Returns a description of each area for the API documents, which group the calls by area. */
export function allTags(config: Config): Tag[] {
  return [
    ...allAreas(config).map(({ name, description }) => ({ name, description })),
    {
      name: 'feedback',
      description:
        "Providers' webhooks for bounces and complaints, and explanations why a subscriber did or did not receive a message.",
    },
    { name: 'platform', description: 'Search, live updates and optional third-party services.' },
  ];
}

/** Returns plugins for public pages, tracking and other endpoints outside the JSON API. */
export function allPlugins(config: Config): FastifyPluginAsync[] {
  return [
    livePlugin,
    appManifestPlugin,
    ...allAreas(config).flatMap(({ plugins = [] }) => plugins),
  ];
}

export function allJobs(config: Config): Job[] {
  return allAreas(config).flatMap(({ jobs = [] }) => jobs);
}

/** Returns scheduled work, run by one elected worker. */
export function allPollers(config: Config): Poller[] {
  return [...allAreas(config).flatMap(({ pollers = [] }) => pollers), leftoversPoller];
}

/** Returns Google's address completion if a key is configured, otherwise the built-in gazetteer. */
function addressProvider({ googleMapsKey }: Config): AddressProvider {
  return googleMapsKey ? createGooglePlacesProvider({ key: googleMapsKey }) : openGazetteer();
}

/** Returns stock photo and GIF services that have a configured key. */
function createStockProviders({ stockKeys: { pexels, giphy } }: Config): StockProvider[] {
  return [
    ...(pexels ? [createPexelsProvider({ key: pexels })] : []),
    ...(giphy ? [createGiphyProvider({ key: giphy })] : []),
  ];
}

/** Returns the services that subscribers can be imported from. */
function listProviders({ listServiceUrls }: Config) {
  return [
    mailchimp({ baseUrl: listServiceUrls.mailchimp }),
    getresponse({ baseUrl: listServiceUrls.getresponse }),
  ];
}
