// Adapts SMS campaigns to the shared screens of broadcasts.
import { getBroadcastApi, type BroadcastUi } from '#areas/broadcasts/web/index.ts';
import { reportPath, type SmsStepName, stepPath } from './paths.ts';
import { api, toBroadcast, duplicateSms, LIST_PATH } from './queries.ts';

export const smsUi: BroadcastUi = {
  channel: 'sms',
  base: LIST_PATH,
  listPath: '/sms',
  titleKey: 'sms:title',
  newTitleKey: 'sms:create',
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
  getStepPath: (id, step) => stepPath(id, step as SmsStepName),
  getExperimentPath: (id) => `/sms/${id}/experiment`,
  getReportPath: (id) => reportPath(id),
  getFailuresLink: (id) => ({ to: reportPath(id, 'delivery-failed') }),
  read: async (id) =>
    toBroadcast((await api('GET /client-api/api/sms/campaign/{id}', { params: { id } })).data),
  duplicate: duplicateSms,
};
