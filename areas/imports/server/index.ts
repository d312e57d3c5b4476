// Declares the area of imports and exports what other areas may use.
import { createResolver } from '#areas/domains/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { subscribersErased } from '#areas/subscribers/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { eraseFromImports } from './erase-people.ts';
import { configureListProviders, fetchJob } from './fetch-lists.ts';
import { configureListCheck, forecastJob } from './forecast.ts';
import { listImportsUsingField, uploadsPoller } from './imports.ts';
import type { ListProvider } from './list-provider.ts';
import { importRoutes } from './routes.ts';
import { importJob } from './run-import.ts';
import { undoJob } from './undo.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';
import { rewriteImportTexts } from './erase-people.sql.ts';

/** Creates the area. `lists` are the services that subscribers are fetched from. */
export function area(config: Config, providers: { lists: readonly ListProvider[] }): Area {
  return {
    name: 'imports',
    description: 'Imports of subscribers from files, pasted text and other services.',
    routes: importRoutes({ maxMegabytes: config.importMaxMegabytes }),
    jobs: [importJob, fetchJob, forecastJob, undoJob],
    pollers: [uploadsPoller],
    eventHandlers: [
      on(subscribersErased, eraseFromImports),
      on(addressesErased, eraseFromTexts(rewriteImportTexts)),
    ],
    questionHandlers: [handleQuestion(fieldUsedBy, listImportsUsingField)],
    setUp: () => {
      configureListProviders(providers.lists);
      configureListCheck({ resolver: createResolver(config.dnsServers) });
    },
  };
}

export { subscribersInUse } from './events.ts';
export { ingest } from './ingest.ts';
export { readFileRows } from './reading/whole-file.ts';
export { startImport } from './start-import.ts';
