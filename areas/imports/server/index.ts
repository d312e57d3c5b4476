// The door of imports: what main/ connects. Imports from other services will take their rows in here.
export { peopleInUse } from './events.ts';
export { configureListProviders, fetchJob } from './fetch-lists.ts';
export { forecastJob } from './forecast.ts';
export { forgetPeople as forgetImported } from './forget-people.ts';
export { importsUsingField, uploadsPoller } from './imports.ts';
export { importRoutes } from './routes.ts';
export { importJob } from './run-import.ts';
export { startImport } from './start-import.ts';
export { takeIn } from './take-in.ts';
export { undoJob } from './undo.ts';
