// The door of delivery's screens: 'why', for any list of people, or for whoever is named; and what the
// settings of mail servers have in common with those of other channels.
export { OutletCard, OutletDot, OutletHealth } from './outlets/outlet-card.tsx';
export {
  OrderFields,
  OutletForm,
  OutletSection,
  Pair,
  PartLimits,
  RateFields,
} from './outlets/outlet-fields.tsx';
export { OUTLET_NEWS_MS, OutletsPage } from './outlets/outlets-page.tsx';
export type { WhyQuestion } from './why-panel.tsx';
export { AskWhyDialog, WhyDialog } from './why.tsx';
