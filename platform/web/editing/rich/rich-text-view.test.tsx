// @vitest-environment jsdom
// Rich text in the canvas: allowed elements are drawn, everything else is removed.
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { renderRichText } from './rich-text-view.tsx';

afterEach(cleanup);
const html = (content: string) =>
  render(
    <div>{renderRichText(content, (name) => (name === 'firstname' ? 'First <name>' : name))}</div>,
  ).container.firstElementChild?.innerHTML;

it('keeps allowed elements and styles', () => {
  expect(
    html(
      '<p style="text-align:center">a<strong>b</strong><br><span style="color: rgb(1, 2, 3); position: fixed">c</span></p><ul><li><p>d</p></li></ul>',
    ),
  ).toBe(
    '<p style="text-align: center;">a<strong>b</strong><br><span style="color: rgb(1, 2, 3);">c</span></p><ul><li><p>d</p></li></ul>',
  );
});

it('shows merge tags as chips with their fallback, and links without their URLs', () => {
  expect(
    html('<a href="{{unsubscribe_link}}">Hi {{firstname | default: &quot;you&quot;}}</a>'),
  ).toBe(
    '<a data-link="">Hi <span class="merge-tag" data-tag="{{firstname | default: &quot;you&quot;}}" title="you">First &lt;name&gt;</span></a>',
  );
});

it('removes markup that could run scripts or break the layout', () => {
  expect(
    html(
      '<p onclick="x()">a<script>x()</script><img src=x onerror=x()><iframe srcdoc="x"></iframe><a href="javascript:x()">b</a></p><div>c</div><svg><p>d</p></svg></div>',
    ),
  ).not.toMatch(/script|onclick|onerror|iframe|img|svg|href|<div/);
  expect(html('<p>'.repeat(300))).toBeDefined();
});
