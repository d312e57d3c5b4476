// The public interface of the audience for higher areas and main/.
import { approvalKinds } from '#areas/approvals/server/index.ts';
import { readSendingOptions } from '#areas/content/server/index.ts';
import { customEventUsedBy } from '#areas/events/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { groupUsedBy } from '#areas/groups/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import { bulkActJob } from './bulk.ts';
import {
  listBulkActionsUsingEvent,
  listBulkActionsUsingField,
  listBulkActionsUsingGroup,
} from './bulk-uses.ts';
import { deletionApproval, expireRequestsForAddresses } from './deletion-approval.ts';
import { erasureApproval } from './erasure-approval.ts';
import { deleteNotes } from './notes.ts';
import { eraseFromViews } from './views.ts';
import { publicAudienceRoutes } from './public-routes.ts';
import { publicSuppressionRoutes } from './public-suppressions.ts';
import { audienceRoutes } from './routes.ts';
import { searchQuestion } from '#platform/server/search/search.ts';
import { searchSubscribers } from './search-subscribers.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';
import { rewriteNotes } from './notes.sql.ts';

export const area = (config: Config): Area => ({
  name: 'audience',
  description:
    'Subscribers: the list with its filters, bulk actions, single subscribers, their history and erasure.',
  routes: [
    ...audienceRoutes(readSendingOptions(config)),
    ...publicAudienceRoutes,
    ...publicSuppressionRoutes,
  ],
  jobs: [bulkActJob],
  eventHandlers: [
    on(subscribersErased, deleteNotes),
    on(subscribersErased, expireRequestsForAddresses),
    on(subscribersErased, eraseFromViews),
    on(subscribersPurged, deleteNotes),
    on(addressesErased, eraseFromTexts(rewriteNotes)),
  ],
  questionHandlers: [
    handleQuestion(approvalKinds, async () => [deletionApproval, erasureApproval]),
    handleQuestion(searchQuestion, searchSubscribers),
    handleQuestion(fieldUsedBy, listBulkActionsUsingField),
    handleQuestion(groupUsedBy, listBulkActionsUsingGroup),
    handleQuestion(customEventUsedBy, listBulkActionsUsingEvent),
  ],
});

export { readPublicSubscribers } from './public-subscribers.ts';
