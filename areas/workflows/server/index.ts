// Public interface of workflows.
import { approvalKinds } from '#areas/approvals/server/index.ts';
import { calendarEntries } from '#areas/broadcasts/server/index.ts';
import { contentsInUse, imageUsedBy, readSendingOptions } from '#areas/content/server/index.ts';
import { domainUsedBy } from '#areas/domains/server/index.ts';
import { customEventRecorded, customEventUsedBy } from '#areas/events/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { formConfirmed, formSubmitted } from '#areas/forms/server/index.ts';
import { groupUsedBy, joinedGroup, leftGroup } from '#areas/groups/server/index.ts';
import { segmentInForce, segmentUsedBy } from '#areas/segments/server/index.ts';
import {
  addressesErased,
  contentsNamingAddresses,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import {
  cartAbandoned,
  cartClosed,
  orderFulfilled,
  orderPlaced,
  orderRefunded,
  productViewed,
} from '#areas/stores/server/index.ts';
import {
  statusesChanged,
  subscribersCreated,
  subscribersErased,
  subscribersPurged,
  subscribersUnsubscribed,
  subscribersUpdated,
} from '#areas/subscribers/server/index.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import {
  queueEngagement,
  queueEvent,
  queueFieldsChanged,
  queueFormSubmission,
  queueGroupJoined,
  queueGroupLeft,
  queueUnsubscribed,
  requestReevaluation,
} from './entering/facts.ts';
import { workflowApproval } from './approval.ts';
import { deleteWorkflowDataJob } from './delete-data.ts';
import { publicWorkflowRoutes } from './public-routes.ts';
import { workflowRoutes } from './routes.ts';
import { eraseSubscribers } from './runs.ts';
import {
  queueCartClosed,
  queueCartAbandoned,
  queueOrderRefunded,
  queueOrderPlaced,
  queueOrderFulfilled,
  queueProductView,
} from './entering/store-facts.ts';
import { listPlannedRuns } from './calendar-entries.ts';
import { turnsPoller } from './account-turn.ts';
import { splitsPoller } from './splits/evaluate.ts';
import {
  listActiveUsingSegment,
  listWorkflowsFromDomain,
  listWorkflowsUsingEvent,
  listWorkflowsUsingField,
  listWorkflowsWithAddress,
  listWorkflowsUsingGroup,
  listWorkflowsUsingImage,
  listWorkflowsUsingSegment,
} from './uses.ts';
import { listStepContents } from './steps/steps.sql.ts';
import { searchQuestion, searchIn } from '#platform/server/search/search.ts';
import { rewriteTitles, listSearchableWorkflows } from './workflows.sql.ts';

export function area(config: Config): Area {
  const options = readSendingOptions(config);
  return {
    name: 'workflows',
    description: 'Workflows: triggers, steps, recipes, runs and reports.',
    jobs: [deleteWorkflowDataJob],
    routes: [...workflowRoutes(options), ...publicWorkflowRoutes],
    pollers: [turnsPoller(options), splitsPoller],
    eventHandlers: [
      on(joinedGroup, queueGroupJoined),
      on(leftGroup, queueGroupLeft),
      on(subscribersUpdated, queueFieldsChanged),
      on(subscribersUnsubscribed, queueUnsubscribed),
      on(subscribersCreated, requestReevaluation),
      on(statusesChanged, requestReevaluation),
      on(engagementRecorded, queueEngagement),
      on(customEventRecorded, queueEvent),
      on(orderPlaced, queueOrderPlaced),
      on(orderFulfilled, queueOrderFulfilled),
      on(orderRefunded, queueOrderRefunded),
      on(cartAbandoned, queueCartAbandoned),
      on(cartClosed, queueCartClosed),
      on(productViewed, queueProductView),
      on(formSubmitted, queueFormSubmission),
      on(formConfirmed, queueFormSubmission),
      on(subscribersErased, eraseSubscribers),
      on(addressesErased, eraseFromTexts(rewriteTitles)),
      on(subscribersPurged, eraseSubscribers),
    ],
    questionHandlers: [
      handleQuestion(searchQuestion, searchIn('workflow', 'workflow', listSearchableWorkflows)),
      handleQuestion(groupUsedBy, listWorkflowsUsingGroup),
      handleQuestion(segmentUsedBy, listWorkflowsUsingSegment),
      handleQuestion(segmentInForce, listActiveUsingSegment),
      handleQuestion(fieldUsedBy, listWorkflowsUsingField),
      handleQuestion(contentsNamingAddresses, listWorkflowsWithAddress),
      handleQuestion(customEventUsedBy, listWorkflowsUsingEvent),
      handleQuestion(imageUsedBy, listWorkflowsUsingImage),
      handleQuestion(contentsInUse, listStepContents),
      handleQuestion(domainUsedBy, listWorkflowsFromDomain),
      handleQuestion(calendarEntries, listPlannedRuns),
      handleQuestion(approvalKinds, async () => [workflowApproval(options)]),
    ],
  };
}

export { callNeeded, noticeNeeded } from './events.ts';
export { getWorkflowTitle } from './workflows.sql.ts';
export { runsEnded } from './runs/run-events.ts';
