// Public interface of workflows.
import { approvalKinds } from '#areas/approvals/server/index.ts';
import { calendarEntries } from '#areas/broadcasts/server/index.ts';
import { contentsInUse, imageUsedBy, readSendingOptions } from '#areas/content/server/index.ts';
import { domainUsedBy } from '#areas/domains/server/index.ts';
import { customEventRecorded, customEventUsedBy } from '#areas/events/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { formConfirmed, formSubmitted } from '#areas/forms/server/index.ts';
import { groupUsedBy, joinedGroup, leftGroup } from '#areas/groups/server/index.ts';
import {
  contentsNamingAddresses,
  eraseFromTitles,
  segmentInForce,
  segmentUsedBy,
} from '#areas/segments/server/index.ts';
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
import { type Area, answer, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import {
  engaged,
  eventHappened,
  fieldsChanged,
  formFilledIn,
  groupJoined,
  groupLeft,
  leftChannel,
  requestReevaluation,
} from './entering/facts.ts';
import { workflowApproval } from './approval.ts';
import { deleteWorkflowDataJob } from './delete-data.ts';
import { publicWorkflowRoutes } from './public-routes.ts';
import { workflowRoutes } from './routes.ts';
import { eraseSubscribers } from './runs.ts';
import {
  cartEnded,
  noteCartAbandoned,
  noteOrderRefunded,
  noteOrderPlaced,
  noteOrderFulfilled,
  productSeen,
} from './entering/store-facts.ts';
import { plannedRuns } from './planned.ts';
import { turnsPoller } from './account-turn.ts';
import { splitsPoller } from './splits/evaluate.ts';
import {
  activeUsingSegment,
  workflowsFromDomain,
  workflowsUsingEvent,
  workflowsUsingField,
  workflowsWithAddress,
  workflowsUsingGroup,
  workflowsUsingImage,
  workflowsUsingSegment,
} from './uses.ts';
import { contentsOfSteps } from './steps/steps.sql.ts';
import { searched, searchIn } from '#platform/server/search/search.ts';
import { rewriteTitles, searchableWorkflows } from './workflows.sql.ts';

export function area(config: Config): Area {
  const options = readSendingOptions(config);
  return {
    name: 'workflows',
    jobs: [deleteWorkflowDataJob],
    routes: [...workflowRoutes(options), ...publicWorkflowRoutes],
    pollers: [turnsPoller(options), splitsPoller],
    listens: [
      on(joinedGroup, groupJoined),
      on(leftGroup, groupLeft),
      on(subscribersUpdated, fieldsChanged),
      on(subscribersUnsubscribed, leftChannel),
      on(subscribersCreated, requestReevaluation),
      on(statusesChanged, requestReevaluation),
      on(engagementRecorded, engaged),
      on(customEventRecorded, eventHappened),
      on(orderPlaced, noteOrderPlaced),
      on(orderFulfilled, noteOrderFulfilled),
      on(orderRefunded, noteOrderRefunded),
      on(cartAbandoned, noteCartAbandoned),
      on(cartClosed, cartEnded),
      on(productViewed, productSeen),
      on(formSubmitted, formFilledIn),
      on(formConfirmed, formFilledIn),
      on(subscribersErased, eraseSubscribers),
      on(subscribersErased, eraseFromTitles(rewriteTitles)),
      on(subscribersPurged, eraseSubscribers),
    ],
    answers: [
      answer(searched, searchIn('workflow', 'workflow', searchableWorkflows)),
      answer(groupUsedBy, workflowsUsingGroup),
      answer(segmentUsedBy, workflowsUsingSegment),
      answer(segmentInForce, activeUsingSegment),
      answer(fieldUsedBy, workflowsUsingField),
      answer(contentsNamingAddresses, workflowsWithAddress),
      answer(customEventUsedBy, workflowsUsingEvent),
      answer(imageUsedBy, workflowsUsingImage),
      answer(contentsInUse, contentsOfSteps),
      answer(domainUsedBy, workflowsFromDomain),
      answer(calendarEntries, plannedRuns),
      answer(approvalKinds, async () => [workflowApproval(options)]),
    ],
  };
}

export { callNeeded, noticeNeeded } from './events.ts';
export { workflowTitle } from './workflows.sql.ts';
export { runsEnded } from './runs/ended.ts';
