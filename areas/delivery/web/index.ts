// The door of delivery's screens: 'why', for any list of people. Loaded when somebody asks.
import { lazy } from 'react';

export type { WhyQuestion } from './why-panel.tsx';
export const WhyDialog = lazy(() => import('./why-dialog.tsx'));
