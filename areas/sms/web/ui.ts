// Adapts SMS campaigns to the shared screens of broadcasts.
import { getBroadcastApi, type BroadcastUi } from '#areas/broadcasts/web/index.ts';
import { reportPath, type SmsStepName, stepPath } from './paths.ts';
import { api, toBroadcast, duplicateSms, LIST_PATH } from './queries.ts';

export const smsUi: BroadcastUi = {
  channel: 'sms',
  base: LIST_PATH,
  list: '/sms',
  title: 'sms:title',
  createTitle: 'sms:create',
  api: getBroadcastApi(LIST_PATH),
  steps: [
    { name: 'settings', text: 'sms:steps.settings', lastAction: 'step1', savesEachChange: false },
    {
      name: 'recipients',
      text: 'sms:steps.recipients',
      lastAction: 'step3',
      savesEachChange: true,
    },
    { name: 'review', text: 'sms:steps.review', lastAction: 'step4', savesEachChange: true },
  ],
  stepPath: (id, step) => stepPath(id, step as SmsStepName),
  experimentPath: (id) => `/sms/${id}/experiment`,
  reportPath: (id) => reportPath(id),
  failuresPath: (id) => ({ to: reportPath(id, 'delivery-failed') }),
  read: async (id) =>
    toBroadcast((await api('GET /client-api/api/sms/campaign/{id}', { params: { id } })).data),
  duplicate: duplicateSms,
};
