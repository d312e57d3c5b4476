// The door of workflows.
import { sendingOptions } from '#areas/content/server/index.ts';
import { formConfirmed, formSubmitted } from '#areas/forms/server/index.ts';
import { joinedGroup, leftGroup } from '#areas/groups/server/index.ts';
import {
  statusesChanged,
  subscribersCreated,
  subscribersErased,
  subscribersPurged,
  subscribersUnsubscribed,
  subscribersUpdated,
} from '#areas/subscribers/server/index.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import {
  engaged,
  fieldsChanged,
  formFilledIn,
  groupJoined,
  groupLeft,
  leftChannel,
  touched,
} from './facts.ts';
import { workflowRoutes } from './routes.ts';
import { forgetPeople } from './runs.ts';
import { turnsPoller } from './turn.ts';

export function area(config: Config): Area {
  const options = sendingOptions(config);
  return {
    name: 'workflows',
    routes: workflowRoutes(options),
    pollers: [turnsPoller(options)],
    listens: [
      on(joinedGroup, groupJoined),
      on(leftGroup, groupLeft),
      on(subscribersUpdated, fieldsChanged),
      on(subscribersUnsubscribed, leftChannel),
      on(subscribersCreated, touched),
      on(statusesChanged, touched),
      on(engagementRecorded, engaged),
      on(formSubmitted, formFilledIn),
      on(formConfirmed, formFilledIn),
      on(subscribersErased, forgetPeople),
      on(subscribersPurged, forgetPeople),
    ],
  };
}

export { callNeeded, noticeNeeded } from './events.ts';
export { workflowTitle } from './workflows.sql.ts';
