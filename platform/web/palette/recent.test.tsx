// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import { readRecent, remember } from './recent.ts';

beforeEach(() => localStorage.clear());

test('opened objects are listed as recent, newest first; commands and screens are not', () => {
  remember({ id: 'g1', label: 'Friends', kind: 'Group', to: '/subscribers?filter=1' });
  remember({ id: 'c1', label: 'Spring sale', kind: 'Campaign', to: '/campaigns/c1' });
  remember({ id: 'forms.create', label: 'Create a form', to: '/forms/create' });
  remember({ id: 'to:/settings/utm', label: 'UTM', kind: 'Settings', to: '/settings/utm' });
  expect(readRecent().map(({ label }) => label)).toEqual(['Spring sale', 'Friends']);
});
