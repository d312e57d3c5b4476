// The heatmap: the shares and colors of links, drawn into the HTML of an email.
import { expect, test } from 'vitest';
import { drawHeat } from './draw-heat.ts';

const link = (position: number, count: number, positions = [position]) => ({
  id: `l${position}`,
  position,
  positions,
  url: 'https://shop.example/',
  label: '',
  // Machine clicks are not drawn.
  clicks: count + 5,
  human_clicks: count,
  unique_clicks: count + 5,
  unique_human_clicks: count,
});
const formatShare = (count: number) => `${count} "%"`;

test("every position of a link shows the link's percentage and a color by the number of people who clicked", () => {
  const html = drawHeat(
    '<html><head><title>x</title></head><body></body></html>',
    [link(0, 10, [0, 2]), link(1, 0)],
    formatShare,
  );
  expect(html.indexOf('</head>')).toBeGreaterThan(html.indexOf('#link-2'));
  for (const at of [0, 2]) {
    expect(html).toContain(`a[href="#link-${at}"]{outline:3px solid #e8622c!important}`);
    expect(html).toContain(`a[href="#link-${at}"]::after{content:"10 %"}`);
  }
  expect(html).toContain('a[href="#link-1"]{outline:3px solid #5b606b66!important}');
});

test('the heatmap is also drawn into an email without a head', () => {
  expect(drawHeat('<p>Hi</p>', [link(0, 1)], formatShare)).toMatch(
    /^<p>Hi<\/p><base target="_blank"><style>/,
  );
});
