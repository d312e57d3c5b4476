// Public interface of assistance: higher areas send their own prompts to the account's model.
import type { Area } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { configureModels } from './query-model.ts';
import { modelRoutes } from './routes.ts';

export const area = (config: Config): Area => ({
  name: 'models',
  description: 'The language model of an account, and its suggestions for texts.',
  routes: modelRoutes,
  setUp: () => configureModels(config.modelHosts),
});

export { LANGUAGE_NAMES } from './language-names.ts';
export { addActualCost } from './costs.ts';
export {
  queryModel,
  type QueryOptions,
  extractJson,
  findQueryModel,
  describeRequest,
} from './query-model.ts';
export type { ModelPrompt } from './protocols.ts';
