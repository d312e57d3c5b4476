// Public interface of fields for higher areas.
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import { publicFieldRoutes } from './public-routes.ts';
import { fieldRoutes } from './routes.ts';
import { searchQuestion, searchIn } from '#platform/server/search/search.ts';
import { listSearchableFields, rewriteTitles } from './fields.sql.ts';
import {
  contentsNamingAddresses,
  addressesErased,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import { findFieldsWithAddresses } from './fields.ts';

export const area: Area = {
  name: 'fields',
  description: 'Custom fields of subscribers.',
  routes: [...fieldRoutes, ...publicFieldRoutes],
  eventHandlers: [on(addressesErased, eraseFromTexts(rewriteTitles))],
  questionHandlers: [
    handleQuestion(contentsNamingAddresses, findFieldsWithAddresses),
    handleQuestion(searchQuestion, searchIn('field', 'field', listSearchableFields)),
  ],
};

export { fieldDeleted, fieldUsedBy } from './events.ts';
export {
  createField,
  type FieldFacts,
  findFieldByName,
  lockAllFields,
  parseFieldValues,
  readFields,
  readFieldValue,
} from './fields.ts';
