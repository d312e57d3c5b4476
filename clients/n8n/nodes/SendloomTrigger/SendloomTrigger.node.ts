import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type IDataObject,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { groupChoices, listAll, request } from '../request';

const MAX_AGE_SECONDS = 300;
const WEBHOOKS = '/account/webhooks';

export class SendloomTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Sendloom Trigger',
    name: 'sendloomTrigger',
    icon: {
      light: 'file:../../icons/sendloom.light.svg',
      dark: 'file:../../icons/sendloom.dark.svg',
    },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["topic"]}}',
    description: 'Starts the workflow when something happens in Sendloom',
    defaults: { name: 'Sendloom Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'sendloomApi', required: true }],
    webhooks: [
      { name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' },
    ],
    properties: [
      {
        displayName: 'Trigger On',
        name: 'topic',
        type: 'options',
        options: [
          { name: 'Approval Decided', value: 'approvals/decided' },
          { name: 'Approval Requested', value: 'approvals/new' },
          { name: 'Audit Log Entry Added', value: 'audit/new' },
          { name: 'Campaign Created', value: 'campaigns/new' },
          { name: 'Campaign Sent', value: 'campaigns/sent' },
          { name: 'Comment Created', value: 'comments/new' },
          { name: 'Custom Event', value: 'events/new' },
          { name: 'Deliverability Changed', value: 'deliverability/changed' },
          { name: 'Email Bounced', value: 'emails/bounced' },
          { name: 'Email Clicked', value: 'emails/clicked' },
          { name: 'Email Complained', value: 'emails/complained' },
          { name: 'Email Delivered', value: 'emails/delivered' },
          { name: 'Email Opened', value: 'emails/opened' },
          { name: 'Experiment Decided', value: 'experiments/decided' },
          { name: 'Form Submitted', value: 'forms/submitted' },
          { name: 'Group Created', value: 'groups/new' },
          { name: 'SMS Delivered', value: 'sms/delivered' },
          { name: 'SMS Replied', value: 'sms/replied' },
          { name: 'Subscriber Bounced', value: 'bounces/new' },
          { name: 'Subscriber Created', value: 'subscribers/new' },
          { name: 'Subscriber Joined a Group', value: 'groups/new-subscriber' },
          { name: 'Subscriber Left a Group', value: 'groups/unsubscribed' },
          { name: 'Subscriber Unsubscribed', value: 'subscribers/unsubscribed' },
          { name: 'Subscriber Updated', value: 'subscribers/updated' },
          { name: 'Workflow Finished', value: 'workflows/finished' },
        ],
        default: 'subscribers/new',
        required: true,
      },
      {
        displayName: 'Group Name or ID',
        name: 'groupId',
        type: 'options',
        typeOptions: { loadOptionsMethod: 'groupChoices' },
        default: '',
        required: true,
        description:
          'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
        displayOptions: { show: { topic: ['groups/new-subscriber', 'groups/unsubscribed'] } },
      },
    ],
  };

  methods = { loadOptions: { groupChoices } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const url = this.getNodeWebhookUrl('default');
        const topic = this.getNodeParameter('topic');
        const all = await listAll(this, WEBHOOKS, Number.POSITIVE_INFINITY);
        const own = all.find((hook) => hook.url === url && hook.topic === topic);
        // A disabled webhook is deleted, so that it is created again.
        if (own && own.status !== 'ACTIVE') await remove(this, own.id);
        if (own?.status !== 'ACTIVE') return false;
        this.getWorkflowStaticData('node').webhookId = own.id;
        return true;
      },
      async create(this: IHookFunctions): Promise<boolean> {
        const groupId = this.getNodeParameter('groupId', '') as string;
        const made = await request(this, {
          ...{ method: 'POST', path: WEBHOOKS },
          body: {
            url: this.getNodeWebhookUrl('default'),
            topic: this.getNodeParameter('topic'),
            ...(groupId && { relation_id: groupId }),
          },
        });
        this.getWorkflowStaticData('node').webhookId = made.id;
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        const stored = this.getWorkflowStaticData('node');
        const { webhookId } = stored;
        delete stored.webhookId;
        if (webhookId === undefined) return true;
        const all = await listAll(this, WEBHOOKS, Number.POSITIVE_INFINITY);
        if (all.some(({ id }) => id === webhookId)) await remove(this, webhookId);
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    if (await isSigned(this)) {
      const topic = this.getNodeParameter('topic') as string;
      const body = this.getBodyData();
      return { workflowData: [this.helpers.returnJsonArray({ topic, ...body } as IDataObject)] };
    }
    this.getResponseObject().status(401).send('The signature is not valid').end();
    return { noWebhookResponse: true };
  }
}

const remove = (context: IHookFunctions, id: unknown) =>
  request(context, { method: 'DELETE', path: `${WEBHOOKS}/${encodeURIComponent(String(id))}` });

/**
 * Returns whether the request has a recent signature with the account's secret (Standard Webhooks).
 */
async function isSigned(context: IWebhookFunctions): Promise<boolean> {
  const headers = context.getHeaderData() as Record<string, string | undefined>;
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  const age = Math.abs(Date.now() / 1000 - Number(at));
  if (!id || !signatures || !(age < MAX_AGE_SECONDS)) return false;
  const { rawBody } = context.getRequestObject() as unknown as { rawBody?: Buffer };
  const answer = await request(context, { method: 'GET', path: `${WEBHOOKS}/secret` });
  const { secret } = answer.data as { secret: string };
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64');
  const signed = createHmac('sha256', key)
    .update(`${id}.${at}.`)
    .update(rawBody ?? '')
    .digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.slice(signature.indexOf(',') + 1), 'base64');
    return given.length === signed.length && timingSafeEqual(given, signed);
  });
}
