// Routes of assistance.
import { endedSignal } from '#platform/server/http/event-stream.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { deleteModel } from './models.sql.ts';
import { readSettings, saveSettings, testModel } from './settings.ts';
import { suggestTexts } from './texts.ts';

export const modelRoutes: Route[] = serve('models', calls, {
  readModel: ({ tx, who }) => readSettings(tx, who.accountId),
  saveModel: ({ tx, who, body }) => saveSettings(tx, who.accountId, body),
  removeModel: ({ tx, who }) => deleteModel(tx, who.accountId),
  testModel: ({ db, who }) => testModel(db, who.accountId),
  suggestTexts: ({ db, who, body, reply }) =>
    suggestTexts(db, who.accountId, body, endedSignal(reply)),
});
