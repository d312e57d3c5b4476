// The door of fields: what higher floors may call.
export { fieldDeleted, fieldUsedBy } from './events.ts';
export {
  createField,
  type FieldFacts,
  keepFields,
  readFields,
  readFieldValue,
} from './fields.ts';
export { fieldRoutes } from './routes.ts';
