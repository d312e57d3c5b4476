// Email campaigns as a kind of broadcast for the shared screens.
import { getBroadcastApi, type BroadcastUi } from '#areas/broadcasts/web/index.ts';
import {
  experimentPath,
  reportPath,
  STEP_NAMES,
  type CampaignStepName,
  stepPath,
} from './paths.ts';
import { api, duplicateCampaign, LIST_PATH } from './queries.ts';

const LAST_ACTIONS = { settings: 'step1', design: 'editor', recipients: 'step3', review: 'step4' };

export const emailUi: BroadcastUi = {
  channel: 'email',
  base: LIST_PATH,
  listPath: '/campaigns',
  titleKey: 'campaigns:title',
  newTitleKey: 'campaigns:create',
  api: getBroadcastApi(LIST_PATH),
  steps: STEP_NAMES.map((name) => ({
    name,
    text: `campaigns:steps.${name}`,
    lastAction: LAST_ACTIONS[name],
    savesEachChange: name === 'recipients' || name === 'review',
  })),
  getStepPath: (id, step) => stepPath(id, step as CampaignStepName),
  getExperimentPath: experimentPath,
  getReportPath: (id) => reportPath(id),
  getFailuresLink: (id) => ({ to: reportPath(id, 'actions'), search: { action: 'not_sent' } }),
  read: async (id) => (await api('GET /client-api/api/campaigns/{id}', { params: { id } })).data,
  duplicate: duplicateCampaign,
};
