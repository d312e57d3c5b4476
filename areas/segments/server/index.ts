// The door of segments: what higher floors may call.
export {
  type CompileContext,
  type Compiled,
  compileConditions,
  readContext,
} from './compile.ts';
