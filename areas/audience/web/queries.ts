// The calls about the people for screens, and the address of one.
import { client } from '#platform/web/api.ts';
import type { AnswerOf } from '#platform/web/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST = '/client-api/api/subscribers';
/** What changes when people do. */
export const TOUCHED = [LIST, '/client-api/api/tags', '/client-api/api/users'];

export type Bulk = AnswerOf<typeof calls, 'DELETE /client-api/api/subscribers'>;

export const pathOf = (id: string) => `/subscribers/${id}/view`;
