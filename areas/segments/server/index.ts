// The door of segments: what higher floors may call.
export { type Compiled, compileConditions } from './compile.ts';
export type { CompileContext } from './context.ts';
export { countSegmentsJob } from './counting.ts';
export { campaignsNamed, segmentDeleted, segmentUsedBy, type WasSent, wasSent } from './events.ts';
export { forgetNamed, withoutAddresses } from './forget-people.ts';
export { countingContext, readContext } from './read-context.ts';
export { segmentRoutes } from './routes.ts';
export {
  brokenSegments,
  inAnyOf,
  namesField,
  namesGroup,
  segmentConditions,
  segmentsUsingField,
  segmentsUsingGroup,
} from './usage.ts';
