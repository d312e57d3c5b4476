// The operations of each resource; what they request is in actions.ts.
import type { INodeProperties } from 'n8n-workflow';

export const operations: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['subscriber'] } },
    options: [
      {
        name: 'Add to Group',
        value: 'addToGroup',
        description: 'Add subscribers to a group',
        action: 'Add subscribers to a group',
      },
      {
        name: 'Create or Update',
        value: 'upsert',
        description: 'Create a new record, or update the current one if it already exists (upsert)',
        action: 'Create or update a subscriber',
      },
      {
        name: 'Delete',
        value: 'delete',
        description: 'Delete subscribers',
        action: 'Delete subscribers',
      },
      {
        name: 'Get',
        value: 'get',
        description: 'Get a subscriber',
        action: 'Get a subscriber',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        description: 'Get many subscribers',
        action: 'Get many subscribers',
      },
      {
        name: 'Reactivate',
        value: 'reactivate',
        description: 'Restore subscribers to a channel that the account removed them from',
        action: 'Reactivate subscribers',
      },
      {
        name: 'Remove From Group',
        value: 'removeFromGroup',
        description: 'Remove subscribers from a group',
        action: 'Remove subscribers from a group',
      },
      {
        name: 'Unsubscribe',
        value: 'unsubscribe',
        description: 'Remove subscribers from a channel',
        action: 'Unsubscribe subscribers',
      },
      {
        name: 'Update',
        value: 'update',
        description: 'Update a subscriber',
        action: 'Update a subscriber',
      },
    ],
    default: 'upsert',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['group'] } },
    options: [
      {
        name: 'Create',
        value: 'create',
        description: 'Create a group',
        action: 'Create a group',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        description: 'Get many groups',
        action: 'Get many groups',
      },
    ],
    default: 'create',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['event'] } },
    options: [
      {
        name: 'Create',
        value: 'create',
        description: 'Add a custom event of a subscriber, which can start workflows',
        action: 'Create an event',
      },
    ],
    default: 'create',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['email'] } },
    options: [
      {
        name: 'Send',
        value: 'send',
        description: 'Send a transactional email',
        action: 'Send an email',
      },
      {
        name: 'Send Template',
        value: 'sendTemplate',
        description: 'Send a transactional template to one recipient',
        action: 'Send a template',
      },
    ],
    default: 'send',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['sms'] } },
    options: [
      {
        name: 'Send',
        value: 'send',
        description: 'Send a transactional SMS',
        action: 'Send an SMS',
      },
    ],
    default: 'send',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['campaign'] } },
    options: [
      {
        name: 'Create',
        value: 'create',
        description: 'Create a draft of an email campaign',
        action: 'Create a campaign',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        description: 'Get many campaigns',
        action: 'Get many campaigns',
      },
      {
        name: 'Schedule',
        value: 'schedule',
        description: 'Schedule a campaign',
        action: 'Schedule a campaign',
      },
      {
        name: 'Send',
        value: 'send',
        description: 'Send a campaign now',
        action: 'Send a campaign',
      },
    ],
    default: 'create',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: ['workflow'] } },
    options: [
      {
        name: 'Start',
        value: 'start',
        description: 'Start a workflow for a subscriber',
        action: 'Start a workflow',
      },
    ],
    default: 'start',
  },
];
