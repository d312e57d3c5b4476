// @vitest-environment jsdom
// Thumbnails of forms: the form is where its layout puts it on sites.
import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { createFormDocument } from '../layouts.ts';
import { Miniature } from './miniature.tsx';

test('a corner form is at the right in any text direction, as on sites', () => {
  const form = createFormDocument('corner', 'eng', 'https://tea.example');
  const { container } = render(<Miniature document={{ ...form, language: 'fas' }} type="popup" />);
  const page = container.querySelector('[dir=rtl]');
  const root = page?.firstElementChild?.shadowRoot;
  expect(root?.querySelector('.stage .sender-form-box')).not.toBeNull();
  const css = Array.from(root?.adoptedStyleSheets[0]?.cssRules ?? [], (rule) => rule.cssText);
  const stageRule = css.find((text) => text.startsWith('.stage {'));
  // Sites set the distance from the right edge, but in Persian the `end` of a row is at the left.
  expect(stageRule).toContain('place-items: end right;');
});
