// The web door of SMS: what screens of higher floors may use.
export { useSenders } from './queries.ts';
