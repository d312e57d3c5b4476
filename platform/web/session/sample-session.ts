// A signed-in session for tests of screens.
import type { Session } from './session.ts';

export const sampleSession: Session = {
  user: {
    id: 'u',
    email: 'ada@tea.example',
    name: 'Ada',
    surname: null,
    tour: 2,
    account: 'a',
    language: 'eng',
  },
  account: {
    id: 'a',
    title: 'Nordic Tea',
    language: 'eng',
    timezone: 'Europe/Oslo',
    country: 'NO',
  },
};
