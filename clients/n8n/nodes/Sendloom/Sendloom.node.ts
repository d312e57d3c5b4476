import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type JsonObject,
  NodeApiError,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow';
import { groupChoices, listAll, request } from '../request';
import { ACTIONS, type Read } from './actions';
import { fields } from './fields';
import { operations } from './operations';

export class Sendloom implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Sendloom',
    name: 'sendloom',
    icon: {
      light: 'file:../../icons/sendloom.light.svg',
      dark: 'file:../../icons/sendloom.dark.svg',
    },
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Manage subscribers and campaigns, and send email and SMS',
    defaults: { name: 'Sendloom' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'sendloomApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Campaign', value: 'campaign' },
          { name: 'Email', value: 'email' },
          { name: 'Event', value: 'event' },
          { name: 'Group', value: 'group' },
          { name: 'SMS', value: 'sms' },
          { name: 'Subscriber', value: 'subscriber' },
          { name: 'Workflow', value: 'workflow' },
        ],
        default: 'subscriber',
      },
      ...operations,
      ...fields,
    ],
  };

  methods = { loadOptions: { groupChoices } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = [];
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        for (const json of await run(this, item)) results.push({ json, pairedItem: { item } });
      } catch (error) {
        if (!this.continueOnFail()) throw explained(this, error, item);
        results.push({ json: { error: (error as Error).message }, pairedItem: { item } });
      }
    }
    return [results];
  }
}

async function run(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const read: Read = (name) => {
    const value = context.getNodeParameter(name, item, '') as unknown;
    return value === '' ? undefined : value;
  };
  const resource = String(read('resource'));
  const operation = String(read('operation'));
  const action = ACTIONS[resource]?.[operation];
  if (!action) {
    const unknown = `Unknown operation: ${resource} ${operation}`;
    throw new NodeOperationError(context.getNode(), unknown, { itemIndex: item });
  }
  const { method, build, isList } = action;
  const { path, body, query } = build(read);
  if (isList) {
    const limit = read('returnAll') === true ? Number.POSITIVE_INFINITY : Number(read('limit'));
    return listAll(context, path, limit, query);
  }
  const idempotencyKey = method === 'POST' ? keyOf(context, item) : undefined;
  const answer = await request(context, {
    ...{ method, path },
    ...(body && { body }),
    ...(query && { query }),
    ...(idempotencyKey && { idempotencyKey }),
  });
  return itemsOf(answer);
}

/**
 * Returns the idempotency key, which is the same for each attempt of an item, so that "Retry on
 * Fail" sends nothing twice.
 */
function keyOf(context: IExecuteFunctions, item: number): string {
  const { $runIndex: round } = context.getWorkflowDataProxy(item) as { $runIndex: number };
  return ['n8n', context.getExecutionId(), context.getNode().id, round, item].join('-');
}

/**
 * Returns the object in the response's `data`, with the response's messages, if any, as `notes`. If
 * `data` is not an object, returns the response.
 */
function itemsOf(answer: IDataObject): IDataObject[] {
  const { data, message } = answer;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return [answer];
  const notes = Array.isArray(message) && message.length > 0 ? { notes: message } : {};
  return [{ ...(data as IDataObject), ...notes }];
}

function explained(context: IExecuteFunctions, error: unknown, itemIndex: number): Error {
  if (error instanceof NodeOperationError) return error;
  const isOurs = error instanceof TypeError || error instanceof SyntaxError;
  if (isOurs) return new NodeOperationError(context.getNode(), error, { itemIndex });
  return new NodeApiError(context.getNode(), error as JsonObject, { itemIndex });
}
