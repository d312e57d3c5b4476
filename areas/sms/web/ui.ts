// Adapts SMS campaigns to the shared screens of broadcasts.
import { broadcastApi, type BroadcastUi } from '#areas/broadcasts/web/index.ts';
import { reportPath, type StepName, stepPath } from './paths.ts';
import { api, asBroadcast, duplicateSms, LIST } from './queries.ts';

export const smsUi: BroadcastUi = {
  channel: 'sms',
  base: LIST,
  list: '/sms',
  title: 'sms:title',
  create: 'sms:create',
  api: broadcastApi(LIST),
  steps: [
    { name: 'settings', text: 'sms:steps.settings', action: 'step1', isKept: false },
    { name: 'recipients', text: 'sms:steps.recipients', action: 'step3', isKept: true },
    { name: 'review', text: 'sms:steps.review', action: 'step4', isKept: true },
  ],
  stepPath: (id, step) => stepPath(id, step as StepName),
  experimentPath: (id) => `/sms/${id}/experiment`,
  reportPath: (id) => reportPath(id),
  failuresPath: (id) => ({ to: reportPath(id, 'delivery-failed') }),
  read: async (id) =>
    asBroadcast((await api('GET /client-api/api/sms/campaign/{id}', { params: { id } })).data),
  duplicate: duplicateSms,
};
