// Declares the area of reports and exports what other areas may use.
import { broadcastFinished } from '#areas/broadcasts/server/index.ts';
import {
  messageOrders,
  revenueOfMessages,
  orderCanceled,
  orderCorrected,
  orderPlaced,
  orderRefunded,
} from '#areas/stores/server/index.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import {
  attributeJob,
  handleOrdersCanceled,
  handleOrdersCorrected,
  handleOrdersPlaced,
  handleOrdersRefunded,
  recordEngagement,
} from './attribution.ts';
import { readAttributedOrders, readEarned } from './attribution.sql.ts';
import { prepareSums, refreshSumsJob } from './cached-totals.ts';
import { publicReportRoutes } from './public-routes.ts';
import { reportRoutes } from './routes.ts';
import { sharedReportPlugin } from './shared-page.ts';

export const area = ({ publicUrl }: Config): Area => ({
  name: 'reports',
  description: 'Reports about email campaigns, and attribution windows.',
  routes: [...reportRoutes(publicUrl), ...publicReportRoutes],
  plugins: [sharedReportPlugin],
  jobs: [refreshSumsJob, attributeJob],
  eventHandlers: [
    on(broadcastFinished, prepareSums),
    on(orderPlaced, handleOrdersPlaced),
    on(orderCorrected, handleOrdersCorrected),
    on(orderRefunded, handleOrdersRefunded),
    on(orderCanceled, handleOrdersCanceled),
    on(engagementRecorded, recordEngagement),
  ],
  questionHandlers: [
    handleQuestion(messageOrders, (tx, { accountId, messageIds }) =>
      readAttributedOrders(tx, accountId, messageIds),
    ),
    handleQuestion(revenueOfMessages, (tx, { accountId, messageIds }) =>
      readEarned(tx, accountId, messageIds),
    ),
  ],
});

export { readGroupFigures } from './group-figures.ts';
export { readEarnings } from './attribution.sql.ts';
