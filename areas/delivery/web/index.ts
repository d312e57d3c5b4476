// Public interface of delivery's screens: 'why' for subscribers in a list or typed by the user, and
// components that settings of mail servers share with other channels.
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
export { DeliveryExplanationDialog, WhyDialog } from './why.tsx';
