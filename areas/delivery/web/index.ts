// The door of delivery's screens: 'why', for any list of people, or for whoever is named.
export type { WhyQuestion } from './why-panel.tsx';
export { AskWhyDialog, WhyDialog } from './why.tsx';
