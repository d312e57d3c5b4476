// The entry point of fields for higher areas.
import type { Area } from '#platform/server/area.ts';
import { publicFieldRoutes } from './public-routes.ts';
import { fieldRoutes } from './routes.ts';

export const area: Area = { name: 'fields', routes: [...fieldRoutes, ...publicFieldRoutes] };

export { fieldDeleted, fieldUsedBy } from './events.ts';
export {
  createField,
  type FieldFacts,
  lockAllFields,
  readFields,
  readFieldValue,
} from './fields.ts';
