// Square images of the templates: products and portraits, 800 by 800.
import type { Art } from './art.ts';

const SIDE = 800;

function drawObject(ground: string, ...shapes: string[]): Art {
  const background = `<rect width="${SIDE}" height="${SIDE}" fill="${ground}"/>`;
  const floor = '<ellipse cx="400" cy="640" rx="230" ry="26" fill="#000000" opacity="0.08"/>';
  return { width: SIDE, height: SIDE, svg: background + floor + shapes.join('') };
}

const path = (d: string, fill: string, extra = '') => `<path d="${d}" fill="${fill}" ${extra}/>`;
const box = (x: number, y: number, w: number, h: number, fill: string, radius = 0) =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${radius}" fill="${fill}"/>`;
const circle = (x: number, y: number, radius: number, fill: string) =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${fill}"/>`;
const line = (d: string, stroke: string, width: number) =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;

function face(ground: string, skin: string, hair: string, shirt: string, style: string): Art {
  return {
    width: SIDE,
    height: SIDE,
    svg:
      box(0, 0, SIDE, SIDE, ground) +
      path('M140 800 C150 620 270 560 400 560 C530 560 650 620 660 800 Z', shirt) +
      box(350, 470, 100, 130, skin, 40) +
      (style.startsWith('behind:') ? path(style.slice(7), hair) : '') +
      `<ellipse cx="400" cy="360" rx="140" ry="165" fill="${skin}"/>` +
      (style.startsWith('behind:')
        ? path('M252 350 C238 120 562 120 548 350 C506 262 330 244 252 350 Z', hair)
        : path(style, hair)) +
      circle(350, 370, 10, '#33261f') +
      circle(450, 370, 10, '#33261f') +
      line('M352 440 Q400 476 448 440', '#33261f', 8),
  };
}

export const OBJECTS: Record<string, Art> = {
  mug: drawObject(
    '#f3e6d8',
    line('M540 400 C660 390 660 560 530 560', '#c85a3c', 36),
    path('M250 340 H550 V560 a80 80 0 0 1 -80 80 H330 a80 80 0 0 1 -80 -80 Z', '#dd6b4a'),
    `<ellipse cx="400" cy="340" rx="150" ry="34" fill="#8a3a25"/>`,
    line(
      'M340 270 C320 230 360 210 340 160 M400 260 C380 220 420 190 400 140 M460 270 C440 230 480 210 460 160',
      '#ffffff',
      14,
    ),
  ),
  plant: drawObject(
    '#dfeadf',
    path('M290 480 H510 L480 640 H320 Z', '#c9744e'),
    box(276, 450, 248, 46, '#d98a63', 8),
    path('M400 460 C300 400 240 280 290 190 C370 250 400 360 400 460 Z', '#3f7d5a'),
    path('M400 460 C500 400 560 300 520 200 C430 250 398 360 400 460 Z', '#5a9a72'),
    path('M400 460 C380 340 380 230 410 110 C450 230 440 350 400 460 Z', '#2f6348'),
  ),
  lamp: drawObject(
    '#2e3350',
    path('M270 420 H530 L700 700 H100 Z', '#ffe7a8', 'opacity="0.22"'),
    box(392, 400, 16, 220, '#d7dbef'),
    box(310, 610, 180, 24, '#d7dbef', 12),
    path('M300 220 H500 L560 420 H240 Z', '#ffcf6b'),
    box(320, 200, 160, 24, '#f2b84b', 6),
  ),
  chair: drawObject(
    '#e7ebf3',
    line('M290 480 L250 660 M510 480 L550 660 M330 490 L310 640 M470 490 L490 640', '#8a5a3c', 20),
    box(250, 420, 300, 80, '#3d5a80', 34),
    path('M270 180 a60 60 0 0 1 60 -60 H470 a60 60 0 0 1 60 60 L520 440 H280 Z', '#4f72a0'),
    box(330, 200, 140, 150, '#6e90bd', 24),
  ),
  candle: drawObject(
    '#f6e9ef',
    box(280, 340, 240, 300, '#ffffff', 24),
    box(280, 420, 240, 130, '#e7a9bc'),
    line('M400 340 V300', '#55413a', 10),
    path('M400 180 C440 230 440 300 400 300 C360 300 360 230 400 180 Z', '#f7b23c'),
    path('M400 230 C418 256 418 292 400 292 C382 292 382 256 400 230 Z', '#fff0c2'),
    line('M330 485 H470', '#ffffff', 10),
  ),
  notebook: drawObject(
    '#e4e7fb',
    box(250, 150, 320, 480, '#2f3a8f', 18),
    box(230, 150, 320, 480, '#4656c9', 18),
    box(230, 150, 60, 480, '#2f3a8f', 18),
    box(340, 240, 160, 90, '#ffffff', 8),
    line('M365 275 H475 M365 300 H440', '#b7bef0', 8),
    line('M590 220 L600 560 L586 600 L574 560 L570 220 Z', '#e8622c', 14),
  ),
  bag: drawObject(
    '#efe5da',
    line('M300 310 C300 150 500 150 500 310', '#7a4a32', 22),
    path('M230 300 H570 L610 640 H190 Z', '#b9764d'),
    path('M230 300 H570 L582 400 H218 Z', '#cf8c62'),
    box(360, 370, 80, 60, '#f0c9a5', 12),
    circle(400, 400, 10, '#7a4a32'),
  ),
  bottle: drawObject(
    '#dcebee',
    box(350, 130, 100, 70, '#274653', 14),
    path(
      'M340 200 H460 V260 C520 290 530 330 530 380 V600 a44 44 0 0 1 -44 44 H314 a44 44 0 0 1 -44 -44 V380 C270 330 280 290 340 260 Z',
      '#3f8ea0',
    ),
    box(270, 400, 260, 150, '#ffffff'),
    line('M310 450 H490 M310 490 H430', '#9fc4cc', 12),
  ),
  shirt: drawObject(
    '#f1ede2',
    path(
      'M300 170 L180 250 L230 370 L280 340 V640 H520 V340 L570 370 L620 250 L500 170 C470 220 330 220 300 170 Z',
      '#5f7f5c',
    ),
    path('M300 170 C330 220 470 220 500 170 L470 160 C450 194 350 194 330 160 Z', '#4a6648'),
    box(420, 340, 70, 76, '#4a6648', 6),
  ),
  book: drawObject(
    '#fbe8dd',
    path('M400 240 C330 190 220 190 150 220 V600 C220 570 330 570 400 620 Z', '#ffffff'),
    path('M400 240 C470 190 580 190 650 220 V600 C580 570 470 570 400 620 Z', '#f6f0ea'),
    line(
      'M200 290 C250 278 310 282 350 304 M200 350 C250 338 310 342 350 364 M200 410 C250 398 310 402 350 424 M450 304 C490 282 550 278 600 290 M450 364 C490 342 550 338 600 350 M450 424 C490 402 550 398 600 410',
      '#d9cdbf',
      10,
    ),
    line('M400 240 V620', '#e0d5c8', 8),
    path('M520 196 H570 V300 L545 276 L520 300 Z', '#d9553f'),
  ),
  headphones: drawObject(
    '#e3e0f5',
    line('M200 460 C200 180 600 180 600 460', '#322a5c', 34),
    box(160, 420, 110, 190, '#5b4fb5', 44),
    box(530, 420, 110, 190, '#5b4fb5', 44),
    box(230, 440, 50, 150, '#322a5c', 20),
    box(520, 440, 50, 150, '#322a5c', 20),
  ),
  bowl: drawObject(
    '#fdf1d9',
    `<ellipse cx="400" cy="400" rx="240" ry="60" fill="#3a6b57"/>`,
    circle(330, 380, 46, '#e2593f'),
    circle(440, 372, 40, '#f2b84b'),
    path('M470 390 C500 320 580 320 590 390 Z', '#8fbf6a'),
    path('M230 395 C240 330 300 340 310 400 Z', '#a7d17d'),
    path('M160 400 H640 C640 540 540 630 400 630 C260 630 160 540 160 400 Z', '#ffffff'),
    path(
      'M172 450 C300 500 500 500 628 450 C620 480 608 505 592 528 C470 560 330 560 208 528 C192 505 180 480 172 450 Z',
      '#dfe7ee',
    ),
  ),
  anna: face(
    '#f6d5c3',
    '#f2c4a0',
    '#5a2f22',
    '#2f6f62',
    'behind:M230 360 C210 130 590 130 570 360 C590 520 560 600 540 620 H260 C240 600 210 520 230 360 Z',
  ),
  omar: face(
    '#cfe0ea',
    '#b97f56',
    '#221a18',
    '#3d4a7a',
    'M252 340 C232 130 568 130 548 340 C522 268 470 246 400 246 C330 246 278 268 252 340 Z',
  ),
  mei: face(
    '#e5dcf3',
    '#f3cda8',
    '#1f1c24',
    '#c85a7c',
    'behind:M240 350 C230 150 570 150 560 350 V500 H240 Z',
  ),
};
