// @vitest-environment jsdom
// In the list of an email's findings, several findings about example links form one entry, which
// can be opened to show each of them.
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { EditorFinding } from './composing.ts';
import { Findings } from './findings.tsx';

beforeAll(() => startTestApp());
afterEach(endTestApp);

const linkTo = (url: string): EditorFinding => ({
  code: 'placeholder_link',
  severity: 'warning',
  step: 'content',
  part: 'html',
  values: { url },
});
const missing: EditorFinding = {
  code: 'subject_missing',
  severity: 'error',
  step: 'settings',
  part: 'subject',
};
const tip: EditorFinding = {
  code: 'preheader_missing',
  severity: 'tip',
  step: 'settings',
  part: 'preheader',
};
const links = ['a', 'b', 'c', 'd'].map((name) => linkTo(`https://${name}.example/`));

test('several example links form one entry that expands to show each of them', () => {
  renderComponent(<Findings findings={[tip, ...links, ...links, missing]} />);
  const entries = screen.getAllByRole('listitem').map((entry) => entry.textContent);
  expect(entries).toHaveLength(3);
  expect(entries[0]).toMatch(/^Error/);
  expect(entries[1]).toContain('4 example links');
  fireEvent.click(screen.getByRole('button', { name: 'Show' }));
  expect(screen.getAllByText(/This link is only an example/)).toHaveLength(4);
});

test('a single example link is shown with its URL', () => {
  renderComponent(<Findings findings={links.slice(0, 1)} />);
  expect(screen.getByText(/This link is only an example: .*a\.example/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Show' })).toBeNull();
});
