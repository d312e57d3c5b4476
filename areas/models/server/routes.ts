// Routes for assistance.
import { createCloseSignal } from '#platform/server/http/event-stream.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { deleteModel } from './models.sql.ts';
import { readSettings, saveSettings, testModel } from './settings.ts';
import { suggestTexts } from './texts.ts';

export const modelRoutes: Route[] = createRoutes('models', calls, {
  readModel: ({ tx, caller }) => readSettings(tx, caller.accountId),
  saveModel: ({ tx, caller, body }) => saveSettings(tx, caller.accountId, body),
  removeModel: ({ tx, caller }) => deleteModel(tx, caller.accountId),
  testModel: ({ db, caller }) => testModel(db, caller.accountId),
  suggestTexts: ({ db, caller, body, reply }) =>
    suggestTexts(db, caller.accountId, body, createCloseSignal(reply)),
});
