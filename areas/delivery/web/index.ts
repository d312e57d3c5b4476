// Public interface of delivery's screens: the delivery explanation and components shared by the
// settings of mail servers and SMS providers.
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
