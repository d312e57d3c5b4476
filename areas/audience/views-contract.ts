// Saved views of the list of subscribers, shared by the users of an account.
import { z } from 'zod';
import { dataResponse, defineCalls, SuccessResponse, Id, idOf, line } from '#platform/contract.ts';
import { MAX_VIEW_TITLE } from './shared.ts';

const VIEWS = '/client-api/api/subscriber_views';

const settings = {
  /** The filter as in the URL of the list. */
  filter: z.string().max(20_000),
  sort: z.enum(['title', 'created', 'modified']),
  direction: z.enum(['asc', 'desc']),
  /** Names of columns, and `field:` with the id of a custom field. */
  columns: z.array(z.string().max(60)).max(1000),
};

export const SubscriberView = z.object({ id: Id, title: z.string(), ...settings });
export type SubscriberView = z.infer<typeof SubscriberView>;

const params = z.object({ id: idOf('subscriber_view') });

export const calls = defineCalls({
  listViews: {
    method: 'GET',
    path: VIEWS,
    caller: 'account',
    summary: 'List saved views of subscribers',
    description: 'Returns the views sorted by title.',
    response: dataResponse(z.array(SubscriberView)),
  },
  createView: {
    method: 'POST',
    path: VIEWS,
    caller: 'account',
    summary: 'Create a saved view of subscribers',
    body: z.strictObject({ title: line(MAX_VIEW_TITLE, 1), ...settings }),
    response: dataResponse(SubscriberView),
    errors: { view_title_taken: 409, too_many_views: 422 },
  },
  changeView: {
    method: 'PATCH',
    path: `${VIEWS}/{id}`,
    caller: 'account',
    summary: 'Update a saved view of subscribers',
    params,
    body: z.strictObject({ title: line(MAX_VIEW_TITLE, 1), ...settings }),
    response: dataResponse(SubscriberView),
    errors: { view_title_taken: 409 },
  },
  deleteView: {
    method: 'DELETE',
    path: `${VIEWS}/{id}`,
    caller: 'account',
    summary: 'Delete a saved view of subscribers',
    params,
    response: SuccessResponse,
  },
});
